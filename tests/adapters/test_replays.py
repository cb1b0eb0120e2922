"""A graph run again from its trace alone gives what a fresh run of the program gives.

Read next: tests/adapters/replays.py
"""

from __future__ import annotations

import json
import re
import weakref
from typing import Any

import numpy as np
import pytest

import graphlab as torch
from benchmarks.trace_size import size
from graphlab.faces.render.bundle import with_scenes
from graphlab.graph.formulas import Numbers
from graphlab.graph.replaying import ReplayError, replay_of
from graphlab.graph.timeline import Timeline
from graphlab.tensor.tensor import Tensor
from tests.adapters.replays import FIXTURE, PROGRAMS, bare_trace, random_result, unpacked
from tests.core.samples import SAMPLES, Sample, name_of
from tests.functions import Square

# With an underscore: trace() looks for names of tensors in all other variables.
_CASES: dict[str, Any] = json.loads(FIXTURE.read_text(encoding="utf-8"))


def assert_near(found: Any, wanted: Any, tolerance: float) -> None:
    found, wanted = np.asarray(found, float), np.asarray(wanted, float)
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


def tolerance_of(data: Any) -> float:
    # float64: sums are added in another order. float32: the core rounds within a step too, and
    # `linalg` loses a digit or two more.
    return 1e-12 if data.dtype == np.float64 else 1e-5


# -- the fixture that the player reads ----------------------------------------------------------


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_fixture_holds_the_formulas_of_today(name):
    assert _CASES[name]["trace"] == json.loads(json.dumps(bare_trace(PROGRAMS[name]())))


@pytest.mark.parametrize("name", _CASES)
def test_every_run_of_the_fixture_gives_its_numbers(name):
    timeline = Timeline.from_json(_CASES[name]["trace"])
    for run in _CASES[name]["runs"]:
        edits = {
            k: Numbers(x["dtype"], tuple(x["shape"]), x["data"]).array()
            for k, x in run["edits"].items()
        }
        if "problem" in run:
            with pytest.raises(ReplayError, match=re.escape(run["problem"])):
                replay_of(timeline, edits)
            continue
        found = replay_of(timeline, edits)
        for part in ("tensors", "made", "leaves"):
            assert getattr(found, part).keys() == run[part].keys()
        for part in ("tensors", "made", "sent", "gathered", "leaves"):
            for key, text in run[part].items():
                value = getattr(found, part)[key]
                assert_near(value, unpacked(text, value), 1e-12)


# -- at other values ----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(1, 81))
def test_a_replay_at_other_values_gives_what_a_fresh_run_gives_there(seed):
    recorded, leaves, calmed = random_result(seed)
    walk = torch.trace(recorded)
    dice = np.random.default_rng(seed)
    k = int(dice.integers(len(leaves)))
    entries = leaves[k].detach().numpy().astype(float)
    entries = entries + dice.uniform(-0.5, 0.5, entries.shape)
    name = id_of(walk, leaves[k])
    if name is None:  # it leads nowhere
        return
    found = replay_of(walk, {name: entries})
    result, fresh, _ = random_result(seed, {k: entries}, calmed)
    result.backward()
    assert is_near(found.tensors[walk.graph.root], result._data, 100)
    for before, after in zip(leaves, fresh, strict=True):
        tensor = id_of(walk, before)
        if tensor in found.leaves:
            assert is_near(found.leaves[tensor], after.grad._data, 100)  # sums of rounded numbers


def id_of(walk: Timeline, leaf: Tensor) -> str | None:
    """The id of a leaf in a walk, by its entries, which no other leaf has."""
    assert walk.replay is not None
    for name, numbers in walk.replay.data.items():
        if np.array_equal(numbers.array(), leaf._data):
            return name
    return None


def test_the_slope_of_an_edge_is_the_rule_for_gradients_of_1():
    x, y = (torch.tensor(v, requires_grad=True) for v in (2.0, 3.0))
    walk = torch.trace((x * y) * 10)
    (node,) = [
        n for n in walk.graph.nodes if n.op == "mul" and len(walk.graph.edges_from(n.id)) == 2
    ]
    assert replay_of(walk, {"x": 7.0}).slope(walk.graph.edges_from(node.id)[1].id) == 7.0


def test_where_the_program_would_go_another_way_a_sentence_says_so():
    x = torch.tensor(2.0, requires_grad=True)
    y = x * x if x > 0 else -x
    walk = torch.trace(y)
    assert replay_of(walk, {"x": 3.0}).leaves["t0"] == 6.0
    with pytest.raises(ReplayError, match=r"^This was recorded with x > 0; at these values"):
        replay_of(walk, {"x": -3.0})


def test_a_branch_of_a_result_that_is_not_in_the_graph_is_said_too():
    x = torch.tensor([2.0, 1.0], requires_grad=True)
    y = 2 * x if x.sum() > 0 else 3 * x
    walk = torch.trace(y, torch.ones(2))
    with pytest.raises(ReplayError, match=r"recorded with sum\(x\) > 0"):
        replay_of(walk, {"x": [-3.0, 1.0]})


def test_a_branch_of_other_tensors_does_not_count():
    x, other = (torch.tensor(v, requires_grad=True) for v in (2.0, 3.0))
    y = x * x
    assert other > 0
    walk = torch.trace(y * y)
    assert walk.replay is not None
    assert walk.replay.decided == ()


def test_a_branch_keeps_no_tensor_and_no_graph_alive():
    x = torch.tensor(2.0, requires_grad=True)
    y = x * x
    node, leaf = weakref.ref(y.grad_fn), weakref.ref(x)
    assert y > 0
    del x, y
    assert node() is None
    assert leaf() is None


# -- what cannot be followed --------------------------------------------------------------------


def test_a_function_of_the_users_own_says_why_it_cannot_be_followed():
    x = torch.tensor(3.0, requires_grad=True)
    walk = torch.trace(Square.apply(x) + x)
    why = "Square cannot be recomputed here: it is a Function of your own, which is Python code."
    assert walk.replay is not None
    assert set(walk.replay.cannot.values()) == {why}
    with pytest.raises(ReplayError, match=r"^Square cannot be recomputed"):
        replay_of(walk, {"x": 1.0})


def test_a_graph_with_a_node_that_has_no_formula_carries_no_formulas():
    x, y = (torch.tensor(one, requires_grad=True) for one in (3.0, 2.0))
    written = torch.trace(Square.apply(x * y) + torch.log(y)).to_json()["replay"]
    assert written.pop("data").keys() == {"t0", "t1"}  # exact numbers, from which a kernel starts
    assert written == {"formulas": [], "nodes": {}, "cannot": written["cannot"]}


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_formulas_make_a_trace_larger_by_a_quarter_at_the_most(name):
    document = with_scenes(PROGRAMS[name]()).to_json()
    replay = document.pop("replay")
    assert size(replay) <= 0.25 * size(document)


def test_a_hook_that_changes_a_gradient_cannot_be_followed():
    x = torch.tensor(3.0, requires_grad=True)
    y = x * x
    y.register_hook(lambda grad: grad * 2)
    with pytest.raises(ReplayError, match="a hook changed a gradient"):
        replay_of(torch.trace(y * y), {"x": 1.0})


def test_a_hook_that_only_looks_can_be_followed():
    x = torch.tensor(3.0, requires_grad=True)
    x.register_hook(lambda grad: None)
    assert replay_of(torch.trace(x * x), {"x": 1.0}).leaves["t0"] == 2.0


def test_a_large_graph_says_how_large_it_is():
    x = torch.ones(101, 100, requires_grad=True)
    with pytest.raises(ReplayError, match=r"it has 10,10\d numbers, and a page computes at most"):
        replay_of(torch.trace(x.sum()))


def test_half_precision_says_that_it_cannot_be_followed():
    x = torch.tensor(3.0, dtype=torch.float16, requires_grad=True)
    with pytest.raises(
        ReplayError, match="MulBackward0 cannot be recomputed here: it computes with"
    ):
        replay_of(torch.trace(x * x))


def test_a_leaf_that_was_changed_since_cannot_be_followed():
    x = torch.tensor(3.0, requires_grad=True)
    y = x + 1
    with torch.no_grad():
        x.mul_(2)
    with pytest.raises(ReplayError, match="x was changed in place after it was used"):
        replay_of(torch.trace(y))


def test_what_a_pack_hook_packed_cannot_be_followed():
    x = torch.tensor(3.0, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        y = x * x
    with pytest.raises(ReplayError, match="a hook packed its saved tensors"):
        replay_of(torch.trace(y))


@pytest.mark.parametrize(
    ("edits", "said"),
    [
        ({"z": 1.0}, "no tensor is named 'z'; the leaves are x"),
        ({"x": [1.0, 2.0]}, r"x has the shape \(\), got \(2,\)"),
        ({"y": 1.0}, "y is the result of an operation; change a leaf instead"),
    ],
)
def test_an_edit_that_does_not_fit_says_why(edits, said):
    x = torch.tensor(3.0, requires_grad=True)
    y = x * x
    with pytest.raises(ReplayError, match=said):
        replay_of(torch.trace(y), edits)


def test_a_recording_carries_no_formulas():
    x = torch.tensor(3.0, requires_grad=True)
    with torch.record() as walk:
        (x * x).backward()
    assert "replay" not in walk.to_json()
    with pytest.raises(ReplayError, match="This trace holds no formulas"):
        replay_of(walk)


# -- every operation ----------------------------------------------------------------------------

CANNOT = {  # and a sentence says why: which rows LU exchanges depends on the numbers
    "custom", "grid_sampler2d", "linalg_lu_factor_ex", "linalg_lu_solve", "pack_padded_sequence",
}  # fmt: skip


def leaves_of(sample: Sample, dtype: Any) -> list[Any]:
    made = sample.tensors(torch)
    return [
        x.detach().to(dtype).requires_grad_(x.requires_grad)
        if isinstance(x, Tensor) and x.dtype == torch.float64
        else x
        for x in made
    ]


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=["float64", "float32"])
@pytest.mark.parametrize("sample", SAMPLES, ids=name_of)
def test_a_replay_gives_the_values_and_gradients_of_the_core(sample, dtype):
    inputs = leaves_of(sample, dtype)
    called = sample.call(torch, *inputs)
    for result in called if isinstance(called, tuple | list) else [called]:
        if not isinstance(result, Tensor) or not result.requires_grad or result.is_complex():
            continue
        seed = torch.ones_like(result.detach()) * 0.5
        walk = torch.trace(result, seed)
        if walk.replay is None:
            continue
        if walk.replay.cannot:
            assert sample.op in CANNOT or "memory" in str(walk.replay.cannot)
            continue
        found = replay_of(walk)
        root = found.tensors[walk.graph.root]
        assert is_near(root, result._data), (root, result)
        result.backward(seed, retain_graph=True)
        for x in inputs:
            if isinstance(x, Tensor) and x.grad is not None:
                assert any(is_near(one, x.grad._data) for one in found.leaves.values())
                x.grad = None


def is_near(found: Any, wanted: Any, times: float = 1) -> bool:
    try:
        largest = np.max(np.abs(wanted), initial=1.0)  # what was rounded in between was as large
        assert_near(found, wanted, tolerance_of(wanted) * float(largest) * times)
    except AssertionError:
        return False
    return True

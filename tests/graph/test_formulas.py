"""Formulas that come from outside are read with suspicion: a sentence names the first wrong place.

Read next: graphlab/graph/formula_reading.py
"""

from __future__ import annotations

import contextlib
import copy
from typing import Any

import numpy as np
import pytest

import graphlab as torch
from graphlab.common.errors import TraceError
from graphlab.graph.formula_reading import NAMES, read_arg
from graphlab.graph.formulas import numbers_of, write_arg, write_numbers
from graphlab.graph.replaying import ReplayError, functions, replay_of
from graphlab.graph.timeline import Timeline
from graphlab.primitives.tape_reading import Ref


def document() -> dict[str, Any]:
    x, y = (torch.tensor([a, 2.0], requires_grad=True) for a in (1.0, 3.0))
    z = torch.where(x > 0, x * y, y)
    if z.sum() > 0:
        z = z.exp()
    return torch.trace(z, torch.tensor([0.5, 1.0])).to_json()


DOCUMENT = document()


def set_at(replay: dict[str, Any], path: str, value: Any) -> None:
    *parts, last = (int(part) if part.isdigit() else part for part in path.split("/"))
    place: Any = replay
    for part in parts:
        place = place[part]
    place[last] = value


def of_where() -> int:
    formulas = DOCUMENT["replay"]["formulas"]
    return next(k for k, one in enumerate(formulas) if one["forward"]["steps"][0][0] == "where")


WHERE = of_where()
NODE = next(name for name, k in DOCUMENT["replay"]["nodes"].items() if k == WHERE)
NUMBERS = {"dtype": "float32", "shape": [2], "data": "AACAPwAAAEA="}
DAMAGED = [
    ("formulas", 3, "replay.formulas is 3"),
    ("formulas/0", [], "replay.formulas[0] is []"),
    ("formulas/0/forward", None, "replay.formulas[0].forward is None"),
    ("formulas/0/forward/steps", "no", "replay.formulas[0].forward.steps is 'no'"),
    ("formulas/0/forward/steps/0", [], "replay.formulas[0].forward.steps[0] is []"),
    ("formulas/0/forward/steps/0/0", "eval", "steps[0][0] is 'eval'"),
    ("formulas/0/forward/steps/0/0", "__import__", "steps[0][0] is '__import__'"),
    ("formulas/0/forward/steps/0/0", ["mul"], "steps[0][0] is ['mul']"),
    ("formulas/0/forward/steps/0/1", "s0", "steps[0][1] is 's0'"),
    ("formulas/0/forward/steps/0/1", "s99999", "steps[0][1] is 's99999'"),
    ("formulas/0/forward/steps/0/1", "g0", "steps[0][1] is 'g0'"),
    ("formulas/0/forward/steps/0/1", "x" * 10_000, "steps[0][1] is 'xxx"),
    ("formulas/0/forward/steps/0/1", {"f": "1e400"}, "steps[0][1] is {'f': '1e400'}"),
    ("formulas/0/forward/steps/0/1", {"text": 3}, "steps[0][1] is {'text': 3}"),
    ("formulas/0/forward/steps/0/1", {"dtype": "object"}, "steps[0][1] is {'dtype': 'object'}"),
    ("formulas/0/forward/steps/0/1", {"slice": [0, "x0", 1]}, "steps[0][1].slice[1] is 'x0'"),
    ("formulas/0/forward/steps/0/1", {"slice": [0, 1]}, "steps[0][1] is {'slice': [0, 1]}"),
    ("formulas/0/forward/steps/0/1", float("nan"), "steps[0][1] is nan"),
    ("formulas/0/forward/steps/0/1", [10**5, 10**5], "steps[0][1] is [100000, 100000]"),
    ("formulas/0/forward/steps/0/1", {"array": {**NUMBERS, "data": "AAAA"}}, "array.data is"),
    ("formulas/0/forward/steps", [["neg", "x0"]] * 2001, "is 'a list of 2001'"),
    ("formulas/0/forward/results", [], "is 0 (int), expected a formula with at least 1 results"),
    ("formulas/0/forward/results", ["s7"], "forward.results[0] is 's7'"),
    ("formulas/0/backward/results", [], "expected a formula with a rule for each edge"),
    (f"formulas/{WHERE}/forward/steps/0/1", "x9", f"replay.nodes.{NODE} is 'x9'"),
    (f"formulas/{WHERE}/backward/results/0", "g3", f"replay.nodes.{NODE} is 'g3'"),
    ("nodes", [], "replay.nodes is []"),
    ("nodes/n77", 0, "replay.nodes.n77 is 'n77'"),
    ("nodes/n0", 88, "replay.nodes.n0 is 88"),
    ("nodes/n0", "0", "replay.nodes.n0 is '0'"),
    ("nodes/n0", -1, "replay.nodes.n0 is -1"),
    ("data/t77", NUMBERS, "replay.data.t77 is 't77'"),
    ("data/t1", {**NUMBERS, "shape": [3]}, "replay.data.t1"),
    ("data/t1", {**NUMBERS, "shape": [-1]}, "replay.data.t1.shape is [-1]"),
    ("data/t1", {**NUMBERS, "shape": [10**9]}, "replay.data.t1.shape is [1000000000]"),
    ("data/t1", {**NUMBERS, "dtype": "float16"}, "replay.data.t1.dtype is 'float16'"),
    ("data/t1", {**NUMBERS, "data": "?"}, "replay.data.t1.data is '?'"),
    ("data/t1", {**NUMBERS, "data": "AACAPw=="}, "replay.data.t1.data is '4 bytes'"),
    ("gradients/t1.grad", {**NUMBERS, "data": ""}, "replay.gradients.t1.grad.data is '0 bytes'"),
    ("cannot", {"n77": "why"}, "replay.cannot.n77 is 'n77'"),
    ("cannot", {"n0": 3}, "replay.cannot.n0 is 3"),
    ("problem", 3, "replay.problem is 3"),
    ("follows", {"t77": {}}, "replay.follows.t77 is 't77'"),
    ("follows", {"t1": {"inputs": ["t1"], "steps": [], "results": ["x0"]}}, "inputs[0] is 't1'"),
    ("follows", {"t1": {"inputs": [], "steps": [], "results": ["x0"]}}, "follows.t1 is 'x0'"),
    ("follows", {"t1": {"inputs": [], "steps": [], "results": []}}, "follows.t1.results is []"),
    ("follows", {"t1": {"inputs": ["t99"], "steps": [], "results": [1]}}, "inputs[0] is 't99'"),
    ("decided/0/outcome", 3, "replay.decided[0].outcome is 3"),
    ("decided/0/sentence", None, "replay.decided[0].sentence is None"),
    ("decided/0/inputs", ["t99"], "replay.decided[0].inputs[0] is 't99'"),
    ("decided", 3, "replay.decided is 3"),
]


@pytest.mark.parametrize(("path", "value", "said"), DAMAGED, ids=range(len(DAMAGED)))
def test_damage_is_refused_with_its_place(path, value, said):
    damaged = copy.deepcopy(DOCUMENT)
    damaged["replay"].setdefault("gradients", {})
    set_at(damaged["replay"], path, value)
    with pytest.raises(TraceError) as error:
        Timeline.from_json(damaged)
    assert str(error.value).startswith("This trace cannot be read: replay")
    assert said in str(error.value)
    assert len(str(error.value)) < 500


def test_lists_in_lists_have_an_end():
    deep: Any = []
    for _ in range(30):
        deep = [deep]
    damaged = copy.deepcopy(DOCUMENT)
    set_at(damaged["replay"], "formulas/0/forward/steps/0/1", deep)
    with pytest.raises(TraceError, match="lists nested at most 8 deep"):
        Timeline.from_json(damaged)


def test_all_entries_together_have_a_limit():
    x, y = (torch.ones(60, 50, requires_grad=True) for _ in range(2))
    whole = torch.trace((x * y).sum()).to_json()
    many = write_numbers(numbers_of(np.ones((90, 90), np.float32)))
    for tensor in whole["graph"]["tensors"]:
        if tensor["id"] in whole["replay"]["data"]:
            tensor["value"]["shape"] = [90, 90]
            whole["replay"]["data"][tensor["id"]] = many
    with pytest.raises(TraceError, match="at most 10,000 entries in all"):
        Timeline.from_json(whole)


def test_what_is_written_is_read_back():
    timeline = Timeline.from_json(DOCUMENT)
    assert timeline.to_json()["replay"] == DOCUMENT["replay"]
    assert timeline.replay is not None
    assert set(DOCUMENT["replay"]) == {
        "formulas",
        "nodes",
        "data",
        "gradients",
        "follows",
        "decided",
    }


@pytest.mark.parametrize(
    "arg",
    [
        Ref("x", 3), Ref("s", 2, 1), 0, 1.5, -0.0, True, None, float("inf"), float("-inf"), "amax",
        (1, (Ref("g", 0), None)), slice(None, 3, -1), np.dtype("int64"), (),
    ],
    ids=str,
)  # fmt: skip
def test_every_kind_of_argument_is_read_back(arg):
    assert repr(read_arg(write_arg(arg), "here", 9, "xygs")) == repr(arg)


def test_an_array_among_the_arguments_is_read_back():
    array = np.array([[1, 2], [3, 4]])
    read = read_arg(write_arg(array), "here", 9, "xygs")
    assert np.array_equal(read, array)
    assert read.dtype == array.dtype


def test_a_trace_without_formulas_is_still_read():
    bare = {key: part for key, part in DOCUMENT.items() if key != "replay"}
    assert Timeline.from_json(bare).replay is None
    assert "replay" not in Timeline.from_json(bare).to_json()


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_step_that_gets_nonsense_ends_with_a_sentence(name):
    """Reading cannot know what a step takes; running it must not hang, and not raise else."""
    damaged = copy.deepcopy(DOCUMENT)
    for nonsense in ([name], [name, "x0", [900, 900], None], [name, "x0", "x0", "x0", -1, True]):
        set_at(damaged["replay"], "formulas/0/forward/steps/0", nonsense)
        with contextlib.suppress(ReplayError):  # some of it is sense
            replay_of(Timeline.from_json(damaged))


def test_a_step_that_would_make_too_many_numbers_is_refused_before_it_runs(monkeypatch):
    a = torch.tensor([[2.0]], requires_grad=True)
    document = torch.trace((a.expand(7, 11) * 1.5).sum()).to_json()
    sides = [["expand", "x0", [10_000, 1]], ["expand", "x0", [1, 10_000]]]
    ran = []
    monkeypatch.setitem(functions(), "mul", lambda *args: ran.append(args))
    monkeypatch.setitem(functions(), "matmul", lambda *args: ran.append(args))
    for name in ("mul", "matmul"):
        document["replay"]["formulas"][0]["forward"] = {
            "steps": [*sides, [name, "s0", "s1"]], "results": ["s2"],
        }  # fmt: skip
        with pytest.raises(ReplayError, match="more than 10,000,000 numbers"):
            replay_of(Timeline.from_json(document))
    assert not ran


def test_a_gradient_of_the_wrong_shape_ends_with_a_sentence():
    a = torch.tensor([[2.0]], requires_grad=True)
    document = torch.trace((a.expand(7, 11) * 1.5).sum()).to_json()
    document["replay"]["formulas"][2]["backward"]["steps"] = [["expand", "g0", [3, 5]]]
    with pytest.raises(ReplayError, match="does not have its shape"):
        replay_of(Timeline.from_json(document))

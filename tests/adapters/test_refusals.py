"""What GraphLab's own calls say when they are given something else: what came, what to do.

Read next: graphlab/faces/api.py
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import graphlab
from graphlab import nn
from graphlab.graph.timeline import Timeline

CALLS = ["draw", "trace", "step", "check", "formula"]
WALKS = ["trace", "step", "check"]
SHOWN = [*WALKS, "draw"]


def leaf(value: Any = 3.0) -> graphlab.Tensor:
    return graphlab.tensor(value, requires_grad=True)


@pytest.fixture
def timeline() -> Timeline:
    x = leaf()
    return graphlab.trace(x * x)


# --- no tensor ---


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    ("thing", "advice"),
    [
        (3.0, r"got float 3\.0; a number has no graph: \.item\(\) and float\(\) drop it"),
        (np.ones(2), r"got ndarray .*graphlab\.tensor\(array, requires_grad=True\)"),
        (None, r"got None; backward\(\) returns None"),
        ("loss", r"got str 'loss'; pass the tensor itself, without quotation marks"),
        ([], r"got list \[\]; pass one tensor(, or a list of them: \[a, b\]| at a time)"),
        (nn.Sequential(nn.Tanh()), r"got Sequential\( \(0\).*pass what it computes"),
        (
            (leaf() * 2).grad_fn,
            r"got <MulBackward0 object .*a node is not a result: pass the tensor",
        ),
        ({"loss": leaf()}, r"got dict .*pass one tensor"),
        (graphlab.exp, r"got <function .*call it, and pass its result"),
        (graphlab.record(), r"got <Recording .*with graphlab\.record\(\) as timeline:"),
        (object(), r"got <object .*pass the result of a formula, as in e = a \* b"),
    ],
)
def test_what_is_no_tensor_is_named_with_what_to_pass(call: str, thing: Any, advice: str) -> None:
    with pytest.raises(TypeError, match=rf"^graphlab\.{call} expects a tensor.*{advice}"):
        getattr(graphlab, call)(thing)


@pytest.mark.parametrize("call", [call for call in CALLS if call != "draw"])
def test_several_tensors_are_drawn_but_have_no_single_pass(call: str) -> None:
    with pytest.raises(TypeError, match=r"one tensor at a time, or their sum; graphlab\.record"):
        getattr(graphlab, call)([leaf(), leaf()])


def test_draw_takes_a_list_but_not_an_empty_one() -> None:
    with pytest.raises(TypeError, match=r"got list \[\]; pass one tensor, or a list of them"):
        graphlab.draw([])


def test_each_tensor_of_a_list_is_checked() -> None:
    with pytest.raises(TypeError, match="got int 3; a number has no graph"):
        graphlab.draw([leaf() * 2, 3])


@pytest.mark.parametrize(
    ("call", "advice"),
    [
        ("trace", "it is a walk already; show it, or pass it to graphlab.step"),
        ("draw", r"pass the tensor that was walked, or save the walk: timeline\.save\('walk\.svg'"),
        ("check", "pass the tensor that was walked"),
        ("formula", "pass the tensor that was walked"),
    ],
)
def test_a_timeline_is_no_tensor(call: str, advice: str, timeline: Timeline) -> None:
    with pytest.raises(TypeError, match=f"got <Timeline .*{advice}"):
        getattr(graphlab, call)(timeline)


def test_a_tensor_of_pytorchs_is_told_apart() -> None:
    class Tensor:
        __module__ = "torch"

    with pytest.raises(TypeError, match=r"a PyTorch tensor, .* import graphlab as torch"):
        graphlab.formula(Tensor())  # type: ignore[arg-type]


# --- no graph ---


@pytest.mark.parametrize("call", SHOWN)
def test_an_integer_can_require_no_gradient(call: str) -> None:
    said = r"^element 0 of tensors does not require grad and does not have a grad_fn: got .*int64"
    with pytest.raises(RuntimeError, match=said + r".*graphlab\.tensor\(3\., requires_grad=True\)"):
        getattr(graphlab, call)(graphlab.tensor(3))


@pytest.mark.parametrize("call", SHOWN)
def test_a_tensor_that_nothing_recorded_has_no_graph(call: str) -> None:
    said = r"^element 0 of tensors does not require grad and does not have a grad_fn: .*it was not"
    for thing in (graphlab.tensor(3.0), (leaf() * 2).detach(), graphlab.ones(3)):
        with pytest.raises(RuntimeError, match=said + ".*requires_grad=True.*no_grad"):
            getattr(graphlab, call)(thing)


def test_a_leaf_is_walked_drawn_and_checked_though_there_is_little_to_see() -> None:
    x = leaf()
    assert graphlab.trace(x)[-1].kind == "Finished"
    assert graphlab.check(x).ok
    assert graphlab.draw(x).svg


@pytest.mark.parametrize("call", WALKS)
def test_a_graph_that_was_freed_says_what_to_do(call: str) -> None:
    y = leaf() * leaf()
    y.backward()
    with pytest.raises(RuntimeError, match=r"second time.*run the formula again, and .* before"):
        getattr(graphlab, call)(y)


def test_an_argument_that_a_timeline_has_no_use_for_is_refused(timeline: Timeline) -> None:
    for gradient in (graphlab.tensor(2.0), 3):
        with pytest.raises(
            TypeError, match=r"graphlab\.step\(timeline\) takes no gradient=.*trace"
        ):
            graphlab.step(timeline, gradient=gradient)  # type: ignore[arg-type]


def test_what_to_check_must_have_a_gradient() -> None:
    x, plain = leaf(), graphlab.tensor(2.0)
    with pytest.raises(RuntimeError, match=r"does not require grad: wrt\[1\].*requires_grad=True"):
        graphlab.check(x * plain, wrt=[x, plain])


def test_what_to_check_is_given_as_tensors_or_names() -> None:
    x = leaf()
    with pytest.raises(TypeError, match=r"got int; pass the leaves to check, as in wrt=\[a, b\]"):
        graphlab.check(x * x, wrt=[x, 3])  # type: ignore[list-item]


# --- scopes ---


def test_a_scope_that_is_not_there_is_answered_with_those_that_are() -> None:
    net = nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 1))
    loss = net(graphlab.ones(1, 2)).sum()
    said = r"unknown scope 'nope' \(must be one of \['net', 'net\.0', 'net\.1', 'net\.2'\]\)"
    with pytest.raises(ValueError, match=said):
        graphlab.draw(loss, scope="nope")
    for there in ("net", "net.0", "net.1", "net.2"):
        assert graphlab.draw(loss, scope=there).svg
    many = nn.Sequential(*(nn.Sequential(nn.Linear(1, 1), nn.Linear(1, 1)) for _ in range(20)))
    loss = many(graphlab.ones(1, 1)).sum()
    with pytest.raises(ValueError, match=r"'many\.17'.*and \d+ more"):
        graphlab.draw(loss, scope="many17")
    with pytest.raises(ValueError, match=r"this graph has no scopes; name parts .*graphlab\.scope"):
        graphlab.draw(leaf() * 2, scope="nope")
    with pytest.raises(TypeError, match=r"scope must be the name of a scope, .* got Sequential"):
        graphlab.draw(loss, scope=many)  # type: ignore[arg-type]


# --- a timeline ---


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (True, "got bool True"),
        (1.5, r"got float 1\.5; this timeline has 14 events, 0 to 13"),
        (None, "got None"),
        (slice(1, 3), r"got slice 1:3; for several events write timeline\.events\[1:3\]"),
        (slice(None, None, 2), r"got slice ::2; for several events write timeline\.events\[::2\]"),
        ("Seeded", r"got str 'Seeded'.*timeline\.find\('Seeded'\)"),
    ],
)
def test_a_step_of_a_timeline_is_one_integer(step: Any, said: str, timeline: Timeline) -> None:
    for look in (timeline.__getitem__, timeline.state_at, timeline.pass_at):
        with pytest.raises(TypeError, match=f"^a step must be one integer, {said}"):
            look(step)


def test_parts_of_a_graph_are_asked_for_by_their_ids(timeline: Timeline) -> None:
    graph = timeline.graph
    with pytest.raises(KeyError, match=r"no tensor has the id 'x' \(must be one of .*'t0', 't1'"):
        graph.tensor("x")
    with pytest.raises(KeyError, match=r"no node has the id 'MulBackward0' .*'n0'"):
        graph.node("MulBackward0")
    with pytest.raises(KeyError, match=r"no edge has the id 0 .*'n0\.0'"):
        graph.edge(0)  # type: ignore[arg-type]


def test_a_trace_is_not_loaded_as_tensors_are(timeline: Timeline, tmp_path: Any) -> None:
    timeline.save(tmp_path / "walk.json")
    with pytest.raises(
        RuntimeError,
        match=r"the file holds a trace, not tensors; open it with .*Timeline\.from_json\(",
    ):
        graphlab.load(tmp_path / "walk.json")


# --- a recording ---


def test_a_recording_records_a_block_and_nothing_else() -> None:
    said = r"with graphlab\.record\(\) as timeline:"
    with pytest.raises(
        TypeError,
        match=rf"record\(\) takes only forward=True and expect=.*, got int 3.*{said}",
    ):
        graphlab.record(3)
    with pytest.raises(TypeError, match=rf"records a block, not a function.*{said}"):

        @graphlab.record
        def train() -> None: ...

    with pytest.raises(TypeError, match=rf"records a block, not a function.*{said}"):

        @graphlab.record()
        def test() -> None: ...

    recording = graphlab.record()
    for _ in range(2):
        with pytest.raises(
            AttributeError, match=rf"'Recording' object has no attribute 's.*{said}"
        ):
            recording.save("walk.html")
        with recording if recording._state == "new" else graphlab.record():
            pass
    with pytest.raises(AttributeError, match=r"no attribute 'sav'$"):
        recording.sav  # noqa: B018
    assert repr(recording) == "<Recording that has ended; `as timeline` gives its Timeline>"


def test_a_recording_can_be_saved_before_its_block_ends(tmp_path: Any) -> None:
    x = leaf()
    with graphlab.record() as timeline:
        (x * x).backward()
        there = timeline.save(tmp_path / "walk.json")
        assert Timeline.from_json(there)[-1].kind == "Finished"

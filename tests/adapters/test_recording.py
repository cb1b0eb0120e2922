"""A recording tells what really happened, and nothing is different for the program.

Read next: tests/adapters/test_recording_between.py
"""

from __future__ import annotations

import gc
import json
import threading
import weakref
from dataclasses import replace
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import graphlab
from graphlab import nn
from graphlab.autograd.grad_mode import UsersCode
from graphlab.graph.replaying import ReplayError, replay_of
from graphlab.graph.series import Entry, OneVariable
from graphlab.graph.timeline import Timeline
from graphlab.graph.value import summarise
from tests.core import test_programs as programs


def kinds(timeline: Timeline) -> list[str]:
    """The kinds of the events at which a story stops."""
    return [timeline[k].kind for k in timeline.stops("story")]


def told(timeline: Timeline) -> list[str]:
    return [event.sentence for event in timeline]


def leaves(timeline: Timeline) -> dict[str, str]:
    """The gradient of each leaf at the end, by name."""
    names = {tensor.id: tensor.name for tensor in timeline.graph.tensors}
    found = timeline.state_at(-1).get("leaves", {})
    return {str(names[id]): leaf["after"]["text"] for id, leaf in found.items()}


def travels(timeline: Timeline) -> None:
    """Written and read, a timeline is the same; and every front end gets something."""
    text = json.dumps(timeline.to_json(), allow_nan=False)
    again = Timeline.from_json(text)
    assert again.to_json() == json.loads(text)
    assert (
        replace(again, replay=timeline.replay) == timeline
    )  # a slice to the end is cut short there
    assert "text/plain" in (timeline._repr_mimebundle_() or {})


def descent(steps: int, clear: bool) -> tuple[Timeline, Any]:
    w, x = graphlab.tensor(1.0, requires_grad=True), graphlab.tensor(2.0)
    with graphlab.record() as timeline:
        for _ in range(steps):
            loss = (w * x - 1) ** 2
            loss.backward()
            with graphlab.no_grad():
                w -= 0.1 * w.grad
            if clear:
                w.grad = None
    return timeline, w


def test_a_training_loop_has_a_scene_for_each_pass_with_what_lies_between():
    timeline, w = descent(3, clear=True)
    one = ["PassBegan", "Seeded", "LeafWritten", "Finished", "ChangedInPlace", "GradCleared"]
    assert kinds(timeline) == one * 3
    assert [one.title for one in timeline.passes] == ["loss"] * 3  # the line tells nothing apart
    assert [timeline[one.first].kind for one in timeline.passes] == ["PassBegan"] * 3
    assert timeline.pass_at(0) == 0
    assert timeline.pass_at(-1) == 2
    final = timeline.state_at(-1)
    (leaf,) = [tensor.id for tensor in timeline.graph.tensors if tensor.name == "w"]
    assert final["versions"] == {leaf: 3}
    assert final["values"][leaf]["text"] == summarise(w._data).text
    assert final["leaves"] == {}
    travels(timeline)


def test_a_forgotten_zero_grad_is_said_before_it_matters():
    timeline, w = descent(2, clear=False)
    began = [event for event in timeline if event.kind == "PassBegan"]
    assert began[0].sentence == "Pass 1 of 2: backward() is called on loss."
    assert began[1].sentence.endswith("w.grad is not empty: the pass will add to it.")
    assert "is added to w.grad: 4.0 + 0.8 = 4.8." in told(timeline)[-3]
    assert leaves(timeline) == {"w": summarise(w.grad._data).text}


def test_each_pass_begins_with_fresh_nodes_and_keeps_the_gradients_of_leaves():
    timeline, _ = descent(2, clear=False)
    second = timeline.passes[1].first
    before, after = timeline.state_at(second - 1), timeline.state_at(second)
    assert set(before["status"].values()) == {"done"}
    assert after["status"] == after["grads"] == after["edges"] == {}
    (kept,) = before["leaves"].values()
    assert list(after["leaves"].values()) == [{"after": kept["after"]}]
    assert after["held"] == after["total"] > 0
    assert "finished" in before
    assert "finished" not in after


def test_the_drawing_of_a_pass_shows_its_own_pass_alone():
    timeline, _ = descent(2, clear=True)
    drawn = [
        {group.id for group in one.scenes[0].groups if group.kind == "op"}
        for one in timeline.passes
    ]
    assert not drawn[0] & drawn[1]
    assert len(drawn[0]) == len(drawn[1]) == 3


def test_a_graph_that_is_kept_is_walked_twice_and_freed_once():
    x = graphlab.tensor([1.0, 2.0], requires_grad=True)
    with graphlab.record() as timeline:
        y = (x * x).sum()
        y.backward(retain_graph=True)
        y.backward()
    first, second = (timeline.state_at(c.first - 1) for c in (*timeline.passes[1:],) * 2)
    assert "freed" not in first
    assert first["held"] == first["total"]
    assert timeline.state_at(-1)["held"] == 0
    assert len([node for node in timeline.graph.nodes if node.op != "accumulate"]) == 2
    assert leaves(timeline) == {"x": "[4.0, 8.0]"}
    assert second == first


def test_passes_of_one_tensor_are_told_apart_by_their_lines():
    x = graphlab.tensor(2.0, requires_grad=True)
    with graphlab.record() as timeline:
        loss = x * x
        loss.backward(retain_graph=True)
        loss.backward()
    first, second = timeline.passes
    line = int(first.title.removeprefix("loss, line "))
    assert second.title == f"loss, line {line + 1}"
    assert timeline.title == "loss"


def test_several_roots_are_sown_in_one_pass():
    x = graphlab.tensor([1.0, 2.0], requires_grad=True)
    with graphlab.record() as timeline:
        y = x * 2
        z = y.sum()
        graphlab.autograd.backward([z, y], [None, graphlab.ones(2)])
    assert [event.name for event in timeline if event.kind == "Seeded"] == ["z", "y"]
    assert timeline.passes[0].title == "z, y"
    assert leaves(timeline) == {"x": "[4.0, 4.0]"}
    travels(timeline)


def test_grad_hands_gradients_back_and_touches_no_leaf():
    x, w = (graphlab.tensor(value, requires_grad=True) for value in (2.0, 5.0))
    with graphlab.record() as timeline:
        y = x * w * x
        (found,) = graphlab.autograd.grad(y, x)
    assert "The gradient of x is returned: 20.0. x.grad does not change." in told(timeline)
    assert leaves(timeline) == {}
    assert found.item() == 20.0
    ran = {node for node, _ in next(e for e in timeline if e.kind == "PassBegan").waits}
    of_w = next(node.id for node in timeline.graph.nodes if node.variable and "w" in
                (timeline.graph.tensor(node.variable).name or ""))  # fmt: skip
    assert of_w not in ran
    travels(timeline)


def test_a_pass_that_is_recorded_itself_makes_a_second_layer():
    x = graphlab.tensor(3.0, requires_grad=True)
    with graphlab.record() as timeline:
        y = x**3
        (slope,) = graphlab.autograd.grad(y, x, create_graph=True)
        slope.backward()
    assert x.grad.item() == 18.0
    layers = {node.id: node for node in timeline.graph.nodes}
    made = [node for node in layers.values() if node.layer == 1]
    assert [node.name for node in made] == ["MulBackward0", "MulBackward0", "PowBackward0"]
    assert [one.text for node in made for one in node.saved] == ["", "3", "", "2"]  # no tensors
    freed = [event.sentence for event in timeline.events if event.kind == "SavedFreed"]
    assert freed[1] == "MulBackward0 is done. It had saved no tensors."
    assert {layers[node.made_by].name for node in made} == {"PowBackward0"}
    assert all(layers[node.made_by].layer == 0 for node in made)
    assert leaves(timeline) == {"x": "18.0"}
    travels(timeline)


def test_a_hessian_times_a_vector_is_recorded_through_three_layers():
    x = graphlab.tensor([1.0, 2.0], requires_grad=True)
    v = graphlab.tensor([1.0, -1.0])
    with graphlab.record() as timeline:
        y = (x**4).sum()
        (g,) = graphlab.autograd.grad(y, x, create_graph=True)
        (hv,) = graphlab.autograd.grad((g * v).sum(), x, create_graph=True)
        hv.sum().backward()
    assert max(node.layer for node in timeline.graph.nodes) == 2
    assert leaves(timeline) == {"x": "[24.0, -48.0]"}
    travels(timeline)


def test_an_optimizer_takes_its_step_in_one_event():
    graphlab.manual_seed(0)
    for kind in (graphlab.optim.SGD, graphlab.optim.Adam):
        layer = nn.Linear(2, 1)
        optimizer = kind(layer.parameters(), lr=0.1)
        with graphlab.record() as timeline:
            for _ in range(2):
                optimizer.zero_grad()
                loss = layer(graphlab.ones(3, 2)).sum()
                loss.backward()
                optimizer.step()
        between = [k for k in kinds(timeline) if k in ("OptimizerStepped", "GradCleared")]
        assert between == ["OptimizerStepped", "GradCleared", "OptimizerStepped"]
        assert "ChangedInPlace" not in kinds(timeline)
        step = next(event for event in timeline if event.kind == "OptimizerStepped")
        assert step.sentence.startswith(f"The optimizer ({kind.__name__}) takes a step: layer.")
        final = timeline.state_at(-1)
        values = sorted(value["text"] for value in final["values"].values())
        assert values == sorted(summarise(p._data).text for p in layer.parameters())
        assert set(final["versions"].values()) == {p._version for p in layer.parameters()}
        travels(timeline)


class Twice(graphlab.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad * 2


def test_what_a_custom_function_saved_is_called_after_its_variable():
    a = graphlab.tensor([1.0, 2.0], requires_grad=True)
    y = Twice.apply(a).sum()
    assert [saved.name for saved in graphlab.trace(y).graph.nodes[1].saved] == ["a"]
    y = Twice.apply(a * 3).sum()
    assert [s.name for s in graphlab.trace(y).graph.nodes[1].saved] == ["saved_tensors[0]"]


def run(program: list[tuple[str, int, int]], passes: int, clear: bool, recorded: bool) -> Any:
    """A small program with several passes; its gradients, and the timeline when it is recorded."""
    start = np.linspace(-1, 1.2, 6).reshape(2, 3)
    inputs = [graphlab.tensor(start + k, requires_grad=True) for k in range(2)]
    recording = graphlab.record()
    timeline = recording.__enter__() if recorded else None
    for _ in range(passes):
        made = [*inputs]
        for name, i, j in program:
            x, y = made[-1 - i % len(made)], made[-1 - j % len(made)]
            if name in programs.ONE:
                made.append(programs.ONE[name](graphlab, x))
            elif name in programs.TWO:
                made.append(programs.TWO[name](graphlab, x, y))
        root = sum((t * t).sum() for t in made[-3:])
        if root.requires_grad:
            root.backward()
        with graphlab.no_grad():
            for leaf in inputs:
                if leaf.grad is not None:
                    leaf.sub_(leaf.grad * 0.01)
                if clear:
                    leaf.grad = None
    if recorded:
        recording.__exit__(None, None, None)
    return inputs, timeline


@settings(max_examples=40)
@given(programs.steps, st.integers(1, 3), st.booleans())
def test_a_recorded_program_computes_what_it_computes_alone(program, passes, clear):
    alone, _ = run(program, passes, clear, recorded=False)
    inputs, timeline = run(program, passes, clear, recorded=True)
    for one, other in zip(alone, inputs, strict=True):
        assert np.array_equal(one._data, other._data, equal_nan=True)
        assert (one.grad is None) == (other.grad is None)
        if one.grad is not None:
            assert np.array_equal(one.grad._data, other.grad._data, equal_nan=True)
    if len(timeline):
        final = timeline.state_at(-1)
        said = sorted(leaf["after"]["text"] for leaf in final.get("leaves", {}).values())
        assert said == sorted(summarise(t.grad._data).text for t in inputs if t.grad is not None)
        held = {value["entries"] for value in final.get("values", {}).values()}
        assert held <= {summarise(t._data).entries for t in inputs}
        travels(timeline)


@pytest.mark.parametrize("steps", [1, 4])
def test_the_real_steps_lie_on_the_curve_of_the_first_pass(steps: int) -> None:
    timeline, _ = descent(steps, clear=True)
    if steps == 1:
        assert timeline.replay is None
        return
    curve = OneVariable(timeline.graph, timeline.replay, timeline.graph.root)
    (w,) = [Entry(one.id, 0) for one in timeline.graph.tensors if one.name == "w"]
    picture = timeline.slope("w")
    assert picture.curve
    assert len(picture.dots) == steps
    for x, y in picture.dots:
        assert curve({w: x}) == pytest.approx(y, rel=1e-6)
    with pytest.raises(ReplayError, match="this is a recording of what ran"):
        replay_of(timeline, {"w": 2.0})


def test_a_change_before_the_first_pass_takes_no_curve_away() -> None:
    w = graphlab.tensor(1.0, requires_grad=True)
    (w * w).backward()
    with graphlab.record() as timeline:
        for _ in range(2):
            w.grad = None
            (w * w).backward()
    assert timeline.slope("w").curve


def test_a_pass_with_a_function_of_ones_own_has_no_curve_but_its_steps() -> None:
    class Double(graphlab.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return 2 * x

        @staticmethod
        def backward(ctx, grad):
            return 2 * grad

    w = graphlab.tensor(1.0, requires_grad=True)
    with graphlab.record() as timeline:
        for _ in range(2):
            loss = Double.apply(w) ** 2
            loss.backward()
    picture = timeline.slope("w")
    assert len(picture.dots) == 2
    assert not picture.curve


def test_a_recording_keeps_no_array_and_no_node_alive():
    def program() -> tuple[Timeline, Any, Any]:
        x = graphlab.tensor(np.ones((300, 300)), requires_grad=True)
        with graphlab.record() as timeline:
            y = (x * 2).sum()
            y.backward()
        return timeline, weakref.ref(x._data), weakref.ref(y.grad_fn)

    timeline, array, node = program()
    gc.collect()
    assert array() is None
    assert node() is None
    assert timeline[-1].kind == "Finished"
    assert leaves(timeline) == {"x": "(300, 300) float64"}


def test_the_first_pass_of_a_process_is_recorded_too(monkeypatch):
    monkeypatch.setattr(UsersCode, "defined", False)  # no hook and no Function was ever made
    w = graphlab.tensor(1.0, requires_grad=True)
    with graphlab.record() as timeline:
        (w * w).backward()
    assert timeline[-1].kind == "Finished"


def test_formulas_of_the_first_pass_that_cannot_be_taken_leave_the_program_as_it_is(monkeypatch):
    def fails(*_: Any) -> None:
        raise RecursionError("a formula")

    monkeypatch.setattr("graphlab.adapters.native.formulas_of_graph.replay_of", fails)
    w = graphlab.tensor(3.0, requires_grad=True)
    with graphlab.record() as timeline:
        (w * w).backward()
    assert w.grad is not None
    assert w.grad.item() == 6
    assert timeline[-1].kind == "Finished"
    assert timeline.replay is None


def test_nothing_in_the_block_is_an_empty_timeline_that_says_so():
    with graphlab.record() as timeline:
        pass
    assert len(timeline) == 0
    assert repr(timeline).startswith(
        "<Timeline: nothing was recorded: no backward pass ran in the block. Call backward() inside"
    )
    shown = timeline._repr_mimebundle_()
    assert "Nothing was recorded" in shown["text/html"]
    assert "Nothing was recorded" in shown["text/plain"]
    travels(timeline)


def test_a_timeline_can_be_looked_at_while_it_grows():
    x = graphlab.tensor(3.0, requires_grad=True)
    with graphlab.record() as timeline:
        assert len(timeline) == 0
        (x * x).backward()
        assert kinds(timeline)[-1] == "Finished"
        (x * 2).backward()
        assert len(timeline.passes) == 2
    assert len(timeline.passes) == 2


def test_one_recording_is_for_one_block():
    recording = graphlab.record()
    with recording:
        with pytest.raises(RuntimeError, match="is open already, and a recording records only one"):
            recording.__enter__()
        with (
            pytest.raises(RuntimeError, match=r"cannot be inside another"),
            graphlab.record(),
        ):
            pass
    with pytest.raises(RuntimeError, match="has ended, and a recording records only one"):
        recording.__enter__()
    with graphlab.record() as timeline:
        graphlab.tensor(1.0, requires_grad=True).backward()
    assert kinds(timeline) == ["PassBegan", "Seeded", "LeafWritten", "Finished"]


def test_a_recording_sees_its_own_thread_alone():
    x, y = (graphlab.tensor(3.0, requires_grad=True) for _ in range(2))
    found: list[Timeline] = []

    def elsewhere() -> None:
        (y * 2).backward()
        with graphlab.record() as own:
            (y * 3).backward()
        found.append(own)

    with graphlab.record() as timeline:
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        (x * 4).backward()
    assert leaves(timeline) == {"x": "4.0"}
    assert leaves(found[0]) == {"y": "5.0"}


def test_a_rehearsal_and_a_proof_in_the_block_are_not_recorded():
    x = graphlab.tensor(3.0, requires_grad=True)
    with graphlab.record() as timeline:
        graphlab.trace(x * x)
        graphlab.draw(x * x)
    assert len(timeline) == 0
    assert x.grad is None

"""A pass that fails ends the timeline with the node, PyTorch's sentence and the forward line.

Read next: tests/adapters/test_recording_between.py
"""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import graphlab
from graphlab.faces.render.text import text_of
from graphlab.graph.timeline import Timeline
from tests.adapters.test_recording import leaves, told, travels


def leaf(*values: float) -> Any:
    return graphlab.tensor(list(values), requires_grad=True)


def fails(program: Any) -> Timeline:
    """The timeline of a program that fails, recorded, as it does alone."""
    found: list[BaseException] = []
    for recorded in (False, True):
        timeline = None
        with warnings.catch_warnings(), pytest.raises(Exception) as caught:  # noqa: PT012
            warnings.simplefilter("ignore")
            if recorded:
                with graphlab.record() as timeline:
                    program()
            else:
                program()
        found.append(caught.value)
    assert type(found[0]) is type(found[1])
    assert str(found[0]) == str(found[1])
    assert timeline is not None
    assert timeline[-1].kind == "Failed"
    assert timeline.state_at(-1)["status"][timeline[-1].node] == "failed"
    travels(timeline)
    return timeline


def second_pass() -> None:
    x = leaf(1.0, 2.0)
    y = (x * x).sum()
    y.backward()
    y.backward()


def changed_input() -> None:
    x, b = leaf(1.0, 2.0), graphlab.tensor([3.0, 4.0])
    z = (x * b).sum()
    b.add_(1)
    z.backward()


def changed_result() -> None:
    x = leaf(1.0, 2.0)
    w = x * 2
    v = w * w
    w.add_(1)
    v.sum().backward()


def not_a_number() -> None:
    with graphlab.autograd.detect_anomaly():
        (leaf(0.0).sqrt() * 0).sum().backward()


class Broken(graphlab.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        raise KeyError("no such rule")


def broken_function() -> None:
    Broken.apply(leaf(1.0)).sum().backward()


@pytest.mark.parametrize(
    ("program", "node", "sentence", "line"),
    [
        (second_pass, "MulBackward0", "Trying to backward through the graph a second", "x * x"),
        (changed_input, "MulBackward0", "has been modified by an inplace operation", "x * b"),
        (changed_result, "MulBackward0", "has been modified by an inplace operation", "w * w"),
        (
            not_a_number,
            "SqrtBackward0",
            "Function 'SqrtBackward0' returned nan",
            "leaf(0.0).sqrt()",
        ),
        (broken_function, "BrokenBackward", "KeyError: 'no such rule'", "Broken.apply"),
    ],
)
def test_a_failure_names_its_node_its_sentence_and_its_line(program, node, sentence, line):
    failed = fails(program)[-1]
    assert failed.name == node
    assert sentence in failed.message
    assert failed.sentence.startswith(f"{node} failed: ")
    assert len(failed.sentence) < 230
    assert line in failed.source.text


@pytest.mark.parametrize(
    ("program", "why", "line"),
    [
        (second_pass, "This call freed the graph; retain_graph=True keeps it", "y.backward()"),
        (changed_input, "b was changed in place after it was saved", "b.add_(1)"),
        (changed_result, "was changed in place after it was saved", "w.add_(1)"),
        (broken_function, "The error was raised here", 'raise KeyError("no such rule")'),
    ],
)
def test_a_failure_names_the_line_that_is_to_blame(program, why, line):
    timeline = fails(program)
    failed = timeline[-1]
    changed = "changed in place" in why
    assert changed == any("forward pass, changed in place since: " in e.sentence for e in timeline)
    assert failed.why.endswith(why)
    assert failed.cause.text == line
    shown = text_of(timeline)
    assert f"{failed.why}: test_recordi…failures.py, line {failed.cause.line}: {line}" in shown


def test_of_two_changes_the_one_after_the_saving_is_to_blame():
    x, b = leaf(1.0, 2.0), graphlab.tensor([3.0, 4.0])
    with pytest.raises(RuntimeError, match="inplace"), graphlab.record() as timeline:  # noqa: PT012
        b.mul_(2)
        (x * 1).sum().backward()
        z = (x * b).sum()
        b.sub_(1)
        b.add_(1)
        z.backward()
    assert timeline[-1].cause.text == "b.sub_(1)"


def test_a_pass_that_failed_has_changed_nothing_and_the_picture_says_so():
    x, b = leaf(1.0, 2.0), graphlab.tensor([3.0, 4.0])
    x.grad = graphlab.tensor([5.0, 5.0])
    with pytest.raises(RuntimeError, match="inplace"), graphlab.record() as timeline:  # noqa: PT012
        first = x * 1
        z = ((first * b).exp() + x).sum()
        b.add_(1)
        z.backward()
    assert leaves(timeline) == {"x": "[5.0, 5.0]"}
    assert x.grad.tolist() == [5.0, 5.0]
    final = timeline.state_at(-1)
    assert final["held"] == final["total"]
    assert final.get("freed", {}) == {}
    assert "b is changed in place: [4.0, 5.0], version 1." in told(timeline)


def test_a_leaf_that_was_written_before_the_failure_is_put_back():
    x, y = leaf(1.0), leaf(2.0)
    early = x * 3
    y.register_hook(lambda grad: 1 / 0)
    with pytest.raises(ZeroDivisionError), graphlab.record() as timeline:  # noqa: PT012
        late = y * early.detach()
        (late + x * 2).sum().backward()
    assert x.grad is None
    assert any(event.kind == "LeafWritten" for event in timeline)
    assert leaves(timeline) == {}


def test_after_a_failure_that_was_caught_the_recording_goes_on():
    x = leaf(1.0)
    with graphlab.record() as timeline:
        y = (x * x).sum()
        y.backward()
        with pytest.raises(RuntimeError, match="second time"):
            y.backward()
        (x * 2).sum().backward()
    assert [event.kind for event in timeline if event.kind in ("Failed", "Finished")] == [
        "Finished", "Failed", "Finished",
    ]  # fmt: skip
    assert "error" not in timeline.state_at(-1)
    assert leaves(timeline) == {"x": "4.0"}


def test_an_error_of_the_users_own_leaves_what_was_recorded():
    x = leaf(1.0)
    with pytest.raises(ValueError, match="mine"), graphlab.record() as timeline:  # noqa: PT012
        (x * x).sum().backward()
        raise ValueError("mine")
    assert timeline[-1].kind == "Finished"
    with graphlab.record() as another:  # nothing is left open
        pass
    assert len(another) == 0


def test_a_pass_that_cannot_begin_raises_and_is_no_pass():
    with pytest.raises(RuntimeError, match="does not require grad"), graphlab.record() as timeline:
        graphlab.ones(1).backward()
    assert len(timeline) == 0


def spoil(*_: Any) -> Any:
    return 1 / 0


def on_a_result(x: Any, y: Any) -> None:
    y.register_hook(spoil)


def on_a_leaf(x: Any, y: Any) -> None:
    x.register_hook(spoil)


def before_a_node(x: Any, y: Any) -> None:
    y.grad_fn.register_prehook(spoil)


def after_a_node(x: Any, y: Any) -> None:
    y.grad_fn.register_hook(spoil)


def before_a_leaf(x: Any, y: Any) -> None:
    y.grad_fn.next_functions[0][0].register_prehook(spoil)


def after_a_leaf(x: Any, y: Any) -> None:
    x.register_post_accumulate_grad_hook(spoil)


def after_accumulate_grad(x: Any, y: Any) -> None:
    y.grad_fn.next_functions[0][0].register_hook(spoil)


def wrong_type(x: Any, y: Any) -> None:
    y.register_hook(lambda grad: "no tensor")


@pytest.mark.parametrize(
    ("register", "hook", "node"),
    [
        (on_a_result, "The hook spoil on y, which belongs to MulBackward0,", "MulBackward0"),
        (on_a_leaf, "The hook spoil on x, which belongs to AccumulateGrad,", "AccumulateGrad"),
        (before_a_node, "The pre-hook spoil of MulBackward0", "MulBackward0"),
        (after_a_node, "The hook spoil of MulBackward0", "MulBackward0"),
        (before_a_leaf, "The pre-hook spoil of AccumulateGrad", "AccumulateGrad"),
        (after_a_leaf, "The hook spoil of AccumulateGrad", "AccumulateGrad"),
        (after_accumulate_grad, "The hook spoil of AccumulateGrad", "AccumulateGrad"),
        (wrong_type, "The hook <lambda> on y, which belongs to MulBackward0,", "MulBackward0"),
    ],
)
def test_a_hook_that_raises_is_named_with_the_node_that_it_hangs_on(register, hook, node):
    x = leaf(1.0)
    with pytest.raises((ZeroDivisionError, TypeError)), graphlab.record() as timeline:  # noqa: PT012
        y = x * 3
        register(x, y)
        y.sum().backward()
    failed = timeline[-1]
    assert (failed.kind, failed.name) == ("Failed", node)
    assert failed.sentence.startswith(f"{hook} failed: ")
    final = timeline.state_at(-1)
    assert final["current"] == final["error"]["node"] == failed.node
    assert failed.node not in final["queue"]
    assert list(final["status"].values()).count("current") == 0
    assert final["status"][failed.node] == "failed"
    travels(timeline)


def test_an_error_of_a_rule_after_hooks_that_did_not_fail_is_the_nodes():
    x, b = leaf(1.0), graphlab.tensor([2.0])
    with pytest.raises(RuntimeError, match="inplace"), graphlab.record() as timeline:  # noqa: PT012
        y = x * b
        y.register_hook(lambda grad: grad * 2)
        y.grad_fn.register_prehook(lambda grads: None)
        b.add_(1)
        y.sum().backward()
    assert timeline[-1].hook == ""
    assert timeline[-1].sentence.startswith("MulBackward0 failed: ")

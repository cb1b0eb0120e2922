"""What happens between passes: gradients are cleared and replaced, values change, hooks run.

Read next: tests/graph/test_timeline.py
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import graphlab
from graphlab import nn
from graphlab.adapters.native import facts
from tests.adapters.test_recording import leaves, told, travels


def test_zero_grad_clears_many_gradients_in_one_event():
    layer = nn.Linear(2, 1)
    with graphlab.record() as timeline:
        layer(graphlab.ones(1, 2)).sum().backward()
        layer.zero_grad()
        layer(graphlab.ones(1, 2)).sum().backward()
        layer.zero_grad(set_to_none=False)
    cleared = [event for event in timeline if event.kind == "GradCleared"]
    assert [set(event.names) for event in cleared] == [{"layer.weight", "layer.bias"}] * 2
    assert cleared[0].sentence.endswith(
        "set to None, so the next backward pass starts from nothing."
    )
    assert cleared[1].sentence.endswith("set to 0, so the next backward pass adds to 0.")
    assert leaves(timeline) == {"layer.weight": "(1, 2) float32", "layer.bias": "0.0"}
    travels(timeline)


@pytest.mark.parametrize("way", ["data", "numpy", "item", "view", "no_grad"])
def test_a_value_that_changes_is_seen_however_it_is_changed(way):
    w = graphlab.tensor([1.0, 2.0], requires_grad=True)
    with graphlab.record() as timeline:
        (w * w).sum().backward()
        if way == "data":
            w.data -= 1
        elif way == "numpy":
            w.detach().numpy()[0] = 7
        else:
            with graphlab.no_grad():
                if way == "item":
                    w[0] = 7.0
                elif way == "view":
                    w[1:].mul_(3)
                else:
                    w -= 0.5 * w.grad
        (w * 2).sum().backward()
    (change,) = [event for event in timeline if event.kind == "ChangedInPlace"]
    assert change.before.text == "[1.0, 2.0]"
    assert change.after.text == f"[{', '.join(map(str, w.tolist()))}]"
    assert change.counted == (way not in ("data", "numpy"))
    assert timeline.state_at(-1)["values"][change.tensor]["text"] == change.after.text
    assert timeline.state_at(-1)["versions"][change.tensor] == w._version
    travels(timeline)


def test_a_gradient_that_is_clipped_or_given_is_replaced():
    w = graphlab.tensor([3.0, 4.0], requires_grad=True)
    with graphlab.record() as timeline:
        (w * w).sum().backward()
        nn.utils.clip_grad_norm_([w], 1.0)
        w.grad = graphlab.ones(2)
    replaced = [event for event in timeline if event.kind == "GradReplaced"]
    assert replaced[0].before.text == "[6.0, 8.0]"
    assert replaced[-1].after.text == "[1.0, 1.0]"
    assert leaves(timeline) == {"w": "[1.0, 1.0]"}


def test_clipping_a_gradient_that_is_short_enough_is_no_change():
    w = graphlab.tensor([3.0, 4.0], requires_grad=True)
    with graphlab.record() as timeline:
        (w * w).sum().backward()
        nn.utils.clip_grad_norm_([w], 100.0)
        w.grad.mul_(1.0)
    assert timeline[-1].kind == "Finished"


def test_a_gradient_from_before_the_block_is_there_from_the_start():
    w = graphlab.tensor(3.0, requires_grad=True)
    (w * w).backward()
    with graphlab.record() as timeline:
        (w * 2).backward()
    (held,) = timeline.state_at(0)["leaves"].values()
    assert held["after"]["text"] == "6.0"
    assert "added" not in held
    assert "w.grad is not empty: the pass will add to it." in timeline[0].sentence
    assert leaves(timeline) == {"w": "8.0"}


def test_hooks_are_seen_where_they_run_and_run_once():
    x = graphlab.tensor(2.0, requires_grad=True)
    ran: list[str] = []

    def hook(name: str, change: Any = None) -> Any:
        return lambda *grads: (ran.append(name), change and change(*grads))[1]

    with graphlab.record() as timeline:
        y = x * 3
        y.register_hook(hook("tensor", lambda grad: grad * 10))
        y.grad_fn.register_prehook(hook("pre"))
        y.grad_fn.register_hook(hook("node", lambda ins, outs: (ins[0] + 1, *ins[1:])))
        x.register_post_accumulate_grad_hook(hook("post"))
        y.backward()
    assert ran == ["tensor", "pre", "node", "post"]
    assert x.grad.item() == 31.0
    hooks = [e.sentence for e in timeline if e.kind in ("HookRan", "HookCalled")]
    assert hooks == [
        "A hook on y receives its gradient, 1.0, and replaces it with 10.0.",
        "A pre-hook of MulBackward0 receives the gradient before the rules run.",
        "A hook of MulBackward0 receives the gradients that the node is about to send, and "
        "replaces what it received.",
        "A hook of AccumulateGrad is called, because the gradient has been written.",
    ]
    assert leaves(timeline) == {"x": "31.0"}
    travels(timeline)


def test_a_large_value_is_measured_only_when_it_holds_nan_or_inf():
    x = graphlab.tensor(np.ones((100, 100)), requires_grad=True)
    bad = np.ones((100, 100))
    bad[50, 50] = np.nan
    with graphlab.record() as timeline:
        (x * graphlab.tensor(bad)).sum().backward()
    rule = next(e for e in timeline if e.kind == "RuleApplied" and e.to == "x")
    assert rule.contribution.statistics.nan == 1
    assert rule.upstream.statistics is None


def test_changes_outside_every_pass_are_left_out():
    buffer, x = graphlab.zeros(3), graphlab.tensor(1.0, requires_grad=True)
    with graphlab.record() as timeline:
        buffer += 1
        (x * 2).backward()
    assert "ChangedInPlace" not in {event.kind for event in timeline}
    assert "backward() is called on x * 2." in told(timeline)


def test_what_a_hook_changes_is_told_in_the_middle_of_its_pass():
    w, b = (graphlab.tensor(value, requires_grad=True) for value in (1.0, 2.0))
    optimizers = {p: graphlab.optim.SGD([p], lr=0.5) for p in (w, b)}

    def step(parameter: Any) -> None:
        optimizers[parameter].step()
        optimizers[parameter].zero_grad()

    for parameter in (w, b):
        parameter.register_post_accumulate_grad_hook(step)
    with graphlab.record() as timeline:
        for _ in range(2):
            (w * 3 + b).backward()
    one = ["LeafWritten", "HookCalled", "OptimizerStepped", "GradCleared"]
    told_kinds = [e.kind for e in timeline if e.kind in (*one, "PassBegan", "Finished")]
    assert told_kinds == ["PassBegan", *one * 2, "Finished"] * 2
    final = timeline.state_at(-1)
    assert sorted(value["text"] for value in final["values"].values()) == ["-2.0", "1.0"]
    assert set(final["cleared"].values()) == {True}
    travels(timeline)


def test_a_pass_that_a_hook_begins_is_told_after_the_one_that_it_hangs_on():
    w, v = (graphlab.tensor(value, requires_grad=True) for value in (1.0, 2.0))
    y, square = w * 3, v * v
    y.register_hook(lambda grad: square.backward())
    with graphlab.record() as timeline:
        y.backward()
    began = [event.title for event in timeline if event.kind == "PassBegan"]
    assert began == ["y", "square"]
    assert leaves(timeline) == {"w": "3.0", "v": "4.0"}
    travels(timeline)


def test_an_uncounted_change_before_a_step_is_told_by_itself():
    w = graphlab.tensor([1.0, 2.0], requires_grad=True)
    optimizer = graphlab.optim.SGD([w], lr=1.0)
    with graphlab.record() as timeline:
        w.sum().backward()
        w.detach().numpy()[0] = 7
        optimizer.step()
    (change,) = [event for event in timeline if event.kind == "ChangedInPlace"]
    (step,) = [event for event in timeline if event.kind == "OptimizerStepped"]
    assert (change.before.text, change.after.text) == ("[1.0, 2.0]", "[7.0, 2.0]")
    assert (step.changes[0].before.text, step.changes[0].after.text) == ("[7.0, 2.0]", "[6.0, 1.0]")


def test_a_recording_that_is_full_says_so_and_notes_no_more(monkeypatch):
    monkeypatch.setattr(facts, "MOST", 5)
    w = graphlab.tensor(1.0, requires_grad=True)
    with graphlab.record() as timeline:
        for _ in range(50):
            (w * w).backward()
            w.grad = None
    assert sum(event.kind == "PassBegan" for event in timeline) == 3
    assert timeline[-1].kind == "GradCleared"
    assert timeline.notice.startswith("This recording is full")


def test_a_recording_that_is_just_full_left_nothing_out(monkeypatch):
    monkeypatch.setattr(facts, "MOST", 2)
    w = graphlab.tensor(1.0, requires_grad=True)
    with graphlab.record() as timeline:
        (w * w).backward()
    assert timeline.notice == ""


def test_changes_without_end_fill_a_recording_too(monkeypatch):
    monkeypatch.setattr(facts, "MOST_EVENTS", 20)
    w = graphlab.tensor(1.0, requires_grad=True)
    started = graphlab.record()
    with started as timeline:
        (w * w).backward()
        with graphlab.no_grad():
            for _ in range(100):
                w.add_(1)
    assert len(started.entries) == 20
    assert timeline.notice.startswith("This recording is full")


def test_a_hook_of_a_node_changes_what_the_edges_carry_from_then_on():
    w = graphlab.tensor([1.0, 2.0], requires_grad=True)
    b = graphlab.tensor(3.0, requires_grad=True)
    y = w + b
    y.grad_fn.register_hook(lambda sent, came: tuple(grad * 10 for grad in sent))
    for timeline in (graphlab.trace(y.sum()), recorded(y.sum())):
        (hook,) = (k for k, event in enumerate(timeline) if event.kind == "HookCalled")
        (edge,) = (event.edge for event in timeline if event.kind == "Reduced")
        before, after = (timeline.state_at(k)["edges"][edge]["text"] for k in (hook - 1, hook))
        assert (before, after) == ("2.0", "20.0")
        rules = [event for event in timeline if event.kind == "RuleApplied"]
        assert [rule.contribution.text for rule in rules] == ["[1.0, 1.0]"] * 3


def recorded(loss):
    with graphlab.record() as timeline:
        loss.backward(retain_graph=True)
    return timeline


def test_autograd_grad_of_an_input_that_was_not_used_is_recorded():
    x = graphlab.tensor(2.0, requires_grad=True)
    unused = graphlab.tensor(3.0, requires_grad=True)
    with graphlab.record() as timeline:
        graphlab.autograd.grad(x * x, (x, unused), allow_unused=True)
    returned = [event for event in timeline if event.kind == "GradReturned"]
    assert [(event.name, event.value.text) for event in returned] == [("x", "4.0")]
    assert timeline[-1].sentence.startswith("autograd.grad is done: 1 gradient is returned")


def test_a_step_that_is_written_to_all_entries_in_no_grad_is_recorded():
    w = graphlab.tensor([1.0, 2.0], requires_grad=True)
    with graphlab.record() as timeline:
        for _ in range(2):
            (w * w).sum().backward()
            with graphlab.no_grad():
                w[:] -= 0.25 * w.grad
            w.grad.zero_()
    assert w.tolist() == [0.25, 0.5]
    kinds = [event.kind for event in timeline]
    assert kinds.count("PassBegan") == 2
    assert "ChangedInPlace" in kinds


def test_the_value_before_a_change_in_place_is_kept_however_large_its_inputs_are() -> None:
    x, w = graphlab.ones(32, 128), graphlab.ones(128, 27, requires_grad=True)
    bias = graphlab.ones(27, requires_grad=True)
    with graphlab.record() as timeline:
        out = x @ w
        out += bias
        out.sum().backward()
    (told,) = [str(one) for one in timeline if "in place" in str(one)]
    assert "128.0 → 129.0" in told
    product = next(one.value for one in timeline.graph.tensors if one.name == "x @ w")
    assert product is not None
    assert product.entries.startswith("128.0 ")

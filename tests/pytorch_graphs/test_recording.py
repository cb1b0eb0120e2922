"""record() around real training in PyTorch: what it tells, and that it changes nothing.

Read next: tests/pytorch_graphs/test_rehearsal.py
"""

from __future__ import annotations

import gc
import sys
import threading
import weakref
from typing import Any

import numpy as np
import pytest

import graphlab
from graphlab.adapters.pytorch import recorded_pass, recording
from graphlab.adapters.pytorch.accessors import hooks_of
from graphlab.graph.timeline import Timeline
from tests.pytorch_graphs.models import MODELS
from tests.pytorch_graphs.passes import real

pytestmark = pytest.mark.torch


def kinds(timeline):
    return [event.kind for event in timeline]


def told(timeline, *names):
    return [event for event in timeline if event.kind in names]


def small_net(torch):
    torch.manual_seed(0)
    nn = torch.nn
    return nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.2), nn.ReLU(), nn.Linear(4, 1))


def train(torch, steps=3):
    net = small_net(torch)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.05)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = net(torch.randn(6, 3)).square().mean()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 0.01)
        optimizer.step()
        losses.append(loss.item())
    return losses, [p.detach().clone() for p in net.parameters()], torch.rand(2)


def test_training_is_bitwise_the_same_with_and_without_it(torch):
    plain = train(torch)
    with graphlab.record() as timeline:
        recorded = train(torch)
    assert recorded[0] == plain[0]
    assert all(torch.equal(a, b) for a, b in zip(recorded[1], plain[1], strict=True))
    assert torch.equal(recorded[2], plain[2])
    assert kinds(timeline).count("PassBegan") == 3
    assert kinds(timeline).count("OptimizerStepped") == 3
    assert [e.count for e in told(timeline, "PassBegan")] == [3, 3, 3]
    assert "GradReplaced" in kinds(timeline)  # clipped
    assert len(Timeline.from_json(timeline.to_json())) == len(timeline)
    assert timeline.notice == ""


def test_a_step_that_fails_leaves_the_modes_as_they_were_and_what_follows_is_noted(torch):
    from torch.overrides import BaseTorchFunctionMode, _get_current_function_mode_stack

    def refuse(*_):
        raise ValueError("no step")

    x = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([x], lr=0.1)
    optimizer.register_step_pre_hook(refuse)
    outside = _get_current_function_mode_stack()
    with pytest.raises(ValueError, match="no step"), graphlab.record():
        optimizer.step()
    assert _get_current_function_mode_stack() == outside
    with graphlab.record() as timeline:
        x.exp().sum().backward()
        with pytest.raises(ValueError, match="no step"):
            optimizer.step()
        with BaseTorchFunctionMode():
            torch.nn.Identity()(x).sum().backward()
        torch.nn.Tanh()(x).sum().backward()
        with torch.no_grad():
            x.zero_()
    assert _get_current_function_mode_stack() == outside
    assert timeline.notice == ""
    lines = [(n.name, n.source.text.strip()) for n in timeline.graph.nodes if n.source]
    assert ("TanhBackward0", "torch.nn.Tanh()(x).sum().backward()") in lines
    assert [event.name for event in told(timeline, "ChangedInPlace")] == ["x"]


def test_an_optimizer_that_runs_passes_itself_is_told_as_it_is(torch):
    x = torch.tensor(2.0, requires_grad=True)
    optimizer = torch.optim.LBFGS([x], max_iter=2)

    def closure():
        optimizer.zero_grad()
        loss = (x - 1) ** 2
        loss.backward()
        return loss

    with graphlab.record() as timeline:
        optimizer.step(closure)
    made = [node.source.text.strip() for node in timeline.graph.nodes if node.source]
    assert made == ["loss = (x - 1) ** 2"] * 4
    (moved,), (step,) = told(timeline, "ChangedInPlace"), told(timeline, "OptimizerStepped")
    assert "does not count" not in str(moved.caption)
    assert [(one.name, one.before.text, one.after.text) for one in step.changes] == [
        ("x", "2.0", "1.0")
    ]


def test_the_step_after_a_pass_that_was_not_recorded_is_told(torch):
    x, y = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([x], lr=0.0)
    x.sum().backward()
    with graphlab.record() as timeline:
        optimizer.step()
        (x * y).sum().backward()
    assert [one.name for one in told(timeline, "OptimizerStepped")[0].changes] == ["x"]


def test_the_gradients_that_are_told_are_those_of_the_pass(torch):
    a = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor([1.0, 3.0], requires_grad=True)
    with graphlab.record() as timeline:
        loss = (a * b).sum() + a
        loss.backward()
    assert timeline.grad("a") == pytest.approx(5.0)
    assert timeline.grad("b") == [2.0, 2.0]
    assert a.grad == 5


def test_each_node_has_its_line_and_its_columns(torch):
    x = torch.ones(3, requires_grad=True)
    with graphlab.record() as timeline:
        h = x.exp() * 2
        loss = h.sum()
        loss.backward()
    written = {
        n.name: n.source.text[n.source.start : n.source.end]
        for n in timeline.graph.nodes
        if n.source
    }
    assert written == {
        "SumBackward0": "h.sum()",
        "MulBackward0": "x.exp() * 2",
        "ExpBackward0": "x.exp()",
    }
    assert told(timeline, "PassBegan")[0].source.text == "loss.backward()"


def test_each_node_has_the_exact_module_that_made_it(torch):
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.up, self.down = nn.Linear(3, 5), nn.Linear(5, 3)

        def forward(self, x):
            return x + self.down(self.up(x).relu())

    net = nn.Sequential(Block(), Block())
    with graphlab.record() as timeline:
        net(torch.ones(2, 3)).sum().backward()
    scopes = {info.path: info.kind for info in timeline.graph.scopes}
    wanted = {"net": "Sequential"}
    for name, module in net.named_modules():
        if name:
            wanted[f"net.{name}"] = type(module).__name__
    assert scopes == wanted
    of = {n.scope for n in timeline.graph.nodes if n.name == "ReluBackward0"}
    assert of == {"net.0", "net.1"}


def test_a_module_that_is_called_twice_is_two_scopes(torch):
    layer = torch.nn.Linear(3, 3)
    with graphlab.record() as timeline:
        layer(layer(torch.ones(3))).sum().backward()
    assert [info.path for info in timeline.graph.scopes] == ["layer", "layer 2"]


def test_cleared_gradients_and_changes_in_place_are_told_with_their_lines(torch):
    w: Any = torch.tensor([1.0, 2.0], requires_grad=True)
    with graphlab.record() as timeline:
        (w * w).sum().backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
        w.grad = None
        (w * w).sum().backward()
        held: Any = w.grad
        held.zero_()
    between = told(timeline, "ChangedInPlace", "GradCleared")
    assert [event.kind for event in between] == ["ChangedInPlace", "GradCleared", "GradCleared"]
    assert [event.source.text for event in between] == [
        "w -= 0.1 * w.grad", "w.grad = None", "held.zero_()",
    ]  # fmt: skip
    assert between[0].version == 1


def test_a_pass_that_fails_is_told_with_its_node_and_pytorchs_sentence(torch):
    x = torch.ones(3, requires_grad=True)
    with graphlab.record(expect=RuntimeError) as timeline:
        h = x.exp()
        y = (h * 2).sum()
        with torch.no_grad():
            h += 1
        y.backward()
    (failed,) = told(timeline, "Failed")
    assert failed.name == "ExpBackward0"
    assert "modified by an inplace operation" in failed.message
    assert failed.source.text == "h = x.exp()"
    assert failed.message == str(timeline.error)
    assert x.grad is None


def added(torch, h, x):
    h += 1


def assigned(torch, h, x):
    h[0] = 5.0


def through_a_view(torch, h, x):
    h.view(3).mul_(2)


def by_a_module(torch, h, x):
    torch.nn.ReLU(inplace=True)(h)


def an_input_without_a_gradient(torch, h, x):
    x.add_(1)


def in_no_grad(torch, h, x):
    with torch.no_grad():
        h.exp_()


CHANGES = {
    added: "h += 1",
    assigned: "h[0] = 5.0",
    through_a_view: "h.view(3).mul_(2)",
    by_a_module: "torch.nn.ReLU(inplace=True)(h)",
    an_input_without_a_gradient: "x.add_(1)",
    in_no_grad: "h.exp_()",
}


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_pass_that_fails_names_the_line_that_changed_what_was_saved(torch, change):
    w, x = torch.ones(3, requires_grad=True), torch.ones(3)
    with graphlab.record(expect=RuntimeError) as timeline:
        x.add_(1)  # earlier, so not the cause
        h = w.exp() * x
        h.mul_(1)
        loss = (h * h * x).sum()
        change(torch, h, x)
        loss.backward()
    (failed,) = told(timeline, "Failed")
    assert "was changed in place after it was saved" in failed.why
    assert CHANGES[change].startswith(failed.cause.text)
    assert failed.cause.line == change.__code__.co_firstlineno + (2 if change is in_no_grad else 1)


def test_a_backward_that_raises_names_its_line(torch):
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            raise ValueError("no")

    with graphlab.record(expect=ValueError) as timeline:
        Wrong.apply(torch.ones(3, requires_grad=True)).sum().backward()
    (failed,) = told(timeline, "Failed")
    assert failed.name == "WrongBackward"
    assert failed.cause.text == 'raise ValueError("no")'


def test_the_second_pass_through_a_freed_graph_is_told(torch):
    x = torch.ones(3, requires_grad=True)
    y = (x * x).sum()
    with graphlab.record(expect=RuntimeError) as timeline:
        y.backward()
        y.backward()
    assert (
        "Trying to backward through the graph a second time" in told(timeline, "Failed")[0].message
    )
    assert kinds(timeline).count("PassBegan") == 2


def test_autograd_grad_returns_and_writes_nothing(torch):
    x, w = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    with graphlab.record() as timeline:
        (grad,) = torch.autograd.grad((x * w * w).sum(), [w])
    (returned,) = told(timeline, "GradReturned")
    assert returned.name == "w"
    assert x.grad is None
    assert w.grad is None
    assert grad.tolist() == [2, 2, 2]
    assert told(timeline, "PassBegan")[0].call == "grad"


def test_a_pass_that_is_recorded_itself_makes_a_second_layer(torch):
    x = torch.tensor(2.0, requires_grad=True)
    with graphlab.record() as timeline:
        (slope,) = torch.autograd.grad(x**3, x, create_graph=True)
        slope.backward()
    assert x.grad == 12
    assert {node.layer for node in timeline.graph.nodes} == {0, 1}


def test_hooks_that_change_a_gradient_are_seen(torch):
    x = torch.ones(2, requires_grad=True)
    with graphlab.record() as timeline:
        h = x * 3
        h.register_hook(lambda grad: grad * 10)
        h.sum().backward()
    (ran,) = told(timeline, "HookRan")
    assert ran.name == "h"
    assert x.grad.tolist() == [30, 30]


@pytest.mark.parametrize("name", MODELS)
def test_every_model_is_recorded_and_its_gradients_are_the_same(torch, name):
    torch.manual_seed(0)
    loss = MODELS[name](torch)
    did = real(loss, None)
    torch.manual_seed(0)
    with graphlab.record() as timeline:
        loss = MODELS[name](torch)
        loss.backward(retain_graph=True)
    leaves = real(loss, None).leaves
    assert len(leaves) == len(did.leaves)
    assert timeline[-1].kind == "Finished"
    assert timeline.notice == ""
    assert len(Timeline.from_json(timeline.to_json())) == len(timeline)


def left_behind(torch):
    from torch.nn.modules import module

    optimizer = sys.modules["torch.optim.optimizer"]
    from torch.overrides import _get_current_function_mode_stack

    return (
        type(torch.autograd.Variable._execution_engine).__name__,
        len(module._global_forward_hooks),
        len(module._global_forward_pre_hooks),
        len(optimizer._global_optimizer_pre_hooks),
        len(optimizer._global_optimizer_post_hooks),
        len(_get_current_function_mode_stack()),
    )


@pytest.mark.parametrize("how", ["well", "with an error", "with a failing pass", "interrupted"])
def test_everything_is_unhooked_however_the_block_ends(torch, how):
    before = left_behind(torch)
    x = torch.ones(2, requires_grad=True)
    y = (x * x).sum()
    error = {"with an error": ValueError, "interrupted": KeyboardInterrupt}.get(how)
    try:
        with graphlab.record():
            y.backward()
            if error:
                raise error
            if how == "with a failing pass":
                y.backward()
    except (ValueError, KeyboardInterrupt, RuntimeError):
        pass
    assert left_behind(torch) == before
    with pytest.raises(RuntimeError, match="a second time"):
        y.backward()
    assert hooks_of(y.grad_fn) == 0


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
@pytest.mark.parametrize("where", ["leaf", "result", "before a node", "after a node"])
def test_a_hook_that_raises_ends_the_pass_as_it_would_and_is_told_with_its_node(
    torch, where, error
):
    def fails(*_):
        raise error("my hook")

    x = torch.tensor([2.0, 3.0], requires_grad=True)
    y = x * 2
    loss = (y * y).sum()
    node = y.grad_fn
    register = {
        "leaf": x.register_hook,
        "result": y.register_hook,
        "before a node": node.register_prehook,
        "after a node": node.register_hook,
    }
    register[where](fails)
    with graphlab.record() as timeline, pytest.raises(error, match="my hook"):
        loss.backward()
    assert x.grad is None
    assert (timeline.notice, timeline[-1].kind) == ("", "Failed")
    assert timeline[-1].name == ("AccumulateGrad" if where == "leaf" else "MulBackward0")
    assert timeline[-1].message == f"{error.__name__}: my hook"
    assert timeline.graph.node(timeline[-1].node).inputs[0] == timeline.graph.tensors[0].id


@pytest.mark.parametrize("bad", ["nan", "inf"])
def test_a_layer_norm_of_nan_or_infinity_is_recorded_without_a_warning(torch, bad):
    x = torch.ones(3, 4)
    x[1, 2] = float(bad)
    layer = torch.nn.LayerNorm(4)
    with graphlab.record() as timeline:
        layer(x).sum().backward()
    assert (timeline.notice, timeline[-1].kind) == ("", "Finished")


def test_a_sparse_gradient_is_recorded(torch):
    layer = torch.nn.Embedding(5, 3, sparse=True)
    with graphlab.record() as timeline:
        for _ in range(2):
            layer(torch.tensor([1, 2])).sum().backward()
    assert timeline.notice == ""
    assert [one.kind for one in timeline].count("LeafWritten") == 2
    assert layer.weight.grad.layout is torch.sparse_coo


@pytest.mark.parametrize("where", ["begin", "_enters", "_leaves", "_arrives", "_ended"])
def test_a_recorder_that_fails_never_reaches_the_program(torch, monkeypatch, where):
    def fail(*args):
        raise ZeroDivisionError("planted")

    monkeypatch.setattr(recorded_pass.PyTorchPass, where, fail)
    x = torch.ones(2, requires_grad=True)
    with graphlab.record() as timeline:
        (x * x).sum().backward()
        (x * x).sum().backward()
    assert x.grad.tolist() == [4, 4]
    assert "planted" in timeline.notice


def test_a_version_of_torch_that_cannot_be_recorded_leaves_graphlabs_own_recording_alone(
    torch, monkeypatch
):
    before = left_behind(torch)
    monkeypatch.delitem(sys.modules, "torch.optim.optimizer")
    x = graphlab.tensor(3.0, requires_grad=True)
    with graphlab.record() as timeline:
        (x * x).backward()
    monkeypatch.undo()
    assert timeline.grad("x") == 6.0
    assert left_behind(torch) == before


def test_so_is_a_recorder_that_fails_between_passes(torch, monkeypatch):
    def fail(*args):
        raise ZeroDivisionError("planted")

    monkeypatch.setattr(recording.PyTorchRecording, "_changed", fail)
    x = torch.ones(2, requires_grad=True)
    with graphlab.record():
        (x * x).sum().backward()
        x.grad.zero_()
    assert x.grad.tolist() == [0, 0]


def test_the_passes_of_another_thread_are_left_alone(torch):
    x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    with graphlab.record() as timeline:
        thread = threading.Thread(target=lambda: (w * w).sum().backward())
        thread.start()
        thread.join()
        (x * x).sum().backward()
    assert kinds(timeline).count("PassBegan") == 1
    assert w.grad.tolist() == [2, 2]
    assert timeline.notice == ""
    with graphlab.record() as timeline:
        thread = threading.Thread(target=lambda: (w * w).sum().backward())
        thread.start()
        thread.join()
    assert "Another thread ran a pass, which is not recorded" in timeline.notice


def test_recordings_of_two_threads_end_in_any_order(torch):
    before = left_behind(torch)
    opened, closed = threading.Event(), threading.Event()
    seen = []

    def other():
        layer = torch.nn.Linear(2, 2)
        w = torch.ones(2, requires_grad=True)
        layer(w).sum().backward()  # not recorded by the first, nor taken for its module
        torch.optim.SGD(layer.parameters(), lr=0.1).step()
        with graphlab.record() as timeline:
            opened.set()
            closed.wait(60)  # until the first recording has ended
            (w * w).sum().backward()
        seen.append(kinds(timeline).count("PassBegan"))

    x = torch.ones(2, requires_grad=True)
    thread = threading.Thread(target=other)
    with graphlab.record() as timeline:
        thread.start()
        assert opened.wait(60)
        (x * x).sum().backward()
    closed.set()
    thread.join()
    (x * x).sum().backward()  # of no recording any more
    assert kinds(timeline).count("PassBegan") == 1
    assert "OptimizerStepped" not in kinds(timeline)
    assert timeline.graph.scopes == ()
    assert seen == [1]
    assert left_behind(torch) == before


def test_a_recording_inside_another_is_refused_and_the_outer_goes_on(torch):
    x = torch.ones(2, requires_grad=True)
    with graphlab.record() as timeline:
        with pytest.raises(RuntimeError, match="a recording is open already"), graphlab.record():
            pass
        (x * x).sum().backward()
    assert timeline[-1].kind == "Finished"


def test_checkpoints_are_recorded(torch):
    from torch.utils.checkpoint import checkpoint

    for reentrant in (False, True):
        x = torch.rand(3, requires_grad=True)
        with graphlab.record() as timeline:
            checkpoint(lambda x: x.sin().exp(), x, use_reentrant=reentrant).sum().backward()
        assert timeline.notice == ""
        assert "Finished" in kinds(timeline)
        assert torch.allclose(x.grad, x.sin().exp().detach() * x.cos().detach())


def test_no_tensor_is_kept_alive(torch):
    def step():
        w = torch.randn(40, 40, requires_grad=True)
        with graphlab.record() as timeline:
            h = (w @ w).relu()
            loss = h.sum()
            loss.backward()
        return timeline, [weakref.ref(t) for t in (w, h, loss, w.grad)]

    gc.disable()
    try:
        timeline, references = step()
        assert [reference() for reference in references] == [None] * 4
        assert len(timeline) > 10
    finally:
        gc.enable()


def test_graphlabs_own_passes_are_recorded_as_before_while_torch_is_loaded(torch):
    x = graphlab.tensor(3.0, requires_grad=True)
    with graphlab.record() as timeline:
        (x * x).backward()
    assert timeline.grad("x") == 6.0


def test_a_block_without_a_pass_says_so(torch):
    with graphlab.record() as timeline:
        _ = torch.ones(2, requires_grad=True) * 2
    assert "nothing was recorded" in timeline.title


def test_after_torch_compile_lines_are_left_out_and_nothing_is_compiled_again(torch):
    model = torch.compile(torch.nn.Linear(3, 2), backend="aot_eager")
    x = torch.ones(4, 3)
    model(x).sum().backward()
    frames = dict(sys.modules["torch._dynamo.utils"].counters["frames"])
    with graphlab.record() as timeline:
        model(x).sum().backward()
    assert dict(sys.modules["torch._dynamo.utils"].counters["frames"]) == frames
    assert "torch.compile has compiled code" in timeline.notice
    assert timeline[-1].kind == "Finished"
    assert all(node.source is None for node in timeline.graph.nodes)
    torch._dynamo.reset()  # other tests ask for lines


def test_a_change_of_a_tensor_of_inference_mode_does_not_end_the_recording(torch):
    w = torch.tensor(3.0, requires_grad=True)
    with graphlab.record() as timeline:
        with torch.inference_mode():
            torch.zeros(2).add_(1)  # it has no version
        (w * w).backward()
    assert timeline.grad("w") == 6.0


def inputs_of(timeline, name):
    """The labels and texts of the inputs of the node that made a result, in order."""
    graph = timeline.graph
    (result,) = (info for info in graph.tensors if info.name == name)
    node = graph.node(result.producer)
    return [(graph.tensor(one).name, graph.tensor(one).value) for one in node.inputs]


@pytest.mark.parametrize(
    ("formula", "result", "inputs"),
    [
        ("w + x", "[4.0, 6.0]", ["w", "x"]),
        ("x + w", "[4.0, 6.0]", ["x", "w"]),
        ("x - w", "[-2.0, -2.0]", ["x", "w"]),
        ("w + x * 2", "[5.0, 8.0]", ["w", "[2.0, 4.0]"]),
        ("w + 1", "[4.0, 5.0]", ["w", "1"]),
        ("0 - w", "[-3.0, -4.0]", ["w"]),
        ("torch.cat([w, x])", "[3.0, 4.0, 1.0, 2.0]", ["w", "x"]),
        ("torch.where(x > 1, w, x)", "[1.0, 4.0]", ["[False, True]", "w", "x"]),
        ("torch.lerp(x, w, 0.5)", "[2.0, 3.0]", ["x", "w"]),
    ],
)
def test_what_a_call_was_given_is_shown_although_its_node_does_not_keep_it(
    torch, formula, result, inputs
):
    w, x = torch.tensor([3.0, 4.0], requires_grad=True), torch.tensor([1.0, 2.0])
    with graphlab.record() as timeline:
        y = eval(formula, {"torch": torch, "w": w, "x": x})
        y.sum().backward()
    (made,) = (info for info in timeline.graph.tensors if info.name == "y")
    assert made.value.text == result
    found = [name or value.text for name, value in inputs_of(timeline, "y")]
    assert found[: len(inputs)] == inputs


def test_a_small_input_is_shown_as_it_was_and_a_large_one_that_was_changed_or_is_gone_is_not_known(
    torch,
):
    w, x = torch.tensor([3.0, 4.0], requires_grad=True), torch.tensor([1.0, 2.0])
    large, moved = torch.ones(2_000, requires_grad=True), torch.ones(2_000)
    buffer = np.zeros(2, np.float32)
    shared = torch.from_numpy(buffer)
    with graphlab.record() as timeline:
        y, v, z, u = w + x, w - shared, large + torch.ones(2_000), large + moved
        x.add_(1)
        moved.add_(1)
        buffer[:] = 7
        (y.sum() + v.sum() + z.sum() + u.sum()).backward()
    assert [inputs_of(timeline, name)[1][1].text for name in "yv"] == ["[1.0, 2.0]", "[0.0, 0.0]"]
    assert [inputs_of(timeline, name)[1] for name in "zu"] == [(None, None)] * 2


@pytest.mark.parametrize(
    ("formula", "place"),
    [
        ("W.scatter(0, i[None], torch.ones(2, 2))", 1),
        ("W.index_add(0, i, torch.ones(2, 2))", -1),
        ("W.index_copy(0, i, torch.ones(2, 2))", -1),
        ("torch.ones(2).where(i > 0, w)", 1),
        ("torch.vstack([torch.ones(2), W])", 0),
        ("torch.func.vmap(lambda a: a + w)(torch.ones(3, 2)) * 1.0", None),
    ],
)
def test_a_call_that_takes_its_arguments_in_another_order_shows_no_wrong_one(torch, formula, place):
    w, i = torch.tensor([3.0, 4.0], requires_grad=True), torch.tensor([0, 1])
    W = torch.ones(2, 2, requires_grad=True)
    with graphlab.record() as timeline:
        y = eval(formula, {"torch": torch, "w": w, "W": W, "i": i})
        y.sum().backward()
    assert timeline[-1].kind == "Finished"
    if place is not None:
        assert inputs_of(timeline, "y")[place] == (None, None)


def test_what_is_noted_of_a_call_belongs_to_its_node_and_goes_with_it(torch):
    w = torch.tensor([1.0, 1.0], requires_grad=True)
    data = [torch.full((2,), float(k)) for k in range(60)]
    alive = [weakref.ref(one) for one in data]
    made = []

    def work():
        for _ in range(10):
            made.append(w - torch.tensor([0.5, 0.25]))

    with graphlab.record() as timeline:
        kept = [w + one for one in data]
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        made[-1].sum().backward()
        del kept, data
        gc.collect()
        assert not any(one() for one in alive)
    node = timeline.graph.nodes[1]
    assert all(timeline.graph.tensor(id).value is None for id in node.inputs[1:])


def test_each_input_that_is_not_known_is_drawn_by_itself(torch):
    lstm = torch.nn.LSTM(3, 5)
    output, _ = lstm(torch.ones(4, 2, 3))
    node = graphlab.draw(output).graph.nodes[0]
    assert len(set(node.inputs)) == len(node.inputs) == 7


def test_a_value_that_is_not_known_is_none(torch):
    w = torch.tensor([3.0, 4.0], requires_grad=True)
    with graphlab.record() as timeline:
        v = torch.nn.functional.rms_norm(w, (2,)).sum()  # PyTorch's node keeps no eps
        v.backward()
    assert timeline.value("v") == pytest.approx(v.item(), rel=1e-4)
    unknown = [one.name for one in timeline.graph.tensors if one.value.text == "no value"]
    assert unknown
    assert all(timeline.value(name) is None for name in unknown)


@pytest.mark.parametrize(
    "formula",
    [
        "torch.add(input=w, other=x)",
        "torch.add(w, other=x)",
        "w + x.bfloat16()",
        "(w.bfloat16() + x.bfloat16()).float()",
        "w + x.to_sparse()",
        "torch.where(x > 1, w, 0.0)",
        "x[0] + w",
        "torch.cat((w[None], x[None]), dim=1)[0]",
        "torch.add(w, x, alpha=2)",
        "w.clone().add_(x)",
        "torch.sub(x, w)",
    ],
)
def test_however_a_call_is_given_its_arguments_it_is_recorded(torch, formula):
    w, x = torch.tensor([3.0, 4.0], requires_grad=True), torch.tensor([1.0, 2.0])
    given = {"torch": torch, "w": w, "x": x}
    with graphlab.record() as timeline:
        y = eval(formula, given)
        y.sum().backward()
    assert timeline[-1].kind == "Finished"
    (made,) = (info for info in timeline.graph.tensors if info.name == "y")
    expected = eval(formula, given)
    assert made.value.text in (str(expected.tolist()), "no value")


def test_an_error_of_a_call_is_pytorchs_also_while_a_recording_is_open(torch):
    w = torch.tensor([3.0, 4.0], requires_grad=True)
    with graphlab.record(), pytest.raises(RuntimeError, match="must match the size"):
        _ = w + torch.ones(3)
    with (
        graphlab.record(),
        pytest.raises(TypeError, match="received an invalid combination of arguments"),
    ):
        torch.add()


def test_a_leaf_that_is_frozen_after_the_forward_pass_gets_no_gradient(torch):
    body, head = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
    with graphlab.record() as timeline:
        loss = head(body(torch.ones(1, 2))).sum()
        body.requires_grad_(False)
        loss.backward()
    body.requires_grad_(True)
    loss = head(body(torch.ones(1, 2))).sum()
    body.requires_grad_(False)
    for told in timeline, graphlab.trace(loss):
        written = {told.graph.tensor(e.tensor).name for e in told if e.kind == "LeafWritten"}
        assert written == {"head.weight", "head.bias"}
        assert "2 leaves got their gradients" in told[-1].sentence
    assert body.weight.grad is None

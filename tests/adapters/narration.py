"""Programs whose walks show the rarer sentences of the narration; golden/narration.txt holds them.

Read next: tests/adapters/test_templates.py
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import numpy as np

import graphlab as torch
from graphlab.graph.events import Failed
from graphlab.graph.timeline import Timeline
from graphlab.graph.value import Value

PROGRAMS: dict[str, Callable[[], Timeline]] = {}


def program(make: Callable[[], Timeline]) -> Callable[[], Timeline]:
    """Add a program under its name."""
    PROGRAMS[make.__name__.replace("_", " ")] = make
    return make


def leaf(value: object) -> torch.Tensor:
    return torch.tensor(value, requires_grad=True)


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 2 * x * grad


class First(torch.autograd.Function):
    """Sends its second input no gradient."""

    @staticmethod
    def forward(ctx, x, y):
        return x * 1

    @staticmethod
    def backward(ctx, grad):
        return grad, None


class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, grad):
        raise RuntimeError("this rule is wrong")


@program
def hooks() -> Timeline:
    x = leaf(2.0)
    y = x * 3
    y.register_hook(lambda grad: None)
    z = y * 5
    z.register_hook(lambda grad: grad * 2)
    z.grad_fn.register_prehook(lambda grads: (grads[0] + 1,))
    z.grad_fn.register_hook(lambda made, came: None)
    x.register_post_accumulate_grad_hook(lambda x: None)
    with torch.record() as timeline:
        z.backward()
    return timeline


@program
def an_input_that_gets_no_gradient() -> Timeline:
    x, y = leaf(2.0), leaf(3.0)
    u = y * y
    u.register_hook(lambda grad: None)
    return torch.trace(First.apply(x, u) * 4)


@program
def many_uses() -> Timeline:
    x = leaf([[1.0, 2.0], [3.0, 4.0]])
    u = x * 2
    y = u.exp() + u.sin() + u.cos() + u * u
    with torch.record() as timeline:
        y.sum().backward(retain_graph=True)
        y.sum().backward()
    return timeline


@program
def three_nodes_that_are_ready() -> Timeline:
    x = leaf(2.0)
    u, v, w = x * 3, x.exp(), x.sin()
    return torch.trace(torch.stack([w, v, u]).sum())


@program
def a_number_that_was_broadcast() -> Timeline:
    a, v = leaf(2.0), leaf([1.0, 2.0, 3.0])
    return torch.trace((a * v).sum())


@program
def a_leaf_alone() -> Timeline:
    return torch.trace(leaf(2.0))


@program
def a_mask_of_one_byte() -> Timeline:
    x = leaf(2.0)
    return torch.trace(torch.where(torch.tensor(True), x * 2, x * 3))


@program
def a_function_of_your_own() -> Timeline:
    return torch.trace(Square.apply(leaf(3.0)))


@program
def a_function_that_fails() -> Timeline:
    x = leaf(2.0)
    with torch.record(expect=RuntimeError) as timeline:
        Wrong.apply(x).backward()
    return timeline


def refuse(*given: object) -> None:
    raise ValueError("this hook fails")


@program
def hooks_that_fail() -> Timeline:
    x = leaf(2.0)
    y, z = x * 3, x * 4
    y.register_hook(refuse)
    z.grad_fn.register_prehook(refuse)
    w = x * 5
    w.grad_fn.register_hook(refuse)
    with torch.record() as timeline:
        for one in (y, z, w):
            with suppress(ValueError):
                one.backward()
    return timeline


@program
def gradients_of_gradients() -> Timeline:
    x, w = leaf(2.0), leaf(3.0)
    y = x**3
    with torch.record() as timeline:
        (grad,) = torch.autograd.grad(y, x, create_graph=True)
        torch.autograd.grad(grad * w, [x, w])
    return timeline


@program
def changes_between_passes() -> Timeline:
    w, big, rest = leaf(2.0), leaf(np.ones((30, 40))), leaf(1.0)
    sgd = torch.optim.SGD([w, big], lr=0.5)
    with torch.record() as timeline:
        (w * w + big[20, 30]).backward()
        torch.nn.utils.clip_grad_norm_([w], 1.0)
        sgd.step()
        w.grad = torch.tensor(0.25)
        w.grad = None
        big.grad = None
        sgd.step()
        with torch.no_grad():
            w.mul_(2)
        w.data = torch.tensor(7.0)
        rest.grad = torch.tensor(1.0)
        (w * rest).backward()
    return timeline


@program
def a_part_that_was_overwritten() -> Timeline:
    x = leaf([1.0, 2.0])
    y = x * 2
    y[0] = 5.0
    return torch.trace(y.sum())


@program
def a_value_that_is_gone() -> Timeline:
    x = leaf([1.0, 2.0])
    return torch.trace(Square.apply(Square.apply(x)).sum())


@program
def values_that_were_changed() -> Timeline:
    w = leaf(2.0)
    y = w + 3.0
    z = y * 2
    with torch.no_grad():
        w.mul_(2)
        y.mul_(2)
    return torch.trace(z)


@program
def branches() -> Timeline:
    x = leaf(2.0)
    y = x * 2 if x > 1 else x
    z = y if bool((x > 3) & (x < 9)) else y * 3
    return torch.trace(z)


@program
def a_mask_that_was_changed() -> Timeline:
    x = leaf([1.0, -1.0])
    mask = x > 0
    mask[1] = True
    return torch.trace(x.masked_fill(mask, 0.0).sum())


@program
def parameters_without_a_gradient() -> Timeline:
    net = torch.nn.ModuleList([torch.nn.Linear(1, 1) for _ in range(4)])
    for layer in net:
        for one in layer.parameters():
            torch.nn.init.constant_(one, 0.5)
    net[1].weight.requires_grad_(False)
    x = torch.ones(1)
    with torch.record() as timeline:
        with torch.no_grad():
            y = net[2](x)
        (net[0](x) * y).sum().backward()
    assert len(timeline)  # it is made while the modules exist
    return timeline


@program
def a_parameter_behind_a_detach() -> Timeline:
    net = torch.nn.ModuleList([torch.nn.Linear(1, 1) for _ in range(2)])
    for one in net.parameters():
        torch.nn.init.constant_(one, 0.5)
    x = torch.ones(1)
    return torch.trace((net[0](x) * net[1](x).detach()).sum())


@program
def a_gradient_without_entries() -> Timeline:
    walk = torch.trace(leaf(2.0) * 3)
    unknown = Value((), "float32", "unknown")  # as of a PyTorch tensor on the device "meta"
    started, *rest = walk.events
    return replace(walk, events=(replace(started, value=unknown), *rest))


@program
def a_changed_gradient() -> Timeline:
    y = leaf(2.0) * 3
    y.register_hook(lambda grad: grad * 2)
    return torch.trace(y * y)


@program
def gradients_of_several_outputs() -> Timeline:
    first, second = torch.ones(2, 1, 40, requires_grad=True).unbind()
    a, b = leaf([2.0, 3.0]).unbind()
    return torch.trace((first * second).sum() + a * b)


@program
def given_weights() -> Timeline:
    v, m, x = leaf([1.0, 2.0]), torch.ones(2, 3, requires_grad=True), leaf(2.0)
    with torch.record() as timeline:
        (v * 2).backward(torch.tensor([1.0, 0.0]))
        m.sin().backward(torch.ones(2, 3))
        (x * 3).backward(torch.tensor(0.5))
        torch.autograd.grad(m.exp(), m, torch.ones(2, 3))
    return timeline


@program
def a_graph_that_is_too_large_to_edit() -> Timeline:
    x = torch.ones(101, 100, requires_grad=True)
    return torch.trace(x.sum())


@program
def a_saved_value_that_was_changed() -> Timeline:
    y = leaf(2.0).exp()
    with torch.record(expect=RuntimeError) as timeline:
        y += 1
        y.backward()
    return timeline


class Nothing(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, grad):
        return None


@program
def parameters_to_which_none_is_sent() -> Timeline:
    torch.manual_seed(0)
    behind, ahead, aside = torch.nn.Linear(1, 1), torch.nn.Linear(1, 1), torch.nn.Linear(1, 1)
    with torch.record() as timeline:
        aside(torch.ones(1))
        ahead(Nothing.apply(behind(torch.ones(1)))).sum().backward()
    assert timeline.unreached()  # while the modules exist
    return timeline


@program
def steps_that_change_nothing() -> Timeline:
    w, v = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    (v * 2).sum().backward()
    with torch.record() as timeline:
        (w * 0).sum().backward()
        for params, lr in (([w], 0.0), ([w], 0.5), ([v], 0.5)):
            torch.optim.SGD(params, lr=lr).step()
    return timeline


@program
def a_step_of_a_matrix() -> Timeline:
    """Of its nine entries, the sentence has room for one."""
    w = leaf([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]])
    with torch.record() as timeline:
        w.square().sum().backward()
        torch.optim.SGD([w], lr=0.1).step()
    return timeline


def lines_of(timeline: Timeline) -> list[str]:
    """What a person may read in a walk."""
    walk = timeline.with_forward()
    found: list[str] = []
    for event in walk:
        found.append(event.sentence)
        equation = getattr(event, "equation", None)
        found += ["" if equation is None else equation.note]
        found += [event.why] if event.kind in ("Computed", "Failed", "LeafWritten") else []
        found += [event.reason.partition(", line ")[0]] if isinstance(event, Failed) else []
    found += [node.proof for node in walk.graph.nodes]
    found += [str(one).partition(", line ")[0] for one in walk.graph.unreached]
    if walk.replay is not None:
        found += [walk.replay.problem, *walk.replay.cannot.values()]
        found += [one.sentence for one in walk.replay.decided]
    return found


def narration() -> str:
    """The text of golden/narration.txt: each sentence once, at the first program that shows it."""
    seen, parts = {""}, []
    for name, make in PROGRAMS.items():
        lines = [x for x in dict.fromkeys(lines_of(make())) if x not in seen]
        seen.update(lines)
        parts.append("\n".join([name, *(f"    {line}" for line in lines)]))
    return "\n\n".join(parts) + "\n"

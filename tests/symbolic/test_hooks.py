"""A gradient that a hook changes is neither proved nor called wrong; what the hook does is told.

Read next: faces/symbolic/report_rows.py
"""

from __future__ import annotations

import pytest

import graphlab
from graphlab.autograd.hooks import LivingHooks
from tests.symbolic.corpus import leaf


def fixed_point(x, weight):
    """The fixed point z of tanh(weight z + x), found without a graph, with its gradient."""
    with graphlab.no_grad():
        z = graphlab.tanh(x)
        for _ in range(100):
            z = graphlab.tanh(weight @ z + x)
        jacobian = (1 - z**2)[:, None] * weight
    z = graphlab.tanh(weight @ z + x)
    z.register_hook(lambda grad: graphlab.linalg.solve((graphlab.eye(2) - jacobian).T, grad))
    return z


def test_implicit_differentiation_is_not_called_wrong():
    x, weight = (
        graphlab.tensor(values, dtype=graphlab.float64, requires_grad=True)
        for values in ([0.3, -0.2], [[0.2, 0.1], [-0.1, 0.3]])
    )
    assert graphlab.autograd.gradcheck(fixed_point, (x, weight), check_undefined_grad=False)
    report = graphlab.check(fixed_point(x, weight).sum())
    assert [row.verdict for row in report] == ["undecided", "undecided"]
    assert report.summary == "0 of 2 gradients proved, 2 changed by a hook: x, weight"
    assert not report.ok
    assert len(report.advice) == 1
    assert report.advice[0].startswith(
        "look at the hook on z in fixed_point: it changes the gradient of z[1] in fixed_point from"
    )
    assert "without the hook it is proved" in report["x"].note
    grad = graphlab.autograd.grad(fixed_point(x, weight).sum(), x)[0]
    assert report["x"].autograd_value == pytest.approx(grad.numpy())


@pytest.mark.parametrize("at", ["leaf", "tensor", "prehook", "node"])
def test_what_a_hook_of_any_kind_changes_is_told(at):
    a = leaf(2.0)
    b = a * 3
    if at in ("leaf", "tensor"):
        {"leaf": a, "tensor": b}[at].register_hook(lambda grad: grad * 2)
    elif at == "prehook":
        b.grad_fn.register_prehook(lambda grads: (grads[0] * 2,))
    else:
        b.grad_fn.register_hook(lambda inputs, outputs: (inputs[0] * 2, None))
    row = graphlab.check(b * b)[0]
    assert (row.verdict, row.symbolic_value, row.autograd_value) == ("undecided", 36, 72)
    said = "".join(graphlab.check(b * b).advice)
    assert said.startswith(
        {
            "leaf": "look at the hook on a: it changes the gradient of a from 36 to 72",
            "tensor": "look at the hook on b: it changes the gradient of b from 12 to 24 (",
            "prehook": "look at the hook on b: it changes the gradient of b from 12 to 24 (",
            "node": "look at the hook on MulBackward0: it changes the gradient of a from 36 to 72",
        }[at]
    )


def test_a_hook_that_changes_nothing_here_does_not_matter():
    a = leaf(2.0)
    b = a * 3
    b.register_hook(lambda grad: grad.clamp(-100, 100))
    assert graphlab.check(b * b)[0].verdict == "proved"


def test_a_gradient_that_no_changing_hook_reaches_stays_proved():
    a, c = leaf(2.0), leaf(3.0)
    b = a * 3
    b.register_hook(lambda grad: grad + 1)
    report = graphlab.check(b * c)
    assert [report[name].verdict for name in "ac"] == ["undecided", "proved"]
    assert report.summary == "1 of 2 gradients proved, 1 changed by a hook: a"


def test_a_wrong_backward_behind_a_hook_is_still_wrong():
    class Wrong(graphlab.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return 2 * x

        @staticmethod
        def backward(ctx, grad):
            return grad

    a = leaf(2.0)
    b = Wrong.apply(a)
    b.register_hook(lambda grad: grad * 2)  # makes the gradient right
    report = graphlab.check(b + 0)
    assert report[0].verdict == "disagrees"
    assert "it is wrong without the hook, too" in report[0].note
    assert [said.split(":")[0] for said in report.advice] == [
        "look at the backward of Wrong",
        "look at the hook on b",
    ]


def test_a_check_leaves_the_hooks_as_they_were():
    a, calls = leaf(2.0), []
    b = a * 3
    a.register_hook(calls.append)
    b.register_hook(lambda grad: 2 * grad)
    held, count = b.grad_fn._extra, LivingHooks.count
    graphlab.check(b * b)
    assert b.grad_fn._extra is held
    assert LivingHooks.count == count
    assert len(calls) == 1
    (b * b).backward()
    assert (len(calls), a.grad.item()) == (2, 72)


def test_a_hook_may_check_the_graph_that_is_being_checked():
    a, found, busy = leaf(2.0), [], []
    b = a * a
    c = b * 3

    def hook(grad):
        if not busy:
            busy.append(1)
            found.append(graphlab.check(c).ok)
            busy.clear()

    b.register_hook(hook)
    assert graphlab.check(c).ok
    assert found
    assert all(found)


def test_a_backward_hook_of_a_module_is_told():
    layer, x = graphlab.nn.Tanh(), leaf(0.5)
    handle = layer.register_full_backward_hook(lambda module, came, sent: (came[0] * 2,))
    row = graphlab.check(layer(x))[0]
    assert row.verdict == "undecided"
    assert row.note.startswith("a backward hook of a module is part of the graph, and may change")
    handle.remove()
    assert graphlab.check(layer(x))[0].verdict == "proved"

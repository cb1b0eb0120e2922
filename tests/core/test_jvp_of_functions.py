"""The `jvp` of a custom Function, which gives tangents in forward mode, beside PyTorch.

Each program ends in a list of what can be seen, or in an error.

Read next: graphlab/autograd/forward_ad.py
"""

from __future__ import annotations

from typing import Any

import pytest

import graphlab

# PyTorch compiles some of its own rules, and warns of that
pytestmark = [
    pytest.mark.torch,
    pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning"),
]


def function(lib: Any, **methods: Any) -> Any:
    made = {name: staticmethod(method) for name, method in methods.items()}
    return type("F", (lib.autograd.Function,), made)


def doubled(jvp: Any, backward: Any = lambda ctx, g: 2 * g) -> Any:
    return lambda lib: function(lib, forward=lambda ctx, x: x * 2, backward=backward, jvp=jvp)


def tangent(lib: Any, F: Any, *more: Any, grad: bool = False, then: Any = lambda y: y) -> Any:
    """What unpacks from F(x, ...), for x = (1, 2) along (1, 10)."""
    ad = lib.autograd.forward_ad
    with ad.dual_level():
        x = lib.tensor([1.0, 2.0], dtype=lib.float64, requires_grad=grad)
        dual = ad.make_dual(x, lib.tensor([1.0, 10.0], dtype=lib.float64))
        result = then(F.apply(dual, *more))
        parts = result if isinstance(result, tuple) else (result,)
        pairs = [ad.unpack_dual(t) for t in parts]
    return [(p.tolist(), t if t is None else t.tolist()) for p, t in pairs]


def saves(lib: Any, by: str) -> Any:
    def forward(ctx: Any, x: Any, y: Any, n: int) -> Any:
        getattr(ctx, by)(x, y)
        return x * y * n

    def jvp(ctx: Any, x: Any, y: Any, n: Any) -> Any:
        a, b = ctx.saved_tensors
        return a * y + b * x

    y = lib.tensor([3.0, 4.0], dtype=lib.float64)
    return tangent(lib, function(lib, forward=forward, jvp=jvp), y, 2)


def marked(lib: Any, with_tangent: bool) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        fixed = x.clone()
        ctx.mark_non_differentiable(fixed)
        return x * 2, fixed

    jvp = lambda ctx, t: (t * 2, t if with_tangent else None)  # noqa: E731
    return tangent(lib, function(lib, forward=forward, jvp=jvp))


def of_a_view(lib: Any, how: Any) -> Any:
    made = function(lib, forward=lambda ctx, x: x[:1], jvp=lambda ctx, t: how(t))
    return type("Viewed", (), {"apply": staticmethod(lambda x: made.apply(x.view_as(x)))})


def viewed(lib: Any, how: Any) -> Any:
    view = lambda ctx, x: x[:1]  # noqa: E731
    return tangent(lib, function(lib, forward=view, jvp=lambda ctx, t: how(t)))


def in_place(lib: Any, how: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.mark_dirty(x)
        return x.mul_(2)

    F = function(lib, forward=forward, jvp=lambda ctx, t: how(t))
    ad = lib.autograd.forward_ad
    with ad.dual_level():
        dual = ad.make_dual(lib.tensor([1.0, 2.0]), lib.tensor([1.0, 10.0]))
        return ad.unpack_dual(F.apply(dual.clone())).tangent.tolist()


def checked(lib: Any, factor: int) -> Any:
    F = doubled(lambda ctx, t: factor * t)(lib)
    x = lib.tensor([1.0, 2.0], dtype=lib.float64, requires_grad=True)
    return lib.autograd.gradcheck(F.apply, (x,), check_forward_ad=True)


PROGRAMS = {
    "a factor of its own": lambda lib: tangent(lib, doubled(lambda ctx, t: 5 * t)(lib)),
    "what follows": lambda lib: tangent(
        lib, doubled(lambda ctx, t: 5 * t)(lib), then=lambda y: y * y.sum()
    ),
    "beside a path of its own": lambda lib: tangent(
        lib, doubled(lambda ctx, t: 5 * t)(lib), grad=True, then=lambda y: (y, y.exp())
    ),
    "one after the other": lambda lib: tangent(
        lib, (F := doubled(lambda ctx, t: 5 * t)(lib)), then=lambda y: F.apply(F.apply(y))
    ),
    "no jvp": lambda lib: tangent(lib, function(lib, forward=lambda ctx, x: x * 2)),
    "too many": lambda lib: tangent(lib, doubled(lambda ctx, t: (t, t))(lib)),
    "saved for forward": lambda lib: saves(lib, "save_for_forward"),
    "saved for backward alone": lambda lib: saves(lib, "save_for_backward"),
    "not differentiable": lambda lib: marked(lib, False),
    "not differentiable, with a tangent": lambda lib: marked(lib, True),
    "a view": lambda lib: viewed(lib, lambda t: t[:1]),
    "a view, with a copy": lambda lib: viewed(lib, lambda t: t[:1].clone()),
    "a view, with a view of a copy": lambda lib: viewed(lib, lambda t: t.clone()[:1]),
    "a view of a view, with a view of a copy": lambda lib: tangent(
        lib, of_a_view(lib, lambda t: t.clone()[:1])
    ),
    "in place": lambda lib: in_place(lib, lambda t: t.mul_(2)),
    "in place, with a copy": lambda lib: in_place(lib, lambda t: t * 2),
    "in place, unchanged": lambda lib: in_place(lib, lambda t: t),
    "gradcheck": lambda lib: checked(lib, 2),
    "gradcheck of a wrong one": lambda lib: checked(lib, 3),
}


def outcome(lib: Any, program: Any) -> tuple[str, Any]:
    try:
        return "", program(lib)
    except (RuntimeError, ValueError) as error:
        kind = NotImplementedError if isinstance(error, NotImplementedError) else RuntimeError
        return kind.__name__, str(error).partition("\n")[0]


@pytest.mark.parametrize("name", PROGRAMS)
def test_tangents_and_errors_of_a_jvp_are_pytorchs(name, torch):
    import torch.autograd.forward_ad

    assert outcome(graphlab, PROGRAMS[name]) == outcome(torch, PROGRAMS[name])


def test_a_backward_pass_still_takes_the_backward():
    F = doubled(lambda ctx, t: 5 * t, lambda ctx, g: 7 * g)(graphlab)
    x = graphlab.tensor(1.0, requires_grad=True)
    ad = graphlab.autograd.forward_ad
    with ad.dual_level():
        y = F.apply(ad.make_dual(x, graphlab.tensor(1.0)))
        assert ad.unpack_dual(y).tangent.item() == 5
        y.backward()
    assert x.grad.item() == 7

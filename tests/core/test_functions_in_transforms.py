"""A user's own `Function` within `func.vmap`, `func.grad` and their kin, beside PyTorch.

Read next: graphlab/compat/func/levels.py
"""

import pytest

import graphlab

pytestmark = pytest.mark.torch


def doubles(t, log, **more):
    """Return a Function that doubles, with `more` in its class."""

    class Double(t.autograd.Function):
        @staticmethod
        def forward(x):
            return x * 2

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    def vmap(info, in_dims, x):
        log.append((tuple(info), in_dims, tuple(x.shape)))
        return Double.apply(x) + 1, in_dims[0]

    for name, value in more.items():
        setattr(Double, name, staticmethod(vmap) if value is vmap_of_its_own else value)
    return Double


def vmap_of_its_own():
    """Stands for the `vmap` above."""


def squares(t):
    """Return a Function whose forward takes ctx."""

    class Square(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            return 2 * ctx.saved_tensors[0] * grad

    return Square


def answer(call):
    """Return what a call returns as a list, or the sentence of its error."""
    try:
        return call().tolist()
    except (RuntimeError, ValueError) as error:
        return str(error)


def pair(info, in_dims, x):
    return x


def fails(info, in_dims, x):
    raise ValueError("no")


PROGRAMS = {
    "its own": lambda t, x, log: t.func.vmap(doubles(t, log, vmap=vmap_of_its_own).apply)(x),
    "its own, twice": lambda t, x, log: t.func.vmap(
        t.func.vmap(doubles(t, log, vmap=vmap_of_its_own).apply)
    )(x[None]),
    "within a gradient": lambda t, x, log: t.func.vmap(
        t.func.grad(lambda x: doubles(t, log, vmap=vmap_of_its_own).apply(x).sum())
    )(x),
    "of what all share": lambda t, x, log: t.func.vmap(
        lambda row: doubles(t, log, vmap=vmap_of_its_own).apply(t.ones(3)) + row
    )(x),
    "any example": lambda t, x, log: t.func.vmap(doubles(t, log, generate_vmap_rule=True).apply)(x),
    "none": lambda t, x, log: t.func.vmap(doubles(t, log).apply)(x),
    "two": lambda t, x, log: t.func.vmap(
        doubles(t, log, vmap=vmap_of_its_own, generate_vmap_rule=True).apply
    )(x),
    "no pair": lambda t, x, log: t.func.vmap(doubles(t, log, vmap=staticmethod(pair)).apply)(x),
    "an error": lambda t, x, log: t.func.vmap(doubles(t, log, vmap=staticmethod(fails)).apply)(x),
    "a gradient": lambda t, x, log: t.func.grad(lambda x: doubles(t, log).apply(x).sum())(x),
    "with ctx, a batch": lambda t, x, log: t.func.vmap(squares(t).apply)(x),
    "with ctx, a gradient": lambda t, x, log: t.func.grad(lambda x: squares(t).apply(x).sum())(x),
    "with ctx, a Jacobian": lambda t, x, log: t.func.jacrev(squares(t).apply)(x),
}


@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_function_is_transformed_or_refused_as_pytorch_does(name, torch):
    notes = []
    for t in (graphlab, torch):
        log = []
        found = answer(
            lambda t=t, log=log: PROGRAMS[name](t, t.tensor([[1.0, 2, 3], [4, 5, 6]]), log)
        )
        notes.append((found, log))
    found, expected = (str(note).replace("graphlab", "torch") for note in notes)
    assert found == expected

"""Functions of the user's own: what is proved of them, and what can only be measured.

Read next: tests/symbolic/test_diagnosis.py
"""

from __future__ import annotations

import numpy as np
import pytest

import graphlab
from graphlab.autograd import Function
from graphlab.autograd.function import once_differentiable
from graphlab.faces.symbolic.check import check
from tests.symbolic.conftest import leaf, randn


class Cube(Function):
    """x³, with a backward pass of the user's own."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x * x


class Wrong(Cube):
    """x³ with the derivative of x²."""

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 2 * x


class Scale(Function):
    """c·x, where c is a number."""

    @staticmethod
    def forward(ctx, x, c):
        ctx.c = c
        return x * c

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.c, None


class Exp(Function):
    """What is saved is the result."""

    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return grad * y


class Both(Function):
    """Product and sum, in the newer style."""

    @staticmethod
    def forward(x, y):
        return x * y, x + y

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad, other):
        x, y = ctx.saved_tensors
        return grad * y + other, grad * x + other


class Sparse(Both):
    """It is given None for an output that nothing used."""

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx, grad, other):
        x, y = ctx.saved_tensors
        first = 0 if grad is None else grad * y
        second = 0 if grad is None else grad * x
        return (first, second) if other is None else (first + other, second + other)


class Nested(Function):
    """One Function calls another."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return Cube.apply(x) + x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * (3 * x * x + 1)


class Tripled(Function):
    """It changes its input in place."""

    @staticmethod
    def forward(ctx, x):
        x.mul_(3)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad * 3


class Linear(Function):
    """x Wᵀ + b, the example of every tutorial."""

    @staticmethod
    def forward(ctx, x, w, b=None):
        ctx.save_for_backward(x, w)
        y = x @ w.t()
        return y if b is None else y + b

    @staticmethod
    def backward(ctx, grad):
        x, w = ctx.saved_tensors
        of_x = grad @ w if ctx.needs_input_grad[0] else None
        of_w = grad.t() @ x if ctx.needs_input_grad[1] else None
        return of_x, of_w, grad.sum(0) if ctx.needs_input_grad[2] else None


class Relu(Function):
    """Its backward decides by values."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        grad = grad.clone()
        grad[x < 0] = 0
        return grad


class Largest(Function):
    """It takes a number out of its tensor, and its backward forgets that."""

    @staticmethod
    def forward(ctx, x):
        ctx.largest = x.max().item()
        return x / ctx.largest

    @staticmethod
    def backward(ctx, grad):
        return grad / ctx.largest


class Sine(Function):
    """Its forward is NumPy's."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return graphlab.tensor(np.sin(x.detach().numpy()))

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * x.cos()


class Picked(Function):
    """An argument of it may change, so that the graph does not keep it."""

    @staticmethod
    def forward(ctx, x, places):
        ctx.places, ctx.size = places, len(x)
        return x[places]

    @staticmethod
    def backward(ctx, grad):
        out = graphlab.zeros(ctx.size)
        out[ctx.places] = grad
        return out, None


def verdicts(root) -> dict[str, str]:
    report = check(root)
    return {row.name: row.verdict for row in report}


# -- proved -------------------------------------------------------------------------------------


def test_a_function_is_proved_when_it_can_be_read():
    x = leaf([0.5, -2.0])
    row = check((2 * Cube.apply(x)).sum(), names={x: "x"})["x"]
    assert (row.verdict, str(row.formula)) == ("proved", "[6*x_0**2, 6*x_1**2]")
    assert "Cube is a Function of your own, read as formulas" in row.note


def test_every_usual_way_to_write_a_function_is_read():
    a, b = leaf(2.0), leaf(3.0)
    for root in (
        Scale.apply(a, 3.5) * b,
        Exp.apply(a * 2),
        Nested.apply(a) * b,
        Tripled.apply(a * b) * 2,
        Cube.apply(Cube.apply(a)),
    ):
        assert set(verdicts(root).values()) == {"proved"}, repr(check(root))


@pytest.mark.parametrize("function", [Both, Sparse])
def test_outputs_are_read_also_when_not_all_are_used(function):
    a, b = leaf(2.0), leaf(3.0)
    product, total = function.apply(a, b)
    for root in (product * total, product * 2, total.exp()):
        assert set(verdicts(root).values()) == {"proved"}, repr(check(root))


def test_the_layer_of_every_tutorial_is_proved_for_a_batch():
    x, w, b = graphlab.tensor([[1.0, 2.0], [0.5, -1.0]]), randn(3, 2), randn(3)
    assert set(verdicts(Linear.apply(x, w, b).pow(2).sum()).values()) == {"proved"}
    assert set(verdicts(Linear.apply(x, w, None).pow(2).sum()).values()) == {"proved"}


def test_what_is_decided_by_values_is_proved_on_their_region_only():
    row = check(Relu.apply(leaf([1.0, -2.0])).sum())[0]
    assert row.verdict == "proved"
    assert "proved on the region of the current values only" in row.note


def test_a_function_is_read_at_other_values_in_matrices_and_for_inner_tensors():
    a, b = leaf(2.0), leaf(3.0)
    u = a * b
    root = Cube.apply(u) * b
    report = check(root, wrt=[a, u], at={a: 5.0}, names={a: "a", b: "b", u: "u"})
    assert [row.verdict for row in report] == ["proved", "proved"]
    assert report["u"].autograd_value == 3 * 15.0**2 * 3
    assert str(check(root, names={a: "a", b: "b"}).hessian().formula[0, 0]) == "6*a*b**4"
    assert check(root, names={a: "a", b: "b"})["a"].chain.count == 1


# -- not proved ---------------------------------------------------------------------------------


def test_a_wrong_function_disagrees():
    row = check(Wrong.apply(leaf(2.0)))[0]
    assert (row.verdict, row.autograd_value) == ("disagrees", 4.0)
    assert row.counterexample.derivative == pytest.approx(12.0)
    assert not check(Wrong.apply(leaf(2.0))).ok


def test_numpy_inside_is_measured_and_never_called_a_proof():
    row = check(Sine.apply(leaf([0.5, -2.0])).sum())[0]
    assert (row.verdict, row.settled_by) == ("agrees", "central differences in float64")
    assert row.note.startswith(
        "Sine is a Function that could not be read as formulas: it takes numbers out"
    )
    assert row.formula is row.symbolic_value is None
    assert row.numeric_value == pytest.approx(np.cos([0.5, -2.0]))


def test_a_number_that_is_taken_out_does_not_pass_for_a_constant():
    row = check(Largest.apply(leaf([1.0, 2.0])).sum())[0]
    assert row.verdict == "disagrees"  # read with the number as a constant it would be proved
    assert "the rules are right" not in row.note


def test_an_argument_that_the_graph_does_not_keep_leaves_it_undecided():
    row = check(Picked.apply(leaf([1.0, 2.0]), [1, 0]).sum())[0]
    assert row.verdict == "undecided"
    assert "Picked took arguments that are not tensors, and of these the graph keeps" in row.note


def test_a_batch_of_vmap_is_checked_or_its_report_says_which_are():
    w = graphlab.tensor([0.5, -1.0], requires_grad=True)

    def batch(examples):
        points = graphlab.arange(2.0 * examples).view(examples, 2) / 50
        return graphlab.vmap(lambda x: (w * x).sum().tanh())(points).sum()

    assert check(batch(32)).ok
    report = check(batch(33))
    assert not report.ok
    assert not report  # so `assert check(y)` fails
    assert "vmap computed more than 32 examples at once, as one node" in report[0].note


def test_a_forward_that_fails_the_second_time_says_so():
    class Once(Cube):
        runs = 0

        @staticmethod
        def forward(ctx, x):
            Once.runs += 1
            if Once.runs > 1:
                raise OSError("no more")
            ctx.save_for_backward(x)
            return x**3

    row = check(Once.apply(leaf(2.0)))[0]
    assert row.verdict == "undecided"
    assert "OSError: no more" in row.note


@pytest.mark.parametrize("kind", [graphlab.float16, graphlab.float32])
def test_numbers_that_hardly_change_are_noticed_too(kind):
    class Tanh(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.tanh = np.tanh(x.detach().numpy())
            return graphlab.tensor(ctx.tanh)

        @staticmethod
        def backward(ctx, grad):
            return grad * graphlab.tensor(1 - ctx.tanh**2)

    # here tanh rounds to the same number for values nearby
    x = graphlab.tensor([3.4, 8.0], dtype=kind, requires_grad=True)
    assert check(Tanh.apply(x).sum())[0].verdict == "agrees"


@pytest.mark.parametrize("seed", range(4))
def test_nothing_is_changed_by_reading(seed):
    graphlab.manual_seed(seed)
    x = leaf([1.0, 2.0])

    class Noisy(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mask = (graphlab.rand(2) > 0.5).float()
            return x * ctx.mask

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.mask

    y = Noisy.apply(x)
    mask, state = y.grad_fn.mask.tolist(), graphlab.get_rng_state()
    row = check(y.sum())[0]
    assert row.verdict == "undecided"  # not "disagrees", whatever it would draw now
    assert "it draws random numbers" in row.note
    assert y.grad_fn.mask.tolist() == mask
    assert graphlab.equal(graphlab.get_rng_state(), state)
    assert x.grad is None


def test_functions_of_graphlab_are_not_called_the_users_own():
    row = check(graphlab.distributions.Gamma(leaf(2.0), 1.0).rsample())[0]
    assert row.note.startswith("StandardGamma is a Function that could not be read as formulas: it")
    x = leaf([1.0, 2.0])
    row = check(graphlab.func.vmap(lambda t: t * t)(x).sum())[0]
    assert row.right
    assert "your own" not in row.note

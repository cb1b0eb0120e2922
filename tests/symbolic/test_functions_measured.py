"""Functions of the user's own that are measured: rounding, prints, copies, incoming gradients.

Read next: tests/symbolic/test_diagnosis.py
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import graphlab
from graphlab.autograd import Function
from graphlab.faces.symbolic.check import check
from tests.symbolic.conftest import leaf

FACTORS = (1.0, 1.05, 2.0)  # of the backward: right, off by 5 %, and off by a factor


def function_of(forward, backward) -> type[Function]:
    """Return a Function that is made of these two."""
    return type(
        "Own", (Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    )


def square(factor: float) -> type[Function]:
    """x² of a number that is taken out."""

    def forward(ctx, x):
        ctx.x = x.item()
        return graphlab.tensor(ctx.x**2)

    return function_of(forward, lambda ctx, grad: grad * 2 * ctx.x * factor)


def sines(factor: float) -> type[Function]:
    """sin x, entry by entry."""

    def forward(ctx, x):
        ctx.x = x.tolist()
        return graphlab.tensor([math.sin(t) for t in ctx.x])

    def backward(ctx, grad):
        return grad * graphlab.tensor([math.cos(t) for t in ctx.x]) * factor

    return function_of(forward, backward)


def squares(factor: float) -> type[Function]:
    """x², written into zeros entry by entry."""

    def forward(ctx, x):
        ctx.save_for_backward(x)
        out = graphlab.zeros(3)
        for i in range(3):
            out[i] = x[i].item() ** 2
        return out

    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 2 * x * factor

    return function_of(forward, backward)


def coarse_exp(factor: float) -> type[Function]:
    """exp x, which NumPy rounds to float32 whatever it is given."""

    def forward(ctx, x):
        ctx.y = graphlab.tensor(np.exp(x.detach().numpy()).astype(np.float32))
        return ctx.y

    return function_of(forward, lambda ctx, grad: grad * ctx.y * factor)


def coarse_relu(factor: float) -> type[Function]:
    """relu x in float32."""

    def forward(ctx, x):
        ctx.x = x.detach().numpy()
        return graphlab.tensor(np.maximum(ctx.x, 0).astype(np.float32))

    def backward(ctx, grad):
        return grad * graphlab.tensor((ctx.x > 0).astype(np.float32)) * factor

    return function_of(forward, backward)


# -- rounding -----------------------------------------------------------------------------------


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize(
    ("made_of", "values"),
    [
        (square, 2.0),
        (sines, [0.5, -2.0, 100.0]),
        (squares, [0.5, -2.0, 1.5]),
        (coarse_exp, 1.0),
        (coarse_exp, [0.5, -2.0, 1.5] * 8),
        (coarse_relu, [0.5, -2.0, 0.01]),
    ],
)
def test_a_forward_that_rounds_is_never_wrong_for_that_reason(made_of, values, factor):
    report = check((3 * made_of(factor).apply(leaf(values))).sum())
    assert report[0].verdict == ("agrees" if factor == 1 else "disagrees"), repr(report)
    assert bool(report.advice) == (factor != 1)
    assert "not smooth" not in report[0].note


@pytest.mark.parametrize("factor", FACTORS)
def test_a_kink_is_recognized_in_a_coarse_type(factor):
    row = check((3 * coarse_relu(factor).apply(leaf([0.0, 1.0]))).sum())[0]
    assert row.verdict == ("agrees" if factor == 1 else "disagrees")
    assert "the current values lie on a kink" in row.note


def test_a_coarse_type_is_named():
    row = check(coarse_exp(1.0).apply(leaf(1.0)))[0]
    assert "measured in float32 only, the type that the forward returns" in row.note
    assert row.numeric_value == pytest.approx(math.e, rel=1e-4)  # float32, h = 5e-3
    assert "float32" not in check(square(1.0).apply(leaf(2.0)))[0].note


def test_a_slope_that_float32_cannot_show_is_undecided():
    def forward(ctx, x):
        return graphlab.tensor(np.asarray(1e6 + x.detach().numpy()).astype(np.float32))

    row = check(function_of(forward, lambda ctx, grad: grad).apply(leaf(0.5)))[0]
    assert row.verdict == "undecided"
    assert "measured in float32 only" in row.note
    assert "or is rounded too much" in row.note


def test_a_slope_that_is_almost_zero_is_measured_as_well_as_float64_can():
    def forward(ctx, x):
        ctx.y = [1 / (1 + math.exp(-t)) for t in x.tolist()]
        return graphlab.tensor(ctx.y)

    def backward(ctx, grad):
        return grad * graphlab.tensor([y * (1 - y) for y in ctx.y])

    assert check(function_of(forward, backward).apply(leaf([30.0, -20.0])).sum()).ok


# -- the incoming gradient ------------------------------------------------------------------------


def test_a_backward_that_forgets_the_incoming_gradient_is_not_proved():
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 3 * x**2

    report = check(function_of(forward, backward).apply(leaf(2.0)))
    assert report[0].verdict == "disagrees"
    assert "does not multiply by the incoming gradient" in report[0].note
    assert "it returns 12 even if the incoming gradient is 0" in report.advice[0]


def test_a_backward_that_limits_the_gradient_is_not_called_wrong():
    limited = function_of(lambda ctx, x: x.clone(), lambda ctx, grad: grad.clamp(-1, 1))
    assert check(limited.apply(leaf(2.0))).ok


# -- what is read, and what the check does by itself -----------------------------------------------


def test_a_backward_may_change_its_gradient_in_place():
    def forward(ctx, x):
        y = 1 / (1 + (-x).exp())
        ctx.save_for_backward(y)
        return y

    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        grad *= y * (1 - y)
        return grad

    assert check(function_of(forward, backward).apply(leaf(2.0)))[0].verdict == "proved"


def test_a_tensor_from_outside_is_named_as_the_reason():
    x = leaf(2.0)
    row = check(function_of(lambda ctx, x: x**3, lambda ctx, g: g * 3 * x**2).apply(x))[0]
    assert row.verdict == "agrees"  # at other values of x the outer x would change, too
    assert "that could not be read as formulas: it uses a tensor that needs a grad" in row.note


def test_numpy_is_named_as_the_reason():
    def forward(ctx, x):
        ctx.y = graphlab.from_numpy(np.exp(x.numpy()))
        return ctx.y

    row = check(function_of(forward, lambda ctx, grad: grad * ctx.y).apply(leaf([1.0, 2.0])).sum())[
        0
    ]
    assert row.verdict == "agrees"
    assert row.note.endswith("could not be read as formulas: it calculates with NumPy")


def test_what_a_function_prints_while_it_is_checked_is_not_shown(capsys):
    def forward(ctx, x):
        print("forward")
        return 2 * x

    def backward(ctx, grad):
        print("backward")
        return 2 * grad

    y = function_of(forward, backward).apply(leaf(2.0))
    capsys.readouterr()
    graphlab.check(y)
    assert capsys.readouterr().out == ""


def test_a_forward_that_changes_its_input_runs_on_copies():
    def forward(ctx, x, c):
        x *= 2
        c *= 2
        return x + c

    x, c = leaf(2.0), graphlab.tensor(1.0)
    y = function_of(forward, lambda ctx, grad: (2 * grad, None)).apply(x, c)
    before = x.item(), c.item(), y.item()
    check(y)
    check(y, at={x: 3.0})
    assert (x.item(), c.item(), y.item()) == before


def cubes(factor: float) -> type[Function]:
    """x³, calculated by NumPy."""

    def forward(ctx, x):
        ctx.x = x.detach().numpy()
        return graphlab.tensor(ctx.x**3)

    return function_of(forward, lambda ctx, grad: grad * graphlab.tensor(3 * ctx.x**2 * factor))


def test_the_numbers_that_are_quoted_belong_to_the_incoming_gradient_of_the_pass():
    w = leaf([1.0, -2.0])
    report = check((cubes(2.0).apply(w) * graphlab.tensor([5.0, 1.0])).sum(), names={w: "w"})
    assert "for its input w[0] it returns 30 where the derivative is 15" in report.advice[0]
    assert report[0].autograd_value.tolist() == [30, 24]


def test_elsewhere_the_numbers_are_those_for_a_gradient_of_1():
    def forward(ctx, x):
        ctx.x = x.item()
        return x * 3 if ctx.x > 0 else x * 5

    wrong = function_of(forward, lambda ctx, grad: grad * 3)
    report = check(7 * wrong.apply(leaf(2.0)))
    assert "is right at the current values and wrong where its input is -2" in report[0].note
    said = "and an incoming gradient of 1 it returns 3 where the derivative is 5"
    assert said in report.advice[0]


STEPS = {
    "measured": lambda x: (x > 0).float(),
    "a formula": graphlab.sign,
    "without a formula": graphlab.round,
}


@pytest.mark.parametrize("step", STEPS)
def test_a_straight_through_estimator_disagrees_and_may_be_meant(step):
    function = function_of(lambda ctx, x: STEPS[step](x), lambda ctx, grad: grad)
    w = leaf([0.7, -1.3])
    report = check((function.apply(w) * 4).sum(), names={w: "w"})
    assert report[0].verdict == "disagrees"
    assert "for its input w[0] it returns 4 where the derivative is 0" in report.advice[0]
    assert "or a straight-through estimator, which is no derivative" in report.advice[0]


@pytest.mark.parametrize("factor", [1.0, 2.0])
def test_no_other_backward_is_called_a_straight_through_estimator(factor):
    report = check(cubes(factor).apply(leaf([0.0, 1.0])).sum())
    assert report.ok is (factor == 1)
    assert "straight-through" not in str(report)

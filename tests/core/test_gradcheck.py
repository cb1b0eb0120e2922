"""gradcheck finds wrong rules, and leaves what it was given as it was.

Read next: graphlab/autograd/gradcheck.py
"""

from __future__ import annotations

import re

import numpy as np
import pytest

import graphlab
from graphlab.autograd import gradcheck, gradgradcheck
from graphlab.autograd.gradcheck import GradcheckError


class WrongSquare(graphlab.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * x


class RightSquareWithWrongSecond(graphlab.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 2 * x.detach()


class Moody(graphlab.autograd.Function):
    calls = 0

    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, grad):
        Moody.calls += 1
        return grad * (1 + 1e-9 * Moody.calls)


class Constant(graphlab.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return graphlab.full_like(grad, 2.0)


def double(*shape: int):
    values = np.linspace(0.5, 1.5, int(np.prod(shape))).reshape(shape)
    return graphlab.tensor(values, requires_grad=True)


@pytest.mark.parametrize("fast_mode", [False, True])
def test_right_rules_pass(fast_mode):
    x, w = double(2, 3), double(3)
    assert gradcheck(lambda x, w: (x * w).sin(), (x, w), fast_mode=fast_mode)
    assert gradgradcheck(lambda x, w: (x * w).sin(), (x, w), fast_mode=fast_mode)
    assert gradcheck(lambda x: (x.sum(), x * 2), x, fast_mode=fast_mode)


@pytest.mark.parametrize("fast_mode", [False, True])
def test_a_wrong_rule_is_found(fast_mode):
    with pytest.raises(GradcheckError, match=r"Jacobian mismatch for output 0 with respect to i"):
        gradcheck(WrongSquare.apply, double(3), fast_mode=fast_mode)
    assert not gradcheck(WrongSquare.apply, double(3), fast_mode=fast_mode, raise_exception=False)


def test_fast_mode_shows_the_whole_jacobians():
    with pytest.raises(GradcheckError, match=r"Numerical:\n tensor\(\[\[1\.0000"):
        gradcheck(WrongSquare.apply, double(3), fast_mode=True)


def test_a_wrong_second_derivative_is_found():
    assert gradcheck(RightSquareWithWrongSecond.apply, double(3))
    with pytest.raises(GradcheckError):
        gradgradcheck(RightSquareWithWrongSecond.apply, double(3))


def test_a_backward_pass_that_changes_is_found():
    with pytest.raises(GradcheckError, match="Backward is not reentrant"):
        gradcheck(Moody.apply, double(3))
    assert gradcheck(Moody.apply, double(3), nondet_tol=1e-6)


def test_a_backward_pass_that_is_not_linear_is_found():
    with pytest.raises(GradcheckError, match="backward not multiplied by grad_output"):
        gradcheck(Constant.apply, double(1))


def test_a_flat_function_passes_and_a_detached_one_does_not():
    assert gradcheck(lambda x: (x > 0.75).double(), double(3))
    with pytest.raises(GradcheckError, match="Numerical gradient for function expected to be zero"):
        gradcheck(lambda x: x.detach() * 2, double(3))


def test_bools_have_no_difference():
    with pytest.raises(RuntimeError, match="with two bool tensors is not supported"):
        gradcheck(lambda x: x > 0.75, double(3))


def test_inputs_without_a_gradient_are_refused():
    with pytest.raises(ValueError, match="at least one input tensor to require gradient"):
        gradcheck(graphlab.sin, graphlab.ones(2))


def test_an_expanded_input_is_refused():
    wide = double(1).expand(3).detach().requires_grad_()
    with pytest.raises(RuntimeError, match="The 0th input has a dimension with stride 0"):
        gradcheck(graphlab.sin, wide)


def test_float32_is_warned_of():
    x = graphlab.ones(2, requires_grad=True)
    with pytest.warns(UserWarning, match=re.escape("Input #0 requires gradient and is not a")):
        gradcheck(graphlab.sin, x, eps=1e-2, atol=1e-2)


def test_tangents_are_checked_where_that_is_asked_for():
    assert gradcheck(lambda x, y: (x * y, y.sin()), (double(2), double(2)), check_forward_ad=True)
    with pytest.raises(NotImplementedError, match="tangents are not computed in batches"):
        gradcheck(graphlab.sin, double(2), check_batched_forward_grad=True)


@pytest.mark.parametrize("shape", [(), (3,), (2, 2), (0,)])
def test_inputs_are_left_as_they_were(shape):
    x = double(*shape)
    before, data, version = np.array(x._data), x._data, x._version
    gradcheck(graphlab.sin, x)
    assert x._data is data
    assert (np.array(x._data) == before).all()
    assert (x.grad, x._version) == (None, version)


def test_inputs_are_left_as_they_were_when_the_function_fails():
    x = double(3)
    before = np.array(x._data)

    def fails(x):
        if x[0] != before[0]:
            raise ArithmeticError("moved")
        return x * 2

    with pytest.raises(ArithmeticError, match="moved"):
        gradcheck(fails, x)
    assert (x._data == before).all()

"""Gradients that the caller derived by hand: which are right, and what is wrong with the others.

Read next: tests/symbolic/test_arguments.py
"""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import graphlab as torch
from tests.symbolic.conftest import Tags, leaf


@pytest.fixture
def layer():
    """The mean square of a linear layer, and the right gradients of all its tensors."""
    torch.manual_seed(0)
    X, W, b = torch.randn(4, 2), leaf(np.arange(6.0).reshape(2, 3) - 2), leaf(np.ones(3))
    h = X.double() @ W + b
    dh = (2 * h / h.numel()).detach()
    return X.double(), W, b, h, (h**2).mean(), dh


def test_right_gradients_are_said_to_be_right(layer):
    X, W, b, h, loss, dh = layer
    report = torch.check(loss, yours={h: dh, W: X.T @ dh, "b": dh.sum(0).numpy()})
    assert report.summary == "3 of 3 gradients proved; of yours, 3 of 3 right"
    assert report.ok
    assert [row.slip for row in report] == ["", "", ""]
    assert repr(report).count("✓ right") == 3
    assert b.grad is None


@pytest.mark.parametrize(
    ("name", "own", "slip"),
    [
        ("h", lambda dh, X: 12 * dh, "yours is 12 times the gradient"),
        ("h", lambda dh, X: -dh, "yours has the wrong sign"),
        (
            "W",
            lambda dh, X: dh.T @ X,
            "yours has the shape (3, 2) instead of (2, 3): its transpose is right",
        ),
        (
            "b",
            lambda dh, X: dh,
            "yours has the shape (4, 3) instead of (3,): b was broadcast, so the gradients of its "
            "copies add up",
        ),
        ("b", lambda dh, X: dh.sum(), "yours has the shape () instead of (3,)"),
        ("b", lambda dh, X: np.full((2, 3), 7.0), "yours has the shape (2, 3) instead of (3,)"),
    ],
)
def test_a_slip_is_told(layer, name, own, slip):
    X, W, b, h, loss, dh = layer
    report = torch.check(loss, yours={{"W": W, "b": b, "h": h}[name]: own(dh, X)})
    assert (report[name].slip, report[name].verdict, report.ok) == (slip, "proved", False)
    assert f"{name}: {slip}" in " ".join(repr(report).split())
    assert slip in " ".join(repr(report[name]).split())
    assert slip in Tags(report._repr_html_()).text


def test_entries_that_differ_are_counted_and_the_first_is_told():
    w = leaf([1.0, 2.0, 3.0])
    slip = torch.check((w**3).sum(), yours={w: [3.0, 11.0, 26.0]})["w"].slip
    assert slip == "2 of 3 entries differ; the first, at [1], is 11 instead of 12"


def test_a_transposed_square_matrix_is_recognised():
    A, B = leaf([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([[5.0, 6.0], [7.0, 8.0]]).double()
    slip = torch.check((A * B).sum(), yours={A: B.T})["A"].slip
    assert slip == "the transpose of yours is right"


def test_the_gradient_along_one_of_several_paths_is_recognised():
    a = leaf(2.0)
    y = a * 3
    f = y * a + a.exp()
    found = torch.check(f, yours={a: a.exp()})
    path = "yours is the gradient along the path f <- a.exp() <- a alone"
    assert found["a"].slip == f"{path}; those along all 3 paths add up"
    assert torch.check(f, yours={a: 6 * a / 2 * 2 + a.exp()}).ok


@pytest.mark.parametrize(
    ("own", "slip"),
    [
        (9.0, "yours is 1.5 times the gradient"),
        (-6.0, "yours has the wrong sign"),
        (6.1, "yours is another number"),
        (0.26, "yours is another number"),
        (float("nan"), "yours is another number"),
        (6.001, ""),  # three digits, as finite differences give them
        ([6.0], ""),
    ],
)
def test_a_number_is_right_or_has_a_simple_ratio_or_is_another(own, slip):
    x = leaf(3.0)
    assert torch.check(x * x, yours={x: own})["x"].slip == slip


def test_a_wrong_rule_is_not_what_yours_is_compared_with():
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * x  # the 2 is missing

    x = leaf(3.0)
    row = torch.check(Square.apply(x), yours={x: 6.0})["x"]
    assert (row.verdict, row.slip) == ("disagrees", "")


def test_gradients_that_are_infinite_or_nan_or_empty_are_compared_too():
    x, y, z = leaf([0.0, 4.0]), leaf([-1.0, 4.0]), leaf(np.ones((0, 2)))
    row = torch.check(x.sqrt().sum(), yours={x: [7.0, 0.25]})["x"]
    assert row.slip == "1 of 2 entries differ; the first, at [0], is 7 instead of inf"
    assert torch.check(x.sqrt().sum(), yours={x: [np.inf, 0.25]})["x"].slip == ""
    assert torch.check(y.sqrt().sum(), yours={y: [np.nan, 0.25]})["y"].slip == ""
    assert torch.check(z.sum(), yours={z: z})["z"].slip == ""


@pytest.mark.torch
def test_a_gradient_may_be_a_tensor_of_pytorch():
    import torch as pytorch

    x = leaf(3.0)
    assert torch.check(x * x, yours={x: pytorch.tensor(6.0, requires_grad=True)}).ok


@pytest.mark.parametrize("own", [None, "6", [1, [2]], {}])
def test_what_is_no_gradient_is_refused(own):
    x = leaf(3.0)
    with pytest.raises(TypeError, match="yours: expected your gradient of x as a tensor"):
        torch.check(x * x, yours={x: own})


def test_what_is_no_dict_and_what_has_no_row_is_refused():
    x, y = leaf(3.0), leaf(4.0)
    with pytest.raises(TypeError, match="yours: expected a dict of tensors or names"):
        torch.check(x * y, yours=[4.0])
    with pytest.raises(ValueError, match="yours: 'z' is not a leaf of this graph"):
        torch.check(x * y, yours={"z": 4.0})
    with pytest.raises(ValueError, match=r"yours: the report has no row for .*; leave out wrt"):
        torch.check(x * y, wrt=[x], yours={y: 3.0})
    with pytest.raises(RuntimeError, match=r"yours\[0\] is a constant"):
        torch.check(x * y, yours={torch.tensor(1.0): 3.0})


def test_a_pickled_report_keeps_yours():
    x = leaf(3.0)
    report = torch.check(x * x, yours={x: 9.0})
    again = pickle.loads(pickle.dumps(report))
    assert (again["x"].yours, again["x"].slip) == (9.0, "yours is 1.5 times the gradient")
    assert repr(again) == repr(report)


@pytest.mark.torch
def test_pytorchs_tensor_takes_none():
    import torch as pytorch

    x = pytorch.tensor(3.0, requires_grad=True)
    with pytest.raises(TypeError, match=r"takes no yours=.*with GraphLab"):
        torch.check(x * x, yours={x: 6.0})

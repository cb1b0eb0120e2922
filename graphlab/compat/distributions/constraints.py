"""Constraints: the sets in which parameters and samples must lie.

Read next: compat/distributions/distribution.py
"""

from collections.abc import Callable
from typing import Any

from graphlab.tensor import functions as F
from graphlab.tensor.functions.factoring import eigvalsh
from graphlab.tensor.tensor import Tensor


class Constraint:
    """A set of numbers or vectors; `check` returns whether each of them lies in the set.

    name: the name under which PyTorch shows the set
    check: function of a tensor (..., *event), which returns bools (...)
    event_dim: int, the dimensions of one element: 0 for numbers, 1 for vectors

    >>> import graphlab as torch
    >>> positive.check(torch.tensor([-1.0, 2.0]))
    tensor([False,  True])
    """

    def __init__(self, name: str, check: Callable[[Tensor], Tensor], event_dim: int = 0) -> None:
        self.name = name
        self.check = check
        self.event_dim = event_dim

    def __repr__(self) -> str:
        return self.name


def interval(low: Any, high: Any) -> Constraint:
    """Return the interval [low, high]. low, high: numbers or tensors."""
    bounds = f"Interval(lower_bound={low}, upper_bound={high})"
    return Constraint(bounds, lambda x: (low <= x) & (x <= high))


def greater_than(low: Any) -> Constraint:
    """Return the numbers above `low`, a number or a tensor."""
    return Constraint(f"GreaterThan(lower_bound={low})", lambda x: low < x)


def greater_than_eq(low: Any) -> Constraint:
    """Return the numbers at or above `low`, a number or a tensor."""
    return Constraint(f"GreaterThanEq(lower_bound={low})", lambda x: low <= x)


def less_than(high: Any) -> Constraint:
    """Return the numbers below `high`, a number or a tensor."""
    return Constraint(f"LessThan(upper_bound={high})", lambda x: x < high)


def integer_interval(low: Any, high: Any) -> Constraint:
    """Return the integers from `low` to `high`. low, high: numbers."""
    bounds = f"IntegerInterval(lower_bound={low}, upper_bound={high})"
    return Constraint(bounds, lambda x: F.eq(F.remainder(x, 1), 0) & (low <= x) & (x <= high))


def multinomial(total: int) -> Constraint:
    """Return the vectors of numbers ≥ 0 whose sum is at most `total`, as PyTorch checks counts."""

    def counts(x: Tensor) -> Tensor:
        return F.all(x >= 0, -1) & (F.sum(x, -1) <= total)

    return Constraint("Multinomial()", counts, event_dim=1)


def independent(base: Constraint, ndims: int) -> Constraint:
    """Return the arrays of `ndims` dimensions whose entries all lie in the set `base`."""

    def check(x: Tensor) -> Tensor:
        each = base.check(x)
        return F.all(F.flatten(each, each.ndim - ndims), -1)

    return Constraint(f"IndependentConstraint({base}, {ndims})", check, base.event_dim + ndims)


def adds_up(x: Tensor) -> Tensor:
    """Return whether the entries of each vector are ≥ 0 and sum to 1. x: (..., K) -> (...)."""
    return F.all(x >= 0, -1) & (F.abs(F.sum(x, -1) - 1) < 1e-6)


def is_one_hot(x: Tensor) -> Tensor:
    """Return whether each vector has one entry of 1 and zeros elsewhere. x: (..., K) -> (...)."""
    zeros_and_ones = F.eq(x, 0) | F.eq(x, 1)
    return F.all(zeros_and_ones, -1) & F.eq(F.sum(x, -1), 1)


def is_positive_definite(x: Tensor) -> Tensor:
    """Return whether each matrix is symmetric and has positive eigenvalues. x: (..., K, K)."""
    symmetric = F.all(F.flatten(F.isclose(x, F.transpose(x, -2, -1), atol=1e-6), -2), -1)
    return symmetric & F.all(eigvalsh(x) > 0, -1)


def is_lower_cholesky(x: Tensor) -> Tensor:
    """Return whether each matrix is lower triangular with a positive diagonal."""
    lower = F.all(F.flatten(F.eq(F.tril(x), x), -2), -1)
    return lower & F.all(F.diagonal(x, dim1=-2, dim2=-1) > 0, -1)


real = Constraint("Real()", lambda x: F.eq(x, x))
real_vector = Constraint("IndependentConstraint(Real(), 1)", lambda x: F.all(F.eq(x, x), -1), 1)
boolean = Constraint("Boolean()", lambda x: F.eq(x, 0) | F.eq(x, 1))
unit_interval = interval(0.0, 1.0)
positive = greater_than(0.0)
nonnegative = greater_than_eq(0.0)
nonnegative_integer = Constraint(
    "IntegerGreaterThan(lower_bound=0)", lambda x: F.eq(F.remainder(x, 1), 0) & (x >= 0)
)
simplex = Constraint("Simplex()", adds_up, 1)
one_hot = Constraint("OneHot()", is_one_hot, 1)
positive_definite = Constraint("PositiveDefinite()", is_positive_definite, 2)
lower_cholesky = Constraint("LowerCholesky()", is_lower_cholesky, 2)

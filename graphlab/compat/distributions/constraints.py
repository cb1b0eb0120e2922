"""Which numbers a parameter or a sample may be.

Read next: compat/distributions/distribution.py
"""

from collections.abc import Callable
from typing import Any

from graphlab.tensor import functions as F
from graphlab.tensor.tensor import Tensor


class Constraint:
    """A set of numbers or vectors: `check` says of each whether it lies in the set.

    name: what the set is called, as PyTorch shows it
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


def interval(low: Any, high: Any, name: str = "Interval") -> Constraint:
    """Return the numbers from `low` to `high`.

    low, high: numbers or tensors. name: what it is called.
    """
    bounds = f"{name}(lower_bound={low}, upper_bound={high})"
    return Constraint(bounds, lambda x: (low <= x) & (x <= high))


def greater_than(low: Any) -> Constraint:
    """Return the numbers above a bound. low: a number or a tensor."""
    return Constraint(f"GreaterThan(lower_bound={low})", lambda x: low < x)


def greater_than_eq(low: Any) -> Constraint:
    """Return the numbers from a bound on. low: a number or a tensor."""
    return Constraint(f"GreaterThanEq(lower_bound={low})", lambda x: low <= x)


def less_than(high: Any) -> Constraint:
    """Return the numbers below a bound. high: a number or a tensor."""
    return Constraint(f"LessThan(upper_bound={high})", lambda x: x < high)


def integer_interval(low: Any, high: Any) -> Constraint:
    """Return the integers from `low` to `high`. low, high: numbers."""
    bounds = f"IntegerInterval(lower_bound={low}, upper_bound={high})"
    return Constraint(bounds, lambda x: F.eq(F.remainder(x, 1), 0) & (low <= x) & (x <= high))


def multinomial(total: int) -> Constraint:
    """Return the vectors of counts with a sum. total: int, the sum."""

    def counts(x: Tensor) -> Tensor:
        return F.all(x >= 0, -1) & (F.sum(x, -1) <= total)

    return Constraint("Multinomial()", counts, event_dim=1)


def independent(base: Constraint, ndims: int) -> Constraint:
    """Return the arrays all of whose entries lie in a set.

    base: the set. ndims: int, how many more dimensions belong to one element.
    """

    def check(x: Tensor) -> Tensor:
        each = base.check(x)
        return F.all(F.flatten(each, each.ndim - ndims), -1)

    return Constraint(f"IndependentConstraint({base}, {ndims})", check, base.event_dim + ndims)


def adds_up(x: Tensor) -> Tensor:
    """Return whether vectors hold parts of 1."""
    return F.all(x >= 0, -1) & (F.abs(F.sum(x, -1) - 1) < 1e-6)


def is_one_hot(x: Tensor) -> Tensor:
    """Return whether vectors are 0 but for one 1."""
    zeros_and_ones = F.eq(x, 0) | F.eq(x, 1)
    return F.all(zeros_and_ones, -1) & F.eq(F.sum(x, -1), 1)


real = Constraint("Real()", lambda x: F.eq(x, x))
real_vector = Constraint("IndependentConstraint(Real(), 1)", lambda x: F.all(F.eq(x, x), -1), 1)
boolean = Constraint("Boolean()", lambda x: F.eq(x, 0) | F.eq(x, 1))
unit_interval = interval(0.0, 1.0)
positive = greater_than(0.0)
nonnegative = greater_than_eq(0.0)
simplex = Constraint("Simplex()", adds_up, 1)
one_hot = Constraint("OneHot()", is_one_hot, 1)

"""A graph as a function of some tensors, and the points at which it is compared.

Random points are exact fractions, on both sides of zero.

Read next: faces/symbolic/numeric_check.py
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from graphlab.faces.symbolic.assumptions import NOTHING, Assumptions
from graphlab.faces.symbolic.backward_interpretation import backward
from graphlab.faces.symbolic.budget import Budget
from graphlab.faces.symbolic.exact_constants import ExactConstants
from graphlab.faces.symbolic.interpretation import Interpretation, forward
from graphlab.faces.symbolic.live_graph import Subgraph, Tensor, key_of
from graphlab.faces.symbolic.mp_arithmetic import OutsideDomain
from graphlab.primitives.sympy_reading.object_arrays import bare

Point = dict[Any, Any]  # tensor -> array of Fractions, or one Fraction
Place = tuple[Tensor, tuple[int, ...]]  # an entry of a tensor


@dataclass(frozen=True, slots=True)
class Problem:
    """A graph, the tensors that it is a function of, and the gradient that enters at its root."""

    graph: Subgraph
    given: tuple[Tensor, ...]
    gradient: Tensor
    constants: ExactConstants = field(default_factory=ExactConstants)
    assumed: Mapping[Tensor, Assumptions] = field(default_factory=dict)

    def run(
        self, entries: Interpretation, point: Point, budget: Budget
    ) -> tuple[Any, dict[Any, Any]]:
        """Return the sum of gradient * root at the point, and every intermediate value."""
        given = {key_of(t): point[t] for t in self.given}
        values = forward(self.graph, given, entries, budget)
        weighted = values[self.graph.root] * entries.constant(self.gradient)
        return entries.primitives["sum"](weighted), values

    def rules(
        self, entries: Interpretation, values: dict[Any, Any], budget: Budget
    ) -> dict[Any, Any]:
        """Return the gradients by the rules, by key."""
        entering = entries.constant(self.gradient)
        return backward(self.graph, values, entering, entries, budget)


def current_point(problem: Problem) -> Point:
    """Return the current values as fractions. Raises: OutsideDomain if one is not finite."""
    if not all(np.all(np.isfinite(t._data)) for t in problem.given):
        raise OutsideDomain
    return {t: fractions(t._data) for t in problem.given}


def fractions(data: Any) -> Any:
    """Return floats as exact fractions; NaN and infinities become 0."""
    exact = np.frompyfunc(lambda x: Fraction(float(x)) if np.isfinite(x) else Fraction(0), 1, 1)
    return bare(exact(data))


def in_floats(point: Point) -> Point:
    """Return the same point in float64."""
    return {t: np.asarray(values, object).astype(np.float64)[()] for t, values in point.items()}


def float_point(problem: Problem) -> Point:
    """Return the current values in float64."""
    return {t: np.asarray(t._data, np.float64)[()] for t in problem.given}


def draw(problem: Problem, base: Point, source: random.Random, attempt: int) -> Point:
    """Return a random point: with the current signs in even attempts, or with random signs."""

    def entry(assumed: Assumptions, value: Fraction) -> Fraction:
        return assumed.draw(source, value, attempt % 2 == 0)

    return {
        t: bare(np.frompyfunc(partial(entry, problem.assumed.get(t, NOTHING)), 1, 1)(values))
        for t, values in base.items()
    }


def moved(values: Any, index: tuple[int, ...], step: Any) -> Any:
    """Return the values with one entry moved by `step`."""
    if not index:
        return values + step if np.ndim(values) == 0 else bare(np.asarray(values) + step)
    out = np.array(values)
    out[index] = out[index] + step
    return out

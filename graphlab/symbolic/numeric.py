"""Agreement in numbers: the rules' gradient beside the slope of the formula itself, to 20 digits.

A slope is a central difference, worked out with so many digits that it is the derivative for all
purposes; points are drawn on both sides of zero and thrown away where the formula has no real
value. When the two differ, both are worked out again with more digits before it counts.

What runs on float64 only, such as a Function of the user's, is compared in float64 and says so.

Read next: symbolic/check.py
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import nan
from typing import Any

import numpy as np

from graphlab.autograd.backward import key_of
from graphlab.symbolic.backward import backward
from graphlab.symbolic.digits import Digits, OutsideDomain, context
from graphlab.symbolic.exact import Reading
from graphlab.symbolic.expressions import (
    Budget,
    Entries,
    Walk,
    exact_entries,
    float_entries,
    forward,
)
from graphlab.symbolic.namespace import NoSymbols, bare
from graphlab.tensor import Tensor

POINTS = 4  # points that count as agreement
DRAWS = 60  # how many are drawn to find them
PRECISIONS = (50, 120, 400)  # digits; the next is tried when two values differ
SAME = 1e-20  # relative: central difference at 50 digits, h = 1e-17, errs by about 1e-33

Point = dict[Any, Any]  # tensor -> array of Fractions, or one Fraction
Place = tuple[Tensor, tuple[int, ...]]  # an entry of a tensor


@dataclass(frozen=True, slots=True)
class Problem:
    """A graph, the tensors that it is a function of, and the gradient that enters at its root."""

    graph: Walk
    given: tuple[Tensor, ...]
    gradient: Tensor
    reading: Reading = field(default_factory=Reading)

    def run(self, entries: Entries, point: Point, budget: Budget) -> tuple[Any, dict[Any, Any]]:
        """The sum of gradient * root at the point, and every value on the way."""
        given = {key_of(t): point[t] for t in self.given}
        values = forward(self.graph, given, entries, budget)
        weighted = values[self.graph.root] * entries.constant(self.gradient)
        return entries.words["sum"](weighted), values

    def rules(self, entries: Entries, values: dict[Any, Any], budget: Budget) -> dict[Any, Any]:
        """The gradients that the rules make, by key."""
        entering = entries.constant(self.gradient)
        return backward(self.graph, values, entering, entries, budget)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A point at which the rules and the derivative give different values."""

    place: Place
    point: Point
    rules: float
    derivative: float


def now(problem: Problem) -> Point:
    """The current values, exactly. Raises OutsideDomain when one is not finite."""
    if not all(np.all(np.isfinite(t._data)) for t in problem.given):
        raise OutsideDomain
    return {t: fractions(t._data) for t in problem.given}


def fractions(data: Any) -> Any:
    """Exact fractions of floats; 0 in the place of what is not finite."""
    exact = np.frompyfunc(lambda x: Fraction(float(x)) if np.isfinite(x) else Fraction(0), 1, 1)
    return bare(exact(data))


def draw(base: Point, source: random.Random, attempt: int) -> Point:
    """A point: with the current signs, or signs at random, which the domain may not allow."""

    def entry(value: Fraction) -> Fraction:
        size = Fraction(source.randint(200, 2500), 1000)
        keep = attempt % 2 == 0 and value != 0
        sign = (1 if value > 0 else -1) if keep else source.choice((1, -1))
        return sign * size

    return {t: bare(np.frompyfunc(entry, 1, 1)(values)) for t, values in base.items()}


def moved(values: Any, index: tuple[int, ...], step: Any) -> Any:
    """The values with one entry moved by a step."""
    if not index:
        return values + step if np.ndim(values) == 0 else bare(np.asarray(values) + step)
    out = np.array(values)
    out[index] = out[index] + step
    return out


class Exact:
    """A problem at one point, to a number of digits."""

    def __init__(self, problem: Problem, point: Point, digits: int, budget: Budget) -> None:
        self.problem, self.budget, self.digits = problem, budget, digits
        self.arithmetic = Digits(digits)
        self.entries = exact_entries(self.arithmetic, problem.reading)
        self.point = {t: self.entries.constant(values) for t, values in point.items()}
        total, self.values = problem.run(self.entries, self.point, budget)
        self.total = self.arithmetic.number(total)
        self.step = context(digits).mpf(10) ** -(digits // 3)

    def rules(self) -> dict[Any, Any]:
        """The gradients that the rules make here, by key."""
        return self.problem.rules(self.entries, self.values, self.budget)

    def rule(self, grads: dict[Any, Any], place: Place) -> Any:
        """The gradient of one entry; 0 where nothing arrives."""
        tensor, index = place
        grad = grads.get(key_of(tensor))
        return self.arithmetic.number(0 if grad is None else np.asarray(grad, object)[index])

    def at(self, place: Place, steps: int) -> Any:
        """The value of the root, with one entry moved by so many steps."""
        tensor, index = place
        point = {**self.point, tensor: moved(self.point[tensor], index, steps * self.step)}
        return self.arithmetic.number(self.problem.run(self.entries, point, self.budget)[0])

    def slope(self, place: Place) -> Any:
        return (self.at(place, 1) - self.at(place, -1)) / (2 * self.step)

    def one_sided(self, place: Place) -> tuple[float, float]:
        """The slopes to the left and to the right: they differ at a kink."""
        left = (self.total - self.at(place, -1)) / self.step
        right = (self.at(place, 1) - self.total) / self.step
        return float(left), float(right)


def is_smooth(left: float, right: float) -> bool:
    """Whether the slopes to both sides are the same."""
    return abs(left - right) <= 1e-9 * max(abs(left), abs(right))


OUTSIDE = (OutsideDomain, ZeroDivisionError)


def compare(
    problem: Problem, places: Sequence[Place], budget: Budget, points: int = POINTS
) -> tuple[int, list[Disagreement]]:
    """Compare rules and slopes for each entry at random points: how many there were, and where not.

    Raises: NoSymbols when the work was too much or the graph runs on float64 only.
    """
    base = {t: fractions(t._data) for t in problem.given}
    source = random.Random(0)
    found: list[Disagreement] = []
    used = 0
    for attempt in range(DRAWS):
        point = draw(base, source, attempt)
        try:
            differ = compare_at(problem, point, places, budget)
        except OUTSIDE:
            continue
        except NoSymbols:  # the work is used up: what was compared counts
            if used:
                break
            raise
        found.extend(differ)
        used += 1
        if used == points or found:
            break
    return used, found


def compare_at(
    problem: Problem, point: Point, places: Sequence[Place], budget: Budget
) -> list[Disagreement]:
    """The entries whose gradient by the rules is not the slope at this point."""
    found: dict[Place, Disagreement] = {}
    left = list(places)
    for digits in PRECISIONS:
        exact = Exact(problem, point, digits, budget)
        slopes = [exact.slope(place) for place in left]  # outside the domain: another point
        try:
            grads = exact.rules()
            rules = [exact.rule(grads, place) for place in left]
        except OUTSIDE:  # the formula has a value here, and the rules have none
            return [
                Disagreement(p, point, nan, float(s)) for p, s in zip(left, slopes, strict=True)
            ]
        noise = abs(exact.total) * context(digits).mpf(10) ** -(digits // 2)
        before, found = found, {}
        for place, rule, slope in zip(left, rules, slopes, strict=True):
            allowed = SAME * max(abs(rule), abs(slope))
            if digits > PRECISIONS[0]:
                allowed = max(allowed, noise)
            if not abs(rule - slope) <= allowed:
                found[place] = Disagreement(place, point, float(rule), float(slope))
        if all(place in before and same(before[place], d) for place, d in found.items()):
            break  # more digits change nothing: it is no rounding
        left = list(found)
    return list(found.values())


def same(a: Disagreement, b: Disagreement) -> bool:
    """Whether more digits gave the same two values."""
    return abs(a.rules - b.rules) <= 1e-12 * abs(b.rules) and (
        abs(a.derivative - b.derivative) <= 1e-12 * abs(b.derivative)
    )


# -- float64 ------------------------------------------------------------------------------------


def float_point(problem: Problem) -> Point:
    """The current values, in float64."""
    return {t: np.asarray(t._data, np.float64)[()] for t in problem.given}


def float_slope(problem: Problem, place: Place, budget: Budget) -> tuple[float, float]:
    """A central difference in float64, and how far it may be off."""
    entries, base = float_entries(), float_point(problem)
    tensor, index = place
    size = max(1.0, abs(float(np.asarray(base[tensor])[index])))

    def at(step: float) -> float:
        point = {**base, tensor: moved(base[tensor], index, step)}
        return float(problem.run(entries, point, budget)[0])

    h = 1e-5 * size  # error h² from the formula, 1e-16 / h from rounding
    wide, narrow = ((at(s) - at(-s)) / (2 * s) for s in (h, h / 2))
    best = (4 * narrow - wide) / 3
    rounding = 1e-15 * max(abs(at(0.0)), 1e-30) / h
    return best, 4 * abs(narrow - wide) + 8 * rounding


@dataclass(frozen=True, slots=True)
class Rounding:
    """How far rounding can move the root and the gradients, and what one forward run costs."""

    root: Any  # in float64
    root_spread: Any
    spreads: dict[Any, Any]  # by key; empty when the rules run on tensors only
    work: int  # entries that a forward run calculates


def rounding_of(problem: Problem, kind: np.dtype, budget: Budget) -> Rounding:
    """Run the graph with the rounding of its type put in at random at every operation.

    What that changes is what rounding can do here. Raises: NoSymbols.
    """
    base = float_point(problem)
    clean = float_entries()
    before = budget.spent
    _, values = problem.run(clean, base, budget)
    work = budget.spent - before
    root = values[problem.graph.root]
    grads = {} if problem.graph.custom else problem.rules(clean, values, budget)
    source = np.random.default_rng(0)
    unit = float(np.finfo(kind).eps)

    def noisy(value: Any) -> Any:
        """Whole numbers stay: they are exact in every type; indices are not calculated."""
        if np.asarray(value).dtype.kind != "f":
            return value
        moved = value * (1 + unit * source.uniform(-1, 1, np.shape(value)))
        return np.where(value == np.round(value), value, moved)[()]

    spread = np.zeros(np.shape(root))
    wanted = {key_of(t) for t in problem.given}
    spreads = {k: np.zeros(np.shape(g)) for k, g in grads.items() if k in wanted}
    for _ in range(3):
        entries = float_entries(noisy)
        _, moved_values = problem.run(entries, base, budget)
        spread = np.maximum(spread, np.abs(moved_values[problem.graph.root] - root))
        if spreads:
            again = problem.rules(entries, moved_values, budget)
            for k in spreads:
                spreads[k] = np.maximum(spreads[k], np.abs(again[k] - grads[k]))
    return Rounding(root, spread, spreads, work)

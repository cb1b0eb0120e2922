"""Numbers in float64: slopes of what has neither formulas nor many digits, a witness, and rounding.

What runs on float64 only, such as a Function of the user's that takes numbers out of its tensors,
is compared here and the report says so. How far rounding can move a result is measured too.

Read next: faces/symbolic/verdict.py
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from graphlab.autograd.backward import key_of
from graphlab.faces.symbolic.budget import Budget, Unsupported
from graphlab.faces.symbolic.interpretation import float_interpretation
from graphlab.faces.symbolic.numeric_check import Place, Point, Problem, moved

EPS = 1e-6  # the step of `gradcheck`
FLOAT_WORK = 100_000_000_000  # entries that may be calculated in float64: the clock ends it before


def float_point(problem: Problem) -> Point:
    """The current values, in float64."""
    return {t: np.asarray(t._data, np.float64)[()] for t in problem.given}


class Slopes:
    """Slopes of the root in float64, along directions in which several entries move at once."""

    def __init__(self, problem: Problem, budget: Budget) -> None:
        self.problem, self.budget = problem, budget
        self.entries, self.base = float_interpretation(), float_point(problem)
        self.value = abs(self.at({}, 0.0))

    def at(self, direction: Mapping[Place, float], step: float) -> float:
        """The root, a step away."""
        point = dict(self.base)
        for (tensor, index), by in direction.items():
            point[tensor] = moved(point[tensor], index, step * by)
        return float(self.problem.run(self.entries, point, self.budget)[0])

    def step(self, direction: Mapping[Place, float]) -> float:
        """One for which the formula errs by its square, and rounding by 1e-16 through it."""
        return 1e-5 * max(1.0, *(abs(float(np.asarray(self.base[t])[i])) for t, i in direction))

    def quick(self, direction: Mapping[Place, float]) -> float:
        """A central difference."""
        h = self.step(direction)
        return (self.at(direction, h) - self.at(direction, -h)) / (2 * h)

    def along(self, direction: Mapping[Place, float], wide: float) -> tuple[float, float]:
        """A better one, and how far it may be off. wide: the quick one."""
        h = self.step(direction)
        narrow = (self.at(direction, h / 2) - self.at(direction, -h / 2)) / h
        rounding = 1e-15 * max(self.value, 1e-30) / h
        return (4 * narrow - wide) / 3, 4 * abs(narrow - wide) + 8 * rounding


def sides_of_kink(problem: Problem, place: Place, budget: Budget) -> tuple[float, float]:
    """The slopes to the left and to the right of an entry at a kink; nan where it is on none.

    Raises: Unsupported.
    """
    slopes, direction = Slopes(problem, budget), {place: 1.0}
    middle = slopes.at(direction, 0.0)

    def at_step(h: float) -> tuple[float, float]:
        far, near = (
            [side * (slopes.at(direction, side * s) - middle) / s for side in (-1, 1)]
            for s in (h, h / 2)
        )
        left, right = (2 * b - a for a, b in zip(far, near, strict=True))
        return left, right

    h = slopes.step(direction)
    wide, narrow = at_step(h), at_step(h / 8)  # a kink that is near, and not here, differs in these
    noise = 64e-15 * max(abs(middle), 1e-30) / h
    gap = abs(wide[1] - wide[0])
    moved = max(abs(a - b) for a, b in zip(wide, narrow, strict=True))
    if gap <= 1e-6 * max(map(abs, wide)) + noise or moved > 1e-3 * gap + noise:
        return float("nan"), float("nan")
    return min(wide) - noise, max(wide) + noise


@dataclass(frozen=True, slots=True)
class Slope:
    """What the gradient of an entry is in float64; nan where the function is not smooth.

    measured: it is a difference quotient; else what the rules give, where the quotients agree.
    """

    value: float
    measured: bool = True


def measured(
    problem: Problem, places: Sequence[Place], rounding: "Rounding", budget: Budget
) -> Iterator[tuple[Place, Slope]]:
    """The gradients of entries by the rules, where the slopes agree, else by the slopes.

    All entries are moved at once, along a direction at random; where that does not agree halves of
    them are, one half to its end before the other, so that one that differs is found soon. Raises:
    Unsupported; what came before it counts.
    """
    source = random.Random(len(places))
    slopes = Slopes(problem, budget)
    groups = [list(places)]
    while groups:
        group = groups.pop()
        single = len(group) == 1
        direction = {
            p: 1.0 if single else source.choice((1, -1)) * source.randint(512, 1536) / 1024
            for p in group
        }
        rules = [rule_of(rounding, p) for p in group]
        given = [r * direction[p] for p, r in zip(group, rules, strict=True) if r is not None]
        known = len(given) == len(group)
        largest = max(map(abs, given), default=0.0)
        wide = slopes.quick(direction)
        if single or abs(sum(given) - wide) <= 0.01 * largest:
            slope, error = slopes.along(direction, wide)
            sharp = error <= 1e-4 * max(abs(slope), 1e-3)
            if sharp and known and abs(sum(given) - slope) <= error + 1e-7 * largest:
                yield from ((p, Slope(r, False)) for p, r in zip(group, rules, strict=True))  # type: ignore[arg-type]
                continue
            if single:
                yield group[0], Slope(slope if sharp else float("nan"))
                continue
        half = len(group) // 2
        groups += [group[half:], group[:half]]


def rule_of(rounding: "Rounding", place: Place) -> float | None:
    """The gradient of an entry that the rules give in float64; None when they did not run."""
    if not rounding.spreads:
        return None
    grad = rounding.grads.get(key_of(place[0]))
    return 0.0 if grad is None else float(np.asarray(grad)[place[1]])


def central_differences(
    problem: Problem, places: Sequence[Place], budget: Budget
) -> dict[Place, float]:
    """(f(x + eps) - f(x - eps)) / (2 eps) for each entry, as `gradcheck` measures it.

    An entry for which there was no time, or whose neighbours have no value, is left out.
    """
    entries, base = float_interpretation(), float_point(problem)
    found: dict[Place, float] = {}
    try:
        for tensor, index in places:
            left, right = (
                float(
                    problem.run(
                        entries, {**base, tensor: moved(base[tensor], index, step)}, budget
                    )[0]
                )
                for step in (-EPS, EPS)
            )
            found[tensor, index] = (right - left) / (2 * EPS)
    except Unsupported:
        pass
    return found


def ulps(got: Any, want: Any, kind: np.dtype) -> Any:
    """How far apart two numbers are, in units in the last place of the type `kind`.

    The unit is that of `want`; nan where one of them is nan, 0 where both are too large.

    >>> float(ulps(np.float32(1) + np.float32(2**-23), 1.0, np.dtype("f4")))
    1.0
    """
    with np.errstate(all="ignore"):
        got, want = np.asarray(got, np.float64), np.asarray(want, np.float64)
        nearest = np.abs(want).astype(kind)
        unit = np.spacing(nearest).astype(np.float64)
        apart = np.abs(got - want) / unit
        both = np.isinf(got) & np.isinf(nearest) & (np.sign(got) == np.sign(want))
        one = np.isinf(got) ^ np.isinf(nearest)
        return np.where(both, 0.0, np.where(one & ~np.isnan(want), np.inf, apart))[()]


@dataclass(frozen=True, slots=True)
class Rounding:
    """How far rounding can move the root and the gradients, and what one forward run costs."""

    root: Any  # in float64
    root_spread: Any
    spreads: dict[Any, Any]  # by key; empty when the rules run on tensors only
    grads: dict[Any, Any]  # what the rules give in float64, by key
    work: int  # entries that a forward run calculates


def rounded(value: Any, kind: np.dtype) -> Any:
    """The value as the type holds it, in float64; it stays where the type has none so large."""
    if np.asarray(value).dtype.kind != "f":
        return value
    nearest = np.asarray(value).astype(kind).astype(np.float64)
    return np.where(np.isfinite(nearest), nearest, value)[()]


def rounding_of(problem: Problem, kind: np.dtype, budget: Budget) -> Rounding:
    """Run the graph with the rounding of its type put in at every operation, and at random.

    What that changes is what rounding can do here. Raises: Unsupported.
    """
    base = float_point(problem)
    clean = float_interpretation()
    before = budget.spent
    _, values = problem.run(clean, base, budget)
    work = budget.spent - before
    root = values[problem.graph.root]
    grads = {} if problem.graph.custom else problem.rules(clean, values, budget)
    source, single = np.random.default_rng(0), random.Random(0)
    unit = float(np.finfo(kind).eps)

    def noisy(value: Any) -> Any:
        """Whole numbers stay, where the type has them all; indices are not calculated."""
        if type(value) is np.float64:  # as below, and quicker
            exact = value.is_integer() and abs(value) <= 1 / unit
            return value if exact else value * (1 + unit * (2 * single.random() - 1))
        if np.asarray(value).dtype.kind != "f":
            return value
        moved = value * (1 + unit * source.uniform(-1, 1, np.shape(value)))
        exact = (value == np.round(value)) & (np.abs(value) <= 1 / unit)
        return np.where(exact, value, moved)[()]

    spread = np.zeros(np.shape(root))
    wanted = {key_of(t) for t in problem.given}
    spreads = {k: np.zeros(np.shape(g)) for k, g in grads.items() if k in wanted}
    # the type's own rounding too: in a long chain it may lie to the same side at every step
    own = [] if kind == np.float64 else [partial(rounded, kind=kind)]
    for change in (noisy, noisy, noisy, *own):
        entries = float_interpretation(change)
        _, moved_values = problem.run(entries, base, budget)
        spread = np.maximum(spread, np.abs(moved_values[problem.graph.root] - root))
        if spreads:
            again = problem.rules(entries, moved_values, budget)
            for k in spreads:
                spreads[k] = np.maximum(spreads[k], np.abs(again[k] - grads[k]))
    return Rounding(root, spread, spreads, {k: grads[k] for k in spreads}, work)

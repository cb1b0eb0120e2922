"""Compare at points on every branch of a formula: a mistake may be on a branch rarely taken.

    where(x > 0, ..., where(x > -0.3, ..., ...))   random points of one scale may miss -0.3 < x < 0

Read next: faces/symbolic/finite_differences.py
"""

import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import isnan
from typing import Any

import numpy as np

from graphlab.faces.symbolic.budget import Budget
from graphlab.faces.symbolic.finite_differences import OUTSIDE
from graphlab.faces.symbolic.mp_arithmetic import context, evaluate
from graphlab.faces.symbolic.numeric_check import Disagreement, compare_at
from graphlab.faces.symbolic.problem import Place, Point, Problem, draw, fractions
from graphlab.faces.symbolic.symbolic_graph import SymbolicGraph
from graphlab.primitives.sympy_reading.object_arrays import places

TRIES = 120  # points that are drawn
MOST_SWITCHES = 12  # conditions; a formula with more is not searched for branches
MOST_POINTS = 6  # points on other branches that are compared
SCALES = (1, Fraction(1, 10), Fraction(1, 4), 4, Fraction(1, 50), 20)


def compare_on_branches(
    problem: Problem, formulas: SymbolicGraph, left: Sequence[Place], budget: Budget
) -> list[Disagreement]:
    """Return what differs on branches other than the current one. Raises: Unsupported.

    Only a mask or a user-defined Function can be wrong there: the rules of operations are proved
    elsewhere. Where they follow PyTorch instead of calculus, as beyond the clamps of
    binary_cross_entropy, the user's graph is not at fault.
    """
    switches = formulas.arithmetic.switches.values()
    if not (problem.graph.functions or any(switch.kind == "mask" for switch in switches)):
        return []
    for point in points_on_branches(problem, formulas, budget):
        try:
            differ = compare_at(problem, point, left, budget)
        except OUTSIDE:
            continue
        if differ and not any(isnan(d.rules) for d in differ):
            return differ
    return []


def points_on_branches(
    problem: Problem, formulas: SymbolicGraph, budget: Budget
) -> Iterator[Point]:
    """Yield a point on each other branch that is found. Raises: Unsupported."""
    switches = sorted(formulas.arithmetic.switches.values(), key=lambda s: int(s.symbol.name[1:]))
    if not 0 < len(switches) <= MOST_SWITCHES:
        return
    source, base = random.Random(1), {t: fractions(t._data) for t in problem.given}
    seen = {answers(formulas, switches, base)}
    for attempt in range(TRIES):
        scale = SCALES[attempt % len(SCALES)]
        point = {
            t: values if t in problem.assumed and problem.assumed[t].whole else values * scale
            for t, values in draw(problem, base, source, attempt).items()
        }
        budget.take(len(switches))
        found = answers(formulas, switches, point)
        if found is not None and found not in seen:
            seen.add(found)
            yield point
            if len(seen) > MOST_POINTS:
                return


def answers(formulas: SymbolicGraph, switches: list[Any], point: Point) -> tuple[int, ...] | None:
    """Return the sign of every condition at a point; None on a kink, or outside the domain."""
    number = context().convert
    values: dict[Any, Any] = {}
    for tensor, symbols in formulas.symbols.items():
        for index in places(np.shape(symbols)):
            entry = Fraction(np.asarray(point[tensor], object)[index])
            symbol = np.asarray(symbols, object)[index]
            values[symbol] = number(entry.numerator) / entry.denominator
            if symbol in formulas.whole:
                values[formulas.whole[symbol]] = values[symbol]
    signs = []
    try:
        for switch in switches:
            value = evaluate(switch.of, values)
            if value == 0:
                return None
            signs.append(1 if value > 0 else -1)
            values[switch.symbol] = number(switch.at(signs[-1]))
    except OUTSIDE:
        return None
    return tuple(signs)

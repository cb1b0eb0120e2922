"""Compare elsewhere: on every branch of a formula, and Functions at other inputs.

A mistake may be on a branch rarely taken:

    where(x > 0, ..., where(x > -0.3, ..., ...))   random points of one scale may miss -0.3 < x < 0

A user-defined Function that runs on numbers only, or that branches on values, also runs at a few
other values, and its backward is compared with finite differences of its forward. Every Function
must return 0 if the incoming gradient is 0, as in PyTorch's gradcheck.

Read next: faces/symbolic/finite_differences.py
"""

import random
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from math import isnan
from typing import Any

import numpy as np

from graphlab.faces.symbolic.budget import Budget
from graphlab.faces.symbolic.custom_functions import USES_OUTSIDE
from graphlab.faces.symbolic.diagnosis import compare_function
from graphlab.faces.symbolic.diagnosis_slopes import Diagnosis
from graphlab.faces.symbolic.finite_differences import OUTSIDE, UNIT, unit_of
from graphlab.faces.symbolic.live_graph import (
    Context,
    Node,
    Subgraph,
    get_rng_state,
    inputs_of,
    set_rng_state,
)
from graphlab.faces.symbolic.mp_arithmetic import context, evaluate
from graphlab.faces.symbolic.numeric_check import Disagreement, compare_at
from graphlab.faces.symbolic.problem import Place, Point, Problem, draw, fractions
from graphlab.faces.symbolic.report import Row
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


# -- user-defined Functions -----------------------------------------------------------------------

FACTORS = (-1.0, 0.1, -0.1, 3.0, 0.5)  # times the current values
LARGEST = 4_096  # entries: a Function with larger inputs is not run again
MOST = 8  # the most Functions of a graph that are run again


def varies(graph: Subgraph, node: Context) -> bool:
    """Return whether a Function has no formula for all values, and others can be compared.

    They cannot if it uses a tensor from outside, which would have another value too.
    """
    recorded = graph.functions.get(node)
    return recorded.value_dependent if recorded else graph.reason != USES_OUTSIDE


def wrong_elsewhere(graph: Subgraph, run: Any, entries: Any) -> list[Diagnosis]:
    """Return the Functions whose backward is right at the current values and wrong otherwise.

    run: computes the values of all results. entries: the interpretation in floats.
    """
    own = [(i, n) for i, n in enumerate(graph.nodes) if isinstance(n, Context)][:MOST]
    if not own or graph.random:
        return []
    state, found = get_rng_state(), []
    with suppress(Exception), np.errstate(all="ignore"):  # a Function may raise anything
        values = run()
        for place, node in own:
            inputs = inputs_of(node, values, entries)
            here, wrong = compare_function(node, inputs), []
            if here and isnan(here.derivative):
                wrong = [("", here)]
            elif not here and varies(graph, node) and unit_of(entries.returned) == UNIT:
                wrong = list(mistakes(node, inputs))
            for at, (index, entry, got, want, given, _) in wrong[:1]:
                what, own = (index, entry, got, want), node.function.__name__
                found.append(Diagnosis(place, node.name(), *what, own, at=at, given=given))
    set_rng_state(state)
    return found


def mistakes(node: Context, inputs: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    """Yield the inputs at which a Function is wrong, as text, and what is wrong there."""
    if sum(map(np.size, inputs)) > LARGEST:
        return
    for factor in FACTORS:
        moved = [
            x if edge is None or np.asarray(x).dtype.kind != "f" else elsewhere(x, factor)
            for x, edge in zip(inputs, node._next, strict=True)
        ]
        with suppress(Exception):
            first, again = (compare_function(node, moved) for _ in range(2))
            if first is not None and again == first:
                at = np.asarray(moved[first.input])
                yield (f"{at.item():.6g}" if at.size == 1 else ""), first


def elsewhere(data: Any, factor: float) -> Any:
    """Return other values: about the current ones, times a factor."""
    source = np.random.default_rng(np.size(data))
    size = np.where(data == 0, 1.0, np.abs(data)) * source.uniform(0.8, 1.25, np.shape(data))
    return (np.where(data == 0, 1.0, np.sign(data)) * factor * size)[()]


def told(rows: dict[Any, Row], graph: Subgraph, found: Sequence[Diagnosis]) -> dict[Any, Row]:
    """Return the rows; gradients that come through a wrong Function now disagree."""
    for one in found:
        node: Node = graph.nodes[one.place or 0]
        behind = graph.behind(node._next[one.input or 0])
        where = f"where its input is {one.at}" if one.at else "at other values"
        note = f"{one.function} is right at the current values and wrong {where}"
        if isnan(one.derivative):
            note = f"{one.function} does not multiply by the incoming gradient"
        for tensor, row in rows.items():
            if tensor in behind and row.right:
                notes = "; ".join(text for text in (note, row.note) if text)
                rows[tensor] = replace(row, verdict="disagrees", note=notes, points=0)
    return rows

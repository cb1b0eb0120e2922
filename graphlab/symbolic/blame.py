"""Which node is to blame for a gradient that is not the derivative.

Every node is looked at by itself. What goes in and the gradient that came are known, so what its
rule sends along an edge must be the slope of one small function of that input:

    rule(grad, inputs)   is it the derivative of   sum(grad * forward(inputs))   ?

One direction at random settles an edge; so the cost is that of a few forward passes, however large
the graph. When every rule is right the numbers went another way than the rules: the first gradient,
from the root on, that is not what they give shows where.

Read next: symbolic/blame_numbers.py
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np

from graphlab.autograd.function import Context
from graphlab.autograd.node import Node
from graphlab.autograd.views import CopySlices
from graphlab.symbolic.advice import Blame
from graphlab.symbolic.backward import gradient_of, sent_by
from graphlab.symbolic.blame_numbers import wrong_functions, wrong_numbers
from graphlab.symbolic.clock import Budget, Clock, Misfit, NoSymbols, within
from graphlab.symbolic.digits import context
from graphlab.symbolic.expressions import (
    Walk,
    inputs_of,
    outputs_of,
)
from graphlab.symbolic.namespace import places
from graphlab.symbolic.numeric import (
    OUTSIDE,
    Disagreement,
    Exact,
    Problem,
    fractions,
    is_smooth,
    now,
)
from graphlab.tensor import Tensor

DIGITS = 50
SAME = 1e-15  # relative: far above what 50 digits err by, far below any mistake
SECONDS = 4.0  # that looking may take
WORK = 3_000_000  # entries calculated with many digits in all
MOST = 3  # nodes that are named
ENTRIES = 16  # of an input that are looked at one by one, for the one to show


def who_is_wrong(
    problem: Problem, wrong: Disagreement | None, root: Tensor, named: Mapping[Tensor, str]
) -> tuple[Blame, ...]:
    """The nodes at fault, those next to the root first; () where none was found in SECONDS.

    wrong: where the gradient and the derivative differ; None: nothing but the shape is known.
    """
    found: list[Blame] = []

    def look(ways: Callable[[], Iterator[Blame]]) -> None:
        with suppress(Exception), np.errstate(all="ignore"):  # a Function may raise anything
            within(Clock(SECONDS), lambda: found.extend(ways()))  # what was found by then counts

    look(lambda: suspects(problem, wrong, root, named))
    if not found:  # it may have been too much for 50 digits
        look(lambda: islice(wrong_functions(problem), MOST))
    return tuple(found)


def suspects(
    problem: Problem, wrong: Disagreement | None, root: Tensor, named: Mapping[Tensor, str]
) -> Iterator[Blame]:
    """The nodes at fault, one after the other. Raises: what the user's own code raises."""
    none = True
    try:
        if wrong is None:
            point = now(problem)
        else:
            point = {tensor: fractions_of(values) for tensor, values in wrong.point.items()}
        exact = Exact(problem, point, DIGITS, Budget(WORK))
        for blame in islice(wrong_rules(problem, exact), MOST):
            none = False
            yield blame
        if none:
            yield from wrong_numbers(problem, exact, root, named)
    except Misfit as misfit:
        node = misfit.node
        yield Blame(problem.graph.nodes.index(node), node.name(), misfit.input)
    except (NoSymbols, OverflowError, *OUTSIDE):
        return


def fractions_of(values: Any) -> Any:
    """The values of a point, exactly."""
    is_exact = all(isinstance(x, Fraction) for x in np.asarray(values, object).flat)
    return values if is_exact else fractions(np.asarray(values, np.float64)[()])


def wrong_rules(problem: Problem, exact: Exact) -> Iterator[Blame]:
    """The edges along which a rule sends what is not the slope, from the root on."""
    graph, entries, values = problem.graph, exact.entries, exact.values
    for place, node in reversed(list(enumerate(graph.nodes))):
        grad = gradient_of(node, exact.rules, entries)
        if grad is None:
            continue
        sent = sent_by(graph, node, values, grad, entries, exact.budget)
        inputs = inputs_of(node, values, entries)
        for index, (edge, at) in enumerate(zip(node._next, places_of_edges(node), strict=True)):
            if edge is None:
                continue
            run = weighted(graph, node, inputs, at, grad, exact)
            blame = compare_edge(run, np.asarray(inputs[at], object), sent[index], exact)
            if blame is not None:
                entry, got, want = blame
                own = node.function.__name__ if isinstance(node, Context) else ""
                yield Blame(place, node.name(), index, entry, got, want, own)


def places_of_edges(node: Node) -> list[int]:
    """Which of the inputs of a node each of its edges stands for."""
    if node.op.variadic or isinstance(node, Context | CopySlices):
        return list(range(len(node._next)))
    return [i for i, name in enumerate(node.op.inputs) if name in node.op.rules]


def weighted(
    graph: Walk, node: Node, inputs: Sequence[Any], at: int, grad: Any, exact: Exact
) -> Callable[[Any], Any]:
    """The function of one input that the rule is the derivative of: sum(grad * forward(inputs))."""
    grads = grad if node.many else (grad,)
    written = graph.functions.get(node)

    def run(data: Any) -> Any:
        moved = [data if i == at else x for i, x in enumerate(inputs)]
        if written is None:
            outputs = outputs_of(node, moved, exact.entries)
        else:
            outputs = written.outputs(moved, exact.entries, exact.budget)
        exact.budget.take(sum(map(np.size, outputs)))
        parts = [g * y for g, y in zip(grads, outputs, strict=False) if g is not None]
        flat = [x for part in parts for x in np.asarray(part, object).flat]
        return exact.arithmetic.number(exact.arithmetic.total(flat))

    return run


def compare_edge(
    run: Callable[[Any], Any], base: np.ndarray, sent: Any, exact: Exact
) -> tuple[tuple[int, ...], float, float] | None:
    """The entry at which what is sent is not the slope, with both; None where all is well."""
    source = random.Random(base.size)
    sent = np.zeros(base.shape, object) if sent is None else np.asarray(sent, object)
    direction = np.empty(base.shape, object)
    for index in places(base.shape):
        direction[index] = Fraction(source.choice((1, -1)) * source.randint(512, 1536), 1024)
    if differs(run, base, sent, direction, exact) is None:
        return None
    shown = ((), float("nan"), float("nan"))
    largest = -1.0
    for index in islice(places(base.shape), ENTRIES):
        one = np.full(base.shape, Fraction(0), object)
        one[index] = Fraction(1)
        found = differs(run, base, sent, one, exact)
        if found is not None and abs(found[0] - found[1]) > largest:
            largest = abs(found[0] - found[1])
            shown = (index, float(found[0]), float(found[1]))
    return shown


def differs(
    run: Callable[[Any], Any], base: np.ndarray, sent: Any, direction: np.ndarray, exact: Exact
) -> tuple[Any, Any] | None:
    """What is sent along a direction, and the slope, when they differ."""
    number, step = exact.arithmetic.number, exact.step
    along = np.asarray(np.frompyfunc(number, 1, 1)(direction), object)

    def at(side: int) -> Any:
        moved = base + along * (side * step)
        return run(np.asarray(moved, object)[()])

    left, middle, right = at(-1), at(0), at(1)
    slope = (right - left) / (2 * step)
    terms = [number(s) * a for s, a in zip(sent.flat, along.flat, strict=True)]
    given = exact.arithmetic.total(terms) if terms else number(0)
    size = max([abs(slope), *map(abs, terms)])
    rounding = abs(middle) * context(DIGITS).mpf(10) ** (-DIGITS // 2)
    if abs(given - slope) <= SAME * size + rounding:
        return None
    low, high = sorted(((middle - left) / step, (right - middle) / step))
    if is_smooth(float(low), float(high)):
        return given, slope
    slack = abs(high - low) * 1e-9  # on a kink any slope from one to the other is right
    return None if low - slack <= given <= high + slack else (given, low if given < low else high)

"""Find the node at fault for a gradient that is not the derivative.

Each node is checked by itself. Its inputs and its incoming gradient are known, so what its rule
sends along an edge must be the derivative of one small function of that input:

    rule(grad, inputs)   must be the derivative of   sum(grad * forward(inputs))

One random direction suffices for an edge, so the cost is that of a few forward passes, however
large the graph is. If every rule is right, the engine computed something other than the rules give;
then the first gradient, beginning at the root, that differs from the rules' shows where.

Read next: faces/symbolic/diagnosis_slopes.py
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

import numpy as np

from graphlab.faces.symbolic.backward_interpretation import gradient_of, sent_by
from graphlab.faces.symbolic.budget import Allowance, ShapeMismatch
from graphlab.faces.symbolic.diagnosis_numbers import compare_function, wrong_numbers
from graphlab.faces.symbolic.diagnosis_slopes import DigitSlopes, FloatSlopes, NodeSlopes, Run
from graphlab.faces.symbolic.diagnosis_text import Diagnosis
from graphlab.faces.symbolic.finite_differences import FLOAT_OVERHEAD, FLOAT_WORK
from graphlab.faces.symbolic.interpretation import outputs_of
from graphlab.faces.symbolic.live_graph import Context, CopySlices, Node, Tensor, inputs_of
from graphlab.faces.symbolic.numeric_check import Disagreement
from graphlab.faces.symbolic.problem import Problem

DIGIT_WORK = 300_000  # entries calculated with many digits
LARGE = 50_000  # entries of a forward pass: for more, float64 is tried before 50 digits
MOST = 3  # the most nodes that are named
ENTRIES = 16  # the most entries of an input that are compared one by one


def diagnose(
    problem: Problem,
    wrong: Disagreement | None,
    root: Tensor,
    named: Mapping[Tensor, str],
    work: int,
    allowance: Allowance,
) -> tuple[Diagnosis, ...]:
    """Return the nodes at fault, nearest to the root first; () if the budget is used up before.

    wrong: where the gradient and the derivative differ; None if only the shape is known to be
    wrong. work: the number of entries that a forward pass calculates.
    """
    found: list[Diagnosis] = []
    digits = allowance.budget(DIGIT_WORK, least=1.0)
    floats = allowance.budget(FLOAT_WORK, FLOAT_OVERHEAD, least=1.0)
    kinds = [(DigitSlopes, digits), (FloatSlopes, floats)]
    for kind, budget in reversed(kinds) if problem.graph.custom or work > LARGE else kinds:
        if found:
            break
        with suppress(Exception), np.errstate(all="ignore"):  # a Function may raise anything
            try:  # what was found until an error counts
                found.extend(suspects(kind(problem, wrong, root, budget), root, named))
            except ShapeMismatch as mismatch:
                node = mismatch.node
                place = problem.graph.nodes.index(node)
                found.append(Diagnosis(place, node.name(), mismatch.input))
    return tuple(found)


def suspects(slopes: NodeSlopes, root: Tensor, named: Mapping[Tensor, str]) -> Iterator[Diagnosis]:
    """Yield the nodes at fault. Raises: what the user's code raises."""
    none = True
    for one in islice(wrong_rules(slopes), MOST):
        none = False
        yield one
    if none and slopes.here:
        yield from wrong_numbers(slopes, root, named)


def wrong_rules(slopes: NodeSlopes) -> Iterator[Diagnosis]:
    """Yield the edges along which a rule does not send the slope, beginning at the root."""
    entries, values = slopes.entries, slopes.values
    graph = slopes.problem.graph
    for place, node in reversed(list(enumerate(graph.nodes))):
        grad = gradient_of(node, slopes.grads, entries)
        if grad is None:
            continue
        inputs = inputs_of(node, values, entries)
        if isinstance(node, Context) and node not in graph.functions:
            if (mistake := compare_function(node, inputs)) is not None:
                index, got, want = mistake
                yield Diagnosis(place, node.name(), index, (), got, want, node.function.__name__)
            continue
        sent = sent_by(graph, node, values, grad, entries, slopes.budget)
        for index, (edge, at) in enumerate(zip(node._next, places_of_edges(node), strict=True)):
            if edge is None:
                continue
            run = weighted(slopes, node, inputs, at, grad)
            base = np.asarray(inputs[at], slopes.dtype)
            found = compare_edge(slopes, run, base, sent[index])
            if found is not None:
                entry, got, want = found
                own = node.function.__name__ if isinstance(node, Context) else ""
                yield Diagnosis(place, node.name(), index, entry, got, want, own)


def places_of_edges(node: Node) -> list[int]:
    """Return, for each edge of a node, the position of its input."""
    if node.op.variadic or isinstance(node, Context | CopySlices):
        return list(range(len(node._next)))
    return [i for i, name in enumerate(node.op.inputs) if name in node.op.rules]


def weighted(slopes: NodeSlopes, node: Node, inputs: Sequence[Any], at: int, grad: Any) -> Run:
    """Return grad * forward(inputs) as a function of one input; the rule derives its sum."""
    grads = grad if node.many else (grad,)
    recorded = slopes.problem.graph.functions.get(node)

    def run(data: Any) -> list[Any]:
        moved = [data if i == at else x for i, x in enumerate(inputs)]
        if recorded is None:
            outputs = outputs_of(node, moved, slopes.entries)
        else:
            outputs = recorded.outputs(moved, slopes.entries, slopes.budget)
        slopes.budget.take(sum(map(np.size, outputs)))
        return [g * y for g, y in zip(grads, outputs, strict=False) if g is not None]

    return run


def compare_edge(
    slopes: NodeSlopes, run: Run, base: np.ndarray, sent: Any
) -> tuple[tuple[int, ...], float, float] | None:
    """Return an entry whose gradient is not the slope, with both values; None if all are right."""
    sent = np.zeros(base.shape, slopes.dtype) if sent is None else np.asarray(sent, slopes.dtype)
    along = slopes.along(base.size)

    def differs(entries: np.ndarray, by: np.ndarray) -> tuple[Any, Any] | None:
        direction = np.zeros(base.size, slopes.dtype)
        direction[entries] = by[entries]
        return slopes.differs(run, base, sent, direction.reshape(base.shape))

    left = np.arange(base.size)
    if differs(left, along) is None:
        return None
    while left.size > ENTRIES:
        half = left[: left.size // 2]
        left = half if differs(half, along) is not None else left[left.size // 2 :]
    alone = np.ones(base.size, slopes.dtype)
    shown = [(int(i), found) for i in left if (found := differs(left[left == i], alone))]
    if not shown:
        return None
    flat, (got, want) = max(shown, key=lambda one: abs(one[1][0] - one[1][1]))
    entry = np.unravel_index(flat, base.shape)
    return tuple(map(int, entry)), float(got), float(want)

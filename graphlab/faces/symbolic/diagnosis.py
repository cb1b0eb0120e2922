"""Which node is to blame for a gradient that is not the derivative.

Every node is looked at by itself. What goes in and the gradient that came are known, so what its
rule sends along an edge must be the slope of one small function of that input:

    rule(grad, inputs)   is it the derivative of   sum(grad * forward(inputs))   ?

One direction at random settles an edge; so the cost is that of a few forward passes, however large
the graph. When every rule is right the numbers went another way than the rules: the first gradient,
from the root on, that is not what they give shows where.

Read next: faces/symbolic/diagnosis_slopes.py
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

import numpy as np

from graphlab.autograd.function import Context
from graphlab.autograd.node import Node
from graphlab.autograd.views import CopySlices
from graphlab.faces.symbolic.backward_interpretation import gradient_of, sent_by
from graphlab.faces.symbolic.budget import Clock, ShapeMismatch, within
from graphlab.faces.symbolic.diagnosis_numbers import compare_function, wrong_numbers
from graphlab.faces.symbolic.diagnosis_slopes import InDigits, InFloats, NodeReader, Run
from graphlab.faces.symbolic.diagnosis_text import Diagnosis
from graphlab.faces.symbolic.interpretation import inputs_of, outputs_of
from graphlab.faces.symbolic.numeric_check import Disagreement, Problem
from graphlab.tensor.tensor import Tensor

SECONDS = 3.0  # that looking may take
SHARE = 0.6  # or this part of what the check might take, where that is longer
FIRST = 0.7  # of them, for the first of the two readings
LARGE = 50_000  # entries calculated by a forward pass from which on 50 digits take too long
MOST = 3  # nodes that are named
ENTRIES = 16  # of an input that are looked at one by one, for the one to show


def diagnose(
    problem: Problem,
    wrong: Disagreement | None,
    root: Tensor,
    named: Mapping[Tensor, str],
    work: int,
    budget: float,
) -> tuple[Diagnosis, ...]:
    """The nodes at fault, those next to the root first; () where none was found in time.

    wrong: where the gradient and the derivative differ; None: nothing but the shape is known.
    work: entries that a forward pass calculates. budget: seconds that the check might take.
    """
    found: list[Diagnosis] = []
    clock = Clock(max(SECONDS, SHARE * budget))
    kinds = (InFloats, InDigits) if problem.graph.custom or work > LARGE else (InDigits, InFloats)
    for kind, part in zip(kinds, (clock.part(FIRST), clock), strict=True):

        def look(kind: type[NodeReader] = kind) -> None:
            try:
                found.extend(suspects(kind(problem, wrong, root), root, named))
            except ShapeMismatch as misfit:
                node = misfit.node
                place = problem.graph.nodes.index(node)
                found.append(Diagnosis(place, node.name(), misfit.input))

        if not found:
            with suppress(Exception), np.errstate(all="ignore"):  # a Function may raise anything
                within(part, look)  # what was found by then counts
    return tuple(found)


def suspects(reading: NodeReader, root: Tensor, named: Mapping[Tensor, str]) -> Iterator[Diagnosis]:
    """The nodes at fault, one after the other. Raises: what the user's own code raises."""
    none = True
    for one in islice(wrong_rules(reading), MOST):
        none = False
        yield one
    if none and reading.here:
        yield from wrong_numbers(reading, root, named)


def wrong_rules(reading: NodeReader) -> Iterator[Diagnosis]:
    """The edges along which a rule sends what is not the slope, from the root on."""
    entries, values = reading.entries, reading.values
    graph = reading.problem.graph
    for place, node in reversed(list(enumerate(graph.nodes))):
        grad = gradient_of(node, reading.grads, entries)
        if grad is None:
            continue
        inputs = inputs_of(node, values, entries)
        if isinstance(node, Context) and node not in graph.functions:
            if (mistake := compare_function(node, inputs)) is not None:
                index, got, want = mistake
                yield Diagnosis(place, node.name(), index, (), got, want, node.function.__name__)
            continue
        sent = sent_by(graph, node, values, grad, entries, reading.budget)
        for index, (edge, at) in enumerate(zip(node._next, places_of_edges(node), strict=True)):
            if edge is None:
                continue
            run = weighted(reading, node, inputs, at, grad)
            base = np.asarray(inputs[at], reading.dtype)
            found = compare_edge(reading, run, base, sent[index])
            if found is not None:
                entry, got, want = found
                own = node.function.__name__ if isinstance(node, Context) else ""
                yield Diagnosis(place, node.name(), index, entry, got, want, own)


def places_of_edges(node: Node) -> list[int]:
    """Which of the inputs of a node each of its edges stands for."""
    if node.op.variadic or isinstance(node, Context | CopySlices):
        return list(range(len(node._next)))
    return [i for i, name in enumerate(node.op.inputs) if name in node.op.rules]


def weighted(reading: NodeReader, node: Node, inputs: Sequence[Any], at: int, grad: Any) -> Run:
    """The function of one input whose sum the rule is the derivative of: grad * forward(inputs)."""
    grads = grad if node.many else (grad,)
    written = reading.problem.graph.functions.get(node)

    def run(data: Any) -> list[Any]:
        moved = [data if i == at else x for i, x in enumerate(inputs)]
        if written is None:
            outputs = outputs_of(node, moved, reading.entries)
        else:
            outputs = written.outputs(moved, reading.entries, reading.budget)
        reading.budget.take(sum(map(np.size, outputs)))
        return [g * y for g, y in zip(grads, outputs, strict=False) if g is not None]

    return run


def compare_edge(
    reading: NodeReader, run: Run, base: np.ndarray, sent: Any
) -> tuple[tuple[int, ...], float, float] | None:
    """The entry at which what is sent is not the slope, with both; None where all is well."""
    sent = np.zeros(base.shape, reading.dtype) if sent is None else np.asarray(sent, reading.dtype)
    along = reading.along(base.size)

    def differs(entries: np.ndarray, by: np.ndarray) -> tuple[Any, Any] | None:
        direction = np.zeros(base.size, reading.dtype)
        direction[entries] = by[entries]
        return reading.differs(run, base, sent, direction.reshape(base.shape))

    left = np.arange(base.size)
    if differs(left, along) is None:
        return None
    while left.size > ENTRIES:
        half = left[: left.size // 2]
        left = half if differs(half, along) is not None else left[left.size // 2 :]
    alone = np.ones(base.size, reading.dtype)
    shown = [(int(i), found) for i in left if (found := differs(left[left == i], alone))]
    if not shown:
        return None
    flat, (got, want) = max(shown, key=lambda one: abs(one[1][0] - one[1][1]))
    entry = np.unravel_index(flat, base.shape)
    return tuple(map(int, entry)), float(got), float(want)

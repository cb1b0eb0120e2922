"""Find the node at fault for a gradient that is not the derivative.

Each node is checked by itself. Its inputs and its incoming gradient are known, so what its rule
sends along an edge must be the derivative of one small function of that input:

    rule(grad, inputs)   must be the derivative of   sum(grad * forward(inputs))

One random direction suffices for an edge, so the cost is that of a few forward passes, however
large the graph is. A Function that runs on numbers only is compared with central differences of its
own forward. If every rule is right, the engine computed something other than the rules give; then
the first gradient, beginning at the root, that differs from the rules' shows where.

Read next: faces/symbolic/diagnosis_slopes.py
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from math import nan
from typing import Any

import numpy as np

from graphlab.faces.symbolic.backward_interpretation import backward, gradient_of, sent_by
from graphlab.faces.symbolic.budget import Allowance, ShapeMismatch
from graphlab.faces.symbolic.diagnosis_slopes import (
    Diagnosis,
    DigitSlopes,
    FloatSlopes,
    NodeSlopes,
    Run,
)
from graphlab.faces.symbolic.finite_differences import FLOAT_OVERHEAD, FLOAT_WORK, unit_of
from graphlab.faces.symbolic.interpretation import arguments, outputs_of
from graphlab.faces.symbolic.live_graph import (
    Context,
    CopySlices,
    Key,
    Node,
    Tensor,
    captured,
    edge_of,
    in_float64,
    inputs_of,
    key,
    key_of,
    node_of,
    wrap,
)
from graphlab.faces.symbolic.numeric_check import Disagreement
from graphlab.faces.symbolic.problem import Problem

MOST_SENDERS = 64  # the most nodes that are compared if several send a gradient to one tensor
DIGIT_WORK = 300_000  # entries calculated with many digits
LARGE = 50_000  # entries of a forward pass: for more, float64 is tried before 50 digits
MOST = 3  # the most nodes that are named
ENTRIES = 16  # the most entries of an input that are compared one by one


@in_float64()
def compare_function(node: Context, inputs: Sequence[Any]) -> tuple[int, float, float] | None:
    """Return the input whose gradient is not the slope, with both values; None if all are right.

    The slope is NaN if a gradient is sent although the incoming one is 0.
    """
    source = np.random.default_rng(0)
    leaves = [
        wrap(np.array(x)[()], edge is not None, None)
        for x, edge in zip(inputs, node._next, strict=True)
    ]
    # copies, because a forward may change its inputs in place
    result = node.function.apply(*arguments(node, [leaf.clone() for leaf in leaves]))
    outputs = [
        (i, t)
        for i, t in enumerate(result if isinstance(result, tuple) else (result,))
        if isinstance(t, Tensor) and t._needs
    ]
    grads = {i: source.uniform(0.5, 1.5, np.shape(t._data)) for i, t in outputs}
    moving = [t for t in leaves if t._needs]
    unit = unit_of(t._data.dtype for _, t in outputs)
    capture, at_rest = (
        captured([(edge_of(t), by * grads[i][()]) for i, t in outputs], map(key_of, moving), ())
        for by in (1, 0)
    )

    def outputs_at(index: int, data: Any) -> list[Any]:
        moved = [wrap(np.array(x)[()], False, None) for x in inputs]
        moved[index] = wrap(data, False, None)
        made = node.function.apply(*arguments(node, moved))
        made = made if isinstance(made, tuple) else (made,)
        return [g * made[i]._data for i, g in grads.items()]

    for index, leaf in enumerate(leaves):
        if not leaf._needs:
            continue
        sent = np.ravel(at_rest[key_of(leaf)] if at_rest[key_of(leaf)] is not None else 0.0)
        if np.any(sent != 0):
            return index, float(sent[np.argmax(sent != 0)]), nan
        base, grad = np.asarray(leaf._data, np.float64), capture[key_of(leaf)]
        direction = source.choice((-1.0, 1.0), base.shape) * source.uniform(0.5, 1.5, base.shape)
        sent = np.zeros(base.shape) if grad is None else np.asarray(grad)
        if found := FloatSlopes.differs(partial(outputs_at, index), base, sent, direction, unit):
            return index, *found
    return None


# -- right rules, but other numbers ----------------------------------------------------------------


def wrong_numbers(
    slopes: NodeSlopes, root: Tensor, named: Mapping[Tensor, str]
) -> tuple[Diagnosis, ...]:
    """Return the first gradient, beginning at the root, that differs from the rules'."""
    graph = slopes.problem.graph
    roots = [(edge_of(root), slopes.problem.gradient._data)]
    capture = captured(roots, (*graph.nodes, *graph.leaves), graph.nodes)
    for place, node in reversed(list(enumerate(graph.nodes))):
        want = gradient_of(node, slopes.grads, slopes.entries)
        found = apart(capture[node], want, node.many)
        if found is not None:
            return (at_fault(slopes, capture, node, (place, node.name()), found),)
    for leaf in graph.leaves:
        found = apart(capture[leaf], slopes.grads.get(leaf), False)
        if found is not None:
            own = (None, named.get(leaf, "a leaf"))
            return (at_fault(slopes, capture, leaf, own, found),)
    return ()


def at_fault(
    slopes: NodeSlopes, capture: Mapping[Key, Any], thing: Key, own: tuple[Any, str], found: Any
) -> Diagnosis:
    """Return the diagnosis of a gradient that differs from the rules': its sender.

    own: the place and the name of `thing`. The gradients of all nodes between it and the root are
    right.
    """
    graph, (place, name) = slopes.problem.graph, own
    sender = sender_of(slopes, capture, thing)
    if sender is not None:
        node = graph.nodes[sender]
        place, name = sender, node.name()
    return Diagnosis(place, name, None, *found)


def sender_of(slopes: NodeSlopes, capture: Mapping[Key, Any], thing: Key) -> int | None:
    """Return the place of the node that sends a wrong part of the gradient of `thing`."""
    nodes = slopes.problem.graph.nodes
    senders = [
        place
        for place, node in enumerate(nodes)
        if any(edge is not None and node_of(edge) is thing for edge in node._next)
    ]
    for place in senders[:MOST_SENDERS] if len(senders) > 1 else ():
        node = nodes[place]
        known = not node.many and capture[node] is not None
        if known and sends_wrong(slopes, capture, node, thing):
            return place
    return senders[-1] if senders else None


def sends_wrong(slopes: NodeSlopes, capture: Mapping[Key, Any], node: Node, thing: Key) -> bool:
    """Return whether engine and rules differ in the gradient of `thing` that comes from `node`."""
    graph = slopes.problem.graph
    got = captured([(node, capture[node])], [thing], graph.nodes)[thing]
    part = replace(graph, root=key(node))
    grads = backward(part, slopes.values, slopes.grads[node], slopes.entries, slopes.budget)
    leaf = isinstance(thing, Tensor)
    want = grads.get(thing) if leaf else gradient_of(thing, grads, slopes.entries)
    return apart(got, want, not leaf and thing.many) is not None


def apart(got: Any, want: Any, many: bool) -> tuple[tuple[int, ...], float, float] | None:
    """Return the entry at which two gradients differ by more than rounding, with both values."""
    pairs = zip(got, want, strict=True) if many and got and want else ((got, want),)
    for one, other in pairs:
        if one is None or other is None:
            continue
        a = np.asarray(one, np.float64)
        b = np.asarray(other, object).astype(np.float64)
        size = max(float(np.max(np.abs(b), initial=0)), 1e-30)
        unit = (
            float(np.finfo(np.asarray(one).dtype).eps) if np.asarray(one).dtype.kind == "f" else 1.0
        )
        off = np.abs(a - b)
        if np.max(off, initial=0) > unit**0.5 * size:
            index = tuple(map(int, np.unravel_index(int(np.argmax(off)), off.shape)))
            return index, float(a[index]), float(b[index])
    return None


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

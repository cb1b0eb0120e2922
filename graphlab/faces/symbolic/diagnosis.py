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

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from math import nan
from typing import Any, NamedTuple

import numpy as np

from graphlab.faces.symbolic.backward_interpretation import backward, gradient_of, sent_by
from graphlab.faces.symbolic.budget import Allowance, ShapeMismatch
from graphlab.faces.symbolic.diagnosis_slopes import (
    Diagnosis,
    DigitSlopes,
    FloatSlopes,
    NodeSlopes,
    Run,
    is_constant,
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
RANDOM = "of random numbers"
ENTRIES = 16  # the most entries of an input that are compared one by one


class Mistake(NamedTuple):
    """What a Function sends to an entry of an input, and what it should send.

    derivative: NaN if a gradient is sent although the incoming one is 0. given, constant: as in a
    Diagnosis.
    """

    input: int
    entry: tuple[int, ...]
    gradient: float
    derivative: float
    given: str = ""
    constant: bool = False


@in_float64()
def compare_function(
    node: Context, inputs: Sequence[Any], incoming: Sequence[Any] = ()
) -> Mistake | None:
    """Return a mistake in a Function's backward; None if all gradients are the slopes.

    incoming: the gradients of its outputs in the pass. A mistake is found with random ones, and
    shown with these, or with ones, if it shows there.
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
    drawn = [source.uniform(0.5, 1.5, np.shape(t._data)) for _, t in outputs]
    moving = [t for t in leaves if t._needs]
    unit = unit_of(t._data.dtype for _, t in outputs)

    def sent_for(grads: Sequence[Any], leaf: Tensor) -> Any:
        roots = [(edge_of(t), np.asarray(g)[()]) for (_, t), g in zip(outputs, grads, strict=True)]
        return captured(roots, map(key_of, moving), ())[key_of(leaf)]

    def outputs_at(index: int, grads: Sequence[Any], data: Any) -> list[Any]:
        moved = [wrap(np.array(x)[()], False, None) for x in inputs]
        moved[index] = wrap(data, False, None)
        made = node.function.apply(*arguments(node, moved))
        made = made if isinstance(made, tuple) else (made,)
        return [g * made[i]._data for (i, _), g in zip(outputs, grads, strict=True)]

    tried = [(drawn, RANDOM)]
    if known := [incoming[i] for i, _ in outputs if i < len(incoming)]:
        floats = [np.asarray(0.0 if g is None else g, object).astype(np.float64) for g in known]
        tried += [([np.broadcast_to(g, o.shape) for g, o in zip(floats, drawn, strict=True)], "")]
    tried += [
        ([np.ones(g.shape) for g in drawn], "of ones" if any(map(np.ndim, drawn)) else "of 1")
    ]
    for index, leaf in enumerate(leaves):
        if not leaf._needs:
            continue
        sent = np.asarray(0.0 if (zero := sent_for([0 * g for g in drawn], leaf)) is None else zero)
        if np.any(sent != 0):
            entry = tuple(map(int, np.argwhere(sent != 0)[0]))
            return Mistake(index, entry, float(sent[entry]), nan)
        base = np.asarray(leaf._data, np.float64)
        along = source.choice((-1.0, 1.0), base.shape) * source.uniform(0.5, 1.5, base.shape)
        found = None
        for grads, given in tried:
            sent, run = sent_for(grads, leaf), partial(outputs_at, index, grads)
            sent = np.zeros(base.shape) if sent is None else np.asarray(sent, np.float64)
            differs = partial(FloatSlopes.differs, run, base, sent, unit=unit)
            if (one := compare_edge(differs, along)) is not None:
                constant = one[2] == 0 and is_constant(run, base, along)
                found = Mistake(index, *one, given, constant)
            if (one is None) is (given == RANDOM):
                break  # nothing is wrong, or the numbers to show are found
        if found is not None:
            return found
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
            mistake = compare_function(node, inputs, grad if node.many else (grad,))
            if mistake is not None:
                index, entry, got, want, given, constant = mistake
                what, own = (index, entry, got, want), node.function.__name__
                yield Diagnosis(place, node.name(), *what, own, given=given, constant=constant)
            continue
        sent = sent_by(graph, node, values, grad, entries, slopes.budget)
        for index, (edge, at) in enumerate(zip(node._next, places_of_edges(node), strict=True)):
            if edge is None:
                continue
            run = weighted(slopes, node, inputs, at, grad)
            base = np.asarray(inputs[at], slopes.dtype)
            given = np.zeros(base.shape) if sent[index] is None else sent[index]
            along = slopes.along(base.size).reshape(base.shape)
            differs = partial(slopes.differs, run, base, np.asarray(given, slopes.dtype))
            found = compare_edge(differs, along)
            if found is not None:
                own = node.function.__name__ if isinstance(node, Context) else ""
                constant = bool(own) and found[2] == 0 and is_constant(run, base, along)
                yield Diagnosis(place, node.name(), index, *found, own, constant=constant)


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
    differs: Callable[[np.ndarray], tuple[Any, Any] | None], along: np.ndarray
) -> tuple[tuple[int, ...], float, float] | None:
    """Return an entry whose gradient is not the slope, with both values; None if all are right.

    differs: returns both along a direction if they differ. along: the direction to try first.
    """
    shape, moves = along.shape, along.reshape(-1)

    def among(entries: np.ndarray, by: np.ndarray) -> tuple[Any, Any] | None:
        direction = np.zeros(moves.shape, moves.dtype)
        direction[entries] = by[entries]
        return differs(direction.reshape(shape))

    left = np.arange(moves.size)
    if among(left, moves) is None:
        return None
    while left.size > ENTRIES:
        half = left[: left.size // 2]
        left = half if among(half, moves) is not None else left[left.size // 2 :]
    alone = np.ones(moves.shape, moves.dtype)
    shown = [(int(i), found) for i in left if (found := among(left[left == i], alone))]
    if not shown:
        return None
    flat, (got, want) = max(shown, key=lambda one: abs(one[1][0] - one[1][1]))
    entry = np.unravel_index(flat, shape)
    return tuple(map(int, entry)), float(got), float(want)

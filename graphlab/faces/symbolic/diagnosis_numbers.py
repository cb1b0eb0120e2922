"""Find the node at fault if its rule has no formula, or if every rule is right.

A Function that runs on numbers only is compared with central differences of its own forward. If
every rule is right, the gradients that the engine computed are compared with those from the rules;
the first that differs, beginning at the root, shows the place.

Read next: faces/symbolic/diagnosis_text.py
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from graphlab.faces.symbolic.backward_interpretation import backward, gradient_of
from graphlab.faces.symbolic.diagnosis_slopes import FloatSlopes, NodeSlopes
from graphlab.faces.symbolic.diagnosis_text import Diagnosis
from graphlab.faces.symbolic.interpretation import arguments
from graphlab.faces.symbolic.live_graph import (
    Context,
    Key,
    Node,
    Tensor,
    captured,
    edge_of,
    key,
    key_of,
    place_of,
    wrap,
)

MOST_SENDERS = 64  # the most nodes that are compared if several send a gradient to one tensor
HOOKS = ("tensor hooks", "prehooks", "hooks")  # of a node


def compare_function(node: Context, inputs: Sequence[Any]) -> tuple[int, float, float] | None:
    """Return the input whose gradient is not the slope, with both values; None if all are right."""
    source = np.random.default_rng(0)
    leaves = [
        wrap(np.array(x)[()], edge is not None, None)
        for x, edge in zip(inputs, node._next, strict=True)
    ]
    result = node.function.apply(*arguments(node, leaves))
    outputs = [
        (i, t)
        for i, t in enumerate(result if isinstance(result, tuple) else (result,))
        if isinstance(t, Tensor) and t._needs
    ]
    grads = {i: source.uniform(0.5, 1.5, np.shape(t._data)) for i, t in outputs}
    moving = [t for t in leaves if t._needs]
    roots = [(edge_of(t), grads[i][()]) for i, t in outputs]
    capture = captured(roots, map(key_of, moving), ())

    def outputs_at(index: int, data: Any) -> list[Any]:
        moved = [wrap(np.array(x)[()], False, None) for x in inputs]
        moved[index] = wrap(data, False, None)
        made = node.function.apply(*arguments(node, moved))
        made = made if isinstance(made, tuple) else (made,)
        return [g * made[i]._data for i, g in grads.items()]

    for index, leaf in enumerate(leaves):
        if not leaf._needs:
            continue
        base, grad = np.asarray(leaf._data, np.float64), capture[key_of(leaf)]
        direction = source.choice((-1.0, 1.0), base.shape) * source.uniform(0.5, 1.5, base.shape)
        sent = np.zeros(base.shape) if grad is None else np.asarray(grad)
        if found := FloatSlopes.differs(partial(outputs_at, index), base, sent, direction):
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
            hooks = leaf._more.hooks if leaf._more is not None else None
            if hooks and (hooks.tensor or hooks.pre):
                return (Diagnosis(None, named.get(leaf, "a leaf"), None, *found, hook=True),)
            own = (None, named.get(leaf, "a leaf"))
            return (at_fault(slopes, capture, leaf, own, found),)
    return ()


def at_fault(
    slopes: NodeSlopes, capture: Mapping[Key, Any], thing: Key, own: tuple[Any, str], found: Any
) -> Diagnosis:
    """Return the diagnosis of a gradient that differs from the rules': its sender, or a hook.

    own: the place and the name of `thing`. The gradients of all nodes between it and the root are
    right.
    """
    graph, (place, name), hook = slopes.problem.graph, own, False
    sender = sender_of(slopes, capture, thing)
    if sender is not None:
        node = graph.nodes[sender]
        place, name = sender, node.name()
        hook = any((node._extra or {}).get(kind) for kind in HOOKS)
    return Diagnosis(place, name, None, *found, hook=hook)


def sender_of(slopes: NodeSlopes, capture: Mapping[Key, Any], thing: Key) -> int | None:
    """Return the place of the node that sends a wrong part of the gradient of `thing`."""
    nodes = slopes.problem.graph.nodes
    senders = [
        place
        for place, node in enumerate(nodes)
        if any(edge is not None and place_of(key(edge))[0] is thing for edge in node._next)
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

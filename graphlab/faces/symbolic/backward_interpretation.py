"""Run a recorded graph backward on other entries: on symbols, the rules give a gradient's formula.

The rules are the operations' own, bound to other primitives. Gradients of several uses are added,
and broadcasts are undone. The engine is not used, so that a mistake in the engine is noticed: nodes
simply run in the reverse of the order in which they were made.

Read next: faces/symbolic/zero_test.py
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from graphlab.faces.symbolic.budget import Budget, ShapeMismatch, Unsupported
from graphlab.faces.symbolic.interpretation import Interpretation, numbers_only, rounds, size
from graphlab.faces.symbolic.live_graph import (
    Context,
    Key,
    Node,
    Subgraph,
    input_gradients,
    inputs_of,
    key,
    reduced,
)
from graphlab.primitives.sympy_reading.object_arrays import bare


def backward(
    graph: Subgraph, values: dict[Key, Any], gradient: Any, entries: Interpretation, budget: Budget
) -> dict[Key, Any]:
    """Return all gradients in the graph, by key; a key that no gradient reaches is absent.

    values: the result of `forward` with the same entries. gradient: that of the root.
    Raises: ShapeMismatch, Unsupported.
    """
    grads: dict[Key, Any] = {graph.root: gradient}
    for node in reversed(graph.nodes):
        grad = gradient_of(node, grads, entries)
        if grad is None:
            continue
        found = sent_by(graph, node, values, grad, entries, budget)
        for index, (edge, one) in enumerate(zip(node._next, found, strict=True)):
            if edge is None or one is None:
                continue
            place = key(edge)
            shape, expected = shape_of(one), shape_of(values[place])
            if shape != expected:
                raise ShapeMismatch(node, index, shape, expected)
            if entries.change is not None and rounds(node.op):
                one = entries.change(one)
            budget.take(size(one))
            if place in grads:
                one = grads[place] + one
                if entries.change is not None:  # adding rounds too
                    one = entries.change(one)
            grads[place] = one
            if entries.check_value is not None:
                entries.check_value(one)
    return grads


def sent_by(
    graph: Subgraph,
    node: Node,
    values: dict[Key, Any],
    grad: Any,
    entries: Interpretation,
    budget: Budget,
) -> list[Any]:
    """Return what a node sends along its edges for the incoming `grad`, with broadcasts undone."""
    inputs = inputs_of(node, values, entries)
    recorded = graph.functions.get(node)
    if recorded is not None:
        found = recorded.gradients(inputs, grad, entries, budget)
    elif isinstance(node, Context):
        raise Unsupported(numbers_only(node.function.__name__))
    else:
        found = input_gradients(node, inputs, values[node, "all"], grad, entries)
    return reduced(node, found, entries)


def shape_of(data: Any) -> tuple[int, ...]:
    """Return the shape; np.shape would convert a bare entry to an array first."""
    return data.shape if type(data) is np.ndarray else ()


def gradient_of(node: Node, grads: Mapping[Key, Any], entries: Interpretation) -> Any:
    """Return the gradient of a node's result, or a tuple for several results; None if none arrives.

    An unused result has a gradient of zeros, or None if the operation takes None.
    """
    if not node.many:
        return grads.get(node)
    outputs = (node._extra or {})["outputs"]
    given = [grads.get((node, i)) for i in range(len(outputs))]
    if all(g is None for g in given):
        return None
    zero = entries.constant(0.0)
    if not (node._extra or {}).get("materialize", node.op.materialize):
        return tuple(given)
    return tuple(
        bare(np.full(known[0], zero)) if g is None and known is not None else g
        for g, known in zip(given, outputs, strict=True)  # known: (shape, dtype), None: no tensor
    )

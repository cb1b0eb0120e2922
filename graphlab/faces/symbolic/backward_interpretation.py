"""Run a recorded graph backward on other entries: on symbols, the rules give a gradient's formula.

The rules are the operations' own, bound to other primitives. Gradients of several uses are added,
and broadcasts are undone. The engine is not used, so that a mistake in the engine is noticed: nodes
simply run in the reverse of the order in which they were made.

Read next: faces/symbolic/zero_test.py
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from graphlab.faces.symbolic.budget import Budget, ShapeMismatch, Unsupported
from graphlab.faces.symbolic.interpretation import (
    Interpretation,
    inputs_inside,
    inputs_of,
    numbers_only,
    outputs_of,
    rounds,
    size,
)
from graphlab.faces.symbolic.live_graph import (
    Context,
    CopySlices,
    Key,
    Node,
    Op,
    Subgraph,
    key,
    named_outputs,
    rule_arguments,
)
from graphlab.primitives.sympy_reading.object_arrays import bare


def backward(
    graph: Subgraph,
    values: dict[Key, Any],
    gradient: Any,
    entries: Interpretation,
    budget: Budget,
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


def reduced(node: Node, found: list[Any], entries: Interpretation) -> list[Any]:
    """Return the gradients of a node's inputs, summed to the shapes before broadcasting."""
    sizes = [back and back[0] for back in node._reduce or (None,) * len(found)]
    return [
        one if one is None else bare(one if to is None else entries.primitives["sum_to"](one, to))
        for one, to in zip(found, sizes, strict=True)
    ]


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


def input_gradients(
    node: Node,
    inputs: list[Any],
    outputs: tuple[Any, ...],
    grad: Any,
    entries: Interpretation,
    only: int | None = None,
) -> list[Any]:
    """Return what the node's rules return for the incoming gradient, one item for each edge.

    only: the index of the edge whose rule runs; default all.
    """
    op = node.op
    if isinstance(node, CopySlices):
        return gradients_of_slices(node, inputs, grad, entries)
    options = [entries.option(value) for value in node._options]
    if op.variadic:
        (rule,) = op.rules.values()
        values = dict(zip((*op.options, *op.derived), options, strict=True))
        return list(apply_rule(op, rule, grad, values, entries))
    made = named_outputs(op, outputs)
    names = (*op.inputs, *op.outputs, *op.options, *op.derived)
    values = dict(zip(names, (*inputs, *made, *options), strict=True))
    return [
        None
        if edge is None or only not in (None, i)
        else apply_rule(op, rule, grad, values, entries)
        for i, (edge, rule) in enumerate(zip(node._next, op.rules.values(), strict=True))
    ]


def gradients_of_slices(
    node: CopySlices, inputs: list[Any], grad: Any, entries: Interpretation
) -> list[Any]:
    """Return the gradients of a write to a part of a tensor; other entries pass grad on."""
    op, inner = node.op, node.inner
    inside = inputs_inside(node, inputs, entries)
    outputs = outputs_of(inner, inside, entries)
    part = bare(entries.bind(op, op.rules["values"])(grad, *node._options))
    first, *rest = reduced(inner, input_gradients(inner, inside, outputs, part, entries), entries)
    if first is None:
        return [entries.bind(op, op.rules["self"])(grad, *node._options), *rest]
    options = dict(zip(op.options, node._options, strict=True))
    return [entries.bind(op, op.forward)(grad, first, **options), *rest]


def apply_rule(
    op: type[Op],
    rule: Callable[..., Any],
    grad: Any,
    values: Mapping[str, Any],
    entries: Interpretation,
) -> Any:
    """Call a rule with the values that its arguments name."""
    return entries.bind(op, rule)(grad, *[values[name] for name in rule_arguments(rule)])

"""The backward pass on other entries: the formula that the rules themselves make for a gradient.

The rules are those of the registry, bound to other words; gradients of several uses are added,
broadcasts are undone. It is the engine's work without the engine: nodes run in the reverse of the
order in which they were made, so that a mistake of the engine's cannot hide here.

Read next: faces/symbolic/zero_test.py
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from graphlab.autograd.function import Context
from graphlab.autograd.node import Node
from graphlab.autograd.record import named_outputs
from graphlab.autograd.views import CopySlices
from graphlab.faces.symbolic.budget import Budget, ShapeMismatch, Unsupported
from graphlab.faces.symbolic.exact_primitives import bare
from graphlab.faces.symbolic.interpretation import (
    Interpretation,
    Key,
    Subgraph,
    inputs_inside,
    inputs_of,
    key,
    numbers_only,
    outputs_of,
    rounds,
    size,
)
from graphlab.ops.base import Op, rule_arguments


def backward(
    graph: Subgraph,
    values: Mapping[Key, Any],
    gradient: Any,
    entries: Interpretation,
    budget: Budget,
) -> dict[Key, Any]:
    """The gradients of everything in the graph, by key; what nothing reaches is absent.

    values: what `forward` gave, for the same entries. gradient: what enters at the root.
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
            shape, fits = shape_of(one), shape_of(values[key(edge)])
            if shape != fits:
                raise ShapeMismatch(node, index, shape, fits)
            if entries.change is not None and rounds(node.op):
                one = entries.change(one)
            budget.take(size(one))
            place = key(edge)
            if place in grads:
                one = grads[place] + one
                if entries.change is not None:  # adding up rounds too
                    one = entries.change(one)
            grads[place] = one
            if entries.made is not None:
                entries.made(grads[place])
    return grads


def sent_by(
    graph: Subgraph,
    node: Node,
    values: Mapping[Key, Any],
    grad: Any,
    entries: Interpretation,
    budget: Budget,
) -> list[Any]:
    """What a node sends along its edges for the gradient that came in; broadcasts are undone."""
    inputs = inputs_of(node, values, entries)
    written = graph.functions.get(node)
    if written is not None:
        found = written.gradients(inputs, grad, entries, budget)
    elif isinstance(node, Context):
        raise Unsupported(numbers_only(node.function.__name__))
    else:
        found = input_gradients(node, inputs, values[node, "all"], grad, entries)
    return [
        one
        if one is None
        else bare(one)
        if back is None or back[0] is None
        else bare(entries.words["sum_to"](one, back[0]))
        for one, back in zip(found, node._reduce or (None,) * len(found), strict=True)
    ]


def shape_of(data: Any) -> tuple[int, ...]:
    """Its shape: NumPy makes an array of a bare entry before it looks."""
    return data.shape if type(data) is np.ndarray else ()


def gradient_of(node: Node, grads: Mapping[Key, Any], entries: Interpretation) -> Any:
    """The gradient of the node's result; of all its results, zeros where unused, when it splits."""
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
    node: Node, inputs: list[Any], outputs: tuple[Any, ...], grad: Any, entries: Interpretation
) -> list[Any]:
    """What the rules of the node make of the gradient that came in, one for each edge."""
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
        None if edge is None else apply_rule(op, rule, grad, values, entries)
        for edge, rule in zip(node._next, op.rules.values(), strict=True)
    ]


def gradients_of_slices(
    node: CopySlices, inputs: list[Any], grad: Any, entries: Interpretation
) -> list[Any]:
    """Through the operation that wrote a part of a tensor; the other entries pass unchanged."""
    op, inner = node.op, node.inner
    inside = inputs_inside(node, inputs, entries)
    outputs = outputs_of(inner, inside, entries)
    part = bare(entries.bind(op, op.rules["values"])(grad, *node._options))
    found = [
        one
        if one is None or back is None or back[0] is None
        else entries.words["sum_to"](one, back[0])
        for one, back in zip(
            input_gradients(inner, inside, outputs, part, entries),
            inner._reduce or (None,) * len(inner._next),
            strict=True,
        )
    ]
    if found[0] is None:
        return [entries.bind(op, op.rules["self"])(grad, *node._options), *found[1:]]
    options = dict(zip(op.options, node._options, strict=True))
    return [entries.bind(op, op.forward)(grad, found[0], **options), *found[1:]]


def apply_rule(
    op: type[Op],
    rule: Callable[..., Any],
    grad: Any,
    values: Mapping[str, Any],
    entries: Interpretation,
) -> Any:
    """One rule, given just the values that it names."""
    return entries.bind(op, rule)(grad, *[values[name] for name in rule_arguments(rule)])

"""Results that no variable holds any more are recomputed from the inputs of their nodes.

The user's code is never run. A result is unknown if an input is gone or has changed.

Read next: adapters/event_writer.py
"""

from typing import Any

from graphlab.autograd.forwards import forward_of
from graphlab.autograd.function import Context
from graphlab.autograd.grad_mode import state
from graphlab.autograd.node import Node
from graphlab.autograd.node_formulas import options_of
from graphlab.autograd.operands import promote
from graphlab.autograd.saved_tensor_hooks import Packed
from graphlab.autograd.views import CopySlices, inner_inputs
from graphlab.tensor.tensor import Tensor


def recompute(node: Node, data: list[Any]) -> tuple[Any, ...] | None:
    """The results of a node; None if an input is gone, or if the node runs the user's code."""
    op = node.op
    if isinstance(node, Context):
        return None
    if isinstance(node, CopySlices):
        return recompute_slices(node, data)
    saved: tuple[Any, ...] = (node._saved or ())[len(op.inputs) :]
    as_saved = node._version is None or node._version[0].count == node._version[1]
    results = [item for item in saved if not isinstance(item, Packed | None)]
    if len(saved) == len(results) == 1 and as_saved:
        return (saved[0],)
    if any(x is None for x in data):
        return None
    inputs = promote(op, data) if op.types != "keep" else data
    if not op.variadic and len(inputs) < len(op.inputs):
        inputs = inputs + [None] * (len(op.inputs) - len(inputs))
    arguments = (tuple(inputs),) if op.variadic else inputs
    result = state.run(forward_of(op), *arguments, **options_of(node))
    return result if isinstance(result, tuple) else (result,)


def recompute_slices(node: CopySlices, data: list[Any]) -> tuple[Any, ...] | None:
    """A tensor after a part of it was overwritten; None if an input is gone."""
    if node.inner is None or any(x is None for x in data):
        return None
    given = iter(data[1:])
    others = [
        None if edge is None and constant is None else next(given)
        for edge, constant in zip(
            node._next[1:], (node._constants or (None,) * len(node._next))[1:], strict=True
        )
    ]
    part = node.op.rules["values"](data[0], *node._options)
    inside = inner_inputs(node, part, others, lambda x: x._data if isinstance(x, Tensor) else x)
    results = recompute(node.inner, [x for x in inside if x is not None])
    if results is None:
        return None
    return (node.op.forward(data[0], results[0], **options_of(node)),)

"""Run a graph again at other values: `check(loss, at={x: 0.5})`.

Every operation of the graph runs again, on leaves with other values, and is recorded as it was the
first time. The old graph and its tensors are only read. What Python decided when the graph was
made, such as the branch of an `if` or the length of a loop, does not change.

Read next: faces/symbolic/check.py
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from graphlab.faces.symbolic.assumptions import by_tensor
from graphlab.faces.symbolic.budget import Unsupported
from graphlab.faces.symbolic.decided_masks import decided
from graphlab.faces.symbolic.interpretation import arguments, inputs_of, tensor_interpretation
from graphlab.faces.symbolic.live_graph import (
    Context,
    CopySlices,
    Key,
    Node,
    Subgraph,
    Tensor,
    apply,
    edge_of,
    enable_grad,
    extra,
    inner_inputs,
    key_of,
    picking_masks,
    rebind,
    tensor_reading,
    wrap,
)


class CannotRerun(Exception):
    """The reason why a graph cannot run again."""


def at_other_values(
    graph: Subgraph,
    root: Tensor,
    targets: Sequence[Tensor],
    named: Mapping[Tensor, str],
    at: Mapping[Any, Any],
) -> tuple[Tensor, list[Tensor], dict[Tensor, str], str]:
    """The graph at other values: its root, its targets, their names, and the values as text.

    Raises: TypeError or ValueError.
    """
    leaves = {leaf: named[leaf] for leaf in graph.leaves}
    values = {leaf: value_for(leaf, v, named[leaf]) for leaf, v in by_tensor(at, leaves, "at")}
    try:
        made = rerun(graph, values)
    except CannotRerun as reason:
        raise ValueError(
            f"graphlab.check(), at: the graph cannot be made again at other values: {reason}"
        ) from None
    new = {tensor: made[key_of(tensor)] for tensor in named}
    shown = [
        f"{named[leaf]} = {np.asarray(value).item():.6g}"
        for leaf, value in values.items()
        if np.size(value) == 1
    ]
    rest = [f"other values of {named[leaf]}" for leaf, v in values.items() if np.size(v) != 1]
    return (
        made[graph.root],
        [new[tensor] for tensor in targets],
        {new[tensor]: name for tensor, name in named.items()},
        "at " + ", ".join([*shown, *rest]) if values else "",
    )


def value_for(leaf: Tensor, value: Any, name: str) -> Any:
    """A value with the shape and type of the leaf. Raises: TypeError, ValueError."""
    data = np.asarray(value._data if isinstance(value, Tensor) else value)
    if data.dtype.kind not in "fiu":
        raise TypeError(
            f"graphlab.check(), at: expected numbers for {name}, got {type(value).__name__}"
        )
    if data.ndim and data.shape != tuple(leaf.shape):
        raise ValueError(
            f"graphlab.check(), at: {name} has the shape {list(leaf.shape)}, and its value "
            f"{list(data.shape)}; pass a value of the same shape, or one number for all entries"
        )
    return np.array(np.broadcast_to(data, tuple(leaf.shape)).astype(leaf._data.dtype))[()]


def rerun(
    graph: Subgraph, values: Mapping[Tensor, Any], given: Sequence[Tensor] = ()
) -> dict[Key, Tensor]:
    """The tensors of the new graph, by the keys of the old ones.

    values: new values of leaves, as arrays of their type and shape; other leaves keep theirs.
    given: the tensors at which the walk stopped. Raises: CannotRerun.
    """
    made: dict[Key, Any] = {}
    for tensor in (*graph.leaves, *given):
        made[key_of(tensor)] = wrap(values.get(tensor, tensor._data), True, None)
    entries = tensor_interpretation()
    with enable_grad():
        for leaf in graph.others:
            made.setdefault(leaf, leaf)
        for node in graph.order:
            inputs = inputs_of(node, made, entries)
            for mask in picking_masks(node):
                check_picked(mask, decided(mask, made, entries))
            result = run_node(node, inputs)
            outputs = result if isinstance(result, tuple) else (result,)
            for out in outputs:
                copy_source(out, node)
            made.setdefault(node, outputs[0])
            if node.many:
                for index, out in enumerate(outputs):
                    made.setdefault((node, index), out)
    return made


def check_picked(mask: Tensor, again: Any) -> None:
    """Raise CannotRerun when an index takes other entries at other values."""
    if again is not None and not np.array_equal(mask._data, again._data):
        raise CannotRerun(
            "an index takes the entries that a condition picks, as in x[x > 0], and there it picks "
            "others; run the program at these values, and check its result"
        )


def run_node(node: Node, inputs: list[Any]) -> Any:
    """Run the operation of a node on tensors, and record it."""
    if isinstance(node, Context):
        try:
            return node.function.apply(*arguments(node, inputs))
        except Unsupported as reason:
            raise CannotRerun(str(reason)) from None
    if isinstance(node, CopySlices):
        return run_slices(node, inputs)
    options = dict(zip(node.op.options, node._options, strict=False))
    return apply(node.op, *inputs, **options)


def run_slices(node: CopySlices, inputs: list[Any]) -> Tensor:
    """Run an in-place change of a part of a tensor: take it out, change it, put it back."""
    if inputs[0] is None:
        raise CannotRerun("the graph does not keep the old values of a large constant")
    primitives = tensor_reading()
    options = dict(zip(node.op.options, node._options, strict=True))
    part = rebind(node.op.rules["values"], primitives)(inputs[0], *node._options)
    inside = inner_inputs(node, part, inputs[1:], lambda constant: constant)
    return rebind(node.op.forward, primitives)(inputs[0], run_node(node.inner, inside), **options)


def copy_source(tensor: Any, node: Node) -> None:
    """Let the new node name the same line of code as the old one."""
    made_by = edge_of(tensor) if isinstance(tensor, Tensor) and tensor._needs else None
    new = getattr(made_by, "node", made_by)
    if isinstance(new, Node):
        new._code, new._at = node._code, node._at
        if masks := picking_masks(node):
            extra(new)["masks"] = masks

"""How values decided a result outside the graph: `x > 0`, and what was made from it.

A comparison has no gradient, so it leaves no node behind. But where(x > 0, x, 0) is another formula
on the other side of 0. So a small mask remembers how it was made, and so does what is calculated
from masks alone, such as `(x > 0).float()`. `graphlab.check` reads it.

Read next: tensor/functions/pointwise.py
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from graphlab.autograd.node import Node, edge_of, extra
from graphlab.tensor.tensor import Tensor

LARGEST = 4_096  # entries of a mask that remembers how it was made: it holds the graph behind it


class Decision(NamedTuple):
    """A function that made a mask, and its inputs.

    function: a comparison or a logical function of NumPy, or an operation. edges: for each input
    where its gradient goes, None for constants. constants: the others, None where there is an edge.
    """

    function: Any
    edges: tuple[Any, ...]
    constants: tuple[Any, ...]
    options: Mapping[str, Any]


def decision_of(value: Any) -> Decision | None:
    """How a mask was made; None for anything else."""
    return value._more.decision if isinstance(value, Tensor) and value._more is not None else None


def compared(result: Tensor, function: Any, inputs: Sequence[Any]) -> Tensor:
    """Let the result of a comparison remember how it was made, when values decided it."""
    for x in inputs:
        if isinstance(x, Tensor) and (x._needs or x._more is not None):
            if result._data.dtype.kind == "b":
                remember(result, function, inputs, {})
            break
    return result


def remember(
    result: Tensor, function: Any, inputs: Sequence[Any], options: Mapping[str, Any]
) -> None:
    """Let a result remember how it was made from tensors with a history, or from other masks."""
    edges = tuple([source_of(x) if isinstance(x, Tensor) else None for x in inputs])
    decided = any([e is not None for e in edges]) or any(map(decision_of, inputs))
    if decided and result._data.size <= LARGEST:
        constants = tuple([x if e is None else None for x, e in zip(inputs, edges, strict=True)])
        result._rare().decision = Decision(function, edges, constants, options)


def source_of(tensor: Tensor) -> Any:
    """Where the gradient of a tensor goes, or would go if `detach()` had not cut it off."""
    cut = None if tensor._needs or tensor._more is None else tensor._more.cut
    return edge_of(tensor) if cut is None else cut()


def picked_by(result: Tensor, key: Any) -> Tensor:
    """Let the node of a result know the masks in the key of an index, which pick its entries."""
    masks = [part for part in (key if isinstance(key, tuple) else (key,)) if decision_of(part)]
    if masks and isinstance(result._node, Node):
        extra(result._node)["masks"] = tuple(masks)
    return result

"""How values decided a result outside the graph: `x > 0`, and what was made from it.

A comparison has no gradient, so it leaves no node behind. But where(x > 0, x, 0) is another formula
on the other side of 0. So a small mask remembers how it was made, and so does what is calculated
from masks alone, such as `(x > 0).float()`. `graphlab.check` reads it.

Read next: tensor/functions/pointwise.py
"""

import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from graphlab.autograd.node import Node, Output, edge_of, extra
from graphlab.tensor.tensor import Tensor

LARGEST = 4_096  # entries of a mask that remembers how it was made
SMALL_GRAPH = 8, 4_096  # nodes, entries: so much a mask keeps alive; more it refers to weakly
LONGEST = 50  # masks made of masks made of masks ...


class Decision(NamedTuple):
    """A function that made a mask, and its inputs.

    function: a comparison or a logical function of NumPy, or an operation. edges: for each input
    where its gradient goes, None for constants. constants: the others, None where there is an edge.
    length: how many masks were made one from the other.
    """

    function: Any
    edges: tuple[Any, ...]
    constants: tuple[Any, ...]
    options: Mapping[str, Any]
    length: int


def decision_of(value: Any) -> Decision | None:
    """How a mask was made; None for anything else, and when the graph behind it is gone."""
    made = value._more.decision if isinstance(value, Tensor) and value._more is not None else None
    if made is None:
        return None
    edges = tuple([None if held is None else held() for held in made.edges])
    gone = any([e is None and held is not None for e, held in zip(edges, made.edges, strict=True)])
    return None if gone else made._replace(edges=edges)


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
    if result._data.size > LARGEST:
        return
    edges = [source_of(x) if isinstance(x, Tensor) else None for x in inputs]
    length = 1 + max([made.length for made in map(decision_of, inputs) if made], default=0)
    if length <= LONGEST and (length > 1 or any([e is not None for e in edges])):
        constants = tuple([x if e is None else None for x, e in zip(inputs, edges, strict=True)])
        held = tuple([None if e is None else held_by_mask(e) for e in edges])
        result._rare().decision = Decision(function, held, constants, options, length)


def held_by_mask(edge: Any) -> Callable[[], Any]:
    """Return a function that gives an edge: always, if the graph behind is small, else weakly.

    So predictions that are collected over a training do not keep its graphs alive.
    """
    start = edge.node if isinstance(edge, Output) else edge
    most_nodes, most_entries = SMALL_GRAPH
    waiting, seen, entries = [start], {start}, 0
    while waiting and len(seen) <= most_nodes and entries <= most_entries:
        node = waiting.pop()
        if isinstance(node, Tensor):
            entries += node._data.size
            continue
        for item in (*(node._saved or ()), *(node._constants or ())):
            entries += getattr(getattr(item, "_data", item), "size", 0)
        targets = [e.node if isinstance(e, Output) else e for e in node._next if e is not None]
        waiting += [target for target in targets if target not in seen]
        seen.update(targets)
    if not waiting and entries <= most_entries:
        return lambda: edge
    weak = weakref.ref(start)
    if start is edge:
        return weak
    index = edge.index
    return lambda: None if (node := weak()) is None else Output(node, index)


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

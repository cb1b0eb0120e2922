"""How a mask such as `x > 0` was made, which no node records.

A comparison has no gradient, so it leaves no node. But where(x > 0, x, 0) is another formula on the
other side of 0, and `graphlab.check` must know that. So a small mask stores how it was made, and so
does a tensor that is calculated from masks alone, such as `(x > 0).float()`.

What else a program computes from a graph without recording it, under `no_grad` or from `x.item()`,
is a constant. A tensor notes where it came from, and a reading when it was, and which number.

Read next: tensor/functions/pointwise.py
"""

import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from graphlab.autograd.node import LEAF, NODE, OUTPUT, Node, Output, edge_of, extra
from graphlab.autograd.users_code import Place, place
from graphlab.autograd.watch import left_graph, watchers
from graphlab.tensor.tensor import Tensor, own_node
from graphlab.tensor.versions import FURTHER, behind, next_sequence

LARGEST = 4_096  # the most entries of a mask that stores how it was made
SMALL_GRAPH = 8, 4_096  # nodes, entries: the largest graph that a mask keeps alive
LONGEST = 50  # the longest chain of masks, each made from the one before


class Decision(NamedTuple):
    """How a mask was made.

    function: a comparison or a logical function of NumPy, or an operation. edges, constants: each
    input is in one of the two, with None in the other: an edge says where its gradient goes.
    options: of an operation, by name. length: of the chain of masks that led to this one.
    """

    function: Any
    edges: tuple[Any, ...]
    constants: tuple[Any, ...]
    options: Mapping[str, Any]
    length: int


def decision_of(value: Any) -> Decision | None:
    """Return how a mask was made; None for other values, and when its graph no longer exists."""
    made = value._more.decision if isinstance(value, Tensor) and value._more is not None else None
    if made is None:
        return None
    edges = tuple([None if held is None else held() for held in made.edges])
    gone = any([e is None and held is not None for e, held in zip(edges, made.edges, strict=True)])
    return None if gone else made._replace(edges=edges)


def compared(result: Tensor, function: Any, inputs: Sequence[Any]) -> Tensor:
    """Return the result of a comparison, which now stores how it was made from a graph."""
    for x in inputs:
        if isinstance(x, Tensor) and (x._needs or (x._more is not None and sources_of(x))):
            if result._data.dtype.kind == "b":
                remember(result, function, inputs, {})
            return came_from(result, inputs)
    return result


def remember(
    result: Tensor, function: Any, inputs: Sequence[Any], options: Mapping[str, Any]
) -> None:
    """Store in a result how it was made from tensors of a graph, or from other masks."""
    if result._data.size > LARGEST:
        return
    length, held, constants = 1, [], []
    for x in inputs:
        edge = source_of(x) if isinstance(x, Tensor) else None
        held.append(None if edge is None else held_by_mask(edge))
        constants.append(x if edge is None else None)
        if (made := decision_of(x)) is not None:
            length = max(length, 1 + made.length)
    if length <= LONGEST and (length > 1 or any(held)):
        held, constants = tuple(held), tuple(constants)
        result._rare().decision = Decision(function, held, constants, options, length)


def held_by_mask(edge: Any) -> Callable[[], Any]:
    """Return a function that returns an edge, or None when the large graph behind it is freed.

    A small graph is kept alive; masks collected over a training do not keep its graphs alive.
    """
    most_nodes, most_entries = SMALL_GRAPH
    if edge._edge == LEAF and edge._data.size <= most_entries:
        return lambda: edge
    start = edge.node if isinstance(edge, Output) else edge
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
    """Return where the gradient of a tensor goes, or would go without a `detach()`."""
    cut = None if tensor._needs or tensor._more is None else tensor._more.cut
    return edge_of(tensor) if cut is None else cut()


def picked_by(result: Tensor, key: Any) -> Tensor:
    """Return the result of an index; its node now stores the masks in the key."""
    parts = key if isinstance(key, tuple) else (key,)
    masks = [part for part in parts if isinstance(part, Tensor) and part._more is not None]
    if masks and isinstance(result._node, Node):
        extra(result._node)["masks"] = tuple(masks)
    return came_from(result, masks) if masks and not result._needs else result


# -- what is computed from a graph without being recorded ----------------------------------------


def sources_of(value: Any) -> tuple[Any, ...]:
    """Return where the entries of a value come from: weak references to edges, nearest first."""
    if isinstance(value, Tensor) and value._needs:  # the most common case
        return (_own_source(value),)
    return tuple(each_source(value))


def _own_source(tensor: Tensor) -> Any:
    node = own_node.__get__(tensor)
    if node is None:
        more = tensor._more
        node = tensor if more is None or more.base is None else more.base
    return behind(node)


def each_source(value: Any) -> Iterator[Any]:
    """Yield the sources of a value; each mask that it was made from counts once."""
    waiting, seen = [value], set()
    while waiting:
        one = waiting.pop()
        if not isinstance(one, Tensor) or one in seen:
            continue
        seen.add(one)
        more = one._more
        if one._needs:
            yield _own_source(one)
        elif more is None:
            continue
        elif more.decision is not None:
            held = [reference() for reference in more.decision.edges if reference is not None]
            yield from (behind(edge) for edge in held if edge is not None)
            waiting += reversed(more.decision.constants)
        elif more.read is not None or more.cut is not None:
            yield from more.read or ((more.cut,),)
        else:
            waiting.append(more.base)


MOST_SOURCES = 8


def came_from(result: Tensor, inputs: Iterable[Any]) -> Tensor:
    """Return a result that was not recorded; it now notes the parts of a graph it came from."""
    if watchers:
        inputs = (*inputs,)
        left_graph(result, inputs)
    if result._more is not None and result._more.decision:
        return result
    sources: tuple[Any, ...] = ()
    for x in inputs:
        if isinstance(x, Tensor) and (x._needs or x._more is not None):
            sources += sources_of(x)
            if len(sources) >= MOST_SOURCES:
                break
    if sources:
        result._rare().read = sources[:MOST_SOURCES]
    return result


EXACTLY, MADE_FROM, AMONG_OTHERS = "exactly", "made from", "among others"


def note_reading(tensor: Tensor, number: Any = None) -> None:
    """Note, in the tensors of a graph, that the program reads a number or an array of them."""
    edge, rare = None, tensor._more
    if tensor._needs:
        edge = own_node.__get__(tensor)  # a view may refuse to renew it
        edge = tensor if edge is None and (rare is None or rare.base is None) else edge
    elif rare is not None and rare.cut is not None and rare.read is None:
        edge = rare.cut()
    sources = sources_of(tensor) if edge is None else ()
    if edge is None and not sources:
        return
    if watchers and number is not ...:
        left_graph(number, (tensor,), "tolist() or numpy()" if number is None else "item()")
    when, where = next_sequence(), place(3)
    if edge is None:
        for source in sources:
            for one in source:
                if (edge := one()) is not None:
                    mark(leaves_behind(edge), when, ..., where, AMONG_OTHERS)
                    mark((edge,), when, number, where, AMONG_OTHERS)
                    break
        return
    start = edge
    mark((edge,), when, number, where, EXACTLY)
    for _ in FURTHER:  # as `behind` does, without references
        if edge._edge != NODE:
            break
        targets = {*edge._next} - {None}
        if len(targets) != 1:
            break
        (edge,) = targets
        mark((edge,), when, number, where, MADE_FROM)
    if edge._edge != LEAF:
        mark(leaves_behind(start), when, ..., where, AMONG_OTHERS)


def note_readings(*tensors: Tensor) -> None:
    """Note that the program compares tensors as a whole."""
    for tensor in tensors:
        if tensor._needs or tensor._more is not None:
            note_reading(tensor, ...)


MOST_NODES = 64  # of a graph, behind a number that is read out of it


def leaves_behind(edge: Any) -> Sequence[Any]:
    """Return the leaves behind an edge: the nodes between may soon be gone."""
    if (found := getattr(edge, "_leaves", None)) is not None:
        return found[:MOST_NODES]
    walk, waiting, leaves = [edge], {edge}, []  # no backward pass has begun here
    for one in walk:  # the list grows
        if one._edge == LEAF:
            leaves.append(one)
            continue
        for target in (one.node if one._edge == OUTPUT else one)._next:
            if target is not None and target not in waiting and len(walk) < MOST_NODES:
                waiting.add(target)
                walk.append(target)
    return leaves


def mark(edges: Iterable[Any], when: int, number: Any, where: Place, how: str) -> None:
    """Store a reading in edges, one for each place: (first time, last time, number, where, how).

    number: what was read; None: an array; ...: unknown. how: whether it was read out of the tensor
    that the edge stands for, out of one that was made from it, or from it and others.
    """
    key = (id(where[0]), where[1])
    for edge in edges:
        if (known := getattr(edge, "_read", None)) is None:
            known = edge._read = {}
        before = known.get(key)
        known[key] = (when if before is None else before[0], when, number, where, how)

"""Order the scopes of a graph as gradients flow, and open those for which there is no order.

A `ModuleList` is not called itself: its modules run in turn with other operations, as in
`x = x + layer(x)`. As one card it would take its own results, so its parts take its place. A module
that was called stays a card.

Read next: faces/render/collapse.py
"""

from collections import Counter
from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from typing import Any

from graphlab.graph.model import Graph, NodeInfo

MOST_WORK = 2_000_000  # nodes visited in the search for scopes that take their own results

Ends = tuple[str, str]  # the nodes at which an edge starts and ends
Sends = dict[int, set[int]]  # id of an item -> those of the items that it sends gradients to


def put_in_order(root: Any, graph: Graph, keep: str | None = None) -> None:
    """Sort the items of each part so that gradients flow from earlier to later ones.

    The engine may run nodes of two scopes in turn although neither needs the other. If they need
    each other, the scopes that nobody called are opened, else those that take their own results.
    keep: the path of a scope that stays: it takes in what lies between its parts.
    """
    place = {node.id: k for k, node in enumerate(all_nodes(root))}
    if all(
        place[edge.source] < place[edge.target]
        for edge in graph.edges
        if graph.node(edge.target).variable is None
    ):
        return  # gradients flow to later parts only
    between = _edges_of_parts(root, graph)
    called = {scope.path for scope in graph.scopes}
    stack = [root]
    while stack:
        part = stack.pop()
        while True:
            sends = _sends(part, between.get(id(part), []))
            order, rest = _sorted(part.items, sends)
            circles = [one for one in _circles(rest, sends) if any(map(_is_part, one))]
            if not circles:
                break
            for circle in circles:
                kept = next((one for one in circle if _is_part(one) and one.path == keep), None)
                if kept is not None:
                    _take_in(kept, part, circle, between)
                    continue
                for one in _to_open(circle, called, graph):
                    items = ([item] if item is not one else items_of(one) for item in part.items)
                    part.items = [item for some in items for item in some]
                    between.setdefault(id(part), []).extend(between.pop(id(one), []))
        part.items = order + rest
        stack += part.parts


def items_of(part: Any) -> list[Any]:
    """Return the items of a part that is opened; labels of its parts now begin with its label."""
    for inner in part.parts:
        inner.label = f"{part.label}.{inner.label}"
    return part.items


def all_nodes(item: Any) -> Iterator[NodeInfo]:
    """Yield the nodes of an item, in the engine's order."""
    stack = [item]
    while stack:
        one = stack.pop()
        if _is_part(one):
            stack.extend(reversed(one.items))
        else:
            yield one


def _is_part(item: Any) -> bool:
    return not isinstance(item, NodeInfo)


def _edges_of_parts(root: Any, graph: Graph) -> dict[int, list[Ends]]:
    """Return the edges between two items of each part, by the id of the part."""
    held: dict[str, list[Any]] = {}  # node -> the parts around it, outermost first
    stack: list[tuple[Any, list[Any]]] = [(root, [root])]
    while stack:
        part, chain = stack.pop()
        held.update((node.id, chain) for node in part.nodes)
        stack += [(inner, [*chain, inner]) for inner in part.parts]
    found: dict[int, list[Ends]] = {}
    for edge in graph.edges:
        shared = root
        for one, other in zip(held[edge.source], held[edge.target], strict=False):
            if one is not other:
                break
            shared = one
        found.setdefault(id(shared), []).append((edge.source, edge.target))
    return found


def _sends(part: Any, edges: list[Ends]) -> Sends:
    item_of = {node.id: id(item) for item in part.items for node in all_nodes(item)}
    sends: Sends = {}
    for start, end in edges:
        sends.setdefault(item_of[start], set()).add(item_of[end])
    return sends


def _sorted(items: list[Any], sends: Sends) -> tuple[list[Any], list[Any]]:
    """Return items after those that send to them, in a stable order, and those without order."""
    waits = Counter(end for ends in sends.values() for end in ends)
    place = {id(item): k for k, item in enumerate(items)}
    ready = [k for k, item in enumerate(items) if not waits[id(item)]]
    order: list[Any] = []
    heapify(ready)
    while ready:
        item = items[heappop(ready)]
        order.append(item)
        for end in sends.get(id(item), ()):
            waits[end] -= 1
            if not waits[end]:
                heappush(ready, place[end])
    return order, [item for item in items if waits[id(item)] > 0]


# -- scopes without order ----------------------------------------------------------------------


def _circles(items: list[Any], sends: Sends) -> list[list[Any]]:
    """Return the largest sets of several items that all send to each other, over others or not.

    Source: S. R. Kosaraju's algorithm for strongly connected components.
    """
    of = {id(item): item for item in items}
    comes: Sends = {}
    finished: list[int] = []
    seen: set[int] = set()
    for start in of:
        stack = [(start, iter(sends.get(start, ())))] if start not in seen else []
        seen.add(start)
        while stack:
            at, ends = stack[-1]
            end = next(ends, None)
            if end is None:
                finished.append(at)
                stack.pop()
            elif end in of:
                comes.setdefault(end, set()).add(at)
                if end not in seen:
                    seen.add(end)
                    stack.append((end, iter(sends.get(end, ()))))
    found: list[list[Any]] = []
    for start in reversed(finished):
        if start in of:
            circle, waiting = [of.pop(start)], [start]
            while waiting:
                new = [end for end in comes.get(waiting.pop(), ()) if end in of]
                circle += [of.pop(end) for end in new]
                waiting += new
            found.append(circle)
    return [circle for circle in found if len(circle) > 1]


def _to_open(circle: list[Any], called: set[str], graph: Graph) -> list[Any]:
    """Return the scopes to open: those that nobody called, or else take their own results."""
    parts = [one for one in circle if _is_part(one)]
    if uncalled := [one for one in parts if one.path not in called]:
        return uncalled
    if len(parts) * len(graph.nodes) > MOST_WORK:
        return parts
    ends: dict[str, list[str]] = {}
    for edge in graph.edges:
        ends.setdefault(edge.source, []).append(edge.target)
    return [one for one in parts if _takes_its_own(one, ends)] or parts


def _takes_its_own(part: Any, ends: dict[str, list[str]]) -> bool:
    """Return whether a gradient leaves a part and comes back to it."""
    own = {node.id for node in all_nodes(part)}
    seen = {end for id in own for end in ends.get(id, ()) if end not in own}
    waiting = [*seen]
    while waiting:
        for end in ends.get(waiting.pop(), ()):
            if end in own:
                return True
            if end not in seen:
                seen.add(end)
                waiting.append(end)
    return False


def _take_in(kept: Any, part: Any, circle: list[Any], between: dict[int, list[Ends]]) -> None:
    """Move the other items of a circle into `kept`, from the part around it."""
    among = set(map(id, circle))
    items = [one for one in part.items if id(one) in among]
    part.items = [one for one in part.items if one is kept or id(one) not in among]
    kept.items = [item for one in items for item in (kept.items if one is kept else [one])]
    inside = {node.id for node in all_nodes(kept)}
    edges = between[id(part)]
    between.setdefault(id(kept), []).extend(one for one in edges if inside.issuperset(one))
    between[id(part)] = [one for one in edges if not inside.issuperset(one)]

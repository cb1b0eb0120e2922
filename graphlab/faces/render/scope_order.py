"""Order the scopes of a graph as gradients flow, if the engine runs nodes of two scopes in turn.

Read next: faces/render/collapse.py
"""

from collections import Counter
from heapq import heapify, heappop, heappush
from typing import Any

from graphlab.graph.model import Graph


def put_in_order(root: Any, graph: Graph) -> None:
    """Sort the items of each part so that gradients flow from earlier to later ones, if possible.

    The engine may run nodes of two scopes in turn although neither needs the other.
    """
    held: dict[str, list[Any]] = {}  # node -> the parts around it, outermost first
    parts: list[Any] = []
    stack: list[tuple[Any, list[Any]]] = [(root, [root])]
    while stack:
        part, chain = stack.pop()
        parts.append(part)
        held.update((node.id, chain) for node in part.nodes)
        stack += [(inner, [*chain, inner]) for inner in part.parts]
    after: dict[int, dict[int, set[int]]] = {}  # part -> item -> the items that it sends to
    for edge in graph.edges:
        one, other = held[edge.source], held[edge.target]
        depth = 0
        while depth < min(len(one), len(other)) and one[depth] is other[depth]:
            depth += 1
        start: Any = one[depth] if depth < len(one) else graph.node(edge.source)
        end: Any = other[depth] if depth < len(other) else graph.node(edge.target)
        sends = after.setdefault(id(one[depth - 1]), {})
        sends.setdefault(id(start), set()).add(id(end))
    for part in parts:
        part.items = _sorted(part.items, after.get(id(part), {}))


def _sorted(items: list[Any], sends: dict[int, set[int]]) -> list[Any]:
    """Return items after those that send to them, in a stable order; unchanged for a cycle."""
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
    return order if len(order) == len(items) else items

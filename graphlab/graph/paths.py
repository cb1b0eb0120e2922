"""The ways along the edges of a graph: how many there are, and the first of them.

The chain rule is a sum over all ways from the root to a leaf. Forty diamonds in a row have
1,099,511,627,776 of them, which takes forty additions to know and would take years to list.

Read next: graph/model.py
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TypeVar

Place = TypeVar("Place", bound=Hashable)
Edge = TypeVar("Edge")
Edges = Callable[[Place], Sequence[tuple[Edge, Place]]]  # what leads on from a place, and where to


def count_ways(places: Iterable[Place], edges: Edges[Place, Edge], goal: Place) -> dict[Place, int]:
    """How many ways lead from each place to `goal`; a place from which none does is absent.

    places: each after those that its edges lead to. Two edges to one place are two ways.

    >>> diamonds = {k: [("left", k - 1), ("right", k - 1)] for k in range(1, 41)}
    >>> count_ways(diamonds, diamonds.__getitem__, 0)[40]
    1099511627776
    """
    ways = {goal: 1}
    for place in places:
        count = sum(ways.get(target, 0) for _, target in edges(place))
        if count:
            ways.setdefault(place, count)
    return ways


def list_ways(
    root: Place, edges: Edges[Place, Edge], goal: Place, ways: dict[Place, int]
) -> Iterator[tuple[Edge, ...]]:
    """The ways from `root` to `goal`, each as its edges; nothing is followed that leads nowhere.

    >>> edges = {"w": [(0, "y"), (1, "x")], "y": [(2, "x")], "x": []}
    >>> ways = count_ways(["x", "y", "w"], edges.__getitem__, "x")
    >>> list(list_ways("w", edges.__getitem__, "x", ways))
    [(0, 2), (1,)]
    """
    if root not in ways:
        return
    goals = {goal}  # tensors compare entry by entry; a set asks for the very same one
    if root in goals:
        yield ()
        return
    taken: list[Edge] = []
    stack = [iter(edges(root))]
    while stack:
        for edge, target in stack[-1]:
            if target in goals:
                yield (*taken, edge)
            elif target in ways:
                taken.append(edge)
                stack.append(iter(edges(target)))
                break
        else:
            stack.pop()
            if taken:
                taken.pop()

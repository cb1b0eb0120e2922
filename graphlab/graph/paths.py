"""The chain rule is a sum over all paths from the root to a leaf; they are counted and listed here.

A chain of forty diamonds has 1,099,511,627,776 paths. Counting them takes forty additions; listing
all of them would take years.

Read next: graph/model.py
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TypeVar

Place = TypeVar("Place", bound=Hashable)
Edge = TypeVar("Edge")
Edges = Callable[[Place], Sequence[tuple[Edge, Place]]]  # edges from a place


def count_paths(
    places: Iterable[Place], edges: Edges[Place, Edge], goal: Place
) -> dict[Place, int]:
    """The number of paths from each place to `goal`; a place without a path is left out.

    places: sorted so that each follows the targets of its edges. Two edges between the same places
    are two paths.

    >>> diamonds = {k: [("left", k - 1), ("right", k - 1)] for k in range(1, 41)}
    >>> count_paths(diamonds, diamonds.__getitem__, 0)[40]
    1099511627776
    """
    counts = {goal: 1}
    for place in places:
        count = sum(counts.get(target, 0) for _, target in edges(place))
        if count:
            counts.setdefault(place, count)
    return counts


def list_paths(
    root: Place, edges: Edges[Place, Edge], goal: Place, counts: dict[Place, int]
) -> Iterator[tuple[Edge, ...]]:
    """The paths from `root` to `goal`, each as a tuple of edges; `counts` is from `count_paths`.

    >>> edges = {"w": [(0, "y"), (1, "x")], "y": [(2, "x")], "x": []}
    >>> counts = count_paths(["x", "y", "w"], edges.__getitem__, "x")
    >>> list(list_paths("w", edges.__getitem__, "x", counts))
    [(0, 2), (1,)]
    """
    if root not in counts:
        return
    goals = {goal}  # a set compares by identity first; == of tensors compares entry by entry
    if root in goals:
        yield ()
        return
    taken: list[Edge] = []
    stack = [iter(edges(root))]
    while stack:
        for edge, target in stack[-1]:
            if target in goals:
                yield (*taken, edge)
            elif target in counts:
                taken.append(edge)
                stack.append(iter(edges(target)))
                break
        else:
            stack.pop()
            if taken:
                taken.pop()

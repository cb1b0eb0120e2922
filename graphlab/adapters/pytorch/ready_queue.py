"""The nodes that are ready, in the order in which PyTorch's engine takes them.

The engine keeps them in a heap, by sequence number. All AccumulateGrads have the same number, so
which of two comes first follows from how C++ moves the entries of its heap; here they are moved in
the same way.

Read next: adapters/pytorch/rehearsal.py
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from graphlab.adapters.pytorch.accessors import edges_of, sequence_of

Edge = tuple[Any, int]


class ReadyQueue:
    """A heap of nodes, the one with the largest number first.

    >>> queue = ReadyQueue()
    >>> for number, name in [(3, "c"), (9, "x"), (9, "y"), (1, "a")]:
    ...     queue.push(number, name)
    >>> [queue.pop() for _ in range(len(queue))]
    ['x', 'y', 'c', 'a']
    """

    def __init__(self) -> None:
        self._heap: list[tuple[int, Any]] = []

    def __len__(self) -> int:
        return len(self._heap)

    def push(self, number: int, node: Any) -> None:
        """Add a node."""
        self._heap.append((number, node))
        self._rise(len(self._heap) - 1, (number, node))

    def pop(self) -> Any:
        """Take out the node that runs next."""
        heap = self._heap
        first, last = heap[0], heap.pop()
        if heap:
            self._sink(last)
        return first[1]

    def _rise(self, place: int, entry: tuple[int, Any]) -> None:
        heap = self._heap
        while place > 0:
            parent = (place - 1) // 2
            if heap[parent][0] >= entry[0]:
                break
            heap[place] = heap[parent]
            place = parent
        heap[place] = entry

    def _sink(self, entry: tuple[int, Any]) -> None:
        """Fill the hole at the top from below, and let `entry` rise from where the hole ends."""
        heap, place, child = self._heap, 0, 0
        count = len(heap)
        while child < (count - 1) // 2:
            child = 2 * (child + 1)
            if heap[child][0] < heap[child - 1][0]:
                child -= 1
            heap[place] = heap[child]
            place = child
        if count % 2 == 0 and child == (count - 2) // 2:
            child = 2 * (child + 1)
            heap[place] = heap[child - 1]
            place = child - 1
        self._rise(place, entry)


def edges_behind(roots: Iterable[Edge]) -> dict[Any, list[Edge | None]]:
    """The edges of every node behind some edges."""
    found: dict[Any, list[Edge | None]] = {}
    stack = list(dict.fromkeys(node for node, _ in roots))
    while stack:
        node = stack.pop()
        if node in found:
            continue
        edges = found[node] = edges_of(node)
        stack += [edge[0] for edge in edges if edge is not None and edge[0] not in found]
    return found


def engine_order(
    roots: Iterable[Edge], edges: dict[Any, list[Edge | None]] | None = None
) -> list[Any]:
    """Every node behind some edges, in the order in which PyTorch's engine runs them."""
    edges = edges_behind(roots) if edges is None else edges
    starts = list(dict.fromkeys(node for node, _ in roots))
    waits = Counter([edge[0] for some in edges.values() for edge in some if edge is not None])
    queue, order = ReadyQueue(), []
    for node in starts:
        if not waits[node]:
            queue.push(sequence_of(node), node)
    while len(queue):
        node = queue.pop()
        order.append(node)
        for edge in edges[node]:
            if edge is not None:
                waits[edge[0]] -= 1
                if not waits[edge[0]]:
                    queue.push(sequence_of(edge[0]), edge[0])
    return order

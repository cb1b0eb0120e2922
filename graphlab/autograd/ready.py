"""The queue of ready nodes: a binary heap with the newest node on top.

Only leaves have equal ranks: AccumulateGrad goes before every node. Which of several ready leaves
comes first then depends on how the heap moves its items. PyTorch uses std::priority_queue of
libstdc++, whose steps are written out here. (Python's heapq moves its items in another order.)

Read next: autograd/watched_pass.py
"""

from typing import Any


class Ready:
    """The waiting nodes with their ranks; the highest rank comes out first."""

    def __init__(self) -> None:
        self.heap: list[tuple[float, Any]] = []

    def __len__(self) -> int:
        return len(self.heap)

    def push(self, rank: float, item: Any) -> None:
        """Put an item at the end, and let it rise past lower ones."""
        self.heap.append((rank, item))
        self._rise(len(self.heap) - 1)

    def pop(self) -> Any:
        """Take out the item on top.

        The hole sinks to the bottom, always past the higher child (the right one of equals); the
        last item is put into it and rises.
        """
        heap = self.heap
        top, last = heap[0], heap.pop()
        if not heap:
            return top[1]
        hole, size = 0, len(heap)
        while (child := 2 * hole + 2) < size:
            if heap[child][0] < heap[child - 1][0]:
                child -= 1
            heap[hole] = heap[child]
            hole = child
        if child == size:  # a left child alone
            heap[hole] = heap[child - 1]
            hole = child - 1
        heap[hole] = last
        self._rise(hole)
        return top[1]

    def _rise(self, at: int) -> None:
        heap, item = self.heap, self.heap[at]
        while at > 0 and heap[parent := (at - 1) // 2][0] < item[0]:
            heap[at] = heap[parent]
            at = parent
        heap[at] = item

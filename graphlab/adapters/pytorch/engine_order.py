"""The nodes of a PyTorch graph, in the order in which PyTorch's engine runs them.

GraphLab's own engine takes its nodes from the same queue (autograd/watched_pass.py).

Read next: adapters/pytorch/rehearsal.py
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from graphlab.adapters.pytorch.accessors import edges_of, sequence_of
from graphlab.autograd.watched_pass import Ready

Edge = tuple[Any, int]


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
    ready, order = Ready(), []
    for node in starts:
        if not waits[node]:
            ready.push(sequence_of(node), node)
    while len(ready):
        node = ready.pop()
        order.append(node)
        for edge in edges[node]:
            if edge is not None:
                waits[edge[0]] -= 1
                if not waits[edge[0]]:
                    ready.push(sequence_of(edge[0]), edge[0])
    return order

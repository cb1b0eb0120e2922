"""The order of nodes: a result is made after its inputs.

So sorting by sequence number puts inputs before results; the engine runs the nodes in reverse. Only
`_set_sequence_nr` can break that order. While a node exists whose number was set, this file and
`WatchedPass` use the dependencies instead.

Read next: autograd/engine.py
"""

from collections.abc import Container, Iterable
from heapq import heapify, heappop, heappush
from operator import attrgetter
from typing import Any

from graphlab.autograd.hooks import Renumbered
from graphlab.autograd.node import Output
from graphlab.tensor.tensor import Tensor

_number = attrgetter("_sequence")


def as_made(nodes: Iterable[Any]) -> list[Any]:
    """Return the nodes of one graph, inputs before results; the engine runs them in reverse.

    Among nodes that may come next, the one with the lowest sequence number comes first, because
    the engine runs it last.
    """
    found = sorted(nodes, key=_number)
    return _by_dependencies(found) if Renumbered.living else found


def _by_dependencies(nodes: list[Any]) -> list[Any]:
    waits = dict.fromkeys(nodes, 0)  # how many edges lead to it from nodes that are not placed yet
    for node in nodes:
        for target in _targets(node, waits):
            waits[target] += 1
    place = {node: k for k, node in enumerate(nodes)}
    ready = [(-node._sequence, place[node], node) for node in nodes if not waits[node]]
    heapify(ready)
    run = []
    while ready:
        node = heappop(ready)[2]
        run.append(node)
        for target in _targets(node, waits):
            waits[target] -= 1
            if waits[target] == 0:
                heappush(ready, (-target._sequence, place[target], target))
    return run[::-1]


def _targets(node: Any, among: dict[Any, int]) -> list[Any]:
    """Return the nodes `among` all that a node sends gradients to, once per edge."""
    ends = (getattr(edge, "node", edge) for edge in node._next if edge is not None)
    return [end for end in ends if end in among]


def node_of(edge: Any) -> Any:
    """Return what runs, or is written, when the gradient of this edge is complete."""
    return edge.node if type(edge) is Output else edge


def nodes_behind(edges: Iterable[Any]) -> set[Any]:
    """Return the nodes that some edges lead to, directly or through other nodes."""
    starts = map(node_of, edges)
    seen = {start for start in starts if start is not None and not isinstance(start, Tensor)}
    stack = list(seen)
    while stack:
        for target in stack.pop()._next:
            target = node_of(target)
            if target is not None and not isinstance(target, Tensor) and target not in seen:
                seen.add(target)
                stack.append(target)
    return seen


def leads_to(node: Any, found: Container[Any]) -> bool:
    """Return whether an edge of a node leads to one of the nodes and leaves that were found."""
    for target in node._next:
        if node_of(target) in found:
            return True
    return False


def leading_to(starts: list[Any], capture: dict[Any, Any]) -> set[Any]:
    """Return the nodes and leaves that are keys of `capture`, or that lead to one."""
    found = {key[0] if isinstance(key, tuple) else key for key in capture}
    for node in as_made(nodes_behind(starts)):
        if leads_to(node, found):
            found.add(node)
    return found

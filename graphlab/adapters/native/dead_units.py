"""Dead units are columns or channels of an activation that are 0 for the whole batch.

Only operations such as relu, which set entries to zero, are examined. A unit is silent if its
results are 0, as far as the node saved them; it is blocked if the node sends zeros as its gradient.

Read next: graph/gradient_health.py
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from graphlab.adapters.native.facts import Fact, rectifies
from graphlab.adapters.native.graph_copy import Copied
from graphlab.autograd.function import SavedOutput
from graphlab.autograd.node import Node
from graphlab.graph.array_sample import ArraySample, idle_units, units_of
from graphlab.graph.model import Graph


def with_dead_units(copied: Copied, facts: Iterable[Fact]) -> Graph:
    """The copied graph, with the numbers of dead units on its nodes."""
    graph = copied.graph
    told = {node: silent_units(node) for node in copied.nodes if rectifies(node)}
    if not told:
        return graph
    found: dict[str, tuple[int, int, int]] = {}
    for node, silent in told.items():
        if silent:
            found[copied.node_ids[node]] = silent, 0, units_of(result_of(node).shape)
    for what, *about in facts:
        if what == "applied" and about[0] in told and about[1] and about[1][0] is not None:
            made: ArraySample = about[1][0][0]
            if blocked := idle_in(made):
                silent = told[about[0]]
                found[copied.node_ids[about[0]]] = silent, blocked, units_of(made.shape)
    if not found:
        return graph
    nodes = []
    for node in graph.nodes:
        silent, blocked, units = found.get(node.id, (0, 0, 0))
        nodes.append(replace(node, silent=silent, blocked=blocked, units=units) if units else node)
    return replace(graph, nodes=tuple(nodes))


def result_of(node: Node) -> Any:
    """The result that a node saved, or None."""
    if not node._saved or "result" not in node.op.saved:
        return None
    item = node._saved[-1]
    return item.data if isinstance(item, SavedOutput) else item


def silent_units(node: Node) -> int:
    """How many units of a node's result are 0 for the whole batch; 0 if it saved no result."""
    result = result_of(node)
    return 0 if result is None else idle_in(result)


def idle_in(result: Any) -> int:
    """How many units of an array, or of a sample of one, are 0 for the whole batch."""
    if not isinstance(result, ArraySample):
        return idle_units(result)
    return idle_units(result.corner) if result.corner.shape == result.shape else result.idle

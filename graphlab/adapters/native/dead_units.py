"""Dead units: columns or channels of an activation that are 0 for the whole batch.

Only operations that make zeros on purpose are asked. Whether a unit is silent is read from the
result, if the node has saved it; whether it is blocked, from the gradient that the node sends.

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
    """The graph that was copied, whose nodes tell how many of their units are dead."""
    graph = copied.graph
    told = {node: silent_units(node) for node in copied.nodes if rectifies(node)}
    if not told:
        return graph
    found: dict[str, tuple[int, int, int]] = {}
    for node, silent in told.items():
        if silent:
            found[copied.node_ids[node]] = silent, 0, units_of(shape_of_result(node))
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
    """The result that a node has saved, or None."""
    if not node._saved or "result" not in node.op.saved:
        return None
    item = node._saved[-1]
    return item.data if isinstance(item, SavedOutput) else item


def shape_of_result(node: Node) -> tuple[int, ...]:
    """The shape of the result that a node has saved."""
    return result_of(node).shape


def silent_units(node: Node) -> int:
    """The units of the result of a node that are 0 for the whole batch, if it is known."""
    held = result_of(node)
    return 0 if held is None else idle_in(held)


def idle_in(held: Any) -> int:
    """The same of an array, or of a sample."""
    if not isinstance(held, ArraySample):
        return idle_units(held)
    return idle_units(held.corner) if held.corner.shape == held.shape else held.idle

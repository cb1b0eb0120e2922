"""The part of the graph that belongs to one of several backward passes.

Read next: faces/render/bundle.py
"""

from __future__ import annotations

from graphlab.graph.events import PassBegan
from graphlab.graph.model import Graph
from graphlab.graph.timeline import Timeline


def passes_of(timeline: Timeline) -> list[tuple[int, PassBegan]]:
    """Where each pass of a recording begins; a rehearsal, a single pass, has no such events."""
    return [(k, event) for k, event in enumerate(timeline.events) if isinstance(event, PassBegan)]


def graph_at(timeline: Timeline, place: int) -> Graph:
    """The part of the graph that belongs to event `place`: of one pass, all of it."""
    passes = passes_of(timeline)
    if not passes:
        return timeline.graph
    begun = [event for k, event in passes if k <= place]
    return graph_of_pass(timeline, begun[-1] if begun else passes[0][1])


def graph_of_pass(timeline: Timeline, began: PassBegan) -> Graph:
    """What a pass walks; of nodes that an earlier pass made, also what that one walked.

    So double backward is seen whole: the second layer of nodes lies on the first.
    """
    passes = [event for _, event in passes_of(timeline)]
    nodes = walked(timeline.graph, began, passes)
    return timeline.graph.part(began.roots[0], nodes)


def walked(graph: Graph, began: PassBegan, passes: list[PassBegan]) -> dict[str, None]:
    """The ids of those nodes, in order."""
    nodes = dict.fromkeys(node for node, _ in began.waits)
    for node in list(nodes):
        maker = graph.node(node).made_by
        if maker is not None and maker not in nodes:
            first = next((one for one in passes if maker in dict(one.waits)), None)
            nodes.update(walked(graph, first, passes) if first is not None else {})
    return nodes

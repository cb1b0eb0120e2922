"""What is the same thing in two graphs of one program: each node and tensor gets a key.

A function that runs again makes new nodes. The node that the same place in the code made is the
same one for a reader, in a loop the one of the same round. Keys are plain text, and say nothing of
values.

Read next: faces/render/steady_scenes.py
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from graphlab.graph.events import Event
from graphlab.graph.model import Graph, NodeInfo

MOST_TOLD = 3  # operations that a sentence lists


def keys_of(graph: Graph) -> dict[str, str]:
    """The key of every tensor and node of `graph`, by id; no two have the same.

    A node is known by its name, the place in the code that made it, and which of the nodes made
    there it is; a result by its node; a leaf by its name; a constant by the node that uses it.
    """
    keys: dict[str, str] = {}
    count: Counter[str] = Counter()

    def numbered(key: str) -> str:
        count[key] += 1
        return f"{key} #{count[key]}"

    operations = sorted(
        (node for node in graph.nodes if node.variable is None), key=lambda node: node.sequence
    )
    for node in operations:
        keys[node.id] = numbered(f"{node.name} {place_of(node)}")
        for place, tensor in enumerate(node.outputs):
            keys[tensor] = f"{place} of {keys[node.id]}"
    for node in operations:
        for place, tensor in enumerate(node.inputs):
            if tensor not in keys:
                name = graph.tensor(tensor).name
                keys[tensor] = numbered(f"leaf {name}" if name else f"{place} for {keys[node.id]}")
    for tensor in graph.tensors:
        if tensor.id not in keys:
            keys[tensor.id] = numbered(f"leaf {tensor.name or ''}")
    for node in graph.nodes:
        if node.variable is not None:
            keys[node.id] = f"{node.name} of {keys[node.variable]}"
    return keys


def place_of(node: NodeInfo) -> str:
    """The place in the code that made a node: its file or cell, line and columns."""
    source = node.source
    return "" if source is None else f"{source.label}:{source.line}:{source.start}-{source.end}"


def difference(old: Graph, new: Graph) -> tuple[list[NodeInfo], list[NodeInfo]]:
    """The operations that are only in `old`, and those that are only in `new`, oldest first."""
    old_keys, new_keys = keys_of(old), keys_of(new)
    went = only_in(old, old_keys, set(new_keys.values()))
    came = only_in(new, new_keys, set(old_keys.values()))
    return went, came


def only_in(graph: Graph, keys: Mapping[str, str], others: set[str]) -> list[NodeInfo]:
    """The operations of `graph` whose keys are not among `others`."""
    nodes = sorted(graph.nodes, key=lambda node: node.sequence)
    return [node for node in nodes if node.variable is None and keys[node.id] not in others]


def told_difference(went: Iterable[NodeInfo], came: Iterable[NodeInfo]) -> str:
    """One sentence about the operations that went and that came; "" if there are none."""
    parts = [
        f"{listed(nodes)} {verb}"
        for nodes, verb in ((list(went), "went"), (list(came), "came"))
        if nodes
    ]
    return f"{'; '.join(parts)}." if parts else ""


def listed(nodes: list[NodeInfo]) -> str:
    """Operations with the lines that made them, the same ones counted.

    >>> listed([NodeInfo("n0", "MulBackward0", "mul", "×", 0, (), ())] * 2)
    '2 × MulBackward0'
    """
    found = Counter((node.name, "" if node.source is None else node.source.line) for node in nodes)
    texts = [
        f"{f'{many} × ' if many > 1 else ''}{name}{f' of line {line}' if line else ''}"
        for (name, line), many in found.items()
    ]
    more = len(texts) - MOST_TOLD
    if more > 0:
        return f"{', '.join(texts[:MOST_TOLD])} and {more} more"
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def same_event(
    events: tuple[Event, ...], keys: Mapping[str, str], k: int, others: tuple[Event, ...],
    other_keys: Mapping[str, str],
) -> int:  # fmt: skip
    """The index among `others` of the event that tells what event `k` of `events` tells.

    Where the other graph has none, that of the latest event before it which has one; else 0.
    """
    known: dict[tuple[str, ...], int] = {}
    for place, identity in enumerate(identities(others, other_keys)):
        known[identity] = place
    told = identities(events[: k + 1], keys)
    return next((known[one] for one in reversed(told) if one in known), 0)


def identities(events: Iterable[Event], keys: Mapping[str, str]) -> list[tuple[str, ...]]:
    """What each event tells of, as a key: its kind, its things, and which such event it is."""
    count: Counter[tuple[str, ...]] = Counter()
    found: list[tuple[str, ...]] = []
    for event in events:
        things = tuple(key_of_id(getattr(event, name, None), keys) for name in PARTS)
        count[event.kind, *things] += 1
        found.append((event.kind, *things, str(count[event.kind, *things])))
    return found


PARTS = ("node", "tensor", "edge")


def key_of_id(id: object, keys: Mapping[str, str]) -> str:
    """The key of a node or tensor, or of an edge, which is an entry of its source."""
    if not isinstance(id, str):
        return ""
    node, dot, index = id.rpartition(".")
    return f"{keys.get(node, node)}.{index}" if dot else keys.get(id, id)

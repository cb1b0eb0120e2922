"""Structure keys tell which nodes and tensors correspond when a program runs twice.

A function that runs again makes new nodes. To a reader, the nodes that the same expression made are
the same; in a loop, those of the same iteration. Keys are plain text and do not depend on values.

Read next: faces/render/steady_scenes.py
"""

from collections import Counter
from collections.abc import Iterable, Mapping

from graphlab.graph.events import Event
from graphlab.graph.events.event import in_words
from graphlab.graph.model import Graph, NodeInfo


def keys_of(graph: Graph) -> dict[str, str]:
    """The key of every tensor and node of `graph`, by id; all keys are different.

    The key of a node is its name, the place in the code that made it, and a number among the nodes
    made there. The key of a result follows from its node, that of a leaf from its name, and that of
    a constant from the node that uses it.
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
    """The place in the code that made a node: file or cell, line and columns."""
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
    """One sentence about the operations that are gone and that are new; "" if there are none."""
    parts = [
        f"{listed(nodes)} {'is' if len(nodes) == 1 else 'are'} {what}"
        for nodes, what in ((list(went), "gone"), (list(came), "new"))
        if nodes
    ]
    return f"{'; '.join(parts)}." if parts else ""


def listed(nodes: list[NodeInfo]) -> str:
    """Operations with the lines that made them; equal ones are counted.

    >>> listed([NodeInfo("n0", "MulBackward0", "mul", "×", 0, (), ())] * 2)
    '2 × MulBackward0'
    """
    found = Counter((node.name, "" if node.source is None else node.source.line) for node in nodes)
    texts = [
        f"{f'{many} × ' if many > 1 else ''}{name}{f' of line {line}' if line else ''}"
        for (name, line), many in found.items()
    ]
    return in_words(texts)


def same_event(
    events: tuple[Event, ...], keys: Mapping[str, str], k: int, others: tuple[Event, ...],
    other_keys: Mapping[str, str],
) -> int:  # fmt: skip
    """The index among `others` of the event that corresponds to event `k` of `events`.

    If none does, it is that of the latest event before `k` for which there is one, or else 0.
    """
    known: dict[tuple[str, ...], int] = {}
    for place, identity in enumerate(identities(others, other_keys)):
        known[identity] = place
    told = identities(events[: k + 1], keys)
    return next((known[one] for one in reversed(told) if one in known), 0)


def identities(events: Iterable[Event], keys: Mapping[str, str]) -> list[tuple[str, ...]]:
    """A key for each event: its kind, its node, tensor and edge, and a number among equal ones."""
    count: Counter[tuple[str, ...]] = Counter()
    found: list[tuple[str, ...]] = []
    for event in events:
        things = tuple(key_of_id(getattr(event, name, None), keys) for name in PARTS)
        count[event.kind, *things] += 1
        found.append((event.kind, *things, str(count[event.kind, *things])))
    return found


PARTS = ("node", "tensor", "edge")


def key_of_id(id: object, keys: Mapping[str, str]) -> str:
    """The key of a node, a tensor or an edge; that of an edge is its source's key and its index."""
    if not isinstance(id, str):
        return ""
    node, dot, index = id.rpartition(".")
    return f"{keys.get(node, node)}.{index}" if dot else keys.get(id, id)

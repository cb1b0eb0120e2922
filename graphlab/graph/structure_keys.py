"""Structure keys tell which nodes and tensors correspond when a program runs twice.

To a reader, the nodes that the same expression made are the same; in a loop, those of the same
iteration. Keys are plain text and do not depend on values.

Two graphs are isomorphic if they differ only in names, values and lines of code. First every tensor
gets a colour that describes its surroundings; isomorphic graphs have equal colours. Then a search
pairs the tensors, from the results backwards, and drops a guess that fails.

Read next: faces/render/steady_scenes.py
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import permutations

from graphlab.graph.comparing.node_matching import COMMUTATIVE
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


MOST_GUESSES = 100_000  # a graph that needs a longer search is too symmetric for an exercise

Colours = dict[str, int]  # tensor id -> colour


def isomorphic(one: Graph, other: Graph) -> bool:
    """Whether the tensors and nodes of two graphs can be paired so that every edge is kept.

    A node is paired with a node of the same operation whose inputs are paired in the same order; in
    any order if the operation is commutative. A leaf is paired with a leaf, and a tensor that
    needs no gradient with another such. Names and values do not matter.
    Raises: ValueError when the graphs are too symmetric for a search of bounded length.
    Source: colour refinement, then backtracking (Cordella et al., "VF2", 2004, is similar).

    >>> import graphlab
    >>> from graphlab.adapters.native.graph_copy import graph_of
    >>> a, b = (graphlab.tensor(float(k), requires_grad=True) for k in (2, 3))
    >>> isomorphic(graph_of(a * b + a), graph_of(b + a * b))
    True
    >>> isomorphic(graph_of(a * b + a), graph_of(a * a + b))
    False
    """
    sides = (one, other)
    if len(one.tensors) != len(other.tensors) or len(one.nodes) != len(other.nodes):
        return False
    colours = _coloured(sides)
    if sorted(colours[0].values()) != sorted(colours[1].values()):
        return False
    makers = tuple({id: node for node in graph.nodes for id in node.outputs} for graph in sides)
    guesses = 0
    open_ends: list[tuple[dict[str, str], list[tuple[str, str]]]] = [({}, [(one.root, other.root)])]
    while open_ends:
        guesses += 1
        if guesses > MOST_GUESSES:
            raise ValueError("these graphs are too symmetric to be compared")
        pairs, waiting = open_ends.pop()
        taken = set(pairs.values())
        while waiting:
            mine, theirs = waiting.pop()
            if mine in pairs or theirs in taken:
                if pairs.get(mine) != theirs:
                    break
                continue
            if colours[0][mine] != colours[1][theirs]:
                break
            pairs[mine] = theirs
            taken.add(theirs)
            made = (makers[0].get(mine), makers[1].get(theirs))
            if made[0] is None or made[1] is None:
                continue  # tensors of one colour: no node made either
            waiting.extend(zip(made[0].outputs, made[1].outputs, strict=True))
            first, *others = _orders(made[0], made[1], colours)
            for order in others:
                open_ends.append((dict(pairs), [*waiting, *order]))
            waiting.extend(first)
        else:
            return True
    return False


def _orders(
    one: NodeInfo, other: NodeInfo, colours: tuple[Colours, Colours]
) -> list[list[tuple[str, str]]]:
    """The possible ways to pair the inputs of two nodes."""
    straight = list(zip(one.inputs, other.inputs, strict=True))
    if one.op not in COMMUTATIVE:
        return [straight]
    found = [
        list(zip(one.inputs, order, strict=True))
        for order in permutations(other.inputs)
        if all(colours[0][s] == colours[1][t] for s, t in zip(one.inputs, order, strict=True))
    ]
    return found or [straight]


def _coloured(sides: tuple[Graph, Graph]) -> tuple[Colours, Colours]:
    """A colour for each tensor of both graphs, refined until the number of colours stays equal."""
    facts: list[dict[str, tuple[object, ...]]] = [
        {
            one.id: (one.requires_grad, one.producer is None, one.id == graph.root)
            for one in graph.tensors
        }
        for graph in sides
    ]
    count = 0
    while True:
        numbers: dict[tuple[object, ...], int] = {}
        for own in facts:
            for fact in own.values():
                numbers.setdefault(fact, len(numbers))
        first, second = ({id: numbers[fact] for id, fact in own.items()} for own in facts)
        if len(numbers) == count:
            return first, second
        count = len(numbers)
        facts = [
            _refined(graph, colours) for graph, colours in zip(sides, (first, second), strict=True)
        ]


def _refined(graph: Graph, colours: Colours) -> dict[str, tuple[object, ...]]:
    """The surroundings of each tensor: its colour, the node that made it, the nodes that use it."""
    around: dict[str, list[tuple[object, ...]]] = {id: [] for id in colours}
    for node in graph.nodes:
        for role, id, seen in _ends(node, colours):
            around[id].append((role, node.op, seen))
    return {id: (colour, *sorted(around[id], key=repr)) for id, colour in colours.items()}


def _ends(node: NodeInfo, colours: Colours) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    """Each input and output of a node, with its role and the colours of the opposite side."""
    free = node.op in COMMUTATIVE
    inputs = tuple(colours[id] for id in node.inputs)
    outputs = tuple(colours[id] for id in node.outputs)
    for k, id in enumerate(node.outputs):
        yield f"output {k}", id, tuple(sorted(inputs)) if free else inputs
    for k, id in enumerate(node.inputs):
        yield "input" if free else f"input {k}", id, outputs

"""Whether two graphs are the same but for names, values and the places in the code: isomorphism.

First every tensor gets a colour that tells what is around it; equal graphs have equal colours. Then
a search pairs the tensors from the results backwards, and gives up a guess that does not work out.

Read next: faces/exercises/answers.py
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from graphlab.graph.comparing.node_matching import COMMUTATIVE
from graphlab.graph.model import Graph, NodeInfo

MOST_GUESSES = 100_000  # a search this long has met a graph too symmetric to be an exercise

Colours = dict[str, int]  # of tensors, by id


def isomorphic(one: Graph, other: Graph) -> bool:
    """Whether the tensors and nodes of two graphs can be paired so that every edge is kept.

    A node is paired with one of the same operation and the same inputs, in their order; the inputs
    of a sum, a product and the like may stand in any order. A leaf is paired with a leaf, a tensor
    that needs no gradient with another such. Names and values do not matter.
    Raises: ValueError when the graphs are so symmetric that no answer is found in a bounded search.
    Source: colour refinement, then backtracking (Cordella et al., "VF2", 2004, is the same idea).

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
                continue  # of one colour: neither is a result
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
    """The ways to pair the inputs of two nodes."""
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
    """A colour for each tensor of both graphs: refined by makers and uses until none is new."""
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
    """What is around each tensor: its colour, the node that made it, and the nodes that use it."""
    around: dict[str, list[tuple[object, ...]]] = {id: [] for id in colours}
    for node in graph.nodes:
        for role, id, seen in _ends(node, colours):
            around[id].append((role, node.op, seen))
    return {id: (colour, *sorted(around[id], key=repr)) for id, colour in colours.items()}


def _ends(node: NodeInfo, colours: Colours) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    """Each tensor at a node, with its place there and the colours of the node's other end."""
    free = node.op in COMMUTATIVE
    inputs = tuple(colours[id] for id in node.inputs)
    outputs = tuple(colours[id] for id in node.outputs)
    for k, id in enumerate(node.outputs):
        yield f"output {k}", id, tuple(sorted(inputs)) if free else inputs
    for k, id in enumerate(node.inputs):
        yield "input" if free else f"input {k}", id, outputs

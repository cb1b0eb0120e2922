"""Two graphs are isomorphic if they differ only in names, values and lines of code.

First every tensor gets a colour that describes its surroundings; isomorphic graphs have equal
colours. Then a search pairs the tensors, from the results backwards, and drops a guess that fails.

Read next: faces/exercises/answers.py
"""

from collections.abc import Iterator
from itertools import permutations

from graphlab.graph.comparing.node_matching import COMMUTATIVE
from graphlab.graph.model import Graph, NodeInfo

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

"""A Difference is one thing that differs between two backward passes, with a sentence about it.

Read next: graph/comparing/finding.py
"""

from dataclasses import dataclass
from typing import Literal, get_args

from graphlab.common.notebook import printable_here, wrapped
from graphlab.graph.comparing.gradient_flow import Walk
from graphlab.graph.comparing.node_matching import Matching
from graphlab.graph.model import NodeInfo, Source, TensorInfo
from graphlab.graph.value import Value

Kind = Literal[
    "failed",  # one pass raised an error
    "passes",  # one recording has more passes
    "cut",  # a cut, through which no gradient flows, in one graph
    "constant",  # a constant where the other graph has a tensor that requires a gradient
    "accumulated",  # `.grad` was not empty
    "leaf",  # a leaf that only one graph has
    "uses",  # a leaf that one graph uses more often
    "operation",  # two operations in the same place
    "missing",  # an operation that only one graph has
    "order",  # the order of an operation's inputs, where it matters
    "input",  # an input of an operation
    "saved",  # a number or option that a rule uses
    "in-place",  # a tensor that only one program changed in place
    "value",  # the data of a leaf or constant
    "result",  # the result
    "gradient",  # the gradient of a leaf
    "swapped",  # the order of an operation's inputs, where it does not matter
]
ORDER = get_args(Kind)  # most important first


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that differs.

    kind: the kind of difference. sentence: what differs, in plain English. first, second: the ids
    of the nodes and tensors in the two graphs. values: what the first and the second graph have
    there, as text. sources: the lines of code.
    """

    kind: Kind
    sentence: str
    first: tuple[str, ...] = ()
    second: tuple[str, ...] = ()
    values: tuple[str, str] = ("", "")
    sources: tuple[Source | None, Source | None] = (None, None)

    def __str__(self) -> str:
        return printable_here(wrapped(self.sentence))


class Pair:
    """Two backward passes and their matching, in which differences are searched.

    `cut`: edges (node, index of the input) that the other graph cuts, by side. `told`: leaves whose
    gradients another sentence already explained, by their ids in the first graph.
    """

    def __init__(self, one: Walk, other: Walk, matching: Matching) -> None:
        self.walks = (one, other)
        self.matching = matching
        self.partners = (matching, matching.reversed())
        self.cut: tuple[set[tuple[str, int]], set[tuple[str, int]]] = (set(), set())
        self.told: set[str] = set()
        self.behind: tuple[set[str], set[str]] = (set(), set())  # nodes and tensors behind cuts
        self.nodes = [
            (node, other.graph.node(matching.nodes[node.id]))
            for node in reversed(one.graph.nodes)
            if node.variable is None and other.graph.has("node", matching.nodes.get(node.id, ""))
        ]
        self.makers = tuple(
            {id: node for node in walk.graph.nodes for id in node.outputs} for walk in self.walks
        )

    def tensor(self, side: int, id: str) -> TensorInfo:
        return self.walks[side].graph.tensor(id)

    def value(self, side: int, id: str) -> Value | None:
        return self.walks[side].value(id)

    def label(self, side: int, id: str) -> str:
        """What a sentence calls a tensor: its name, or else its value, or what made it."""
        tensor = self.tensor(side, id)
        if tensor.name:
            return tensor.name
        if tensor.value is not None and not tensor.value.shape:
            return tensor.value.text
        maker = self.makers[side].get(id)
        return f"the result of {maker.op}" if maker is not None else "an array"

    def partner(self, side: int, id: str) -> str | None:
        """The corresponding tensor in the other graph, or None."""
        found = self.partners[side].tensors.get(id)
        return found if found and self.walks[1 - side].graph.has("tensor", found) else None

    def source(self, side: int, id: str) -> Source | None:
        """The line that made a tensor, or else the first line that uses it."""
        maker = self.makers[side].get(id)
        if maker is not None:
            return maker.source
        users = self.walks[side].uses(id)
        return users[0].source if users else None

    def inputs(self) -> list[tuple[NodeInfo, NodeInfo, int, int]]:
        """Each pair of nodes with the indexes of inputs that correspond."""
        return [
            (one, other, i, k)
            for one, other in self.nodes
            for i, k in self.matching.inputs(one, other)
        ]

    def leaves(self) -> list[tuple[str, str]]:
        """The leaves that both passes have, in the order of the first."""
        return [
            (tensor.id, partner)
            for tensor in self.walks[0].graph.tensors
            if tensor.is_leaf and tensor.requires_grad
            and (partner := self.partner(0, tensor.id)) is not None
        ]  # fmt: skip


def seen_from(
    side: int,
    kind: Kind,
    sentence: str,
    mine: tuple[str, ...] = (),
    theirs: tuple[str, ...] = (),
    values: tuple[str, str] = ("", ""),
    sources: tuple[Source | None, Source | None] = (None, None),
) -> Difference:
    """A difference whose arguments are given for one side first, and then for the other."""
    if side == 0:
        return Difference(kind, sentence, mine, theirs, values, sources)
    return Difference(
        kind, sentence, theirs, mine, (values[1], values[0]), (sources[1], sources[0])
    )

"""A Difference is one thing that differs between two backward passes, with a sentence about it.

A Walk is one of these passes with its gradients, read from its events.

Two values agree if they are equal within a tolerance. A trace has five digits of a number, so a
relative difference below 1e-4 cannot be seen in it. This is the relative tolerance of float32 and
float64; that of float16 is 2e-3. The absolute tolerance is the spacing of the type's numbers at 1.
Integers and bools must be equal. NaN agrees with NaN.

Read next: graph/comparing/finding.py
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from graphlab.common.notebook import printable_here, wrapped
from graphlab.graph.comparing.node_matching import Matching
from graphlab.graph.events import (
    Accumulated,
    ChangedInPlace,
    Event,
    Failed,
    GradReturned,
    LeafWritten,
    OptimizerStepped,
    PassBegan,
    Seeded,
)
from graphlab.graph.events.event import shape_text
from graphlab.graph.model import Graph, NodeInfo, Source, TensorInfo
from graphlab.graph.timeline import Timeline
from graphlab.graph.value import Statistics, Value


@dataclass
class Walk:
    """One backward pass: its part of the graph, and its gradients.

    first, end: the indexes of its first event and of the event after its last. Events between two
    passes belong to the earlier one.
    """

    graph: Graph
    first: int
    end: int
    events: Sequence[Event]
    roots: Sequence[str]  # its results
    arrived: dict[str, list[Value]] = field(default_factory=dict)  # by tensor, in order
    totals: dict[str, Value] = field(default_factory=dict)  # the sum of what arrived, by tensor
    written: dict[str, LeafWritten] = field(default_factory=dict)  # by leaf
    changed: dict[str, Value] = field(default_factory=dict)  # values changed before the pass
    failed: Failed | None = None
    senders: dict[str, list[NodeInfo]] = field(default_factory=dict)  # by tensor

    def value(self, tensor: str) -> Value | None:
        """The value of a tensor when the pass ran."""
        return self.changed.get(tensor) or self.graph.tensor(tensor).value

    def uses(self, tensor: str) -> list[NodeInfo]:
        """The nodes that send a gradient to a tensor, once for each use."""
        return self.senders.get(tensor, [])

    def whole(self) -> bool:
        """Whether every entry of the results and of the leaves' gradients is known."""
        some = [self.value(id) for id in self.roots]
        some += [v for t in self.graph.tensors if t.is_leaf and (v := self.totals.get(t.id))]
        return all(one and has_numbers(one) and not one.kept for one in some)

    def gradient(self, tensor: str) -> Value | None:
        """What this pass adds to the gradient of a tensor, or None."""
        return self.totals.get(tensor)


def walks_of(timeline: Timeline) -> list[Walk]:
    """The backward passes of a timeline, in order; a rehearsal has one."""
    began = [(k, one) for k, one in enumerate(timeline.events) if isinstance(one, PassBegan)]
    end = len(timeline.events)
    if not began:
        return [_read(Walk(timeline.graph, 0, end, timeline.events, [timeline.graph.root]))]
    walks: list[Walk] = []
    changed: dict[str, Value] = {}
    seen, ends = 0, [*(k for k, _ in began[1:]), end]
    for (start, one), last in zip(began, ends, strict=True):
        for event in timeline.events[seen:start]:
            _follow(event, changed)
        graph = timeline.graph.part(one.roots[0], (node for node, _ in one.waits))
        roots = [id for id in one.roots if graph.has("tensor", id)]
        first, seen = start if walks else 0, start
        events = timeline.events[first:last]
        walks.append(_read(Walk(graph, first, last, events, roots, changed=dict(changed))))
    return walks


def _follow(event: Event, changed: dict[str, Value]) -> None:
    """Note the new values of tensors that an event changes."""
    if isinstance(event, OptimizerStepped):
        changed.update({one.tensor: one.after for one in event.changes})
    elif isinstance(event, ChangedInPlace) and not event.recorded:
        changed[event.tensor] = event.after


def _read(walk: Walk) -> Walk:
    for edge in reversed(walk.graph.edges):  # in the order of the forward pass
        walk.senders.setdefault(edge.tensor, []).append(walk.graph.node(edge.source))
    for event in walk.events:
        match event:
            case Seeded() | GradReturned():
                walk.totals[event.tensor] = event.value
            case Accumulated():
                walk.arrived.setdefault(event.tensor, []).append(event.added)
                walk.totals[event.tensor] = event.after
            case LeafWritten():
                walk.written[event.tensor] = event
                walk.totals[event.tensor] = event.added
            case Failed():
                walk.failed = event
            case _:
                pass
    return walk


# relative, and absolute: the spacing of numbers at 1
TOLERANCES = {"float16": (2e-3, 9.8e-4), "float32": (1e-4, 1.2e-7), "float64": (1e-4, 2.2e-16)}
EXACT = (0.0, 0.0)


def agree(one: Value | None, other: Value | None) -> bool:
    """Whether two values have the same shape, type and numbers; an unknown value always agrees.

    >>> from graphlab.graph.value import summarise
    >>> agree(summarise(0.1 + 0.2), summarise(0.3)), agree(summarise(3.0), summarise(2.0))
    (True, False)
    """
    if one is None or other is None or one is other:
        return True
    if (one.shape, one.dtype) != (other.shape, other.dtype):
        return False
    if not (has_numbers(one) and has_numbers(other)):
        return True
    tolerance = TOLERANCES.get(one.dtype, EXACT)
    known, beside = one.texts, other.texts
    if len(known) != len(beside) or not all(
        near(a, b, *tolerance) for a, b in zip(known, beside, strict=True)
    ):
        return False
    return not one.kept or _alike(one.statistics, other.statistics, tolerance[0])


def has_numbers(value: Value) -> bool:
    """Whether more than the shape is known; PyTorch does not keep every result."""
    shape = f"{shape_text(value.shape)} {value.dtype}"
    return bool(value.entries) or value.text not in ("unknown", "no value", shape)


def near(one: str, other: str, relative: float, absolute: float) -> bool:
    """Whether two texts are numbers that are equal within a tolerance, or are the same text."""
    if one == other:
        return True
    try:
        return math.isclose(float(one), float(other), rel_tol=relative, abs_tol=absolute)
    except ValueError:
        return False


def _alike(one: Statistics | None, other: Statistics | None, relative: float) -> bool:
    """Whether arrays whose corners agree have statistics that agree as well."""
    if one is None or other is None:
        return True
    counts = ("nan", "pos_inf", "neg_inf")
    if any(getattr(one, name) != getattr(other, name) for name in counts):
        return False
    try:  # relative to the largest entry, because a mean near 0 is mostly rounding error
        largest = max(abs(float(one.low)), abs(float(one.high)), 0.0)
    except ValueError:
        return one == other
    largest = largest if math.isfinite(largest) else 0.0
    pairs = ((getattr(one, name), getattr(other, name)) for name in ("low", "high", "mean", "std"))
    return all(near(a, b, relative, relative * largest) for a, b in pairs)


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
    "update",  # what changed leaves or gradients between two passes
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

    def gradients(self, s: str, t: str) -> tuple[Value | None, Value | None]:
        """What each pass adds to the gradients of two tensors."""
        return self.walks[0].gradient(s), self.walks[1].gradient(t)

    def values(self, s: str, t: str) -> tuple[Value | None, Value | None]:
        return self.value(0, s), self.value(1, t)

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

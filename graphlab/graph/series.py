"""A series is one number for each backward pass of a recording, such as the loss or a weight.

The numbers are read from the texts of events, so they have 5 digits. The player reads the same
series from the trace (js/src/series.ts). `OneVariable` is one number of a graph as a function of
one or two entries of its leaves; the rest stays fixed.

Read next: graph/timeline.py
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphlab.graph.events import (
    ChangedInPlace,
    Event,
    GradReturned,
    LeafWritten,
    OptimizerStepped,
    PassBegan,
)
from graphlab.graph.formulas import Replay
from graphlab.graph.model import Graph
from graphlab.graph.replaying import (
    Replayed,
    ReplayError,
    check_formulas,
    computed_with,
    decided_otherwise,
    forward,
)
from graphlab.graph.value import Value

LOGICAL = {"True": 1.0, "False": 0.0}


def series(graph: Graph, events: Sequence[Event]) -> dict[str, list[Value | None]]:
    """The values of every root, leaf and leaf's `.grad` by name, one for each pass, or None.

    Each pass has its own tensors, which are matched by name: in a loop, each pass has its own loss.
    The value of a leaf is that at the beginning of the pass; "w.grad" is what the pass left in it,
    or what `autograd.grad` returned.
    """
    found: dict[str, list[Value | None]] = {}
    tensors = {tensor.id: tensor for tensor in graph.tensors}
    leaf_of = {node.id: node.variable for node in graph.nodes}
    place = {identity: k for k, identity in enumerate(tensors)}
    now: dict[str, Value] = {}  # current values of leaves that were changed
    count = 0  # passes so far

    def note(name: str, value: Value | None) -> None:
        listed = found.setdefault(name, [])
        listed += [None] * (count - len(listed))
        if value is not None:
            listed[-1] = value

    def begin(roots: Iterable[str], nodes: Iterable[str]) -> None:
        nonlocal count
        count += 1
        for root in roots:
            note(tensors[root].label, now.get(root, tensors[root].value))
        for leaf in sorted(filter(None, map(leaf_of.get, nodes)), key=place.__getitem__):
            if name := tensors[leaf].name:
                note(name, now.get(leaf, tensors[leaf].value))
                note(f"{name}.grad", None)

    if events and not any(isinstance(event, PassBegan) for event in events):
        begin([graph.root], leaf_of)  # a rehearsal, which is one pass
    for event in events:
        match event:
            case PassBegan():
                begin(event.roots, [node for node, _ in event.waits])
            case LeafWritten() if (name := f"{tensors[event.tensor].name}.grad") in found:
                note(name, event.after)
            case GradReturned() if (name := f"{tensors[event.tensor].name}.grad") in found:
                note(name, event.value)
            case ChangedInPlace(recorded=False):
                now[event.tensor] = event.after
            case OptimizerStepped():
                now.update({one.tensor: one.after for one in event.changes})
    return {
        name: listed + [None] * (count - len(listed))
        for name, listed in found.items()
        if any(value is not None for value in listed)
    }


def magnitude(value: Value | None) -> float:
    """A single number itself; the Euclidean norm of an array; nan for None.

    >>> from graphlab.graph.value import summarise
    >>> magnitude(summarise(-2.0)), magnitude(summarise([3.0, 4.0])), magnitude(None)
    (-2.0, 5.0, nan)
    """
    if value is None:
        return math.nan
    if value.norm or math.prod(value.shape) == 1:
        return number_of(value.norm or value.text)
    if value.kept and (found := value.statistics):  # a large array in a rehearsal
        if found.nan or found.pos_inf or found.neg_inf:
            return math.nan if found.nan else math.inf
        count, mean, std = math.prod(value.shape), number_of(found.mean), number_of(found.std)
        return math.hypot(math.sqrt(count - 1) * std, math.sqrt(count) * mean)
    return math.hypot(*map(number_of, value.texts)) if value.entries else 0.0


def entry_of(value: Value | None, place: int) -> float:
    """One entry, by its index into the flattened array; nan if the trace does not have it.

    >>> from graphlab.graph.value import summarise
    >>> entry_of(summarise([3.0, 4.0]), 1)
    4.0
    """
    if value is None:
        return math.nan
    texts = value.texts
    return math.nan if value.kept or place >= len(texts) else number_of(texts[place])


def number_of(text: str) -> float:
    """The number that a text stands for; nan if it is complex, or the text was cut off."""
    try:
        return LOGICAL[text] if text in LOGICAL else float(text)
    except ValueError:
        return math.nan


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a tensor. tensor: its id. place: the index into the flattened tensor."""

    tensor: str
    place: int


class OneVariable:
    """The number in tensor `of` (its id) as a function of entries, in double precision.

    Raises: ReplayError if the graph cannot be run again.
    """

    def __init__(self, graph: Graph, replay: Replay, of: str) -> None:
        if replay.problem and not replay.nodes:
            raise ReplayError(replay.problem)
        check_formulas(replay)
        self.of = of
        self.problem = ""  # why the last number that it could not give would need another graph
        wanted, nodes = {of}, []
        for node in graph.nodes:  # from the root to the leaves
            if wanted & set(node.outputs):
                wanted.update(node.inputs)
                nodes.append(node)
        self.nodes = nodes[::-1]
        self.recorded = Replayed(graph, replay, exact=True)
        data = {name: computed_with(numbers.array()) for name, numbers in replay.data.items()}
        self.recorded.tensors.update(data)
        self.data = dict(data)
        for node in self.nodes:
            with np.errstate(all="ignore"):
                forward(self.recorded, node)

    def value(self, entry: Entry) -> float:
        """The recorded value of an entry. Raises: ReplayError if no formula reads its tensor."""
        if entry.tensor not in self.data:
            label = self.recorded.graph.tensor(entry.tensor).label
            raise ReplayError(
                f"{label} is the result of an operation, or no formula reads it; name a leaf"
            )
        return float(np.reshape(self.data[entry.tensor], -1)[entry.place])

    def __call__(self, values: Mapping[Entry, float]) -> float:
        """The number for other values of entries; nan if it has none, or the graph would differ."""
        data = dict(self.data)
        for entry, x in values.items():
            changed = np.array(data[entry.tensor], np.float64)
            changed.reshape(-1)[entry.place] = x
            data[entry.tensor] = changed[()]
        run = Replayed(self.recorded.graph, self.recorded.replay, exact=True)
        moved = {entry.tensor for entry in values}
        run.tensors.update(data)
        try:
            with np.errstate(all="ignore"):
                for node in self.nodes:
                    if moved.isdisjoint(node.inputs) and not run.replay.follows:
                        run.tensors.update({x: self.recorded.tensors[x] for x in node.outputs})
                        continue
                    moved.update(node.outputs)
                    forward(run, node)
                if said := decided_otherwise(run):
                    raise ReplayError(said)
        except ReplayError as error:
            self.problem = str(error)
            return np.nan
        return float(np.asarray(run.tensors[self.of]).reshape(-1)[0])


def index_of(shape: tuple[int, ...], entry: Any, label: str, write: str = "entry={}") -> int:
    """The index of an entry into the flattened tensor. entry: None, an int, or a tuple of ints.

    Raises: ValueError that says what to write, if there is no such entry, or none was chosen.

    >>> index_of((2, 3), (1, -1), "w")
    5
    """
    size = int(np.prod(shape, dtype=int))
    if entry is None and size == 1:
        return 0
    place: tuple[Any, ...] = entry if isinstance(entry, tuple) else (entry,)
    if len(place) == len(shape) and all(type(k) is int for k in place):
        there = tuple(k + n if k < 0 else k for k, n in zip(place, shape, strict=True))
        if all(0 <= k < n for k, n in zip(there, shape, strict=True)):
            return int(np.ravel_multi_index(there, shape)) if shape else 0
    example = tuple(0 for _ in shape)
    said = "choose an entry" if entry is None else f"there is no entry {entry!r}"
    raise ValueError(f"{label} has the shape {shape}: {said}; write {write.format(example)}")

"""One number of a graph is a function of one or two entries of its leaves; the rest stays fixed.

Read next: faces/render/slope.py
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

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

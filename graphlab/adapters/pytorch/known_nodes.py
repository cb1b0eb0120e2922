"""How a recording recognizes PyTorch's nodes and tensors without keeping them alive.

A PyTorch node is recognized by a number in its `metadata`, which lives as long as the node; a
tensor by its id and a weak reference. The stand-ins hold samples instead of arrays.

Read next: adapters/pytorch/lines.py
"""

import weakref
from bisect import bisect_right
from collections.abc import Iterable
from itertools import count
from typing import Any

import numpy as np

from graphlab.adapters.native.facts import rectifies
from graphlab.adapters.native.graph_walk import Moment
from graphlab.adapters.native.unreached import result_of, silent_units
from graphlab.adapters.pytorch.stand_ins import FIRST, PLAIN, StandIns, is_array, stand_in_of
from graphlab.autograd.function import SavedOutput
from graphlab.autograd.node import Node, Pinned
from graphlab.graph.array_sample import ArraySample, quick_sample
from graphlab.tensor.tensor import Tensor

KEY = "graphlab.record"
HOLDS_SAMPLES = PLAIN | {Pinned, Moment, Tensor}  # once `take` has been through all tensors


class Memory:
    """The stand-ins of one recording; recorded_timeline.py reads it as it reads Snapshots."""

    def __init__(self) -> None:
        self._key = KEY, id(self)  # in the metadata of nodes
        self._numbers = count()
        self._nodes: dict[int, Node] = {}  # number of a node -> its stand-in
        self._tensors: dict[int, tuple[Any, Tensor]] = {}  # id -> weak reference, stand-in
        self.latest: dict[Tensor, ArraySample] = {}  # stand-in of a tensor -> what it held last
        self.fresh: set[Tensor] = set()  # stand-ins that show their tensors as they are now
        self.results: dict[Node, tuple[Any, ...]] = {}
        self.made_by: dict[Node, Node] = {}
        self.late: set[Any] = set()
        self._rules: list[tuple[int, int, Node]] = []  # first and last number, and the node

    def living(self) -> dict[Any, Any]:
        """Nothing: a PyTorch recording shows no entries but those of its samples."""
        return {}

    def found(self, number: int, _: Any) -> Node | None:
        """The stand-in of the node with a number, once a pass has seen it."""
        return self._nodes.get(number)

    def number(self, node: Any) -> int:
        """The number of a node, which it gets when it is first seen."""
        return node.metadata.setdefault(self._key, next(self._numbers))

    def node(self, node: Any) -> Any:
        """The stand-in of a node, or None."""
        return self._nodes.get(node.metadata.get(self._key, -1))

    def keep_node(self, node: Any, stand_in: Node) -> None:
        """Remember a node."""
        self._nodes[self.number(node)] = stand_in
        if self._rules:
            place = bisect_right(self._rules, stand_in._sequence, key=lambda rule: rule[0]) - 1
            if place >= 0 and stand_in._sequence < self._rules[place][1]:
                self.made_by[stand_in] = self._rules[place][2]

    def tensor(self, tensor: Any) -> Tensor | None:
        """The stand-in of a tensor, or None."""
        known = self._tensors.get(id(tensor))
        return known[1] if known is not None and known[0]() is tensor else None

    def keep_tensor(self, tensor: Any, stand_in: Tensor) -> None:
        """Remember a tensor."""
        self._tensors[id(tensor)] = weakref.ref(tensor), stand_in

    def meet(self, leaf: Any) -> Tensor:
        """Remember a leaf that no pass has reached yet."""
        stand_in = stand_in_of(leaf)
        without_arrays(stand_in)
        self.keep_tensor(leaf, stand_in)
        self.latest[stand_in] = stand_in._data
        return stand_in

    def tensors(self) -> list[tuple[Any, Tensor]]:
        """The tensors that are known and still exist, with their stand-ins."""
        pairs = [(reference(), stand_in) for reference, stand_in in self._tensors.values()]
        return [(tensor, stand_in) for tensor, stand_in in pairs if tensor is not None]

    def ran(self, node: Node, first: int, last: int) -> None:
        """Note that the rules of a node made the nodes with these sequence numbers."""
        if last > first:
            self._rules.append((2 * (FIRST + first), 2 * (FIRST + last), node))

    def take(self, stand_ins: StandIns, results: dict[Node, tuple[Any, ...]]) -> None:
        """Keep the stand-ins of a graph, with samples instead of arrays."""
        for node, made in results.items():
            self.results[node] = tuple(map(sampled, made))
        for original in stand_ins.new:
            node = stand_ins.of[original]
            if not holds_samples(node._saved or ()):
                silent = silent_units(node) if rectifies(node) else 0
                node._saved = sampled(node._saved)
                if silent and isinstance(held := result_of(node), ArraySample):
                    held.idle = silent
            if not holds_samples(node._options):
                node._options = sampled(node._options)
            if node._extra and "worked out" in node._extra:
                told = node._extra["worked out"]
                node._extra["worked out"] = {name: sampled(one) for name, one in told.items()}
            self.keep_node(original, node)
        self.fresh = set()
        for tensor, stand_in in stand_ins.tensors():
            if self.tensor(tensor) is not stand_in:
                self.fresh.add(stand_in)
                without_arrays(stand_in)
                self.keep_tensor(tensor, stand_in)
                if isinstance(stand_in._data, ArraySample):
                    self.latest[stand_in] = stand_in._data


def holds_samples(items: Iterable[Any]) -> bool:
    """Whether none of some values holds an array."""
    return HOLDS_SAMPLES.issuperset(map(type, items))


def without_arrays(stand_in: Tensor) -> None:
    """Put samples in place of the arrays of a stand-in."""
    stand_in._data = sampled(stand_in._data)
    if stand_in._grad is not None:
        stand_in._grad._data = sampled(stand_in._grad._data)


def sampled(item: Any) -> Any:
    """A value that a node holds, without its array."""
    kind = type(item)
    if kind in HOLDS_SAMPLES:
        return item
    if kind is np.ndarray:
        return quick_sample(item)
    if kind is SavedOutput:
        item.data = sampled(item.data)
        return item
    if kind is tuple or kind is list:
        return item if holds_samples(item) else tuple(map(sampled, item))
    return quick_sample(item) if is_array(item) else item


def leaves_of(stand_ins: StandIns) -> list[tuple[Any, Tensor]]:
    """The leaves of a graph, with their stand-ins."""
    return [(leaf, stand_ins.of[node]) for node, leaf in stand_ins.accumulators.items()]

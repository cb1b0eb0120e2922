"""Snapshots are copies of nodes and tensors that hold samples instead of data.

A recording outlives the graphs that it saw, and may keep none of their arrays. So each node is
copied, slot by slot, into a node of the same class whose saved values are samples. adapters/
graph_copy.py reads such a graph in the same way as a live one.

The snapshot of a tensor shows the value that was seen first; nodes of later passes hold the value
at their time. After a recorded operation changed a tensor in place, the tensor is the result of
another node and has another snapshot.

Read next: adapters/native/recording.py
"""

import weakref
from bisect import bisect_right
from collections.abc import Iterable
from operator import attrgetter, itemgetter
from types import NoneType
from typing import Any

import numpy as np

from graphlab.adapters.native.graph_walk import Moment, changed, option_text
from graphlab.adapters.native.saved_values import results_of, worked_out
from graphlab.adapters.native.unreached import result_of, silent_units
from graphlab.adapters.native.variable_names import Names, edge_key, known_results
from graphlab.autograd.function import SavedOutput
from graphlab.autograd.node import Node, Output, Pinned
from graphlab.autograd.saved_tensor_hooks import Packed
from graphlab.graph.array_sample import ArraySample, shows
from graphlab.graph.array_sample import quick_sample as sample
from graphlab.tensor.tensor import Tensor, own_node
from graphlab.tensor.versions import Rare, Version

_PLAIN = frozenset((NoneType, int, float, bool, str))
_when = attrgetter("_sequence")
_first = itemgetter(0)


class PackedText:
    """What a pack hook returned for a saved value, as text."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


class Snapshots:
    """The snapshots of one recording: one for each live node or tensor."""

    sample = staticmethod(sample)

    def __init__(self) -> None:
        self._of: dict[int, tuple[Any, Any]] = {}  # id -> weak reference, snapshot
        self.latest: dict[Tensor, ArraySample] = {}  # snapshot of a tensor -> what it held last
        # changes without notice: snapshot of the tensor, what it held, what it holds, its version
        self.moved: list[tuple[Tensor, ArraySample, ArraySample, int]] = []
        # id of a node -> a weak reference to it, an output, the tensor, now another node's result,
        # and a sample of it before that
        self.went_on: dict[int, tuple[Any, int, Any, Any]] = {}
        # id of a node, an output -> a weak reference to the node: its result changed unrecorded
        self.written_over: dict[tuple[int, int], Any] = {}
        # nodes that the last pass ran again -> their saved values, if these changed
        self.again: dict[Node, tuple[Any, ...]] = {}
        # a node, and an input that was changed in place after the node ran, before it was copied
        self.late: set[tuple[Node, Tensor]] = set()
        self._fresh: set[Tensor] = set()  # snapshots that show the current data
        self.results: dict[Node, tuple[Any, ...]] = {}  # snapshot of a node -> its results
        self.made_by: dict[Node, Node] = {}  # snapshot of a node -> the node whose rule made it
        self._rules: list[tuple[int, int, Node]] = []  # first and last sequence number, the node

    def find(self, thing: Any) -> Any:
        """The snapshot of a node or a tensor; None when there is none."""
        known = self._of.get(id(thing))
        return known[1] if known is not None and known[0]() is thing else None

    def found(self, identity: int, reference: Any) -> Any:
        """The snapshot of a thing that may be gone; `reference` is the weak reference to it."""
        known = self._of.get(identity)
        return known[1] if known is not None and known[0] == reference else None

    def living(self) -> dict[Any, Any]:
        """Snapshot -> weak reference to the tensor or node that it shows."""
        return {snapshot: reference for reference, snapshot in self._of.values()}

    def edge(self, target: Any) -> Any:
        """The edge between snapshots for an edge of the live graph."""
        if isinstance(target, Output):
            return Output(self.find(target.node), target.index)
        return self.find(target)

    def ran(self, node: Node, first: int, last: int) -> None:
        """Note that the rules of `node` made the nodes numbered `first` to `last - 1`."""
        if last > first:
            self._rules.append((first, last, node))

    def add(self, items: Iterable[Any], names: Names) -> Names:
        """Copy the nodes and leaves that are new. Returns the names, by snapshot."""
        self._fresh.clear()
        nodes: list[Any] = []
        walked: list[Any] = []  # nodes that an earlier pass ran
        leaves: list[Any] = []
        for item in items:
            if isinstance(item, Tensor):
                leaves.append(item)
            else:
                (nodes if self.find(item) is None else walked).append(item)
        nodes.sort(key=_when)
        snapshots = [self._keep(node, object.__new__(type(node))) for node in nodes]
        for leaf in leaves:
            self.tensor(leaf)
        for node, snapshot in zip(nodes, snapshots, strict=True):
            self._fill(node, snapshot)
        self._work_out(nodes, names)
        self.again = {}
        for node in walked:
            if (held := self._held_anew(node)) is not None:
                self.again[self.find(node)] = held
        new = {id(node) for node in nodes}
        own = Names(taken=names.taken)
        for identity, name in names.of_leaf.items():
            known = self._of.get(identity)
            if known is not None and known[0]() is not None:
                own.of_leaf[id(known[1])] = name
        for (target, index), (name, tensor) in names.made_by.items():
            if id(target) in new:
                own.made_by[self.find(target), index] = (name, self.tensor(tensor))
        self._name_earlier(names, own)
        return own

    def _name_earlier(self, names: Names, own: Names) -> None:
        """Give a result that was changed in place later the name of the variable that holds it."""
        held = {id(tensor): name for name, tensor in names.made_by.values()}
        for identity, (node, output, tensor, _) in self.went_on.items():
            name, snapshot = held.get(id(tensor())), self.found(identity, node)
            if name is not None and snapshot is not None:
                own.earlier[snapshot, output] = name

    def tensor(self, tensor: Tensor) -> Tensor:
        """The snapshot of a tensor."""
        snapshot = self.find(tensor)
        target = own_node.__get__(tensor)  # the slot, so that a view gets no new grad_fn
        if snapshot is None or (target is not None and not self._made(snapshot, target)):
            own = type(tensor) if type(tensor) is not Version.outdated else Tensor
            snapshot = self._keep(tensor, object.__new__(own))
            snapshot._data = self.latest[snapshot] = sample(tensor._data)
            self._fresh.add(snapshot)
            snapshot._needs, snapshot._grad, snapshot._more = tensor._needs, None, None
            snapshot._node = None if target is None else self.edge(target)
            if tensor._more is not None:
                snapshot._more = self._rare(tensor._more)
        return snapshot

    def _held_anew(self, node: Node) -> tuple[Any, ...] | None:
        """The saved values of a node that ran before; None if they did not change."""
        if not node._saved:
            return None
        now = tuple([self._saved(x) for x in node._saved])
        return now if any(map(held_anew, self.find(node)._saved, now)) else None

    # -- nodes, tensors and saved values --------------------------------------------------------

    def _made(self, snapshot: Tensor, target: Any) -> bool:
        """Whether the snapshot of a tensor is the result at an edge of the live graph."""
        own = self.edge(target)
        return snapshot._node is own or (snapshot._node and edge_key(snapshot._node)) == edge_key(
            own
        )

    def _keep(self, thing: Any, snapshot: Any) -> Any:
        self._of[id(thing)] = (weakref.ref(thing), snapshot)
        return snapshot

    def _fill(self, node: Node, snapshot: Any) -> None:
        snapshot._next = tuple([None if t is None else self.edge(t) for t in node._next])
        saved, constants = node._saved, node._constants
        for item in (*node._next, *(constants or ())):
            if isinstance(item, Tensor) and changed(item) > node._sequence:
                self.late.add((snapshot, self.tensor(item)))
        snapshot._saved = None if saved is None else tuple([self._saved(x) for x in saved])
        if silent := silent_units(node):
            result_of(snapshot).idle = silent
        snapshot._constants = constants and tuple([self._item(x) for x in constants])
        snapshot._options = node._options and tuple([self._item(x) for x in node._options])
        snapshot._sequence, snapshot._code, snapshot._at = node._sequence, node._code, node._at
        snapshot._reduce = snapshot._version = snapshot._extra = None
        if node._version is not None:
            snapshot._version = (self._version(node._version[0]), node._version[1])
        if node.many and node._extra:
            snapshot._extra = {"outputs": node._extra["outputs"]}
        if saved is not None and node.op.shown:
            snapshot._extra = snapshot._extra or {}
            known = worked_out(node)
            snapshot._extra["worked out"] = {word: self._item(x) for word, x in known.items()}
        if self._rules:
            place = bisect_right(self._rules, node._sequence, key=_first) - 1
            if place >= 0 and node._sequence < self._rules[place][1]:
                self.made_by[snapshot] = self._rules[place][2]

    def _saved(self, x: Any) -> Any:
        """The snapshot of a saved value, with the current data of a tensor that changed."""
        version = detached = 0
        tensor = x
        if type(x) is Pinned:
            tensor, version, detached = x.tensor, x.version, x.detached
        elif not isinstance(x, Tensor):
            return tuple(map(self._saved, x)) if isinstance(x, tuple | list) else self._item(x)
        snapshot = self._looked_at(tensor)
        seen = self.latest[snapshot]
        if seen is snapshot._data and tensor._version == snapshot._version:
            return snapshot if x is tensor else Pinned(snapshot, version, detached)
        return Moment(snapshot, version, detached, seen, tensor._version)

    def _looked_at(self, tensor: Tensor) -> Tensor:
        """The snapshot of a tensor that a node holds; notes whether the data changed."""
        snapshot = self.tensor(tensor)
        if snapshot not in self._fresh:
            self._fresh.add(snapshot)
            seen = self.latest[snapshot]
            if not shows(seen, tensor._data):
                now = self.latest[snapshot] = sample(tensor._data)
                self.moved.append((snapshot, seen, now, tensor._version))
        return snapshot

    def _item(self, x: Any) -> Any:
        """The snapshot of anything that a node holds."""
        if type(x) in _PLAIN or (type(x) is tuple and _PLAIN.issuperset(map(type, x))):
            return x
        if isinstance(x, Tensor):
            return self._looked_at(x)
        if isinstance(x, np.ndarray | np.generic):
            return sample(x)
        if isinstance(x, tuple | list):
            return tuple([self._item(one) for one in x])
        if isinstance(x, Node):  # inside another node: the operation that wrote a part
            snapshot = self.find(x)
            if snapshot is None:
                self._fill(x, snapshot := self._keep(x, object.__new__(type(x))))
            return snapshot
        if isinstance(x, SavedOutput):
            own: Any = object.__new__(SavedOutput)
            own.data, own.floating, own.index = sample(x.data), x.floating, x.index
            return own
        if isinstance(x, Packed):
            return packed(option_text(x.held))
        return x

    def _version(self, version: Version) -> Version:
        own = Version()
        own.count, own.changed = version.count, version.changed[:]
        return own

    def _rare(self, more: Rare) -> Rare:
        own = Rare()
        own.version = None if more.version is None else self._version(more.version)
        own.retains_grad, own.cut, own.left = more.retains_grad, more.cut, more.left
        own.base = None if more.base is None else self.tensor(more.base)
        return own

    # -- results that no variable holds ---------------------------------------------------------

    def _work_out(self, nodes: list[Node], names: Names) -> None:
        """Sample the results of nodes; recompute them if that is quick."""
        held: dict[Any, Any] = {}  # edge -> data, and when it was last changed in place
        for key, tensor in known_results(names, nodes):
            held.setdefault(key, (tensor._data, changed(tensor)))
        for (_, index), node in self.written_over.items():
            held.setdefault((node(), index), (None, -1))
        for node, results in results_of(nodes, held).items():
            self.results[self.find(node)] = tuple(map(sample, results))
        for node, output, _, before in self.went_on.values():
            if before is None or (id(node()), output) in self.written_over:
                continue
            own = self.find(node())
            if own and not (output or own.many):
                self.results.setdefault(own, (before,))


def packed(text: str) -> Packed:
    """A saved value that a pack hook replaced. text: what the hook returned."""
    made: Any = object.__new__(Packed)
    made.held = PackedText(text)
    return made


def held_anew(then: Any, now: Any) -> bool:
    """Whether a saved value differs from what it was in an earlier pass."""
    if isinstance(then, SavedOutput):
        return differ(then.data, now.data)
    if isinstance(then, ArraySample):
        return differ(then, now)
    return isinstance(now, Moment) and not (isinstance(then, Moment) and then.data is now.data)


def differ(one: ArraySample | None, other: ArraySample | None) -> bool:
    """Whether two samples differ."""
    if one is None or other is None or one.shape != other.shape:
        return one is not other
    return one.dtype != other.dtype or not np.array_equal(one.corner, other.corner, equal_nan=True)

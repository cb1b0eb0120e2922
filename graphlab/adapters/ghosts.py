"""Ghosts: nodes and tensors as they stood when a pass began, with glimpses in place of their data.

A recording outlives the graphs that it saw, and may keep no array of theirs. So every node is
copied, slot by slot, into another node of its class whose saved values are glimpses; adapters/
native.py reads such a graph as it reads a live one.

The ghost of a tensor shows what it held when it was first seen; nodes of later passes hold it as it
was in their time. One that is changed in place, and recorded, goes on as the result of another
node: it has another ghost then.

Read next: adapters/recording.py
"""

import weakref
from bisect import bisect_right
from collections.abc import Iterable
from operator import attrgetter, itemgetter
from types import NoneType
from typing import Any

import numpy as np

from graphlab.adapters.live import Moment, changed, input_items, option_text
from graphlab.adapters.names import Names, edge_key
from graphlab.adapters.recomputing import recompute
from graphlab.autograd.function import Context, SavedOutput
from graphlab.autograd.node import Node, Output, Pinned
from graphlab.autograd.saved import Packed
from graphlab.graph.value import Glimpse, shows
from graphlab.graph.value import quick_glimpse as glimpse
from graphlab.tensor.tensor import Tensor, own_node
from graphlab.tensor.versions import Rare, Version

_PLAIN = frozenset((NoneType, int, float, bool, str))
_when = attrgetter("_sequence")
_first = itemgetter(0)
SMALL = 4096  # entries of what a result is computed from, up to which it is computed again


class Said:
    """What a pack hook made of a saved value, in words."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


class Ghosts:
    """The ghosts of one recording: each live node or tensor has one, for as long as it lives."""

    def __init__(self) -> None:
        self._of: dict[int, tuple[Any, Any]] = {}  # id -> weak reference, ghost
        self.latest: dict[Tensor, Glimpse] = {}  # ghost of a tensor -> what it held, last seen
        # ghost of a tensor that nobody said had changed, what it held, what it holds, its version
        self.moved: list[tuple[Tensor, Glimpse, Glimpse, int]] = []
        # id of a node -> its weak one, an output, the tensor that then became another node's result
        self.went_on: dict[int, tuple[Any, int, Any]] = {}
        # id of a node and an output -> the node: its result was changed, unknown to the graph
        self.written_over: dict[tuple[int, int], Any] = {}
        # nodes that the last pass walked once more -> what they hold by now, where that is new
        self.again: dict[Node, tuple[Any, ...]] = {}
        self._fresh: set[Tensor] = set()  # ghosts that show what is there now
        self.results: dict[Node, tuple[Any, ...]] = {}  # ghost of a node -> what it made
        self.made_by: dict[Node, Node] = {}  # ghosts of nodes that the rules of others made
        self._rules: list[tuple[int, int, Node]] = []  # first and last number, whose rules ran

    def find(self, thing: Any) -> Any:
        """The ghost of a node or a tensor; None when there is none."""
        known = self._of.get(id(thing))
        return known[1] if known is not None and known[0]() is thing else None

    def found(self, identity: int, reference: Any) -> Any:
        """The same for what may be gone by now: `reference` is the weak one that was kept."""
        known = self._of.get(identity)
        return known[1] if known is not None and known[0] == reference else None

    def living(self) -> dict[Any, Any]:
        """Ghost -> weak reference to the tensor or node that it stands for."""
        return {ghost: reference for reference, ghost in self._of.values()}

    def edge(self, target: Any) -> Any:
        """An edge of a ghost: where an edge of the live node leads."""
        if isinstance(target, Output):
            return Output(self.find(target.node), target.index)
        return self.find(target)

    def ran(self, node: Node, first: int, last: int) -> None:
        """The rules of a node ran while nodes were numbered from `first` to before `last`."""
        if last > first:
            self._rules.append((first, last, node))

    def add(self, items: Iterable[Any], names: Names) -> Names:
        """Copy nodes and leaves that are not known yet; gives the names as the ghosts have them."""
        self._fresh.clear()
        nodes: list[Any] = []
        walked: list[Any] = []  # by an earlier pass
        leaves: list[Any] = []
        for item in items:
            if isinstance(item, Tensor):
                leaves.append(item)
            else:
                (nodes if self.find(item) is None else walked).append(item)
        nodes.sort(key=_when)
        ghosts = [self._keep(node, object.__new__(type(node))) for node in nodes]
        for leaf in leaves:
            self.tensor(leaf)
        for node, ghost in zip(nodes, ghosts, strict=True):
            self._fill(node, ghost)
        self._work_out(nodes, names)
        self.again = {}
        for node in walked:
            if (held := self._held_anew(node)) is not None:
                self.again[self.find(node)] = held
        new = {id(node) for node in nodes}
        own = Names()
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
        """Name results that were changed in place after the variable that holds the last one."""
        held = {id(tensor): name for name, tensor in names.made_by.values()}
        for identity, (node, output, tensor) in self.went_on.items():
            name, ghost = held.get(id(tensor())), self.found(identity, node)
            if name is not None and ghost is not None:
                own.earlier[ghost, output] = name

    def tensor(self, tensor: Tensor) -> Tensor:
        """The ghost of a tensor."""
        ghost = self.find(tensor)
        target = own_node.__get__(tensor)  # a view does not look for its new history now
        if ghost is None or (target is not None and not self._made(ghost, target)):
            own = type(tensor) if type(tensor) is not Version.outdated else Tensor
            ghost = self._keep(tensor, object.__new__(own))
            ghost._data = self.latest[ghost] = glimpse(tensor._data)
            self._fresh.add(ghost)
            ghost._needs, ghost._grad, ghost._more = tensor._needs, None, None
            ghost._node = None if target is None else self.edge(target)
            if tensor._more is not None:
                ghost._more = self._rare(tensor._more)
        return ghost

    def _held_anew(self, node: Node) -> tuple[Any, ...] | None:
        """What a node that was walked before holds now; None when that is what it held then."""
        if not node._saved:
            return None
        now = tuple([self._saved(x) for x in node._saved])
        return now if any(map(held_anew, self.find(node)._saved, now)) else None

    # -- one thing -----------------------------------------------------------------------------

    def _made(self, ghost: Tensor, target: Any) -> bool:
        """Whether the ghost of a tensor is the result at an edge of the live graph."""
        own = self.edge(target)
        return ghost._node is own or (ghost._node and edge_key(ghost._node)) == edge_key(own)

    def _keep(self, thing: Any, ghost: Any) -> Any:
        self._of[id(thing)] = (weakref.ref(thing), ghost)
        return ghost

    def _fill(self, node: Node, ghost: Any) -> None:
        ghost._next = tuple([None if t is None else self.edge(t) for t in node._next])
        saved, constants = node._saved, node._constants
        ghost._saved = None if saved is None else tuple([self._saved(x) for x in saved])
        ghost._constants = constants and tuple([self._item(x) for x in constants])
        ghost._options = node._options and tuple([self._item(x) for x in node._options])
        ghost._sequence, ghost._code, ghost._at = node._sequence, node._code, node._at
        ghost._reduce = ghost._version = ghost._extra = None
        if node._version is not None:
            ghost._version = (self._version(node._version[0]), node._version[1])
        if node.many and node._extra:
            ghost._extra = {"outputs": node._extra["outputs"]}
        if self._rules:
            place = bisect_right(self._rules, node._sequence, key=_first) - 1
            if place >= 0 and node._sequence < self._rules[place][1]:
                self.made_by[ghost] = self._rules[place][2]

    def _saved(self, x: Any) -> Any:
        """What a node saved; of a tensor that was first seen otherwise, what it holds now."""
        version = detached = 0
        tensor = x
        if type(x) is Pinned:
            tensor, version, detached = x.tensor, x.version, x.detached
        elif not isinstance(x, Tensor):
            return tuple(map(self._saved, x)) if isinstance(x, tuple | list) else self._item(x)
        ghost = self.tensor(tensor)
        seen = self.latest[ghost]
        if ghost not in self._fresh:
            self._fresh.add(ghost)
            if not shows(seen, tensor._data):
                before, seen = seen, glimpse(tensor._data)
                self.latest[ghost] = seen
                self.moved.append((ghost, before, seen, tensor._version))
        if seen is ghost._data and tensor._version == ghost._version:
            return ghost if x is tensor else Pinned(ghost, version, detached)
        return Moment(ghost, version, detached, seen, tensor._version)

    def _item(self, x: Any) -> Any:
        """What a node holds, without its data."""
        if type(x) in _PLAIN or (type(x) is tuple and _PLAIN.issuperset(map(type, x))):
            return x
        if isinstance(x, Tensor):
            return self.tensor(x)
        if isinstance(x, np.ndarray | np.generic):
            return glimpse(x)
        if isinstance(x, Pinned):
            return Pinned(self.tensor(x.tensor), x.version, x.detached)
        if isinstance(x, tuple | list):
            return tuple([self._item(one) for one in x])
        if isinstance(x, Node):  # inside of another, as the part of a tensor that was written to
            ghost = self.find(x)
            if ghost is None:
                self._fill(x, ghost := self._keep(x, object.__new__(type(x))))
            return ghost
        if isinstance(x, SavedOutput):
            own: Any = object.__new__(SavedOutput)
            own.data, own.floating, own.index = glimpse(x.data), x.floating, x.index
            return own
        if isinstance(x, Packed):
            packed: Any = object.__new__(Packed)
            packed.held = Said(option_text(x.held))
            return packed
        return x

    def _version(self, version: Version) -> Version:
        own = Version()
        own.count, own.changed = version.count, version.changed
        return own

    def _rare(self, more: Rare) -> Rare:
        own = Rare()
        own.version = None if more.version is None else self._version(more.version)
        own.retains_grad = more.retains_grad
        own.base = None if more.base is None else self.tensor(more.base)
        return own

    # -- results that nobody holds -------------------------------------------------------------

    def _work_out(self, nodes: list[Node], names: Names) -> None:
        """Glimpses of what nodes made, computed again where that is quickly done."""
        held: dict[Any, Any] = {}  # edge -> data, and when it was last changed in place
        for key, (_, tensor) in names.made_by.items():
            held[key] = (tensor._data, changed(tensor))
        for node in nodes:
            for item in node._saved or ():
                tensor = item.tensor if isinstance(item, Pinned) else item
                if isinstance(tensor, Tensor) and tensor._node is not None:
                    held.setdefault(edge_key(tensor._node), (tensor._data, changed(tensor)))
        for node in nodes:
            count = len(node._extra["outputs"]) if node.many and node._extra else 1
            if isinstance(node, Context) or all((node, i) in held for i in range(count)):
                continue
            data = [seen_by(node, item, held) for item in input_items(node)]
            if any(x is None for x in data) or sum(map(np.size, data)) > SMALL:
                data = [None]  # only what the node has saved itself
            results = recompute(node, data)
            if results is not None:
                self.results[self.find(node)] = tuple(map(glimpse, results))
                for index, result in enumerate(results):
                    over = self.written_over.get((id(node), index))
                    known = None if over is not None and over() is node else result
                    held.setdefault((node, index), (known, -1))


def seen_by(node: Node, item: Any, held: dict[Any, Any]) -> Any:
    """The data of an input as the node saw it; None where it is not known, or was changed since."""
    if isinstance(item, Node | Output):
        data, when = held.get(edge_key(item), (None, -1))
    elif isinstance(item, Tensor):
        data, when = item._data, changed(item)
    else:
        data, when = item, -1
    return None if when > node._sequence else data


def held_anew(then: Any, now: Any) -> bool:
    """Whether what a node saved shows other data than it did in an earlier pass."""
    if isinstance(then, SavedOutput):
        return differ(then.data, now.data)
    if isinstance(then, Glimpse):
        return differ(then, now)
    return isinstance(now, Moment) and not (isinstance(then, Moment) and then.data is now.data)


def differ(one: Glimpse | None, other: Glimpse | None) -> bool:
    """Whether two glimpses show different data."""
    if one is None or other is None or one.shape != other.shape:
        return one is not other
    return one.dtype != other.dtype or not np.array_equal(one.corner, other.corner, equal_nan=True)

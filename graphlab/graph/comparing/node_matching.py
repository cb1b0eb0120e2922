"""Matching finds the nodes and tensors of two graphs that correspond, by structure.

Two nodes correspond if they compute the same from the same leaves, or if the same is computed from
them. Labels express both: the label of a node is made from its operation and the labels of its
inputs (`below`), or of the nodes that use it (`above`). The label of a leaf is its name; without a
variable, it is a number that both graphs give to leaves with the same uses, value and shape.

The first stage pairs nodes whose labels occur equally often in both graphs. Then follow their
neighbours, nodes that have the same labels without names and numbers, different operations in the
same place, and finally operations that occur equally often. Every stage takes time proportional to
the number of edges.

Source: refining labels by those of neighbours is from B. Weisfeiler and A. Leman (1968); pairing
equal parts first and their surroundings later is from GumTree (Falleri et al., 2014).

Read next: graph/comparing/differences.py
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from graphlab.graph.model import Graph, NodeInfo, TensorInfo

# operations whose two inputs can be swapped: the result and the gradients stay the same
COMMUTATIVE = frozenset(("add", "mul", "maximum", "minimum", "logaddexp", "hypot", "dot"))

# the names of tensors that no variable holds, which depend on their order in the graph
NUMBERED = re.compile(r"leaf( \d+)?|.*[₀-₉]")

Key = Callable[["Side", str], Any]
Alike = Callable[[NodeInfo, NodeInfo], bool]


@dataclass
class Matching:
    """Pairs of ids, from the first graph to the second, and the nodes whose inputs are swapped."""

    nodes: dict[str, str] = field(default_factory=dict)
    tensors: dict[str, str] = field(default_factory=dict)
    crossed: set[str] = field(default_factory=set)  # nodes of the first

    def reversed(self) -> "Matching":
        """The pairs from the second graph to the first."""
        return Matching(
            {b: a for a, b in self.nodes.items()},
            {b: a for a, b in self.tensors.items()},
            {self.nodes[a] for a in self.crossed},
        )

    def inputs(self, one: NodeInfo, other: NodeInfo) -> list[tuple[int, int]]:
        """The indexes of inputs that correspond."""
        count = min(len(one.inputs), len(other.inputs))
        return [(k, 1 - k if one.id in self.crossed else k) for k in range(count)]


class Side:
    """One graph, with its labels. `labels`: a number for each label, shared by both graphs."""

    exact: dict[str, int]  # labels below, computed when the leaves of both graphs are known

    def __init__(self, graph: Graph, labels: dict[Any, int]) -> None:
        self.graph = graph
        self.labels = labels
        self.starts: dict[str, Any] = {}  # the common label of a leaf or a named constant
        self.order = [node for node in reversed(graph.nodes) if node.variable is None]  # forward
        self.nodes = {node.id: node for node in self.order}
        self.maker = {id: node for node in self.order for id in node.outputs}
        self.users: dict[str, list[tuple[NodeInfo, int]]] = {}
        for node in self.order:
            for place, id in enumerate(node.inputs):
                self.users.setdefault(id, []).append((node, place))
        self.loose = self.below(exact=False)
        self.context = self._above(exact=True)
        self.place = self._above(exact=False)

    def _label(self, *parts: Any) -> int:
        return self.labels.setdefault(parts, len(self.labels))

    def below(self, exact: bool) -> dict[str, int]:
        """A label for how each tensor and node is computed; if not `exact`, without names."""
        found: dict[str, int] = {}
        for tensor in self.graph.tensors:
            if tensor.id not in self.maker:
                found[tensor.id] = self._label(*self._start(tensor, exact))
        for node in self.order:
            inputs = [found[id] for id in node.inputs]
            if node.op in COMMUTATIVE:
                inputs.sort()
            options = _options(node) if exact else ()
            found[node.id] = self._label("node", node.op, options, *inputs)
            for number, id in enumerate(node.outputs):
                found[id] = self._label("output", found[node.id], number)
        return found

    def _start(self, tensor: TensorInfo, exact: bool) -> tuple[Any, ...]:
        if not exact:
            return ("start",)  # the same for a constant, in case a graph is cut there
        kind = "leaf" if tensor.requires_grad else "constant"
        if tensor.id in self.starts:
            return (kind, self.starts[tensor.id])
        value = tensor.value
        if value is None:
            return (kind, None)
        return (kind, value.shape, None if tensor.requires_grad else value.text)

    def _above(self, exact: bool) -> dict[str, int]:
        """A label for how each tensor and node is used on the way to the results."""
        found: dict[str, int] = {}
        users: dict[str, list[int]] = {}  # of tensors
        for node in reversed(self.order):
            for id in node.outputs:
                found[id] = self._label("used", *sorted(users.get(id, ())))
            options = _options(node) if exact else ()
            label = self._label("way", node.op, options, *(found[id] for id in node.outputs))
            found[node.id] = label
            for place, id in enumerate(node.inputs):
                where = 0 if node.op in COMMUTATIVE else place
                users.setdefault(id, []).append(self._label("use", label, where))
        for id in users.keys() - found.keys():
            found[id] = self._label("used", *sorted(users[id]))
        return found

    def uses(self, id: str) -> tuple[tuple[str, int], ...]:
        """The operations that use a tensor, with the indexes of their inputs."""
        users = self.users.get(id, ())
        return tuple(sorted((n.op, 0 if n.op in COMMUTATIVE else place) for n, place in users))


def _options(node: NodeInfo) -> tuple[str, ...]:
    return tuple(f"{one.name}={one.text}" for one in node.saved if one.text)


def match(one: Graph, other: Graph, known: Matching | None = None) -> Matching:
    """The pairs of two graphs. known: earlier pairs, to which the new ones are added.

    >>> from graphlab.graph.model import Graph
    >>> empty = Graph("", (), (), ())
    >>> match(empty, empty).nodes
    {}
    """
    labels: dict[Any, int] = {}
    sides = (Side(one, labels), Side(other, labels))
    _begin(sides)
    for side in sides:
        side.exact = side.below(exact=True)
    return _Matcher(*sides, known).run()


def _begin(sides: tuple[Side, Side]) -> None:
    """Give leaves of two graphs that probably correspond the same label to start with."""
    names = [{_name(t) for t in side.graph.tensors if t.is_leaf} - {None} for side in sides]
    for side in sides:
        named = [t for t in side.graph.tensors if _name(t) in names[0] & names[1]]
        side.starts.update({t.id: t.name for t in named})
    keys: tuple[Callable[[Side, TensorInfo], Any], ...] = (
        lambda side, t: (_numbers(t), side.context.get(t.id)),
        lambda side, t: (_numbers(t), side.uses(t.id)),
        lambda side, t: _numbers(t),
        lambda side, t: (_shape(t), side.context.get(t.id)),
        lambda side, t: (_shape(t), side.uses(t.id)),
        lambda side, t: _shape(t),
    )
    count = 0
    groups: dict[Any, tuple[list[str], list[str]]]
    for key in keys:
        groups = {}
        for number, side in enumerate(sides):
            for t in side.graph.tensors:
                if t.is_leaf and t.requires_grad and t.id not in side.starts:
                    groups.setdefault(key(side, t), ([], []))[number].append(t.id)
        for mine, theirs in groups.values():
            if len(mine) == len(theirs):
                for a, b in zip(mine, theirs, strict=True):
                    count += 1
                    sides[0].starts[a] = sides[1].starts[b] = count


def _name(tensor: TensorInfo) -> str | None:
    """The name of the variable that holds a tensor."""
    return None if tensor.guessed or NUMBERED.fullmatch(tensor.name or "leaf") else tensor.name


def _shape(tensor: TensorInfo) -> tuple[int, ...] | None:
    return None if tensor.value is None else tensor.value.shape


def _numbers(tensor: TensorInfo) -> tuple[Any, ...] | None:
    value = tensor.value
    return None if value is None else (value.shape, value.text, value.entries)


def _same_operation(a: NodeInfo, b: NodeInfo) -> bool:
    return a.op == b.op


class _Matcher:
    def __init__(self, one: Side, other: Side, known: Matching | None) -> None:
        self.one, self.other = one, other
        self.found = known or Matching()
        self.taken = set(self.found.nodes.values())
        self.taken_tensors = set(self.found.tensors.values())
        self.new: list[tuple[str, str]] = []  # pairs whose neighbours were not examined yet

    def run(self) -> Matching:
        self._leaves_by_name()
        stages: tuple[Key, ...] = (
            lambda side, id: (side.exact[id], side.context[id]),
            lambda side, id: side.exact[id],
            lambda side, id: side.context[id],
            lambda side, id: (side.loose[id], side.place[id]),
            lambda side, id: side.loose[id],
            lambda side, id: side.place[id],
        )
        for number, key in enumerate(stages):
            self._pair_equals(key)
            if number >= 2:
                self._spread()
                self._spread_from_leaves()
        while self._pair_places():
            self._spread()
        self._pair_equals(lambda side, id: side.nodes[id].op)  # others were put around them
        self._spread()
        for a, b in self.found.nodes.items():
            if a in self.one.nodes and b in self.other.nodes:
                self._match_inputs(self.one.nodes[a], self.other.nodes[b])
        self._leaves_left()
        self._accumulators()
        return self.found

    def _pair(self, a: str, b: str) -> None:
        self.found.nodes[a] = b
        self.taken.add(b)
        self.new.append((a, b))
        outputs = (self.one.nodes[a].outputs, self.other.nodes[b].outputs)
        for s, t in zip(*outputs, strict=False):
            self._pair_tensors(s, t)

    def _pair_tensors(self, s: str, t: str) -> None:
        if s not in self.found.tensors and t not in self.taken_tensors:
            self.found.tensors[s] = t
            self.taken_tensors.add(t)

    def _pair_free(
        self, a: NodeInfo | None, b: NodeInfo | None, alike: Alike = _same_operation
    ) -> None:
        """Pair two nodes that exist, have no partner and are alike."""
        if a is None or b is None or a.id in self.found.nodes or b.id in self.taken:
            return
        if alike(a, b):
            self._pair(a.id, b.id)

    def _pair_makers(self, one: NodeInfo, other: NodeInfo, alike: Alike = _same_operation) -> None:
        """Pair the nodes that made corresponding inputs of a pair, if they are alike."""
        for i, k in self._places(one, other):
            below = self.one.maker.get(one.inputs[i]), self.other.maker.get(other.inputs[k])
            self._pair_free(*below, alike)

    def _pair_users(self, s: str, t: str, equally_often: bool = False) -> None:
        """Pair the nodes that use two tensors in the same way."""
        mine = _by_place(self.one.users.get(s, ()), self.found.nodes)
        theirs = _by_place(self.other.users.get(t, ()), self.taken)
        for place, users in mine.items():
            beside = theirs.get(place, [])
            if len(users) == len(beside) or not equally_often:
                for pair in zip(users, beside, strict=False):
                    self._pair_free(*pair)

    # -- stages ----------------------------------------------------------------------------------

    def _leaves_by_name(self) -> None:
        for needs in (True, False):
            sides = [
                _once((name, t.id) for t in side.graph.tensors
                      if (name := _name(t)) and t.id not in side.maker and t.requires_grad == needs)
                for side in (self.one, self.other)
            ]  # fmt: skip
            for name, id in sides[0].items():
                if name in sides[1]:
                    self._pair_tensors(id, sides[1][name])

    def _pair_equals(self, key: Key) -> None:
        """Pair nodes whose keys occur equally often in both graphs, in forward order."""
        groups: dict[Any, tuple[list[str], list[str]]] = {}
        for node in self.one.order:
            if node.id not in self.found.nodes:
                groups.setdefault(key(self.one, node.id), ([], []))[0].append(node.id)
        for node in self.other.order:
            if node.id not in self.taken:
                groups.setdefault(key(self.other, node.id), ([], []))[1].append(node.id)
        for mine, theirs in groups.values():
            if len(mine) == len(theirs):
                for a, b in zip(mine, theirs, strict=True):
                    self._pair(a, b)

    def _spread(self) -> None:
        """Pair the neighbours of pairs that are the same operation in the same place."""
        while self.new:
            a, b = self.new.pop()
            one, other = self.one.nodes[a], self.other.nodes[b]
            self._pair_makers(one, other)
            for s, t in zip(one.outputs, other.outputs, strict=False):
                self._pair_users(s, t)

    def _spread_from_leaves(self) -> None:
        """Pair the operations that use the same leaf or constant."""
        for s, t in list(self.found.tensors.items()):
            if s not in self.one.maker and t not in self.other.maker:
                self._pair_users(s, t, equally_often=True)
        self._spread()

    def _pair_places(self) -> bool:
        """Pair different operations between the same neighbours. Returns whether any was paired."""
        before = len(self.found.nodes)
        roots = (side.maker.get(side.graph.root) for side in (self.one, self.other))
        self._pair_free(*roots, alike=self._alike)
        for node in reversed(self.one.order):
            beside = self.other.nodes.get(self.found.nodes.get(node.id, ""))
            if beside is not None:
                self._pair_makers(node, beside, self._alike)
        return len(self.found.nodes) > before

    def _alike(self, a: NodeInfo, b: NodeInfo) -> bool:
        """Whether two operations may correspond, because they are the same or share an input."""
        if a.op == b.op:
            return True
        mine = [self.found.tensors.get(id) for id in a.inputs]
        if any(id is not None and id in b.inputs for id in mine):
            return True
        # or because no input of either is paired yet
        free = all(id is None for id in mine) and self.taken_tensors.isdisjoint(b.inputs)
        return free and len(a.inputs) == len(b.inputs)

    def _match_inputs(self, one: NodeInfo, other: NodeInfo) -> None:
        """Pair the leaves and constants that are corresponding inputs of a pair of nodes."""
        places = self._places(one, other)
        if places and places[0][0] != places[0][1]:
            self.found.crossed.add(one.id)
        mine, theirs = self.one.graph, self.other.graph
        for i, k in places:
            s, t = mine.tensor(one.inputs[i]), theirs.tensor(other.inputs[k])
            made = s.id in self.one.maker or t.id in self.other.maker
            if not made and s.requires_grad == t.requires_grad:
                self._pair_tensors(s.id, t.id)

    def _places(self, one: NodeInfo, other: NodeInfo) -> list[tuple[int, int]]:
        """The indexes of corresponding inputs of a pair; swapped if they fit better that way."""
        count = min(len(one.inputs), len(other.inputs))
        straight = [(k, k) for k in range(count)]
        if len(one.inputs) != 2 or len(other.inputs) != 2:
            return straight
        crossed = [(0, 1), (1, 0)]

        def fit(places: list[tuple[int, int]]) -> int:
            return sum(self._fit(one.inputs[i], other.inputs[k]) for i, k in places)

        return crossed if fit(crossed) > fit(straight) else straight

    def _fit(self, s: str, t: str) -> int:
        if self.found.tensors.get(s) == t or self.one.exact.get(s) == self.other.exact.get(t):
            return 3
        return int(self.one.loose.get(s) == self.other.loose.get(t))

    def _leaves_left(self) -> None:
        """Pair the leaves with a common label whose uses differ, unless each has its own name."""
        mine, theirs = self.one.graph, self.other.graph
        labelled = {label: id for id, label in self.other.starts.items()}
        for s, label in self.one.starts.items():
            t = labelled.get(label)
            if t and not (_name(mine.tensor(s)) and _name(theirs.tensor(t))):
                self._pair_tensors(s, t)

    def _accumulators(self) -> None:
        theirs = {node.variable: node.id for node in self.other.graph.nodes if node.variable}
        for node in self.one.graph.nodes:
            beside = theirs.get(self.found.tensors.get(node.variable or "") or "")
            if node.variable and beside is not None:
                self.found.nodes.setdefault(node.id, beside)


def _once(pairs: Iterable[tuple[Any, str]]) -> dict[Any, str]:
    """The id for each name that occurs only once."""
    found: dict[Any, str | None] = {}
    for name, id in pairs:
        found[name] = None if name in found else id
    return {name: id for name, id in found.items() if id is not None}


def _by_place(
    users: Iterable[tuple[NodeInfo, int]], taken: Any
) -> dict[tuple[str, int], list[NodeInfo]]:
    """The nodes that have no partner yet, by operation and index of the input."""
    found: dict[tuple[str, int], list[NodeInfo]] = {}
    for node, place in users:
        if node.id not in taken:
            where = 0 if node.op in COMMUTATIVE else place
            found.setdefault((node.op, where), []).append(node)
    return found

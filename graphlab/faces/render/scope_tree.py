"""Which part of a graph is drawn where: a tree of parts, each small enough for one picture.

Scopes are the parts; what is in none, and too much for one picture, is cut into blocks of nodes
that follow one another. Every node has its home in one part and is drawn in full there; above, the
part is one card. A part's nodes follow one another, so that cards never make a cycle.

Read next: faces/render/collapse.py
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from graphlab.graph.model import Graph, NodeInfo

WHOLE = 150  # nodes; up to here a graph is drawn in full
MOST = 80  # nodes and cards in one picture
BLOCK = 30  # into about so many blocks, of so many nodes, what is too much is cut
SHARED = 12  # leaves that several blocks use and that stay outside of them
FEW = 2  # nodes; a scope that holds no more is not worth a card
LONGEST_PERIOD = 60  # operations of a loop's body


@dataclass(eq=False, slots=True)
class Part:
    """A scope or a block: its own nodes and the parts inside, in the engine's order."""

    path: str
    label: str
    kind: str = ""  # the class of a module
    parent: Part | None = None
    depth: int = 0
    items: list[NodeInfo | Part] = field(default_factory=list)
    size: int = 0  # nodes, also those of the parts inside

    @property
    def parts(self) -> list[Part]:
        return [item for item in self.items if isinstance(item, Part)]

    @property
    def nodes(self) -> list[NodeInfo]:
        return [item for item in self.items if isinstance(item, NodeInfo)]


@dataclass(slots=True)
class Plan:
    """The tree, and the home of every node and tensor."""

    root: Part
    nodes: dict[str, Part]
    tensors: dict[str, Part]

    def walk(self) -> Iterable[Part]:
        """All parts, outer before inner."""
        stack = [self.root]
        while stack:
            part = stack.pop()
            yield part
            stack.extend(reversed(part.parts))


def plan(
    graph: Graph, blocks: bool = True, depth: int | None = None, keep: str | None = None
) -> Plan:
    """The tree of parts of `graph`.

    blocks: cut what is too much for one picture. depth: keep no card above that level. keep: the
    path of a scope that is a part of its own, however small.
    """
    root = _tree(graph)
    if not _follows(root, graph):  # scopes that interleave, in a graph that was made by hand
        root = Part("", "", items=list(graph.nodes), size=len(graph.nodes))
    _tidy(root, keep)
    if blocks:
        _cut(root, graph)
    if depth is not None:
        root.items = _opened(root, depth)
    _number(root)
    found = Plan(root, {}, {})
    for part in found.walk():
        for node in part.nodes:
            found.nodes[node.id] = part
    _house_tensors(found, graph)
    return found


def common(first: Part, second: Part) -> Part:
    """The innermost part that holds both."""
    while first is not second:
        if first.depth >= second.depth:
            assert first.parent is not None, "all parts are in the root"
            first = first.parent
        else:
            assert second.parent is not None, "all parts are in the root"
            second = second.parent
    return first


def below(part: Part, above: Part) -> Part:
    """The part directly inside `above` that holds `part`."""
    while part.parent is not above:
        assert part.parent is not None, "above is an ancestor"
        part = part.parent
    return part


# -- the tree of scopes ------------------------------------------------------------------------


def _tree(graph: Graph) -> Part:
    kinds = {scope.path: scope.kind for scope in graph.scopes}
    root = Part("", "")
    parts = {"": root}

    def part_of(path: str) -> Part:
        found = parts.get(path)
        if found is None:
            above, _, label = path.rpartition(".")
            parent = part_of(above)
            found = parts[path] = Part(path, label, kinds.get(path, ""), parent)
            parent.items.append(found)
        return found

    for node in graph.nodes:
        part_of(node.scope).items.append(node)
    return root


def _follows(root: Part, graph: Graph) -> bool:
    """Whether the parts stand in an order in which gradients only go from earlier to later ones."""
    place: dict[str, int] = {}
    stack: list[NodeInfo | Part] = [root]
    while stack:
        item = stack.pop()
        if isinstance(item, Part):
            stack.extend(reversed(item.items))
        else:
            place[item.id] = len(place)
    return all(
        place[edge.source] < place[edge.target]
        for edge in graph.edges
        if graph.node(edge.target).variable is None
    ) and _leaves_are_with_their_users(graph)


def _leaves_are_with_their_users(graph: Graph) -> bool:
    for edge in graph.edges:
        leaf, user = graph.node(edge.target), graph.node(edge.source)
        inside = not leaf.scope or f"{user.scope}.".startswith(f"{leaf.scope}.")
        if leaf.variable is not None and not inside:
            return False
    return True


def _tidy(part: Part, keep: str | None) -> None:
    """Open scopes that are not worth a card: those of one or two nodes, and one that holds all."""
    for inner in part.parts:
        _tidy(inner, keep)
    only = part.parts[0] if len(part.parts) == 1 else None
    if only and len(part.items) + len(only.items) > MOST // 2:
        only = None
    items: list[NodeInfo | Part] = []
    part.size = len(part.nodes) + sum(inner.size for inner in part.parts)
    for item in part.items:
        if isinstance(item, NodeInfo) or item.path == keep:
            items.append(item)
        elif item.size <= FEW or (item is only and item.parts and item.size > part.size / 2):
            items.extend(_labelled(item))
        else:
            items.append(item)
    part.items = items


def _labelled(part: Part) -> list[NodeInfo | Part]:
    """What is inside a part that is opened; its name goes on in theirs."""
    for inner in part.parts:
        inner.label = f"{part.label}.{inner.label}"
    return part.items


def _opened(part: Part, depth: int) -> list[NodeInfo | Part]:
    if depth <= 0:
        return [part]
    items: list[NodeInfo | Part] = []
    for item in _labelled(part) if part.label else part.items:
        items.extend(_opened(item, depth - 1) if isinstance(item, Part) else [item])
    return items


def _number(root: Part) -> None:
    """Tell every part where it is; no two have the same path."""
    stack, seen = [root], {""}
    while stack:
        part = stack.pop()
        for inner in part.parts:
            inner.parent, inner.depth = part, part.depth + 1
            while inner.path in seen:  # a scope that is called as a block is
                inner.path += "′"
            seen.add(inner.path)
            stack.append(inner)


# -- blocks ------------------------------------------------------------------------------------


def _cut(root: Part, graph: Graph) -> None:
    """Cut every part that holds too much for one picture into blocks."""
    users: dict[str, list[str]] = {}
    for edge in graph.edges:
        users.setdefault(edge.target, []).append(edge.source)
    stack = [root]
    while stack:
        part = stack.pop()
        stack.extend(part.parts)
        if len(part.items) > MOST:
            _cut_part(part, users)


def _cut_part(part: Part, users: dict[str, list[str]]) -> None:
    made = list(reversed(part.items))  # in the order in which they were made
    counted = [item for item in made if not _is_leaf(item)]
    words = [item.op if isinstance(item, NodeInfo) else _stem(item.label) for item in counted]
    period = find_period(words)
    size = _block_size(len(counted), period)
    number: dict[int, int] = {}  # id of an item -> which block
    places: dict[str, int] = {}  # node -> which block
    for k, item in enumerate(counted):
        number[id(item)] = k // size
        for node in _all_nodes(item):
            places[node.id] = k // size
    leaves = [item for item in made if _is_leaf(item)]
    outside: list[NodeInfo | Part] = []
    for leaf in leaves:
        assert isinstance(leaf, NodeInfo)
        used = {places[user] for user in users.get(leaf.id, ()) if user in places}
        if len(used) != 1 and len(outside) < SHARED:
            outside.append(leaf)
        else:  # with the first operation that uses it
            number[id(leaf)] = min(used, default=0)
    blocks: dict[int, list[NodeInfo | Part]] = {}
    for item in part.items:
        if id(item) in number:
            blocks.setdefault(number[id(item)], []).append(item)
    items = [
        _block(part, blocks[k], k * size, min(len(counted), (k + 1) * size), period)
        for k in sorted(blocks, reverse=True)
    ]
    part.items = _grouped(part, items) + outside


def _block(
    part: Part, items: list[NodeInfo | Part], first: int, last: int, period: int | None
) -> Part:
    if period is None:
        label = f"ops {first + 1}–{last}"
    elif last - first <= period:
        label = f"step {first // period + 1}"
    else:
        label = f"steps {first // period + 1}–{-(-last // period)}"
    path = f"{part.path}.{label}" if part.path else label
    size = sum(item.size if isinstance(item, Part) else 1 for item in items)
    return Part(path, label, items=_without_many_leaves(path, items), size=size)


def _without_many_leaves(path: str, items: list[NodeInfo | Part]) -> list[NodeInfo | Part]:
    """The items, with the leaves in blocks of their own where they are too many."""
    leaves = [item for item in items if _is_leaf(item)]
    if len(items) <= MOST:
        return items
    kept: list[NodeInfo | Part] = [item for item in items if not _is_leaf(item)]
    width = max(BLOCK, math.ceil(len(leaves) / BLOCK))
    for k in range(0, len(leaves), width):
        some = leaves[k : k + width]
        label = f"leaves {k + 1}–{k + len(some)}"
        kept.append(Part(f"{path}.{label}", label, items=some, size=len(some)))
    return kept


def _grouped(part: Part, blocks: list[Part]) -> list[NodeInfo | Part]:
    """Blocks of blocks, as long as there are too many."""
    while len(blocks) > BLOCK + BLOCK // 2:
        levels = math.ceil(math.log(len(blocks), BLOCK))
        width = math.ceil(len(blocks) ** ((levels - 1) / levels))
        width = max(2, math.ceil(len(blocks) / math.ceil(len(blocks) / width)))
        made = blocks[::-1]
        runs = [made[k : k + width][::-1] for k in range(0, len(made), width)]
        blocks = [_joined(part, run) for run in reversed(runs)]
    return [*blocks]


def _joined(part: Part, run: list[Part]) -> Part:
    word, first, _ = _numbers(run[-1].label)
    last = _numbers(run[0].label)[2]
    label = f"{word} {first}–{last}"
    path = f"{part.path}.{label}" if part.path else label
    for inner in run:
        inner.path = f"{path}.{inner.label}"
    return Part(path, label, items=[*run], size=sum(inner.size for inner in run))


def _numbers(label: str) -> tuple[str, str, str]:
    word, _, numbers = label.partition(" ")
    first, _, last = numbers.partition("–")
    return "ops" if word == "ops" else "steps", first, last or first


def _block_size(count: int, period: int | None) -> int:
    """How many items a block holds: whole turns of a loop, or a root of all."""
    levels = max(2, math.ceil(math.log(max(count, 2), BLOCK)))
    size = math.ceil(count ** (1 / levels))
    if period is None:
        return size
    return max(1, round(size / period)) * period


def find_period(words: Sequence[str]) -> int | None:
    """After how many operations the same ones come again; None when they do not.

    >>> find_period(["mul", "add"] * 50)
    2
    """
    for period in range(1, min(LONGEST_PERIOD, len(words) // 3) + 1):
        again = sum(a == b for a, b in zip(words, words[period:], strict=False))
        if again >= 0.95 * (len(words) - period):
            return period
    return None


def _is_leaf(item: NodeInfo | Part) -> bool:
    return isinstance(item, NodeInfo) and item.variable is not None


def _stem(label: str) -> str:
    """A scope's name without its number: "cell 2" is another "cell"."""
    stem, _, number = label.rpartition(" ")
    return stem if stem and number.isdigit() else label


def _all_nodes(item: NodeInfo | Part) -> Iterable[NodeInfo]:
    stack: list[NodeInfo | Part] = [item]
    while stack:
        one = stack.pop()
        if isinstance(one, Part):
            stack.extend(one.items)
        else:
            yield one


# -- tensors -----------------------------------------------------------------------------------


def _house_tensors(found: Plan, graph: Graph) -> None:
    """A result lives with its node, a leaf with its AccumulateGrad, a constant with its users."""
    users: dict[str, Part] = {}
    for node in graph.nodes:
        home = found.nodes[node.id]
        if node.variable is not None:
            found.tensors[node.variable] = home
            continue
        for id in node.outputs:
            found.tensors[id] = home
        for id in node.inputs:
            users[id] = common(users[id], home) if id in users else home
    for tensor in graph.tensors:
        if tensor.id in found.tensors:
            continue
        home = users.get(tensor.id, found.root)
        if tensor.name and "." not in tensor.name:  # the user's own, not a buffer of a module
            while home.kind and home.parent is not None:
                home = home.parent
        found.tensors[tensor.id] = home

"""Divide a graph into a tree of parts, each small enough for one picture.

Scopes are parts; too many nodes outside of scopes are cut into blocks of consecutive nodes. Every
node is drawn in full in one part; in the part above, that part is one card. The nodes of a part are
consecutive, so cards never form a cycle.

Read next: faces/render/collapse.py
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from graphlab.faces.render.scope_order import all_nodes, items_of, put_in_order
from graphlab.graph.model import Graph, NodeInfo, ScopeInfo

WHOLE = 150  # nodes: a larger graph is not drawn in full
MOST = 80  # nodes and cards in one picture
BLOCK = 30  # a part that is too large is cut into about 30 blocks of about 30 nodes
SHARED = 12  # the most leaves, used by several blocks, that stay outside of blocks
FEW = 2  # nodes: a scope with no more gets no card
LONGEST_PERIOD = 60  # the most operations in the body of a loop that is recognized
CARD = "scope"  # the op of a node that stands for a scope


@dataclass(eq=False, slots=True)
class Part:
    """A scope or a block: its own nodes and the parts inside, in the engine's order."""

    path: str
    label: str
    kind: str = ""  # the class of a module
    parent: Part | None = None
    depth: int = 0
    items: list[NodeInfo | Part] = field(default_factory=list)
    size: int = 0  # nodes, including those of the parts inside
    guessed: bool = False  # whether its nodes were assigned to it by their parameters

    @property
    def parts(self) -> list[Part]:
        return [item for item in self.items if isinstance(item, Part)]

    @property
    def nodes(self) -> list[NodeInfo]:
        return [item for item in self.items if isinstance(item, NodeInfo)]

    def path_of(self, label: str) -> str:
        """Return the path of a part with this label inside of this one."""
        return f"{self.path}.{label}" if self.path else label

    def holds(self, part: Part) -> bool:
        """Return whether `part` is this part or inside of it."""
        return common(part, self) is self


@dataclass(slots=True)
class ScopeTree:
    """The tree of parts, and the part of every node and tensor."""

    root: Part
    nodes: dict[str, Part]
    tensors: dict[str, Part]

    def walk(self) -> Iterable[Part]:
        """Yield all parts, outer before inner."""
        stack = [self.root]
        while stack:
            part = stack.pop()
            yield part
            stack.extend(reversed(part.parts))


def scope_tree(graph: Graph, depth: int | None = None, keep: str | None = None) -> ScopeTree:
    """Return the tree of parts of `graph`.

    depth: int >= 1, the level of the scopes that become cards; those above it are opened. keep: the
    path of a scope that stays a part, however small, with what lies between its own parts.
    """
    root = _parts_of_scopes(graph)
    if not _is_consecutive(root, graph):
        put_in_order(root, graph, keep)
    _open_small(root, keep)
    _cut(root, graph)
    if depth is not None:
        root.items = _opened(root, depth)
    _number(root)
    found = ScopeTree(root, {}, {})
    for part in found.walk():
        for node in part.nodes:
            found.nodes[node.id] = part
    _assign_tensors(found, graph)
    return found


def common(first: Part, second: Part) -> Part:
    """Return the innermost part that contains both."""
    while first is not second:
        if first.depth >= second.depth:
            assert first.parent is not None, "all parts are in the root"
            first = first.parent
        else:
            assert second.parent is not None, "all parts are in the root"
            second = second.parent
    return first


def below(part: Part, above: Part) -> Part:
    """Return the part directly inside `above` that contains `part`."""
    while part.parent is not above:
        assert part.parent is not None, "above is an ancestor"
        part = part.parent
    return part


# -- scopes ------------------------------------------------------------------------------------


def _parts_of_scopes(graph: Graph) -> Part:
    infos = {scope.path: scope for scope in graph.scopes}
    root = Part("", "")
    parts = {"": root}

    def part_of(path: str) -> Part:
        found = parts.get(path)
        if found is None:
            above, _, label = path.rpartition(".")
            parent = part_of(above)
            info = infos.get(path, ScopeInfo(path))
            found = parts[path] = Part(path, label, info.kind, parent, guessed=info.guessed)
            parent.items.append(found)
        return found

    around = {node.id: node.scope for node in graph.nodes}
    for edge in graph.edges:
        if graph.node(edge.target).variable is not None:  # a leaf is with all of its users
            user, path = graph.node(edge.source).scope, around[edge.target]
            while path and not f"{user}.".startswith(f"{path}."):
                path = path.rpartition(".")[0]
            around[edge.target] = path
    for node in graph.nodes:
        part_of(around[node.id]).items.append(node)
    return root


def _is_consecutive(root: Part, graph: Graph) -> bool:
    """Return whether gradients flow to later parts only."""
    place = {node.id: k for k, node in enumerate(all_nodes(root))}
    return all(
        place[edge.source] < place[edge.target]
        for edge in graph.edges
        if graph.node(edge.target).variable is None
    )


def _open_small(part: Part, keep: str | None) -> None:
    """Open scopes of one or two nodes, and a single scope with most of its part's nodes."""
    for inner in part.parts:
        _open_small(inner, keep)
    only = part.parts[0] if len(part.parts) == 1 else None
    if only and len(part.items) + len(only.items) > MOST // 2:
        only = None
    items: list[NodeInfo | Part] = []
    part.size = len(part.nodes) + sum(inner.size for inner in part.parts)
    for item in part.items:
        if isinstance(item, NodeInfo) or item.path == keep:
            items.append(item)
        elif item.size <= FEW or (item is only and item.parts and item.size > part.size / 2):
            items.extend(items_of(item))
        else:
            items.append(item)
    part.items = items


def _opened(part: Part, depth: int) -> list[NodeInfo | Part]:
    if depth <= 0:
        return [part]
    items: list[NodeInfo | Part] = []
    for item in items_of(part) if part.label else part.items:
        items.extend(_opened(item, depth - 1) if isinstance(item, Part) else [item])
    return items


def _number(root: Part) -> None:
    """Set the parent and depth of every part, and make paths unique."""
    stack, seen = [root], {""}
    while stack:
        part = stack.pop()
        for inner in part.parts:
            inner.parent, inner.depth = part, part.depth + 1
            while inner.path in seen:  # a scope with the name of a block
                inner.path += "′"
            seen.add(inner.path)
            stack.append(inner)


# -- blocks ------------------------------------------------------------------------------------


def _cut(root: Part, graph: Graph) -> None:
    """Cut every part that is too large for one picture into blocks."""
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
    names = [item.op if isinstance(item, NodeInfo) else _stem(item.label) for item in counted]
    period = find_period(names)
    size = _block_size(len(counted), period)
    number: dict[int, int] = {}  # id of an item -> its block
    places: dict[str, int] = {}  # node -> its block
    for k, item in enumerate(counted):
        number[id(item)] = k // size
        for node in all_nodes(item):
            places[node.id] = k // size
    outside: list[NodeInfo | Part] = []
    for leaf in made:
        if not isinstance(leaf, NodeInfo) or leaf.variable is None:
            continue
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
    path = part.path_of(label)
    size = sum(item.size if isinstance(item, Part) else 1 for item in items)
    return Part(path, label, items=_with_leaves_in_blocks(path, items), size=size)


def _with_leaves_in_blocks(path: str, items: list[NodeInfo | Part]) -> list[NodeInfo | Part]:
    """Return the items; if they are too many, the leaves move into separate blocks."""
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
    """Group blocks into larger blocks until there are few enough."""
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
    path = part.path_of(label)
    for inner in run:
        inner.path = f"{path}.{inner.label}"
    return Part(path, label, items=[*run], size=sum(inner.size for inner in run))


def _numbers(label: str) -> tuple[str, str, str]:
    word, _, numbers = label.partition(" ")
    first, _, last = numbers.partition("–")
    return "ops" if word == "ops" else "steps", first, last or first


def _block_size(count: int, period: int | None) -> int:
    """Return the size of a block: whole iterations of a loop, or a root of the number of items."""
    levels = max(2, math.ceil(math.log(max(count, 2), BLOCK)))
    size = math.ceil(count ** (1 / levels))
    return size if period is None else max(1, round(size / period)) * period


def find_period(names: Sequence[str]) -> int | None:
    """Return after how many operations the sequence repeats; None if it does not.

    >>> find_period(["mul", "add"] * 50)
    2
    """
    for period in range(1, min(LONGEST_PERIOD, len(names) // 3) + 1):
        again = sum(a == b for a, b in zip(names, names[period:], strict=False))
        if again >= 0.95 * (len(names) - period):
            return period
    return None


def _is_leaf(item: NodeInfo | Part) -> bool:
    return isinstance(item, NodeInfo) and item.variable is not None


def _stem(label: str) -> str:
    """Return a scope's name without its number: "cell" for "cell 2", "layers" for "layers.2"."""
    stem = label.rstrip("0123456789")
    return stem[:-1] if stem != label and stem[:-1] and stem[-1] in " ." else label


# -- tensors -----------------------------------------------------------------------------------


def _assign_tensors(found: ScopeTree, graph: Graph) -> None:
    """Put a result with its node, a leaf with its AccumulateGrad, a constant with its users."""
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
        if tensor.name and "." not in tensor.name:  # a variable, not a buffer of a module
            while home.kind and home.parent is not None:
                home = home.parent
        found.tensors[tensor.id] = home

"""Divide a graph into a tree of parts, each small enough for one picture.

Scopes are parts; too many nodes outside of scopes are cut into blocks of consecutive nodes. Every
node is drawn in full in one part; in the part above, that part is one card. The nodes of a part are
consecutive, so cards never form a cycle.

Read next: faces/render/collapse.py
"""

from __future__ import annotations

import math
from bisect import bisect
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from operator import eq
from typing import Any, TypeGuard

from graphlab.faces.render.scope_order import all_nodes, items_of, put_in_order
from graphlab.graph.model import Graph, NodeInfo, ScopeInfo

WHOLE = 150  # nodes: a larger graph is not drawn in full
MOST = 80  # nodes and cards in one picture
LARGE_BLOCK = 50  # nodes and cards: a block of more is cut again
BLOCK = 30  # a part that is too large is cut into about 30 blocks, or fewer
SHARED = 10  # the most leaves that stay outside of blocks, and items before or after a loop
FEW = 2  # nodes: a scope with no more gets no card
LOOP = 0.7  # of the operations of a part: a loop with fewer of them is not recognized
LONGEST_PERIOD = 250  # the most operations in the body of a loop that is recognized
CARD = "scope"  # the op of a node that stands for a scope
Loop = tuple[int, int, int]  # the operations in a turn; where the first begins, and the last ends


@dataclass(eq=False, slots=True)
class Part:
    """A scope or a block: its own nodes and the parts inside, in the engine's order."""

    path: str
    label: str
    kind: str = ""  # the class of a module
    parent: Part | None = None
    depth: int = 0
    items: list[NodeInfo | Part] = field(default_factory=list)
    guessed: bool = False  # whether its nodes were assigned to it by their parameters
    loop: Loop | None = None  # of a block: the loop that it is cut from
    before: int = 0  # of a block: the operations before it

    @property
    def parts(self) -> list[Part]:
        return [item for item in self.items if isinstance(item, Part)]

    @property
    def nodes(self) -> list[NodeInfo]:
        return [item for item in self.items if isinstance(item, NodeInfo)]

    @property
    def size(self) -> int:
        """How many nodes it holds, including those of the parts inside."""
        return sum(item.size if isinstance(item, Part) else 1 for item in self.items)

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
        return _walk(self.root)


def _walk(part: Part) -> Iterable[Part]:
    yield part
    for inner in part.parts:
        yield from _walk(inner)


def scope_tree(
    graph: Graph,
    depth: int | None = None,
    keep: str | None = None,
    most: int = MOST,
    times: int = 1,
) -> ScopeTree:
    """Return the tree of parts of `graph`.

    depth: int >= 1, the level of the scopes that become cards, however small; those above it are
    opened. keep: the path of a scope that stays a part, with what lies between its own parts.
    most: how many nodes and cards the outermost part may hold before it is cut into blocks.
    times: by how much the blocks of the outermost part are larger than usual.
    """
    root = _parts_of_scopes(graph)
    put_in_order(root, graph, keep)
    if depth is None:
        _open_small(root, keep)
    for part in _walk(root):
        limit = most if part is root else LARGE_BLOCK if part.loop else MOST
        if part.parts and len(part.items) - sum(map(_is_leaf, part.items)) <= limit:
            part.items = _with_leaves_in_blocks(part) if len(part.items) > MOST else part.items
        elif len(part.items) > limit:
            _cut(part, graph, times if part is root else 1)
    if depth is not None:
        root.items = _opened(root, depth)
        if root.parts and sum(map(_is_leaf, root.items)) > BLOCK:  # that several calls share
            root.items = _with_leaves_in_blocks(root)
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


def _open_small(part: Part, keep: str | None) -> None:
    """Open scopes of one or two nodes, and a single scope with most of its part's nodes."""
    for inner in part.parts:
        _open_small(inner, keep)
    only = part.parts[0] if len(part.parts) == 1 else None
    if only and len(part.items) + len(only.items) > MOST // 2:
        only = None
    items: list[NodeInfo | Part] = []
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
    seen = {""}
    for part in _walk(root):
        for inner in part.parts:
            inner.parent, inner.depth = part, part.depth + 1
            while inner.path in seen:  # a scope with the name of a block
                inner.path += "′"
            seen.add(inner.path)


# -- blocks ------------------------------------------------------------------------------------


def _cut(part: Part, graph: Graph, times: int = 1) -> None:
    """Cut a part into whole turns of its loop, and into blocks what is before and after these."""
    made = list(reversed(part.items))  # in the order in which they were made
    counted = [item for item in made if not _is_leaf(item)]
    count = len(counted)
    keys = [
        (item.op, item.source) if isinstance(item, NodeInfo) else (_stem(item.label), None)
        for item in counted
    ]
    crossing, taken = _wires(counted, graph)
    loop = part.loop if part.loop and part.loop[0] < count else None  # of a turn: the loop inside
    loop = loop or find_loop(keys, crossing) or find_loop([op for op, _ in keys], crossing)
    period, begin, end = loop or (0, 0, 0)
    # a first turn that is another, as its state needs no gradient, ends with the same operation
    earlier = keys[:begin].count(keys[begin + period - 1]) if 0 < begin <= 2 * period else 0
    part.loop = period, begin - earlier * period, end
    start, stop = (min(max(at, 0), count) for at in (begin, end))
    size = math.ceil(max(math.sqrt(count), count / BLOCK)) * times
    cuts = [*range(start, stop, max(1, round(size / period)) * period)] if period else []
    for first, last in ((0, start), (stop, count)):
        cuts += _cuts(first, last, max(size, (last - first) // 5 if period else 0), crossing)
    cuts = [*sorted(cuts), count]
    if len(cuts) < 3:
        part.items = _with_leaves_in_blocks(part)
        return
    number = {id(item): bisect(cuts, k) - 1 for k, item in enumerate(counted)}  # of its block
    used: defaultdict[str, set[int]] = defaultdict(set)
    for (k, at, place), leaf in taken.items():
        used[leaf].add(bisect(cuts, k) - 1)
        if begin <= k < begin + period and (k + period, at, place) not in taken:
            used[leaf].add(len(cuts))  # the loop begins with it, and goes on with a result
    outside: list[NodeInfo | Part] = []
    for leaf in filter(_is_leaf, made):
        if len(used[leaf.id]) != 1:
            outside.append(leaf)
        else:  # with the operation that uses it
            number[id(leaf)] = min(used[leaf.id])
    if len(outside) > SHARED:
        outside = _leaf_blocks(part, outside)
    blocks: defaultdict[int, list[NodeInfo | Part]] = defaultdict(list)
    for item in part.items:
        if id(item) in number:
            blocks[number[id(item)]].append(item)
    part.items = []
    for first, last in ((stop, count), (start, stop), (0, start)):
        found = [k for k in sorted(blocks, reverse=True) if first <= cuts[k] < last]
        if period and first != start and sum(len(blocks[k]) for k in found) <= SHARED:
            part.items += [item for k in found for item in blocks[k]]
        else:
            is_loop = first == start < stop
            part.items += [_block(part, blocks[k], cuts[k], cuts[k + 1], is_loop) for k in found]
    part.items += outside


def _block(part: Part, items: list[Any], first: int, last: int, is_loop: bool) -> Part:
    period, begin, end = part.loop or (0, 0, 0)
    word, one, until = "op", part.before + first + 1, part.before + last
    if is_loop:
        word, one, until = "step", (first - begin) // period + 1, (last - begin) // period
    label = f"{word} {one}" if one == until else f"{word}s {one}–{until}"
    loop, before = (period, begin - first, end - first), part.before + first
    return Part(part.path_of(label), label, items=items, loop=loop, before=before)


def _wires(
    items: list[NodeInfo | Part], graph: Graph
) -> tuple[list[int], dict[tuple[int, int, int], str]]:
    """Return how many wires pass the place before each item, and which input is which leaf.

    A short wire counts more. An input: the number of an item, of a node in it, and of its edge.
    """
    change = [0] * (len(items) + 1)
    made: dict[str, int] = {}
    taken: dict[tuple[int, int, int], str] = {}
    for k, item in enumerate(items):
        nodes = [*all_nodes(item)]
        for at, node in enumerate(nodes):
            for edge in graph.edges_from(node.id):
                if graph.node(edge.target).variable is not None:
                    taken[k, at, edge.index] = edge.target
                elif edge.target in made:
                    first = made[edge.target]
                    change[first + 1] += BLOCK // (k - first)
                    change[k + 1] -= BLOCK // (k - first)
        made |= {node.id: k for node in nodes}
    return [*accumulate(change)], taken


def _cuts(first: int, last: int, size: int, crossing: list[int]) -> list[int]:
    """Return where blocks of about `size` items begin: where the fewest wires are cut."""
    cuts = [first] if first < last else []
    while cuts and last - cuts[-1] > size + size // 2:
        wanted = cuts[-1] + size
        near = range(wanted - size // 2, wanted + size // 2 + 1)
        cuts.append(min(near, key=lambda k: (crossing[k], abs(k - wanted))))
    return cuts


def _with_leaves_in_blocks(part: Part) -> list[NodeInfo | Part]:
    kept = [item for item in part.items if not _is_leaf(item)]
    return kept + _leaf_blocks(part, [item for item in part.items if _is_leaf(item)])


def _leaf_blocks(part: Part, leaves: list[NodeInfo | Part]) -> list[NodeInfo | Part]:
    width = max(MOST if len(leaves) <= MOST else BLOCK, math.ceil(len(leaves) / BLOCK))
    blocks: list[NodeInfo | Part] = []
    for k in range(0, len(leaves), width):
        some = leaves[k : k + width]
        label = f"leaves {k + 1}–{k + len(some)}"
        blocks.append(Part(part.path_of(label), label, items=some))
    return blocks


def find_loop(names: Sequence[Hashable], crossing: Sequence[int] = ()) -> Loop | None:
    """Return the loop in a sequence of operations, or None.

    crossing: how many wires pass the place before each of them; few where a turn begins.

    >>> find_loop(["exp", *["mul", "add"] * 50, "sum"])
    (2, 1, 101)
    """
    codes: dict[Hashable, int] = {}
    made = [codes.setdefault(name, len(codes)) for name in names]
    for period in range(1, min(LONGEST_PERIOD, len(made) // 3) + 1):
        again = bytes(map(eq, made, made[period:]))
        longest = max(again.split(b"\0"), key=len)
        if len(longest) < period:  # no two turns are equal
            continue
        begin = end = again.index(longest)
        turn = made[begin : begin + period]
        # a turn of the loop may take another branch
        while 1.5 * sum(map(eq, turn, made[end : end + period])) >= period:
            end += period
        while begin >= period and 1.5 * sum(map(eq, turn, made[begin - period : begin])) >= period:
            begin -= period
        while begin > 0 and again[begin - 1]:  # a part of the first turn
            begin -= 1
        end = min(end, len(made))
        while end < len(made) and again[end - period]:  # a part of the last turn
            end += 1
        whole = (end - begin) // period * period
        sums = [sum(crossing[k : k + whole : period]) for k in range(begin, end - whole + 1)]
        begin += sums.index(min(sums))
        end = begin + whole
        if end - begin >= max(3 * period, LOOP * len(made)):
            return period, begin, end
    return None


def _is_leaf(item: NodeInfo | Part) -> TypeGuard[NodeInfo]:
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

"""Layer assignment: a column for each box, after the columns of its inputs.

Boxes first move as far left as their inputs allow. Then lines are made as short as possible, each
counted twice: by itself, and as part of the bundle that leaves its box and reaches to the farthest
user. Leaves, and what depends on leaves alone, end up beside their user. Very large graphs get only
the first step and one pass that moves single boxes.

Read next: faces/render/crossings.py
"""

from collections.abc import Sequence
from typing import NamedTuple

from graphlab.faces.render.layered_graph import Box, Link

MOST_EXACT = 1000  # boxes: for more, the exact solution takes too long


def rank(boxes: Sequence[Box], links: Sequence[Link]) -> dict[str, int]:
    """Return the column of each box: after its inputs, near its users.

    >>> rank([Box(i, 1, 1, 1) for i in "abc"], [Link("", "a", "b"), Link("", "b", "c")])
    {'a': 0, 'b': 1, 'c': 2}
    """
    index = {box.id: k for k, box in enumerate(boxes)}
    ends = [(index[link.source], index[link.target]) for link in links]
    ranks, order = _longest_paths(len(boxes), ends)
    head, offset = _groups(order, ends, [link.joined for link in links])
    pairs = sorted({(s, t) for s, t in ends if head[s] != head[t]})
    _pull(ranks, order, pairs, head, offset)
    if len(boxes) <= MOST_EXACT:
        of_heads = {box: k for k, box in enumerate(b for b in range(len(boxes)) if head[b] == b)}
        short = [ranks[box] for box in of_heads]
        minimise(*_spans(short, pairs, [of_heads[h] for h in head], offset))
        ranks = [short[of_heads[head[box]]] + offset[box] for box in range(len(boxes))]
    return {box.id: ranks[k] for k, box in enumerate(boxes)}


def _longest_paths(count: int, ends: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    """Return the leftmost rank of each box, and the boxes in topological order."""
    leaving: list[list[int]] = [[] for _ in range(count)]
    waits = [0] * count
    for source, target in ends:
        leaving[source].append(target)
        waits[target] += 1
    order = [k for k in range(count) if waits[k] == 0]
    ranks = [0] * count
    for source in order:
        for target in leaving[source]:
            ranks[target] = max(ranks[target], ranks[source] + 1)
            waits[target] -= 1
            if waits[target] == 0:
                order.append(target)
    assert len(order) == count, "a computation graph has no cycle"
    return ranks, order


def _groups(
    order: list[int], ends: list[tuple[int, int]], joined: list[bool]
) -> tuple[list[int], list[int]]:
    """Group boxes that move together: the head of each box's group, and its columns after that."""
    entering = [0] * len(order)
    partner = [-1] * len(order)
    for (source, target), together in zip(ends, joined, strict=True):
        entering[target] += 1
        if together:
            partner[target] = source
    head, offset = list(range(len(order))), [0] * len(order)
    for box in order:
        source = partner[box]
        if source >= 0 and entering[box] == 1:
            head[box], offset[box] = head[source], offset[source] + 1
    return head, offset


def _pull(
    ranks: list[int],
    order: list[int],
    pairs: list[tuple[int, int]],
    head: list[int],
    offset: list[int],
) -> None:
    """Move groups that depend only on unshared leaves to the right, as no line gets longer."""
    users: list[set[int]] = [set() for _ in ranks]  # of a group: groups
    before: list[set[int]] = [set() for _ in ranks]
    room: list[list[tuple[int, int]]] = [[] for _ in ranks]
    for source, target in pairs:
        users[head[source]].add(head[target])
        before[head[target]].add(head[source])
        room[head[source]].append((source, target))
    heads = [box for box in order if head[box] == box]
    free = [False] * len(ranks)
    for box in heads:
        free[box] = all(free[other] and len(users[other]) == 1 for other in before[box])
    for box in reversed(heads):
        if free[box] and room[box]:
            ranks[box] += min(
                ranks[head[target]] + offset[target] - ranks[box] - offset[source] - 1
                for source, target in room[box]
            )
    for box in order:
        ranks[box] = ranks[head[box]] + offset[box]


def _spans(
    ranks: list[int], pairs: list[tuple[int, int]], group: list[int], offset: list[int]
) -> "tuple[list[int], list[Span]]":
    """Return the lines between groups, with an extra box at the farthest user of a shared box."""
    spans: list[Span] = []
    users: dict[int, list[int]] = {}
    for source, target in pairs:
        users.setdefault(source, []).append(target)
    for source, targets in users.items():
        weight = 2 if len(targets) == 1 else 1  # a shared bundle of lines counts by itself
        for target in targets:
            least = offset[source] + 1 - offset[target]
            spans.append(Span(group[source], group[target], least, weight))
        if len(targets) > 1:
            end = len(ranks)
            ranks.append(max(ranks[group[target]] + offset[target] for target in targets))
            spans.append(Span(group[source], end, offset[source] + 1, 1))
            spans += [Span(group[target], end, offset[target], 0) for target in targets]
    return ranks, spans


# -- network simplex ------------------------------------------------------------------------------
#
# The total length of all lines becomes as small as possible. Each box has a column number. A line
# from u to v requires v to be at least `least` columns after u, and costs `weight` for each column
# that it spans. A spanning tree of tight lines, those of minimal length, determines all columns.
# While a line of the tree has a negative cut value, it is replaced by the line with the least slack
# that connects its two sides in the other direction.
#
# Source: Gansner, Koutsofios, North, Vo: A technique for drawing directed graphs (1993), section 2.


WORK = 300_000  # the most visits of boxes and lines; 150 nodes need a tenth of that


class Span(NamedTuple):
    """A line: `head` is at least `least` columns after `tail`; each column costs `weight`."""

    tail: int
    head: int
    least: int
    weight: float


def minimise(ranks: list[int], spans: Sequence[Span]) -> None:
    """Change `ranks` in place so that `spans` cost as little as possible in total.

    `ranks` must satisfy all spans at the start. What no span connects to the rest begins at 0, too.

    >>> ranks = [0, 0, 1, 2, 7]
    >>> minimise(ranks, [Span(0, 2, 1, 1), Span(2, 3, 1, 1), Span(1, 3, 1, 1)])
    >>> ranks
    [0, 1, 1, 2, 0]
    """
    lines_of: list[list[int]] = [[] for _ in ranks]
    net = [0.0] * len(ranks)  # the cost that moving the box right by one column saves
    for k, span in enumerate(spans):
        lines_of[span.tail].append(k)
        lines_of[span.head].append(k)
        net[span.tail] += span.weight
        net[span.head] -= span.weight
    begun = [False] * len(ranks)
    for start in range(len(ranks)):
        if not begun[start]:
            tree = _Tree(ranks, spans, lines_of, net, start)
            for box in tree.boxes:
                begun[box] = True
            tree.improve()
            least = min([ranks[box] for box in tree.boxes])
            for box in tree.boxes:
                ranks[box] -= least


class _Tree:
    """A spanning tree of tight lines in one connected component."""

    def __init__(
        self,
        ranks: list[int],
        spans: Sequence[Span],
        lines_of: list[list[int]],
        net: list[float],
        start: int,
    ) -> None:
        self.ranks, self.spans, self.lines_of, self.net = ranks, spans, lines_of, net
        self.boxes = [start]
        # for each box: line of the tree -> the box at its other end
        self.branches: list[dict[int, int]] = [{} for _ in ranks]
        self._grow()

    def _slack(self, k: int) -> int:
        span = self.spans[k]
        return self.ranks[span.head] - self.ranks[span.tail] - span.least

    def _grow(self) -> None:
        """Add tight lines; if there are none, shift the tree until one becomes tight."""
        inside = {self.boxes[0]}
        while True:
            for box in self.boxes:  # the list grows during the loop
                for k in self.lines_of[box]:
                    tail, head, _, _ = self.spans[k]
                    if (tail in inside) != (head in inside) and self._slack(k) == 0:
                        other = head if tail in inside else tail
                        inside.add(other)
                        self.boxes.append(other)
                        self._add(k)
            leaving = [
                (self._slack(k), k)
                for box in self.boxes
                for k in self.lines_of[box]
                if (self.spans[k].tail in inside) != (self.spans[k].head in inside)
            ]
            if not leaving:
                return
            slack, nearest = min(leaving)
            shift = slack if self.spans[nearest].tail in inside else -slack
            for box in self.boxes:
                self.ranks[box] += shift

    def _add(self, k: int) -> None:
        tail, head, _, _ = self.spans[k]
        self.branches[tail][k] = head
        self.branches[head][k] = tail

    def improve(self) -> None:
        """Replace lines until no cut value is negative."""
        for _ in range(WORK // (len(self.boxes) + len(self.spans))):
            leaving = self._leaving_line()
            if leaving is None:
                return
            self._replace(leaving)

    def _walk(self, start: int, without: int = -1) -> tuple[list[int], dict[int, int]]:
        """Return the boxes reached along the tree from `start`, breadth first, and their lines."""
        found, by, branches = [start], {start: -1}, self.branches
        for box in found:
            came = by[box]
            for k, other in branches[box].items():
                if k != without and k != came:
                    by[other] = k
                    found.append(other)
        return found, by

    def _leaving_line(self) -> int | None:
        """Return the line of the tree with the most negative cut value; None if there is none."""
        found, by = self._walk(self.boxes[0])
        gain, spans = self.net.copy(), self.spans
        least, which = -1e-9, None
        for box in found[:0:-1]:  # from the leaves of the tree to its root
            k, cut = by[box], gain[box]
            tail, head, _, _ = spans[k]
            if tail == box:
                gain[head] += cut
            else:
                gain[tail] += cut
                cut = -cut
            if cut < least or (cut == least and which is not None and k < which):
                least, which = cut, k
        return which

    def _replace(self, leaving: int) -> None:
        tail, head, _, _ = self.spans[leaving]
        side = set(self._walk(tail, leaving)[0])
        best: tuple[int, int] | None = None
        for box in side:
            for k in self.lines_of[box]:
                if self.spans[k].head == box and self.spans[k].tail not in side:
                    slack = self._slack(k)
                    if best is None or (slack, k) < best:
                        best = slack, k
        assert best is not None, "weights must not be negative"
        slack, entering = best
        for box in side:
            self.ranks[box] -= slack
        del self.branches[tail][leaving], self.branches[head][leaving]
        self._add(entering)

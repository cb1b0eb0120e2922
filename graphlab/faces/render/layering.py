"""Layer assignment: a column for each box, after the columns of its inputs.

Boxes first move as far left as their inputs allow. Then lines are made as short as possible, each
counted twice: by itself, and as part of the bundle that leaves its box and reaches to the farthest
user. Leaves, and what depends on leaves alone, end up beside their user. Very large graphs get the
first step only, and one pass that moves single boxes.

Read next: faces/render/network_simplex.py
"""

from __future__ import annotations

from collections.abc import Sequence

from graphlab.faces.render.layered_graph import Box, Link
from graphlab.faces.render.network_simplex import Span, minimise

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
    least = min(ranks, default=0)
    return {box.id: ranks[k] - least for k, box in enumerate(boxes)}


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
) -> tuple[list[int], list[Span]]:
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

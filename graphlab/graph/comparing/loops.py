"""One loop that runs more often in one graph than in the other is one difference, not many.

A loop is found in the lines of code: each of its operations was made equally often, or once less,
because the first turn may begin with a number.

Read next: graph/comparing/finding.py
"""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from graphlab.graph.comparing.differences import Difference, Kind, Pair
from graphlab.graph.comparing.wording import SIDES, lines, listed, often
from graphlab.graph.model import NodeInfo, Source

LEAST = 3  # turns
FOLLOWING: tuple[Kind, ...] = ("uses", "operation", "missing", "order", "input")


class Loop(NamedTuple):
    """turns: how often it ran. body: its operations. nodes: what all turns made."""

    turns: int
    body: Counter[str]
    nodes: list[NodeInfo]


def loop_in(nodes: Iterable[NodeInfo]) -> Loop | None:
    """The loop that made most of the nodes; None if there is none."""
    made: dict[tuple[Source, str], list[NodeInfo]] = {}
    for node in nodes:
        if node.source is not None and node.variable is None:
            made.setdefault((node.source, node.op), []).append(node)
    if not made:
        return None
    turns = Counter(len(some) for some in made.values() for _ in some).most_common(1)[0][0]
    turns = max(turns, *(n for n in map(len, made.values()) if n <= turns + 1))
    parts = {key: some for key, some in made.items() if turns - 1 <= len(some) <= turns}
    body = Counter(op for _, op in parts)
    return Loop(turns, body, [node for some in parts.values() for node in some])


def without_turns(pair: Pair, found: list[Difference]) -> list[Difference]:
    """Say once that a loop runs more often, in place of what follows from it."""
    sides = [loop_in(walk.graph.nodes) for walk in pair.walks]
    one, other = sides
    if one is None or other is None or one.body != other.body or one.turns == other.turns:
        return found
    if min(one.turns, other.turns) < LEAST:
        return found
    inside = {node.source for loop in (one, other) for node in loop.nodes}
    follow = [d for d in found if d.kind in FOLLOWING and inside.issuperset({*d.sources} - {None})]
    if not any(d.kind == "missing" for d in follow):
        return found
    places = [lines(node.source for node in loop.nodes) for loop in (one, other)]
    counts = [often(one.turns), often(other.turns)]
    said = f"A loop runs {counts[0]} in the {SIDES[0]} graph{places[0]}, and {counts[1]} in the "
    said += f"{SIDES[1]}{places[1]}; the operations of one turn are {listed(one.body, 6)}."
    pair.told -= {id for d in follow if d.kind == "uses" for id in d.first}
    more = [d for d in follow if d.kind == "missing"]
    first, second = (tuple(id for d in more for id in getattr(d, side)) for side in SIDES)
    sources = (one.nodes[-1].source, other.nodes[-1].source)
    loop = Difference("missing", said, first, second, (counts[0], counts[1]), sources)
    return [loop, *(d for d in found if d not in follow)]

"""All differences of two timelines are found here, and sorted with causes before effects.

The passes of two recordings are matched one by one. Only the first pair of passes that differs is
described, because later passes start from its results.

A player shows the events side by side: those that correspond in one row, as far as their order
allows (a longest increasing subsequence). In any other row one graph waits; a sentence says why.

Read next: faces/render/two_graphs.py
"""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from graphlab.graph.comparing.cuts import find_cuts
from graphlab.graph.comparing.differences import ORDER, Difference, Pair, agree, seen_from, walks_of
from graphlab.graph.comparing.node_matching import Matching, match
from graphlab.graph.comparing.number_differences import (
    find_accumulated,
    find_inside,
    find_numbers,
    find_updates,
)
from graphlab.graph.comparing.structure import find_structure
from graphlab.graph.comparing.wording import SIDES, op
from graphlab.graph.events import Event, PassBegan
from graphlab.graph.events.passes import first_sentence
from graphlab.graph.model import Graph
from graphlab.graph.timeline import Timeline

MOST_OF_A_KIND = 12  # differences that have a row of their own
LITTLE = 0.4  # a note warns if a smaller share of the operations has a counterpart
# kinds with which results or gradients do not all agree
DECISIVE = frozenset(("failed", "cut", "constant", "accumulated", "leaf", "result", "gradient"))
Known = tuple[Mapping[str, str], Mapping[str, str]]  # how constants were cut, by side and id


@dataclass(frozen=True, slots=True)
class Found:
    """The result of a comparison.

    number: the pass that is described, from 0. note: what was left out, or "". follows: by side,
    the ids of tensors that differ, with "value", "gradient" or "value and gradient". agree: whether
    the results and all gradients agree, if each graph has one pass.
    """

    matching: Matching
    differences: tuple[Difference, ...]
    number: int
    note: str
    follows: tuple[dict[str, str], dict[str, str]]
    agree: bool


def find(one: Timeline, other: Timeline, known: Known = ({}, {})) -> Found:
    """Match two timelines and list what differs."""
    walks = (walks_of(one), walks_of(other))
    matching = Matching()
    pairs: list[Pair] = []
    for mine, theirs in zip(*walks, strict=False):  # all passes, because a player shows them all
        match(mine.graph, theirs.graph, matching)
        pairs.append(Pair(mine, theirs, matching))
    chosen, found = 0, _differences(pairs[0], (one, other), known)
    while not differs(found) and chosen + 1 < len(pairs):
        chosen += 1
        found = _differences(pairs[chosen], (one, other), known)
    differ = differs(found)
    until = pairs[:chosen] if differ else pairs
    updates = chain.from_iterable(find_updates(pair, k) for k, pair in enumerate(until, 1))
    found = _sorted([*found, *islice(updates, 1)])
    counts = (len(walks[0]), len(walks[1]))
    recorded = all(any(isinstance(e, PassBegan) for e in t.events) for t in (one, other))
    note = _note(counts, recorded, chosen, differ) + _little(pairs[chosen])
    if recorded and counts[0] != counts[1]:
        found = _sorted([*found, _passes(counts)])
    follows = _follows(pairs[chosen])
    alike = max(counts) == 1 and DECISIVE.isdisjoint(one.kind for one in found)
    a, b = pairs[0].walks
    alike &= a.whole() and b.whole() and len(a.roots) == len(b.roots)
    alike &= not any("gradient" in follows[0].get(leaf, "") for leaf, _ in pairs[0].leaves())
    return Found(matching, found, chosen, note, follows, alike)


def differs(found: Iterable[Difference]) -> bool:
    """Whether anything differs except the order of factors and summands."""
    return any(one.kind != "swapped" for one in found)


def _differences(
    pair: Pair, timelines: tuple[Timeline, Timeline], known: Known
) -> tuple[Difference, ...]:
    cuts = find_cuts(pair, known)
    found = [*_failures(pair), *cuts, *find_accumulated(pair, timelines)]
    found += find_structure(pair)
    found += find_numbers(pair)
    if not differs(found):
        found += find_inside(pair)
    return _sorted(found)


def _sorted(found: list[Difference]) -> tuple[Difference, ...]:
    """Differences sorted by kind, causes before effects; long lists are shortened."""
    listed: list[Difference] = []
    for kind in ORDER:
        of_kind = [one for one in found if one.kind == kind]
        listed += of_kind[:MOST_OF_A_KIND]
        if rest := of_kind[MOST_OF_A_KIND:]:
            ids = ([id for one in rest for id in getattr(one, side)] for side in SIDES)
            first, second = (tuple(dict.fromkeys(some)) for some in ids)
            s = "s" if len(rest) > 1 else ""
            said = f"{len(rest)} more difference{s} of this kind: {kind}."
            listed.append(Difference(kind, said, first, second))
    return tuple(listed)


def _failures(pair: Pair) -> list[Difference]:
    mine, theirs = (walk.failed for walk in pair.walks)
    one = mine or theirs
    if one is None or (mine and theirs):
        return []
    side = 0 if mine else 1
    said = f"The backward pass of the {SIDES[side]} graph fails at {one.name}: "
    said += first_sentence(one.message)
    if one.why:
        said += f" {one.why}" + (f", in line {one.cause.line}." if one.cause is not None else ".")
    values = ("failed", "finished")
    return [seen_from(side, "failed", said, (one.node,), (), values, (one.source, None))]


def _passes(counts: tuple[int, int]) -> Difference:
    texts = [f"{count} backward pass{'es' if count != 1 else ''}" for count in counts]
    said = f"The first recording has {texts[0]}, and the second {texts[1]}."
    return Difference("passes", said, values=(texts[0], texts[1]))


def _note(counts: tuple[int, int], recorded: bool, chosen: int, differ: bool) -> str:
    """Which passes of the recordings were compared."""
    if max(counts) == 1:
        return ""
    if not recorded:
        side = SIDES[0 if counts[0] > 1 else 1]
        return f"The {side} is a recording of {max(counts)} passes; only the first is compared."
    same = min(counts)
    if not differ:
        return f"{f'All {same} passes' if same > 1 else 'The first passes'} were compared."
    before = ""
    if chosen:
        those = "The first pass is" if chosen == 1 else f"The first {chosen} passes are"
        before = f"{those} the same in both. "
    later = "; later passes start from its results" if chosen + 1 < same else ""
    return f"{before}The table is about pass {chosen + 1}{later}."


def _little(pair: Pair) -> str:
    """A warning that two graphs can hardly be compared; "" if they can."""
    counts = [sum(n.variable is None for n in walk.graph.nodes) for walk in pair.walks]
    if max(counts) < 4 or len(pair.nodes) >= LITTLE * max(counts):
        return ""
    return (
        f"The graphs have little in common. Operations that correspond: {len(pair.nodes)}, of "
        f"{counts[0]} in the first graph and {counts[1]} in the second."
    )


def _follows(pair: Pair) -> tuple[dict[str, str], dict[str, str]]:
    """The tensors whose values or gradients differ, by side."""
    found: tuple[dict[str, str], dict[str, str]] = ({}, {})
    for s, t in pair.matching.tensors.items():
        if not (pair.walks[0].graph.has("tensor", s) and pair.walks[1].graph.has("tensor", t)):
            continue
        what = [] if agree(*pair.values(s, t)) else ["value"]
        mine, theirs = pair.gradients(s, t)
        if (mine is None) != (theirs is None) or not agree(mine, theirs):
            what.append("gradient")
        if what:
            found[0][s] = found[1][t] = " and ".join(what)
    return found


@dataclass(frozen=True, slots=True)
class Row:
    """One step: the indexes of two events, or one index and why the other graph waits."""

    first: int | None
    second: int | None
    why: str = ""


def align(one: Timeline, other: Timeline, matching: Matching) -> tuple[Row, ...]:
    """The rows of two timelines.

    >>> from graphlab.graph.model import Graph
    >>> empty = Timeline(Graph("", (), (), ()), ())
    >>> align(empty, empty, Matching())
    ()
    """
    mine = _keys(one, matching.nodes, matching.tensors, matching.crossed)
    theirs = _keys(other)
    place = {key: k for k, key in enumerate(theirs)}
    pairs = [(i, place[key]) for i, key in enumerate(mine) if key in place]
    kept = [pairs[k] for k in _longest_increasing([k for _, k in pairs])]
    beside = (dict(pairs), {k: i for i, k in pairs})
    rows: list[Row] = []
    before = (-1, -1)
    for i, k in [*kept, (len(mine), len(theirs))]:
        for at in range(before[0] + 1, i):
            why = _why(one, other, 1, at, beside[0].get(at), k, matching.nodes)
            rows.append(Row(at, None, why))
        nodes = {b: a for a, b in matching.nodes.items()} if before[1] + 1 < k else {}
        for at in range(before[1] + 1, k):
            rows.append(Row(None, at, _why(other, one, 0, at, beside[1].get(at), i, nodes)))
        if i < len(mine):
            rows.append(Row(i, k))
        before = (i, k)
    return tuple(rows)


def _keys(
    timeline: Timeline, nodes: Any = None, tensors: Any = None, crossed: Collection[str] = ()
) -> list[tuple[Any, ...]]:
    """What each event is about, in ids of the second graph; equal keys are numbered."""
    graph, seen = timeline.graph, {}
    found: list[tuple[Any, ...]] = []
    for event in timeline.events:
        key = (event.kind, *_about(event, graph, nodes, tensors, crossed))
        seen[key] = seen.get(key, 0) + 1
        found.append((*key, seen[key]))
    return found


def _about(
    event: Event, graph: Graph, nodes: Any, tensors: Any, crossed: Collection[str]
) -> list[Any]:
    """The nodes and tensors of an event; a star marks those without a partner."""

    def of(ids: Any, id: str | None) -> str | None:
        return id if ids is None or id is None else ids.get(id, f"* {id}")

    node, tensor = getattr(event, "node", None), getattr(event, "tensor", None)
    edge = getattr(event, "edge", None)
    if edge is not None:  # gradients of the same input correspond, even if the input differs
        sent = graph.edge(edge)
        return [of(nodes, sent.source), 1 - sent.index if sent.source in crossed else sent.index]
    found: list[Any] = [of(nodes, node), of(tensors, tensor)]
    saved = getattr(event, "saved", None)
    return [*found, saved] if isinstance(saved, str) else found


def _longest_increasing(numbers: list[int]) -> list[int]:
    """The indexes of a longest increasing subsequence (patience sorting).

    >>> _longest_increasing([3, 1, 2, 5, 4])
    [1, 2, 4]
    """
    ends: list[int] = []  # the smallest last number of a sequence of each length
    places: list[int] = []
    before: list[int] = []
    for k, one in enumerate(numbers):
        at = bisect_left(ends, one)
        before.append(places[at - 1] if at else -1)
        if at == len(ends):
            ends.append(one)
            places.append(k)
        else:
            ends[at], places[at] = one, k
    found: list[int] = []
    k = places[-1] if places else -1
    while k >= 0:
        found.append(k)
        k = before[k]
    return found[::-1]


def _why(
    going: Timeline,
    waiting: Timeline,
    side: int,  # that waits
    at: int,
    beside: int | None,
    reached: int,
    partners: dict[str, str],
) -> str:
    """Why one graph waits at a step of the other. beside: where the same event happens there."""
    begun = f"The {SIDES[side]} graph waits: "
    if beside is not None:
        return f"{begun}there, this happen{'s later' if beside >= reached else 'ed earlier'}."
    event = going.events[at]
    id = getattr(event, "node", None)
    if id is None or not going.graph.has("node", id):
        return f"{begun}nothing like this happens there."
    node = going.graph.node(id)
    if node.variable is not None:
        name = going.graph.tensor(node.variable).label
        return f"{begun}no such gradient arrives at {name} there."
    if id in partners:
        its = f"its {op(waiting.graph.node(partners[id]))}"
        to = getattr(event, "to", "") if event.kind == "RuleApplied" else ""
        return f"{begun}{its} {f'sends no gradient to {to}' if to else 'does not do this'}."
    return f"{begun}it has no operation that corresponds to {op(node)}."

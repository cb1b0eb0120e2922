"""All differences of two timelines are found here, and sorted with causes before effects.

The passes of two recordings are matched one by one. Only the first pair of passes that differs is
described, because later passes start from its results.

Read next: graph/comparing/step_alignment.py
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from graphlab.graph.comparing.cuts import find_cuts
from graphlab.graph.comparing.differences import ORDER, Difference, Pair, agree, seen_from, walks_of
from graphlab.graph.comparing.node_matching import Matching, match
from graphlab.graph.comparing.number_differences import (
    find_accumulated,
    find_inside,
    find_numbers,
)
from graphlab.graph.comparing.structure import find_structure
from graphlab.graph.comparing.wording import SIDES
from graphlab.graph.events import PassBegan
from graphlab.graph.events.passes import first_sentence
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
    counts = (len(walks[0]), len(walks[1]))
    recorded = all(any(isinstance(e, PassBegan) for e in t.events) for t in (one, other))
    note = _note(counts, recorded, chosen, differs(found)) + _little(pairs[chosen])
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

"""All differences of two timelines are found here, and sorted with causes before effects.

The passes of two recordings are matched one by one. Only the first pair of passes that differs is
described, because later passes start from its results.

Read next: graph/comparing/step_alignment.py
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from graphlab.graph.comparing.differences import ORDER, Difference, Pair, seen_from
from graphlab.graph.comparing.gradient_flow import walks_of
from graphlab.graph.comparing.node_matching import Matching, match
from graphlab.graph.comparing.number_differences import find_accumulated, find_numbers
from graphlab.graph.comparing.structure import find_structure
from graphlab.graph.comparing.value_agreement import agree
from graphlab.graph.comparing.wording import MOST_NAMES, SIDES, added, at, contrast, number
from graphlab.graph.events import PassBegan
from graphlab.graph.events.passes import first_sentence
from graphlab.graph.model import NodeInfo
from graphlab.graph.timeline import Timeline
from graphlab.graph.value import Value

MOST_OF_A_KIND = 12  # differences that have a row of their own
LITTLE = 0.4  # a note warns if a smaller share of the operations has a counterpart
Known = tuple[Mapping[str, str], Mapping[str, str]]  # how constants were cut, by side and id


@dataclass(frozen=True, slots=True)
class Found:
    """The result of a comparison.

    number: the pass that is described, from 0. note: what was left out, or "". follows: by side,
    the ids of tensors that differ, with "value", "gradient" or "value and gradient".
    """

    matching: Matching
    differences: tuple[Difference, ...]
    number: int
    note: str
    follows: tuple[dict[str, str], dict[str, str]]


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
    return Found(matching, found, chosen, note, _follows(pairs[chosen]))


def differs(found: tuple[Difference, ...]) -> bool:
    """Whether anything differs except the order of factors and summands."""
    return any(one.kind != "swapped" for one in found)


def _differences(
    pair: Pair, timelines: tuple[Timeline, Timeline], known: Known
) -> tuple[Difference, ...]:
    cuts = find_cuts(pair, known)
    found = [*_failures(pair), *cuts, *find_accumulated(pair, timelines)]
    found += find_structure(pair)
    found += find_numbers(pair)
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
    failed = [walk.failed for walk in pair.walks]
    if (failed[0] is None) == (failed[1] is None):
        return []
    side = 0 if failed[0] is not None else 1
    one = failed[side]
    assert one is not None
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
        f"The graphs have little in common: only {len(pair.nodes)} operations correspond, of "
        f"{counts[0]} in the first graph and {counts[1]} in the second."
    )


def _follows(pair: Pair) -> tuple[dict[str, str], dict[str, str]]:
    """The tensors whose values or gradients differ, by side."""
    found: tuple[dict[str, str], dict[str, str]] = ({}, {})
    for s, t in pair.matching.tensors.items():
        if not (pair.walks[0].graph.has("tensor", s) and pair.walks[1].graph.has("tensor", t)):
            continue
        what = [] if agree(pair.value(0, s), pair.value(1, t)) else ["value"]
        mine, theirs = pair.walks[0].gradient(s), pair.walks[1].gradient(t)
        if (mine is None) != (theirs is None) or not agree(mine, theirs):
            what.append("gradient")
        if what:
            found[0][s] = found[1][t] = " and ".join(what)
    return found


# -- cuts ----------------------------------------------------------------------------------------
#
# A graph is cut where it has a constant and the other graph a tensor that requires a gradient.
# `detach()`, `.data`, `.item()` and `no_grad()` make such constants, with the same numbers. The
# line of code that uses the constant often shows which of them did; if not, the sentence names all.


# a pattern of code that cuts a graph -> its name in a sentence
CUTTERS = {
    r"\.detach(_copy)?\(": "detach()",
    r"\.data\b": ".data",
    r"\.item\(|\bfloat\(": ".item()",
    r"\.numpy\(": "numpy()",
    r"\.tolist\(": "tolist()",
}
SOMEHOW = "detach(), .item() or no_grad(), or none of its inputs requires a gradient"


def find_cuts(pair: Pair, known: tuple[Mapping[str, str], Mapping[str, str]]) -> list[Difference]:
    """The cuts of both graphs. known: how constants were cut, by id, if that is known."""
    places: dict[tuple[int, str, str], list[tuple[NodeInfo, NodeInfo, int]]] = {}
    for one, other, i, k in pair.inputs():
        s, t = one.inputs[i], other.inputs[k]
        needs = [pair.tensor(0, s).requires_grad, pair.tensor(1, t).requires_grad]
        if needs[0] == needs[1]:
            continue
        side = 1 if needs[0] else 0  # of the constant
        if side == 1:
            key, use = (1, s, t), (one, other, i)
        else:
            key, use = (0, t, s), (other, one, k)
        places.setdefault(key, []).append(use)
        pair.cut[1 - side].add((use[0].id, use[2]))
    _find_behind(pair)
    return [_told(pair, *key, uses, known[key[0]]) for key, uses in places.items()]


def _find_behind(pair: Pair) -> None:
    """Note what can be reached only through a cut, and may be missing in the other graph."""
    for side, walk in enumerate(pair.walks):
        if not pair.cut[side]:
            continue
        nodes = [node for node in walk.graph.nodes if node.variable is None]
        used = {id for node in nodes for id in node.inputs}
        reached = {id for node in nodes for id in node.outputs if id not in used}
        reached.add(walk.graph.root)
        for node in nodes:  # each comes before the nodes that made its inputs
            if not reached.isdisjoint(node.outputs):
                places = enumerate(node.inputs)
                reached |= {id for k, id in places if (node.id, k) not in pair.cut[side]}
        pair.behind[side].update(used - reached)
        pair.behind[side].update(n.id for n in nodes if reached.isdisjoint(n.outputs))


def _same_numbers(one: Value | None, other: Value | None) -> bool:
    """Whether two values agree except for their types: `.item()` turns float32 into float64."""
    if one is None or other is None:
        return False
    if one.dtype == other.dtype:
        return agree(one, other)
    types = [value.dtype for value in (one, other)]
    if not all(name.startswith("float") for name in types) or one.shape != other.shape:
        return False
    low = min(types, key=lambda name: int(name[5:]))
    kinds = [Value(v.shape, low, v.text, v.entries, v.kept, 0, v.statistics) for v in (one, other)]
    return agree(*kinds)


def _told(
    pair: Pair,
    side: int,  # of the constant
    whole: str,  # the tensor of the other graph, which requires a gradient
    constant: str,
    uses: list[tuple[NodeInfo, NodeInfo, int]],
    known: Mapping[str, str],
) -> Difference:
    there = 1 - side
    name, user, beside = pair.label(there, whole), uses[0][0], uses[0][1]
    tensor, fixed = pair.tensor(there, whole), pair.tensor(side, constant)
    mine, theirs = pair.value(there, whole), pair.value(side, constant)
    here, other = SIDES[side], SIDES[there]
    left = pair.partner(there, whole) if tensor.is_leaf else None
    about = (
        (whole, *dict.fromkeys(one.id for one, _, _ in uses)),
        (constant, *dict.fromkeys(one.id for _, one, _ in uses), *([left] if left else [])),
        (number(mine), f"{number(theirs)}, constant"),
        (user.source, beside.source),
    )
    named_alike = tensor.is_leaf and fixed.name == tensor.name and tensor.name is not None
    same = _same_numbers(mine, theirs)
    how = known.get(constant) or _cutter(beside)
    if tensor.is_leaf and not how and named_alike:
        why = "is a constant" if fixed.is_leaf else "is cut off"
        sentence = (
            f"{name} requires a gradient in the {other} graph, but {why} in the {here}: "
            "it was created without requires_grad=True, or detached. No gradient reaches it there"
            f"{_instead(pair, there, whole)}."
        )
        return seen_from(there, "constant", sentence, *about)
    if not same and not how:
        sentence = (
            f"{beside.op} uses {_article(pair, there, whole)} in the {other} graph"
            f"{at(user.source)}, but a constant, {number(theirs)}, in the {here}"
            f"{at(beside.source)}. No gradient flows back from there."
        )
        return seen_from(there, "constant", sentence, *about)
    by = f"by {how}" if how else f"(by {SOMEHOW})"
    if tensor.is_leaf:
        sentence = _cut_leaf(pair, side, whole, name, by, beside)
    else:
        sentence = _cut_inside(pair, side, whole, name, by, beside)
    return seen_from(there, "cut", sentence, *about)


def _cutter(node: NodeInfo) -> str:
    """What cuts the graph, as far as the line that made a node shows it; else ""."""
    source = node.source
    if source is None:
        return ""
    part = source.text[source.start : source.end] if source.end else source.text
    return next((said for sign, said in CUTTERS.items() if re.search(sign, part)), "")


def _cut_leaf(pair: Pair, side: int, leaf: str, name: str, by: str, beside: NodeInfo) -> str:
    """The sentence for a cut at a use of a leaf: what arrives at the leaf in both graphs."""
    there = 1 - side
    here, other = SIDES[side], SIDES[there]
    partner = pair.partner(there, leaf)
    arrived = pair.walks[there].arrived.get(leaf, [])
    left = pair.walks[side].arrived.get(partner or "", [])
    pair.told.add(leaf if there == 0 else partner or "")
    place = beside.source
    use = f"the use in line {place.line}" if place is not None else f"its use in {beside.op}"
    if len(arrived) < 2 or not left:
        total = number(pair.walks[there].gradient(leaf))
        return (
            f"In the {here} graph, {name} was cut off {by}{at(place)}, so no gradient reaches "
            f"it. In the {other}, its gradient is {total}."
        )
    terms, rest = added(arrived), added(left)
    told = f" ({terms})" if terms else ""
    only = f"{rest} arrives" if len(left) == 1 else f"the sum {rest} arrives"
    if not rest:
        only = f"{len(left)} of them {'arrives' if len(left) == 1 else 'arrive'}"
    return (
        f"In the {other} graph, {len(arrived)} gradients arrive at {name} and are summed{told}; in "
        f"the {here}, {use} was cut off {by}, so only {only}."
    )


def _cut_inside(pair: Pair, side: int, tensor: str, name: str, by: str, beside: NodeInfo) -> str:
    """The sentence for a cut at a result: which leaves lose their gradient, or a part of it."""
    there = 1 - side
    here, other = SIDES[side], SIDES[there]
    effects: list[str] = []
    for leaf in _leaves_behind(pair, there, tensor):
        partner = pair.partner(there, leaf)
        mine = pair.walks[there].gradient(leaf)
        theirs = None if partner is None else pair.walks[side].gradient(partner)
        if mine is None or (theirs is not None and agree(mine, theirs)):
            continue
        label = pair.label(there, leaf)
        gradient = contrast(mine, theirs)
        if theirs is None:
            effects.append(f"{label} gets no gradient (in the {other} graph: {gradient[0]})")
        else:
            effects.append(f"the gradient of {label} is {gradient[1]} instead of {gradient[0]}")
        pair.told.add(leaf if there == 0 else partner or "")
    said = f"In the {here} graph, {name} was cut off {by} before {beside.op}{at(beside.source)}"
    said += ", so no gradient flows back from there"
    if len(effects) > MOST_NAMES:
        effects[MOST_NAMES:] = [f"and {len(effects) - MOST_NAMES} more"]
    return f"{said}{': ' if effects else ''}{'; '.join(effects)}."


def _leaves_behind(pair: Pair, side: int, tensor: str) -> list[str]:
    """The leaves from which a tensor was computed."""
    graph = pair.walks[side].graph
    reached = {tensor}
    for node in graph.nodes:
        if node.variable is None and not reached.isdisjoint(node.outputs):
            reached.update(node.inputs)
    return [t.id for t in graph.tensors if t.id in reached and t.is_leaf and t.requires_grad]


def _instead(pair: Pair, side: int, leaf: str) -> str:
    gradient = pair.walks[side].gradient(leaf)
    if gradient is None:
        return ""
    return f"; in the {SIDES[side]} its gradient is {number(gradient)}"


def _article(pair: Pair, side: int, id: str) -> str:
    tensor = pair.tensor(side, id)
    return f"{'the leaf ' if tensor.is_leaf else ''}{pair.label(side, id)}"

"""A graph is cut where it has a constant and the other graph a tensor that requires a gradient.

`detach()`, `.data`, `.item()` and `no_grad()` make such constants, with the same numbers. The line
of code that uses the constant often shows which of them did; if not, the sentence names them all.

Read next: graph/comparing/structure.py
"""

import re
from collections.abc import Mapping

from graphlab.graph.comparing.differences import Difference, Pair, agree, seen_from
from graphlab.graph.comparing.wording import SIDES, added, at, contrast, kind_and_name, number
from graphlab.graph.events.event import MOST_NAMED
from graphlab.graph.model import NodeInfo
from graphlab.graph.value import Value

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
    if len(effects) > MOST_NAMED:
        effects[MOST_NAMED:] = [f"and {len(effects) - MOST_NAMED} more"]
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
    name = pair.label(side, id)
    return f"the {kind_and_name('leaf', name)}" if pair.tensor(side, id).is_leaf else name

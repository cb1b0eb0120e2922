"""Differences of structure are found here: operations, inputs, leaves and how often they are used.

Read next: graph/comparing/number_differences.py
"""

from collections.abc import Iterator

from graphlab.graph.comparing.differences import Difference, Pair, seen_from
from graphlab.graph.comparing.node_matching import COMMUTATIVE
from graphlab.graph.comparing.wording import (
    SIDES,
    added,
    at,
    kind_and_name,
    lines,
    listed,
    number,
    often,
    op,
    ops,
    ratio,
    times,
)
from graphlab.graph.model import NodeInfo

Regions = tuple[dict[str, list[NodeInfo]], dict[str, list[NodeInfo]]]


def find_structure(pair: Pair) -> Iterator[Difference]:
    """Every difference of structure except cuts, which must have been found before."""
    regions = (_regions(pair, 0), _regions(pair, 1))
    told: set[str] = set()  # nodes without a partner that a sentence names
    yield from _replaced(pair)
    for s, t in _ends(pair):
        yield from _at_one_place(pair, regions, s, t, told)
    for side in (0, 1):
        for region in regions[side].values():
            if region[0].id not in told:
                told.update(node.id for node in region)
                yield _only(pair, side, region)
    yield from _inputs(pair, regions)
    yield from _uses(pair)
    yield from _leaves(pair)
    yield from _saved(pair)
    yield from _in_place(pair)


def _regions(pair: Pair, side: int) -> dict[str, list[NodeInfo]]:
    """The connected groups of nodes without a partner, by the id of each node."""
    walk, partners = pair.walks[side], pair.partners[side].nodes
    alone = [
        node
        for node in reversed(walk.graph.nodes)
        if node.variable is None and node.id not in partners and node.id not in pair.behind[side]
    ]
    maker = {id: node.id for node in alone for id in node.outputs}
    joined: dict[str, list[NodeInfo]] = {}
    for node in alone:
        own = [node]
        for id in node.inputs:
            below = joined.get(maker.get(id, ""))
            if below is not None and below is not own:
                own[:0] = below
                for one in below:
                    joined[one.id] = own
        joined[node.id] = own
    return joined


def _ends(pair: Pair) -> list[tuple[str, str]]:
    """The tensors in the same place: the results, and the inputs of pairs of nodes."""
    roots = (pair.walks[0].graph.root, pair.walks[1].graph.root)
    return [roots, *((one.inputs[i], other.inputs[k]) for one, other, i, k in pair.inputs())]


def _replaced(pair: Pair) -> Iterator[Difference]:
    """Different operations that were paired because they are in the same place."""
    for one, other in pair.nodes:
        if one.op != other.op:
            yield _instead(pair, [one], [other])


def _instead(pair: Pair, mine: list[NodeInfo], theirs: list[NodeInfo]) -> Difference:
    sentence = f"The first graph has {ops(mine)} where the second has {ops(theirs)}"
    effect = ""
    if len(mine) == len(theirs) == 1:
        effect = _effect(pair, mine[0], theirs[0])
    return Difference(
        "operation",
        f"{sentence}{effect}.",
        tuple(node.id for node in mine),
        tuple(node.id for node in theirs),
        (_formula(mine), _formula(theirs)),
        (mine[-1].source, theirs[-1].source),
    )


def _effect(pair: Pair, one: NodeInfo, other: NodeInfo) -> str:
    """How the gradient that is passed on differs, because the operation does."""
    for i, k in pair.matching.inputs(one, other):
        s, t = one.inputs[i], other.inputs[k]
        mine, theirs = pair.gradients(s, t)
        if mine is None or theirs is None or pair.partner(0, s) != t:
            continue
        if len(pair.walks[0].uses(s)) != 1 or len(pair.walks[1].uses(t)) != 1:
            continue  # several gradients are summed there
        came = pair.gradients(one.outputs[0], other.outputs[0])
        name = pair.label(0, s)
        if came[0] is not None and came[0] == came[1]:
            factor = times(ratio(mine, theirs))
            if factor:
                return f", which makes the gradient of {name} {factor}"
            if not mine.shape and not theirs.shape and mine.text != theirs.text:
                return (
                    f": {name} gets {number(mine)} in the first and {number(theirs)} in the second"
                )
    return ""


def _formula(nodes: list[NodeInfo]) -> str:
    return listed([node.op for node in nodes])


def _at_one_place(
    pair: Pair, regions: Regions, s: str, t: str, told: set[str]
) -> Iterator[Difference]:
    """The operations without a partner that made two tensors in the same place."""
    makers = (pair.makers[0].get(s), pair.makers[1].get(t))
    found = [
        regions[side].get(maker.id) if maker is not None else None
        for side, maker in enumerate(makers)
    ]
    fresh = [None if one is None or one[0].id in told else one for one in found]
    if fresh[0] and fresh[1]:
        told.update(node.id for region in fresh for node in region or ())
        yield _instead(pair, fresh[0], fresh[1])
        return
    for side in (0, 1):
        region = fresh[side]
        if region and found[1 - side] is None:
            told.update(node.id for node in region)
            beside = t if side == 0 else s
            yield _only(pair, side, region, beside)


def _only(pair: Pair, side: int, region: list[NodeInfo], beside: str | None = None) -> Difference:
    """Operations that only one graph has. beside: the tensor that the other has in their place."""
    here, there = SIDES[side], SIDES[1 - side]
    sentence = f"Only the {here} graph has {ops(region)}"
    partner = None if beside is None else pair.partner(1 - side, beside)
    if partner is not None and any(partner in node.inputs for node in region):
        name = pair.label(1 - side, beside or "")
        if beside == pair.walks[1 - side].graph.root:
            sentence += f"; the result of the {there} is {name} itself"
        else:
            sentence += f"; the {there} uses {name} directly"
    inside = tuple(node.id for node in region)
    outside = () if beside is None else (beside,)
    values = (_formula(region), "not there")
    sources = (region[-1].source, None)
    return seen_from(side, "missing", f"{sentence}.", inside, outside, values, sources)


def _inputs(pair: Pair, regions: Regions) -> Iterator[Difference]:
    """Inputs in a different order, and inputs that are different tensors."""
    for one, other in pair.nodes:
        if one.op != other.op:
            continue
        if one.id in pair.matching.crossed:
            yield _order(pair, one, other)
        for i, k in pair.matching.inputs(one, other):
            s, t = one.inputs[i], other.inputs[k]
            partners = (pair.partner(0, s), pair.partner(1, t))
            tensors = (pair.tensor(0, s), pair.tensor(1, t))
            if partners[0] == t or (one.id, i) in pair.cut[0] or (other.id, k) in pair.cut[1]:
                continue
            if tensors[0].requires_grad != tensors[1].requires_grad:
                continue
            makers = (pair.makers[0].get(s), pair.makers[1].get(t))
            if any(m is not None and m.id in regions[side] for side, m in enumerate(makers)):
                if tensors[0].name and tensors[0].name == tensors[1].name:
                    yield from _no_leaf(pair, s, t)
                continue  # another sentence is about the operations without a partner
            if partners == (None, None) and makers == (None, None):
                continue
            names = (pair.label(0, s), pair.label(1, t))
            yield Difference(
                "input",
                f"{one.op} uses {names[0]} in the first graph{at(one.source)}, and {names[1]} "
                f"in the second{at(other.source)}.",
                (one.id, s), (other.id, t), names, (one.source, other.source),
            )  # fmt: skip


def _no_leaf(pair: Pair, s: str, t: str) -> Iterator[Difference]:
    """A variable that is a leaf in one graph and a result in the other."""
    leaves = [pair.tensor(side, id).is_leaf for side, id in enumerate((s, t))]
    if leaves[0] == leaves[1]:
        return
    side = 0 if leaves[0] else 1
    maker = pair.makers[1 - side][t if side == 0 else s]
    name, here, there = pair.label(0, s), SIDES[side], SIDES[1 - side]
    said = (
        f"{name} is a leaf in the {here} graph. In the {there}, it is the result of {op(maker)}, "
        f"so it is not a leaf, and {name}.grad stays empty."
    )
    values = ("a leaf", f"made by {maker.op}")
    ids = ((s,), (t,)) if side == 0 else ((t,), (s,))
    yield seen_from(side, "leaf", said, *ids, values, (None, maker.source))


def _order(pair: Pair, one: NodeInfo, other: NodeInfo) -> Difference:
    names = ([pair.label(0, id) for id in one.inputs], [pair.label(1, id) for id in other.inputs])
    values = (", ".join(names[0]), ", ".join(names[1]))
    ids = ((one.id,), (other.id,))
    sources = (one.source, other.source)
    where = f"{one.op}{at(one.source)}"
    if one.op in COMMUTATIVE:
        said = (
            f"The inputs of {where} are swapped ({values[0]}; {values[1]}), which changes nothing."
        )
        return Difference("swapped", said, *ids, values, sources)
    said = (
        f"{one.op} takes {names[0][0]} and then {names[0][1]} in the first graph{at(one.source)}, "
        f"but {names[1][0]} and then {names[1][1]} in the second{at(other.source)}."
    )
    return Difference("order", said, *ids, values, sources)


def _uses(pair: Pair) -> Iterator[Difference]:
    """Leaves that are used more often in one graph, so that more gradients are summed."""
    for s, t in pair.leaves():
        used = (pair.walks[0].uses(s), pair.walks[1].uses(t))
        if len(used[0]) == len(used[1]) or s in pair.told:
            continue
        name = pair.label(0, s)
        more = 0 if len(used[0]) > len(used[1]) else 1
        arrived = [pair.walks[side].arrived.get(id, []) for side, id in enumerate((s, t))]
        if not arrived[1 - more] and pair.walks[0].totals and pair.walks[1].totals:
            continue  # another sentence says that it gets no gradient at all
        counts = [often(len(used[side])) for side in (more, 1 - more)]
        places = [lines(node.source for node in used[side]) for side in (more, 1 - more)]
        total = pair.walks[more].gradient((s, t)[more])
        terms = [added(arrived[side]) for side in (more, 1 - more)]
        summed = f": {terms[0]} = {number(total)}" if terms[0] else ""
        left = f": {terms[1]}" if terms[1] else ""
        pair.told.add(s)
        yield Difference(
            "uses",
            f"{name} is used {counts[0]} in the {SIDES[more]} graph{places[0]}, and the gradients "
            f"of its uses are summed{summed}. In the {SIDES[1 - more]}, it is used {counts[1]}"
            f"{places[1]}{left}.",
            (s,), (t,),
            (f"{len(used[0])} uses" if len(used[0]) != 1 else "1 use",
             f"{len(used[1])} uses" if len(used[1]) != 1 else "1 use"),
            (used[0][0].source if used[0] else None, used[1][0].source if used[1] else None),
        )  # fmt: skip


def _leaves(pair: Pair) -> Iterator[Difference]:
    """The leaves that only one graph has."""
    for side, walk in enumerate(pair.walks):
        found = [
            tensor.id
            for tensor in walk.graph.tensors
            if tensor.is_leaf and tensor.requires_grad and tensor.id not in pair.behind[side]
            and pair.partner(side, tensor.id) is None and walk.uses(tensor.id)
            and not _is_cut(pair, side, tensor.id)
        ]  # fmt: skip
        if not found:
            continue
        names = listed([pair.label(side, id) for id in found])
        what, it, gets = ("leaf", "it", "gets") if len(found) == 1 else ("leaves", "them", "get")
        said = (
            f"Only the {SIDES[side]} graph uses the {kind_and_name(what, names)}; the "
            f"{SIDES[1 - side]} does not use {it}, so {names} {gets} no gradient there."
        )
        sources = (pair.source(side, found[0]), None)
        yield seen_from(side, "leaf", said, tuple(found), (), (names, "not there"), sources)


def _is_cut(pair: Pair, side: int, id: str) -> bool:
    """Whether the other graph has a constant in place of this tensor."""
    return any(pair.walks[side].graph.node(node).inputs[k] == id for node, k in pair.cut[side])


def _saved(pair: Pair) -> Iterator[Difference]:
    """Different numbers and options that rules use, such as the exponent of a power."""
    for one, other in pair.nodes:
        if one.op != other.op:
            continue
        shapes = [
            [getattr(pair.value(side, id), "shape", None) for id in node.inputs]
            for side, node in enumerate((one, other))
        ]
        sizes = shapes[0] != shapes[1]
        for name, *texts in other_options(one, other):
            if sizes and "size" in name:
                continue  # it follows from the shapes of the inputs
            mine, beside = (f"{name} = {text}" for text in texts)
            yield Difference(
                "saved",
                f"{one.op} has {mine} in the first graph{at(one.source)}, and {beside} in the "
                f"second{at(other.source)}.",
                (one.id,), (other.id,), (mine, beside), (one.source, other.source),
            )  # fmt: skip


def other_options(one: NodeInfo, other: NodeInfo) -> list[tuple[str, str, str]]:
    """The name of each option that differs, and both texts; a node lists no defaults."""
    defaults = {saved.name: saved.default for node in (one, other) for saved in node.saved}
    mine, theirs = (defaults | {s.name: s.text for s in node.saved} for node in (one, other))
    return [
        (name, text, theirs[name])
        for name, text in mine.items()
        if text and theirs[name] and text != theirs[name]
    ]


def _in_place(pair: Pair) -> Iterator[Difference]:
    """The tensors that only one program changed in place.

    How often others were changed than leaves and what nodes have saved may be unknown.
    """
    graphs = (pair.walks[0].graph, pair.walks[1].graph)
    held = [
        {one.variable for one in graph.nodes} | {s.tensor for one in graph.nodes for s in one.saved}
        for graph in graphs
    ]
    for s, t in pair.matching.tensors.items():
        if not (graphs[0].has("tensor", s) and graphs[1].has("tensor", t)):
            continue
        versions = (pair.tensor(0, s).version, pair.tensor(1, t).version)
        first = pair.tensor(0, s)  # of a parameter, what initialized or trained it counts, too
        if (versions[0] == 0) == (versions[1] == 0) or (first.is_leaf and first.requires_grad):
            continue
        side = 0 if versions[0] else 1
        if (s, t)[1 - side] not in held[1 - side]:
            continue
        name = pair.label(side, (s, t)[side])
        said = (
            f"{name} was changed in place {often(versions[side])} in the {SIDES[side]} graph"
            f"{at(pair.source(side, (s, t)[side]))}, and never in the {SIDES[1 - side]}."
        )
        ids = ((s,), (t,)) if side == 0 else ((t,), (s,))
        sources = (pair.source(side, ids[0][0]), pair.source(1 - side, ids[1][0]))
        values = ("changed in place", "not changed")
        yield seen_from(side, "in-place", said, *ids, values, sources)

"""A scene is a drawing as data: groups of marks with coordinates, from back to front.

The layout is computed once, in Python, and travels with the trace. Python's SVG writer and the
browser's player draw the same marks, so a picture is the same everywhere. A pass whose drawings are
those of an earlier pass, but for ids and texts, is written as such.

Read next: faces/render/scene_builder.py (which builds one), faces/render/svg.py (which draws one)
"""

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from operator import attrgetter
from typing import Any, Literal

from graphlab.graph.codec import decode, encode, fault, record
from graphlab.graph.model import TensorId

View = Literal["both", "backward", "computation"]
GroupKind = Literal["tensor", "op", "wire", "flow", "saved", "scope", "stub"]
Shape = Literal["rect", "circle", "path", "text", "heat"]
Anchor = Literal["start", "middle", "end"]
Slot = Literal["", "grad", "contribution", "progress", "version"]
Role = Literal[
    "card",  # the box of a tensor, or of a grad_fn in the backward view
    "divider",  # the line between a card's rows
    "name",
    "value",
    "cells",  # the place of a heat map of the tensor's entries, or of its gradient's
    "key",  # the small word before a value: "grad"
    "grad",
    "op",  # the circle of an operation
    "symbol",  # the text in the circle
    "title",  # a grad_fn's name in its box
    "badge",  # on a card's upper edge: how often its data was changed in place
    "differs",  # around a thing that differs from another graph, with the difference's number
    "caption",  # small text below a card or a circle
    "index",  # the number of a next_functions entry
    "wire",
    "head",
    "flow",
    "flowhead",
    "contribution",  # the gradient written along a flow
    "chip",
    "chipkey",  # the saved value's name on its chip
    "chiptext",
    "stack",  # the card behind the card of a collapsed scope
    "count",  # how many nodes a collapsed scope holds
    "track",  # the progress bar of a collapsed scope
    "guess",  # the gaps in the border of a guessed scope
    "stub",  # the outline of a thing outside the scope that is drawn
]


@record
class Mark:
    """One shape, in CSS pixels. Only the coordinates that the shape needs are set."""

    m: Shape
    c: Role
    x: float = 0  # left edge of a rect, centre of a circle, anchor of a text
    y: float = 0  # top edge of a rect, centre of a circle, baseline of a text
    w: float = 0  # width of a rect; of a text in a slot, the largest width
    h: float = 0
    r: float = 0  # radius, also of a rect's corners; the size of a heat map's cell
    d: str = ""  # data of a path
    t: str = ""  # characters of a text
    a: Anchor = "start"
    slot: Slot = ""  # the text that the player fills in as the state changes


@record
class Group:
    """The marks of one thing.

    Ids: a tensor's or a node's own id; wires "w:n2.0" (tensor to input 0) and "w:n2>t5" (operation
    to output); flows "n2.0" (the edge's id) and "n2<t5" (the gradient of output t5 entering n2);
    saved values "s:n2.other"; a collapsed scope "@net.layer1", and its wires "w:@net.layer1>n2". A
    stub has the id of what it represents: "@net.layer1", "t5" or "n2".
    """

    id: str
    kind: GroupKind
    title: str  # one sentence for a tooltip and for screen readers
    marks: tuple[Mark, ...]
    members: tuple[str, ...] = ()  # the edges whose gradients share this flow


@dataclass(frozen=True, slots=True)
class Scene:
    """The drawing of one view of a graph, or of one scope of it."""

    view: View
    width: float  # pixels
    height: float
    groups: tuple[Group, ...]
    scope: str = ""  # the scope that is drawn; "": the whole graph, with scopes collapsed


@dataclass(frozen=True, slots=True)
class Pass:
    """One of several backward passes, with drawings of its part of the graph."""

    title: str
    root: TensorId
    first: int  # index of its first event; it lasts until the first event of the next pass
    scenes: tuple[Scene, ...] = ()


# -- the passes of a loop, which share a drawing -------------------------------------------------

MOST = 2**22  # groups that a document may stand for
_ids_in = re.compile(r"(^|[:<>~])([nt][0-9]+)")  # of tensors and nodes, in the id of a group
_place = attrgetter(*(name for name in Mark.__match_args__ if name != "t"))
Differs = list[list[list[Any]]]  # for each scene: [index of a group, its title, each text in it]


def write_passes(passes: Iterable[Pass]) -> list[dict[str, Any]]:
    """The passes as JSON; one that is drawn like an earlier pass has no scenes of its own.

    It has "like", the index of that pass, and what differs: "ids" and "texts" (docs/trace.md).
    """
    written: list[dict[str, Any]] = []
    drawn: dict[Hashable, list[tuple[int, Pass]]] = {}  # sizes of the scenes -> passes in full
    for k, one in enumerate(passes):
        sizes = ((s.view, s.scope, s.width, s.height, len(s.groups)) for s in one.scenes)
        known = drawn.setdefault((*sizes,), [])
        differences = ((j, _differences(earlier.scenes, one.scenes)) for j, earlier in known)
        like = next(((j, found) for j, found in differences if found is not None), None)
        if like is None or not one.scenes:
            known.append((k, one))
            written.append(encode(one))
        else:
            own = encode(replace(one, scenes=()))
            written.append({**own, "like": like[0], "ids": like[1][0], "texts": like[1][1]})
    return written


def read_passes(data: Any, check: Any) -> tuple[Pass, ...]:
    """The passes that `write_passes` wrote.

    Raises: TraceError if they are damaged, or stand for more groups than any recording has.
    """
    if not isinstance(data, list | tuple):
        raise fault("passes", data, "a list")
    passes: list[Pass] = []
    room = MOST
    for k, one in enumerate(data):
        path = f"passes[{k}]"
        found = decode(Pass, one, path, check)
        if (like := one.get("like")) is not None:
            if type(like) is not int or not 0 <= like < k or not passes[like].scenes:
                raise fault(f"{path}.like", like, "the index of an earlier pass with drawings")
            try:
                scenes = _redrawn(passes[like].scenes, one["ids"], one["texts"])
            except (AttributeError, IndexError, KeyError, TypeError, ValueError, StopIteration):
                raise fault(path, one, "a pass with the ids and texts that differ") from None
            found = replace(found, scenes=scenes)
        room -= sum(len(scene.groups) for scene in found.scenes)
        if room < 0:
            raise fault(path, like, f"at most {MOST:,} groups in all passes")
        passes.append(found)
    return tuple(passes)


def _differences(old: Sequence[Scene], new: Sequence[Scene]) -> tuple[Any, Differs] | None:
    """The ids and the texts that differ in scenes of the same sizes; None if more differs."""
    ids: dict[str, str] = {}
    texts: Differs = [[] for _ in old]
    pairs = [(*zip(a.groups, b.groups, strict=True),) for a, b in zip(old, new, strict=True)]
    for differs, groups in zip(texts, pairs, strict=True):
        for at, (was, now) in enumerate(groups):
            if was.kind != now.kind or [*map(_place, was.marks)] != [*map(_place, now.marks)]:
                return None
            for one, two in zip_longest((was.id, *was.members), (now.id, *now.members)):
                for a, b in zip_longest(_ids_in.findall(one or ""), _ids_in.findall(two or "")):
                    if not a or not b or ids.setdefault(a[1], b[1]) != b[1]:
                        return None
            if renamed(was, ids) != (now.id, now.members):
                return None
            if (told := texts_of(now)) != texts_of(was):
                differs.append([at, *told])
    return {a: b for a, b in ids.items() if a != b}, texts


def _redrawn(scenes: Sequence[Scene], ids: Any, texts: Differs) -> tuple[Scene, ...]:
    """Scenes with other ids and texts. Raises: some error if these do not fit."""
    made: list[Scene] = []
    for scene, differs in zip(scenes, texts, strict=True):
        groups = list(scene.groups)
        for at, *told in differs:
            if at < 0 or len(told) != len(texts_of(groups[at])) or set(map(type, told)) != {str}:
                raise ValueError
            groups[at] = retold(groups[at], told)
        for at, group in enumerate(groups):
            id, members = renamed(group, ids)
            groups[at] = replace(group, id=id, members=members)
        made.append(replace(scene, groups=tuple(groups)))
    return tuple(made)


def renamed(group: Group, ids: Mapping[str, str]) -> tuple[str, tuple[str, ...]]:
    """The id and the members of a group, with other ids of tensors and nodes."""

    def one(id: str) -> str:
        return _ids_in.sub(lambda found: found[1] + ids.get(found[2], found[2]), id)

    return one(group.id), tuple(map(one, group.members))


def texts_of(group: Group) -> list[str]:
    """The title of a group, and the texts in it."""
    return [group.title, *(mark.t for mark in group.marks if mark.m == "text")]


def retold(group: Group, texts: Sequence[str]) -> Group:
    """`group` with another title and other texts, as many as `texts_of` returns."""
    rest = iter(texts[1:])
    marks: list[Mark] = []
    for mark in group.marks:
        if mark.m == "text" and mark.t != (text := next(rest)):
            mark = replace(mark, t=text)
        marks.append(mark)
    return Group(group.id, group.kind, texts[0], tuple(marks), group.members)

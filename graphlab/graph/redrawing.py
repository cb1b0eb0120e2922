"""A pass whose drawings are those of an earlier pass, but for ids and texts, is written as such.

A recording of 100 training steps has 100 such passes. docs/trace.md describes the format.

Read next: graph/document.py
"""

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from operator import attrgetter, is_
from typing import Any

from graphlab.graph.codec import decode, encode, fault
from graphlab.graph.scene import Group, Mark, Pass, Scene

MOST = 2**22  # groups that a document may stand for
_ids_in = re.compile(r"(^|[:<>~])([nt][0-9]+)").sub  # of tensors and nodes, in the id of a group
_find_ids = re.compile(r"(?:^|[:<>~])([nt][0-9]+)").findall
_place = attrgetter(*(name for name in Mark.__match_args__ if name != "t"))
Texts = list[list[Any]]  # of one scene: [index of a group, its title, text of each text mark]


def write_passes(passes: Iterable[Pass]) -> list[dict[str, Any]]:
    """The passes as JSON; one that is drawn like an earlier pass has no scenes of its own.

    It has "like", the index of that pass, "ids", the ids that differ, and "texts", those that
    differ in each scene.
    """
    written: list[dict[str, Any]] = []
    drawn: dict[Hashable, list[tuple[int, Pass]]] = {}  # sizes of the scenes -> passes in full
    for k, one in enumerate(passes):
        known = drawn.setdefault(_sizes(one.scenes), [])
        found = ((j, _as_redrawn(earlier, one)) for j, earlier in known)
        like = next(((j, differs) for j, differs in found if differs is not None), None)
        if like is None or not one.scenes:
            known.append((k, one))
            written.append(encode(one))
        else:
            own = encode(replace(one, scenes=()))
            written.append({**own, "like": like[0], **like[1]})
    return written


def read_passes(data: Any, check: Any) -> tuple[Pass, ...]:
    """The passes that `write_passes` wrote.

    Raises: TraceError if they are damaged, or stand for too many groups.
    """
    if not isinstance(data, list | tuple):
        raise fault("passes", data, "a list")
    passes: list[Pass] = []
    room = MOST
    for k, one in enumerate(data):
        path = f"passes[{k}]"
        found = decode(Pass, one, path, check)
        if "like" in one:
            found = replace(found, scenes=_redrawn(one, passes, path))
        room -= sum(len(scene.groups) for scene in found.scenes)
        if room < 0:
            raise fault(path, one.get("like"), f"at most {MOST:,} groups in all passes")
        passes.append(found)
    return tuple(passes)


def _sizes(scenes: tuple[Scene, ...]) -> Hashable:
    return tuple((one.view, one.scope, one.width, one.height, len(one.groups)) for one in scenes)


# -- what differs ---------------------------------------------------------------------------------


def _as_redrawn(earlier: Pass, one: Pass) -> dict[str, Any] | None:
    """What differs between two passes whose scenes have the same sizes; None if it is too much."""
    if all(map(is_, earlier.scenes, one.scenes)):
        return {"ids": {}, "texts": [[] for _ in one.scenes]}
    ids: dict[str, str] = {}
    texts: list[Texts] = []
    for old, new in zip(earlier.scenes, one.scenes, strict=True):
        differs: Texts = []
        for at, (was, now) in enumerate(zip(old.groups, new.groups, strict=True)):
            if was is now:
                continue
            if not _is_redrawn(was, now) or not _pair_ids(was, now, ids):
                return None
            told = texts_of(now)
            if told != texts_of(was):
                differs.append([at, *told])
        texts.append(differs)
    ids = {old: new for old, new in ids.items() if old != new}
    for old, new in zip(earlier.scenes, one.scenes, strict=True):
        for was, now in zip(old.groups, new.groups, strict=True):
            if was is now and renamed(was, ids) != (now.id, now.members):
                return None
    return {"ids": ids, "texts": texts}


def _is_redrawn(was: Group, now: Group) -> bool:
    """Whether two groups have the same shapes in the same places; their texts may differ."""
    if was.kind != now.kind or len(was.marks) != len(now.marks):
        return False
    return all(
        one == two or (one.m == two.m == "text" and _place(one) == _place(two))
        for one, two in zip(was.marks, now.marks, strict=True)
    )


def _pair_ids(was: Group, now: Group, ids: dict[str, str]) -> bool:
    """Note which ids of `now` stand for those of `was`; False if they do not correspond."""
    for one, two in zip_longest((was.id, *was.members), (now.id, *now.members), fillvalue=""):
        for old, new in zip_longest(_find_ids(one), _find_ids(two)):
            if ids.setdefault(old, new) != new:
                return False
    return renamed(was, ids) == (now.id, now.members)


def renamed(group: Group, ids: Mapping[str, str]) -> tuple[str, tuple[str, ...]]:
    """The id and the members of a group, with other ids of tensors and nodes."""

    def one(id: str) -> str:
        return _ids_in(lambda found: found[1] + ids.get(found[2], found[2]), id)

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


# -- the way back ---------------------------------------------------------------------------------


def _redrawn(data: Mapping[str, Any], passes: Sequence[Pass], path: str) -> tuple[Scene, ...]:
    """The scenes of an earlier pass with other ids and texts."""
    like, ids, texts = (data.get(key) for key in ("like", "ids", "texts"))
    if type(like) is not int or not 0 <= like < len(passes) or not passes[like].scenes:
        raise fault(f"{path}.like", like, "the index of an earlier pass with drawings")
    if not isinstance(ids, Mapping) or not all(isinstance(id, str) for id in ids.values()):
        raise fault(f"{path}.ids", ids, "an object of ids")
    scenes = passes[like].scenes
    if not isinstance(texts, list | tuple) or len(texts) != len(scenes):
        raise fault(f"{path}.texts", texts, f"a list of {len(scenes)} lists")
    made: list[Scene] = []
    for k, (scene, told) in enumerate(zip(scenes, texts, strict=True)):
        groups = list(scene.groups)
        for differs in told if isinstance(told, list | tuple) else [told]:
            _retell(groups, differs, f"{path}.texts[{k}]")
        for at, group in enumerate(groups):
            id, members = renamed(group, ids)
            groups[at] = replace(group, id=id, members=members)
        made.append(replace(scene, groups=tuple(groups)))
    return tuple(made)


def _retell(groups: list[Group], differs: Any, path: str) -> None:
    """Write the texts [index of a group, title, text of each text mark] into that group."""
    listed: Any = differs if isinstance(differs, list | tuple) and differs else [None]
    at, *texts = listed
    if type(at) is not int or not 0 <= at < len(groups):
        raise fault(path, differs, "the index of a group, its title and its texts")
    if len(texts) != len(texts_of(groups[at])) or not all(isinstance(text, str) for text in texts):
        raise fault(path, differs, f"{len(texts_of(groups[at]))} texts of group {at}")
    groups[at] = retold(groups[at], texts)

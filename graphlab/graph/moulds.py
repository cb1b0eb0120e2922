"""A mould: many records of one form, written once, with holes where they differ.

A leaf that is the same in every record is part of the mould. So is one that follows from an earlier
hole: the same again, a number that is always the same distance away, a text made of earlier ones
("n2.0" where a hole holds "n2"). The other leaves are the holes.

Read next: graph/unpack.py
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

RESERVED = ("=", "$", "+", "%", "#")  # keys that mean something in the packed form
MOST_PARTS = 3  # holes of which a text is put together
LONG = 100  # characters of something that is shared rather than part of a mould
MOST_NUMBERS = 40  # in a text that is taken apart
FARTHEST = 1e9  # of a number that may be reckoned from another
PATH = re.compile(r"M[\d .a-zA-Z-]+")  # an SVG path
TENTHS = re.compile(r"(\d+(?:\.\d)?)")
WHOLE = re.compile(r"(\d+)")
DECIMAL = re.compile(r"(?<![a-z\d])\d+\.|\d\.\d\d|\de")  # "0.5", which is no "n0.5"


Form = str | tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Cast:
    """A mould, and which leaves of a record fill its holes, in order."""

    mould: Any
    holes: list[int]


def cast(
    form: int, forms: Sequence[Form], records: Sequence[Sequence[int]], things: Sequence[Any]
) -> Cast:
    """The mould of `records`, each the numbers of its leaves in `things`.

    A form is "." for a leaf; ("[", ...) a list of forms; ("{", ...) a dict, for each entry its key
    (None: a leaf too), what must stand there, and the entry's form; ("$", ...) the texts between
    the numbers of a text.
    """
    holes = _Holes(things)
    columns = list(zip(*records, strict=True))
    # short texts first: long ones are often made of them
    order = sorted(range(len(columns)), key=lambda k: len(str(things[columns[k][0]])) // 8)
    found = {k: holes.place(k, columns[k]) for k in order}
    places = iter([found[k] for k in range(len(columns))])

    def build(number: int) -> Any:
        part = forms[number]
        if part == ".":
            return next(places)
        rest: Any = part[1:]
        if part[0] == "[":
            return [build(entry) for entry in rest]
        if part[0] == "$":
            return _text([rest[0], *(x for text in rest[1:] for x in (next(places), text))])
        pairs = zip(rest[::3], rest[2::3], strict=True)
        return of_pairs([(next(places) if key is None else key, build(n)) for key, n in pairs])

    return Cast(build(form), holes.leaves)


def numbers_in(text: str) -> list[Any]:
    """Text and number in turn, "n2.0" -> ["n", 2, ".", 0, ""]; [] where they are no plain numbers.

    >>> numbers_in("n2.0"), numbers_in("M12.5 3h40"), numbers_in("0.125")
    (['n', 2, '.', 0, ''], ['M', 12.5, ' ', 3, 'h', 40, ''], [])
    """
    path = PATH.fullmatch(text)
    if not path and DECIMAL.search(text):
        return []
    pieces: list[Any] = (TENTHS if path else WHOLE).split(text)
    if not 3 <= len(pieces) <= 2 * MOST_NUMBERS + 1:
        return []
    for k in range(1, len(pieces), 2):
        number = float(pieces[k]) if "." in pieces[k] else int(pieces[k][:12])
        if str(number) != pieces[k]:  # "007", or too long
            return []
        pieces[k] = number
    return pieces


def literal(thing: Any) -> Any:
    """`thing` coded, with nothing cast and nothing shared."""
    if isinstance(thing, Mapping):
        return of_pairs([(key, literal(entry)) for key, entry in thing.items()])
    if isinstance(thing, list | tuple):
        return [literal(entry) for entry in thing]
    negative = isinstance(thing, int | float) and thing < 0
    return {"=": thing} if negative else thing


def of_pairs(pairs: list[tuple[Any, Any]]) -> dict[str, Any]:
    """A dict of coded entries; as a list of pairs where a key is no text, or could mislead."""
    reserved = len(pairs) == 1 and pairs[0][0] in RESERVED
    if reserved or not all(isinstance(key, str) for key, _ in pairs):
        return {"%": [list(pair) for pair in pairs]}
    return dict(pairs)


class _Holes:
    """The holes found so far, and what follows from them."""

    def __init__(self, things: Sequence[Any]) -> None:
        self.things = things
        self.leaves: list[int] = []  # hole -> the leaf that fills it
        self.texts: list[tuple[int, list[str]]] = []  # the holes that hold texts
        self.same: dict[tuple[int, ...], int] = {}
        self.steps: dict[tuple[int, ...], tuple[int, int]] = {}  # differences -> hole, first tenths

    def place(self, leaf: int, column: tuple[int, ...]) -> Any:
        """What stands in the mould for this leaf, whose numbers in all records are `column`."""
        constant = self.things[column[0]] if column.count(column[0]) == len(column) else column
        if isinstance(constant, str) or (constant is not column and len(str(constant)) <= LONG):
            return literal(constant)  # a long list or dict may be shared: it fills a hole
        if column in self.same:
            return -1 - self.same[column]
        entries = [self.things[number] for number in column]
        hole = len(self.leaves)
        if all(isinstance(entry, str) for entry in entries):
            parts = _parts(entries, self.texts, MOST_PARTS)
            if parts is not None:
                return {"$": parts}
            self.texts.append((hole, entries))
        elif (tenths := _tenths(entries)) is not None:
            differences = tuple(tenth - tenths[0] for tenth in tenths)
            if differences in self.steps:
                from_hole, first = self.steps[differences]
                return {"+": [-1 - from_hole, tenths[0] - first]}
            self.steps[differences] = (hole, tenths[0])
        self.same[column] = hole
        self.leaves.append(leaf)
        return -1 - hole


def _text(parts: list[Any]) -> Any:
    """A text of parts; constant numbers become text, and neighbouring texts one."""
    joined: list[Any] = []
    for part in parts:
        if isinstance(part, int | float) and part >= 0:
            part = str(part)
        if isinstance(part, str) and joined and isinstance(joined[-1], str):
            joined[-1] += part
        elif part != "":
            joined.append(part)
    return joined[0] if len(joined) == 1 and isinstance(joined[0], str) else {"$": joined}


def _tenths(entries: list[Any]) -> list[int] | None:
    """Numbers with at most one decimal, in tenths: these can be added without an error."""
    found = []
    for entry in entries:
        number = isinstance(entry, int | float) and not isinstance(entry, bool)
        if not number or not abs(entry) < FARTHEST or round(entry * 10) / 10 != entry:
            return None
        found.append(round(entry * 10))
    return found


def _parts(entries: list[str], holes: list[tuple[int, list[str]]], most: int) -> list[Any] | None:
    """The texts as pieces that are always the same and holes: "∂", hole 2, "/∂", hole 0."""
    rest = entries[0]
    if all(entry == rest for entry in entries):
        return [rest] if rest else []
    if most == 0:
        return None
    for hole, texts in holes:
        at = entries[0].find(texts[0]) if texts[0] else -1
        if at < 0:
            continue
        before = entries[0][:at]
        if all(e.startswith(before + t) for e, t in zip(entries, texts, strict=True)):
            left = [entry[at + len(t) :] for entry, t in zip(entries, texts, strict=True)]
            parts = _parts(left, holes, most - 1)
            if parts is not None:
                return [*([before] if before else []), -1 - hole, *parts]
    return None

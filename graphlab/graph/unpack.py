"""The packed form of a trace taken apart again, with suspicion: it comes from anywhere.

A small text can stand for a huge one, so what comes out is counted and bounded. Moulds hold no
records and shared things hold nothing shared, so nothing can hold itself.

Read next: graph/document.py
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from graphlab.common.errors import TraceError
from graphlab.graph.codec import ADVICE, fault

LARGEST = 20_000_000  # lists, dicts, numbers and texts that may come out; a long text counts more
DEEPEST = 60  # lists within lists
FARTHEST = 1e9  # of a number that others are reckoned from
Negative = Callable[[int, str], Any]  # what a negative number stands for


def unpack(packed: Mapping[str, Any]) -> dict[str, Any]:
    """The document that `pack` made small; one without `moulds` is returned as it is.

    Raises: TraceError when a reference leads nowhere, or when too much would come out.
    """
    if "moulds" not in packed:
        return dict(packed)
    return _Unpacker(packed).document


class _Unpacker:
    def __init__(self, packed: Mapping[str, Any]) -> None:
        self.left = LARGEST
        self.moulds = a_list(packed["moulds"], "moulds")
        self.shared: list[Any] = []
        self.sizes: list[int] = []  # each use of a shared thing counts as much as the thing
        for k, entry in enumerate(a_list(packed.get("shared", []), "shared")):
            before, path = self.left, f"shared[{k}]"
            cast = only_key(entry) == "#"
            make = self._record if cast else self._read
            self.shared.append(make(entry["#"] if cast else entry, _nothing, path, 0))
            self.sizes.append(before - self.left)
        body = {key: entry for key, entry in packed.items() if key not in ("moulds", "shared")}
        self.document = {key: self._read(v, self._shared, key, 0) for key, v in body.items()}

    def _count(self, much: int, path: str) -> None:
        self.left -= much
        if self.left < 0:
            raise TraceError(
                f"This trace cannot be read: {path} is where it grows beyond {LARGEST:,} parts, "
                f"the most that GraphLab takes from a trace. {ADVICE}"
            )

    def _shared(self, number: int, path: str) -> Any:
        if number < -len(self.shared):
            raise fault(path, number, f"-1 to -{len(self.shared)}, a place in shared")
        self._count(self.sizes[-1 - number], path)
        return self.shared[-1 - number]

    def _record(self, record: Any, negative: Negative, path: str, depth: int) -> Any:
        """A record: the place of its mould, and what fills the holes."""
        place = record[0] if isinstance(record, list | tuple) and record else record
        if type(place) is not int or not 0 <= place < len(self.moulds):
            raise fault(path, place, f"the place of a mould, less than {len(self.moulds)}")
        filled: list[Any] = []
        sizes: list[int] = []
        for coded in record[1:]:
            before = self.left
            filled.append(self._read(coded, negative, path, depth + 1))
            sizes.append(before - self.left)

        def hole(number: int, where: str) -> Any:
            if number < -len(filled):
                raise fault(where, number, f"-1 to -{len(filled)}, a hole of moulds[{place}]")
            self._count(sizes[-1 - number], where)
            return filled[-1 - number]

        return self._read(self.moulds[place], hole, path, depth + 1)

    def _read(self, coded: Any, negative: Negative, path: str, depth: int) -> Any:
        """What a coded thing stands for."""
        self._count(1, path)
        if isinstance(coded, str):
            self._count(len(coded) >> 4, path)
            return coded
        if isinstance(coded, int | float):
            return negative(_whole(coded, path), path) if coded < 0 else coded
        if not isinstance(coded, Mapping | list | tuple):
            return coded
        if depth > DEEPEST:
            raise TraceError(f"This trace cannot be read: {path} is nested too deeply. {ADVICE}")
        if not isinstance(coded, Mapping):
            return [self._read(entry, negative, path, depth + 1) for entry in coded]
        key = only_key(coded)
        if key in ("=", "$", "+", "%", "#"):
            return self._special(key, coded[key], negative, path, depth)
        pairs = coded.items()
        return {name: self._read(v, negative, path, depth + 1) for name, v in pairs}

    def _special(self, key: str, coded: Any, negative: Negative, path: str, depth: int) -> Any:
        if key == "=":
            return _number(coded, path)
        entries = a_list(coded, path)
        if key == "$":
            text = "".join(_piece(self._read(v, negative, path, depth + 1), path) for v in entries)
            self._count(len(text) >> 4, path)
            return text
        if key == "+":
            return self._sum(entries, negative, path)
        if key == "%":
            pairs = [self._read(one, negative, path, depth + 1) for one in entries]
            for pair in pairs:
                if not (isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str)):
                    raise fault(path, pair, "a key and an entry")
            return dict(pairs)
        if negative != self._shared:
            raise fault(path, "records", "something without records inside")
        return [self._entry(one, path, k, depth) for k, one in enumerate(entries)]

    def _entry(self, entry: Any, path: str, k: int, depth: int) -> Any:
        cast = isinstance(entry, list | tuple)
        make = self._record if cast else self._read
        return make(entry, self._shared, f"{path}[{k}]", depth + 1)

    def _sum(self, entries: Any, negative: Negative, path: str) -> Any:
        """The number in a hole plus so many tenths."""
        if len(entries) != 2:
            raise fault(path, entries, "a hole and a number of tenths")
        number = _number(self._read(entries[0], negative, path, DEEPEST), path)
        if not abs(number) < FARTHEST:
            raise fault(path, number, "a number that fits into a picture")
        tenths = round(number * 10) + _whole(entries[1], path)
        return tenths // 10 if tenths % 10 == 0 else tenths / 10


def _nothing(number: int, path: str) -> Any:
    raise fault(path, number, "no reference: what is shared holds nothing shared")


def _number(found: Any, path: str) -> Any:
    if not isinstance(found, int | float) or isinstance(found, bool):
        raise fault(path, found, "a number")
    return found


def _whole(found: Any, path: str) -> int:
    if not float(_number(found, path)).is_integer():
        raise fault(path, found, "a whole number")
    return int(found)


def _piece(part: Any, path: str) -> str:
    """A part of a text: whole numbers are written without a point."""
    if isinstance(part, str):
        return part
    number = _number(part, path)
    return str(int(number) if float(number).is_integer() else number)


def a_list(found: Any, path: str) -> list[Any] | tuple[Any, ...]:
    """`found`; TraceError when it is no list."""
    if not isinstance(found, list | tuple):
        raise fault(path, found, "a list")
    return found


def only_key(thing: Any) -> str | None:
    """The key of a dict that has a single one."""
    return next(iter(thing)) if isinstance(thing, Mapping) and len(thing) == 1 else None

"""Large documents are written by columns: the values of each field together, repeated ones once.

A trace of 1,000 nodes repeats itself too far apart for gzip, which looks back 32 KB. So the fields
of all objects are sorted by name into columns, and a number replaces what was written before.
docs/trace.md describes the format, docs/decisions/0023-large-traces-travel-in-columns.md has the
figures.

Read next: graph/compression.py
"""

import json
import re
from itertools import repeat
from json.encoder import encode_basestring as quoted
from operator import add, sub
from typing import Any

from graphlab.common.errors import TraceError
from graphlab.graph.value import number_text

MOST = 2**28  # parts and characters that a document may have, as in compression.py
FOLD = 16  # parts for each character of the columns; a trace has less than one
FEW = 2**20  # parts that any may have
DEEPEST = 100  # lists within lists; a trace may have 60
OBJECT, LIST, MAP, WORDS, FLOAT = range(5)
_around_digits = re.compile("([0-9]+)").split
_is_integer = re.compile("[1-9][0-9]{0,8}|0").fullmatch
_beyond = re.compile("[^\0-\ud7ff]").search  # characters that JavaScript may count as two
_has_digit = re.compile(r"[0-9]").search
_NUMBER = frozenset("-0123456789")  # how the text of a finite number begins
_REPEATED = 8  # a list or an object of at least this many parts is written only once
_LONG = 40  # a string of at least this many characters without digits is written only once
_LETTERS, _FIRST = 45, ord("#")  # three of 45 letters stand for the 5 digits of a number
_PAIRS = [chr(_FIRST + k // _LETTERS) + chr(_FIRST + k % _LETTERS) for k in range(_LETTERS**2)]


def in_columns(document: Any) -> str:
    """`document`, which is plain JSON, sorted into columns, as JSON.

    >>> in_columns({"a": [1, 2], "id": "n7"}).partition('"columns":')[2]
    '[["",[[0,0]],""],["a",[[2,1]],""],["a*",[1,2],""],["id",[[7,"n"]],""]]}'
    """
    writer = _Writer()
    writer.find_contents(document)
    writer.write(document, writer.column(""))
    columns = [
        f"[{quoted(name)},[{','.join(one.tokens)}],{quoted(''.join(one.letters))}]"
        for name, one in writer.columns.items()
    ]
    shapes = [f"[{','.join(map(quoted, keys))}]" for keys in writer.places]
    return f'{{"shapes":[{",".join(shapes)}],"columns":[{",".join(columns)}]}}'


def from_columns(data: Any, size: int = MOST) -> Any:
    """The document that `in_columns` wrote; what was written only once is one shared object.

    size: characters of the columns. A few of them may stand for many parts.

    Raises: TraceError when the columns are damaged, or the document would be larger than any trace.
    >>> from_columns(json.loads(in_columns({"a": [1, 2], "id": "n7"})))
    {'a': [1, 2], 'id': 'n7'}
    """
    try:
        return _Reader(data, min(MOST, max(FEW, FOLD * size))).read("", 0)[0]
    except TraceError:
        raise
    except (AttributeError, IndexError, KeyError, StopIteration, TypeError, ValueError) as error:
        raise damaged(f"its columns do not fit together ({type(error).__name__})") from None


def damaged(problem: str) -> TraceError:
    """The error for a trace that cannot be decompressed."""
    return TraceError(f"This trace cannot be read: {problem}. Run the cell that made it again.")


class _Column:
    """The values of one field, in the order of the document."""

    __slots__ = ("last", "letters", "name", "numbers", "tokens")

    def __init__(self, tokens: Any, letters: Any, name: str = "") -> None:
        self.tokens = tokens  # a writer holds each in JSON
        self.letters = letters  # three for the digits of each float
        self.name = name
        self.last = 0  # place of the thing that was written or referred to last
        self.numbers: dict[Any, list[int]] = {}  # texts around integers -> the last integers


class _Writer:
    """Writes a document into columns."""

    def __init__(self) -> None:
        self.columns: dict[str, _Column] = {}
        self.shapes: dict[tuple[str, ...], list[_Column]] = {}  # keys of an object -> its columns
        self.places: dict[tuple[str, ...], int] = {}  # keys of an object -> its place in shapes
        self._things: dict[Any, int] = {}  # a string, or the number of a content -> its place
        self._count = 0
        self._contents: dict[Any, int] = {}  # content of a list or an object -> its number
        self._known: dict[int, tuple[int, int]] = {}  # id -> number and size of a large content
        self._parsed: dict[str, Any] = {}  # a string -> what _parse finds

    def column(self, name: str) -> _Column:
        found = self.columns.get(name)
        if found is None:
            found = self.columns[name] = _Column([], [], name)
        return found

    def write(self, part: Any, column: _Column) -> None:
        kind = type(part)
        if kind is str:
            if len(part) > 12 and " " in part:
                self._words(part, column)
            else:
                self._text(part, column)
        elif kind is dict or kind is list:
            self._nested(part, column)
        else:
            column.tokens.append(repr(part) if kind is int else json.dumps(part))

    def _nested(self, part: Any, column: _Column) -> None:
        known = self._known.get(id(part))  # None: too small to be referred to
        if known is not None and self._named(known[0], column):
            return
        write = self.write
        if type(part) is list:
            column.tokens.append(f"[{len(part)},{LIST}]")
            entries = self.column(column.name + "*")
            for entry in part:
                write(entry, entries)
        else:
            self._object(part, column)
        if known is not None:
            self._keep(known[0], column)

    def _object(self, part: dict[str, Any], column: _Column) -> None:
        names, write = tuple(part), self.write
        columns = self.shapes.get(names)
        if columns is not None:
            column.tokens.append(f"[{self.places[names]},{OBJECT}]")
            for value, one in zip(part.values(), columns, strict=True):
                write(value, one)
        elif any(map(_has_digit, part)):  # a map, whose keys are ids
            column.tokens.append(f"[{len(part)},{MAP}]")
            keys, values = self.column(column.name + "@"), self.column(column.name + "=")
            for key, value in part.items():
                self._text(key, keys)
                write(value, values)
        else:
            place, columns = self.places.setdefault(names, len(self.places)), []
            column.tokens.append(f"[{place},{OBJECT}]")
            for key, value in part.items():
                columns.append(self.column(key))
                write(value, columns[-1])
            self.shapes[names] = columns

    def _words(self, text: str, column: _Column) -> None:
        kept = is_kept(text)
        if kept and self._named(text, column):
            return
        words, inner, parsed = text.split(" "), self.column(column.name + " "), self._parsed
        column.tokens.append(f"[{len(words)},{WORDS}]")
        for word in words:
            found = parsed.get(word)
            if type(found) is str:
                inner.tokens.append(found)
            else:
                self._text(word, inner)
        if kept:
            self._keep(text, column)

    def _text(self, text: str, column: _Column) -> None:
        parsed = self._parsed.get(text)
        if parsed is None:
            parsed = self._parsed[text] = _parse(text)
        if type(parsed) is str:
            column.tokens.append(parsed)
            return
        if type(parsed) is list:  # "n17" after "n16" is written as a difference of 1
            around, integers, after = parsed
            before = column.numbers.get(around) or repeat(0)
            column.numbers[around] = integers
            if len(integers) == 1:  # the usual case
                column.tokens.append(f"[{integers[0] - next(iter(before))}{around}]")
            else:
                steps = map(sub, integers, before)
                written = [f"{step}{text}" for step, text in zip(steps, after, strict=True)]
                column.tokens.append(f"[{','.join(written)}]")
            return
        place = self._things.get(text)
        if place is None:
            place = self._things[text] = self._count
            self._count += 1
            token, letters = parsed
            column.letters.append(letters)
            column.tokens.append(token)
        else:
            column.tokens.append(f"[{place - column.last}]")
        column.last = place

    def _named(self, thing: Any, column: _Column) -> bool:
        """Refer to a thing that was written before, by its distance from the last one."""
        place = self._things.get(thing)
        if place is None:
            return False
        column.tokens.append(f"[{place - column.last}]")
        column.last = place
        return True

    def _keep(self, thing: Any, column: _Column) -> None:
        self._things.setdefault(thing, self._count)
        column.last = self._count
        self._count += 1

    def find_contents(self, part: Any) -> tuple[Any, int]:
        """Return the content of a list or an object, and how many parts it has.

        Equal contents are equal values: a number for a large content, all entries for a small one.
        """
        known = self._known.get(id(part))
        if known is not None:
            return known
        is_object = type(part) is dict
        entries = [*part.values()] if is_object else [*part]
        kinds, parts = (*map(type, entries),), 1 + len(entries)
        if dict in kinds or list in kinds:
            for k, kind in enumerate(kinds):
                if kind is dict or kind is list:
                    entries[k], more = self.find_contents(entries[k])
                    parts += more - 1
        content: Any = (tuple(part) if is_object else None, kinds, *entries)
        if parts < _REPEATED:
            return content, parts
        number = self._contents.setdefault(content, len(self._contents))
        self._known[id(part)] = found = number, parts
        return found


def _parse(text: str) -> Any:
    """What to write for a string.

    Of a float that `number_text` wrote: a token with 2 times its power of 10, plus 1 if it is
    negative, and its digits as three letters. Of a string with integers: what follows these in
    JSON, in one string, the integers, and what follows each of them. Of any other string its JSON,
    in a pair with no letters if it is a thing.
    """
    kept = is_kept(text)
    if kept and text[0] in _NUMBER:
        try:
            number = float(text)
        except ValueError:
            number = 0.0
        if number and number_text(number) == text:
            digits = f"{abs(number):.4e}"  # "1.2346e-05"
            high, low = divmod(int(digits[0] + digits[2:6]) - 10_000, _LETTERS)
            token = f"[{2 * int(digits[7:]) + (number < 0)},{FLOAT}]"
            return token, _PAIRS[high] + chr(_FIRST + low)
    parts = _around_digits(text)
    if len(parts) > 1 and len(text) < _LONG and all(map(_is_integer, parts[1::2])):
        after = [f",{quoted(part)}" for part in parts[::2]]
        if not parts[-1]:
            after[-1] = ""
        after = [after[0] + after[1], *after[2:]]
        return ["\n".join(after), [*map(int, parts[1::2])], after]
    return (quoted(text), "") if kept else quoted(text)


def is_kept(text: str) -> bool:
    """Whether a string has a place among the things that can be referred to."""
    size = len(text)
    if size < _LONG and (size < 4 or " " in text or _has_digit(text) is None):
        return False
    return text.isascii() or _beyond(text) is None


class _Reader:
    """Reads a document from columns."""

    def __init__(self, data: Any, most: int) -> None:
        self._shapes = data["shapes"]
        self._columns = {
            name: _Column(iter(tokens), iter("".join(letters)))
            for name, tokens, *letters in data["columns"]
        }
        self._things: list[tuple[Any, int]] = []  # what can be referred to, and its size
        self._room = self._most = most

    def read(self, name: str, depth: int) -> tuple[Any, int]:
        """The next value of a column, and how many parts it has."""
        column = self._columns[name]
        token = next(column.tokens)
        if type(token) is not list:
            if type(token) is str and is_kept(token):
                return self._keep(token, 1, column)
            return token, 1
        if len(token) == 1:
            return self._named(token[0], column)
        count, what = token[0], token[1]
        if type(what) is str:
            parts = [what, count, *token[2:]]
            around = len(parts), *parts[::2]  # a1b and a1b2 have the same texts
            parts[1::2] = map(add, parts[1::2], column.numbers.get(around) or repeat(0))
            column.numbers[around] = parts[1::2]
            return "".join(map(str, parts)), 1
        if what == FLOAT:
            high, middle, low = [ord(next(column.letters)) - _FIRST for _ in range(3)]
            digits = 10_000 + (high * _LETTERS + middle) * _LETTERS + low
            number = float(f"{'-' * (count & 1)}{digits}e{(count >> 1) - 4}")
            return self._keep(number_text(number), 1, column)
        if depth > DEEPEST:
            raise damaged("it is nested too deeply")
        return self._nested(name, column, count, what, depth + 1)

    def _nested(
        self, name: str, column: _Column, count: int, what: int, depth: int
    ) -> tuple[Any, int]:
        made: Any
        parts = 1
        if what == WORDS:
            made = " ".join([self.read(f"{name} ", depth)[0] for _ in range(count)])
            self._take(len(made))
            return self._keep(made, 1, column) if is_kept(made) else (made, 1)
        if what == LIST:
            made, inner = [], f"{name}*"
            for _ in range(count):
                entry, more = self.read(inner, depth)
                made.append(entry)
                parts += more
        else:
            made = {}
            keys: Any = self._shapes[count] if what == OBJECT else range(count)
            for key in keys:
                inner = key
                if what == MAP:
                    key, inner = self.read(f"{name}@", depth)[0], f"{name}="
                made[key], more = self.read(inner, depth)
                parts += more
        self._take(1)
        return self._keep(made, parts, column) if parts >= _REPEATED else (made, parts)

    def _named(self, step: int, column: _Column) -> tuple[Any, int]:
        column.last += step
        if column.last < 0:
            raise IndexError
        thing = self._things[column.last]
        self._take(thing[1])
        return thing

    def _keep(self, thing: Any, parts: int, column: _Column) -> tuple[Any, int]:
        column.last = len(self._things)
        self._things.append((thing, parts))
        return thing, parts

    def _take(self, parts: int) -> None:
        self._room -= parts
        if self._room < 0:
            raise damaged(f"it stands for more than {self._most:,} parts")

"""The codec turns dataclasses into plain JSON and back, guided by their type hints.

The dataclasses are the only description of a trace. This file uses their annotations to write JSON
and to check JSON that is read (errors name the exact place). A field that equals its default is
left out. Nothing that is read is ever evaluated. A Timeline is pickled as its JSON, too.

Read next: graph/timeline.py
"""

import dataclasses
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from operator import attrgetter
from typing import Any, Literal, Self, TypeVar, Union, dataclass_transform

from graphlab.common.errors import TraceError, written
from graphlab.common.notebook import shortened

_T = TypeVar("_T")


@dataclass_transform(frozen_default=True)
def record(cls: type[_T]) -> type[_T]:
    """Make `cls` a dataclass with slots, which is compared and hashed by its fields.

    The type checker forbids changes of a record. At run time nothing does, because `frozen=True`
    would make each of thousands of records five times as slow to build.

    >>> @record
    ... class Point:
    ...     x: float
    ...     y: float = 0
    >>> Point(3), Point(3) == Point(3, 0), len({Point(1), Point(1)})
    (Point(x=3, y=0), True, 1)
    """
    return dataclasses.dataclass(slots=True, unsafe_hash=True)(cls)


LARGEST_INTEGER = 2**53 - 2  # browsers round larger ones, and front ends refuse them
FARTHEST = 1e9  # pixels; no picture is that large
Check = Callable[[str, str, str], None]  # (kind of id, id, path): raises if the id is unknown


def encode(thing: Any) -> Any:
    """Plain JSON for `thing`: dicts, lists, strings, numbers.

    >>> from graphlab.graph.value import Value
    >>> encode(Value((), "float32", "5.0", nbytes=4))  # doctest: +NORMALIZE_WHITESPACE
    {'shape': [], 'dtype': 'float32', 'text': '5.0', 'entries': '', 'kept': [],
     'nbytes': 4, 'statistics': None}
    """
    kind = type(thing)
    if kind in AS_IT_IS:
        return thing
    if kind is int:
        return max(-LARGEST_INTEGER, min(thing, LARGEST_INTEGER))
    if kind is tuple or kind is list:
        return [entry if type(entry) is str else encode(entry) for entry in thing]
    if kind is dict:
        return {key: encode(entry) for key, entry in thing.items()}
    if kind is float:
        rounded = round(thing, 1)  # coordinates: a tenth of a pixel is enough
        return int(rounded) if rounded == int(rounded) else rounded
    how = _encoder(kind)
    if how is not None:
        return how(thing)
    return encode(float(thing)) if isinstance(thing, float) else thing


@cache
def _encoder(kind: type) -> Callable[[Any], Any] | None:
    """The function that encodes records of this class; None if it is no class of records."""
    if hasattr(kind, "_json"):
        return _encode_once
    return _encode_record if dataclasses.is_dataclass(kind) else None


def _encode_once(record: Any) -> dict[str, Any]:
    """The JSON of a record that many events share, made once."""
    try:
        return record._json
    except AttributeError:
        record._json = _encode_record(record)
        return record._json


AS_IT_IS = frozenset((str, bool, type(None)))


def _encode_record(record: Any) -> dict[str, Any]:
    written: dict[str, Any] = {}
    fields, values = _written(type(record))
    for (name, left_out), value in zip(fields, values(record), strict=True):
        if left_out is ALWAYS or not (value is left_out or value == left_out):
            written[name] = value if type(value) in AS_IT_IS else encode(value)
    return written


ALWAYS = object()


@cache
def _written(cls: type) -> tuple[list[tuple[str, Any]], Callable[[Any], Iterable[Any]]]:
    """The fields of a record, each with the default that is left out, and a reader of all."""
    complete = getattr(cls, "COMPLETE", ())  # fields that a patch must always replace
    fields = [
        (field.name, ALWAYS if field.name in complete or not _has_default(field) else field.default)
        for field in dataclasses.fields(cls)
        if field.init
    ]
    names = [name for name, _ in fields]
    if len(names) > 1:
        return fields, attrgetter(*names)
    return fields, lambda record: [getattr(record, name) for name in names]


def decode(hint: Any, data: Any, path: str, check: Check | None = None) -> Any:
    """Read `data` as the type `hint` (a dataclass, tuple[int, ...], Literal["a"], X | None, ...).

    Raises: TraceError that names `path`, what was found there and what was expected.
    """
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        text = decode(arguments[0], data, path, check)
        if check is not None:
            check(arguments[1], text, path)
        return text
    if origin in (Union, types.UnionType):
        return _decode_union(arguments, data, path, check)
    if origin is Literal:
        if data not in arguments or isinstance(data, bool):
            raise fault(path, data, f"one of {sorted(arguments)}")
        return data
    if origin is tuple:
        return _decode_tuple(arguments, data, path, check)
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return _decode_record(hint, data, path, check)
    return _decode_plain(hint, data, path)


def _decode_record(cls: type, data: Any, path: str, check: Check | None) -> Any:
    if not isinstance(data, Mapping):
        raise fault(path, data, f"an object with the fields of {cls.__name__}")
    given: dict[str, Any] = {}
    for field, hint in _fields(cls):
        if field.name in data:
            given[field.name] = decode(hint, data[field.name], f"{path}.{field.name}", check)
        elif not _has_default(field):
            raise TraceError(
                f"This trace cannot be read: {path} has no {field.name!r}, "
                f"found {sorted(map(str, data))}, expected {_wanted(hint)}. {ADVICE}"
            )
    return cls(**given)


def _decode_union(arguments: tuple[Any, ...], data: Any, path: str, check: Check | None) -> Any:
    if data is None and type(None) in arguments:
        return None
    choices = [choice for choice in arguments if choice is not type(None)]
    if len(choices) == 1:
        return decode(choices[0], data, path, check)
    possible = [choice for choice in choices if _looks_like(choice, data)]
    if not possible:
        raise fault(path, data, " or ".join(map(_wanted, arguments)))
    if len(possible) > 1:  # several tuples: the one of the same length
        size = len(data) if isinstance(data, list | tuple) else 0
        possible = [one for one in possible if len(typing.get_args(one)) == size] or possible
    return decode(possible[0], data, path, check)


def _decode_tuple(arguments: tuple[Any, ...], data: Any, path: str, check: Check | None) -> Any:
    if not isinstance(data, list | tuple):
        raise fault(path, data, "a list")
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        each = enumerate(data)
        return tuple(decode(arguments[0], entry, f"{path}[{i}]", check) for i, entry in each)
    if len(data) != len(arguments):
        raise fault(path, data, f"a list of {len(arguments)} entries")
    pairs = enumerate(zip(arguments, data, strict=True))
    return tuple(decode(hint, entry, f"{path}[{i}]", check) for i, (hint, entry) in pairs)


def _decode_plain(hint: Any, data: Any, path: str) -> Any:
    # a bool is an int in Python, but not in JSON
    if hint is float:
        a_number = isinstance(data, int | float) and not isinstance(data, bool)
        if a_number and abs(data) < FARTHEST:  # which refuses NaN too
            return data
        raise fault(path, data, f"a finite number below {FARTHEST:,.0f}")
    if hint is int and isinstance(data, int) and not isinstance(data, bool):
        return data
    if hint is not int and isinstance(hint, type) and isinstance(data, hint):
        return data
    raise fault(path, data, _wanted(hint))


def _looks_like(hint: Any, data: Any) -> bool:
    if hint is str:
        return isinstance(data, str)
    if typing.get_origin(hint) is tuple:
        return isinstance(data, list | tuple)
    return isinstance(data, Mapping)


ADVICE = "Was it changed by hand? Write it anew with timeline.to_json()."


def fault(path: str, found: Any, expected: str) -> TraceError:
    """The error for a wrong entry of a trace: where it is, what it is, and what was expected."""
    shown = shortened(written(found), 60)
    return TraceError(
        f"This trace cannot be read: {path} is {shown} ({type(found).__name__}), "
        f"expected {expected}. {ADVICE}"
    )


_PLAIN = {str: "a string", int: "an integer", bool: "true or false", type(None): "null"}


def _wanted(hint: Any) -> str:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return _described(arguments[1])
    if origin in (Union, types.UnionType):
        return " or ".join(map(_wanted, arguments))
    if origin is tuple:
        return "a list"
    if origin is Literal:
        return f"one of {sorted(arguments)}"
    return _PLAIN.get(hint) or ("a number" if hint is float else f"an object ({hint.__name__})")


def _described(kind: str) -> str:
    return "a reference to a value" if kind == "reference" else f"the id of {article(kind)}"


def article(noun: str) -> str:
    """A noun with "a" or "an" before it."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


@cache
def _fields(cls: type) -> tuple[tuple[dataclasses.Field[Any], Any], ...]:
    hints = typing.get_type_hints(cls, include_extras=True)
    return tuple((f, hints[f.name]) for f in dataclasses.fields(cls) if f.init)


def _has_default(field: dataclasses.Field[Any]) -> bool:
    return field.default is not dataclasses.MISSING


# -- copies --------------------------------------------------------------------------------------


class Unchanging:
    """What never changes: its copy is the object itself."""

    __slots__ = ()

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


class PickledAsJson(Unchanging):
    """What is pickled as its JSON, without the live arrays and functions that it holds."""

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        written: Any = self
        return written.from_json, (written.to_json(),)

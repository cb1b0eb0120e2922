"""A record: a dataclass that nobody changes. The type checker says so; running code is not asked.

A picture of fifty nodes is made of thousands of records. With `frozen=True` Python would set each
field through a function that forbids it to everyone else, and making one took five times as long.

Read next: graph/model.py
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar, dataclass_transform

_T = TypeVar("_T")


@dataclass_transform(frozen_default=True)
def record(cls: type[_T]) -> type[_T]:
    """Make `cls` a dataclass with slots, compared and hashed by its fields.

    >>> @record
    ... class Point:
    ...     x: float
    ...     y: float = 0
    >>> Point(3), Point(3) == Point(3, 0), len({Point(1), Point(1)})
    (Point(x=3, y=0), True, 1)
    """
    return dataclass(slots=True, unsafe_hash=True)(cls)

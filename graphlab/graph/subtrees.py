"""A document taken apart: every subtree gets a number, equal ones the same.

Then it is known how often each occurs, and whoever works on the document handles each only once.

Read next: graph/moulds.py
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(slots=True)
class _Shape:
    """What all dicts with the same keys have in common."""

    keys: tuple[int, ...]  # their numbers
    weight: int
    known: dict[tuple[int, ...], int]  # the numbers of the entries -> that of the dict


class Subtrees:
    """The subtrees of some things; all lists here are by their numbers.

    A part has a lower number than the whole.

    >>> tree = Subtrees([{"a": [1, 1]}, [1, 1]])
    >>> tree.things
    ['a', 1, [1, 1], {'a': [1, 1]}]
    >>> tree.parts, tree.count
    ([(), (), (1, 1), (2,)], [1, 4, 2, 1])
    """

    def __init__(self, roots: Iterable[Any]) -> None:
        self.things: list[Any] = []
        self.parts: list[tuple[int, ...]] = []  # the entries of a list or dict
        self.keys: list[tuple[int, ...]] = []  # of a dict
        self.weights: list[int] = []  # about how many characters of JSON
        self.leaves: list[int] = []  # how many keys, texts and numbers
        self.count: list[int] = []  # how often it occurs
        self._texts: dict[str, int] = {}
        self._plain: dict[tuple[type, Any], int] = {}  # with the type: True is 1 to a dictionary
        self._lists: dict[tuple[int, ...], int] = {}
        self._shapes: dict[tuple[str, ...], _Shape] = {}
        self._met: dict[int, int] = {}  # by id: a dict that is in many places is gone into once
        self.roots = [self.number(root) for root in roots]
        self._count()

    def number(self, thing: Any) -> int:
        """The number of a text, a number, a list or a dict, and of all that is in it."""
        kind = type(thing)
        if kind is str:
            number = self._texts.get(thing)
            if number is None:
                number = self._texts[thing] = self._new(thing, len(thing) + 2)
        elif kind is dict:
            number = self._met.get(id(thing))
            if number is None:
                number = self._met[id(thing)] = self._of_dict(thing)
        elif kind is list or kind is tuple:
            parts = tuple([self.number(one) for one in thing])
            number = self._lists.get(parts)
            if number is None:
                number = self._lists[parts] = self._container(thing, parts)
        else:
            number = self._plain.get((kind, thing))
            if number is None:
                number = self._plain[kind, thing] = self._new(thing, len(str(thing)) + 2)
        return number

    def _of_dict(self, thing: dict[str, Any]) -> int:
        keys = tuple(thing)
        shape = self._shapes.get(keys)
        if shape is None:
            numbers = tuple([self.number(key) for key in keys])
            weight = sum([self.weights[number] + 1 for number in numbers])
            shape = self._shapes[keys] = _Shape(numbers, weight, {})
        parts = tuple([self.number(one) for one in thing.values()])
        number = shape.known.get(parts)
        if number is None:
            number = self._container(thing, parts, shape.keys, shape.weight)
            shape.known[parts] = number
        return number

    def _container(
        self, thing: Any, parts: tuple[int, ...], keys: tuple[int, ...] = (), weight: int = 0
    ) -> int:
        leaves = len(keys)
        for part in parts:
            weight += self.weights[part] + 1
            leaves += self.leaves[part]
        return self._new(thing, weight + 2, parts, keys, leaves)

    def _new(
        self,
        thing: Any,
        weight: int,
        parts: tuple[int, ...] = (),
        keys: tuple[int, ...] = (),
        leaves: int = 1,
    ) -> int:
        self.things.append(thing)
        self.parts.append(parts)
        self.keys.append(keys)
        self.weights.append(weight)
        self.leaves.append(leaves)
        self.count.append(0)
        return len(self.things) - 1

    def _count(self) -> None:
        """In each thing as often as that occurs, which has a higher number."""
        count = self.count
        for root in self.roots:
            count[root] += 1
        for number in range(len(count) - 1, -1, -1):
            times = count[number]
            for part in self.parts[number]:
                count[part] += times
            for key in self.keys[number]:
                count[key] += times

"""Assumptions about the values of a tensor: `check(loss, assume={"x": "positive"})`.

Every symbol stands for a real number. A further assumption weakens the claim, so it is shown with
every verdict. Random points are drawn where it holds, and the current values must satisfy it.

Read next: faces/symbolic/symbol_names.py
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from graphlab.faces.symbolic.live_graph import Tensor

# name -> the text after the name, SymPy's assumptions, and whether values satisfy it
FACTS: dict[str, tuple[str, dict[str, bool], Any]] = {
    "positive": ("> 0", {"positive": True}, lambda x: x > 0),
    "negative": ("< 0", {"negative": True}, lambda x: x < 0),
    "nonnegative": ("≥ 0", {"nonnegative": True}, lambda x: x >= 0),
    "nonpositive": ("≤ 0", {"nonpositive": True}, lambda x: x <= 0),
    "nonzero": ("≠ 0", {"nonzero": True}, lambda x: x != 0),
    "integer": ("an integer", {"integer": True}, lambda x: x == np.round(x)),
}


@dataclass(frozen=True, slots=True)
class Assumptions:
    """What is assumed about every entry of a tensor. names: keys of FACTS."""

    names: tuple[str, ...] = ()

    @property
    def facts(self) -> dict[str, bool]:
        """SymPy's assumptions for the symbol, without "integer": symbolic_graph adds that later."""
        facts: dict[str, bool] = {}
        for name in self.names:
            facts |= FACTS[name][1] if name != "integer" else {}
        return facts

    @property
    def whole(self) -> bool:
        return "integer" in self.names

    def text(self, name: str) -> str:
        """The text beside a verdict.

        >>> Assumptions(("integer", "positive")).text("n")
        'n > 0, an integer'
        """
        return f"{name} " + ", ".join(FACTS[fact][0] for fact in FACTS if fact in self.names)

    def holds(self, values: Any) -> bool:
        """Return whether all values satisfy the assumptions; NaN counts as satisfying them."""
        known = np.asarray(values)[~np.isnan(values)]
        return all(bool(np.all(FACTS[name][2](known))) for name in self.names)

    def draw(self, source: random.Random, value: Fraction, keep_sign: bool) -> Fraction:
        """Return a random number that satisfies them. keep_sign: give it the sign of `value`."""
        size = Fraction(source.randint(1, 5) if self.whole else source.randint(200, 2500))
        size = size if self.whole else size / 1000
        if {"positive", "nonnegative"} & set(self.names):
            return size
        if {"negative", "nonpositive"} & set(self.names):
            return -size
        sign = (1 if value > 0 else -1) if keep_sign and value != 0 else source.choice((1, -1))
        return sign * size


NOTHING = Assumptions()


def read_assumptions(
    assume: Mapping[Any, Any] | None, named: Mapping[Tensor, str]
) -> dict[Tensor, Assumptions]:
    """Return the assumptions about each tensor, checked against its current values.

    assume: by tensor or by name, one key of FACTS or several in one text, "positive integer".
    Raises: TypeError, ValueError.
    """
    found: dict[Tensor, Assumptions] = {}
    for tensor, given in by_tensor(assume, named, "assume"):
        names = tuple(given.replace(",", " ").split()) if isinstance(given, str) else ()
        unknown = [name for name in names if name not in FACTS]
        if unknown or not names:
            raise ValueError(
                f"graphlab.check(), assume: unknown assumption {(unknown or [given])[0]!r} for "
                f"{named[tensor]} (must be one of {list(FACTS)})"
            )
        assumed = Assumptions(names)
        if not assumed.holds(tensor._data):
            raise ValueError(
                f"graphlab.check(), assume: {assumed.text(named[tensor])} is assumed, but it is "
                f"{shown(tensor)}; pass other values to check at, as in at={{...}}"
            )
        found[tensor] = assumed
    return found


def by_tensor(
    given: Mapping[Any, Any] | None, named: Mapping[Tensor, str], argument: str
) -> list[tuple[Tensor, Any]]:
    """Return the pairs (tensor, value) of a mapping whose keys are tensors or their names.

    Raises: TypeError for another type; ValueError for a key that is not in the graph.
    """
    if given is None:
        return []
    if not isinstance(given, Mapping):
        raise TypeError(
            f"graphlab.check(), {argument}: expected a dict by tensor or name, got "
            f"{type(given).__name__}"
        )
    pairs = []
    for key, value in given.items():
        if isinstance(key, Tensor):
            found = [key] if key in named else []
        else:
            found = [tensor for tensor, name in named.items() if name == key]
        if not found:
            what = "a tensor" if isinstance(key, Tensor) else repr(key)
            raise ValueError(
                f"graphlab.check(), {argument}: {what} is not a leaf of this graph (must be one of "
                f"{list(named.values())})"
            )
        pairs += [(tensor, value) for tensor in found]
    return pairs


def shown(tensor: Tensor) -> str:
    """Return the value of a tensor for an error message: a number, or the number of entries."""
    if tensor.numel() == 1:
        return f"{tensor._data.item():.6g}"
    return f"{tensor.numel()} entries that do not all satisfy it"

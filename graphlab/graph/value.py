"""A Value is what can be said about an array on one line: a copy, never the array itself.

A trace must keep no big array alive and must travel as JSON, so it holds texts: one line for the
picture and the corner of the array for the panel.

Read next: graph/model.py
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

LONGEST_TEXT = 24  # characters; what a card, a chip or a sentence can hold
CORNER = 5  # rows and columns of the corner that is kept


@dataclass(frozen=True, slots=True)
class Value:
    """A copied summary of an array; keeps no array alive."""

    shape: tuple[int, ...]
    dtype: str  # "float32"
    text: str  # one line, at most 24 characters: "5.0", "[1.0, 2.0]", "3×4 float32"
    rows: tuple[tuple[str, ...], ...] = ()  # corner, at most 5 x 5; empty for a single element
    nbytes: int = 0


def summarise(array: Any) -> Value:
    """Copy what a picture needs of `array`: any NumPy array or scalar, or a Python number.

    >>> summarise(5.0).text
    '5.0'
    >>> summarise(np.zeros((3, 4), np.float32)).text
    '3×4 float32'
    >>> summarise(np.array([1.0, 2.0])).rows
    (('1.0', '2.0'),)
    """
    held = np.asarray(array)
    rows = _corner(held) if held.size != 1 else ()
    return Value(held.shape, held.dtype.name, _one_line(held), rows, held.nbytes)


def number_text(number: Any) -> str:
    """Write one entry: floats to 5 significant digits, always with a point or an exponent.

    >>> number_text(2.302585), number_text(5.0), number_text(1e-12), number_text(True)
    ('2.3026', '5.0', '1e-12', 'True')
    """
    if isinstance(number, bool | np.bool_):
        return str(bool(number))
    if isinstance(number, int | np.integer):
        return _short(str(int(number)))
    if isinstance(number, complex | np.complexfloating):
        return f"{complex(number):.3g}"
    if isinstance(number, float | np.floating):
        return _float_text(float(number))
    return _short(str(number))


def _float_text(number: float) -> str:
    if math.isnan(number) or math.isinf(number):
        return str(number)
    text = f"{number:.5g}"
    return text if "." in text or "e" in text else text + ".0"


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…"


def _one_line(held: np.ndarray) -> str:
    if held.size == 1:
        return number_text(held.reshape(-1)[0])
    if held.ndim == 1 and held.size <= CORNER:
        listed = "[" + ", ".join(number_text(entry) for entry in held) + "]"
        if len(listed) <= LONGEST_TEXT:
            return listed
    return _short("×".join(map(str, held.shape)) + " " + held.dtype.name)


def _corner(held: np.ndarray) -> tuple[tuple[str, ...], ...]:
    if held.size == 0:
        return ()
    # beyond two dimensions: the first matrix
    matrix = held[(0,) * (held.ndim - 2)] if held.ndim > 2 else held.reshape(-1, held.shape[-1])
    return tuple(tuple(number_text(entry) for entry in row[:CORNER]) for row in matrix[:CORNER])

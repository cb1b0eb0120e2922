"""A Value is a summary of an array, as text.

A trace keeps no large arrays alive and is written as JSON. So it holds text: one line for the
picture, entries for the table (all of a small array, a corner of a large one), and statistics.

Read next: graph/model.py
"""

from functools import cache, lru_cache
from typing import Any, ClassVar, cast

import numpy as np

from graphlab.common.notebook import shortened
from graphlab.graph.array_sample import CORNER, ArraySample, Measured, measure, norm_of, sample
from graphlab.graph.codec import record

LONGEST_TEXT = 24  # characters that fit into a card, a chip or a sentence


@record
class Statistics:
    """Statistics of the finite entries of an array, as text, and counts over all entries."""

    COMPLETE: ClassVar = ("nan", "pos_inf", "neg_inf", "zeros")
    low: str
    high: str
    mean: str
    std: str  # divided by n - 1, as in tensor.std(); "nan" for a single entry
    nan: int = 0
    pos_inf: int = 0
    neg_inf: int = 0
    zeros: int = 0


class Unwritten:
    """Two slots beside the fields of a Value.

    `_seen`: its sample, until all fields are filled. `_json`: its JSON, which all events share.
    """

    __slots__ = ("_json", "_seen")


@record
class Value(Unwritten):
    """A summary of an array, which keeps no array alive."""

    # always written, so that merging a patch leaves nothing of the old value. `norm` need not be:
    # either all values of a tensor have one, or none
    COMPLETE: ClassVar = ("entries", "kept", "nbytes", "statistics")
    shape: tuple[int, ...]
    dtype: str  # "float32"
    text: str  # one line, at most 24 characters: "5.0", "[1.0, 2.0]", "(3, 4) float32"
    # the entries of the flattened array, separated by spaces; "" if `text` shows all of them
    entries: str = ""
    kept: tuple[int, ...] = ()  # the shape of the corner that `entries` holds; (): all entries
    nbytes: int = 0
    statistics: Statistics | None = None
    norm: str = ""  # Euclidean, of complex entries, and where statistics were not computed

    @staticmethod
    def later(seen: ArraySample, text: str) -> "Value":
        """The summary of `seen`; its other fields are filled when one of them is read."""
        value: Any = object.__new__(Value)
        value.shape, value.dtype, value.text = seen.shape, _name_of(seen.dtype), text
        value.nbytes, value._seen = seen.nbytes, seen
        return value

    def __getattr__(self, name: str) -> Any:
        # called only for the fields that `later` left out
        if name not in ("entries", "kept", "statistics", "norm"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        filled, seen = cast(Any, self), self._seen
        if seen is None:  # another thread has filled them
            return object.__getattribute__(self, name)
        whole = seen.corner.shape == seen.shape
        filled.entries = " ".join(_texts(seen.corner))
        filled.kept = () if whole else seen.corner.shape
        filled.statistics = _written(measure(seen.corner) if whole else seen.measured)
        norm = norm_of(seen.corner) if whole and seen.dtype.kind == "c" else seen.norm
        filled.norm = "" if norm is None else number_text(norm)
        filled._seen = None
        return object.__getattribute__(self, name)

    @property
    def texts(self) -> list[str]:
        """The entries that are known: all of them, or those of the corner, flattened."""
        return self.entries.split(" ") if self.entries else [self.text]

    @property
    def nested(self) -> str:
        """Those entries in nested brackets, as Python writes a list of lists.

        >>> summarise(np.arange(4).reshape(2, 2)).nested
        '[[0, 1], [2, 3]]'
        """
        texts = self.texts
        for length in reversed(self.shape):
            starts = range(0, len(texts), length)
            texts = ["[" + ", ".join(texts[start : start + length]) + "]" for start in starts]
        return texts[0]

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """The corner of the first matrix, at most 5 x 5; a vector is one row.

        >>> summarise(np.arange(12).reshape(2, 2, 3)).rows
        (('0', '1', '2'), ('3', '4', '5'))
        """
        if not self.entries:
            return ()
        wide = (self.kept or self.shape or (1,))[-1]
        high = (self.kept or self.shape)[-2] if len(self.shape) > 1 else 1
        texts = self.texts
        starts = range(0, min(high, CORNER) * wide, wide)
        return tuple(tuple(texts[start : start + min(wide, CORNER)]) for start in starts)


def first_change(before: Value, after: Value) -> tuple[int, str, str, str] | None:
    """The first entry that changed: its number when flattened, its index, its old and new text.

    None if no known entry changed.

    >>> first_change(summarise(np.zeros((2, 2))), summarise(np.eye(2)))
    (0, '0, 0', '0.0', '1.0')
    """
    if (before.shape, before.kept) != (after.shape, after.kept):
        return None
    pairs = zip(before.texts, after.texts, strict=True)
    for k, (was, now) in enumerate(pairs):
        if was != now:
            place = np.unravel_index(k, after.kept or after.shape)
            return k, ", ".join(map(str, place)), was, now
    return None


def summarise(array: Any) -> Value:
    """The summary of a NumPy array or scalar, a number, or an ArraySample.

    >>> summarise(5.0).text
    '5.0'
    >>> summarise(np.zeros((3, 4), np.float32)).text
    '(3, 4) float32'
    >>> summarise(np.array([1.0, 2.0])).entries
    '1.0 2.0'
    >>> from graphlab.graph.array_sample import quick_sample
    >>> summarise(quick_sample(np.full(400, 0.5))).norm, summarise(quick_sample(np.ones(3))).norm
    ('10.0', '')
    """
    if not isinstance(array, ArraySample):
        array = np.asarray(array)
        return _single(array) if array.size == 1 else _several(sample(array))
    if array.summary is None:
        array.summary = _single(array.corner) if array.size == 1 else _several(array)
    return array.summary


def _single(array: np.ndarray) -> Value:
    """The summary of a single number; it has no `entries`, because its text is complete."""
    text = number_text(array.item())
    norm = number_text(abs(array.item())) if array.dtype.kind == "c" else ""
    return Value(array.shape, _name_of(array.dtype), text, nbytes=array.nbytes, norm=norm)


def _several(seen: ArraySample) -> Value:
    return Value.later(seen, _one_line(seen))


def number_text(number: Any, digits: int = 5) -> str:
    """One entry as text; a float has 5 significant digits and always a point or an exponent.

    >>> number_text(2.302585), number_text(5.0), number_text(1e-12), number_text(True)
    ('2.3026', '5.0', '1e-12', 'True')
    """
    if isinstance(number, float):  # the most common case
        return _float_text(number, digits)
    if isinstance(number, bool | np.bool_):
        return str(bool(number))
    if isinstance(number, int | np.integer):
        return shortened(str(int(number)), LONGEST_TEXT)
    if isinstance(number, complex | np.complexfloating):
        return f"{complex(number):.3g}"
    if isinstance(number, np.floating):
        return _float_text(float(number), digits)
    return shortened(str(number), LONGEST_TEXT).replace(" ", "\u00a0")


def _written(measured: Measured | None) -> Statistics | None:
    if measured is None:
        return None
    four = (measured.low, measured.high, measured.mean, measured.std)
    counts = (measured.nan, measured.pos_inf, measured.neg_inf, measured.zeros)
    low, high, mean, std = map(number_text, four)
    return Statistics(low, high, mean, std, *counts)


def _texts(array: np.ndarray, digits: int = 5) -> list[str]:
    """Each entry as `number_text` writes it, but faster for arrays of floats."""
    listed = array.reshape(-1).tolist()
    if array.dtype.char not in "efd":
        return [number_text(number, digits) for number in listed]
    texts = [f"{number:.{digits}g}" for number in listed]
    return [text if "." in text or "e" in text or "n" in text else text + ".0" for text in texts]


def _float_text(number: float, digits: int) -> str:
    text = f"{number:.{digits}g}"
    return text if "." in text or "e" in text or "n" in text else text + ".0"  # n: nan, inf


@cache
def _name_of(dtype: np.dtype[Any]) -> str:
    return dtype.name  # cached, because NumPy builds it each time


def _one_line(seen: ArraySample) -> str:
    listed = _listed(seen) if seen.ndim == 1 and seen.size <= CORNER else ""
    return listed or _shape_text(seen.shape, _name_of(seen.dtype))


@lru_cache(maxsize=1024)
def _shape_text(shape: tuple[int, ...], dtype: str) -> str:
    text = f"{tuple(shape)} {dtype}"
    return text if len(text) <= LONGEST_TEXT else shortened(str(tuple(shape)), LONGEST_TEXT)


def _listed(seen: ArraySample) -> str:
    """All entries of a short vector, with as many digits as fit; "" if not even 3 digits do."""
    for digits in (5, 4, 3):
        listed = "[" + ", ".join(_texts(seen.corner, digits)) + "]"
        if len(listed) <= LONGEST_TEXT:
            return listed
    return ""

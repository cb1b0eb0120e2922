"""Functions of exact entries, comparisons and constants; their sums, extremes and places by rank.

A comparison gives a `Choice`: its weight is 1 where it holds and 0 where it does not. For symbols
that is unknown, so the weight is a new symbol h, a switch. max(x, y) becomes y + h (x - y): one
formula covers both sides of the kink.

Read next: primitives/sympy_reading/object_arrays.py
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphlab.primitives.numpy_reading import ranking
from graphlab.primitives.numpy_reading.reductions import count
from graphlab.primitives.sympy_reading.object_arrays import (
    Arithmetic,
    Data,
    Dims,
    Entry,
    bare,
    each,
    exact,
    filled,
    fold,
)

Reduction = Callable[..., Data]
# functions that SymPy and mpmath know by the same name
NAMED = (
    "exp", "log", "sqrt", "sin", "cos", "tanh", "tan", "asin", "acos", "atan", "sinh", "cosh",
    "asinh", "acosh", "atanh", "atan2", "floor",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Choice:
    """The answer to a comparison: 1 where it holds, 0 where it does not, or a switch."""

    weight: Entry

    def __and__(self, other: Any) -> "Choice":
        return Choice(self.weight * other.weight) if isinstance(other, Choice) else NotImplemented

    def __or__(self, other: Any) -> "Choice":
        if not isinstance(other, Choice):
            return NotImplemented
        return Choice(self.weight + other.weight - self.weight * other.weight)


def reading(entries: Arithmetic, known: Mapping[str, Any]) -> dict[str, Any]:
    """The primitives of this file, for one kind of entry."""
    choose, zero = choice(entries), entries.number(0)

    def positive(x: Entry) -> Choice:
        return Choice(entries.above(entries.number(x), zero))

    return {
        **constants(entries),
        **functions(entries),
        **divisions(entries),
        **comparisons(entries),
        **special_functions(entries),
        **folded(entries, known),
        **ranks(entries),
        "where": each(choose, 3),
        "unless": each(lambda mask, x: choose(mask, 0, x), 2),
        "heaviside": each(lambda x, at_0: choose(positive(x), 1, 0), 2),
        "nan_to_num": lambda x, nan, posinf, neginf: x,  # entries are finite here
        "astype": lambda x, dtype: x,  # exact entries have no type to be rounded to
        "copy": lambda x, contiguous=False, like=None: x,
        "in_order": lambda x, images=False: x,
    }


def choice(entries: Arithmetic) -> Callable[[Any, Entry, Entry], Entry]:
    """Return the function that chooses one of two entries, or combines them by a switch."""
    number = entries.number

    def choose(condition: Any, x: Entry, y: Entry) -> Entry:
        weight = condition.weight if isinstance(condition, Choice) else number(int(bool(condition)))
        if weight == 1:
            return number(x)
        if weight == 0:
            return number(y)
        return weight * number(x) + (1 - weight) * number(y)

    return choose


def constants(entries: Arithmetic) -> dict[str, Any]:
    """Exact constants, and arrays of them."""
    number, function = entries.number, entries.function
    numbers, pi = each(number), function("acos", number(-1))

    def like(entry: Entry) -> Callable[[Data], Data]:
        return lambda x: bare(filled(np.shape(x), entry))

    return {
        "pi": pi,
        "root_pi": function("sqrt", pi),
        "root_2": function("sqrt", number(2)),
        "ln_2": function("log", number(2)),
        "ln_10": function("log", number(10)),
        "trillionth": number(1) / 10**12,
        "zeros_like": like(number(0)),
        "ones_like": like(number(1)),
        "zeros_beside": lambda sizes, x: numbers(np.zeros(sizes, np.int64).astype(object)),
        "constant": lambda array, x: numbers(exact(array)),
    }


def functions(entries: Arithmetic) -> dict[str, Any]:
    """Exponentials, logarithms, and functions that SymPy and mpmath know by name."""
    number, function = entries.number, entries.function
    ln_2, ln_10 = function("log", number(2)), function("log", number(10))

    def named(name: str) -> Callable[..., Data]:
        return each(lambda *x: function(name, *x), 2 if name == "atan2" else 1)

    def exp(x: Entry) -> Entry:
        return function("exp", x)

    def log(x: Entry) -> Entry:
        return function("log", x)

    return {
        **{name: named(name) for name in NAMED},
        "expm1": each(lambda x: exp(x) - 1),
        "exp2": each(lambda x: number(2) ** x),
        "log1p": each(lambda x: log(1 + x)),
        "log2": each(lambda x: log(x) / ln_2),
        "log10": each(lambda x: log(x) / ln_10),
        "logaddexp": each(lambda x, y: log(exp(x) + exp(y)), 2),
        "logaddexp2": each(lambda x, y: log(number(2) ** x + number(2) ** y) / ln_2, 2),
        "sigmoid": each(lambda x: 1 / (1 + exp(-x))),
        "softplus": each(lambda x: log(1 + exp(x))),
        "lerp": each(lambda x, y, weight: x + weight * (y - x), 3),
        "xlogy": each(lambda x, y: x * log(y), 2),
        "xlog1py": each(lambda x, y: x * log(1 + y), 2),
        "hypot": each(lambda x, y: function("sqrt", x * x + y * y), 2),
        "power": each(entries.power, 2),
    }


def divisions(entries: Arithmetic) -> dict[str, Any]:
    """Rounding, and division that rounds."""

    def floor(x: Entry) -> Entry:
        return entries.function("floor", x)

    def trunc(x: Entry) -> Entry:
        return entries.direction(x) * floor(entries.magnitude(x))

    return {
        "ceil": each(lambda x: -floor(-x)),
        "round": each(lambda x: entries.function("nint", x)),
        "trunc": each(trunc),
        "divide_down": each(lambda x, y: floor(x / y), 2),
        "divide_to_zero": each(lambda x, y: trunc(x / y), 2),
        "remainder": each(lambda x, y: x - floor(x / y) * y, 2),
        "fmod": each(lambda x, y: x - trunc(x / y) * y, 2),
    }


def comparisons(entries: Arithmetic) -> dict[str, Any]:
    """Comparisons, extremes and signs."""
    number = entries.number

    def above(x: Entry, y: Entry) -> Entry:
        return entries.above(number(x), number(y))

    def equal(x: Entry, y: Entry) -> Choice:
        return Choice(number(int(entries.equal(number(x), number(y)))))

    larger = each(lambda x, y: entries.larger(number(x), number(y)), 2)
    smaller = each(lambda x, y: entries.smaller(number(x), number(y)), 2)
    return {
        "abs": each(entries.magnitude),
        "sign": each(entries.direction),
        "copysign": each(lambda x, y: entries.magnitude(x) * entries.direction(y), 2),
        "maximum": larger,
        "fmax": larger,
        "minimum": smaller,
        "fmin": smaller,
        "eq": each(equal, 2),
        "gt": each(lambda x, y: Choice(above(x, y)), 2),
        "le": each(lambda x, y: Choice(1 - above(x, y)), 2),
        "lt": each(lambda x, y: Choice(above(y, x)), 2),
        "ge": each(lambda x, y: Choice(1 - above(y, x)), 2),
        "isfinite": each(lambda x: Choice(number(1))),
        "isnan": each(lambda x: Choice(number(0))),
    }


def special_functions(entries: Arithmetic) -> dict[str, Any]:
    """Error functions, gamma functions and Bessel functions."""
    function, root_2 = entries.function, entries.function("sqrt", entries.number(2))

    def log_ndtr(x: Entry) -> Entry:
        return function("log", (1 + function("erf", x / root_2)) / 2)

    def scaled_bessel(n: int, x: Entry) -> Entry:
        return function("exp", -entries.magnitude(x)) * function("besseli", n, x)

    def share(part: str) -> Any:
        return each(
            lambda a, x: function(part, a, x) * function("exp", -function("loggamma", a)), 2
        )

    return {
        "igamma": share("lowergamma"),
        "igammac": share("uppergamma"),
        "i0": each(lambda x: function("besseli", 0, x)),
        "i0e": each(lambda x: scaled_bessel(0, x)),
        "i1": each(lambda x: function("besseli", 1, x)),
        "i1e": each(lambda x: scaled_bessel(1, x)),
        "erf": each(lambda x: function("erf", x)),
        "erfc": each(lambda x: function("erfc", x)),
        "erfinv": each(lambda x: function("erfinv", x)),
        "erfcx": each(lambda x: function("exp", x * x) * function("erfc", x)),
        "ndtri": each(lambda p: root_2 * function("erfinv", 2 * p - 1)),
        "log_ndtr": each(log_ndtr),
        "lgamma": each(lambda x: function("loggamma", x)),
        "digamma": each(lambda x: function("polygamma", 0, x)),
        "polygamma": lambda n, x: each(lambda one: function("polygamma", n, one))(x),
    }


def folded(entries: Arithmetic, known: Mapping[str, Any]) -> dict[str, Any]:
    """Sums, products, extremes and running sums of exact entries."""

    def reduction(one: Callable[[list[Entry]], Entry]) -> Reduction:
        def call(x: Data, dim: Dims = None, keepdim: bool = False) -> Data:
            return fold(x, dim, keepdim, one)

        return call

    def extreme(sign: int) -> Reduction:
        return reduction(lambda row: row[0] if len(row) == 1 else entries.extreme(row, sign))

    def mean(x: Data, dim: Dims = None, keepdim: bool = False) -> Data:
        return known["sum"](x, dim, keepdim) / count(np.shape(x), dim)

    def running(x: Data, dim: int, combine: Any) -> Data:
        if np.ndim(x) == 0:
            return x
        return combine.accumulate(np.asarray(x, object), dim, dtype=object)

    def logcumsumexp(x: Data, dim: int) -> Data:
        return known["log"](known["cumsum"](known["exp"](x), dim))

    return {
        "sum": reduction(entries.total),
        "mean": mean,
        "prod": reduction(lambda row: math.prod(row, start=entries.number(1))),
        "amax": extreme(1),
        "amin": extreme(-1),
        "cumsum": lambda x, dim: running(x, dim, np.add),
        "cumprod": lambda x, dim: running(x, dim, np.multiply),
        "logcumsumexp": logcumsumexp,
    }


def zero_extreme(entries: Arithmetic) -> Reduction:
    """Return an `amax` that counts as 0, which a softmax may subtract as well."""

    def call(x: Data, dim: Dims = None, keepdim: bool = False) -> Data:
        return fold(x, dim, keepdim, lambda row: row[0] if len(row) == 1 else entries.number(0))

    return call


RANKED = ("argsort", "kth_places", "median_places", "mode_places", "running_places", "top_places")


def ranks(entries: Arithmetic) -> dict[str, Any]:
    """Indices by rank, chosen by the current values, as the reading for NumPy chooses them."""

    def place(sign: int) -> Callable[..., Data]:
        def call(x: Data, dim: int, keepdim: bool = False) -> Data:
            best = fold(x, (dim,), keepdim, lambda row: entries.largest(row, sign))
            return np.asarray(best, np.int64)[()]

        return call

    def by_rank(name: str) -> Callable[..., Data]:
        def call(x: Data, dim: int, *rest: Any, **options: Any) -> Data:
            values = np.asarray(each(entries.value)(x), object)
            found = np.unique(values, return_inverse=True)[1].reshape(values.shape)
            chosen = getattr(ranking, name)(found, dim, *rest, **options)
            rows, places = (np.moveaxis(np.atleast_1d(one), dim, 0) for one in (found, chosen))
            picked = np.take_along_axis(rows, places, 0)
            tied = any(np.any(np.sum(rows == one, 0) > 1) for one in picked)
            often = name == "mode_places"
            what = "which entry is the most frequent" if often else "the order of the entries"
            entries.note_choice(what, tied)
            return chosen

        return call

    return {"argmax": place(1), "argmin": place(-1), **{name: by_rank(name) for name in RANKED}}

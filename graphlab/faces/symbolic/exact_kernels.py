"""The words of ops/windows.py, ops/places.py and ops/pools.py for entries that are not floats.

They move entries and add them up, which arrays of objects can do as they are; the numbers that
they bring in, such as the zeros of a padding, must be made entries of the right kind.

Read next: faces/symbolic/sympy_arithmetic.py
"""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from graphlab.faces.symbolic.budget import Unsupported
from graphlab.ops import bags, grids, places, pools, scaling, softness, standard, windows
from graphlab.ops.base import read


def fraction(number: float) -> Fraction | float:
    """The fraction that a float stands for: 1/3 for 0.333...; else the float exactly.

    >>> fraction(1 / 3), fraction(0.1), fraction(2**-30)
    (Fraction(1, 3), Fraction(1, 10), Fraction(1, 1073741824))
    """
    if not math.isfinite(number):
        return number
    short = Fraction(number).limit_denominator(1000)
    return short if float(short) == number else Fraction(number)


exact = np.frompyfunc(fraction, 1, 1)


def kernel_primitives(
    words: Mapping[str, Any], numbers: Callable[[Any], Any], best: Callable[[Any], int]
) -> dict[str, Any]:
    """The words, read against those that there are.

    numbers: makes entries of Python's numbers. best: says which of some entries is the largest.
    """

    def largest(x: Any, spans: tuple[np.ndarray, ...]) -> np.ndarray:
        found = np.empty((len(x), *(len(span) for span in spans)), np.int64)
        for image, *place in np.ndindex(found.shape):
            seen = np.ix_(*(np.unique(span[i]) for span, i in zip(spans, place, strict=True)))
            numbered = np.arange(x[0].size).reshape(x.shape[1:])[seen].reshape(-1)
            found[(image, *place)] = numbered[best(list(x[image][seen].reshape(-1)))]
        return found

    def made(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *args: numbers(function(*args))

    def largest_in_bags(weight: Any, rows: Any, bags: Any, n: int) -> np.ndarray:
        found = np.zeros((n, weight.shape[1]), np.int64)
        for bag, column in np.ndindex(found.shape):
            own = rows[bags == bag]
            if len(own):
                found[bag, column] = own[best(list(weight[own, column]))]
        return found

    def softmax(x: Any, dim: int) -> Any:
        e = words["exp"](x)
        return e / words["sum"](e, (dim,), True)

    def scale_of(query: Any, scale: Any) -> Any:
        return (
            1 / words["sqrt"](np.array([np.shape(query)[-1]], object))[0]
            if scale is None
            else scale
        )

    def raw_entries(x: Any) -> np.ndarray:
        try:
            return np.asarray(x).astype(np.float64)
        except TypeError:
            raise Unsupported("between which pixels a point lies is decided by numbers") from None

    def weighted(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *args: numbers(function(*args[:-1], numbers(exact(args[-1]))))

    found: dict[str, Any] = {}
    for module in (windows, places, pools, scaling, standard, softness, grids, bags):
        found |= {name: getattr(module, name) for name in module.WORDS}
    found |= {
        "windows": made(windows.windows),
        "add_windows": made(windows.add_windows),
        "constant_pad": made(places.constant_pad),
        "resample": weighted(places.resample),
        "resample_back": weighted(places.resample_back),
        "largest": largest,
        "largest_in_bags": largest_in_bags,
        "raw_entries": raw_entries,
        "safe_softmax": softmax,
        "scale_of": scale_of,
        "zeros_beside": lambda sizes, x: numbers(np.zeros(sizes, np.int64).astype(object)),
        "constant": lambda array, x: numbers(exact(array)),
    }
    known = {**words, **found}
    for module in (windows, pools, scaling, standard, softness, grids):
        for name in module.COMPOSED:
            found[name] = known[name] = read(getattr(module, name), known)
    return found

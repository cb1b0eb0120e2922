"""Whether two recorded values agree.

A trace writes five digits of a number, so that a relative difference below 1e-4 cannot be seen in
it: that is the tolerance of float32 and float64. That of float16 is 2e-3. Beside it, floats may
differ by the spacing of their type's numbers at 1. Integers and bools must be equal. NaN agrees
with NaN.

Read next: graph/comparing/node_matching.py
"""

from __future__ import annotations

import math

from graphlab.graph.value import Statistics, Value

# relative, and absolute: the spacing of numbers at 1
TOLERANCES = {
    "float16": (2e-3, 9.8e-4),
    "float32": (1e-4, 1.2e-7),
    "float64": (1e-4, 2.2e-16),
}
EXACT = (0.0, 0.0)


def agree(one: Value | None, other: Value | None) -> bool:
    """Whether two values have the same shape, type and numbers; what is unknown agrees.

    >>> from graphlab.graph.value import summarise
    >>> agree(summarise(0.1 + 0.2), summarise(0.3)), agree(summarise(3.0), summarise(2.0))
    (True, False)
    """
    if one is None or other is None or one is other:
        return True
    if (one.shape, one.dtype) != (other.shape, other.dtype):
        return False
    tolerance = TOLERANCES.get(one.dtype, EXACT)
    known = one.entries.split(" ") if one.entries else [one.text]
    beside = other.entries.split(" ") if other.entries else [other.text]
    if len(known) != len(beside) or not all(
        a == b or near(a, b, *tolerance) for a, b in zip(known, beside, strict=True)
    ):
        return False
    return not one.kept or _alike(one.statistics, other.statistics, tolerance[0])


def near(one: str, other: str, relative: float, absolute: float) -> bool:
    """Whether two numbers, as texts, are equal within a tolerance; other texts must be the same."""
    try:
        a, b = float(one), float(other)
    except ValueError:
        return one == other
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    return math.isclose(a, b, rel_tol=relative, abs_tol=absolute)


def _alike(one: Statistics | None, other: Statistics | None, relative: float) -> bool:
    """Whether arrays whose corners agree have like statistics."""
    if one is None or other is None:
        return True
    counts = ("nan", "pos_inf", "neg_inf")
    if any(getattr(one, name) != getattr(other, name) for name in counts):
        return False
    try:  # a mean near 0 is mostly rounding: it is measured by the spread
        spread = max(abs(float(one.low)), abs(float(one.high)), 0.0)
    except ValueError:
        return one == other
    spread = spread if math.isfinite(spread) else 0.0
    pairs = ((getattr(one, name), getattr(other, name)) for name in ("low", "high", "mean", "std"))
    return all(near(a, b, relative, relative * spread) for a, b in pairs)

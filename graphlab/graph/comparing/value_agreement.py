"""Two recorded values agree if they are equal within a tolerance.

A trace has five digits of a number, so a relative difference below 1e-4 cannot be seen in it. This
is the relative tolerance of float32 and float64; that of float16 is 2e-3. The absolute tolerance is
the spacing of the type's numbers at 1. Integers and bools must be equal. NaN agrees with NaN.

Read next: graph/comparing/node_matching.py
"""

import math

from graphlab.graph.events.event import shape_text
from graphlab.graph.value import Statistics, Value

# relative, and absolute: the spacing of numbers at 1
TOLERANCES = {"float16": (2e-3, 9.8e-4), "float32": (1e-4, 1.2e-7), "float64": (1e-4, 2.2e-16)}
EXACT = (0.0, 0.0)


def agree(one: Value | None, other: Value | None) -> bool:
    """Whether two values have the same shape, type and numbers; an unknown value always agrees.

    >>> from graphlab.graph.value import summarise
    >>> agree(summarise(0.1 + 0.2), summarise(0.3)), agree(summarise(3.0), summarise(2.0))
    (True, False)
    """
    if one is None or other is None or one is other:
        return True
    if (one.shape, one.dtype) != (other.shape, other.dtype):
        return False
    if not (has_numbers(one) and has_numbers(other)):
        return True
    tolerance = TOLERANCES.get(one.dtype, EXACT)
    known, beside = one.texts, other.texts
    if len(known) != len(beside) or not all(
        a == b or near(a, b, *tolerance) for a, b in zip(known, beside, strict=True)
    ):
        return False
    return not one.kept or _alike(one.statistics, other.statistics, tolerance[0])


def has_numbers(value: Value) -> bool:
    """Whether more than the shape is known; PyTorch does not keep every result."""
    shape = f"{shape_text(value.shape)} {value.dtype}"
    return bool(value.entries) or value.text not in ("unknown", "no value", shape)


def near(one: str, other: str, relative: float, absolute: float) -> bool:
    """Whether two texts are numbers that are equal within a tolerance, or are the same text."""
    try:
        a, b = float(one), float(other)
    except ValueError:
        return one == other
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    return math.isclose(a, b, rel_tol=relative, abs_tol=absolute)


def _alike(one: Statistics | None, other: Statistics | None, relative: float) -> bool:
    """Whether arrays whose corners agree have statistics that agree as well."""
    if one is None or other is None:
        return True
    counts = ("nan", "pos_inf", "neg_inf")
    if any(getattr(one, name) != getattr(other, name) for name in counts):
        return False
    try:  # relative to the largest entry, because a mean near 0 is mostly rounding error
        largest = max(abs(float(one.low)), abs(float(one.high)), 0.0)
    except ValueError:
        return one == other
    largest = largest if math.isfinite(largest) else 0.0
    pairs = ((getattr(one, name), getattr(other, name)) for name in ("low", "high", "mean", "std"))
    return all(near(a, b, relative, relative * largest) for a, b in pairs)

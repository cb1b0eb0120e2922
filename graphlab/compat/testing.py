"""`testing.assert_close` compares two results and explains how they differ.

Read next: autograd/gradcheck.py
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphlab.common import dtypes as types
from graphlab.tensor.tensor import Tensor, wrap

__all__ = ["assert_close"]

TOLERANCES = {  # (rtol, atol) for each dtype; entries of another dtype must be equal
    types.float16: (1e-3, 1e-5),
    types.float32: (1.3e-6, 1e-5),
    types.float64: (1e-7, 1e-7),
}


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """Raise AssertionError unless |actual - expected| ≤ atol + rtol · |expected| everywhere.

    actual, expected: tensors, arrays, numbers, or sequences and mappings of them
    rtol, atol: float ≥ 0, both or neither; by default 1.3e-6 and 1e-5 for float32, 1e-7 and 1e-7
        for float64, 1e-3 and 1e-5 for float16, and 0 for other dtypes
    equal_nan: bool, let nan equal nan
    check_dtype, check_stride: bool, compare dtypes and strides too
    allow_subclasses, check_device, check_layout: accepted as in PyTorch, without effect here
    msg: text that replaces the message, or a function from the message to another
    Raises: AssertionError where structures, shapes, dtypes or entries differ, TypeError for values
        that cannot be compared, ValueError for one of rtol and atol without the other.
    Source: PyTorch, torch.testing.assert_close.

    >>> import graphlab as torch
    >>> from graphlab.testing import assert_close
    >>> assert_close(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.0 + 1e-7]))
    """
    __tracebackhide__ = True  # pytest shows the user's line
    if (rtol is None) != (atol is None):
        missing = "rtol" if rtol is None else "atol"
        raise ValueError(
            f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {missing}."
        )
    options = Options(rtol, atol, equal_nan, check_dtype, check_stride)
    try:
        for a, b, item in [*pairs(actual, expected)]:
            if text := difference(a, b, options, item):
                raise AssertionError(text + item)
    except AssertionError as error:
        if msg is None:
            raise
        raise AssertionError(msg(str(error)) if callable(msg) else msg) from None


@dataclass(frozen=True, slots=True)
class Options:
    """How two values are compared: see `assert_close`."""

    rtol: float | None
    atol: float | None
    equal_nan: bool
    check_dtype: bool
    check_stride: bool


def pairs(actual: Any, expected: Any, where: str = "") -> Iterator[tuple[Any, Any, str]]:
    """Iterate over the pairs of values in two nested structures, each with a note of its place.

    where: the indices and keys that lead to `actual`, such as "[0]['bias']"
    Raises: AssertionError where the structures differ.
    """
    item = f"\n\nThe failure occurred for item {where}" if where else ""
    if isinstance(actual, Mapping) and isinstance(expected, Mapping):
        if actual.keys() != expected.keys():
            missing = sorted(map(str, expected.keys() - actual.keys()))
            more = sorted(map(str, actual.keys() - expected.keys()))
            raise AssertionError(
                "The keys of the mappings do not match:\n"
                f"Missing keys in the actual mapping: {missing}\n"
                f"Additional keys in the actual mapping: {more}{item}"
            )
        for key in expected:
            yield from pairs(actual[key], expected[key], f"{where}[{key!r}]")
    elif is_sequence(actual) and is_sequence(expected):
        if len(actual) != len(expected):
            raise AssertionError(
                f"The length of the sequences mismatch: {len(actual)} != {len(expected)}{item}"
            )
        for i, (a, b) in enumerate(zip(actual, expected, strict=True)):
            yield from pairs(a, b, f"{where}[{i}]")
    else:
        yield actual, expected, item


def is_sequence(x: Any) -> bool:
    """Return whether `x` is a sequence other than text."""
    return isinstance(x, Sequence) and not isinstance(x, str | bytes)


def difference(actual: Any, expected: Any, options: Options, item: str) -> str:
    """Return how two tensors, arrays or numbers differ, or "" if they are close enough.

    Raises: TypeError for two values that cannot be compared; `item` is added to its message.
    """
    if actual is None or expected is None:
        return "" if actual is expected else f"None mismatch: {actual} is not {expected}"
    if all(isinstance(x, bool | np.bool_) for x in (actual, expected)):
        return "" if actual == expected else f"Booleans mismatch: {actual} is not {expected}"
    given = [x.item() if isinstance(x, np.generic) else x for x in (actual, expected)]
    numbers = all(isinstance(x, int | float) for x in given)
    if not numbers and not all(isinstance(x, Tensor | np.ndarray) for x in given):
        raise TypeError(
            "No comparison pair was able to handle inputs of type "
            f"{type(actual)} and {type(expected)}.{item}"
        )
    if numbers and options.check_dtype and type(given[0]) is not type(given[1]):
        return f"The (d)types do not match: {type(given[0])} != {type(given[1])}."
    a, b = (x if isinstance(x, Tensor) else wrap(np.asarray(x)[()], False, None) for x in given)
    attributes: list[tuple[str, Any, Any]] = [("shape", a.shape, b.shape)]
    if options.check_stride:
        attributes.append(("stride()", a.stride(), b.stride()))
    if options.check_dtype:
        attributes.append(("dtype", a.dtype, b.dtype))
    for name, one, other in attributes:
        if one != other:
            return f"The values for attribute '{name}' do not match: {one} != {other}."
    both = [TOLERANCES.get(t.dtype, (0.0, 0.0)) for t in (a, b)]
    rtol = max(r for r, _ in both) if options.rtol is None else options.rtol
    atol = max(r for _, r in both) if options.atol is None else options.atol
    common = np.result_type(a._data, b._data)
    x, y = (np.asarray(t._data, common if common.kind == "f" else np.int64) for t in (a, b))
    with np.errstate(all="ignore"):
        same = np.asarray(x == y)
        if options.equal_nan:
            same |= np.isnan(x) & np.isnan(y)
        if rtol or atol:
            distance = np.abs(x - y)
            same |= np.isfinite(distance) & (distance <= atol + np.abs(rtol * y))
        return "" if same.all() else mismatch(x, y, same, rtol, atol)


def mismatch(x: np.ndarray, y: np.ndarray, same: np.ndarray, rtol: float, atol: float) -> str:
    """Return PyTorch's message for two arrays that differ where `same` is False."""
    exact = rtol == atol == 0
    distance = np.abs(x - y)
    ratio = distance / np.abs(y)
    if not same.ndim:
        given = f"Expected {y.item()!r} but got {x.item()!r}."
        allowed = ("", "") if exact else (f" (up to {atol} allowed)", f" (up to {rtol} allowed)")
        head = f"Scalars are not {'equal' if exact else 'close'}!\n\n{given}\n"
        return (
            f"{head}Absolute difference: {distance.item()}{allowed[0]}\n"
            f"Relative difference: {ratio.item()}{allowed[1]}"
        )
    lines = [f"Tensor-likes are not {'equal' if exact else 'close'}!", ""]
    wrong = int((~same).sum())
    lines.append(f"Mismatched elements: {wrong} / {same.size} ({wrong / same.size:.1%})")
    for name, measure, bound in (("absolute", distance, atol), ("relative", ratio, rtol)):
        measure = np.where(same, 0, measure)
        place = np.unravel_index(int(np.argmax(measure)), measure.shape)
        index = tuple(int(i) for i in place)
        allowed = "" if exact else f" (up to {bound} allowed)"
        value = measure[place].item()
        lines.append(f"Greatest {name} difference: {value} at index {index}{allowed}")
    return "\n".join(lines)

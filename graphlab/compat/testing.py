"""`testing.assert_close`: compare two results, and explain how they differ.

Read next: autograd/gradcheck.py
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from graphlab.common import dtypes as types
from graphlab.tensor.tensor import Tensor, wrap

__all__ = ["assert_close"]

TOLERANCES = {  # relative and absolute, by the type of the entries; others must be equal
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
    rtol, atol: float ≥ 0, both or neither; by default they depend on the dtypes
    equal_nan: bool, let nan equal nan
    check_dtype, check_stride: bool, compare dtypes and strides too
    allow_subclasses, check_device, check_layout: accepted as in PyTorch, without effect here
    msg: text that replaces the message, or a function from the message to another
    Raises: AssertionError where shapes, dtypes or entries differ, TypeError for what cannot be
        compared, ValueError for rtol without atol.
    Source: PyTorch, torch.testing.assert_close.

    >>> import graphlab as torch
    >>> assert_close(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.0 + 1e-7]))
    """
    if (rtol is None) != (atol is None):
        missing = "rtol" if rtol is None else "atol"
        raise ValueError(
            f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {missing}."
        )
    try:
        compare(actual, expected, (rtol, atol), equal_nan, check_dtype, check_stride, "")
    except AssertionError as error:
        if msg is None:
            raise
        raise AssertionError(msg(str(error)) if callable(msg) else msg) from None


def compare(
    actual: Any,
    expected: Any,
    bounds: tuple[float | None, float | None],
    equal_nan: bool,
    check_dtype: bool,
    check_stride: bool,
    where: str,
) -> None:
    """Compare nested structures. where: the path to this part, for the message."""
    rest = (bounds, equal_nan, check_dtype, check_stride)
    if isinstance(actual, Mapping) and isinstance(expected, Mapping):
        if actual.keys() != expected.keys():
            missing = sorted(map(str, expected.keys() - actual.keys()))
            more = sorted(map(str, actual.keys() - expected.keys()))
            raise AssertionError(
                "The keys of the mappings do not match:\n"
                f"Missing keys in the actual mapping: {missing}\n"
                f"Additional keys in the actual mapping: {more}"
            )
        for key in expected:
            compare(actual[key], expected[key], *rest, f"{where}[{key!r}]")
    elif is_sequence(actual) and is_sequence(expected):
        if len(actual) != len(expected):
            raise AssertionError(
                "The length of the sequences mismatch: " + f"{len(actual)} != {len(expected)}"
            )
        for i, (a, b) in enumerate(zip(actual, expected, strict=True)):
            compare(a, b, *rest, f"{where}[{i}]")
    else:
        item = f"\n\nThe failure occurred for item {where}" if where else ""
        compare_values(actual, expected, *rest, item)


def is_sequence(x: Any) -> bool:
    """Return whether `x` is a sequence other than text."""
    return isinstance(x, Sequence) and not isinstance(x, str | bytes)


def compare_values(
    actual: Any,
    expected: Any,
    bounds: tuple[float | None, float | None],
    equal_nan: bool,
    check_dtype: bool,
    check_stride: bool,
    item: str,
) -> None:
    """Compare two tensors or two numbers."""
    if actual is None and expected is None:
        return
    if actual is None or expected is None:
        raise AssertionError(f"None mismatch: {actual} is not {expected}" + item)
    scalars = not isinstance(actual, Tensor | np.ndarray)
    if scalars != (not isinstance(expected, Tensor | np.ndarray)):
        raise TypeError(
            "No comparison pair was able to handle inputs of type "
            f"{type(actual)} and {type(expected)}." + item
        )
    a, b = to_tensor(actual), to_tensor(expected)
    if a.shape != b.shape:
        raise AssertionError(
            "The values for attribute 'shape' do not match: " + f"{a.shape} != {b.shape}." + item
        )
    if check_dtype and a.dtype is not b.dtype and not scalars:
        raise AssertionError(
            "The values for attribute 'dtype' do not match: " + f"{a.dtype} != {b.dtype}." + item
        )
    if check_stride and a._data.strides != b._data.strides:
        raise AssertionError(
            "The values for attribute 'stride()' do not match: "
            f"{a._data.strides} != {b._data.strides}." + item
        )
    both = [TOLERANCES.get(t.dtype, (0.0, 0.0)) for t in (a, b)]
    rtol = max(r for r, _ in both) if bounds[0] is None else bounds[0]
    atol = max(r for _, r in both) if bounds[1] is None else bounds[1]
    x, y = (np.asarray(t._data, np.result_type(a._data, b._data)) for t in (a, b))
    kind = np.float64 if x.dtype.kind == "f" else x.dtype if x.dtype.kind != "b" else np.int64
    x, y = x.astype(kind), y.astype(kind)
    with np.errstate(all="ignore"):
        same = np.isclose(x, y, rtol=rtol, atol=atol, equal_nan=equal_nan)
        if not same.all():
            raise AssertionError(mismatch(x, y, same, rtol, atol) + item)


def to_tensor(x: Any) -> Tensor:
    """Return a number or an array as a tensor."""
    if isinstance(x, Tensor):
        return x
    array = np.asarray(x)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"No comparison pair was able to handle inputs of type {type(x)}.")
    return wrap(array if array.ndim else array[()], False, None)


def mismatch(x: np.ndarray, y: np.ndarray, same: np.ndarray, rtol: float, atol: float) -> str:
    """Return how two arrays differ, in PyTorch's words."""
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
        at = f" at index {tuple(int(i) for i in place)}" if measure.ndim else ""
        allowed = "" if exact else f" (up to {bound} allowed)"
        lines.append(f"Greatest {name} difference: {measure[place].item()}{at}{allowed}")
    return "\n".join(lines)

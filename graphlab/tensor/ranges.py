"""Evenly spaced numbers, numbers with a constant ratio, and the identity matrix; windows, which
fade a signal in and out: `hann_window(n)` and others.

Read next: tensor/creation.py
"""

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from graphlab.common.dtypes import PYTHON, dtype, get_default_dtype, int64, named
from graphlab.common.errors import users_level
from graphlab.common.public import mark, public
from graphlab.tensor.creation import harmless, make
from graphlab.tensor.tensor import Tensor

NOT_PYTHONS = (
    "torch.range is deprecated and will be removed in a future release because its behavior is "
    "inconsistent with Python's range builtin. Instead, use torch.arange, which produces values in "
    "[start, end)."
)


def plain(name: str, argument: str, position: int, x: Any) -> Any:
    """Return a number or a tensor of one entry as a Python number. Raises: TypeError for others."""
    if isinstance(x, Tensor | np.generic):
        return x.item()
    if not isinstance(x, int | float):
        raise TypeError(
            f"{name}(): argument '{argument}' (position {position}) must be Number, not "
            f"{type(x).__name__}"
        )
    return x


@public(out=True)
def arange(
    start: Any = None,
    end: Any = None,
    step: Any = 1,
    *,
    dtype: dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
    **ignored: Any,
) -> Tensor:
    """Return the numbers from `start` up to but without `end`, `step` apart.

    start: 0 when left out. dtype: the type; when None, integers if all three numbers are.
    requires_grad: whether to record operations on it. ignored: options without effect, e.g. layout.
    Raises: RuntimeError when the step is 0 or leads away from the end.

    >>> torch.arange(3), torch.arange(1, 2, 0.5)
    (tensor([0, 1, 2]), tensor([1.0000, 1.5000]))
    """
    harmless("arange", {**ignored, "device": device, "dtype": dtype})
    dtype = PYTHON.get(dtype, dtype)
    if start is None and end is None:
        raise TypeError(
            "arange() received an invalid combination of arguments - got (), but expected one of:\n"
            " * (Number end)\n * (Number start, Number end, Number step = 1)\n"
        )
    if end is None:
        start, end = 0, plain("arange", "end", 1, start)
    start = plain("arange", "start", 1, 0 if start is None else start)
    end, step = plain("arange", "end", 2, end), plain("arange", "step", 3, step)
    if dtype is None:
        integers = all(isinstance(x, int) for x in (start, end, step))
        dtype = int64 if integers else get_default_dtype()
    check_range(start, end, step)
    if dtype is int64:
        start, end, step = int(start), int(end), int(step)
        check_range(start, end, step)
        return make(np.arange(start, end, step), requires_grad)
    n = math.ceil((end - start) / step)
    if not dtype.is_floating_point:  # counted as floats, then rounded to zero
        return make((int(start) + np.arange(n) * int(step)).astype(dtype.numpy), requires_grad)
    wide = np.longdouble(step)  # a product and a sum that are rounded once
    return make((start + np.arange(n) * wide).astype(dtype.numpy), requires_grad)


def check_range(start: float, end: float, step: float) -> None:
    """Raise RuntimeError for an infinite range, or a step that does not lead to its end."""
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if not math.isfinite(start) or not math.isfinite(end):
        raise RuntimeError(f"unsupported range: {start:g} -> {end:g}")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")


def steps_of(name: str, steps: Any) -> int:
    """Return a number of steps. Raises: RuntimeError if negative, TypeError if not an integer."""
    if isinstance(steps, bool) or not hasattr(steps, "__index__"):
        raise TypeError(
            f"{name}() received an invalid combination of arguments: expected an integer number of "
            f"steps, got {type(steps).__name__}"
        )
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    return int(steps)


@public(out=True)
def linspace(
    start: Any,
    end: Any,
    steps: Any = None,
    *,
    dtype: dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
    **ignored: Any,
) -> Tensor:
    """Return `steps` evenly spaced numbers from `start` to `end`, both included: (steps,).

    They are computed from both ends towards the middle, so the last is exactly `end`.
    dtype: the type, the default one when None. requires_grad: whether to record operations on it.
    ignored: options without effect, e.g. layout.

    >>> torch.linspace(0, 1, 3)
    tensor([0.0000, 0.5000, 1.0000])
    """
    harmless("linspace", {**ignored, "device": device, "dtype": dtype})
    kind, n = named("linspace", dtype or get_default_dtype()).numpy, steps_of("linspace", steps)
    first, last = plain("linspace", "start", 1, start), plain("linspace", "end", 2, end)
    return make(between(first, last, n, kind), requires_grad)


def between(first: float, last: float, n: int, kind: np.dtype) -> np.ndarray:
    """Return n numbers from `first` to `last`, computed in their type.

    Source: PyTorch, aten/src/ATen/native/cpu/RangeFactoriesKernel.cpp.
    """
    if n == 1:
        return np.array([first], kind)
    i, middle = np.arange(n), n // 2
    if kind.kind != "f":
        step = np.longdouble((last - first) / (n - 1)) if n else 0
        low = (first + step * i).astype(np.float64)  # a product and a sum that are rounded once
        high = (last - step * (n - 1 - i)).astype(np.float64)
        return np.trunc(np.where(i < middle, low, high)).astype(kind)
    one = kind.type if kind != np.float16 else np.float32
    a, b = one(first), one(last)
    step = (b - a) / one(n - 1) if n else one(0)
    wide = np.longdouble  # a product and a sum that are rounded once
    low = (a + wide(step) * i).astype(one)
    high = (b - wide(step) * (n - 1 - i)).astype(one)
    return np.where(i < middle, low, high).astype(kind)


@public(out=True)
def logspace(
    start: Any,
    end: Any,
    steps: Any = None,
    base: float = 10.0,
    *,
    dtype: dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
    **ignored: Any,
) -> Tensor:
    """Return `steps` numbers from base**start to base**end with a constant ratio: (steps,).

    start, end, base: numbers. dtype: the type, the default one when None.
    requires_grad: whether to record operations on it. ignored: options without effect, e.g. layout.

    >>> torch.logspace(0, 2, 3)
    tensor([  1.,  10., 100.])
    """
    harmless("logspace", {**ignored, "device": device, "dtype": dtype})
    kind, n = named("logspace", dtype or get_default_dtype()).numpy, steps_of("logspace", steps)
    first, last = plain("logspace", "start", 1, start), plain("logspace", "end", 2, end)
    one = np.dtype(kind if kind.kind == "f" else np.float64)
    powers = np.power(one.type(base), between(first, last, n, one))
    return make(powers.astype(kind), requires_grad)


@public(out=True)
def eye(
    n: int,
    m: int | None = None,
    *,
    dtype: dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
    **ignored: Any,
) -> Tensor:
    """Return the identity matrix, (n, m), with ones on the diagonal; m is n when left out.

    dtype: the type, the default one when None. requires_grad: whether to record operations on it.
    ignored: options without effect, e.g. layout. Raises: RuntimeError for a negative size.

    >>> torch.eye(2)
    tensor([[1., 0.],
            [0., 1.]])
    """
    harmless("eye", {**ignored, "device": device, "dtype": dtype})
    for name, size in (("n", n), ("m", n if m is None else m)):
        if size < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {size}")
    return make(np.eye(n, m, dtype=named("eye", dtype or get_default_dtype()).numpy), requires_grad)


@public(out=True)
def range(
    start: Any = 0,
    end: Any = None,
    step: Any = 1,
    *,
    dtype: dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
    **ignored: Any,
) -> Tensor:
    """Return the numbers from `start` up to and with `end`; deprecated, with a warning.

    dtype: the type, the default one when None. step, requires_grad, ignored: as for `arange`.
    Raises: RuntimeError when the step is 0 or leads away from the end.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     torch.range(1, 3)
    tensor([1., 2., 3.])
    """
    harmless("range", {**ignored, "device": device, "dtype": dtype})
    if not isinstance(requires_grad, bool):
        kind = type(requires_grad).__name__
        raise TypeError(f"range(): argument 'requires_grad' must be bool, not {kind}")
    warnings.warn(NOT_PYTHONS, UserWarning, stacklevel=users_level())
    start, end = plain("range", "start", 1, start), plain("range", "end", 2, end)
    step = plain("range", "step", 3, step)
    check_range(start, end, step)
    steps = np.arange(int((end - start) / step) + 1)
    kind = named("range", dtype or get_default_dtype()).numpy
    return make((start + steps * np.longdouble(step)).astype(kind), requires_grad)


NAMES = ("alpha", "beta")  # a and b of the formulas


def window(name: str, formula: str, height: Callable[..., Any], *defaults: float) -> Any:
    """Return the function that makes a window; `height(t, ...)` is its value, 0 ≤ t < 1."""

    def call(
        window_length: int,
        periodic: bool = True,
        *parameters: float,
        dtype: dtype | None = None,
        device: Any = None,
        requires_grad: bool = False,
        **ignored: Any,
    ) -> Tensor:
        names = NAMES[2 - len(defaults) :][len(parameters) :]
        named = {key: ignored.pop(key) for key in names if key in ignored}
        harmless(name, {**ignored, "device": device, "dtype": dtype})
        if names == NAMES and list(named) == ["beta"]:
            raise TypeError(f"{name}() takes beta only together with alpha")
        given = (*parameters, *named.values())
        if len(given) > len(defaults):
            raise TypeError(
                f"{name}() has {len(defaults)} parameters of its formula, but got {len(given)}"
            )
        kind = dtype or get_default_dtype()
        if not kind.is_floating_point:
            raise RuntimeError(f"{name} expects floating point dtypes, got: {kind}")
        if window_length < 0:
            raise RuntimeError(
                f"{name} requires non-negative window_length, got window_length={window_length}"
            )
        t = np.arange(window_length) / max(window_length - (not periodic), 1)
        if window_length == 1:
            t = t + 0.5  # a window of one entry is 1
        heights = height(t, *given, *defaults[len(given) :])
        return make(heights.astype(kind.numpy), requires_grad)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"""Return the window {formula} for 0 ≤ t < 1: (window_length,).

    window_length: int ≥ 0. periodic: leave out the last entry, which repeats the first.
    parameters: the numbers a and b of the formula, where it has them.
    dtype: the type, the default one when None. requires_grad: whether to record operations on it.
    ignored: options without effect, e.g. layout.
    Raises: TypeError for a parameter that the formula does not have; RuntimeError for a negative
        length, or a type of integers.

    >>> import graphlab as torch
    >>> torch.hann_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    return call


hann_window = window("hann_window", "sin²(πt)", lambda t: 0.5 - 0.5 * np.cos(2 * np.pi * t))
hamming_window = window(
    "hamming_window", "a - b cos(2πt)", lambda t, a, b: a - b * np.cos(2 * np.pi * t), 0.54, 0.46
)
bartlett_window = window("bartlett_window", "1 - |2t - 1|", lambda t: 1 - np.abs(2 * t - 1))
blackman_window = window(
    "blackman_window",
    "0.42 - 0.5 cos(2πt) + 0.08 cos(4πt)",
    lambda t: 0.42 - 0.5 * np.cos(2 * np.pi * t) + 0.08 * np.cos(4 * np.pi * t),
)
kaiser_window = window(
    "kaiser_window",
    "I₀(b √(1 - (2t - 1)²)) / I₀(b)",
    lambda t, b: np.i0(b * np.sqrt(1 - (2 * t - 1) ** 2)) / np.i0(b),
    12.0,
)
mark("hann_window hamming_window bartlett_window blackman_window kaiser_window")

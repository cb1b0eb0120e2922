"""Window functions, which fade a signal in and out: `hann_window(n)` and others.

Read next: tensor/ranges.py
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from graphlab.common.dtypes import dtype, get_default_dtype
from graphlab.common.public import mark
from graphlab.tensor.creation import harmless, make
from graphlab.tensor.tensor import Tensor

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
        named = {key: ignored.pop(key) for key in NAMES[len(parameters) :] if key in ignored}
        harmless(name, {**ignored, "device": device, "dtype": dtype})
        if not parameters and list(named) == ["beta"]:
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


hann_window = window("hann_window", "sin²(πt)", lambda t: np.sin(np.pi * t) ** 2)
hamming_window = window(
    "hamming_window", "a - b cos(2πt)", lambda t, a, b: a - b * np.cos(2 * np.pi * t), 0.54, 0.46
)
bartlett_window = window("bartlett_window", "1 - |2t - 1|", lambda t: 1 - np.abs(2 * t - 1))
blackman_window = window(
    "blackman_window",
    "0.42 - 0.5 cos(2πt) + 0.08 cos(4πt)",
    lambda t: 0.42 - 0.5 * np.cos(2 * np.pi * t) + 0.08 * np.cos(4 * np.pi * t),
)
mark("hann_window hamming_window bartlett_window blackman_window")

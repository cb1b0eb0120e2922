"""`torch.signal.windows`: windows of M entries, symmetric or periodic.

Read next: tensor/ranges.py
"""

import sys
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from graphlab.tensor.creation import get_default_dtype, make
from graphlab.tensor.tensor import Tensor

windows = sys.modules["graphlab.signal.windows"] = sys.modules[__name__]
POSITIVE = {"std": "Standard deviation", "tau": "Tau"}


def window(name: str, formula: str, height: Callable[..., Any], **own: Any) -> Any:
    """Return the function that makes a window: height(k, n, ...) for k = 0, ..., M - 1."""

    def call(
        M: int, *, sym: bool = True, dtype: Any = None, requires_grad: bool = False, **given: Any
    ) -> Tensor:
        kind = dtype or get_default_dtype()
        options = {key: given.pop(key, default) for key, default in own.items()}
        if left := given.keys() - {"device", "layout"}:
            raise TypeError(f"{name}() got an unexpected keyword argument '{min(left)}'")
        if M < 0:
            raise ValueError(f"{name} requires non-negative window length, got M={M}")
        if not kind.is_floating_point:
            raise ValueError(f"{name} expects float32 or float64 dtypes, got: {kind}")
        for key in POSITIVE.keys() & options:
            if options[key] <= 0:
                raise ValueError(f"{POSITIVE[key]} must be positive, got: {options[key]} instead.")
        n = M - 1 if sym or M == 1 else M
        heights = height(np.arange(M), max(n, 1), **options) if M > 1 else np.ones(M)
        return make(heights.astype(kind.numpy), requires_grad)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"""Return the window {formula}, for k = 0 to M - 1: (M,).

    M: int ≥ 0. sym: bool, whether n is M - 1; else it is M, and the window periodic.
    dtype: the type, the default one when None. requires_grad: whether to record operations on it.
    Raises: ValueError for a negative length, a type of integers, or a parameter out of its range.

    >>> hann(5)
    tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """
    return call


COSINES = "a₀ - a₁ cos(2πk/n) + a₂ cos(4πk/n) - ..."


def cosines(k: Any, n: int, a: Any) -> Any:
    """Return the formula of COSINES. Raises: TypeError or ValueError where there is no number a."""
    if not isinstance(a, Iterable):
        raise TypeError("Coefficients must be a list/tuple")
    if not (a := list(a)):
        raise ValueError("Coefficients cannot be empty")
    return sum((-1) ** i * x * np.cos(2 * np.pi * i * k / n) for i, x in enumerate(a))


def bulge(k: Any, n: int, beta: float) -> Any:
    """Return I₀(β √(1 - (2k/n - 1)²)) / I₀(β). Raises: ValueError for β < 0."""
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    return np.i0(beta * np.sqrt(1 - np.minimum(2 * k / n - 1, 1) ** 2)) / np.i0(beta)


general_cosine = window("general_cosine", COSINES, cosines, a=None)
general_hamming, hamming, hann = [
    window(name, COSINES, lambda k, n, alpha: cosines(k, n, (alpha, 1 - alpha)), alpha=alpha)
    for name, alpha in (("general_hamming", 0.54), ("hamming", 0.54), ("hann", 0.5))
]
blackman = window("blackman", COSINES, lambda k, n: cosines(k, n, (0.42, 0.5, 0.08)))
nuttall = window(
    "nuttall", COSINES, lambda k, n: cosines(k, n, (0.3635819, 0.4891775, 0.1365995, 0.0106411))
)
bartlett = window("bartlett", "1 - |2k/n - 1|", lambda k, n: 1 - np.abs(2 * k / n - 1))
cosine = window("cosine", "sin(π(k + ½)/(n + 1))", lambda k, n: np.sin(np.pi * (k + 0.5) / (n + 1)))
exponential = window(
    "exponential", "exp(-|k - center|/tau), where center is n/2 or given", lambda k, n, center, tau:
    np.exp(-np.abs(k - (n / 2 if center is None else center)) / tau), center=None, tau=1.0,
)  # fmt: skip
gaussian = window(
    "gaussian", "exp(-(k - n/2)²/(2 std²))",
    lambda k, n, std: np.exp(-(((k - n / 2) / std) ** 2) / 2), std=1.0,
)  # fmt: skip
kaiser = window("kaiser", "I₀(β √(1 - (2k/n - 1)²))/I₀(β), β = beta", bulge, beta=12.0)

__all__ = [
    "bartlett", "blackman", "cosine", "exponential", "gaussian", "general_cosine",
    "general_hamming", "hamming", "hann", "kaiser", "nuttall", "windows",
]  # fmt: skip

"""`torch.signal.windows`: the windows of torch, and others, symmetric unless `sym=False`.

Read next: tensor/ranges.py
"""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from graphlab.tensor import ranges
from graphlab.tensor.ranges import window
from graphlab.tensor.tensor import Tensor

windows = sys.modules["graphlab.signal.windows"] = sys.modules[__name__]


def symmetric(made: Callable[..., Tensor], name: str, *own: str) -> Any:
    """Return a function of torch under its name here. own: the parameters of its formula."""

    def call(M: int, *, sym: bool = True, **options: Any) -> Tensor:
        given = [options.pop(key) for key in own if key in options]
        return made(M, not sym, *given, **options)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"""Return the {name} window: (M,).

    M: int ≥ 0. sym: bool, symmetric, or else periodic.
    options: as of `torch.hann_window`, and by name: {", ".join(own) or "nothing"}.

    >>> hann(5)
    tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """
    return call


def cosines(t: Any, n: int, a: Any) -> Any:
    """Return a₀ - a₁ cos(2πt) + a₂ cos(4πt) - ..."""
    return sum((-1) ** i * x * np.cos(2 * np.pi * i * t) for i, x in enumerate(a))


def new(name: str, height: Callable[..., Any], **own: Any) -> Any:
    """Return the function that makes another window."""
    return symmetric(window(name, name, height, *own.values()), name, *own)


bartlett, blackman, hamming, hann = [
    symmetric(getattr(ranges, f"{name}_window"), name)
    for name in ("bartlett", "blackman", "hamming", "hann")
]
kaiser = symmetric(ranges.kaiser_window, "kaiser", "beta")
cosine = new("cosine", lambda t, n: np.sin(np.pi * (t * n + 0.5) / (n + 1)))
exponential = new("exponential", lambda t, n, tau: np.exp(-np.abs(t - 0.5) * n / tau), tau=1.0)
gaussian = new("gaussian", lambda t, n, std: np.exp(-(((t - 0.5) * n / std) ** 2) / 2), std=1.0)
general_cosine = new("general_cosine", cosines, a=())
general_hamming = new(
    "general_hamming", lambda t, n, alpha: cosines(t, n, (alpha, 1 - alpha)), alpha=0.54
)
nuttall = new("nuttall", lambda t, n: cosines(t, n, (0.3635819, 0.4891775, 0.1365995, 0.0106411)))

__all__ = [
    "bartlett", "blackman", "cosine", "exponential", "gaussian", "general_cosine",
    "general_hamming", "hamming", "hann", "kaiser", "nuttall", "windows",
]  # fmt: skip

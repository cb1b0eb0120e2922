"""Random numbers: how often a thread has drawn, and normal numbers from uniform ones.

By the Box-Muller transform, with a uniform radius u and a uniform angle v, √(-2 log(1-u)) · cos 2πv
and · sin 2πv are normal. PyTorch computes float32 in vectors, with polynomials for log, sin and
cos; here they are again, step by step, because one that differs in the last digit would give other
numbers.

Source: PyTorch, aten/src/ATen/native/cpu/avx_mathfun.h and DistributionTemplates.h; the polynomials
are those of the Cephes library.

Read next: tensor/random/generator.py
"""

from threading import local
from typing import Any

import numpy as np


class Draws(local):
    """How often this thread has drawn from the default generator, which all threads share."""

    count = 0


draws = Draws()


single, double = np.float32, np.float64


def rounded(*numbers: float, kind: Any = double) -> list[Any]:
    """Return float32 numbers as 0-d arrays, which NumPy adds fastest."""
    return [np.array(number, kind) for number in np.array(numbers, single)]


LOG = rounded(
    7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
    -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
)  # fmt: skip
LOG_2 = rounded(-2.12194440e-4, 0.693359375)  # log 2 as a small part and a short one
COS = rounded(2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
SIN = rounded(-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
LESS = rounded(-0.785398125648498535, -3.77489497744594108e-8)  # -π/4
HALF, ONE, ROOT_HALF = rounded(0.5, 1, 0.5**0.5, kind=single)
TWO_PI, PER_OCTANT = rounded(2 * np.pi, 4 / np.pi, kind=single)
SIGNS = np.array([1] * 4 + [-1] * 4 + [1] * 3, single)  # of the sine in each octant
BLOCK = 32768  # numbers that fit into a processor's cache


def fused(a: Any, b: Any, c: Any) -> Any:
    """Return a·b + c, rounded once, as a processor's fused multiply-add does; all: float64."""
    wide = a * b
    wide += c
    return wide.astype(single)


def polynomial(x: Any, coefficients: Any) -> Any:
    """Return c₀ xⁿ + ... + cₙ, by Horner's rule."""
    y, wide = coefficients[0], x.astype(double)
    for c in coefficients[1:]:
        y = fused(wide, y.astype(double), c)
    return y


def log(x: np.ndarray) -> np.ndarray:
    """Return the logarithm of float32 numbers in (0, 1]."""
    mantissa, exponent = np.frexp(x)
    small = (mantissa < ROOT_HALF).astype(single)
    e = (exponent.astype(single) - small).astype(double)
    x = mantissa - ONE + mantissa * small
    z = x * x
    y = (polynomial(x, LOG) * x).astype(double)
    part = (e * LOG_2[0]).astype(single)
    y = fused(y, z.astype(double), part.astype(double)) - z * HALF
    return fused(e, LOG_2[1], (x + y).astype(double))


def cos_and_sin(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the cosine and the sine of float32 angles ≥ 0, reduced to the first octant."""
    octant = (x * PER_OCTANT).astype(np.int32)
    octant += octant & 1
    octants = octant.astype(double)
    for part in LESS:
        x = fused(octants, part, x.astype(double))
    z = x * x
    cos, sin = [(polynomial(z, each) * z).astype(double) for each in (COS, SIN)]
    half, wide = z * HALF, x.astype(double)
    cos = fused(cos, z.astype(double), -half.astype(double)) + ONE
    sin = fused(sin, wide, wide)
    swapped = (octant & 2).astype(bool)
    cos, sin = np.where(swapped, sin, cos), np.where(swapped, cos, sin)
    return cos * SIGNS.take(octant + 2), sin * SIGNS.take(octant)


def box_muller(u: np.ndarray) -> np.ndarray:
    """Turn uniform numbers into normal ones, in blocks of 16: 8 radii, then 8 angles."""
    if u.size > BLOCK:
        return np.concatenate([box_muller(u[i : i + BLOCK]) for i in range(0, u.size, BLOCK)])
    blocks = u.reshape(-1, 2, 8)
    if u.dtype == single:
        radius = np.sqrt(log(ONE - blocks[:, 0]) / -HALF)
        cos, sin = cos_and_sin(blocks[:, 1] * TWO_PI)
    else:
        radius = np.sqrt(-2 * np.log(1 - blocks[:, 0]))
        angle = 2 * np.pi * blocks[:, 1]
        cos, sin = np.cos(angle), np.sin(angle)
    return np.concatenate([radius * cos, radius * sin], 1).ravel()

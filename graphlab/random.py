"""Random numbers: PyTorch's own for the same seed, because both draw from the Mersenne Twister.

A uniform float is 24 bits of one draw, a double 53 bits of two; normal numbers come in pairs from
the Box-Muller transform, from 16 numbers on in blocks of 16.

Source: PyTorch, aten/src/ATen/core/DistributionsHelper.h and native/cpu/DistributionTemplates.h.

Read next: creation.py
"""

import math
from typing import Any

import numpy as np

DEFAULT_SEED = 67280421310721  # PyTorch's: numbers are the same in every run until seeded


class Generator:
    """A stream of random numbers, begun at a seed.

    >>> Generator().manual_seed(0).initial_seed()
    0
    """

    def __init__(self, device: str = "cpu") -> None:
        self.device = device
        self.manual_seed(DEFAULT_SEED)

    def manual_seed(self, seed: int) -> "Generator":
        """Begin again at `seed`: the numbers that follow are then always the same."""
        self._seed = int(seed)
        self._stream: Any = None  # made at the first draw: numpy.random takes 10 ms to import
        self._second_normal: float | None = None
        return self

    def initial_seed(self) -> int:
        return self._seed

    def seed(self) -> int:
        """Begin at a seed that nobody chose, and return it."""
        fresh = int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
        self.manual_seed(fresh)
        return fresh

    def bits(self, n: int) -> np.ndarray:
        """n draws of 32 random bits, as uint64."""
        if self._stream is None:
            self._stream = np.random.RandomState(self._seed & 0xFFFFFFFF)
        return self._stream.randint(0, 1 << 32, size=n, dtype=np.uint32).astype(np.uint64)

    def uniform(self, n: int, double: bool = False) -> np.ndarray:
        """n numbers in [0, 1): float32 from 24 bits each, or float64 from 53."""
        if double:
            pairs = self.bits(2 * n).reshape(n, 2)
            draws = (pairs[:, 0] << np.uint64(32)) | pairs[:, 1]
            return (draws & np.uint64((1 << 53) - 1)).astype(np.float64) * 2.0**-53
        return ((self.bits(n) & np.uint64((1 << 24) - 1)).astype(np.float32)) * np.float32(2**-24)

    def normal(self, n: int, double: bool = False) -> np.ndarray:
        """n numbers with mean 0 and standard deviation 1, as float32 or float64."""
        kind: Any = np.float64 if double else np.float32
        if n >= 16:
            return self._normal_blocks(n, double)
        return np.array([self._normal_one() for _ in range(n)], dtype=kind)

    def _normal_one(self) -> float:
        if self._second_normal is not None:
            second, self._second_normal = self._second_normal, None
            return second
        u1, u2 = self.uniform(2, double=True).tolist()
        radius = math.sqrt(-2.0 * math.log1p(-u2))
        angle = 2.0 * math.pi * u1
        self._second_normal = radius * math.sin(angle)
        return radius * math.cos(angle)

    def _normal_blocks(self, n: int, double: bool) -> np.ndarray:
        values = self.uniform(n, double)
        whole = n - n % 16
        values[:whole] = box_muller(values[:whole])
        if n % 16:  # the last 16 are drawn anew
            values[-16:] = box_muller(self.uniform(16, double))
        return values

    def uniform_between(self, low: float, high: float, n: int, double: bool) -> np.ndarray:
        """n numbers in [low, high), as `uniform_` draws them."""
        if double:
            return self.uniform(n, double) * (high - low) + low
        kind = np.float32  # product and sum are rounded once, as one machine instruction does it
        width, first = float(kind(high) - kind(low)), float(kind(low))
        return (self.uniform(n).astype(np.float64) * width + first).astype(kind)

    def normal_around(self, mean: float, std: float, n: int, double: bool) -> np.ndarray:
        """n numbers with that mean and standard deviation, as `normal_` draws them."""
        kind: Any = np.float64 if double else np.float32
        if n >= 16:
            return self._normal_blocks(n, double) * kind(std) + kind(mean)
        return np.array([self._normal_one() * std + mean for _ in range(n)], dtype=kind)

    def integers(self, low: int, high: int, n: int) -> np.ndarray:
        """n integers in [low, high)."""
        width = high - low
        if width < 1 << 32:
            draws = self.bits(n)
        else:
            pairs = self.bits(2 * n).reshape(n, 2)
            draws = (pairs[:, 0] << np.uint64(32)) | pairs[:, 1]
        return (draws % np.uint64(width)).astype(np.int64) + low

    def permutation(self, n: int) -> list[int]:
        """0 to n - 1 in random order, as `randperm` draws it."""
        order = list(range(n))
        for i, draw in enumerate(self.bits(max(n - 1, 0)).tolist()):
            j = i + draw % (n - i)
            order[i], order[j] = order[j], order[i]
        return order


def box_muller(u: np.ndarray) -> np.ndarray:
    """Normal numbers from uniform ones, in blocks of 16: the first 8 are radii, the last angles."""
    blocks = u.reshape(-1, 2, 8)
    radius = np.sqrt(-2 * np.log(1 - blocks[:, 0]))
    angle = (2 * np.pi * blocks[:, 1].astype(np.float64)).astype(u.dtype)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1).reshape(-1)


default_generator = Generator()


def manual_seed(seed: int) -> Generator:
    """Begin the default stream of random numbers at `seed`.

    >>> import graphlab as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.randn(2)
    tensor([ 1.5410, -0.2934])
    """
    return default_generator.manual_seed(seed)


def initial_seed() -> int:
    """The seed at which the default stream began."""
    return default_generator.initial_seed()


def seed() -> int:
    """Begin the default stream at a seed that nobody chose, and return it."""
    return default_generator.seed()

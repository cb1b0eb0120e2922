"""What the tests of the checker share.

Read next: tests/symbolic/test_lesson.py
"""

from __future__ import annotations

import numpy as np
import pytest

import graphlab


class Lesson:
    """e = a*b + c*log(d), with a = 2, b = 3, c = 5, d = 10."""

    def __init__(self) -> None:
        self.a, self.b, self.c, self.d = (leaf(v) for v in (2.0, 3.0, 5.0, 10.0))
        self.t = self.a * self.b
        self.e = self.t + self.c * graphlab.log(self.d)
        self.names = {getattr(self, n): n for n in "abcde"}


def leaf(value, dtype=None):
    """A tensor that requires a gradient."""
    tensor = graphlab.tensor(value) if dtype is None else graphlab.tensor(value).to(dtype)
    return tensor.requires_grad_()


def randn(*shape: int, seed: int = 0):
    """A leaf of random float32 entries."""
    return leaf(np.random.default_rng(seed).standard_normal(shape).astype(np.float32))


@pytest.fixture
def lesson() -> Lesson:
    return Lesson()

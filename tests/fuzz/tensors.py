"""Random tensors as plain data, from which either library makes the same tensor.

Read next: tests/fuzz/calls.py
"""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

Rng = np.random.Generator
DTYPES = ["float32"] * 10 + ["float64"] * 4 + ["int64"] * 3 + ["float16", "bool", "uint8", "int32"]
DTYPES += ["int8", "int16"]
SHAPES = [
    (), (1,), (3,), (4,), (2, 3), (3, 3), (3, 2), (1, 3), (2, 1), (2, 3, 4), (2, 2, 3), (1, 1, 1),
    (0,), (0, 3), (2, 0), (1, 2, 3, 4), (2, 1, 4, 4), (5, 5),
]  # fmt: skip
SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 1e-30, 1e30, 6e4]
LAYOUTS = ["plain"] * 6 + ["turned", "every other", "stretched"]


@dataclass
class Spec:
    """A tensor: the entries of its memory, how it looks at them, whether it needs a gradient."""

    memory: np.ndarray
    layout: str = "plain"
    grad: bool = False

    def make(self, lib: ModuleType) -> tuple[Any, Any]:
        """Return the leaf that owns the memory, and the tensor that looks at it."""
        leaf = lib.tensor(self.memory.copy())
        if not self.memory.size:  # PyTorch takes over NumPy's strides, which are 0
            leaf = lib.empty(self.memory.shape, dtype=leaf.dtype)
        if self.grad:
            leaf.requires_grad_()
        return leaf, self.seen(leaf)

    def seen(self, leaf: Any) -> Any:
        if self.layout == "turned":
            return leaf.transpose(0, -1)
        if self.layout == "every other":
            return leaf[..., ::2]
        return leaf.expand(self.shape) if self.layout == "stretched" else leaf

    @property
    def shape(self) -> tuple[int, ...]:
        own = self.memory.shape
        if self.layout == "turned":
            return (own[-1], *own[1:-1], own[0])
        if self.layout == "every other":
            return (*own[:-1], -(-own[-1] // 2))
        return (3, *own[1:]) if self.layout == "stretched" else own

    def __repr__(self) -> str:
        own = self.memory
        rounded = (
            np.vectorize(lambda x: float(f"{x:.3g}"))(own)
            if own.dtype.kind == "f" and own.size
            else own
        )
        said = [repr(rounded.tolist()), self.memory.dtype.name]
        said += [self.layout] * (self.layout != "plain") + ["grad"] * self.grad
        return f"<{', '.join(said)}>"


def entries(rng: Rng, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Numbers of one kind: around 0, positive, whole, or with nan, infinities and extremes."""
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    low = 0 if dtype == "uint8" else -3
    if dtype.startswith(("int", "uint")):
        return rng.integers(low, 6, shape).astype(dtype)
    kind = rng.choice(4, p=[0.5, 0.2, 0.15, 0.15])
    if kind == 0:
        found = rng.standard_normal(shape)
    elif kind == 1:
        found = rng.uniform(0.05, 0.95, shape)
    elif kind == 2:
        found = rng.integers(-3, 4, shape).astype(float)
    else:
        found = np.where(
            rng.random(shape) < 0.5, rng.choice(SPECIAL, shape), rng.normal(size=shape)
        )
    with np.errstate(all="ignore"):
        return np.asarray(found, dtype)


def spec(rng: Rng, shape: tuple[int, ...] | None = None, dtype: str | None = None) -> Spec:
    """A random tensor; of this shape and type where they are given."""
    kind = str(rng.choice(DTYPES)) if dtype is None else dtype
    size = SHAPES[rng.integers(len(SHAPES))] if shape is None else shape
    layout = str(rng.choice(LAYOUTS)) if size else "plain"
    if layout == "turned":
        own = (size[-1], *size[1:-1], size[0]) if len(size) > 1 else size
    elif layout == "every other":
        own = (*size[:-1], max(2 * size[-1] - 1, 0))
    elif layout == "stretched" and size[0] == 3:
        own = (1, *size[1:])
    else:
        own, layout = size, "plain"
    grad = kind.startswith("float") and rng.random() < 0.7
    return Spec(entries(rng, own, kind), layout, bool(grad))


def near(rng: Rng, like: Spec, dtype: str | None = None) -> Spec:
    """A second operand: of the same shape, of one that can be stretched to it, or of any."""
    kind = dtype
    if kind is None:
        kind = like.memory.dtype.name if rng.random() < 0.75 else str(rng.choice(DTYPES))
    shape, chance = like.shape, rng.random()
    if chance < 0.55:
        return spec(rng, shape, kind)
    if chance < 0.75:
        kept = tuple(n if rng.random() < 0.6 else 1 for n in shape)
        return spec(rng, kept[int(rng.integers(len(kept) + 1)) :], kind)
    return spec(rng, () if chance < 0.82 else None, kind)

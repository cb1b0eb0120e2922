"""What a sample is, and inputs that many of them share.

Read next: tests/core/samples/elementary.py
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from graphlab.primitives import tensor_namespace


@dataclass(frozen=True, slots=True)
class Arg:
    """One tensor that is passed: its shape and the range of its entries, or the entries themselves.

    kind: "f" takes the type that the test asks for; "i" int64, "b" bool, "h" always float32.
    """

    shape: tuple[int, ...] = ()
    low: float = 0.5
    high: float = 2.5
    data: Any = None
    grad: bool = True
    kind: str = "f"

    def array(self, dtype: Any = np.float64, seed: int = 0) -> np.ndarray:
        """The entries: evenly spread over [low, high], all different, in shuffled order."""
        if self.kind != "f":
            dtype = {"i": np.int64, "b": np.bool_, "h": np.float32}[self.kind]
        if self.data is not None:
            return np.asarray(self.data, dtype)
        n = int(np.prod(self.shape))
        spread = (np.arange(n) + 0.5) / max(n, 1) + 0.031 * seed / max(n, 1)
        shuffled = np.random.default_rng(seed).permutation(spread)
        return (self.low + (self.high - self.low) * shuffled).reshape(self.shape).astype(dtype)

    @property
    def wants_grad(self) -> bool:
        return self.grad and self.kind in "fh"


@dataclass(frozen=True, slots=True)
class Sample:
    """A call of one operation: `call(lib, *tensors)` ends in a node of `op`.

    h: the step of the difference quotient. differs: what PyTorch does otherwise in its graph, where
    it does; then only values and gradients are compared.
    """

    op: str
    call: Callable[..., Any]
    args: tuple[Arg, ...]
    note: str = ""
    h: float = 1e-6
    differs: str = ""

    def tensors(self, lib: ModuleType, dtype: str = "float64", grad: bool = True) -> list[Any]:
        """Fresh tensors of the library, the same entries for every library."""
        made = []
        for seed, arg in enumerate(self.args):
            t = lib.tensor(arg.array(getattr(np, dtype), seed))
            made.append(t.requires_grad_() if grad and arg.wants_grad else t)
        return made

    def reshaped(self, *shapes: tuple[int, ...]) -> Sample:
        """The same call of tensors with other shapes."""
        args = (replace(a, shape=s, data=None) for a, s in zip(self.args, shapes, strict=True))
        return replace(self, args=tuple(args))


def primitive(lib: ModuleType, name: str) -> Callable[..., Any]:
    """A primitive that users never call, for GraphLab or in PyTorch's terms."""
    return tensor_namespace()[name] if lib.__name__ == "graphlab" else _theirs(lib)[name]


def _theirs(torch: Any) -> dict[str, Callable[..., Any]]:
    def zeros(x: Any, sizes: tuple[int, ...]) -> Any:
        return torch.zeros(sizes, dtype=x.dtype)

    def put_slice(x: Any, sizes: Any, dim: int, index: Any) -> Any:
        if isinstance(index, int):
            return torch.ops.aten.select_backward(x, sizes, dim, index)
        at = (index.start, index.stop, index.step)
        return torch.ops.aten.slice_backward(x, sizes, dim, *at)

    def key(indices: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(torch.from_numpy(i) for i in indices)

    def along(index: Any) -> Any:
        return index if isinstance(index, torch.Tensor) else torch.from_numpy(index)

    return {
        "put_slice": put_slice,
        "put_at": lambda x, sizes, k: zeros(x, sizes).index_put(key(k), x, accumulate=True),
        "put_along": lambda x, sizes, dim, i: zeros(x, sizes).scatter_add(dim, along(i), x),
        "gather": lambda x, dim, i: torch.gather(x, dim, along(i)),
    }


@cache
def cubed(lib: ModuleType) -> Any:
    """A custom Function with a saved input, in the library's own words."""

    class Custom(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            (x,) = ctx.saved_tensors
            return grad * 3 * x * x

    return Custom


def S(op: str, call: Callable[..., Any], *args: Arg, **more: Any) -> Sample:
    return Sample(op, call, args, **more)


V, M, N, C = Arg((3,)), Arg((2, 3)), Arg((3, 4)), Arg((2, 3, 4))  # vector, matrices, cube
SIGNED = Arg((2, 3), -2.0, 2.0)
UNIT = Arg((2, 3), 0.1, 0.9)
OFF_STEPS = Arg((2, 3), -3.4, 3.7)  # no entry is whole, or half of a whole number
LOPSIDED = Arg((2, 3), -2.1, 1.8)
INNER = Arg((2, 3), -0.9, 0.9)
PIECES = Arg(data=[[-4.5, -3.3, -1.0], [0.5, 3.3, 5.0]])  # to both sides of -3 and of 3
MASK = Arg(data=[[True, False, True], [False, True, False]], kind="b")
ROWS = np.array([[0, 2, 1], [1, 1, 0]])  # an index along dim 1 with a repetition
ROWS_APART = Arg(data=[[0, 2], [1, 0]], kind="i")
CLASSES = Arg(data=[2, 0], kind="i")
CLASSES_C = Arg(data=[1, 0, 1], kind="i")


TIES = Arg(data=[[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]])
OTHER = Arg(data=[[1.0, 1.0, 3.0], [2.0, 3.0, 1.0]])
ZEROS = Arg(data=[0.0, -0.0, 1.0, -1.0])
SPECIAL = Arg(data=[np.nan, np.inf, -np.inf, 1.0])
ZEROS_2 = Arg(data=[0.0, 0.0])


def name_of(sample: Sample) -> str:
    return f"{sample.op}{'-' + sample.note.replace(' ', '_') if sample.note else ''}"

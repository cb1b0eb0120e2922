"""A batch of arrays that NumPy's functions take for one array, so that `vmap` calls each once.

    X: (B, 3) becomes a Batch whose shape is (3,); `W @ x + b` then computes B results in one call.

A tensor whose data is a Batch is used and recorded like any other, and so is its backward pass: the
rules of an operation meet a Batch where they would meet an array. What computes on the entries in
another way than by NumPy's functions raises `Unbatched`; `vmap` then runs one example at a time.

Read next: compat/func/levels.py
"""

import math
import threading
from collections.abc import Callable, Iterator
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

FLAGS = SimpleNamespace(c_contiguous=True, writeable=True, f_contiguous=False, forc=False)
SHARED = (
    "vmap: inplace arithmetic(self, *extra_args) is not possible: the examples share `self`; use "
    "y = y + x"
)
WRITES = {np.copyto, np.put, np.put_along_axis, np.place, np.putmask, np.fill_diagonal}


class Unbatched(TypeError):
    """An operation cannot compute all examples at once."""


class Active(threading.local):
    """The sizes of the batches over which this thread runs a function, the outermost first."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.transforms = self.vmaps = 0  # how many run, and how many of them are a vmap
        self.raised: Exception | None = None  # by the `vmap` of a user's Function


active = Active()


class Batch(NDArrayOperatorsMixin):
    """An array for each example, all of one shape. `every`: these arrays, stacked.

    level: how many batches lie around this one, for a `vmap` within a `vmap`. `every` may be a
    Batch of a lower level.
    """

    __slots__ = ("every", "level")
    flags = FLAGS
    dtype: Any  # of the class: as with NumPy's scalars, data of one class is of one type

    def __new__(cls, every: Any, level: int) -> "Batch":
        self = object.__new__(class_of(every.dtype))
        self.every, self.level = every, level
        return self

    # -- what an array tells -----------------------------------------------------------------------

    shape: Any = property(lambda self: self.every.shape[1:])
    strides: Any = property(lambda self: self.every.strides[1:])
    ndim: Any = property(lambda self: self.every.ndim - 1)
    size: Any = property(lambda self: int(np.prod(self.shape)))
    itemsize: Any = property(lambda self: self.every.itemsize)
    T: Any = property(lambda self: self.transpose())

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise Unbatched("a tensor inside vmap has no entries of its own: return it to look at it")

    __bool__ = __float__ = __int__ = __index__ = __array__

    # -- what an array does ------------------------------------------------------------------------

    def of(self, every: Any) -> "Batch":
        """Return a Batch of the same level."""
        return Batch(every, self.level)

    def axes(self, axis: Any) -> Any:
        """Return dimensions of an example, or None for all, as dimensions of `every`."""
        if axis is None:
            return tuple(range(1, self.ndim + 1))
        if isinstance(axis, tuple):
            return tuple(map(self.axes, axis))
        return axis + 1 if axis >= 0 else axis + self.every.ndim

    def __getitem__(self, key: Any) -> Any:
        return self.of(self.every[self.key(key)])

    def __setitem__(self, key: Any, value: Any) -> None:
        ndim = self[key].ndim
        self.every[self.key(key)] = lined_up(value, ndim, self.level)

    def key(self, key: Any) -> tuple[Any, ...]:
        """Return the key that takes from `every` what `key` takes from each example."""
        parts = key if isinstance(key, tuple) else (key,)
        places = [
            i for i, x in enumerate(parts) if isinstance(x, np.ndarray | np.generic | int | Batch)
        ]
        if any(is_at(x, self.level) for x in parts) and len(places) == len(parts):
            ndim, size = max(map(np.ndim, parts)), len(self.every)
            line = np.arange(size).reshape(size, *(1,) * ndim)
            return (line, *(lined_up(x, ndim, self.level) for x in parts))
        together = not places or places[-1] - places[0] == len(places) - 1
        if not together or any(isinstance(x, Batch) for x in parts):
            raise Unbatched("NumPy would put the dimensions of the indices first")
        return (slice(None), *parts)

    def reshape(self, *shape: Any) -> "Batch":
        shape = shape[0] if isinstance(shape[0], tuple) else shape
        return self.of(self.every.reshape((len(self.every), *shape)))

    def transpose(self, *dims: Any) -> "Batch":
        dims = dims[0] if dims and isinstance(dims[0], tuple) else dims
        dims = dims or tuple(range(self.ndim))[::-1]
        return self.of(self.every.transpose((0, *map(self.axes, dims))))

    def swapaxes(self, a: int, b: int) -> "Batch":
        return self.of(self.every.swapaxes(self.axes(a), self.axes(b)))

    def squeeze(self, axis: Any) -> "Batch":
        return self.of(self.every.squeeze(self.axes(axis)))

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> "Batch":
        return self.of(self.every.astype(dtype, *args, **kwargs))

    def copy(self, order: str = "C") -> "Batch":
        return self.of(self.every.copy())

    def rows(self, function: Callable[..., Any], *args: Any) -> "Batch":
        """Return what a function makes of all rows of the first dimension; it must not mix rows."""
        found = function(self.every.reshape((-1, *self.shape[1:])), *args)
        return self.of(found.reshape((len(self.every), self.shape[0], *found.shape[1:])))

    def check_shared(self, own: Any) -> None:
        """Raise RuntimeError when the examples share `own`."""
        if getattr(own, "level", 0) < self.level:
            active.raised = RuntimeError(SHARED)
            raise active.raised

    def dot(self, other: Any) -> Any:
        return np.matmul(self, other)

    # -- NumPy's functions -------------------------------------------------------------------------

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        out = kwargs.pop("out", ())
        level = max(x.level for x in (*inputs, *out) if isinstance(x, Batch))
        if "where" in kwargs or not all(is_at(x, level) for x in out):
            raise Unbatched("an operation writes into an array")
        if method == "at" and is_at(inputs[0], level):
            first, key, *rest = inputs
            ufunc.at(
                first.every, first.key(key), *(lined_up(x, first[key].ndim, level) for x in rest)
            )
            return None
        if method in ("reduce", "accumulate") and level == inputs[0].level:
            first, *rest = inputs
            axis = rest.pop(0) if rest else kwargs.pop("axis", 0)
            return first.of(getattr(ufunc, method)(first.every, first.axes(axis), *rest, **kwargs))
        if ufunc.__name__ == "matmul" and not out:
            return Batch(matrix_product(inputs[0], inputs[1], level), level)
        if method != "__call__" or ufunc.signature:
            raise Unbatched(f"{ufunc.__name__}.{method} has no form for batches")
        if out:
            kwargs["out"] = tuple(x.every for x in out)
        ndim = max(map(np.ndim, inputs))
        found = ufunc(*(lined_up(x, ndim, level) for x in inputs), **kwargs)
        return tuple(Batch(x, level) for x in found) if ufunc.nout > 1 else Batch(found, level)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if func in TOLD:
            return TOLD[func](*args)
        level, size = max((x.level, len(x.every)) for x in batches((args, kwargs)))
        if func in RULES:
            return Batch(RULES[func](level, *args, **kwargs), level)
        if func in WRITES or kwargs.get("out") is not None:
            raise Unbatched(f"{func.__name__} writes into an array")
        found = [func(*at(args, level, k), **at(kwargs, level, k)) for k in range(size)]
        if not isinstance(found[0], tuple | np.ndarray | np.generic | Batch):
            raise Unbatched(f"{func.__name__} does not return an array")
        if isinstance(found[0], tuple):
            return tuple(Batch(np.stack(part), level) for part in zip(*found, strict=True))
        return Batch(np.stack(found), level)


@cache
def class_of(dtype: np.dtype) -> type[Batch]:
    """Return the class of batches of this type."""
    return type("Batch", (Batch,), {"__slots__": (), "dtype": dtype})


def is_at(x: Any, level: int) -> bool:
    """Return whether x is a Batch of that level; another array serves every example."""
    return isinstance(x, Batch) and x.level == level


def lined_up(x: Any, ndim: int, level: int) -> Any:
    """Return what to compute with: `every`, with dimensions of size 1 behind the first one."""
    if not is_at(x, level):
        return x
    missing = ndim - x.ndim
    return x.every if missing == 0 else x.every[(slice(None), *(None,) * missing)]


def matrix_product(a: Any, b: Any, level: int) -> Any:
    """Return a @ b for each example; vectors become matrices of one row, or of one column."""
    if is_at(a, level) and not is_at(b, level) and b.ndim == 2:  # one product for all examples
        *outer, n = a.every.shape
        return np.matmul(a.every.reshape(math.prod(outer), n), b).reshape(*outer, b.shape[-1])
    if is_at(b, level) and not is_at(a, level) and b.ndim == 1 and a.ndim == 2:
        return np.matmul(b.every, a.T)
    row, column = a.ndim == 1, b.ndim == 1
    a, b = a[None] if row else a, b[:, None] if column else b
    ndim = max(a.ndim, b.ndim)
    found = np.matmul(lined_up(a, ndim, level), lined_up(b, ndim, level))
    found = found[..., 0] if column else found
    return found[..., 0] if row and column else found[..., 0, :] if row else found


def batches(tree: Any) -> list[Batch]:
    """Return every Batch in nested tuples, lists and dicts."""
    if isinstance(tree, dict):
        tree = list(tree.values())
    if isinstance(tree, tuple | list):
        return [x for branch in tree for x in batches(branch)]
    return [tree] if isinstance(tree, Batch) else []


def at(tree: Any, level: int, k: int) -> Any:
    """Return nested arguments of a function for example k."""
    if isinstance(tree, dict):
        return {key: at(branch, level, k) for key, branch in tree.items()}
    if isinstance(tree, tuple | list):
        return type(tree)([at(branch, level, k) for branch in tree])
    return tree.every[k] if is_at(tree, level) else tree


def in_full(x: Any, level: int, size: int) -> Any:
    """Return an array for every example, although they may be the same."""
    return x.every if is_at(x, level) else np.broadcast_to(x, (size, *np.shape(x)))


def depth(x: Any) -> int:
    """Return how many batches an array belongs to."""
    return 1 + depth(x.every) if isinstance(x, Batch) else 0


def in_all(data: Any, levels: int | None = None) -> Any:
    """Return data as a Batch of every active level: each example has its own copy."""
    level = len(active.sizes) if levels is None else levels
    if level == 0:
        return data
    return Batch(in_all(in_full(data, level, active.sizes[level - 1]), level - 1), level)


# -- rules for NumPy's functions; without one, a function is called for each example ------------


def _broadcast_to(level: int, x: Any, shape: tuple[int, ...]) -> Any:
    every = lined_up(x, len(shape), level)
    return np.broadcast_to(every, (len(every), *shape))


def _zeros_like(level: int, x: Any, dtype: Any = None, shape: Any = None) -> Any:
    whole = (len(x.every), *(x.shape if shape is None else shape))
    return np.zeros_like(x.every, dtype, shape=whole)


def _where(level: int, *inputs: Any) -> Any:
    ndim = max(map(np.ndim, inputs))
    return np.where(*(lined_up(x, ndim, level) for x in inputs))


def _joined(function: Callable[..., Any], level: int, arrays: Any, axis: int = 0) -> Any:
    size = next(len(x.every) for x in arrays if is_at(x, level))
    axis = axis + 1 if axis >= 0 else axis
    return function([in_full(x, level, size) for x in arrays], axis)


RULES: dict[Any, Callable[..., Any]] = {
    np.broadcast_to: _broadcast_to,
    np.reshape: lambda level, x, shape: x.reshape(tuple(shape)).every,
    np.zeros_like: _zeros_like,
    np.where: _where,
    np.concatenate: lambda level, x, axis=0: _joined(np.concatenate, level, x, axis),
    np.stack: lambda level, x, axis=0: _joined(np.stack, level, x, axis),
    np.swapaxes: lambda level, x, a, b: x.swapaxes(a, b).every,
    np.moveaxis: lambda level, x, a, b: np.moveaxis(x.every, x.axes(a), x.axes(b)),
}
TOLD: dict[Any, Callable[..., Any]] = {
    np.shape: lambda x: x.shape,
    np.ndim: lambda x: x.ndim,
    np.size: lambda x: x.size,
    np.result_type: lambda *x: np.result_type(*(x.dtype if isinstance(x, Batch) else x for x in x)),
    np.may_share_memory: lambda *x: np.may_share_memory(*(getattr(x, "every", x) for x in x)),
}

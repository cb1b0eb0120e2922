"""Taking entries of tensors from other places, and putting them there, recorded.

Read next: primitives/sympy_reading/scatter_gather.py
"""

# ruff: noqa: F401  (the primitives that tensors have as functions)
from typing import Any

import numpy as np

from graphlab.autograd.record import apply
from graphlab.ops import indexing as ix
from graphlab.ops import putting
from graphlab.primitives.numpy_reading import scatter_gather as of_arrays
from graphlab.tensor.functions import putting as functions
from graphlab.tensor.functions.splitting import unbind
from graphlab.tensor.tensor import Tensor, wrap

Sizes = tuple[int, ...]
Key = tuple[Any, ...]


def raw(part: Any) -> Any:
    """The data of an index, which may be a tensor."""
    return part._data if isinstance(part, Tensor) else part


def wrapped(index: Any) -> Tensor:
    """An index, which may be raw data, as a tensor."""
    return index if isinstance(index, Tensor) else wrap(np.asarray(index)[()], False, None)


def select(x: Tensor, dim: int, index: int) -> Tensor:
    """One index along `dim`."""
    return apply(ix.Select, x, dim=dim, index=index)


def slice_(x: Tensor, dim: int, start: int, end: int, step: int) -> Tensor:
    """A range along `dim`."""
    return apply(ix.Slice, x, dim=dim, start=start, end=end, step=step)


def put_slice(x: Tensor, sizes: Sizes, dim: int, index: int | slice) -> Tensor:
    """Zeros of `sizes` with `x` at `index` along `dim`."""
    return apply(ix.PutSlice, x, sizes=tuple(sizes), dim=dim, index=index)


def take(x: Tensor, key: Key) -> Tensor:
    """x[key]."""
    return apply(ix.Index, x, indices=tuple(map(raw, key)))


def put_at(values: Tensor, sizes: Sizes, key: Key) -> Tensor:
    """Zeros of `sizes` with `values` added at `key`."""
    return apply(ix.PutAt, values, sizes=tuple(sizes), indices=tuple(map(raw, key)))


def at_dim(dim: int, part: Any, sizes: Sizes) -> Key:
    """The key that names `part` along one dimension."""
    return of_arrays.at_dim(dim, raw(part), sizes)


def put(x: Tensor, key: Key, values: Any) -> Tensor:
    """A copy with `values`, entries or one number, at `key`."""
    if not isinstance(values, Tensor):
        values = wrap(x._data.dtype.type(values), False, None)
    return apply(putting.IndexPut, x, values, indices=tuple(map(raw, key)))


def gather(x: Tensor, dim: int, index: Any) -> Tensor:
    """The entries that `index` names along `dim`."""
    return apply(ix.Gather, x, index, dim=dim)


def scatter(x: Tensor, dim: int, index: Any, values: Any) -> Tensor:
    """A copy of `x` with `values` at `index` along `dim`."""
    return functions.scatter(x, dim, wrapped(index), values)


def put_along(values: Tensor, sizes: Sizes, dim: int, index: Any) -> Tensor:
    """Zeros of `sizes` with `values` at `index` along `dim`."""
    return apply(ix.PutAlong, values, sizes=tuple(sizes), dim=dim, index=raw(index))


def combine_along(
    x: Tensor, dim: int, index: Any, src: Tensor, reduce: str, include_self: bool
) -> Tensor:
    """`src` combined with a copy of `x` at `index`."""
    options = {"dim": dim, "reduce": reduce, "include_self": include_self}
    return apply(putting.ScatterReduce, x, wrapped(index), src, **options)

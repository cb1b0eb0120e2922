"""The words of ops/moves.py for tensors: taking and putting are recorded operations.

Read next: tensor/functions/words.py
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from graphlab.autograd.record import apply
from graphlab.ops import combining, diagonals, moves, putting
from graphlab.ops.arrange import Rot90
from graphlab.ops.base import read
from graphlab.tensor.tensor import Tensor, wrap

Sizes = tuple[int, ...]


def raw(part: Any) -> Any:
    """The data of an index, which may be a tensor."""
    return part._data if isinstance(part, Tensor) else part


def at_dim(dim: int, part: Any, sizes: Sizes) -> tuple[Any, ...]:
    """The key that names `part` along one dimension."""
    return moves.at_dim(dim, raw(part), sizes)


def put(x: Tensor, key: tuple[Any, ...], values: Any) -> Tensor:
    """A copy with `values`, entries or one number, at `key`."""
    if not isinstance(values, Tensor):
        values = wrap(x._data.dtype.type(values), False, None)
    return apply(putting.IndexPut, x, values, indices=tuple(raw(part) for part in key))


def diagonal(x: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
    """The diagonal of the matrices in two dimensions."""
    return apply(diagonals.Diagonal, x, offset=offset, dim1=dim1, dim2=dim2)


def put_diagonal(x: Tensor, sizes: Sizes, offset: int, dim1: int, dim2: int) -> Tensor:
    """Zeros of `sizes` with `x` on a diagonal."""
    options = {"sizes": tuple(sizes), "offset": offset, "dim1": dim1, "dim2": dim2}
    return apply(diagonals.DiagEmbed, x, **options)


def rot90(x: Tensor, k: int, dims: Sizes) -> Tensor:
    """Turned by quarters."""
    return apply(Rot90, x, k=k, dims=dims)


def combine_along(
    x: Tensor, dim: int, index: Any, src: Tensor, reduce: str, include_self: bool
) -> Tensor:
    """`src` combined with a copy of `x` at `index`."""
    index = index if isinstance(index, Tensor) else wrap(np.asarray(index), False, None)
    options = {"dim": dim, "reduce": reduce, "include_self": include_self}
    return apply(combining.ScatterReduce, x, index, src, **options)


RECORDED = {
    word.__name__: word for word in (at_dim, put, diagonal, put_diagonal, rot90, combine_along)
}


def move_words(words: Mapping[str, Any]) -> dict[str, Any]:
    """The words, read against those that tensors have already."""
    found: dict[str, Any] = {name: getattr(moves, name) for name in moves.WORDS}
    found |= RECORDED
    known = {**words, **found}
    found |= {name: read(getattr(moves, name), known) for name in moves.COMPOSED}
    return found

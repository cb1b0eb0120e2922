"""Entries put in other places: reversed, repeated, split, each with its checks.

Read next: functional/words.py
"""

from collections.abc import Sequence
from typing import Any

from graphlab.autograd.record import apply
from graphlab.functional.dims import dims_of, given_dims, one_dim
from graphlab.functional.shapes import (
    cat,
    expand,
    fill_in,
    permute,
    reshape,
    size_from,
    unsqueeze,
    view,
)
from graphlab.ops import arrange as ar
from graphlab.ops import indexing as ix
from graphlab.ops import shape as sh
from graphlab.tensor import Tensor


def flip(input: Tensor, *dims: Any) -> Tensor:
    """The entries in reverse order along `dims`.

    >>> import graphlab as torch
    >>> flip(torch.tensor([1, 2, 3]), 0)
    tensor([3, 2, 1])
    """
    return apply(ar.Flip, input, dims=given_dims(size_from(dims), input.ndim))


def roll(input: Tensor, shifts: Any, dims: Any = ()) -> Tensor:
    """The entries moved on by `shifts` along `dims`, round the end.

    Raises: RuntimeError when there are not as many shifts as dims.

    >>> import graphlab as torch
    >>> roll(torch.tensor([1, 2, 3]), 1)
    tensor([3, 1, 2])
    """
    steps, along = size_from((shifts,)), given_dims(dims, input.ndim)
    if len(steps) != len(along) and (along or len(steps) != 1):
        raise RuntimeError(
            f"shifts and dimensions must align. shifts: {len(steps)}, dims:{len(along)}"
        )
    return apply(ar.Roll, input, shifts=steps, dims=along)


def tril(input: Tensor, diagonal: int = 0) -> Tensor:
    """The triangle on and below a diagonal of each matrix, 0 above.

    >>> import graphlab as torch
    >>> tril(torch.ones(2, 2))
    tensor([[1., 0.],
            [1., 1.]])
    """
    return apply(ar.Tril, matrix(input, "tril"), diagonal=diagonal)


def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    """The triangle on and above a diagonal of each matrix, 0 below."""
    return apply(ar.Triu, matrix(input, "triu"), diagonal=diagonal)


def matrix(input: Tensor, name: str) -> Tensor:
    """The tensor itself; RuntimeError, as PyTorch says it, when it is no matrix."""
    if input.ndim < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")
    return input


def repeat(input: Tensor, *repeats: Any) -> Tensor:
    """Copies beside each other, so many along each dimension.

    Raises: RuntimeError for fewer numbers than dimensions.

    >>> import graphlab as torch
    >>> torch.tensor([1, 2]).repeat(2)
    tensor([1, 2, 1, 2])
    """
    times = size_from(repeats)
    if len(times) < input.ndim:
        raise RuntimeError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of "
            "tensor"
        )
    return apply(ar.Repeat, input, repeats=times)


def tile(input: Tensor, *dims: Any) -> Tensor:
    """Copies beside each other; dimensions that are not named are not repeated."""
    times = size_from(dims)
    return repeat(input, (1,) * (input.ndim - len(times)) + times)


def split(input: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Stretches of one size along `dim`, the last may be shorter; or stretches of given sizes.

    Raises: RuntimeError when the sizes do not add up.

    >>> import graphlab as torch
    >>> split(torch.tensor([1, 2, 3]), 2)
    (tensor([1, 2]), tensor([3]))
    """
    d = one_dim(dim, input.ndim)
    if not isinstance(split_size_or_sections, int):
        sizes = size_from((split_size_or_sections,))
        if min(sizes, default=0) < 0 or sum(sizes) != input.shape[d]:
            raise RuntimeError(
                "split_with_sizes expects split_sizes to sum exactly to "
                f"{input.shape[d]} (input tensor's size at dimension {d}), but got "
                f"split_sizes={list(sizes)}"
            )
        return apply(ar.SplitWithSizes, input, split_sizes=sizes, dim=dim)
    if split_size_or_sections < 0:
        raise RuntimeError(
            f"split expects split_size be non-negative, but got split_size={split_size_or_sections}"
        )
    if split_size_or_sections == 0 and input.shape[d]:
        raise RuntimeError(
            "split_size can only be 0 if dimension size is 0, but got dimension size of "
            f"{input.shape[d]}"
        )
    return apply(ar.Split, input, split_size=split_size_or_sections, dim=dim)


def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` stretches along `dim`, all of one size but the last."""
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    n = input.shape[one_dim(dim, input.ndim)]
    return split(input, -(-n // chunks), dim)


def narrow(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """The `length` entries from `start` on along `dim`.

    Raises: RuntimeError when they reach past the end.
    """
    d = one_dim(dim, input.ndim)
    n = input.shape[d]
    if length < 0 or start + length > n:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({n}).")
    return apply(ix.Slice, input, dim=dim, start=start, end=start + length, step=1)


def select(input: Tensor, dim: int, index: int) -> Tensor:
    """One index along `dim`. Raises: IndexError when it is out of range."""
    d = one_dim(dim, input.ndim)
    n = input.shape[d]
    if not -n <= index < n:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(input.shape)} at "
            f"dimension {d}"
        )
    return apply(ix.Select, input, dim=dim, index=index)


def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    """Dimensions moved to other places; the rest keep their order."""
    from_, to = dims_of(source, input.ndim), dims_of(destination, input.ndim)
    if len(from_) != len(to):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({list(from_)} dims) should "
            f"contain the same number of dims as destination ({list(to)} dims)"
        )
    if input.ndim == 0:
        return apply(sh.Alias, input)
    order = [d for d in range(input.ndim) if d not in from_]
    for place, d in sorted(zip(to, from_, strict=True)):
        order.insert(place, d)
    return permute(input, tuple(order))


def unflatten(input: Tensor, dim: int, sizes: Any) -> Tensor:
    """The dimension `dim` as several, of the given sizes; one may be -1."""
    d = one_dim(dim, input.ndim)
    shape = tuple(input.shape)
    target = fill_in(size_from((sizes,)), shape[d])
    return view(input, (*shape[:d], *target, *shape[d + 1 :]))


def broadcast_to(input: Tensor, size: Any) -> Tensor:
    """The tensor expanded to `size`, without copying."""
    return expand(input, size)


def atleast_1d(input: Tensor) -> Tensor:
    """The tensor, as a vector when it is 0-d."""
    return reshape(input, 1) if input.ndim == 0 else input


def atleast_2d(input: Tensor) -> Tensor:
    """The tensor, as a matrix of one row when it has fewer dimensions."""
    return (
        reshape(input, 1, 1)
        if input.ndim == 0
        else unsqueeze(input, 0)
        if input.ndim == 1
        else input
    )


def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors beside each other: along the second dimension, along the only one of vectors."""
    parts = [atleast_1d(t) for t in tensors]
    return cat(parts, 0 if parts[0].ndim == 1 else 1)


def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors below each other: along the first dimension; vectors are rows."""
    return cat([atleast_2d(t) for t in tensors], 0)

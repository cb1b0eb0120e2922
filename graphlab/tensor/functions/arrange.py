"""Move entries: reverse, rotate, shift and repeat them, each with its checks; `x.T`, `x.mT`, `x.H`.

Read next: primitives/table.py
"""

import warnings
from typing import Any

import numpy as np

from graphlab.autograd.record import apply
from graphlab.common.errors import users_level
from graphlab.common.public import public
from graphlab.ops import arrange as ar
from graphlab.ops import shapes as sh
from graphlab.tensor.creation import size_from
from graphlab.tensor.functions.checks import given_dims, not_for, one_dim
from graphlab.tensor.functions.picking import index_select
from graphlab.tensor.functions.pointwise import clone
from graphlab.tensor.functions.shapes import expand, flatten, permute, transpose, unsqueeze
from graphlab.tensor.tensor import Tensor, wrap


@public(method=True)
def flip(input: Tensor, *order: Any, dims: Any = None) -> Tensor:
    """Reverse the order of the entries along `dims`. input: (...) -> (...).

    >>> flip(torch.tensor([1, 2, 3]), 0)
    tensor([3, 2, 1])
    """
    named = given_dims(size_from(order, dims, ("flip", "dims")), input.ndim)
    return apply(ar.Flip, input, dims=named)


@public(method=True)
def fliplr(input: Tensor) -> Tensor:
    """Return the columns in reverse order. input: (N, M, ...) -> (N, M, ...).

    >>> torch.fliplr(torch.tensor([[1, 2], [3, 4]]))
    tensor([[2, 1],
            [4, 3]])
    """
    if input.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return flip(input, 1)


@public(method=True)
def flipud(input: Tensor) -> Tensor:
    """Return the rows in reverse order. input: (N, ...) -> (N, ...).

    >>> torch.flipud(torch.tensor([[1, 2], [3, 4]]))
    tensor([[3, 4],
            [1, 2]])
    """
    if input.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return flip(input, 0)


@public(method=True)
def rot90(input: Tensor, k: int = 1, dims: Any = (0, 1)) -> Tensor:
    """Rotate by `k` quarter turns, from the first of `dims` to the second.

    input: (N, M, ...) -> (M, N, ...) for an odd k and the default `dims`.

    >>> rot90(torch.tensor([[1, 2], [3, 4]]))
    tensor([[2, 4],
            [1, 3]])
    """
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if input.ndim < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {input.ndim}")
    if one_dim(dims[0], input.ndim) == one_dim(dims[1], input.ndim):
        raise RuntimeError(
            f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}"
        )
    return apply(ar.Rot90, input, k=k, dims=tuple(dims))


@public(method=True)
def roll(input: Tensor, shifts: Any, dims: Any = ()) -> Tensor:
    """Shift the entries by `shifts` along `dims`, cyclically: the last ones come first.

    input: (...) -> (...).
    Raises: RuntimeError when there are not as many shifts as dims.

    >>> roll(torch.tensor([1, 2, 3]), 1)
    tensor([3, 1, 2])
    """
    steps = size_from((shifts,), None, ("roll", "shifts"))
    if input.ndim == 0 and size_from((dims,)):
        raise IndexError(
            f"Dimension specified as {size_from((dims,))[0]} but tensor has no dimensions"
        )
    along = given_dims(dims, input.ndim)
    if len(steps) != len(along) and (along or len(steps) != 1):
        raise RuntimeError(
            f"shifts and dimensions must align. shifts: {len(steps)}, dims:{len(along)}"
        )
    return apply(ar.Roll, input, shifts=steps, dims=along)


@public(method=True, in_place=True, out=True)
def tril(input: Tensor, diagonal: int = 0) -> Tensor:
    """Keep the triangle on and below a diagonal of each matrix; the rest is 0. input: (..., N, M).

    diagonal: 0 for the main diagonal, positive above it, negative below.

    >>> tril(torch.ones(2, 2))
    tensor([[1., 0.],
            [1., 1.]])
    """
    return apply(ar.Tril, matrix(input, "tril"), diagonal=diagonal)


@public(method=True, in_place=True, out=True)
def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    """Keep the triangle on and above a diagonal of each matrix; the rest is 0. input: (..., N, M).

    diagonal: 0 for the main diagonal, positive above it, negative below.

    >>> torch.triu(torch.ones(2, 2))
    tensor([[1., 1.],
            [0., 1.]])
    """
    return apply(ar.Triu, matrix(input, "triu"), diagonal=diagonal)


def matrix(input: Tensor, name: str) -> Tensor:
    """Return the tensor. Raises: RuntimeError, in PyTorch's words, unless it is a matrix."""
    if input.ndim < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")
    return input


@public(function=False, method=True)
def repeat(input: Tensor, *times: Any, repeats: Any = None) -> Tensor:
    """Put copies of the tensor side by side, as many along each dimension as `times` says.

    repeats: `times` by name.
    Raises: RuntimeError for fewer numbers than dimensions.

    >>> torch.tensor([1, 2]).repeat(2)
    tensor([1, 2, 1, 2])
    """
    many = size_from(times, repeats, ("repeat", "repeats"))
    if len(many) < input.ndim:
        raise RuntimeError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of "
            "tensor"
        )
    own = (1,) * (len(many) - input.ndim) + tuple(input.shape)
    for n, m in zip(many, own, strict=True):
        if n < 0:
            sizes = [a * b for a, b in zip(many, own, strict=True)]
            raise RuntimeError(f"Trying to create tensor with negative dimension {n * m}: {sizes}")
    return apply(ar.Repeat, input, repeats=many)


@public(method=True)
def tile(input: Tensor, *times: Any, dims: Any = None) -> Tensor:
    """Put copies of the tensor side by side. input: (...) -> (...), each size times its count.

    times: the counts, as ints or one tuple, from the last dimension on; dims: the same by name.

    >>> torch.tile(torch.tensor([1, 2]), (2, 2))
    tensor([[1, 2, 1, 2],
            [1, 2, 1, 2]])
    """
    many = size_from(times, dims, ("tile", "dims"))
    return repeat(input, (1,) * (input.ndim - len(many)) + many)


@public(method=True)
def repeat_interleave(
    input: Tensor, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None
) -> Tensor:
    """Repeat each entry `repeats` times in a row, along `dim` or, if None, among all entries.

    repeats: an int, or a tensor with a count for each entry. output_size: the resulting size along
    `dim`, without effect. With `input` alone: index i is repeated input[i] times.

    >>> torch.repeat_interleave(torch.tensor([5, 6]), 2)
    tensor([5, 5, 6, 6])
    """
    if repeats is None:
        times = counts(input)
        return wrap(np.repeat(np.arange(len(times)), times), False, None)
    if dim is None:
        input, dim = flatten(input), 0
    d = one_dim(dim, input.ndim)
    if isinstance(repeats, Tensor):
        times, n = counts(repeats), input.shape[d]
        if len(times) not in (1, n):
            raise RuntimeError(
                "repeats must have the same size as input along dim, but got repeats.size(0) = "
                f"{len(times)} and input.size({d}) = {n}"
            )
        index = np.repeat(np.arange(n), times)
        return index_select(input, dim, wrap(index, False, None))
    if repeats < 0:
        raise RuntimeError("Repeats must be non-negative")
    sizes = tuple(input.shape)
    wide = expand(unsqueeze(input, d + 1), (*sizes[: d + 1], repeats, *sizes[d + 1 :]))
    return flatten(clone(wide), d, d + 1)


def counts(repeats: Tensor) -> np.ndarray:
    """Return how often each entry is repeated. Raises: RuntimeError for a negative number."""
    times = np.asarray(repeats._data).reshape(-1)
    if times.dtype not in (np.int64, np.int32):
        raise not_for("repeat_interleave_cpu", repeats)
    if (times < 0).any():
        raise RuntimeError("repeats can not be negative")
    return times


@public(method=True)
def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    """Move the dimensions `source` to the places `destination`; the others keep their order.

    source, destination: an int or a tuple of ints each.

    >>> torch.movedim(torch.ones(2, 3, 4), 0, -1).shape
    torch.Size([3, 4, 2])
    """
    given = [(d,) if isinstance(d, int) else tuple(d) for d in (source, destination)]
    from_, to = ([one_dim(d, input.ndim) for d in dims] for dims in given)
    if len(from_) != len(to):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({list(given[0])} dims) should "
            f"contain the same number of dims as destination ({list(given[1])} dims)"
        )
    for dims, own, name in ((from_, given[0], "source"), (to, given[1], "destination")):
        if len(set(dims)) != len(dims):
            raise RuntimeError(f"movedim: repeated dim in `{name}` ({list(own)})")
    if input.ndim == 0:
        return apply(sh.Alias, input)
    order = [d for d in range(input.ndim) if d not in from_]
    for place, d in sorted(zip(to, from_, strict=True)):
        order.insert(place, d)
    return permute(input, tuple(order))


@public(method=True)
def moveaxis(input: Tensor, source: Any, destination: Any) -> Tensor:
    """Move dimensions to other places, as `movedim` does under NumPy's name.

    source, destination: an int or a tuple of ints each; the other dimensions keep their order.

    >>> torch.moveaxis(torch.ones(2, 3, 4), 0, -1).shape
    torch.Size([3, 4, 2])
    """
    return movedim(input, source, destination)


IDENTITY = "is deprecated on 0-D tensors. This function is the identity in these cases."
NOT_A_MATRIX = (
    "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated "
    "and it will throw an error in a future release. Consider `x.mT` to transpose batches of "
    "matrices or `x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a "
    "tensor."
)


@public(method=True)
def adjoint(input: Tensor) -> Tensor:
    """Swap the last two dimensions, which transposes each matrix.

    input: (..., N, M) -> (..., M, N).

    >>> torch.adjoint(torch.tensor([[1, 2], [3, 4]]))
    tensor([[1, 3],
            [2, 4]])
    """
    return matrices_transposed(input, "adjoint()")


def matrices_transposed(input: Tensor, name: str = "mT") -> Tensor:
    """Swap the last two dimensions: `x.mT`. Raises: RuntimeError for a vector."""
    if input.ndim == 1:
        raise RuntimeError(
            f"tensor.{name} is only supported on matrices or batches of matrices. Got 1-D tensor."
        )
    if input.ndim == 0:
        warnings.warn(f"Tensor.{name} {IDENTITY}", UserWarning, stacklevel=users_level())
        return permute(input, ())
    return transpose(input, -2, -1)


def matrix_transposed(input: Tensor) -> Tensor:
    """Swap the dimensions of a matrix: `x.H`. Raises: RuntimeError for other tensors."""
    if input.ndim not in (0, 2):
        batch = " For batches of matrices, consider using tensor.mH" if input.ndim > 2 else ""
        raise RuntimeError(
            "tensor.H is only supported on matrices (2-D tensors). Got "
            f"{input.ndim}-D tensor.{batch}"
        )
    return matrices_transposed(input, "H")


def reversed_dims(input: Tensor) -> Tensor:
    """Reverse the order of the dimensions: `x.T`, the transpose of a matrix."""
    if input.ndim == 0:
        warnings.warn(f"Tensor.T {IDENTITY}", UserWarning, stacklevel=users_level())
    elif input.ndim != 2:
        warnings.warn(NOT_A_MATRIX, UserWarning, stacklevel=users_level())
    return permute(input, tuple(range(input.ndim))[::-1])

"""Split a tensor along one dimension: into equal or given sizes, one index, a range.

Read next: primitives/table.py
"""

import builtins
from typing import Any

import numpy as np

from graphlab.autograd.record import apply
from graphlab.common.public import public
from graphlab.ops import arrange as ar
from graphlab.ops import indexing as ix
from graphlab.tensor.creation import size_from
from graphlab.tensor.functions.checks import given_dim, one_dim, some_dim, type_name
from graphlab.tensor.functions.pointwise import clone
from graphlab.tensor.tensor import Tensor


@public(method=True)
def split(tensor: Tensor, split_size_or_sections: Any = None, dim: int = 0, **named: Any) -> Any:
    """Split the tensor along `dim` into pieces of one size or of given sizes.

    split_size_or_sections: an int, where the last piece may be smaller, or a list of ints;
    named: the same as split_size. Raises: RuntimeError when the sizes do not add up.

    >>> torch.split(torch.tensor([1, 2, 3]), 2)
    (tensor([1, 2]), tensor([3]))
    """
    size = named.get("split_size", split_size_or_sections)
    n = tensor.shape[dim_to_split(tensor, dim)]
    if isinstance(size, float):
        raise TypeError(
            "split_with_sizes(): argument 'split_sizes' (position 2) must be tuple of ints, not "
            "float"
        )
    if not hasattr(size, "__index__"):
        return split_with_sizes(tensor, size, dim)
    size = int(size)
    if size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={size}")
    if size == 0 and n:
        raise RuntimeError(
            f"split_size can only be 0 if dimension size is 0, but got dimension size of {n}"
        )
    return apply(ar.Split, tensor, split_size=size, dim=dim)


@public(method=True)
def split_with_sizes(input: Tensor, split_sizes: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Split the tensor along `dim` into pieces of the sizes `split_sizes`.

    Raises: RuntimeError when they do not add up.

    >>> torch.split_with_sizes(torch.tensor([1, 2, 3]), [1, 2])
    (tensor([1]), tensor([2, 3]))
    """
    d, sizes = dim_to_split(input, dim), size_from((split_sizes,))
    n = input.shape[d]
    if builtins.min(sizes, default=0) < 0:
        raise RuntimeError(
            "split_with_sizes expects split_sizes have only non-negative entries, but got "
            f"split_sizes={list(sizes)}"
        )
    if builtins.sum(sizes) != n:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {n} (input tensor's size at "
            f"dimension {d}), but got split_sizes={list(sizes)}"
        )
    return apply(ar.SplitWithSizes, input, split_sizes=sizes, dim=dim)


def dim_to_split(tensor: Tensor, dim: int) -> int:
    """Return the dimension, counted from the front. Raises: RuntimeError for a 0-d tensor."""
    if tensor.ndim == 0:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    return one_dim(dim, tensor.ndim)


@public(method=True)
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Split the tensor along `dim` into at most `chunks` equal pieces; the last may be smaller.

    >>> torch.chunk(torch.tensor([1, 2, 3]), 2)
    (tensor([1, 2]), tensor([3]))
    """
    size = size_of_chunks(input, chunks, dim)
    return split(input, size, dim) if size else split_with_sizes(input, (0,) * chunks, dim)


def size_of_chunks(input: Tensor, chunks: int, dim: int) -> int:
    """Return how long each of at most `chunks` pieces is along `dim`. Raises: RuntimeError."""
    if input.ndim == 0:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    return -(-input.shape[one_dim(dim, input.ndim)] // chunks)


@public(method=True)
def unsafe_split(input: Tensor, split_size: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Split as `split` does along `dim`; changes of the pieces in place are not tracked.

    split_size: the size of a piece; the last may be smaller.

    >>> torch.unsafe_split(torch.tensor([1, 2, 3]), 2)
    (tensor([1, 2]), tensor([3]))
    """
    split(input.detach(), split_size, dim)  # for its errors
    return apply(ar.UnsafeSplit, input, split_size=split_size, dim=dim)


@public(method=True)
def unsafe_split_with_sizes(input: Tensor, split_sizes: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Split as `split_with_sizes` does; changes of the pieces in place are not tracked.

    split_sizes: the size of each piece along `dim`.

    >>> torch.unsafe_split_with_sizes(torch.tensor([1, 2, 3]), [1, 2])
    (tensor([1]), tensor([2, 3]))
    """
    split_with_sizes(input.detach(), split_sizes, dim)  # for its errors
    return apply(ar.UnsafeSplitWithSizes, input, split_sizes=size_from((split_sizes,)), dim=dim)


@public(method=True)
def unsafe_chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Split as `chunk` does along `dim`; changes of the `chunks` pieces in place are not tracked.

    >>> torch.unsafe_chunk(torch.tensor([1, 2, 3]), 2)
    (tensor([1, 2]), tensor([3]))
    """
    size = size_of_chunks(input, chunks, dim)
    if size == 0:
        return tuple(clone(piece) for piece in chunk(input, chunks, dim))
    return apply(ar.UnsafeSplit, input, split_size=size, dim=dim)


@public(method=True)
def tensor_split(
    input: Tensor, indices_or_sections: Any = None, dim: int = 0, **named: Any
) -> tuple[Tensor, ...]:
    """Split the tensor along `dim` into nearly equal pieces, or at given indices.

    indices_or_sections: the number of pieces, or a tuple of indices;
    named: the same as `sections` or `indices`.

    >>> torch.tensor_split(torch.arange(5), 2), torch.tensor_split(torch.arange(3), (1,))
    ((tensor([0, 1, 2]), tensor([3, 4])), (tensor([0]), tensor([1, 2])))
    """
    given = named.get("sections", named.get("indices", indices_or_sections))
    if input.ndim == 0:
        raise RuntimeError(
            "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims"
        )
    d = one_dim(dim, input.ndim)
    n = input.shape[d]
    if isinstance(given, Tensor):
        said = "tensor_split expected tensor_indices_or_sections to"
        if given._data.dtype != np.int64:
            raise RuntimeError(f"{said} have dtype of long, but got {type_name(given)}")
        if given.ndim > 1:
            raise RuntimeError(f"{said} be a zero-dimensional or one-dimensional tensor, but got "
                               f"a tensor with {given.ndim} dims")  # fmt: skip
        given = given.tolist()
    if isinstance(given, int):
        if given <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {given}")
        small, more = divmod(n, given)
        ends = [small * (i + 1) + builtins.min(i + 1, more) for i in range(given)]
        starts = [0, *ends[:-1]]
    else:
        starts, ends = [0, *given], [*given, n]
    return tuple(
        apply(ix.Slice, input, dim=d, start=start, end=end, step=1)
        for start, end in zip(starts, ends, strict=True)
    )


@public(method=True)
def hsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Split the tensor along the second dimension, a vector along its only one.

    indices_or_sections: the number of pieces, or a tuple of indices.

    >>> torch.hsplit(torch.tensor([1, 2, 3]), (1,))
    (tensor([1]), tensor([2, 3]))
    """
    return evenly("hsplit", input, indices_or_sections, 0 if input.ndim == 1 else 1, 1)


@public(method=True)
def vsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Split the tensor along the first dimension, as `tensor_split` does.

    indices_or_sections: the number of pieces, or a tuple of indices.

    >>> torch.vsplit(torch.tensor([[1, 2], [3, 4]]), 2)
    (tensor([[1, 2]]), tensor([[3, 4]]))
    """
    return evenly("vsplit", input, indices_or_sections, 0, 2)


@public(method=True)
def dsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Split the tensor along the third dimension, as `tensor_split` does.

    indices_or_sections: the number of pieces, or a tuple of indices.

    >>> [x.shape[2] for x in torch.dsplit(torch.ones(1, 1, 4), 2)]
    [2, 2]
    """
    return evenly("dsplit", input, indices_or_sections, 2, 3)


def evenly(name: str, input: Tensor, given: Any, dim: int, least: int) -> tuple[Tensor, ...]:
    """Run `tensor_split`. Raises: RuntimeError for sections that are not all of one size."""
    if input.ndim < least:
        raise RuntimeError(
            f"torch.{name} requires a tensor with at least {least} dimension, but got a tensor "
            f"with {input.ndim} dimensions!"
        )
    if isinstance(given, int) and (given <= 0 or input.shape[dim] % given):
        raise RuntimeError(
            f"torch.{name} attempted to split along dimension {dim}, but the size of the dimension "
            f"{input.shape[dim]} is not divisible by the split_size {given}!"
        )
    return tensor_split(input, given, dim)


@public(method=True)
def narrow(input: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """Return the `length` entries from `start` on along `dim`, as a view.

    start: an int; a negative one counts from the end. Raises: RuntimeError past the end.

    >>> torch.narrow(torch.tensor([1, 2, 3]), 0, 1, 2)
    tensor([2, 3])
    """
    if input.ndim == 0:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if isinstance(start, Tensor) and (start.ndim or start._data.dtype.kind not in "iu"):
        raise RuntimeError("start must be an 0-dim integral Tensor.")
    n, start = input.shape[one_dim(dim, input.ndim)], int(start)  # type: ignore[arg-type]
    if not -n <= start <= n:
        raise IndexError(
            f"start out of range (expected to be in range of [{-n}, {n}], but got {start})"
        )
    start += n if start < 0 else 0
    if start + length > n:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({n}).")
    return apply(ix.Slice, input, dim=dim, start=start, end=start + length, step=1)


@public(method=True)
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """Return the slice at `index` along `dim`, as a view. Raises: IndexError out of range.

    >>> torch.select(torch.tensor([[1, 2], [3, 4]]), 0, 1)
    tensor([3, 4])
    """
    dim_of_slice(input, dim, index)
    return apply(ix.Select, input, dim=dim, index=int(index))


def dim_of_slice(input: Tensor, dim: int, index: int) -> int:
    """Return the dimension of a slice, from the front. Raises: IndexError without such a slice."""
    if input.ndim == 0:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    d = one_dim(dim, input.ndim)
    n = input.shape[d]
    if not -n <= index < n:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(input.shape)} at "
            f"dimension {d}"
        )
    return d


@public(method=True)
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """Return the slices along `dim` as a tuple of views. input: (N, ...) -> N of (...).

    >>> torch.unbind(torch.tensor([[1, 2], [3, 4]]))
    (tensor([1, 2]), tensor([3, 4]))
    """
    if not input.shape[some_dim(dim, input.ndim)]:
        return ()
    return apply(ix.Unbind, input, dim=given_dim(dim, input.ndim))

"""Join tensors side by side, on top of or behind each other, adding dimensions as needed.

Read next: primitives/table.py
"""

from collections.abc import Sequence
from typing import Any

from graphlab.autograd.record import applied, apply
from graphlab.common.public import public
from graphlab.ops import arrange as ar
from graphlab.ops import indexing as ix
from graphlab.tensor.functions.checks import given_dim, one_dim, only_tensors
from graphlab.tensor.functions.shapes import reshape, unsqueeze
from graphlab.tensor.tensor import Tensor

_cat, _stack = applied(ix.Cat), applied(ix.Stack)


def tensors_of(name: str, tensors: Any) -> list[Tensor]:
    """Return the list of tensors to join. Raises: TypeError for anything else."""
    if not isinstance(tensors, list | tuple):
        raise TypeError(
            f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not "
            f"{type(tensors).__name__}"
        )
    only_tensors(tensors)
    return list(tensors)


@public(out=True)
def cat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Join tensors along `dim`; an empty vector is accepted beside tensors of any shape.

    tensors: a sequence of (N, ...), (M, ...) -> (N + M, ...). dim: 0 by default.
    Raises: RuntimeError where other sizes differ.

    >>> torch.cat((torch.tensor([1, 2]), torch.tensor([3])))
    tensor([1, 2, 3])
    """
    parts = tensors_of("cat", tensors)
    if not parts:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    shapes = [part._data.shape for part in parts]
    if () in shapes:
        i = shapes.index(())
        raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
    first = shapes[0]
    if first != (0,) and shapes.count(first) == len(shapes):  # the usual case
        one_dim(dim, len(first))
        return _cat(*parts, dim=dim)
    first = next((shape for shape in shapes if shape != (0,)), (0,))
    d = one_dim(dim, len(first))
    for i, shape in enumerate(shapes):
        if shape in (first, (0,)):
            continue
        if len(shape) != len(first):
            raise RuntimeError(
                f"Tensors must have same number of dimensions: got {len(first)} and {len(shape)}"
            )
        for k, (n, m) in enumerate(zip(first, shape, strict=True)):
            if n != m and k != d:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {d}. Expected size {n} but "
                    f"got size {m} for tensor number {i} in the list."
                )
    if len(first) > 1 and (0,) in shapes:  # it gets the sizes of the others, and 0 along `dim`
        none = tuple(0 if k == d else n for k, n in enumerate(first))
        parts = [reshape(p, none) if p.shape == (0,) else p for p in parts]
    return _cat(*parts, dim=dim)


@public(out=True)
def stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Join k tensors of one shape along a new dimension. tensors: k of (...) -> (k, ...).

    dim: where the new dimension stands, 0 by default. Raises: RuntimeError where shapes differ.

    >>> torch.stack((torch.tensor([1, 2]), torch.tensor([3, 4])))
    tensor([[1, 2],
            [3, 4]])
    """
    parts = tensors_of("stack", tensors)
    if not parts:
        raise RuntimeError("stack expects a non-empty TensorList")
    given_dim(dim, parts[0].ndim + 1)
    first = parts[0]._data.shape
    for i, part in enumerate(parts):
        if part._data.shape != first:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(first)} at "
                f"entry 0 and {list(part.shape)} at entry {i}"
            )
    return _stack(*parts, dim=dim)


@public(out=True)
def concat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Join tensors along the dimension `dim`, as `cat` does.

    tensors: (N, ...), (M, ...) -> (N + M, ...).

    >>> torch.concat((torch.tensor([1, 2]), torch.tensor([3])))
    tensor([1, 2, 3])
    """
    return cat(tensors, dim)


@public(out=True)
def concatenate(tensors: Sequence[Tensor], axis: int = 0, *, dim: int | None = None) -> Tensor:
    """Join tensors along `axis`, as `cat` does. tensors: (N, ...), (M, ...) -> (N + M, ...).

    axis: 0 by default; dim: the same by PyTorch's name.

    >>> torch.concatenate((torch.tensor([1, 2]), torch.tensor([3])))
    tensor([1, 2, 3])
    """
    return cat(tensors, axis if dim is None else dim)


def each(function: Any, tensors: tuple[Any, ...]) -> Any:
    """Apply a function to one tensor, or to each of several."""
    if len(tensors) == 1 and not isinstance(tensors[0], list | tuple):
        return function(tensors[0])
    many = tensors[0] if len(tensors) == 1 else tensors
    return tuple(function(tensor) for tensor in many)


@public()
def atleast_1d(*tensors: Any) -> Any:
    """Return the tensor, a 0-d one as a vector of one entry; several tensors as a tuple.

    >>> torch.atleast_1d(torch.tensor(5))
    tensor([5])
    """
    return each(lambda t: reshape(t, 1) if t.ndim == 0 else t, tensors)


@public()
def atleast_2d(*tensors: Any) -> Any:
    """Return the tensor, with fewer than two dimensions as a matrix of one row; several as a tuple.

    >>> torch.atleast_2d(torch.tensor([1, 2]))
    tensor([[1, 2]])
    """
    return each(row, tensors)


def row(t: Tensor) -> Tensor:
    """Return a tensor of fewer than two dimensions as a matrix of one row."""
    return reshape(t, 1, 1) if t.ndim == 0 else unsqueeze(t, 0) if t.ndim == 1 else t


@public()
def atleast_3d(*tensors: Any) -> Any:
    """Return the tensor with at least three dimensions: (N,) -> (1, N, 1); several as a tuple.

    >>> torch.atleast_3d(torch.tensor([1, 2])).shape
    torch.Size([1, 2, 1])
    """
    return each(deep, tensors)


def deep(t: Tensor) -> Tensor:
    """Return a tensor with three dimensions: (N,) -> (1, N, 1), (N, M) -> (N, M, 1)."""
    if t.ndim == 0:
        return reshape(t, 1, 1, 1)
    if t.ndim == 1:
        return unsqueeze(unsqueeze(t, 0), -1)
    return unsqueeze(t, -1) if t.ndim == 2 else t


def some(name: str, tensors: Sequence[Tensor]) -> list[Tensor]:
    """Return the list of tensors. Raises: RuntimeError when it is empty."""
    parts = tensors_of(name, tensors)
    if not parts:
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    return parts


@public(out=True)
def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """Join tensors along the second dimension, vectors along their only one.

    tensors: a sequence of (N, K) and (N, L) -> (N, K + L).

    >>> torch.hstack((torch.tensor([1, 2]), torch.tensor([3])))
    tensor([1, 2, 3])
    """
    parts = [atleast_1d(t) for t in some("hstack", tensors)]
    return cat(parts, 0 if parts[0].ndim == 1 else 1)


@public(out=True)
def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """Join tensors along the first dimension; vectors become rows. tensors: k of (N,) -> (k, N).

    >>> torch.vstack((torch.tensor([1, 2]), torch.tensor([3, 4])))
    tensor([[1, 2],
            [3, 4]])
    """
    return cat([row(t) for t in some("vstack", tensors)], 0)


@public(out=True)
def row_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Join tensors along the first dimension, as `vstack` does. tensors: k of (N,) -> (k, N).

    >>> torch.row_stack((torch.tensor([1, 2]), torch.tensor([3, 4])))
    tensor([[1, 2],
            [3, 4]])
    """
    return cat([row(t) for t in some("row_stack", tensors)], 0)


@public(out=True)
def dstack(tensors: Sequence[Tensor]) -> Tensor:
    """Join tensors along the third dimension. tensors: k of (N, M) -> (N, M, k).

    >>> torch.dstack((torch.tensor([1, 2]), torch.tensor([3, 4])))
    tensor([[[1, 3],
             [2, 4]]])
    """
    return cat([deep(t) for t in some("dstack", tensors)], 2)


@public(out=True)
def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Put tensors side by side; vectors become columns. tensors: k of (N,) -> (N, k).

    >>> torch.column_stack((torch.tensor([1, 2]), torch.tensor([3, 4])))
    tensor([[1, 3],
            [2, 4]])
    """
    parts = some("column_stack", tensors)
    return cat([reshape(t, (t.numel(), 1)) if t.ndim < 2 else t for t in parts], 1)


@public()
def block_diag(*tensors: Tensor) -> Tensor:
    """Put matrices along the diagonal of a larger one, 0 elsewhere; vectors are rows.

    >>> block_diag(torch.ones(1, 2), torch.tensor(3.0))
    tensor([[1., 1., 0.],
            [0., 0., 3.]])
    """
    if not tensors:
        from graphlab.tensor.creation import zeros

        return zeros(1, 0)
    for i, tensor in enumerate(tensors):
        if tensor.ndim > 2:
            raise RuntimeError(
                "torch.block_diag: Input tensors must have 2 or fewer dimensions. Input "
                f"{i} has {tensor.ndim} dimensions"
            )
    return apply(ar.BlockDiag, *tensors)

"""Write entries into a copy of a tensor, or add them to it, with the checks; flat indices.

Copies of views, `t_copy` and the like; copies with one slice overwritten, `select_scatter`.

Read next: primitives/table.py
"""

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from graphlab.autograd.record import apply
from graphlab.common.dtypes import number_as
from graphlab.common.errors import users_level
from graphlab.common.public import mark, public
from graphlab.ops import indexing as ix
from graphlab.ops import putting as pt
from graphlab.tensor import functions as F
from graphlab.tensor.functions.checks import (
    check_long_index,
    need_tensor,
    one_dim,
    only_tensors,
    type_name,
)
from graphlab.tensor.functions.picking import check_places, common_shape, fitting, in_range
from graphlab.tensor.functions.shapes import expand, reshape
from graphlab.tensor.functions.splitting import dim_of_slice
from graphlab.tensor.tensor import Tensor, wrap

REDUCTIONS = ("sum", "prod", "mean", "amax", "amin")


@public(method=True, in_place=True, out=True)
def scatter(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Any = None,
    *,
    value: Any = None,
    reduce: str | None = None,
) -> Tensor:
    """Write a number `value`, or the entries of `src`, at `index` along `dim`.

    input: (...), index: as many dimensions, of int64, src: at least as large -> a copy like input.
    reduce: "add" or "multiply" combines them with the old entries; that has no derivative.
    PyTorch differs: its backward pass fails when `src` is larger than `index`.

    >>> torch.scatter(torch.zeros(3), 0, torch.tensor([2]), 5.0)
    tensor([0., 0., 5.])
    """
    src = value if src is None else src
    index = fitting("scatter", index, input, dim)
    if reduce is not None:
        return scatter_combined(input, dim, index, src, reduce)
    if not isinstance(src, Tensor):
        in_range(larger(index, input, None, dim), input, dim)
        number = number_as(src, input._data.dtype).item()
        return apply(ix.ScatterValue, input, index, dim=dim, value=number)
    src = source("scatter", src, index, input, dim)
    return apply(ix.Scatter, input, src, in_range(index, input, dim), dim=dim)


def scatter_combined(input: Tensor, dim: int, index: Tensor, src: Any, how: str) -> Tensor:
    """Run `scatter` with a `reduce`, whose derivative PyTorch refuses."""
    if how not in ("add", "multiply"):
        raise RuntimeError("reduce argument must be either add or multiply.")
    if isinstance(src, Tensor):
        warnings.warn(
            "The reduce argument of torch.scatter with Tensor src is deprecated and will be "
            "removed in a future PyTorch release. Use torch.scatter_reduce instead for more "
            "reduction options.",
            UserWarning,
            stacklevel=users_level(),
        )
    else:
        whole = np.full(np.shape(index._data), src, input._data.dtype)
        src = wrap(whole if whole.ndim else whole[()], False, None)
    larger(index, input, src, dim)
    in_range(index, input, dim)
    way = "sum" if how == "add" else "prod"
    return apply(
        pt.ScatterCombined,
        input,
        source("scatter", src, index, input, dim),
        index,
        dim=dim,
        reduce=way,
    )


@public(method=True, in_place=True, out=True)
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """Add the entries of `src` at `index` along `dim`; several may go to the same place.

    >>> scatter_add(torch.zeros(3), 0, torch.tensor([2, 2]), torch.tensor([1.0, 2.0]))
    tensor([0., 0., 3.])
    """
    need_tensor("scatter_add", "src", 3, src)
    index = fitting("scatter_add", index, input, dim)
    src = source("scatter", src, index, input, dim)
    return apply(ix.ScatterAdd, input, src, in_range(index, input, dim), dim=dim)


@public(method=True, in_place=True, out=True)
def scatter_reduce(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """Combine the entries of `src` that `index` sends to the same place along `dim`.

    input: (...), index, src: as many dimensions -> a copy like input.
    reduce: "sum", "prod", "mean", "amax" or "amin". include_self: whether old entries count, True.

    >>> torch.scatter_reduce(torch.ones(2), 0, torch.tensor([1, 1]), torch.ones(2), "sum")
    tensor([1., 3.])
    """
    need_tensor("scatter_reduce", "src", 3, src)
    if reduce not in REDUCTIONS:
        raise RuntimeError(
            "reduce argument must be either sum, prod, mean, amax or amin, got " + reduce
        )
    index = fitting("scatter", index, input, dim)
    src = source("scatter", src, index, input, dim)
    in_range(index, input, dim)
    options = {"dim": dim, "reduce": reduce, "include_self": include_self}
    return apply(pt.ScatterReduce, input, index, src, **options)


def larger(index: Tensor, input: Tensor, src: Tensor | None, dim: int) -> Tensor:
    """Return the index. Raises: RuntimeError when it is larger than the tensor or the source."""
    d = one_dim(dim, input.ndim)
    own, size = tuple(index.shape) or (1,), tuple(input.shape) or (1,)
    shape = own if src is None else tuple(src.shape) or (1,)
    if index.numel() and len(shape) != len(own):
        raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
    beyond = any(n > m and i != d for i, (n, m) in enumerate(zip(own, size, strict=False)))
    if index.numel() and (beyond or any(n > m for n, m in zip(own, shape, strict=True))):
        more = "" if src is None else f" and to be no larger size than src {list(src.shape)}"
        raise RuntimeError(
            f"Expected index {list(index.shape)} to be no larger than self {list(input.shape)} "
            f"apart from dimension {d}{more}"
        )
    return index


def source(name: str, src: Tensor, index: Tensor, input: Tensor, dim: int) -> Tensor:
    """Return the part of the source beside the index. Raises: RuntimeError when it does not fit."""
    larger(index, input, src, dim)
    if src.dtype is not input.dtype:
        raise RuntimeError(f"{name}(): Expected self.dtype to be equal to src.dtype")
    if src.shape == index.shape:
        return src
    if not index.numel():
        return reshape(reshape(src, (-1,))[:0], tuple(index.shape))
    if index.ndim == 0 or src.ndim == 0:
        return reshape(src if src.ndim == 0 else src[: index.numel()], tuple(index.shape))
    return src[tuple(slice(n) for n in index.shape)]


# -- any places --------------------------------------------------------------------------------


@public(method=True)
def index_put(input: Tensor, indices: Any, values: Any, accumulate: bool = False) -> Tensor:
    """Return a copy with `values` at `indices`; with `accumulate`, added to the old entries.

    >>> index_put(torch.zeros(3), (torch.tensor([0, 0]),), torch.ones(2), accumulate=True)
    tensor([2., 0., 0.])
    """
    from graphlab.tensor.assignment import put

    return put(input, key_of(input, indices, values), values, accumulate)


@public(method=True)
def index_put_(self: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """Write `values` at `indices`, and return `self`; with `accumulate`, add them.

    >>> torch.zeros(3).index_put_((torch.tensor([0, 0]),), torch.ones(2), accumulate=True)
    tensor([2., 0., 0.])
    """
    from graphlab.tensor.assignment import put_

    return put_(self, key_of(self, indices, values), values, accumulate)


def key_of(input: Tensor, indices: Any, values: Any) -> tuple[Any, ...]:
    """Return arrays of indices, None for whole dimensions. Raises: TypeError, IndexError."""
    from graphlab.tensor.indexing import as_part, checked_arrays

    if isinstance(indices, Tensor):
        raise TypeError(
            "index_put(): argument 'indices' (position 1) must be tuple of Tensors, not Tensor"
        )
    only_tensors(indices)
    need_tensor("index_put", "values", 2, values)
    arrays, dim = [], 0
    for part in indices:
        array = np.atleast_1d(as_part(part))
        arrays.append((dim, array))
        dim += array.ndim if array.dtype == np.bool_ else 1
    if dim > input.ndim:
        raise IndexError(f"too many indices for tensor of dimension {input.ndim} (got {dim})")
    return checked_arrays(input, arrays, bounds=False)


@public(method=True, in_place=True)
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """Write the first entries of `source`, in order, where the mask holds.

    >>> mask = torch.tensor([False, True, True])
    >>> masked_scatter(torch.zeros(3), mask, torch.tensor([1.0, 2.0, 3.0]))
    tensor([0., 1., 2.])
    """
    need_tensor("masked_scatter", "mask", 1, mask)
    if source.dtype is not input.dtype:
        raise RuntimeError(
            "masked_scatter: expected self and source to have same dtypes but got"
            f"{type_name(input)} and {type_name(source)}"
        )
    if mask._data.dtype != np.bool_:
        raise RuntimeError(
            "masked_scatter_ only supports boolean masks, but got mask with dtype "
            + type_name(mask)
        )
    shape = common_shape(mask, input)
    input = input if tuple(input.shape) == shape else expand(input, shape)
    mask = mask if tuple(mask.shape) == shape else expand(mask, shape)
    if source.numel() < int(np.sum(mask._data)):
        raise RuntimeError("Number of elements of source < number of ones in mask")
    return apply(pt.MaskedScatter, input, mask, source)


# -- flat indices, which count all entries row by row -------------------------------------------


@public(method=True, in_place=True)
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """Return a copy with the entries of `source` at flat indices, which count all entries.

    input: (...), index, source: as many entries each -> like input. accumulate: add them to the old
    entries. Raises: IndexError for an index out of range.

    >>> torch.zeros(2, 2).put(torch.tensor([0, -1]), torch.tensor([1.0, 2.0]))
    tensor([[1., 0.],
            [0., 2.]])
    """
    need_tensor("put_", "index", 1, index)
    need_tensor("put_", "source", 2, source)
    check_long_index("put_", index)
    if input._data.dtype != source._data.dtype:
        raise RuntimeError(
            "put_(): self and source expected to have the same dtype, but got self.dtype = "
            f"{type_name(input)} and source.dtype = {type_name(source)}"
        )
    if index.numel() != source.numel():
        raise IndexError(
            "put_(): Expected source and index to have the same number of elements, but got "
            f"source.numel() = {source.numel()}, index.numel() = {index.numel()}"
        )
    check_places(input, index)
    return apply(pt.Put, input, index, source, accumulate=accumulate)


@public()
def unravel_index(indices: Tensor, shape: Any) -> tuple[Tensor, ...]:
    """Convert flat indices to indices in each dimension of `shape`.

    indices: (...) -> a tensor (...) each.
    Raises: TypeError unless they are integers, ValueError for a negative size.

    >>> torch.unravel_index(torch.tensor([5, 3]), (2, 3))
    (tensor([1, 1]), tensor([2, 0]))
    """
    need_tensor("unravel_index", "indices", 1, indices)
    if indices._data.dtype.kind not in "iu":
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype!r}")
    if not isinstance(shape, int | Sequence):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    for n in sizes:
        if not isinstance(n, int | np.integer):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(n)}")
    if any(n < 0 for n in sizes):
        raise ValueError(f"'shape' cannot have negative values, but got {sizes}")
    found, step = [], 1
    for n in reversed(sizes):
        found.append(wrap((indices._data.astype(np.int64) // step % n)[()], False, None))
        step *= n
    return tuple(reversed(found))


@public(method=True)
def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """Return a copy with `src` at `index` along `dim`. input: (..., N, ...), src: without N.

    >>> torch.select_scatter(torch.zeros(2, 2), torch.tensor([1.0, 2.0]), 0, 1)
    tensor([[0., 0.],
            [1., 2.]])
    """
    d = dim_of_slice(input, dim, index)
    same_size(src, (*input.shape[:d], *input.shape[d + 1 :]))
    return apply(pt.SelectScatter, input, src, dim=dim, index=index)


@public(method=True, out=True)
def slice_scatter(
    input: Tensor,
    src: Tensor,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> Tensor:
    """Return a copy with `src` at the slice start:end:step along `dim`.

    input: (..., N, ...), src: (..., length of the slice, ...) -> like input.

    >>> torch.slice_scatter(torch.zeros(3), torch.ones(2), 0, 1, 3)
    tensor([0., 1., 1.])
    """
    d = one_dim(dim, input.ndim)
    n = len(range(*slice(start, end, step).indices(input.shape[d])))
    same_size(src, (*input.shape[:d], n, *input.shape[d + 1 :]))
    return apply(pt.SliceScatter, input, src, dim=dim, start=start, end=end, step=step)


def same_size(src: Tensor, size: tuple[int, ...]) -> None:
    """Raise RuntimeError unless the source has the size of the part that it replaces."""
    if tuple(src.shape) != size:
        raise RuntimeError(
            "expected src to have a size equal to the slice of self. src size = "
            f"{list(src.shape)}, slice size = {list(size)}"
        )


COPIED = (
    "alias as_strided detach diagonal expand narrow permute select slice split split_with_sizes "
    "squeeze t transpose unbind unfold unsqueeze view"
)
UNNAMED: dict[str, Callable[..., Any]] = {  # views that are no functions
    "alias": lambda input: input.view_as(input),
    "detach": lambda input: input.detach(),
    "expand": lambda input, size: input.expand(size),
    "slice": lambda input, dim=0, start=None, end=None, step=1: input.movedim(dim, 0)[
        start:end:step
    ].movedim(0, dim),
    "view": lambda input, size: input.view(size),
}


def viewing(name: str) -> Callable[..., Any]:
    """Return the function of this name, which gives a view."""
    return UNNAMED.get(name) or getattr(F, name)


def copied(name: str) -> Callable[..., Any]:
    """Return the function that copies what the view function of this name returns."""

    def call(input: Any, *args: Any, **options: Any) -> Any:
        found = viewing(name)(input, *args, **options)
        return tuple(map(F.clone, found)) if isinstance(found, tuple) else F.clone(found)

    call.__name__ = call.__qualname__ = f"{name}_copy"
    call.view = partial(viewing, name)  # type: ignore[attr-defined]  # its arguments are the copy's
    call.__doc__ = f"""Return a copy of what `{name}` returns. input: (...).

    args, options: those of `{name}`.

    >>> import graphlab as torch
    >>> torch.t_copy(torch.tensor([[1, 2]]))
    tensor([[1],
            [2]])
    """
    return call


globals().update({f"{name}_copy": copied(name) for name in COPIED.split()})
mark(" ".join(f"{name}_copy" for name in COPIED.split()), out=True)

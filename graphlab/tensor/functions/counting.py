"""Counts, searches, extremes and covariances: `bincount`, `searchsorted`, `aminmax`, `cov`.

Read next: tensor/functions/steps.py
"""

import warnings
from operator import index
from typing import Any

import numpy as np

from graphlab.autograd.decisions import came_from
from graphlab.autograd.record import apply
from graphlab.common.dtypes import dtype as Type
from graphlab.common.dtypes import find, named
from graphlab.common.errors import users_level
from graphlab.common.public import public
from graphlab.ops import statistics as m
from graphlab.tensor import functions as F
from graphlab.tensor.functions.checks import (
    Dim,
    all_or_given,
    c_name,
    given_dim,
    not_for,
    size_along,
    type_name,
)
from graphlab.tensor.functions.reductions import need_floating_dtype
from graphlab.tensor.functions.results import result_type
from graphlab.tensor.ranges import linspace
from graphlab.tensor.tensor import Tensor, wrap


@public(method=True)
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """Count how often each of 0, 1, 2, … occurs, or sum its weights. input: (N,), integers -> (M,).

    weights: (N,), or None for counts. minlength: the least M, which is otherwise the largest + 1.
    Raises: RuntimeError for negative or not one-dimensional input.

    >>> torch.bincount(torch.tensor([0, 2, 2]))
    tensor([1, 0, 2])
    """
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    data = input._data
    if data.dtype.kind not in "iu":
        raise not_for("bincount_cpu", input)
    if data.ndim != 1 or (data.size and data.min() < 0):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if weights is None:
        return wrap(np.bincount(data, minlength=minlength).astype(np.int64), False, None)
    if weights.ndim != 1 or len(weights) != len(data):
        raise RuntimeError("weights should be 1-d and have the same length as input")
    if not data.size:
        return wrap(np.zeros(minlength, np.int64), False, None)
    found = np.bincount(data, weights._data, minlength)
    kind = weights._data.dtype if weights._data.dtype == np.float32 else np.float64
    return wrap(found.astype(kind), False, None)


@public(method=True, out=True)
def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """Count the entries in `bins` equal parts of [min, max]; 0, 0 means the whole range.

    Raises: RuntimeError for no bins, or max below min.

    >>> histc(torch.tensor([1.0, 2.0, 1.0]), bins=4, min=0, max=3)
    tensor([0., 2., 1., 0.])
    """
    data, bins = np.reshape(input._data, -1), index(bins)
    min, max = (x.item() if isinstance(x, Tensor) else x for x in (min, max))
    if data.dtype.kind != "f":
        raise not_for("histogram_cpu", input)
    if bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    if max < min:
        raise RuntimeError("torch.histc: max must be larger than min")
    if min == max and data.size:
        min, max = float(data.min()), float(data.max())
    if min == max:
        min, max = min - 1, max + 1
    if not np.isfinite([min, max]).all():
        raise RuntimeError(f"histc: range of [{min:g}, {max:g}] is not finite")
    inside = data[(data >= min) & (data <= max)].astype(np.float64)
    places = ((inside - min) / (max - min) * bins).astype(np.int64)
    found = np.bincount(np.minimum(places, bins - 1), minlength=bins)
    return wrap(found.astype(data.dtype), False, None)


Histogram = result_type("histogram", "hist", "bin_edges")


@public(method=True, out=True)
def histogram(
    input: Tensor,
    bins: Any = 100,
    *,
    range: tuple[float, float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
) -> Any:
    """Count the entries between edges, or sum their weights. input: (...) -> (N,), (N + 1,).

    bins: N, or a tensor of N + 1 ascending edges. range: the first and the last edge for N equal
    parts; by default the least and the largest entry. weight: in the shape of `input`.
    density: divide by the total and by the widths, so that the area is 1.
    Raises: RuntimeError for arguments that do not fit together.

    >>> torch.histogram(torch.tensor([1.0, 2.0, 1.0]), bins=2, range=(0.0, 4.0)).hist
    tensor([2., 1.])
    """
    data = np.reshape(input._data, -1)
    if data.dtype.kind != "f":
        raise not_for("histogram_cpu", input)
    if weight is not None and weight.shape != input.shape:
        raise RuntimeError(
            "torch.histogramdd: if weight tensor is provided it should have the same shape as "
            "the input tensor excluding its innermost dimension, but got input with shape "
            f"{[*input.shape, 1]} and weight with shape {list(weight.shape)}"
        )
    if weight is not None and weight.dtype is not input.dtype:
        raise RuntimeError(
            "torch.histogramdd: if weight tensor is provided, input tensor and weight tensor "
            f"should have the same dtype, but got input({c_name(input)}), and "
            f"weight({c_name(weight)})"
        )
    if isinstance(bins, int) and bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    edges = bins._data if isinstance(bins, Tensor) else equal_parts(data, bins, range)
    found, _ = np.histogram(
        data, edges, weights=None if weight is None else np.reshape(weight._data, -1)
    )
    found = found.astype(data.dtype)
    if density:
        found = found / found.sum() / np.diff(edges)
    return Histogram(wrap(found, False, None), wrap(np.array(edges), False, None))


def equal_parts(data: np.ndarray, bins: int, range: tuple[float, float] | None) -> np.ndarray:
    """Return the edges of `bins` parts of a range, by default that of the data."""
    if range is None:
        range = (float(data.min()), float(data.max())) if data.size else (0.0, 1.0)
    low, high = range
    if low > high:
        raise RuntimeError("torch.histogramdd(): min should not exceed max")
    if low == high:
        low, high = low - 0.5, high + 0.5
    return linspace(low, high, bins + 1, dtype=find(data.dtype))._data


@public(out=True)
def searchsorted(
    sorted_sequence: Tensor,
    input: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """Return where to insert each value so that the sequence stays sorted.

    sorted_sequence: (N,), or (..., N) for input (..., M) -> like input, int64.
    right, or side="right": insert after equal entries. out_int32: give int32.
    sorter: the indices that sort the sequence, if it is not sorted itself.
    Raises: RuntimeError for shapes that do not fit, or another side.

    >>> torch.searchsorted(torch.tensor([1, 3, 5]), torch.tensor([0, 3, 6]))
    tensor([0, 1, 3])
    """
    if side not in (None, "left", "right"):
        raise RuntimeError(
            f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}"
        )
    if side == "left" and right:
        raise RuntimeError(
            "torch.searchsorted(): side and right can't be set to opposites, got side of left "
            "while right was True"
        )
    way: Any = "right" if right or side == "right" else "left"
    rows = np.asarray(sorted_sequence._data)
    values = np.asarray(input._data if isinstance(input, Tensor) else input)
    if sorter is not None:
        rows = np.take_along_axis(rows, sorter._data, -1)
    if rows.ndim == 1:
        found = np.searchsorted(rows, values, way)
    else:
        if rows.shape[:-1] != values.shape[:-1] or rows.ndim != values.ndim:
            raise RuntimeError(
                "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 "
                "dimensions of boundaries tensor and input value tensor must match, but we got "
                f"boundaries tensor {list(rows.shape)} and input value tensor {list(values.shape)}"
            )
        found = np.empty(values.shape, np.int64)
        for at in np.ndindex(rows.shape[:-1]):
            found[at] = np.searchsorted(rows[at], values[at], way)
    kind = np.int32 if out_int32 else np.int64
    return came_from(
        wrap(np.asarray(found).astype(kind)[()], False, None), (sorted_sequence, input)
    )


@public(out=True)
def bucketize(
    input: Any, boundaries: Tensor, *, out_int32: bool = False, right: bool = False
) -> Tensor:
    """Return the number of the bucket in which each value lies. input: (...) -> (...) of int64.

    boundaries: (N,), ascending. right: a value equal to a boundary belongs to the bucket above it.
    out_int32: give int32.

    >>> torch.bucketize(torch.tensor([0, 2, 9]), torch.tensor([1, 5]))
    tensor([0, 1, 2])
    """
    if boundaries.ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries.ndim})")
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


NOT_FREE = (
    "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of "
    "observations."
)
MinMax = result_type("aminmax", "min", "max")


@public(method=True, out=True)
def aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False) -> Any:
    """Return the smallest and the largest entry, of all or along `dim`: (min, max).

    keepdim: keep `dim` with size 1. Raises: RuntimeError or IndexError when there are no entries.

    >>> torch.aminmax(torch.tensor([3.0, 1.0, 2.0])).max
    tensor(3.)
    """
    if dim is None and input.numel() == 0:
        raise RuntimeError(
            "aminmax(): cannot compute aminmax over an empty dimension as the operation has no "
            "identity."
        )
    if dim is not None and size_along(input, given_dim(dim, input.ndim)) == 0:
        raise IndexError(
            f"aminmax: Expected reduction dim {dim % input.ndim} to have non-zero size."
        )
    return MinMax(*apply(m.Aminmax, input, dim=dim, keepdim=keepdim))


@public(method=True, out=True)
def nansum(
    input: Tensor, dim: Dim = None, keepdim: bool = False, *, dtype: Type | None = None
) -> Tensor:
    """Return the sum of the entries that are not nan, over `dim` or all. input: (...).

    keepdim: keep `dim` with size 1. dtype: convert to this type first.

    >>> torch.nansum(torch.tensor([1.0, torch.nan, 2.0]))
    tensor(3.)
    """
    if dtype is not None:
        kind = named("nansum", dtype)
        return nansum(input.to(kind), dim, keepdim).to(kind)
    dims = None if dim is None else all_or_given(dim, input.ndim)
    if not input.is_floating_point():
        return F.sum(input, dims, keepdim)
    return apply(m.Nansum, input, dim=dims, keepdim=keepdim)


@public(method=True, out=True)
def nanmean(
    input: Tensor, dim: Dim = None, keepdim: bool = False, *, dtype: Type | None = None
) -> Tensor:
    """Return the mean of the entries that are not nan, over `dim` or all. input: (...).

    keepdim: keep `dim` with size 1. dtype: convert to this type first.
    Raises: RuntimeError for integers.

    >>> torch.nanmean(torch.tensor([1.0, torch.nan, 3.0]))
    tensor(2.)
    """
    if not input.is_floating_point():
        raise RuntimeError(
            "nanmean(): expected input to have floating point or complex dtype but got "
            f"{type_name(input)}"
        )
    if dtype is not None:
        need_floating_dtype("nanmean", named("nanmean", dtype))
    there = F.logical_not(F.isnan(input))
    return nansum(input, dim, keepdim, dtype=dtype) / F.sum(there, dim, keepdim)


@public(method=True)
def cov(
    input: Tensor,
    *,
    correction: int = 1,
    fweights: Tensor | None = None,
    aweights: Tensor | None = None,
) -> Tensor:
    """Return the covariances of the rows.

    input: (variables, observations) -> (variables, variables).
    correction: divide by observations - correction. fweights: (observations,), how often each
    occurs. aweights: (observations,), how much each counts.
    Raises: RuntimeError for more than two dimensions.

    >>> torch.cov(torch.tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    if input.ndim > 2:
        raise RuntimeError(
            "cov(): expected input to have two or fewer dimensions but got an input with "
            f"{input.ndim} dimensions"
        )
    rows = F.reshape(input, (1, -1)) if input.ndim < 2 else input
    n, weight = rows.shape[1], None
    if fweights is not None or aweights is not None:
        weight = aweights if fweights is None else fweights
        if fweights is not None and aweights is not None:
            weight = fweights * aweights
    if weight is None:
        if n <= correction:
            warnings.warn(NOT_FREE, UserWarning, stacklevel=users_level())
        away = rows - F.unsqueeze(F.sum(rows, 1) / n, 1)
        return F.squeeze(F.mm(away, F.t(away)) / max(n - correction, 0))
    total = F.sum(weight)
    away = rows - F.unsqueeze(F.sum(rows * weight, 1) / total, 1)
    if correction == 0:
        free = total
    elif aweights is None:
        free = total - correction
    else:
        free = total - F.sum(weight * aweights) / total * correction
    return F.squeeze(F.mm(away, F.t(away * weight)) / F.clamp_min(free, 0))


@public(method=True)
def corrcoef(input: Tensor) -> Tensor:
    """Return the correlations of the rows, in [-1, 1]. input: (variables, observations) -> square.

    >>> torch.corrcoef(torch.tensor([[1.0, 2.0], [4.0, 2.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    c = cov(input)
    if c.ndim == 0:
        return c / c
    deviation = F.sqrt(F.diagonal(c))
    scaled = c / F.reshape(deviation, (-1, 1)) / F.reshape(deviation, (1, -1))
    return F.clamp(scaled, -1, 1)

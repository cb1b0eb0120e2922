"""Count, and search in sorted entries: `bincount`, `histc`, `searchsorted`. No gradients.

Read next: tensor/functions/steps.py
"""

from operator import index
from typing import Any

import numpy as np

from graphlab.autograd.decisions import came_from
from graphlab.common.dtypes import find
from graphlab.common.public import public
from graphlab.tensor.functions.checks import c_name, not_for
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

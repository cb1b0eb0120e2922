"""Differences between neighbours, areas under a curve, and quantiles.

Read next: primitives/table.py
"""

from typing import Any

import numpy as np

from graphlab.autograd.record import apply
from graphlab.common.public import mark, public
from graphlab.ops.rounding import LerpTensor
from graphlab.tensor import functions as F
from graphlab.tensor.functions.checks import given_dim, given_dims, one_dim, some_dim
from graphlab.tensor.functions.replacing import squeeze_, transpose_, unsqueeze_
from graphlab.tensor.functions.rounding import div_number, mul_number
from graphlab.tensor.tensor import Tensor, wrap


@public(method=True, out=True)
def diff(
    input: Tensor,
    n: int = 1,
    dim: int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
) -> Tensor:
    """Return each entry minus the one before along `dim`, n times over.

    input: (..., N) -> (..., N - n).
    prepend, append: tensors to join before and after the input first.
    Raises: RuntimeError for a 0-d tensor or a negative n.

    >>> torch.diff(torch.tensor([1.0, 3.0, 6.0]))
    tensor([2., 3.])
    """
    if input.ndim == 0:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    given_dim(dim, input.ndim)
    if n == 0:
        return F.clone(input)
    if prepend is not None or append is not None:
        input = F.cat(tuple(t for t in (prepend, input, append) if t is not None), dim)
    for _ in range(min(n, input.shape[dim])):
        earlier, later = neighbours(input, dim)
        bools = input._data.dtype.kind == "b"
        input = F.logical_xor(later, earlier) if bools else later - earlier
    return input


@public()
def trapezoid(
    y: Tensor, x: Tensor | None = None, *, dx: float | None = None, dim: int = -1
) -> Tensor:
    """Return the area under the points along `dim`. y: (..., N) -> (...).

    x: the places of the points, like y or (N,). dx: their distance, 1 by default, without x.

    >>> torch.trapezoid(torch.tensor([1.0, 2.0, 3.0]))
    tensor(4.)
    """
    checked_points("trapezoid", y, x, dx, dim)
    if y.shape[dim] == 0:
        return F.sum(y.detach(), dim, dtype=y.dtype)
    if x is None:
        last, first = F.select(y, dim, -1), F.select(y, dim, 0)  # nodes in PyTorch's order
        ends = mul_number(first + last, 0.5)
        inside = F.sum(y, dim) - ends
        return mul_number(inside, float(1 if dx is None else dx))
    pairs, widths = steps_of(y, x, dim)
    return div_number(F.sum(pairs * widths, dim), 2.0)


trapz = trapezoid


@public()
def cumulative_trapezoid(
    y: Tensor, x: Tensor | None = None, *, dx: float | None = None, dim: int = -1
) -> Tensor:
    """Return the area under the points up to each along `dim`. y: (..., N) -> (..., N - 1).

    x: the places of the points, like y or (N,). dx: their distance, 1 by default, without x.

    >>> torch.cumulative_trapezoid(torch.tensor([1.0, 2.0, 3.0]))
    tensor([1.5000, 4.0000])
    """
    checked_points("cumulative_trapezoid", y, x, dx, dim)
    dim %= y.ndim
    if x is None:
        earlier, later = neighbours(y, dim)
        return F.cumsum(mul_number(earlier + later, (1 if dx is None else dx) / 2), dim)
    pairs, widths = steps_of(y, x, dim)
    return div_number(F.cumsum(pairs * widths, dim), 2.0)


def checked_points(name: str, y: Tensor, x: Tensor | None, dx: Any, dim: int) -> None:
    """Raise an error for a 0-d tensor, for both x and dx, and for x of another size than y."""
    if x is not None and dx is not None:
        raise TypeError(
            f"{name}() received an invalid combination of arguments - got (Tensor, Tensor, "
            f"dx={type(dx).__name__}), but expected one of:\n"
            " * (Tensor y, Tensor x, *, int dim = -1)\n"
            " * (Tensor y, *, Number dx = 1, int dim = -1)\n"
        )
    some_dim(dim, y.ndim)
    if x is not None and (x.ndim == 0 or x.shape[dim if x.ndim > 1 else 0] != y.shape[dim]):
        raise RuntimeError(f"{name}: There must be one `x` value for each sample point")


def steps_of(y: Tensor, x: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """Return the sums of neighbours, and their distances."""
    if x.ndim == 1:
        x = F.reshape(x, tuple(-1 if d == dim % y.ndim else 1 for d in range(y.ndim)))
    earlier, later = neighbours(y, dim)
    before, after = neighbours(x, dim)
    return earlier + later, after - before


def neighbours(x: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """Return all entries but the last along `dim`, and all but the first."""
    n = max(x.shape[dim], 1) - 1
    return F.narrow(x, dim, 0, n), F.narrow(x, dim, x.shape[dim] - n, n)


HOW = ("linear", "lower", "higher", "midpoint", "nearest")


@public(method=True, out=True)
def quantile(
    input: Tensor,
    q: Any,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
) -> Tensor:
    """Return the q-quantile, below which a share q of the entries lies, of all or along `dim`.

    input: (...).
    q: a number, or a tensor (Q,) whose dimension comes first in the result.
    keepdim: keep `dim` with size 1.
    interpolation: between two entries "linear", "lower", "higher", "midpoint" or "nearest".
    Raises: RuntimeError for a share outside [0, 1] and for other types.

    >>> torch.quantile(torch.tensor([1.0, 2.0, 3.0, 4.0]), 0.5)
    tensor(2.5000)
    """
    return between("quantile", input, q, dim, keepdim, interpolation)


@public(method=True, out=True)
def nanquantile(
    input: Tensor,
    q: Any,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
) -> Tensor:
    """Return the quantiles of the entries that are not nan. input: (...).

    q, dim, keepdim, interpolation: as in `quantile`.

    >>> torch.nanquantile(torch.tensor([1.0, torch.nan, 3.0]), 0.5)
    tensor(2.)
    """
    return between("nanquantile", input, q, dim, keepdim, interpolation)


def between(
    name: str, input: Tensor, q: Any, dim: int | None, keepdim: bool, interpolation: str
) -> Tensor:
    """Sort, take the entries below and above the rank, and interpolate between them."""
    shares = check_shares(name, input, q, interpolation)
    place = None if dim is None else one_dim(dim, input.ndim)
    if place is None or input.ndim == 0:
        ordered = F.sort(F.flatten(input), -1).values
    elif place + 1 == input.ndim:
        ordered = F.sort(input, -1).values
    else:
        ordered = F.sort(F.transpose(F.unsqueeze(input, -1), place, -1), -1).values
    gone = range(input.ndim) if place is None else (place,)
    rest = [1 if d in gone else n for d, n in enumerate(input.shape) if keepdim or d not in gone]
    ordered = F.view(ordered, (*rest, ordered.shape[-1]))
    rows = np.asarray(ordered._data)
    lost = np.isnan(rows)
    there = (~lost).sum(-1, keepdims=True)
    last = there - 1 if name == "nanquantile" else np.int64(rows.shape[-1] - 1)
    ranks = np.maximum(np.reshape(shares, -1) * last, 0).astype(rows.dtype)  # (..., Q)
    ranks = np.broadcast_to(ranks, (*rows.shape[:-1], np.size(shares)))
    nan = lost.any(-1, keepdims=True)  # it makes the quantile nan
    if name == "quantile":
        ranks = np.where(nan, rows.shape[-1] - 1, ranks)
    rounded = {"lower": np.floor, "higher": np.ceil, "nearest": np.round}.get(interpolation)
    ranks = ranks if rounded is None else rounded(ranks)
    below = ranks.astype(np.int64)
    found = F.gather(ordered, -1, wrap(below, False, None))
    if rounded is None:
        above = F.gather(ordered, -1, wrap(np.ceil(ranks).astype(np.int64), False, None))
        part = np.full_like(ranks, 0.5) if interpolation == "midpoint" else ranks - below
        weight = wrap(part.astype(rows.dtype), False, None)
        if isinstance(q, Tensor) and q.requires_grad and interpolation != "midpoint":
            fixed = nan if name == "quantile" else there == 0
            weight = weight_of_share(q, last.astype(rows.dtype), fixed, below)
        found = apply(LerpTensor, found, above, weight)
    if np.ndim(shares):
        found = transpose_(unsqueeze_(found, 0), 0, -1)
    return squeeze_(found, -1)


def weight_of_share(q: Tensor, last: Any, fixed: Any, below: np.ndarray) -> Tensor:
    """Return the weight of the entry above: the fraction of the rank q · last, with its graph.

    q: () or (Q,), last: the highest rank of each row, fixed: the rows whose rank is constant,
    below: (..., Q), the ranks rounded down.
    """
    highest = wrap(last, False, None)
    ranks = F.mul(q, highest if last.ndim else float(last))
    ranks = F.masked_fill(F.expand(ranks, below.shape), wrap(fixed, False, None), 0)
    whole = wrap(np.where(fixed, 0, below).astype(ranks._data.dtype), False, None)
    return ranks - whole


def check_shares(name: str, input: Tensor, q: Any, interpolation: str) -> np.ndarray:
    """Return the shares as an array. Raises: RuntimeError, in PyTorch's words, for others."""
    if input.numel() == 0:
        raise RuntimeError(f"{name}() input tensor must be non-empty")
    if input.dtype.name not in ("float32", "float64"):
        raise RuntimeError(f"{name}() input tensor must be either float or double dtype")
    shares = np.asarray(q._data if isinstance(q, Tensor) else q)
    if shares.ndim > 1:
        raise RuntimeError(f"{name}() q must be a scalar or 1D tensor")
    if isinstance(q, Tensor) and q.dtype is not input.dtype:
        raise RuntimeError(f"{name}() q tensor must be same dtype as the input tensor")
    if interpolation not in HOW:
        raise RuntimeError(
            f"{name}() interpolation must be one of linear, lower, higher, midpoint or nearest, "
            f"but got {interpolation}"
        )
    if np.any((shares < 0) | (shares > 1)):
        raise RuntimeError(
            f"{name}() q must be in the range [0, 1] but got {q}"
            if not isinstance(q, Tensor)
            else f"{name}() q values must be in the range [0, 1]"
        )
    return shares


mark("trapz")


@public()
def gradient(
    input: Tensor, *, spacing: Any = 1, dim: Any = None, edge_order: int = 1
) -> tuple[Tensor, ...]:
    """Estimate the derivatives of a function from its values on a grid, one along each dim.

    Inside from both neighbours, (f(x + h) - f(x - h)) / 2h for equal steps h; see `edge_order`.

    input: (...), at least 2 entries along each dim -> (...) for each dim
    spacing: the step, or a list of steps or of tensors of coordinates, one for each dim
    dim: int or ints, all dimensions when None.
    edge_order: 1 for the slope to the neighbour at the ends, 2 for that of a parabola through three
    entries.
    Raises: RuntimeError for too few entries, and for another edge_order.

    >>> torch.gradient(torch.tensor([1.0, 4.0, 9.0, 16.0]))
    (tensor([3., 4., 6., 7.]),)
    """
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    if not isinstance(dim, int | tuple | list | None):
        raise TypeError(
            "gradient() received an invalid combination of arguments - got (Tensor, "
            f"dim={type(dim).__name__}); pass an int or a tuple of ints"
        )
    dims = [one_dim(d, input.ndim) for d in given_dims(dim, input.ndim)]
    spacing = 1 if spacing is None else spacing
    steps = list(spacing) if isinstance(spacing, tuple | list) else [spacing] * len(dims)
    if len(steps) != len(dims):
        raise RuntimeError(
            "torch.gradient expected spacing to be unspecified, a scalar or a list of length equal "
            f"to 'self.dim() = {len(dims)}', since dim argument was not given, but got a list of "
            f"length {len(steps)}"
        )
    return tuple(slopes(input, step, d, edge_order) for step, d in zip(steps, dims, strict=True))


def slopes(input: Tensor, spacing: Any, dim: int, edge_order: int) -> Tensor:
    """Return the estimated derivatives along one dimension."""
    n = input.shape[dim]
    if n < edge_order + 1:
        raise RuntimeError(
            "torch.gradient expected each dimension size to be at least edge_order+1"
        )
    input = input if input.is_floating_point() else input.float()
    ahead = F.narrow(input, dim, 1, n - 1) - F.narrow(input, dim, 0, n - 1)
    if isinstance(spacing, Tensor) and spacing.ndim:
        h = F.reshape(spacing[1:] - spacing[:-1], (-1, *(1,) * (input.ndim - dim - 1)))
        before, after = h[:-1], h[1:]
        by_before = F.narrow(ahead, dim, 0, n - 2) / before
        by_after = F.narrow(ahead, dim, 1, n - 2) / after
        inner = (by_before * after + by_after * before) / (before + after)
        parts = before / (before + after), after / (before + after)
        at_ends = (parts[0][:1], parts[1][-1:])
    else:
        h, at_ends = spacing, (0.5, 0.5)
        inner = (F.narrow(input, dim, 2, n - 2) - F.narrow(input, dim, 0, n - 2)) / (2 * h)
    ends = ahead / h
    first, last = F.narrow(ends, dim, 0, 1), F.narrow(ends, dim, n - 2, 1)
    if edge_order == 2:  # how much the slope grows from one step to the next
        first = first - (F.narrow(ends, dim, 1, 1) - first) * at_ends[0]
        last = last + (last - F.narrow(ends, dim, n - 3, 1)) * at_ends[1]
    return F.cat((first, inner, last), dim)

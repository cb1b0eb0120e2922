"""The smallest and the largest entry together, sums without nan, and covariances.

Read next: tensor/functions/counting.py
"""

import warnings
from typing import Any

from graphlab.autograd.record import apply
from graphlab.common.dtypes import dtype as Type
from graphlab.common.dtypes import named
from graphlab.common.errors import users_level
from graphlab.common.public import public
from graphlab.ops import statistics as m
from graphlab.tensor import functions as F
from graphlab.tensor.functions.checks import type_name
from graphlab.tensor.functions.dims import Dim, all_or_given, given_dim, size_along
from graphlab.tensor.functions.reductions import need_floating_dtype
from graphlab.tensor.functions.results import result_type
from graphlab.tensor.tensor import Tensor

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

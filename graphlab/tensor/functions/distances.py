"""Distances and similarity: `dist`, `pairwise_distance`, `cosine_similarity`, `normalize`.

Read next: nn/functional/margins.py
"""

from typing import Any

import numpy as np

from graphlab.autograd.record import apply
from graphlab.common.dtypes import common, dtype, find
from graphlab.common.public import public
from graphlab.ops import reductions
from graphlab.ops.elementwise import NO_SUBTRACTION
from graphlab.tensor import functions as F
from graphlab.tensor.functions.checks import Dim, as_int, need_tensor, one_dim, type_name
from graphlab.tensor.functions.rounding import add_number
from graphlab.tensor.functions.statistics import vector_norm
from graphlab.tensor.tensor import Tensor, wrap


@public(method=True)
def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    """Return the p-norm of input - other. input, other: (...) -> ().

    >>> dist(torch.tensor([3.0, 4.0]), torch.zeros(2))
    tensor(5.)
    """
    need_tensor("dist", "input", 1, input)
    need_tensor("dist", "other", 2, other)
    if "b" in (input._data.dtype.kind, other._data.dtype.kind):
        raise RuntimeError(NO_SUBTRACTION)
    return apply(reductions.Dist, input, other, p=p)


@public()
def pairwise_distance(
    x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Tensor:
    """Return the p-norm of x1 - x2 + eps along the last dimension.

    x1, x2: (N, D) or (D,), broadcastable
    p: float, of the norm
    eps: float, added to each difference, which keeps the gradient finite at 0
    keepdim: bool, keep the last dimension with size 1
    Returns: (N,) or ().

    >>> pairwise_distance(torch.tensor([[3.0, 4.0]]), torch.zeros(1, 2))
    tensor([5.0000])
    """
    away = add_number(x1 - x2, eps)
    return apply(reductions.Norm, away, p=float(p), dim=(away.ndim - 1,), keepdim=keepdim)


@public()
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """Return x1 · x2 / (‖x1‖ ‖x2‖), the cosine of their angle, along `dim`.

    x1, x2: (N, D), broadcastable
    dim: int, the dimension of the vectors
    eps: float > 0, the smallest norm to divide by
    Returns: (N,). Raises: RuntimeError for integers alone.

    >>> cosine_similarity(torch.tensor([[1.0, 0.0]]), torch.tensor([[1.0, 1.0]]))
    tensor([0.7071])
    """
    if type(dim) is not int:
        dim = as_int(dim)
    if not (x1.is_floating_point() and x2.is_floating_point()):  # integers are cast
        kind = find(common([x1._data, x2._data]))
        x1, x2 = (x if x.is_floating_point() else x.to(kind) for x in (x1, x2))
        if not kind.is_floating_point:
            raise RuntimeError(
                "expected common dtype to be floating point, yet common dtype is " + type_name(x1)
            )
    if x1.shape != x2.shape:
        size = F.broadcast_tensors(x1.detach(), x2.detach())[0].shape
        x2, x1 = [x if x.shape == size else x.expand(size) for x in (x2, x1)]  # PyTorch's order

    lengths = []
    for x in (x1, x2):
        lengths.append(F.clone(vector_norm(x, 2, dim, True)))
        lengths[-1].data.clamp_(min=eps)  # a bound without a gradient
    second = x2 / lengths[1]  # made before the first, as in PyTorch
    return F.sum((x1 / lengths[0]) * second, dim)


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    """Return x / max(‖x‖, eps), with the p-norm along `dim`.

    input: (...) -> (...)
    p: float, of the norm
    dim: int, the dimension of the vectors
    eps: float > 0, the smallest norm to divide by

    >>> import graphlab as torch
    >>> normalize(torch.tensor([3.0, 4.0]), dim=0)
    tensor([0.6000, 0.8000])
    """
    return input / F.clamp_min(F.norm(input, p, dim, True), eps).expand_as(input)


@public(method=True, out=True)
def norm(
    input: Tensor,
    p: Any = "fro",
    dim: Dim = None,
    keepdim: bool = False,
    dtype: dtype | None = None,
) -> Tensor:
    """Return the p-norm of the entries over `dim`, over all when None. input: (...).

    p: "fro" or 2 for the root of the sum of squares, inf for the largest size, another number,
    "nuc" for the sum of the singular values. keepdim: keep the dimensions with size 1.
    dtype: convert to this type first.

    >>> torch.norm(torch.tensor([3.0, 4.0]))
    tensor(5.)
    """
    if isinstance(p, str) and p != "fro":
        from graphlab.tensor.functions.norms import matrix_norm  # it needs singular values

        return matrix_norm(input, p, range(input.ndim) if dim is None else dim, keepdim)
    return vector_norm(input, 2 if p in ("fro", None) else p, dim, keepdim, dtype=dtype)


@public(method=True, in_place=True, out=True)
def renorm(input: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """Scale the slices along `dim` whose p-norm is above `maxnorm` down to it. input: (...).

    Raises: RuntimeError for fewer than two dimensions, p ≤ 0 or maxnorm < 0.

    >>> torch.renorm(torch.tensor([[3.0, 4.0], [0.3, 0.4]]), 2, 0, 1.0)
    tensor([[0.6000, 0.8000],
            [0.3000, 0.4000]])
    """
    dim = as_int(dim)
    if isinstance(maxnorm, Tensor) and maxnorm.ndim:
        raise TypeError("renorm(): argument 'maxnorm' (position 4) must be Number, not Tensor")
    if p <= 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm:g}")
    if (n := input.ndim) < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {n} dimensions")
    along = one_dim(dim, n)
    lengths = vector_norm(input, p, [d for d in range(n) if d != along], keepdim=True)
    return input * F.where(lengths > maxnorm, (lengths + 1e-7) ** -1 * maxnorm, 1.0)


@public()
def pdist(input: Tensor, p: float = 2) -> Tensor:
    """Return the distances between all pairs of rows. input: (N, M) -> (N (N - 1) / 2,).

    p: the norm of the distance. Raises: RuntimeError for another number of dimensions.

    >>> torch.pdist(torch.tensor([[0.0, 0.0], [3.0, 4.0]]))
    tensor([5.])
    """
    if input.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input.ndim}D")
    pairs = np.triu_indices(len(input), 1)
    first, second = (input[wrap(places, False, None)] for places in pairs)
    return norm(first - second, p, dim=-1)

"""How far apart, how alike: `dist`, `pairwise_distance`, `cosine_similarity`, `normalize`.

Read next: nn/functional/margins.py
"""

from typing import Any

from graphlab.autograd.record import apply
from graphlab.common.dtypes import dtype
from graphlab.ops import norms
from graphlab.ops.elementwise import NO_SUBTRACTION
from graphlab.tensor import functions as F
from graphlab.tensor.functions.checks import need_tensor
from graphlab.tensor.functions.dims import Dim, as_int
from graphlab.tensor.functions.scalars import add_number
from graphlab.tensor.functions.statistics import vector_norm
from graphlab.tensor.tensor import Tensor


def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    """The p-norm of input - other. input, other: (...) -> ().

    >>> import graphlab as torch
    >>> dist(torch.tensor([3.0, 4.0]), torch.zeros(2))
    tensor(5.)
    """
    need_tensor("dist", "input", 1, input)
    need_tensor("dist", "other", 2, other)
    if "b" in (input._data.dtype.kind, other._data.dtype.kind):
        raise RuntimeError(NO_SUBTRACTION)
    return apply(norms.Dist, input, other, p=p)


def pairwise_distance(
    x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Tensor:
    """The p-norm of x1 - x2 + eps along the last dimension. x1, x2: (N, D) -> (N,)."""
    away = add_number(x1 - x2, eps)
    return apply(norms.Norm, away, p=float(p), dim=(away.ndim - 1,), keepdim=keepdim)


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between x1 and x2 along `dim`. x1, x2: (N, D) -> (N,).

    No length counts as smaller than eps.
    """
    if type(dim) is not int:
        dim = as_int(dim)
    if x1.shape != x2.shape:
        x1, x2 = F.broadcast_tensors(x1, x2)

    def unit(x: Tensor) -> Tensor:
        length = F.clone(vector_norm(x, 2, dim, True))
        length.data.clamp_(min=eps)  # a bound that no gradient feels
        return x / length

    return F.sum(unit(x1) * unit(x2), dim)


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    """x over its p-norm along `dim`, which is at least eps. input: (...) -> (...).

    >>> import graphlab as torch
    >>> normalize(torch.tensor([3.0, 4.0]), dim=0)
    tensor([0.6000, 0.8000])
    """
    return input / F.clamp_min(F.norm(input, p, dim, True), eps).expand_as(input)


def norm(
    input: Tensor,
    p: Any = "fro",
    dim: Dim = None,
    keepdim: bool = False,
    dtype: dtype | None = None,
) -> Tensor:
    """The norm of the entries, over `dim`: the root of their squares' sum unless `p` says more."""
    if isinstance(p, str) and p != "fro":
        from graphlab.tensor.functions.norms import matrix_norm  # it needs singular values

        return matrix_norm(input, p, range(input.ndim) if dim is None else dim, keepdim)
    return vector_norm(input, 2 if p in ("fro", None) else p, dim, keepdim, dtype=dtype)

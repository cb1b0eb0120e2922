"""Products, variances, extremes, norms and running sums, with PyTorch's dims and overloads.

Read next: primitives/table.py
"""

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from graphlab.autograd.decisions import came_from, decision_of
from graphlab.autograd.record import apply
from graphlab.common.dtypes import dtype, named
from graphlab.common.errors import users_level
from graphlab.common.public import mark, public
from graphlab.ops import statistics as s
from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.reductions import freedom
from graphlab.tensor.functions.checks import (
    C_NAMES,
    NO_DIM,
    Dim,
    all_or_given,
    dims_of,
    given_dim,
    given_dims,
    not_for,
    type_name,
    without_dim,
)
from graphlab.tensor.functions.reductions import not_empty
from graphlab.tensor.tensor import Tensor, wrap


@public(method=True, out=True)
def prod(
    input: Tensor, dim: int = NO_DIM, keepdim: bool = False, *, dtype: dtype | None = None
) -> Tensor:
    """Return the product of all entries, or along `dim`. input: (...).

    keepdim: keep `dim` with size 1. dtype: convert to this type first.

    >>> torch.prod(torch.tensor([2.0, 3.0, 4.0]))
    tensor(24.)
    """
    if dtype is not None:
        kind = named("prod", dtype)
        return prod(input.to(kind), dim, keepdim).to(kind)  # integers are multiplied as int64
    if dim is NO_DIM:
        without_dim("prod", keepdim)
        return apply(s.Prod, input)
    if not isinstance(dim, int):
        raise TypeError(f"prod(): argument 'dim' must be int, not {type(dim).__name__}")
    return apply(s.ProdDim, input, dim=given_dim(dim, input.ndim), keepdim=keepdim)


@public(method=True, out=True)
def amax(input: Tensor, dim: Dim = (), keepdim: bool = False) -> Tensor:
    """Return the largest entry, or those along `dim`; entries that tie share the gradient.

    keepdim: keep `dim` with size 1.

    >>> torch.amax(torch.tensor([[1.0, 3.0], [4.0, 2.0]]), 1)
    tensor([3., 4.])
    """
    dims = some_entry("amax", input, given_dims(dim, input.ndim))
    return apply(s.Amax, input if dims else not_empty(input, "amax"), dim=dims, keepdim=keepdim)


@public(method=True, out=True)
def amin(input: Tensor, dim: Dim = (), keepdim: bool = False) -> Tensor:
    """Return the smallest entry, or those along `dim`; entries that tie share the gradient.

    keepdim: keep `dim` with size 1.

    >>> torch.amin(torch.tensor([[1.0, 3.0], [4.0, 2.0]]), 1)
    tensor([1., 2.])
    """
    dims = some_entry("amin", input, given_dims(dim, input.ndim))
    return apply(s.Amin, input if dims else not_empty(input, "amin"), dim=dims, keepdim=keepdim)


def some_entry(name: str, input: Tensor, dims: tuple[int, ...]) -> tuple[int, ...]:
    """Return the dims. Raises: IndexError when one of them has no entries."""
    for d in dims if input.numel() == 0 else ():
        if input.shape[d] == 0:
            raise IndexError(f"{name}(): Expected reduction dim {d} to have non-zero size.")
    return dims


def of_spread(name: str, op: type[Op], what: str, shown: str) -> Callable[..., Any]:
    """Return the function of the variance or of its root, alone or with the mean."""

    def call(
        input: Tensor,
        dim: Any = None,
        unbiased: bool | None = None,
        keepdim: bool = False,
        *,
        correction: float | None = None,
    ) -> Any:
        return apply(op, input, **spread(name, input, dim, unbiased, keepdim, correction))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"""Return {what} of all entries, or along `dim`. input: (...).

    correction: divide by n - correction, 1 by default. unbiased: True means 1, False 0.
    keepdim: keep `dim` with size 1. Raises: RuntimeError for integers. Warns: UserWarning, as
    PyTorch does, when n - correction <= 0.

    >>> import graphlab as torch
    >>> torch.{name}(torch.tensor([1.0, 2.0, 3.0]))
    {shown}
    """
    return call


var = of_spread("var", s.Var, "the variance", "tensor(1.)")
std = of_spread("std", s.Std, "the standard deviation, the root of the variance", "tensor(1.)")
var_mean = of_spread("var_mean", s.VarMean, "the variance and the mean", "(tensor(1.), tensor(2.))")
std_mean = of_spread(
    "std_mean", s.StdMean, "the standard deviation and the mean", "(tensor(1.), tensor(2.))"
)
mark("var std", method=True, out=True)
mark("var_mean std_mean")


def spread(
    name: str,
    input: Tensor,
    dim: Any,
    unbiased: bool | None,
    keepdim: bool,
    correction: float | None,
) -> dict[str, Any]:
    """Return the options of a variance; `var(False)` and `var(0, False)` set `unbiased`."""
    if not input.is_floating_point():
        who = {"var": "std and var", "std": "std:"}.get(name, name)
        raise RuntimeError(f"{who} only support floating point and complex dtypes")
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if unbiased is not None:
        correction = int(unbiased)
    elif correction is None and dim is not None:
        correction = 1
    dims = None if dim is None else all_or_given(dim, input.ndim)
    if freedom(tuple(input.shape), dims, correction) == 0:
        warnings.warn(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the "
            "reduction factor (input numel divided by output numel).",
            UserWarning,
            stacklevel=users_level(),
        )
    return {"dim": dims, "correction": correction, "keepdim": keepdim}


def vector_norm(
    x: Tensor, ord: float = 2, dim: Dim = None, keepdim: bool = False, *, dtype: dtype | None = None
) -> Tensor:
    """Return (Σ |x|ᵒʳᵈ)^(1/ord) over `dim`, over all entries when None. x: (...).

    ord: 2 by default; inf for the largest size. keepdim: keep `dim` with size 1.
    dtype: convert to this type first.

    >>> import graphlab as torch
    >>> torch.linalg.vector_norm(torch.tensor([3.0, 4.0]))
    tensor(5.)
    """
    if dtype is not None:
        kind = named("vector_norm", dtype)
        if kind.numpy.kind == "f" and kind.numpy.itemsize < x._data.dtype.itemsize:
            raise RuntimeError(
                f"linalg.vector_norm: the dtype of the input ({C_NAMES[x.dtype.name]}) should be "
                f"convertible without narrowing to the specified dtype ({C_NAMES[kind.name]})"
            )
        x = x.to(kind)
    if not x.is_floating_point():
        raise RuntimeError(
            "linalg.vector_norm: Expected a floating point or complex tensor as input. Got "
            + type_name(x)
        )
    dims = None if dim is None else all_or_given(dim, x.ndim)
    if x.numel() == 0 and (ord < 0 or ord == math.inf):
        refuse_empty_norm(x, ord, dims)
    return apply(s.LinalgVectorNorm, x, ord=ord, dim=dims, keepdim=keepdim)


def refuse_empty_norm(x: Tensor, ord: float, dims: tuple[int, ...] | None) -> None:
    """Raise RuntimeError for the smallest, or the largest, of no entries."""
    if not dims:
        raise RuntimeError(
            f"linalg.vector_norm cannot compute the {ord} norm on an empty tensor because the "
            "operation does not have an identity"
        )
    for d in dims:
        if x.shape[d] == 0:
            raise RuntimeError(
                f"linalg.vector_norm cannot compute the {ord} norm on the dimension {d}because "
                "this dimension is empty and the operation does not have an identity"
            )


@public(method=True, in_place=True, out=True)
def cumsum(input: Tensor, dim: int, *, dtype: dtype | None = None) -> Tensor:
    """Return the running sum along `dim`. input: (...) -> (...).

    dtype: convert to this type first.

    >>> torch.cumsum(torch.tensor([1.0, 2.0, 3.0]), 0)
    tensor([1., 3., 6.])
    """
    return running("cumsum", s.Cumsum, input, dim, dtype)


@public(method=True, in_place=True, out=True)
def cumprod(input: Tensor, dim: int, *, dtype: dtype | None = None) -> Tensor:
    """Return the running product along `dim`. input: (...) -> (...).

    dtype: convert to this type first.

    >>> torch.cumprod(torch.tensor([1.0, 2.0, 3.0]), 0)
    tensor([1., 2., 6.])
    """
    return running("cumprod", s.Cumprod, input, dim, dtype)


def running(name: str, op: type[Op], input: Tensor, dim: int, dtype: dtype | None) -> Tensor:
    """Return a running sum or product. Raises: NotImplementedError for one in bool."""
    if dtype is None:
        return apply(op, input, dim=given_dim(dim, input.ndim))
    kind = named(name, dtype)
    if kind.name == "bool":
        raise not_for(f"{name}_out_cpu", input.to(kind))
    return running(name, op, input.to(kind), dim, None).to(kind)


def as_truth(found: Any, input: Tensor) -> Any:
    """Return a truth value as bool, or as uint8 for uint8, as PyTorch does."""
    return found.astype(np.uint8) if input._data.dtype == np.uint8 else found


def as_decided(found: Tensor, input: Tensor, again: Callable[[], Tensor]) -> Tensor:
    """Return what was found in a mask; it notes how `again` computes it from the mask."""
    if decision_of(input) is not None and (decision := again()._more) is not None:
        found._rare().decision = decision.decision
        return found
    return came_from(found, (input,))


@public(method=True, out=True)
def any(input: Tensor, dim: Dim = None, keepdim: bool = False) -> Tensor:
    """Return whether any entry, or any along `dim`, is not 0.

    input: (...) -> bool, outside the graph.
    keepdim: keep `dim` with size 1.

    >>> torch.any(torch.tensor([True, False]))
    tensor(True)
    """
    dims = None if dim is None else dims_of(dim, input.ndim)
    found = wrap(as_truth(np.any(input._data, axis=dims, keepdims=keepdim), input), False, None)
    return as_decided(found, input, lambda: input.sum(dims, keepdim) != 0)


@public(method=True, out=True)
def all(input: Tensor, dim: Dim = None, keepdim: bool = False) -> Tensor:
    """Return whether all entries, or all along `dim`, are not 0.

    input: (...) -> bool, outside the graph.
    keepdim: keep `dim` with size 1.

    >>> torch.all(torch.tensor([True, False]))
    tensor(False)
    """
    dims = None if dim is None else dims_of(dim, input.ndim)
    found = wrap(as_truth(np.all(input._data, axis=dims, keepdims=keepdim), input), False, None)
    return as_decided(found, input, lambda: input.logical_not().sum(dims, keepdim) == 0)


@public(method=True)
def count_nonzero(input: Tensor, dim: Dim = None) -> Tensor:
    """Count the entries that are not 0, all or along `dim`, outside the graph. input: (...).

    >>> torch.count_nonzero(torch.tensor([0, 5, 6]))
    tensor(2)
    """
    dims = None if dim is None else dims_of(dim, input.ndim) or None
    found = wrap(np.sum(input._data != 0, axis=dims, dtype=np.int64), False, None)
    return came_from(found, (input,))

"""`out=`: write a function's result into an existing tensor.

Read next: tensor/inplace.py
"""

import warnings
from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from typing import Any

import numpy as np

from graphlab.autograd.grad_mode import is_grad_enabled, no_grad
from graphlab.tensor.functions.checks import type_name
from graphlab.tensor.tensor import Tensor

PRODUCTS = {"bmm", "matmul", "mm"}
JOINED = {"cat", "concat", "concatenate", "stack"}
C_TYPES = {
    "float64": "double", "float32": "float", "float16": "c10::Half", "int64": "long int",
    "int32": "int", "int16": "short int", "int8": "signed char", "uint8": "unsigned char",
    "bool": "bool",
}  # fmt: skip
RESIZED = (
    "An output with one or more elements was resized since it had shape {}, which does not match "
    "the required output shape {}. This behavior is deprecated, and in a future PyTorch release "
    "outputs will not be resized unless they have zero elements. You can explicitly reuse an out "
    "tensor t by resizing it, inplace, to zero elements with t.resize_(0)."
)


def with_out(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with the option `out`, a tensor to write its result into."""

    @wraps(function)
    def call(*inputs: Any, out: Any = None, **options: Any) -> Any:
        if out is None:
            return function(*inputs, **options)
        if not isinstance(out, Tensor):
            raise TypeError(
                f"{function.__name__}(): argument 'out' must be Tensor, not {type(out).__name__}"
            )
        return write(function.__name__, function(*inputs, **options), out)

    known = signature(function)
    last = Parameter("out", Parameter.KEYWORD_ONLY, default=None, annotation="Tensor | None")
    call.__signature__ = known.replace(parameters=[*known.parameters.values(), last])  # type: ignore[attr-defined]
    return call


def write(name: str, result: Tensor, out: Tensor) -> Tensor:
    """Write a result into `out`, which takes its shape and keeps its own type.

    Raises: RuntimeError for a result in a graph, and for a type that cannot hold the result.

    >>> import graphlab as torch
    >>> total = torch.empty(2)
    >>> torch.add(torch.ones(2), 1, out=total)
    tensor([2., 2.])
    """
    floats = result.is_floating_point()
    if result.requires_grad or (floats and out.requires_grad and is_grad_enabled()):
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, "
            "but one of the arguments requires grad."
        )
    check_types(name, result, out)
    with no_grad():
        if out.shape != result.shape:
            if out.numel():
                said = RESIZED.format(list(out.shape), list(result.shape))
                warnings.warn(said, UserWarning, stacklevel=3)
            out.data = result.new_empty(result.shape, dtype=out.dtype)
        return out.copy_(result)


def check_types(name: str, result: Tensor, out: Tensor) -> None:
    """Raise RuntimeError, for `cat` TypeError, when `out` cannot hold such entries."""
    have, want = result._data.dtype, out._data.dtype
    if name in PRODUCTS:
        if have != want:
            raise RuntimeError(
                f"Expected out tensor to have dtype {C_TYPES[have.name]}, but got "
                f"{C_TYPES[want.name]} instead"
            )
    elif not np.can_cast(have, want, "same_kind") and have.kind != "b":
        if name in JOINED:
            raise TypeError(
                "torch.cat(): input types can't be cast to the desired output type "
                f"{type_name(out)}"
            )
        raise RuntimeError(
            f"result type {type_name(result)} can't be cast to the desired output type "
            f"{type_name(out)}"
        )

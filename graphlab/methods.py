"""What a tensor can do: the functions of functional/ as methods and operators.

Read next: printing.py
"""

from typing import Any

import numpy as np

from graphlab import creation_like, inplace, ops
from graphlab import dtypes as types
from graphlab import functional as F
from graphlab.autograd.backward import backward
from graphlab.autograd.record import apply
from graphlab.dtypes import dtype
from graphlab.indexing import getitem, iterate, setitem
from graphlab.printing import tensor_text
from graphlab.tensor import Tensor

SAME_NAME = [
    "abs", "add", "argmax", "argmin", "bmm", "clone", "div", "dot", "eq", "exp", "expand",
    "flatten", "ge", "gt", "isfinite", "isinf", "isnan", "le", "log", "log1p", "log_softmax",
    "logical_and", "logical_not", "logical_or", "logsumexp", "lt", "matmul", "max", "maximum",
    "mean", "min", "minimum", "mm", "mul", "mv", "ne", "neg", "permute", "pow", "reciprocal",
    "relu", "reshape", "rsqrt", "sigmoid", "sign", "sin", "cos", "softmax", "sqrt", "square",
    "squeeze", "sub", "sum", "t", "tanh", "transpose", "unbind", "unsqueeze", "view", "prod",
    "var", "std", "amax", "amin", "norm", "cumsum", "cumprod", "any", "all", "count_nonzero",
    "flip", "roll", "tril", "triu", "tile", "split", "chunk", "narrow", "select", "movedim",
    "unflatten", "broadcast_to", "sort", "argsort", "topk", "repeat", "masked_fill",
    "masked_select", "index_select", "gather", "scatter", "scatter_add", "take_along_dim",
    "acos", "acosh", "addcdiv", "addcmul", "asin", "asinh", "atan", "atan2", "atanh", "ceil",
    "clamp", "clamp_max", "clamp_min", "clip", "cosh", "erf", "erfc", "exp2", "expm1", "fix",
    "floor", "fmod", "frac", "hypot", "lerp", "log10", "log2", "logaddexp", "nan_to_num",
    "positive", "remainder", "round", "sinh", "tan", "trunc", "xlogy",
]  # fmt: skip
IN_PLACE = [
    "add_", "copy_", "div_", "exp_", "fill_", "mul_", "neg_", "pow_", "relu_", "sigmoid_",
    "sqrt_", "sub_", "tanh_", "zero_", "abs_", "acos_", "acosh_", "addcdiv_", "addcmul_",
    "asin_", "asinh_", "atan2_", "atan_", "atanh_", "ceil_", "clamp_", "clamp_max_",
    "clamp_min_", "clip_", "cos_", "cosh_", "erf_", "erfc_", "exp2_", "expm1_", "fix_",
    "floor_", "fmod_", "frac_", "hypot_", "lerp_", "log10_", "log1p_", "log2_", "log_",
    "nan_to_num_", "reciprocal_", "remainder_", "round_", "rsqrt_", "sign_", "sin_", "sinh_",
    "square_", "tan_", "trunc_", "xlogy_",
]  # fmt: skip


def convert(self: Tensor, target: Any, *args: Any, **kwargs: Any) -> Tensor:
    """The tensor in another type; itself when it has that type. Devices are all "cpu"."""
    if isinstance(target, Tensor):
        target = target.dtype
    if isinstance(target, str):
        if target != "cpu":
            raise RuntimeError(f"device {target!r} is not available; GraphLab computes on 'cpu'")
        return self
    kind = target.numpy if isinstance(target, dtype) else np.dtype(target)
    return self if self._data.dtype == kind else apply(ops.shape.ToCopy, self, dtype=kind)


def to(kind: dtype) -> Any:
    """The method that converts to one type."""
    return lambda self: convert(self, kind)


def divide_into(self: Tensor, other: Any) -> Tensor:
    """other / self, as PyTorch records it: the reciprocal times `other`."""
    return F.mul(F.reciprocal(self), other)


def power_of(self: Tensor, base: Any) -> Tensor:
    """base ** self."""
    return F.pow(base, self)


def same_shape(self: Tensor, other: Tensor) -> Tensor:
    """The entries of `self` in the shape of `other`."""
    return F.reshape(self, tuple(other.shape))


OPERATORS: dict[str, Any] = {
    "__add__": F._add, "__radd__": F._add, "__sub__": F._sub, "__rsub__": F.rsub,
    "__mul__": F.mul, "__rmul__": F.mul, "__truediv__": F.div, "__rtruediv__": divide_into,
    "__pow__": F.pow, "__rpow__": power_of, "__matmul__": F.matmul, "__neg__": F.neg,
    "__abs__": F.abs, "__pos__": F.positive, "__mod__": F.remainder, "__imod__": inplace.remainder_,
    "__eq__": F.eq, "__ne__": F.ne, "__lt__": F.lt, "__le__": F.le, "__gt__": F.gt, "__ge__": F.ge,
    "__invert__": F.logical_not, "__and__": F.bitwise_and, "__or__": F.bitwise_or,
    "__iadd__": inplace.add_, "__isub__": inplace.sub_, "__imul__": inplace.mul_,
    "__itruediv__": inplace.div_, "__ipow__": inplace.pow_,
    "__repr__": tensor_text,
    "__getitem__": getitem, "__setitem__": setitem, "__iter__": iterate,
}  # fmt: skip

for name in SAME_NAME:
    setattr(Tensor, name, getattr(F, name))
for name in IN_PLACE:
    setattr(Tensor, name, getattr(inplace, name))
for name, function in OPERATORS.items():
    setattr(Tensor, name, function)

METHODS: dict[str, Any] = {
    "backward": backward,
    "to": convert, "type": convert, "cpu": lambda self: self,
    "float": to(types.float32), "double": to(types.float64), "half": to(types.float16),
    "int": to(types.int32), "long": to(types.int64), "bool": to(types.bool_),
    "contiguous": lambda self: self if self._data.flags.c_contiguous else F.clone(self),
    "is_contiguous": lambda self: bool(self._data.flags.c_contiguous),
    "swapaxes": F.transpose, "swapdims": F.transpose,
    "reshape_as": same_shape, "view_as": same_shape,
    "new_zeros": creation_like.new_zeros, "new_ones": creation_like.new_ones,
    "new_full": creation_like.new_full, "new_tensor": creation_like.new_tensor,
    "expand_as": lambda self, other: F.expand(self, tuple(other.shape)),
}  # fmt: skip
for name, function in METHODS.items():
    setattr(Tensor, name, function)

Tensor.T = property(F.permute)  # type: ignore[assignment]
Tensor.mT = property(lambda self: F.transpose(self, -2, -1))  # type: ignore[assignment]
Tensor.__hash__ = object.__hash__  # type: ignore[method-assign]

"""Convert to another type: `x.to(torch.float64)`, `x.type()`, `x.float()`, `x.type_as(y)`.

Read next: tensor/limits.py
"""

from typing import Any

import numpy as np

from graphlab.autograd.record import apply
from graphlab.common import dtypes as types
from graphlab.common.devices import CPU, check_device, device, strided
from graphlab.common.dtypes import dtype
from graphlab.tensor.tensor import Tensor


def to(self: Tensor, *args: Any, **options: Any) -> Tensor:
    """Return the tensor in another type; the tensor itself when nothing changes, unless copy=True.

    Call it as to(dtype), to(device), to(device, dtype), to(other), or by name; non_blocking has no
    effect.
    Raises: AssertionError for cuda, RuntimeError for other devices, TypeError for complex types.
    """
    kind, where, copy = options.pop("dtype", None), options.pop("device", None), False
    rest = []
    for given in args:
        if isinstance(given, Tensor):
            kind = given.dtype
        elif isinstance(given, dtype | np.dtype | type):
            kind = given
        elif isinstance(given, str | device):
            where = given
        elif given is not None:
            rest.append(given)  # non_blocking, copy
    other = options.pop("other", None)
    if other is not None:
        kind = other.dtype
    copy = options.pop("copy", rest[1] if len(rest) > 1 else False)
    options.pop("non_blocking", None)
    options.pop("memory_format", None)
    if options or any(not isinstance(x, bool) for x in rest):
        wrong = next((x for x in rest if not isinstance(x, bool)), None)
        raise TypeError(
            f"to() received an invalid combination of arguments - got {wrong!r}{options or ''}; "
            "pass a dtype, a device, both, or a tensor"
        )
    check_device(where)
    return converted(self, self.dtype if kind is None else kind, copy)


def converted(self: Tensor, kind: Any, copy: bool = False) -> Tensor:
    """Return the tensor in the type `kind`; the tensor itself when it has that type."""
    numpy = numpy_type(kind)
    if self._data.dtype == numpy and not copy:
        return self
    from graphlab.ops.shapes import ToCopy  # only who asks for another type waits for it

    return apply(ToCopy, self, dtype=numpy)


def numpy_type(kind: Any) -> np.dtype:
    """Return NumPy's dtype for a dtype of GraphLab's, or for Python's float, int or bool."""
    return kind if isinstance(kind, np.dtype) else types.named("to", kind).numpy


def legacy_name(kind: Any) -> dtype | None:
    """Return the dtype that "torch.FloatTensor", or the class of that name, stands for."""
    text = getattr(kind, "legacy", None) or str(kind)
    return next((d for d in types.ALL if text in (d.legacy, f"torch.{d.legacy}")), None)


def type_(self: Tensor, dtype: Any = None, non_blocking: bool = False) -> Any:
    """Return the name of the type, "torch.FloatTensor"; given a `dtype`, the tensor in that type.

    dtype: a dtype, or a name such as "torch.LongTensor". non_blocking: without effect.

    >>> import graphlab as torch
    >>> torch.tensor([1.0]).type(), torch.tensor([1.0]).type("torch.LongTensor")
    ('torch.FloatTensor', tensor([1]))
    """
    if dtype is None:
        return f"torch.{self.dtype.legacy}"
    if isinstance(dtype, types.dtype):
        return converted(self, dtype)
    found = legacy_name(dtype)
    if found is None:
        text = dtype if isinstance(dtype, str) else getattr(dtype, "__name__", repr(dtype))
        raise ValueError(f"invalid type: {text!r}")
    return converted(self, found)


def type_as(self: Tensor, other: Tensor) -> Tensor:
    """Return the tensor in the type of `other`."""
    return converted(self, other.dtype)


def caster(kind: dtype) -> Any:
    """Return the method that converts to one type: x.float()."""

    def cast(self: Tensor) -> Tensor:
        return converted(self, kind)

    cast.__doc__ = f"Return the tensor in the type {kind!r}."
    return cast


def cuda(self: Tensor, *args: Any, **options: Any) -> Tensor:
    """Raise AssertionError, as PyTorch without CUDA does."""
    raise AssertionError("Torch not compiled with CUDA enabled")


METHODS: dict[str, Any] = {
    "to": to, "type": type_, "type_as": type_as, "cuda": cuda,
    "cpu": lambda self, *_, **__: self,
    "float": caster(types.float32), "double": caster(types.float64), "half": caster(types.float16),
    "byte": caster(types.uint8), "char": caster(types.int8), "short": caster(types.int16),
    "int": caster(types.int32), "long": caster(types.int64), "bool": caster(types.bool_),
    "is_complex": lambda self: False,
    "is_signed": lambda self: self._data.dtype.kind in "if",
    "get_device": lambda self: -1,
    "device": property(lambda self: CPU), "layout": property(lambda self: strided),
    "is_cpu": property(lambda self: True), "is_cuda": property(lambda self: False),
    "is_sparse": property(lambda self: False), "is_quantized": property(lambda self: False),
    **dict.fromkeys(
        ("is_meta", "is_mkldnn", "is_mps", "is_nested", "is_sparse_csr", "is_xla", "is_xpu"),
        property(lambda self: False),
    ),
    **dict.fromkeys(("is_conj", "is_neg", "is_pinned", "is_shared"), lambda self: False),
    **dict.fromkeys(
        ("conj_physical", "resolve_conj", "resolve_neg", "share_memory_", "to_dense"),
        lambda self, *_, **__: self,
    ),
}  # fmt: skip

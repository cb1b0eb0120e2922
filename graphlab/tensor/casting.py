"""Types: conversions such as `x.to(torch.float64)`, limits such as `finfo`, and `promote_types`.

Read next: common/dtypes.py
"""

from typing import Any

import numpy as np

from graphlab.autograd.decisions import came_from
from graphlab.autograd.record import apply
from graphlab.common import dtypes as types
from graphlab.common.devices import check_device, device, preserve_format
from graphlab.common.dtypes import CATEGORY, common, dtype, find, get_default_dtype
from graphlab.common.public import public
from graphlab.tensor.creation import laid_out
from graphlab.tensor.functions.checks import need_tensor
from graphlab.tensor.tensor import Tensor


def to(self: Tensor, *args: Any, **options: Any) -> Tensor:
    """Return the tensor in another type; the tensor itself when nothing changes, unless copy=True.

    Call it as to(dtype), to(device), to(device, dtype), to(other), or by name; non_blocking has no
    effect.
    Raises: AssertionError for cuda, RuntimeError for other devices, TypeError for complex types.

    >>> import graphlab
    >>> graphlab.tensor([1.9]).to(graphlab.int64)
    tensor([1])
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
    order = options.pop("memory_format", None)
    if options or any(not isinstance(x, bool) for x in rest):
        wrong = next((x for x in rest if not isinstance(x, bool)), None)
        raise TypeError(
            f"to() received an invalid combination of arguments - got {wrong!r}{options or ''}; "
            "pass a dtype, a device, both, or a tensor"
        )
    check_device(where)
    copy = copy or not (order in (None, preserve_format) or self.is_contiguous(order))
    made = converted(self, self.dtype if kind is None else kind, copy)
    return made if made is self else laid_out(made, order)


def converted(self: Tensor, kind: Any, copy: bool = False) -> Tensor:
    """Return the tensor in the type `kind`; the tensor itself when it has that type."""
    numpy = numpy_type(kind)
    if self._data.dtype == numpy and not copy:
        return self
    from graphlab.ops.shapes import ToCopy

    made = apply(ToCopy, self, dtype=numpy)
    return made if made._needs or made._more is not None else came_from(made, (self,))


def numpy_type(kind: Any) -> np.dtype:
    """Return NumPy's dtype for a GraphLab dtype, or for Python's float, int or bool."""
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
    """Return the tensor in the type of `other`.

    >>> import graphlab
    >>> graphlab.tensor([1.9]).type_as(graphlab.tensor(2))
    tensor([1])
    """
    return converted(self, other.dtype)


def caster(name: str, kind: dtype) -> Any:
    """Return the method that converts to one type: x.float()."""

    def cast(self: Tensor) -> Tensor:
        return converted(self, kind)

    cast.__name__ = cast.__qualname__ = name
    cast.__doc__ = explained(f"Return the tensor in the type {kind!r}.", f"{name}().dtype", kind)
    return cast


def explained(sentence: str, call: str, shown: Any) -> str:
    """Return a docstring: a sentence, and what a call of a method of a tensor shows."""
    return f"{sentence}\n\n>>> import graphlab\n>>> graphlab.ones(2).{call}\n{shown!r}\n"


def cuda(self: Tensor, *args: Any, **options: Any) -> Tensor:
    """Raise AssertionError, as PyTorch without CUDA does.

    >>> import graphlab
    >>> graphlab.ones(2).cuda()
    Traceback (most recent call last):
    AssertionError: Torch not compiled with CUDA enabled
    """
    raise AssertionError("Torch not compiled with CUDA enabled")


def constant(name: str, value: Any, sentence: str) -> property:
    """Return an attribute that is the same for every tensor."""
    return property(lambda self: value, doc=explained(sentence, name, value))


def answering(name: str, value: Any, sentence: str) -> Any:
    """Return a method that returns the same for every tensor."""

    def answer(self: Tensor) -> Any:
        return value

    answer.__doc__ = explained(sentence, f"{name}()", value)
    return answer


def unchanging(name: str) -> Any:
    """Return a method that returns the tensor itself."""

    def itself(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return self

    itself.__doc__ = (
        "Return the tensor itself: all tensors are real, dense and in main memory.\n\n"
        f">>> import graphlab\n>>> x = graphlab.ones(2)\n>>> x.{name}() is x\nTrue\n"
    )
    return itself


NEVER = "False: GraphLab has no such tensors."
METHODS: dict[str, Any] = {
    "to": to, "type": type_, "type_as": type_as, "cuda": cuda,
    **{
        name: caster(name, kind)
        for name, kind in {
            "float": types.float32, "double": types.float64, "half": types.float16,
            "byte": types.uint8, "char": types.int8, "short": types.int16, "int": types.int32,
            "long": types.int64, "bool": types.bool_,
        }.items()
    },
    "is_complex": answering("is_complex", False, "Return False: GraphLab has no complex numbers."),
    "get_device": answering("get_device", -1, "Return -1, the number of the processor."),
    "is_cpu": constant("is_cpu", True, "True: the memory is the processor's."),
    **{
        name: constant(name, False, NEVER)
        for name in (
            "is_cuda", "is_sparse", "is_quantized", "is_meta", "is_mkldnn", "is_mps", "is_nested",
            "is_sparse_csr", "is_xla", "is_xpu",
        )
    },
    **{
        name: answering(name, False, NEVER)
        for name in ("is_conj", "is_neg", "is_pinned", "is_shared")
    },
    **{
        name: unchanging(name)
        for name in (
            "cpu", "conj_physical", "resolve_conj", "resolve_neg", "share_memory_", "to_dense",
        )
    },
}  # fmt: skip


@public()
class finfo:
    """The limits of a floating type, by default of the default type.

    Raises: TypeError for another type.

    >>> finfo(torch.float32).eps
    1.1920928955078125e-07
    """

    def __init__(self, type: dtype | None = None) -> None:
        kind = get_default_dtype() if type is None else type
        if not kind.is_floating_point:
            raise TypeError(
                "torch.finfo() requires a floating point input type. Use torch.iinfo to handle "
                "'torch.finfo'"
            )
        limits = np.finfo(kind.numpy)
        self.bits = kind.itemsize * 8
        self.eps, self.max, self.min = float(limits.eps), float(limits.max), float(limits.min)
        self.smallest_normal = self.tiny = float(limits.smallest_normal)
        self.resolution = 10.0**-limits.precision
        self.dtype = kind.name

    def __repr__(self) -> str:
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, "
            f"eps={self.eps:g}, smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g}, "
            f"dtype={self.dtype})"
        )


@public()
class iinfo:
    """The limits of a type of integers. Raises: TypeError for another type.

    >>> iinfo(torch.uint8).max
    255
    """

    def __init__(self, type: dtype) -> None:
        if type.is_floating_point:
            raise TypeError(
                "torch.iinfo() requires an integer input type. Use torch.finfo to handle "
                "'torch.iinfo'"
            )
        if type.name == "bool":
            raise TypeError("torch.bool is not supported by torch.iinfo")
        limits = np.iinfo(type.numpy)
        self.bits, self.min, self.max = type.itemsize * 8, int(limits.min), int(limits.max)
        self.dtype = type.name

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"


@public()
def promote_types(type1: dtype, type2: dtype) -> dtype:
    """Return the type of the sum of tensors of the types `type1` and `type2`.

    >>> torch.promote_types(torch.int32, torch.float32)
    torch.float32
    """
    for place, given in enumerate((type1, type2), 1):
        if not isinstance(given, dtype):
            raise TypeError(
                f"promote_types(): argument 'type{place}' (position {place}) must be torch.dtype, "
                f"not {type(given).__name__}"
            )
    return find(common([np.empty(1, type1.numpy), np.empty(1, type2.numpy)]))


@public()
def result_type(tensor1: Any, tensor2: Any) -> dtype:
    """Return the type of the sum of `tensor1` and `tensor2`, tensors or numbers.

    >>> torch.result_type(torch.tensor([1]), 1.5)
    torch.float32
    """
    return find(common([x._data if isinstance(x, Tensor) else x for x in (tensor1, tensor2)]))


@public()
def can_cast(from_: dtype, to: dtype) -> bool:
    """Return whether a result of type `from_` may be written into a tensor of type `to`.

    >>> can_cast(torch.float32, torch.int64), can_cast(torch.int64, torch.float32)
    (False, True)
    """
    return CATEGORY[from_.numpy.kind] <= CATEGORY[to.numpy.kind]


@public()
def is_floating_point(input: Tensor) -> bool:
    """Return whether the entries of `input` are floats. input: (...).

    >>> torch.is_floating_point(torch.tensor([1.0]))
    True
    """
    return input.is_floating_point()


@public()
def is_complex(input: Tensor) -> bool:
    """Return False: GraphLab has no complex entries. input: (...).

    >>> torch.is_complex(torch.tensor([1.0]))
    False
    """
    need_tensor("is_complex", "input", 1, input)
    return False

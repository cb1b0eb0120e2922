"""The types of entries, under PyTorch's names, and type promotion: the type of a result.

PyTorch differs from NumPy: a Python number or a 0-d tensor does not widen a tensor of the same
category (float32 array * float64 scalar stays float32), and int64 with float32 gives float32.

Read next: tensor/tensor.py
"""

import math
from typing import Any

import numpy as np


class dtype:
    """The type of a tensor's entries: `graphlab.float32`, printed as in PyTorch.

    name: its name; numpy: NumPy's type; legacy: the name of the old constructor, "FloatTensor".

    >>> import graphlab as torch
    >>> torch.float32.itemsize
    4
    """

    __slots__ = ("is_floating_point", "is_signed", "itemsize", "legacy", "name", "numpy", "one")

    def __init__(self, name: str, numpy: Any, legacy: str) -> None:
        self.name = name
        self.numpy = np.dtype(numpy)
        self.legacy = legacy  # the old tensor type, which error messages still name
        self.is_floating_point = self.numpy.kind == "f"
        self.is_signed = self.numpy.kind in "if"
        self.itemsize = self.numpy.itemsize
        self.one = self.numpy.type(1)  # one * x is the quickest way to give a float x this type

    is_complex = False

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return self.name


bool_ = dtype("bool", np.bool_, "BoolTensor")
uint8 = dtype("uint8", np.uint8, "ByteTensor")
int8 = dtype("int8", np.int8, "CharTensor")
int16 = dtype("int16", np.int16, "ShortTensor")
int32 = dtype("int32", np.int32, "IntTensor")
int64 = dtype("int64", np.int64, "LongTensor")
float16 = dtype("float16", np.float16, "HalfTensor")
float32 = dtype("float32", np.float32, "FloatTensor")
float64 = dtype("float64", np.float64, "DoubleTensor")

ALL = (bool_, uint8, int8, int16, int32, int64, float16, float32, float64)
FROM_NUMPY = {d.numpy: d for d in ALL}
CATEGORY = {"b": 0, "u": 1, "i": 1, "f": 2}  # numpy kind -> bool < integer < floating

PYTHON = {float: float64, int: int64, bool: bool_}  # Python's own names of types

_default = [float32]

NO_COMPLEX = (
    "complex tensors are not supported: got complex numbers, expected real ones; pass the real and "
    "the imaginary part as two tensors"
)


def get_default_dtype() -> dtype:
    """Return the type of a tensor made from Python floats.

    >>> import graphlab as torch
    >>> torch.get_default_dtype()
    torch.float32
    """
    return _default[0]


def set_default_dtype(d: dtype) -> None:
    """Let Python floats become tensors of the floating type `d` from now on.

    >>> import graphlab as torch
    >>> torch.set_default_dtype(torch.float32)
    """
    if not isinstance(d, dtype) or not d.is_floating_point:
        raise TypeError(
            "only floating-point types are supported as the default type, "
            f"got {d!r}; use one of float16, float32, float64"
        )
    _default[0] = d


def named(function: str, given: Any) -> dtype:
    """Return the type for an argument `dtype`, which may be Python's float, int or bool.

    function: the public function, which the error names. Raises: TypeError for anything else.
    """
    if isinstance(given, dtype):
        return given
    if isinstance(given, type) and given in PYTHON:
        return PYTHON[given]
    if given is complex:
        raise TypeError(NO_COMPLEX)
    raise TypeError(
        f"{function}(): argument 'dtype' must be torch.dtype, not {type(given).__name__}"
    )


def of_number(number: Any) -> np.dtype:
    """Return the type of the tensor that a Python number becomes."""
    if isinstance(number, bool):
        return bool_.numpy
    return int64.numpy if isinstance(number, int) else _default[0].numpy


def find(numpy_dtype: np.dtype) -> dtype:
    """Return the dtype for a NumPy type. Raises: TypeError if there is none (complex, strings)."""
    found = FROM_NUMPY.get(numpy_dtype)
    if found is None and numpy_dtype.kind == "c":
        raise TypeError(NO_COMPLEX)
    if found is None:
        raise TypeError(
            f"can't convert np.ndarray of type numpy.{numpy_dtype.type.__name__}. The only "
            f"supported types are: {', '.join(d.name for d in reversed(ALL))}."
        )
    return found


def is_array(x: Any) -> bool:
    """Return whether it is an array, a 0-d value of NumPy, or what `vmap` passes as an array."""
    return isinstance(x, np.ndarray | np.generic) or hasattr(x, "every")


def common(operands: list[Any]) -> np.dtype:
    """Return the type in which arrays, 0-d values and Python numbers are combined.

    It has the highest category among them (bool < integer < floating). Of the operands in that
    category the arrays decide the width, else the 0-d values, else the default type.
    Source: PyTorch, docs "Tensor Attributes", type promotion.

    >>> common([np.ones(2, np.float32), np.float64(3)])
    dtype('float32')
    >>> common([np.ones(2, np.int64), 0.5])
    dtype('float32')
    """
    widest: list[np.dtype | None] = [None, None, None]  # of arrays, of 0-d values, of numbers
    for x in operands:
        if is_array(x):
            rank, kind = (0 if x.ndim else 1), x.dtype
        else:
            rank, kind = 2, of_number(x)
        now = widest[rank]
        widest[rank] = kind if now is None else _wider(now, kind)
    result: np.dtype | None = None
    for kind in widest:
        if kind is not None and (result is None or CATEGORY[kind.kind] > CATEGORY[result.kind]):
            result = kind
    assert result is not None
    return result


OVERFLOWING = {  # how PyTorch's C++ names the types in an error
    "uint8": "uint8_t", "int8": "int8_t", "int16": "int16_t", "int32": "int", "int64": "int64_t",
    "float16": "c10::Half", "float32": "float", "float64": "double",
}  # fmt: skip


def number_as(value: Any, kind: np.dtype) -> Any:
    """Return a Python number as a NumPy scalar. Raises: RuntimeError if the type cannot hold it.

    An unsigned type takes negative integers down to minus its largest: -1 becomes 255.

    >>> number_as(-1, np.dtype("uint8")), number_as(1.5, np.dtype("int32"))
    (np.uint8(255), np.int32(1))
    """
    if kind.kind == "f" and -6e4 < value < 6e4:  # the usual case, quickly
        return kind.type(value)
    fits = not isinstance(value, int) or -(1 << 63) <= value < 1 << 64
    if fits and kind.kind in "iu":
        limits = np.iinfo(kind)
        least = -limits.max if kind.kind == "u" and isinstance(value, int) else limits.min
        fits = least <= value <= limits.max  # nan does not fit
    elif fits and kind.kind == "f":
        fits = abs(value) <= float(np.finfo(kind).max) or not math.isfinite(value)
    if not fits:
        raise too_large(value, kind)
    with np.errstate(all="ignore"):
        return np.asarray(int(value) if kind.kind in "iu" else value).astype(kind)[()]


def too_large(value: Any, kind: np.dtype) -> Exception:
    """Return PyTorch's error for a number beyond a type's range, or beyond 64 bits."""
    if isinstance(value, int) and value >= 1 << 64:
        return OverflowError("int too big to convert")
    if isinstance(value, int) and value < -(1 << 63):
        return OverflowError("can't convert negative int to unsigned")
    name = OVERFLOWING.get(kind.name, kind.name)
    return RuntimeError(f"value cannot be converted to type {name} without overflow")


def _wider(a: np.dtype, b: np.dtype) -> np.dtype:
    if CATEGORY[a.kind] != CATEGORY[b.kind]:
        return a if CATEGORY[a.kind] > CATEGORY[b.kind] else b
    return np.promote_types(a, b)

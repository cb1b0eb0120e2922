"""Tensors from numbers, lists, arrays, or nothing but a shape.

Read next: functional/__init__.py
"""

import operator
import warnings
from typing import Any

import numpy as np
from numpy import array

from graphlab.dtypes import NO_COMPLEX, bool_, dtype, find, float64, get_default_dtype, int64
from graphlab.random import Generator, default_generator
from graphlab.tensor import Tensor, wrap


def make(data: Any, requires_grad: bool) -> Tensor:
    """A leaf around an array; 0-d data is held as a scalar."""
    if requires_grad and data.dtype.kind != "f":
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    return wrap(data if data.ndim else data[()], requires_grad, None)


def tensor(
    data: Any, *, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """A tensor with a copy of `data`: a number, nested lists, an array.

    Raises: ValueError for ragged lists, TypeError for what is no number.

    >>> tensor([[1, 2], [3, 4]])
    tensor([[1, 2],
            [3, 4]])
    """
    if dtype is None:  # what lessons are full of
        if type(data) is float:
            return wrap(get_default_dtype().numpy.type(data), requires_grad, None)
        if type(data) is list and data:
            for x in data:
                if type(x) is not float:
                    break
            else:
                return wrap(array(data, get_default_dtype().numpy), requires_grad, None)
    if isinstance(data, Tensor):
        warnings.warn(
            "To copy construct from a tensor, it is recommended to use "
            "sourceTensor.detach().clone() or "
            "sourceTensor.detach().clone().requires_grad_(True), rather than "
            "torch.tensor(sourceTensor).",
            UserWarning,
            stacklevel=2,
        )
        data = np.array(data._data)
    return make(to_array(data, dtype), requires_grad)


def to_array(data: Any, dtype: dtype | None) -> np.ndarray:
    """A fresh array of `data`, in the type that PyTorch would infer."""
    if isinstance(data, np.ndarray | np.generic):
        array = np.array(data)
        find(array.dtype)
    else:
        array = from_lists(data, get_default_dtype() if dtype is None else dtype)
    return array if dtype is None else array.astype(dtype.numpy)


def from_lists(data: Any, floating: dtype) -> np.ndarray:
    """Nested lists as an array; Python floats become `floating` at once, where that is floating."""
    data = _without_tensors(data)
    check_lengths(data)
    try:
        array = np.array(data)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"could not make a tensor: {error}") from None
    if array.dtype.kind == "f" and not _has_numpy(data):
        return array.astype(floating.numpy) if floating.is_floating_point else array
    if array.size == 0:
        return array.astype(get_default_dtype().numpy)
    if array.dtype.kind == "c":
        raise TypeError(NO_COMPLEX)
    if array.dtype.kind in "iub":
        return (
            array
            if array.dtype in (np.int64, np.bool_) or _has_numpy(data)
            else array.astype(np.int64)
        )
    if array.dtype.kind == "f":
        return array
    raise TypeError(f"new(): invalid data type '{type(_first(data)).__name__}'")


def _without_tensors(data: Any) -> Any:
    if isinstance(data, Tensor):
        return data._data
    if isinstance(data, list | tuple):
        return [_without_tensors(x) for x in data]
    return data


def check_lengths(data: Any, depth: int = 0) -> Any:
    """The shape of nested lists; ValueError, as PyTorch says it, where they are ragged."""
    if not isinstance(data, list):
        return ()
    below = [check_lengths(x, depth + 1) for x in data]
    for x, shape in zip(data, below, strict=True):
        if shape != below[0]:
            expected = len(data[0]) if isinstance(data[0], list) else 0
            got = len(x) if isinstance(x, list) else 0
            raise ValueError(
                f"expected sequence of length {expected} at dim {depth + 1} (got {got})"
            )
    return (len(data), *(below[0] if below else ()))


def _has_numpy(data: Any) -> bool:
    first = _first(data)
    return isinstance(first, np.generic | np.ndarray)


def _first(data: Any) -> Any:
    while isinstance(data, list) and data:
        data = data[0]
    return data


def as_tensor(data: Any, dtype: dtype | None = None, device: Any = None) -> Tensor:
    """A tensor that shares the memory of `data` where it can."""
    if isinstance(data, Tensor):
        return data if dtype is None else data.to(dtype)
    if isinstance(data, np.ndarray) and (dtype is None or dtype.numpy == data.dtype):
        return from_numpy(data)
    return tensor(data, dtype=dtype)


def from_numpy(array: np.ndarray) -> Tensor:
    """A tensor that shares the memory of an array.

    Raises: TypeError for what is no array or has no such type, ValueError for an array that is
    read backwards or whose bytes are in another order.
    """
    if not isinstance(array, np.ndarray):
        kind = type(array)
        home = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
        raise TypeError(f"expected np.ndarray (got {home}{kind.__name__})")
    if not array.dtype.isnative:
        raise ValueError(
            "given numpy array has byte order different from the native byte order. Conversion "
            "between byte orders is currently not supported."
        )
    if any(step < 0 for step in array.strides):
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors with negative "
            "strides are not currently supported. (You can probably work around this by making a "
            "copy of your array  with array.copy().) "
        )
    find(array.dtype)
    if not array.flags.writeable:
        warnings.warn(
            "The given NumPy array is not writable, and PyTorch does not support non-writable "
            "tensors. This means writing to this tensor will result in undefined behavior. You may "
            "want to copy the array to protect its data or make it writable before converting it "
            "to a tensor. This type of warning will be suppressed for the rest of this program.",
            UserWarning,
            stacklevel=2,
        )
    if array.base is not None:  # the tensor's memory begins where the array begins
        array = np.asarray(memoryview(array))
    return wrap(array, False, None)


def shape_of(size: tuple[Any, ...]) -> tuple[int, ...]:
    """`zeros(2, 3)` and `zeros((2, 3))` mean the same.

    Raises: TypeError when an entry is no integer, RuntimeError when it is negative.
    """
    if len(size) == 1 and isinstance(size[0], tuple | list):
        size = tuple(size[0])
    try:
        shape = tuple(operator.index(n) for n in size)
    except TypeError:
        raise TypeError(f"a size must be integers, got {size!r}") from None
    for n in shape:
        if n < 0:
            raise RuntimeError(
                f"Trying to create tensor with negative dimension {n}: {list(shape)}"
            )
    return shape


def full(
    size: Any,
    fill_value: Any,
    *,
    dtype: dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """A tensor of one value."""
    if dtype is None:
        is_bool, is_int = isinstance(fill_value, bool), isinstance(fill_value, int)
        dtype = bool_ if is_bool else int64 if is_int else get_default_dtype()
    return make(np.full(shape_of((size,)), fill_value, dtype.numpy), requires_grad)


def _filled(value: int, size: Any, dtype: dtype | None, requires_grad: bool) -> Tensor:
    kind = (dtype or get_default_dtype()).numpy
    return make(np.full(shape_of(size), value, kind), requires_grad)


def zeros(
    *size: Any, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """A tensor of zeros: `zeros(2, 3)` or `zeros((2, 3))`."""
    return _filled(0, size, dtype, requires_grad)


def ones(
    *size: Any, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """A tensor of ones: `ones(2, 3)` or `ones((2, 3))`."""
    return _filled(1, size, dtype, requires_grad)


def empty(
    *size: Any, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """A tensor whose entries mean nothing yet."""
    return _filled(0, size, dtype, requires_grad)


def zeros_like(input: Tensor, *, dtype: dtype | None = None, requires_grad: bool = False) -> Tensor:
    """Zeros in the shape and type of `input`."""
    return _filled(0, tuple(input.shape), dtype or input.dtype, requires_grad)


def ones_like(input: Tensor, *, dtype: dtype | None = None, requires_grad: bool = False) -> Tensor:
    """Ones in the shape and type of `input`."""
    return _filled(1, tuple(input.shape), dtype or input.dtype, requires_grad)


def eye(
    n: int, m: int | None = None, *, dtype: dtype | None = None, requires_grad: bool = False
) -> Tensor:
    """The identity matrix: (n, m), ones on the diagonal."""
    return make(np.eye(n, m, dtype=(dtype or get_default_dtype()).numpy), requires_grad)


def arange(
    start: Any,
    end: Any = None,
    step: Any = 1,
    *,
    dtype: dtype | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """The numbers from `start` to before `end`, `step` apart."""
    if end is None:
        start, end = 0, start
    numbers = np.arange(start, end, step)
    if dtype is None:
        integers = all(isinstance(x, int) for x in (start, end, step))
        dtype = int64 if integers else get_default_dtype()
    return make(numbers.astype(dtype.numpy), requires_grad)


def linspace(
    start: Any, end: Any, steps: int, *, dtype: dtype | None = None, requires_grad: bool = False
) -> Tensor:
    """`steps` numbers from `start` to `end`, evenly spaced, both ends included."""
    kind = (dtype or get_default_dtype()).numpy
    return make(np.linspace(start, end, steps).astype(kind), requires_grad)


def _random(draw: Any, size: Any, dtype: dtype | None, requires_grad: bool) -> Tensor:
    kind = dtype or get_default_dtype()
    shape = shape_of(size)
    n = 1
    for k in shape:
        n *= k
    values = draw(n, kind is float64).astype(kind.numpy).reshape(shape)
    return make(values, requires_grad)


def rand(
    *size: Any,
    dtype: dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
    generator: Generator | None = None,
) -> Tensor:
    """Uniform random numbers in [0, 1)."""
    return _random((generator or default_generator).uniform, size, dtype, requires_grad)


def randn(
    *size: Any,
    dtype: dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
    generator: Generator | None = None,
) -> Tensor:
    """Normal random numbers, mean 0 and standard deviation 1."""
    return _random((generator or default_generator).normal, size, dtype, requires_grad)


def randint(
    low: int,
    high: Any = None,
    size: Any = None,
    *,
    dtype: dtype | None = None,
    generator: Generator | None = None,
) -> Tensor:
    """Random integers in [low, high): `randint(10, (2, 3))` or `randint(5, 10, (2, 3))`."""
    if size is None:
        low, high, size = 0, low, high
    shape = shape_of((size,))
    numbers = (generator or default_generator).integers(low, high, int(np.prod(shape)))
    return make(numbers.reshape(shape).astype((dtype or int64).numpy), False)


__all__ = [
    "arange", "as_tensor", "empty", "eye", "from_numpy", "full", "linspace", "ones", "ones_like",
    "rand", "randint", "randn", "tensor", "zeros", "zeros_like",
]  # fmt: skip

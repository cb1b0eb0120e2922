"""Convert nested lists of numbers to arrays, with PyTorch's types and errors.

Read next: tensor/creation.py
"""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from graphlab.common.dtypes import NO_COMPLEX, find, get_default_dtype
from graphlab.common.errors import named_kind, users_level
from graphlab.tensor.tensor import Tensor

PLAIN = {bool, int, float}
ARRAYS = Tensor, np.generic, np.ndarray
ROWS = Sequence, np.ndarray
SLOW = (
    "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting "
    "the list to a single numpy.ndarray with numpy.array() before converting to a tensor."
)
FOREIGN = (
    "given numpy array has byte order different from the native byte order. Conversion between "
    "byte orders is currently not supported."
)
BACKWARDS = (
    "At least one stride in the given numpy array is negative, and tensors with negative strides "
    "are not currently supported. (You can probably work around this by making a copy of your "
    "array  with array.copy().) "
)


def from_lists(data: Any, kind: np.dtype | None) -> np.ndarray:
    """Return an array of nested lists, in the common type of all entries unless one is given.

    Raises: ValueError for ragged lists, TypeError or RuntimeError for other entries.
    """
    if isinstance(data, str | bytes):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    shape = sizes(data)
    types: set[type] = set()
    rows = check_rows(data, shape, 0, types)
    common = in_common(types, rows)
    if types and types <= PLAIN:
        found = np.array(data)
    else:
        if isinstance(data, list | tuple) and any(
            isinstance(x, np.ndarray) and x.ndim for x in data
        ):
            warnings.warn(SLOW, UserWarning, stacklevel=users_level())
        found = np.array([getattr(x, "item", lambda x=x: x)() for x in rows]).reshape(shape)
    if found.dtype in (np.uint64, np.object_) and found.size:
        raise ValueError("Overflow when unpacking long long")
    return cast(found, common if kind is None else kind)


def sizes(data: Any) -> tuple[int, ...]:
    """Return the shape of nested lists, read from the first entry of each."""
    shape: list[int] = []
    while isinstance(data, ROWS) and getattr(data, "ndim", 1):
        shape.append(len(data))
        if len(shape) > 128:
            raise ValueError(f"too many dimensions '{type(data).__name__}'")
        if not len(data):
            break
        data = data[0]
    return tuple(shape)


def check_rows(data: Any, shape: tuple[int, ...], dim: int, types: set[type]) -> list[Any]:
    """Return all entries as one list; add their types to `types`. Raises: ValueError if ragged."""
    if dim == len(shape):
        types.add(type(data))
        return [data]
    if not hasattr(data, "__len__") or isinstance(data, Tensor):
        raise TypeError("not a sequence")
    if len(data) != shape[dim]:
        raise ValueError(f"expected sequence of length {shape[dim]} at dim {dim} (got {len(data)})")
    if isinstance(data, np.ndarray):
        check_array(data)
        data = list(data.reshape(-1)) if dim == len(shape) - 1 else list(data)
    if dim == len(shape) - 1:
        types.update(map(type, data))
        return list(data)
    found: list[Any] = []
    for part in data:
        found += check_rows(part, shape, dim + 1, types)
    return found


def in_common(types: set[type], entries: list[Any]) -> np.dtype:
    """Return the common type of all entries. Raises: TypeError or RuntimeError for non-numbers."""
    kinds: list[np.dtype] = []
    for t in types:
        if issubclass(t, ARRAYS):
            same = [x for x in entries if type(x) is t]
            kinds += {number(x) for x in same}
        elif t is bool:
            kinds.append(np.dtype(bool))
        elif issubclass(t, int):
            kinds.append(np.dtype(np.int64))
        elif issubclass(t, float):
            kinds.append(get_default_dtype().numpy)
        elif t is complex:
            raise TypeError(NO_COMPLEX)
        elif issubclass(t, str):
            raise TypeError("new(): invalid data type 'str'")
        elif issubclass(t, list | tuple):
            raise TypeError(f"'{t.__name__}' object cannot be interpreted as an integer")
        else:
            raise RuntimeError(
                f"Could not infer dtype of {named_kind(next(x for x in entries if type(x) is t))}"
            )
    common = None
    for kind in kinds:
        common = kind if common is None else wider(common, kind)
    return get_default_dtype().numpy if common is None else common


def number(x: Any) -> np.dtype:
    """Return the type of one entry. Raises: ValueError for a tensor of several."""
    x = x._data if isinstance(x, Tensor) else x
    kind = x.dtype
    if x.size != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    if kind.kind == "c":
        raise TypeError(NO_COMPLEX)
    return find(kind).numpy


def wider(a: np.dtype, b: np.dtype) -> np.dtype:
    """Return the common type: a floating one before any integer, else the wider one."""
    if (a.kind == "f") != (b.kind == "f"):
        return a if a.kind == "f" else b
    return np.promote_types(a, b)


def cast(found: np.ndarray, kind: np.dtype) -> np.ndarray:
    """Return an array in another type. Raises: RuntimeError for numbers that it cannot hold."""
    if found.dtype == kind:
        return found
    with np.errstate(over="ignore", invalid="ignore"):
        if kind.kind in "iu" and found.size and found.dtype.kind != "b":
            most = int(np.iinfo(kind).max)  # a negative number wraps round in an unsigned type
            if not ((found >= -most - 1) & (found <= most)).all():
                raise RuntimeError(
                    f"value cannot be converted to type {find(kind).name} without overflow"
                )
        return found.astype(kind)


def check_array(data: np.ndarray) -> None:
    """Raise ValueError for an array with negative strides, TypeError for other entries."""
    if not data.dtype.isnative:
        raise ValueError(FOREIGN)
    find(data.dtype)
    if any(step < 0 for step in data.strides):
        raise ValueError(BACKWARDS)

"""`x[key]`: integers, slices, None, Ellipsis, and arrays of indices.

The parts of a key are recorded as in PyTorch: each integer is a Select node, each slice a Slice
node, None an Unsqueeze node; integer and boolean arrays together are one Index node.

Read next: tensor/assignment.py
"""

import operator
import warnings
from typing import Any

import numpy as np

from graphlab.autograd.decisions import picked_by
from graphlab.autograd.record import applied, apply
from graphlab.common.errors import IndexOverflowError, of_one_library, users_level
from graphlab.ops import indexing as ix
from graphlab.ops import shapes as sh
from graphlab.tensor.functions.checks import can_fit, outside, type_name
from graphlab.tensor.tensor import Tensor, wrap

_select, _slice, _index = map(applied, (ix.Select, ix.Slice, ix.Index))
WHOLE = (1 << 63) - 1  # the end of a slice without an end
OTHER = dict | str | Tensor | np.ndarray | np.generic  # with entries, but no sequence of Python's
NESTED = (
    "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in "
    "pytorch 2.9; use x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as "
    "tensor index, x[torch.tensor(seq)], which will result either in an error or a different result"
)
BYTES = "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead."


def getitem(self: Tensor, key: Any) -> Tensor:
    """Return the entries at `key`. Raises: IndexError, in PyTorch's words, when out of range."""
    view = taken_at_once(self, key)
    if view is not None:
        return view
    if type(key) is int and self.ndim:  # the usual case
        return take_one(self, 0, key, 0)
    if not self._needs and (numbers := as_numbers(key)) is not key:
        view = taken_at_once(self, numbers)
        if view is not None:
            return picked_by(view, key)
    tensor, indices = taken_apart(self, key)
    if indices:
        return picked_by(_index(tensor, indices=indices), key)
    return picked_by(apply(sh.Alias, self) if tensor is self else tensor, key)


def taken_at_once(self: Tensor, key: Any) -> Tensor | None:
    """Return the view for integers, None and plain slices, if nothing is recorded; else None.

    If NumPy raises an error, `getitem` goes on and raises that of PyTorch.
    """
    own = self._data
    if type(own) is not np.ndarray or self._needs:
        return None
    parts = key if type(key) is tuple else (key,)
    for part in parts:
        if type(part) is slice:
            if part.step is not None:
                return None
        elif type(part) is not int and part is not None:
            return None
    if not parts or (None in parts and not all([part in (None, slice(None)) for part in parts])):
        return None  # after other parts PyTorch has other strides along new dimensions
    try:
        view = wrap(own[(*parts, ...)], False, None)
    except (IndexError, TypeError):
        return None
    view._become_view(self)
    return view


def as_numbers(key: Any) -> Any:
    """Return a key with ints in place of the tensors that are one integer each."""
    if type(key) is tuple:
        return tuple(map(as_numbers, key)) if Tensor in map(type, key) else key
    number: Any = key  # a tensor has `__index__`, which its class gets later
    return operator.index(number) if type(key) is Tensor and is_integer(key) else key


def taken_apart(self: Tensor, key: Any, bounds: bool = True) -> tuple[Tensor, tuple[Any, ...]]:
    """Return the view that integers, slices and None make, and the arrays left to index it.

    In the tuple of arrays None stands for a dimension that is kept whole.
    bounds: whether indices out of range are refused; in an assignment that comes later.
    """
    parts = as_parts(key)
    if parts is None:  # one part alone: a slice leaves a node even when it is full
        if self.ndim == 0:
            raise IndexError("slice() cannot be applied to a 0-dim tensor.")
        return take_slice(self, 0, key), ()
    used = sum([consumed(part) for part in parts])
    if used > self.ndim:
        if self.ndim == 0 and is_integer(parts[0]) and operator.index(parts[0]) != 0:
            index = operator.index(parts[0])
            raise IndexError(f"index {index} is out of bounds for dimension 0 with size 0")
        raise IndexError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or "
            "`tensor.item<T>()` in C++ to convert a 0-dim tensor to a number"
            if self.ndim == 0 and is_integer(parts[0])
            else f"too many indices for tensor of dimension {self.ndim}"
        )
    tensor, dim, picked = self, 0, []
    for place, part in enumerate(parts):
        if type(part) is int:
            tensor = take_one(tensor, dim, part, place)
        elif part is Ellipsis:
            dim += self.ndim - used
            used = self.ndim  # a second Ellipsis stands for nothing
        elif part is None or isinstance(part, bool | np.bool_):
            tensor = apply(sh.Unsqueeze, tensor, dim=dim)
            if part is not None:  # True keeps the new dimension, False empties it
                picked.append((dim, np.zeros(int(part), np.int64)))
            dim += 1
        elif isinstance(part, slice):
            if not is_full(part, tensor._data.shape[dim]):
                tensor = take_slice(tensor, dim, part)
            dim += 1
        elif is_integer(part):
            tensor = take_one(tensor, dim, operator.index(part), place)
        elif not isinstance(part, np.ndarray):
            raise IndexError(
                "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables "
                f"are valid indices (got {type(part).__name__})"
            )
        else:
            picked.append((dim, part))
            dim += part.ndim if part.dtype.kind == "b" else 1
    return tensor, checked_arrays(tensor, picked, bounds) if picked else ()


def as_parts(key: Any) -> list[Any] | None:
    """Return the key as a list of parts, lists as arrays; None for a single slice."""
    if isinstance(key, tuple):
        return [as_part(part) for part in key]
    if isinstance(key, slice):
        return None
    if is_sequence(key) and len(key) < 32:
        entries = [key[i] for i in range(len(key))]
        if any(is_nested(entry) for entry in entries):
            warnings.warn(NESTED, UserWarning, stacklevel=users_level())
            return [as_part(entry) for entry in entries]
    return [as_part(key)]


def is_sequence(part: Any) -> bool:
    """Return whether it is a sequence of Python's, such as a list, a range or a Subset."""
    kind = type(part)
    if kind in (list, tuple, range):
        return True
    if isinstance(part, OTHER):
        return False
    of_one_library("GraphLab's indices", part)
    return hasattr(kind, "__getitem__") and hasattr(kind, "__len__")


def is_nested(part: Any) -> bool:
    """Return whether an entry turns its sequence into a key of several parts."""
    if part is None or part is Ellipsis or isinstance(part, slice | Tensor | np.ndarray):
        return True
    return is_sequence(part)


def as_part(part: Any) -> Any:
    """Return one part of a key: None, Ellipsis, a bool, a slice, an integer, or an array."""
    if type(part) is slice or part is None or part is Ellipsis or is_integer(part):
        return part
    if isinstance(part, bool | slice):
        return part
    if isinstance(part, Tensor):
        return as_array(part._data)
    if isinstance(part, np.ndarray):
        return as_array(part)
    if is_sequence(part):
        part = [part[i] for i in range(len(part))]
        if any(isinstance(entry, Tensor) for entry in part):
            part = [int(entry) for entry in part]
        array = np.asarray(part)
        return as_array(array.astype(np.int64) if array.dtype.kind == "f" else array)
    if isinstance(part, str):
        raise TypeError("new(): invalid data type 'str'")
    return part  # refused later: the error for too many indices comes first


def consumed(part: Any) -> int:
    """Return how many dimensions one part of a key indexes."""
    if type(part) is slice or is_integer(part):
        return 1
    if part is None or part is Ellipsis or isinstance(part, bool | np.bool_):
        return 0
    return part.ndim if getattr(part, "dtype", None) == np.bool_ else 1


def is_integer(part: Any) -> bool:
    """Return whether a part of a key is one integer."""
    if type(part) is int:
        return True
    if isinstance(part, Tensor | np.ndarray):
        kind = part._data.dtype if isinstance(part, Tensor) else part.dtype
        return part.ndim == 0 and kind.kind in "iu" and kind != np.uint8  # a byte is a mask
    return isinstance(part, int | np.integer) and not isinstance(part, bool)


def as_array(array: Any) -> Any:
    """Return a part of a key as a new array, or one bool. Raises: IndexError for other entries."""
    if array.dtype.kind not in "iub" or array.dtype.char in "bh":  # int8, int16
        raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    if array.dtype.char == "B":  # uint8
        warnings.warn(BYTES, UserWarning, stacklevel=users_level())
        array = array.astype(bool)
    return np.array(array) if array.ndim else bool(array)


def take_one(tensor: Tensor, dim: int, index: int, place: int) -> Tensor:
    """Return one index along a dimension; `place` is its position in the key."""
    size = tensor._data.shape[dim]
    if not -size <= index < size:
        if index.bit_length() > 63:
            raise IndexOverflowError
        raise IndexError(f"index {index} is out of bounds for dimension {place} with size {size}")
    return _select(tensor, dim=dim, index=index)


def is_full(part: slice, size: int) -> bool:
    """Return whether a slice takes a whole dimension from its start."""
    start, end, step = (part.start or 0, part.stop, part.step)
    return start == 0 and step in (None, 1) and (end is None or operator.index(end) >= size)


def take_slice(tensor: Tensor, dim: int, part: slice) -> Tensor:
    """Return a range along a dimension."""
    start, end, step = bound(part.start, 0), bound(part.stop, WHOLE), bound(part.step, 1)
    if step == 0:
        raise ValueError("slice step cannot be zero")
    if step < 0:
        raise ValueError("step must be greater than zero")
    return _slice(tensor, dim=dim, start=start, end=end, step=step)


def bound(given: Any, default: int) -> int:
    """Return one number of a slice. Raises: TypeError, in Python's words, for a non-integer."""
    if given is None:
        return default
    if type(given) is int:
        return given
    if not hasattr(given, "__index__"):
        raise TypeError("slice indices must be integers or None or have an __index__ method")
    return operator.index(given)


def checked_arrays(
    tensor: Tensor, picked: list[tuple[int, np.ndarray]], bounds: bool = True
) -> tuple[Any, ...]:
    """Return the arrays at their dimensions.

    Raises: IndexError for an index or mask that does not fit.
    """
    key: list[Any] = []
    for dim, array in picked:
        key += [None] * (dim - dims_in(key))
        place = len(key)
        key.append(array)
        if array.dtype.kind == "b":
            shape = tuple(tensor.shape[dim : dim + array.ndim])
            if shape != array.shape:
                raise IndexError(
                    f"The shape of the mask {list(array.shape)} at index 0 does not match the "
                    f"shape of the indexed tensor {list(tensor.shape)} at index {place}"
                )
    shapes = shapes_of([array for _, array in picked])
    try:
        common = np.broadcast_shapes(*shapes) if len(shapes) > 1 else shapes[0]
    except ValueError:
        raise IndexError(
            "shape mismatch: indexing tensors could not be broadcast together with shapes "
            + ", ".join(str(list(shape)) for shape in shapes)
        ) from None
    if 0 not in common:  # without entries, no index is out of range
        for dim, array in picked:
            check_range(array, dim, tensor.shape[dim], bounds)
    return tuple(key)


def shapes_of(arrays: list[np.ndarray]) -> list[tuple[int, ...]]:
    """Return the shapes of lists of indices; a mask counts as one per dimension."""
    shapes: list[tuple[int, ...]] = []
    for array in arrays:
        masked = array.dtype.kind == "b"
        shapes += [(int(array.sum()),)] * array.ndim if masked else [array.shape]
    return shapes


def check_bounds(tensor: Tensor, key: tuple[Any, ...]) -> None:
    """Raise IndexError where an index is out of range, in arrays at their dimensions."""
    if 0 in np.broadcast_shapes(*shapes_of([array for array in key if array is not None])):
        return  # without entries, no index is out of range
    for place, array in enumerate(key):
        if array is not None:
            dim = dims_in([*key[:place]])
            check_range(array, dim, tensor.shape[dim])


def shape_at(tensor: Tensor, key: tuple[Any, ...]) -> tuple[int, ...]:
    """Return the shape of the entries at arrays of indices, in range or not."""
    zeros = (
        slice(None) if k is None else k if k.dtype.kind == "b" else np.broadcast_to(0, k.shape)
        for k in key
    )
    return tensor._data[tuple(zeros)].shape


def check_range(array: np.ndarray, dim: int, size: int, bounds: bool = True) -> None:
    """Raise IndexError for an index out of range; without `bounds` only if there are no entries."""
    if array.dtype.kind == "b":
        return
    if size == 0:
        raise IndexError("index is out of bounds for dimension with size 0")
    if not bounds:
        return
    wrong = outside(array, -size, size)
    if wrong.size:
        raise IndexError(
            f"index {wrong.flat[0]} is out of bounds for dimension {dim} with size {size}"
        )


def dims_in(key: list[Any]) -> int:
    """Return how many dimensions the parts of a key cover so far."""
    masks = [part for part in key if part is not None and part.dtype.kind == "b"]
    return len(key) + sum(mask.ndim - 1 for mask in masks)


def check_values(input: Tensor, key: tuple[Any, ...], values: Tensor) -> None:
    """Raise RuntimeError for values of another type or shape, IndexError for a bad index."""
    found = shape_at(input, key)
    if not can_fit(tuple(values.shape), found):
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(values.shape)} cannot be broadcast to "
            f"indexing result of shape {list(found)}"
        )
    if values.dtype is not input.dtype:
        raise RuntimeError(
            "Index put requires the source and destination dtypes match, got "
            f"{type_name(input)} for the destination and {type_name(values)} for the source."
        )
    check_bounds(input, key)


def iterate(self: Tensor) -> Any:
    """Iterate over the slices along the first dimension."""
    if self.ndim == 0:
        raise TypeError("iteration over a 0-d tensor")
    return iter(apply(ix.Unbind, self, dim=0))

"""`x[key]` and `x[key] = value`: integers, slices, None, Ellipsis, and arrays of indices.

A key is taken apart as PyTorch does it: each integer is a Select node, each slice a Slice node,
None an Unsqueeze node; integer and boolean arrays together are one Index node.

Read next: inplace.py
"""

import operator
from typing import Any

import numpy as np

from graphlab.autograd.grad_mode import state
from graphlab.autograd.record import apply
from graphlab.ops import indexing as ix
from graphlab.ops import shape as sh
from graphlab.tensor import Tensor, share_memory


def getitem(self: Tensor, key: Any) -> Tensor:
    """The entries at `key`. Raises IndexError, with PyTorch's sentence, when it is out of range."""
    if key is Ellipsis:
        return apply(sh.Alias, self)
    parts = spread(key, self.ndim)
    picked: list[tuple[int, Any]] = []  # dimension and array, for what is left to one Index node
    tensor, dim = self, 0
    for part in parts:
        if part is None:
            tensor = apply(sh.Unsqueeze, tensor, dim=dim)
            dim += 1
        elif isinstance(part, slice):
            tensor = take_slice(tensor, dim, part)
            dim += 1
        elif is_integer(part):
            tensor = take_one(tensor, dim, operator.index(part))
        else:
            array = as_array(part).copy()
            picked.append((dim, array))
            dim += array.ndim if array.dtype == np.bool_ else 1
    if not picked:
        return tensor if tensor is not self else apply(sh.Alias, tensor)
    return take_arrays(tensor, picked)


def spread(key: Any, ndim: int) -> list[Any]:
    """The key as a list without Ellipsis; IndexError when it has too many entries."""
    parts = list(key) if isinstance(key, tuple) else [key]
    used = sum(consumed(p) for p in parts)
    if used > ndim:
        if ndim == 0:
            raise IndexError(
                "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or "
                "`tensor.item<T>()` in C++ to convert a 0-dim tensor to a number"
            )
        raise IndexError(f"too many indices for tensor of dimension {ndim}")
    for i, part in enumerate(parts):
        if part is Ellipsis:
            return (
                [*parts[:i], *[slice(None)] * (ndim - used), *parts[i + 1 :]]
                if (ndim > used or len(parts) > 1)
                else []
            )
    return parts


def consumed(part: Any) -> int:
    """How many dimensions one part of a key uses up."""
    if part is None or part is Ellipsis:
        return 0
    if isinstance(part, slice) or is_integer(part):
        return 1
    array = as_array(part)
    return array.ndim if array.dtype == np.bool_ else 1


def is_integer(part: Any) -> bool:
    """Whether a part of a key is one integer."""
    if isinstance(part, Tensor):
        return part.ndim == 0 and part._data.dtype.kind in "iu"
    return isinstance(part, int | np.integer) and not isinstance(part, bool)


def as_array(part: Any) -> np.ndarray:
    """A part of a key as an array of integers or bools; IndexError for anything else."""
    array = part._data if isinstance(part, Tensor) else np.asarray(part)
    if array.dtype.kind not in "iub":
        raise IndexError(
            "tensors used as indices must be long, int, byte or bool tensors, got "
            f"{type(part).__name__} with entries of type {array.dtype}"
        )
    return np.asarray(array)


def take_one(tensor: Tensor, dim: int, index: int) -> Tensor:
    """One index along a dimension."""
    size = tensor.shape[dim]
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of bounds for dimension {dim} with size {size}")
    return apply(ix.Select, tensor, dim=dim, index=index)


def take_slice(tensor: Tensor, dim: int, part: slice) -> Tensor:
    """A range along a dimension; a full one needs no node."""
    if part.step is not None and part.step <= 0:
        raise ValueError("step must be greater than zero")
    start = 0 if part.start is None else operator.index(part.start)
    end = (1 << 63) - 1 if part.stop is None else operator.index(part.stop)
    step = 1 if part.step is None else operator.index(part.step)
    if dim and (start, end, step) == (0, (1 << 63) - 1, 1):
        return tensor
    if part == slice(None) and dim == 0 and tensor.ndim > 1:
        return tensor
    return apply(ix.Slice, tensor, dim=dim, start=start, end=end, step=step)


def take_arrays(tensor: Tensor, picked: list[tuple[int, np.ndarray]]) -> Tensor:
    """One Index node for all arrays. Raises: IndexError where an index, or a mask, does not fit."""
    key: list[Any] = []
    for dim, array in picked:
        key += [None] * (dim - dims_in(key))
        key.append(array)
        if array.dtype == np.bool_:
            shape = tuple(tensor.shape[dim : dim + array.ndim])
            if shape != array.shape:
                raise IndexError(
                    f"The shape of the mask {list(array.shape)} at index 0 does not match the "
                    f"shape of the indexed tensor {list(tensor.shape)} at index {dim}"
                )
            continue
        size = tensor.shape[dim]
        wrong = array[(array < -size) | (array >= size)]
        if wrong.size:
            raise IndexError(
                f"index {wrong.flat[0]} is out of bounds for dimension {dim} with size {size}"
            )
    return apply(ix.Index, tensor, indices=tuple(key))


def dims_in(key: list[Any]) -> int:
    """How many dimensions the parts of a key cover so far."""
    masks = [part for part in key if part is not None and part.dtype == np.bool_]
    return len(key) + sum(mask.ndim - 1 for mask in masks)


def setitem(self: Tensor, key: Any, value: Any) -> None:
    """Write entries in place.

    Raises: RuntimeError on a leaf that requires a gradient, as PyTorch does: writing into it
    would change what was differentiated.
    """
    recording = state.grad_enabled
    if recording and self._needs and self._node is None:
        raise RuntimeError(
            "a view of a leaf Variable that requires grad is being used in an in-place operation."
        )
    if recording and (self._needs or (isinstance(value, Tensor) and value._needs)):
        raise NotImplementedError(
            "writing into part of a tensor is not recorded yet: got an assignment to entries of "
            "a tensor in a graph; build the result with torch.where, torch.stack or torch.cat, "
            "or write under torch.no_grad()"
        )
    raw = value._data if isinstance(value, Tensor) else value
    share_memory(self)
    parts = key if isinstance(key, tuple) else (key,)
    raw_key = tuple(p._data if isinstance(p, Tensor) else p for p in parts)
    try:
        self._data[raw_key] = raw
    except ValueError as error:
        raise RuntimeError(f"setitem: {error}") from None
    self._version_counter().advance()


def iterate(self: Tensor) -> Any:
    """The slices along the first dimension."""
    if self.ndim == 0:
        raise TypeError("iteration over a 0-d tensor")
    return iter(apply(ix.Unbind, self, dim=0))

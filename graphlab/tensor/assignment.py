"""`x[key] = value`: overwrite a part of a tensor in place.

Integers, slices and None make a view of the part, and the value is copied into it; arrays of
indices are written by one IndexPut.

Read next: autograd/hooks.py
"""

from typing import Any

import numpy as np

from graphlab.autograd.decisions import picked_by
from graphlab.autograd.grad_mode import state, unusual
from graphlab.autograd.operands import is_operand
from graphlab.autograd.record import apply
from graphlab.autograd.views import check_change
from graphlab.autograd.watch import changed_in_place, watchers
from graphlab.common.dtypes import number_as
from graphlab.ops.putting import IndexPut
from graphlab.ops.shapes import Unsqueeze
from graphlab.primitives.numpy_reading.scatter_gather import whole
from graphlab.primitives.numpy_reading.strides import writeable
from graphlab.tensor import inplace
from graphlab.tensor.functions.shapes import c_type, expand, view
from graphlab.tensor.indexing import as_numbers, check_values, is_full, taken_apart
from graphlab.tensor.tensor import Tensor, wrap
from graphlab.tensor.writing import check_shared, warn_if_expanded


def delitem(self: Tensor, key: Any) -> None:
    """Raise TypeError: a tensor keeps its shape."""
    raise TypeError("Tensor does not support deleting items")


def setitem(self: Tensor, key: Any, value: Any) -> None:
    """Write entries in place: `x[1:] = y`, `x[mask] = 0`.

    Raises: TypeError unless the value is a tensor or a number, IndexError for a key that does
    not fit, RuntimeError for a shape that does not fit, and for a leaf that requires a gradient.
    """
    if written_at_once(self, as_numbers(key), value):
        return
    if unusual:
        check_shared(self, inplace.tensors_in((key, value)))
    written = as_value(self, value)
    if isinstance(key, bool):
        if key:
            copy_to(apply(Unsqueeze, self, dim=0), written)
        return
    if key is Ellipsis or (isinstance(key, slice) and self.ndim and is_full(key, self.shape[0])):
        copy_to(self, written)
        return
    part, indices = taken_apart(self, key, bounds=False)
    if not indices:
        copy_to(part, written)
        return
    without = without_leading_ones(written.shape)
    if without != tuple(written.shape):
        written = view(written, without)
    put_(part, indices, written)
    if state.recording or not part._needs:
        picked_by(part, key)


def written_at_once(self: Tensor, key: Any, value: Any) -> bool:
    """Let NumPy write if nothing is recorded and the key is simple; return whether it did.

    If NumPy raises an error, `setitem` goes on and raises that of PyTorch.
    """
    own, rare = self._data, self._more
    if type(own) is not np.ndarray or not own.flags.writeable:
        return False
    if state.grad_enabled and self._needs:
        return False
    if rare is not None and (rare.inference or (watchers and rare.base is not None)):
        return False
    if type(key) is Tensor:  # a mask of all entries
        if isinstance(value, Tensor) or key._more or not own.flags.c_contiguous:
            return False
        key = key._data
        if key.dtype != np.bool_ or key.shape != own.shape:
            return False
    else:
        for part in key if type(key) is tuple else (key,):
            if type(part) is not int and (type(part) is not slice or part.step is not None):
                return False
    if isinstance(value, Tensor):
        if value._needs or value._data.dtype is not own.dtype:
            return False
        shares = rare is not None and value._more is not None and value._data.ndim > 0
        shares = shares and np.may_share_memory(own, value._data)
        if shares and not same_memory(own, key, value._data):
            return False
        value = value._data
    else:
        plain = type(value) is int or (type(value) is float and own.dtype.kind == "f")
        limit = 2e9 if own.itemsize > 2 else 6e4
        if not (plain and -limit < value < limit):  # a larger one may not fit into the type
            return False
    try:
        own[key] = value
    except (IndexError, ValueError, TypeError, OverflowError):
        return False
    self._version_counter().advance()
    if watchers:
        changed_in_place(self)
    return True


def same_memory(own: np.ndarray, key: Any, value: np.ndarray) -> bool:
    """Return whether a value is the part that it is written to, as in `x[0] += 1`."""
    try:
        part = own[key]
    except IndexError:
        return False
    return part.shape == value.shape and part.__array_interface__ == value.__array_interface__


def as_value(self: Tensor, value: Any) -> Tensor:
    """Return the value to write as a tensor; numbers take the type of `self`."""
    if isinstance(value, Tensor):
        return value
    if not isinstance(value, bool | int | float | np.integer | np.bool_):
        kind = type(value)
        name = f"{kind.__module__}.{kind.__name__}".removeprefix("builtins.")
        is_operand(value)  # or raises
        raise TypeError(f"can't assign a {name} to a {c_type(self)}")
    if isinstance(value, int) and not -(1 << 63) <= value < 1 << 63:
        raise ValueError("Overflow when unpacking long long")
    kind = self._data.dtype
    held = number_as(value, np.dtype("f4") if kind == np.float16 else kind)  # or inf
    with np.errstate(over="ignore"):
        return wrap(held.astype(kind), False, None)


def copy_to(part: Tensor, value: Tensor) -> None:
    """Write a value, expanded if it is smaller, over a part of a tensor."""
    if part.shape == value.shape:
        inplace.copy_(part, value)
    elif value.ndim == 0:
        inplace.fill_(part, value)
    else:
        value = view(value, without_leading_ones(value.shape))
        if value.shape != part.shape:
            value = expand(value, tuple(part.shape))
        inplace.copy_(part, value)


def without_leading_ones(shape: Any) -> tuple[int, ...]:
    """Return the shape without its leading sizes of 1."""
    first = next((i for i, n in enumerate(shape) if n != 1), len(shape))
    return tuple(shape[first:])


def checked(input: Tensor, indices: tuple[Any, ...], values: Tensor) -> Tensor:
    """Return the values to write. Raises: RuntimeError, IndexError where they do not fit."""
    masked = len(indices) == 1 and indices[0].dtype == np.bool_ and values.numel() == 1
    if masked and values.dtype is not input.dtype and not values._needs:
        values = as_value(input, values.item())
    check_values(input, indices, values)
    return values


def put(
    input: Tensor, indices: tuple[Any, ...], values: Tensor, accumulate: bool = False
) -> Tensor:
    """Return a copy of `input` with `values` at arrays of indices; None means a whole dimension."""
    values = checked(input, indices, values)
    return apply(IndexPut, input, values, indices=indices, accumulate=accumulate)


put_apart = inplace.in_place(put, repeats=lambda self, *_: inplace.overlaps(self._data))


def put_(
    self: Tensor, indices: tuple[Any, ...], values: Tensor, accumulate: bool = False
) -> Tensor:
    """Write values in place, one after the other into entries that share memory."""
    own, recorded = self._data, inplace.is_recorded(self, [values])
    if not inplace.overlaps(own):
        return put_apart(self, indices, values, accumulate)
    warn_if_expanded(self, "index_put")
    check_change(self, recorded)
    new = checked(self, indices, values)._data.copy()
    before = own.copy()
    if recorded:
        put_apart(self, indices, values, accumulate)  # for the graph
    own = writeable(own)
    own[...] = before
    if accumulate:
        np.add.at(own, whole(indices), new)
    else:
        own[whole(indices)] = new
    if not recorded:
        self._version_counter().advance()
        if watchers:
            changed_in_place(self)
    return self

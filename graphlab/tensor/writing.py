"""Writing over a tensor: `copy`, `fill` and `zero`, and operations on arrays alone.

Where nothing is recorded, as in most of a step of an optimizer, the latter give the same numbers as
the general way in inplace.py, in a third of the time.

Read next: tensor/inplace.py
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from graphlab.autograd.grad_mode import quietly, state, unusual
from graphlab.autograd.record import apply
from graphlab.autograd.watch import changed_in_place, watchers
from graphlab.common.dtypes import number_as
from graphlab.common.errors import ShapeError, named_kind, users_level
from graphlab.ops.writing import Copy, Fill, FillTensor, Zero
from graphlab.primitives.numpy_reading.strides import is_expanded
from graphlab.tensor.functions.checks import joined_shape
from graphlab.tensor.tensor import Tensor, wrap


def zero(input: Tensor) -> Tensor:
    """Return zeros in place of all entries."""
    return apply(Zero, input)


def fill(input: Tensor, value: Any) -> Tensor:
    """Return one number, or the entry of a 0-d tensor, in place of all entries."""
    if not isinstance(value, Tensor):
        return apply(Fill, input, value=number_as(value, input._data.dtype).item())
    if value.ndim:
        raise RuntimeError(
            "fill_ only supports 0-dimension value tensor but got tensor with "
            f"{value.ndim} dimensions."
        )
    return apply(FillTensor, input, value, dtype=input._data.dtype)


def copy(input: Tensor, src: Any, non_blocking: bool = False) -> Tensor:
    """Return the entries of `src` in place of those of `input`."""
    if isinstance(src, bool | int | float):
        src = wrap(np.asarray(src)[()], False, None)
    if not isinstance(src, Tensor):
        raise TypeError(
            f"copy_(): argument 'other' (position 1) must be Tensor, not {named_kind(src)}"
        )
    check_fit(input.shape, src.shape)
    return apply(Copy, input, src, dtype=input._data.dtype)


def check_fit(size: Any, given: Any) -> None:
    """Raise RuntimeError when a shape can't be broadcast to that of the overwritten tensor."""
    whole = joined_shape(size, given)
    if whole != tuple(size):
        raise ShapeError(
            f"output with shape {list(size)} doesn't match the broadcast shape {list(whole)}"
        )


def check_shared(self: Tensor, others: list[Tensor]) -> None:
    """Raise RuntimeError when examples are written into a tensor that they share."""
    for other in others:
        if hasattr(other._data, "level"):
            other._data.check_shared(self._data)
    if state.changing is not None and any(x._needs for x in (self, *others)):
        state.changing(self if self._base is None else self._base)


def warn_if_expanded(self: Tensor, name: str) -> None:
    """Warn that entries that share memory are written."""
    if is_expanded(self._data):
        message = (
            f"Use of {name}_ on expanded tensors is deprecated. Please clone() the tensor before "
            "performing this operation. This also applies to advanced indexing"
        )
        warnings.warn(message, UserWarning, stacklevel=users_level())


UFUNCS = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.true_divide}


def written_at_once(
    ufunc: Any, self: Tensor, args: tuple[Any, ...], options: dict[str, Any]
) -> bool:
    """Compute right into the memory of `self` if nothing else is to be done; return whether it did.

    That is so when nothing is recorded, for a tensor and a number (or a 0-d tensor), and for two
    tensors of one type and shape: a step of an optimizer, `p.add_(grad, alpha=-lr)`, or a count,
    `n[i, j] += 1`.
    """
    own, rare, needs = self._data, self._more, self._needs
    array = type(own) is np.ndarray
    if len(args) != 1 or not (array or isinstance(own, np.generic)):
        return False
    dtype = own.dtype
    kind = dtype.kind
    if kind != "f" and (kind == "b" or ufunc is np.true_divide or options):
        return False
    (other,), times = args, 1.0
    if options:
        times: Any = options.get("alpha")
        scaled = len(options) == 1 and type(times) in (float, int) and abs(times) < 1e4
        if not scaled or not isinstance(other, Tensor) or ufunc not in (np.add, np.subtract):
            return False
    if isinstance(other, Tensor):
        data, needs = other._data, needs or other._needs
        one = data.shape == () and kind == "f"
        if data.dtype is not dtype or not (
            one or (type(data) is type(own) and data.shape == own.shape)
        ):
            return False
        both = array and rare is not None and other._more is not None
        if both and np.may_share_memory(own, data):
            return False
    elif (type(other) is float and dtype.char in "fd") or (type(other) is int and 0 <= other < 128):
        data = other  # an integer that every type holds
    else:
        return False
    if (needs and (not unusual or state.recording)) or (rare is not None and rare.inference):
        return False
    if array and not own.flags.carray:  # contiguous and writeable
        return False
    try:
        if times != 1:
            data = quietly(np.multiply, data, own.dtype.type(times))
        result = quietly(ufunc, own, data, own) if array else quietly(ufunc, own, data)
    except RuntimeError:  # the quiet context is in use elsewhere
        return False
    self._data = result
    version = None if rare is None else rare.version
    (version or self._version_counter()).advance()
    if watchers:
        changed_in_place(self)
    return True


FORWARDS = ("addcdiv", "addcmul", "lerp")  # operations of arrays of one type and shape


def plain_arrays(first: Any, *others: Any) -> list[np.ndarray] | None:
    """Return the arrays of tensors if a change of `first` changes nothing but them, else None.

    That is so for contiguous floats of one type and shape, when nothing is recorded.
    """
    tensors = (first, *others)
    own, rare = first._data, first._more
    recording = not unusual or state.recording
    if rare is not None and rare.inference:
        return None
    for x in tensors:
        if not isinstance(x, Tensor) or (recording and x._needs):
            return None
        data = x._data
        if type(data) is not np.ndarray or data.dtype is not own.dtype or data.shape != own.shape:
            return None
        if own.dtype.char not in "fd" or not data.flags.carray:
            return None
        both = rare is not None and x._more is not None and x is not first
        if both and np.may_share_memory(own, data):
            return None
    return [x._data for x in tensors]


def computed_at_once(
    forward: Callable[..., Any], self: Tensor, args: tuple[Any, ...], options: dict[str, Any]
) -> bool:
    """Write what a forward gives for `plain_arrays` and floats by name; return whether it did."""
    arrays = plain_arrays(self, *args)
    if arrays is None or any([type(v) is not float for v in options.values()]):
        return False
    try:
        arrays[0][...] = quietly(forward, *arrays, **options)
    except (RuntimeError, TypeError):  # the quiet context is in use elsewhere; a wrong option
        return False
    self._version_counter().advance()
    if watchers:
        changed_in_place(self)
    return True

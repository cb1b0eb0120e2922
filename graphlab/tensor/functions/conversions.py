"""The memory of a tensor: as a Python number, a NumPy array or bytes, and through other strides.

All arrays share the memory.

Read next: tensor/functions/shared_memory.py
"""

import warnings
from enum import IntEnum
from typing import Any

import numpy as np

from graphlab.autograd.decisions import note_reading
from graphlab.autograd.grad_mode import state
from graphlab.autograd.record import apply
from graphlab.common.dtypes import dtype, named
from graphlab.common.errors import users_level
from graphlab.common.public import public
from graphlab.ops import shapes as st
from graphlab.primitives.numpy_reading.strides import (
    address,
    layout_of,
    storage_of,
    strided_places,
    strides_of,
)
from graphlab.tensor.creation import READ_ONLY, size_from
from graphlab.tensor.functions.checks import C_NAMES, one_dim, size_along, some_dim
from graphlab.tensor.tensor import Tensor, share_memory, wrap

NO_NUMPY = "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
TO_A_NUMBER = (
    "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
    "Consider using tensor.detach() first."
)


# -- numbers -----------------------------------------------------------------------------------


@public(function=False, method=True)
def item(self: Tensor) -> Any:
    """Return the single entry as a Python number. Raises: RuntimeError unless there is one.

    >>> import graphlab
    >>> graphlab.tensor([2.5]).item()
    2.5
    """
    try:
        number = self._data.item()
    except ValueError:
        raise RuntimeError(
            f"a Tensor with {self._data.size} elements cannot be converted to Scalar"
        ) from None
    if self._needs or self._more is not None:
        note_reading(self, number)
    return number


@public(function=False, method=True)
def tolist(self: Tensor) -> Any:
    """Return the entries as nested lists of Python numbers; a 0-d tensor as a number.

    >>> import graphlab
    >>> graphlab.tensor([[1, 2]]).tolist()
    [[1, 2]]
    """
    if self._needs or self._more is not None:
        note_reading(self)
    return self._data.tolist()


def as_bool(self: Tensor) -> bool:
    """Return whether the single entry is not 0."""
    if self._data.size != 1:
        some = "no values" if self._data.size == 0 else "more than one value"
        raise RuntimeError(f"Boolean value of Tensor with {some} is ambiguous")
    outcome = bool(self._data.item())
    if self._needs or (self._more is not None and self._more.decision is not None):
        from graphlab.autograd.branches import note

        note(self, outcome)
    return outcome


def to_number(self: Tensor) -> Any:
    """Return the single entry; warn, as PyTorch does, if the tensor requires a gradient.

    Raises: ValueError unless there is one; `item` raises another error, as in PyTorch.
    """
    if self._data.size != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    if self._needs:
        warnings.warn(TO_A_NUMBER, UserWarning, stacklevel=users_level())
    return item(self)


def as_float(self: Tensor) -> float:
    """Return the single entry as a Python float."""
    return float(to_number(self))


def as_int(self: Tensor) -> int:
    """Return the single entry as a Python int, rounded towards 0."""
    return int(to_number(self))


def as_index(self: Tensor) -> int:
    """Return the single entry of a tensor of integers as an index for lists."""
    if self._data.size != 1 or self._data.dtype.kind not in "iub":
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(item(self))


def formatted(self: Tensor, spec: str) -> str:
    """Format a 0-d tensor in an f-string as its number. Raises: TypeError for a spec of others."""
    if self._data.ndim == 0:
        return format(self._data.item(), spec)
    if spec:
        raise TypeError("unsupported format string passed to Tensor.__format__")
    return str(self)


# -- arrays ------------------------------------------------------------------------------------


@public(function=False, method=True)
def numpy(self: Tensor, *, force: bool = False) -> np.ndarray:
    """Return the data as a NumPy array that shares its memory.

    force: also of a tensor that requires a gradient. Raises: RuntimeError for one without it,
    except under `no_grad`.

    >>> x = torch.zeros(2)
    >>> x.numpy()[0] = 5
    >>> x
    tensor([5., 0.])
    """
    if self._needs and state.grad_enabled and not force:
        raise RuntimeError(NO_NUMPY)
    share_memory(self)
    if self._needs or self._more is not None:
        note_reading(self)
    return self._data.view()


def as_array(self: Tensor, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
    """Return the array that NumPy asks for. Raises: RuntimeError if it requires a gradient.

    PyTorch differs: its `__array__` has no `copy`, so NumPy warns whenever it asks for a copy.
    """
    return np.array(numpy(self), dtype=dtype, copy=copy)


def from_array(self: Tensor, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
    """Return the result of a NumPy function as a tensor: `np.sin(x)` is a tensor."""
    array = np.asarray(array)
    if array.dtype == np.bool_:  # as in PyTorch, which once had no bool
        array = array.astype(np.uint8)
    return wrap(array, False, None)


class DLDeviceType(IntEnum):
    """The kinds of device, as DLPack numbers them."""

    kDLCPU = 1


def dlpack_device(self: Tensor) -> tuple[DLDeviceType, int]:
    """Return the device of the memory, for other array libraries."""
    return DLDeviceType.kDLCPU, 0


def dlpack(self: Tensor, *, stream: Any = None, **options: Any) -> Any:
    """Return the memory as a DLPack capsule, for other array libraries.

    Raises: BufferError for a tensor that requires a gradient.
    """
    if self._needs:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    share_memory(self)
    return self._data.__dlpack__(**options)


@public()
def from_dlpack(ext_tensor: Any) -> Tensor:
    """Return a tensor that shares the memory of `ext_tensor`, any array that supports DLPack.

    Source: dmlc.github.io/dlpack.

    >>> import numpy as np
    >>> torch.from_dlpack(np.array([1.0, 2.0]))
    tensor([1., 2.], dtype=torch.float64)
    """
    return wrap(np.from_dlpack(ext_tensor), False, None)


@public()
def frombuffer(
    buffer: Any, *, dtype: Any, count: int = -1, offset: int = 0, requires_grad: bool = False
) -> Tensor:
    """Return a tensor (count,) in the memory of a buffer, such as `bytes` read from a file.

    dtype: how to read it. count: the number of entries, -1 for all. offset: bytes to leave out.
    requires_grad: whether it is a leaf that gets a gradient.
    Raises: ValueError for sizes that do not fit.

    >>> torch.frombuffer(bytearray([1, 0, 2, 0]), dtype=torch.int16)
    tensor([1, 2], dtype=torch.int16)
    """
    kind = named("frombuffer", dtype).numpy
    try:
        data = np.frombuffer(buffer, kind, count, offset)
    except TypeError:
        raise ValueError("object does not implement Python buffer protocol.") from None
    if not data.flags.writeable:
        warnings.warn(READ_ONLY.replace("NumPy array", "buffer"), stacklevel=users_level())
        data = data.copy()
    return wrap(data, False, None).requires_grad_(requires_grad)


def reinterpreted(input: Tensor, kind: dtype) -> Tensor:
    """Return the same memory read as another type; no gradient flows through it.

    input: (..., N) -> (..., N · size of an entry / size of an entry of `kind`).
    Raises: RuntimeError when the sizes differ, and the last dimension does not fit.

    >>> import graphlab as torch
    >>> torch.tensor([1.0, -0.0]).view(torch.int32)
    tensor([ 1065353216, -2147483648], dtype=torch.int32)
    """
    share_memory(input)
    data, new = input._data, kind.numpy
    own = data.dtype.itemsize
    if own != new.itemsize:
        names = f"{C_NAMES[data.dtype.name]} as {C_NAMES[new.name]} (different element sizes)"
        if data.ndim == 0:
            raise RuntimeError(f"self.dim() cannot be 0 to view {names}")
        if data.shape[-1] * own % new.itemsize:
            raise RuntimeError(
                f"self.size(-1) must be divisible by {new.itemsize // own} to view {names}, but "
                f"got {data.shape[-1]}"
            )
        ratio = new.itemsize // own  # 0 where the new entries are smaller
        offset, steps = layout_of(data)[2], [step // own for step in data.strides]
        if ratio and offset % ratio:
            raise RuntimeError(
                f"self.storage_offset() must be divisible by {ratio} to view {names}, but got "
                f"{offset}"
            )
        if data.size and steps[-1] != 1:
            raise RuntimeError(f"self.stride(-1) must be 1 to view {names}, but got {steps[-1]}")
        for d, step in enumerate(steps[:-1]):
            if ratio and data.size and step % ratio:
                raise RuntimeError(
                    f"self.stride({d}) must be divisible by {ratio} to view {names}, but got {step}"
                )
    if data.size == 0:
        size = (*data.shape[:-1], data.shape[-1] * own // new.itemsize)
        return wrap(np.zeros(size, new), False, None)
    return wrap(data.view(new), False, None)


@public(function=False, method=True)
def unfold(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """Return all windows of `size` entries along a dimension, `step` apart, as a last dimension.

    >>> torch.arange(4).unfold(0, 2, 1)
    tensor([[0, 1],
            [1, 2],
            [2, 3]])
    """
    d = one_dim(dimension, input.ndim)
    n = size_along(input, d)
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > n:
        raise RuntimeError(f"maximum size for tensor at dimension {d} is {n} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    return apply(st.Unfold, input, dimension=dimension, size=size, step=step)


@public(method=True)
def as_strided(input: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """Return a view of the memory of the tensor with any `size` and `stride`, both in entries.

    storage_offset: the first entry, that of the tensor when None.
    Raises: RuntimeError when the view reaches beyond the memory.

    >>> torch.as_strided(torch.tensor([1, 2, 3, 4]), (2, 2), (1, 2))
    tensor([[1, 3],
            [2, 4]])
    """
    sizes, steps = size_from((size,)), size_from((stride,))
    if len(sizes) != len(steps):
        raise RuntimeError("mismatch in length of strides and shape")
    if any(step < 0 for step in steps):
        raise RuntimeError(
            "as_strided: Negative strides are not supported at the moment, got strides: "
            f"{list(steps)}"
        )
    share_memory(input)
    room, own = memory(input._data)
    start = own if storage_offset is None else storage_offset
    last = start + sum((n - 1) * step for n, step in zip(sizes, steps, strict=True))
    width = input._data.itemsize
    if 0 not in sizes and last >= room:
        raise RuntimeError(
            f"setStorage: sizes {list(sizes)}, strides {list(steps)}, storage offset {start}, and "
            f"itemsize {width} requiring a storage size of {(last + 1) * width} are out of bounds "
            f"for storage of size {room * width}"
        )
    strides = tuple(step // width for step in input._data.strides)
    return apply(
        st.AsStrided,
        input,
        size=sizes,
        stride=steps,
        storage_offset=storage_offset,
        geometry=(room, start, tuple(input.shape), strides, own, often(input, strides)),
    )


def often(input: Tensor, strides: tuple[int, ...]) -> Any:
    """Return how many entries of a tensor share the memory of each; None if none are shared."""
    places = strided_places(tuple(input.shape), strides, 0)
    if len(np.unique(places)) == places.size:
        return None
    times = np.bincount(places)[places].reshape(tuple(input.shape))
    return times.astype(input._data.dtype)


@public(function=False, method=True)
def stride(input: Tensor, dim: int | None = None) -> Any:
    """Return the distance in memory between neighbours, in entries, per dimension or along `dim`.

    >>> torch.ones(2, 3).stride(), torch.ones(2, 3).t().stride(0)
    ((3, 1), 1)
    """
    if dim is not None:
        return strides_of(input._data)[some_dim(dim, input.ndim)]
    return strides_of(input._data) if input.ndim else ()


@public(function=False, method=True)
def sparse_dim(input: Tensor) -> int:
    """Return the number of sparse dimensions, 0: every tensor here is dense.

    >>> import graphlab
    >>> graphlab.zeros(2, 3).sparse_dim()
    0
    """
    return 0


@public(function=False, method=True)
def dense_dim(input: Tensor) -> int:
    """Return the number of dense dimensions: all of them.

    >>> import graphlab
    >>> graphlab.zeros(2, 3).dense_dim()
    2
    """
    return input.ndim


@public(function=False, method=True)
def storage_offset(input: Tensor) -> int:
    """Return the index in the shared memory of the first entry of a tensor.

    >>> import graphlab
    >>> graphlab.zeros(3)[2:].storage_offset()
    2
    """
    return memory(input._data)[1] if isinstance(input._data, np.ndarray) else 0


def memory(data: np.ndarray) -> tuple[int, int]:
    """Return the number of entries in the memory of an array, and the entry where it begins."""
    base = storage_of(data)
    return base.size, (address(data) - address(base)) // data.itemsize

"""The memory of tensors: its address, comparison, copies, pickles and storages.

Read next: primitives/numpy_reading/strides.py
"""

import warnings
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from typing import Any

import numpy as np

from graphlab.autograd.decisions import note_readings
from graphlab.autograd.hooks import warn_if_has_hooks
from graphlab.common.devices import channels_last, channels_last_3d
from graphlab.common.dtypes import find
from graphlab.common.errors import users_level
from graphlab.common.public import public
from graphlab.primitives.numpy_reading.strides import address, layout_of, storage_of
from graphlab.tensor.functions.checks import need_tensor
from graphlab.tensor.tensor import Tensor, share_memory, wrap

LAST = {channels_last: 4, channels_last_3d: 5}  # memory formats -> numbers of dimensions
ONLY_LEAVES = (
    "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at "
    "the moment.  If you were attempting to deepcopy a module, this may be because of a "
    "torch.nn.utils.weight_norm usage, see https://github.com/pytorch/pytorch/pull/103001"
)


@public()
def is_inference(input: Tensor) -> bool:
    """Return whether a tensor was made in inference mode. input: (...).

    >>> torch.is_inference(torch.tensor(1.0))
    False
    """
    return input.is_inference()


@public()
def is_tensor(obj: Any) -> bool:
    """Return whether `obj` is a tensor.

    >>> torch.is_tensor([1, 2])
    False
    """
    return isinstance(obj, Tensor)


@public()
def numel(input: Tensor) -> int:
    """Return the number of entries. input: (...).

    >>> torch.numel(torch.ones(2, 3))
    6
    """
    return input.numel()


@public(method=True)
def equal(input: Tensor, other: Tensor) -> bool:
    """Return whether two tensors have the same shape and the same entries.

    >>> torch.equal(torch.ones(2), torch.ones(2)), torch.equal(torch.ones(2), torch.ones(2, 1))
    (True, False)
    """
    need_tensor("equal", "other", 2, other)
    note_readings(input, other)
    return bool(input.shape == other.shape and np.all(input._data == other._data))


@public(method=True)
def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Return whether `input` and `other` have the same shape.

    >>> torch.is_same_size(torch.ones(2), torch.ones(3))
    False
    """
    return input.shape == other.shape


@public(function=False, method=True)
def is_contiguous(input: Tensor, memory_format: Any = None) -> bool:
    """Return whether the entries lie in memory one after the other, row by row.

    memory_format: another order, such as `channels_last`.

    >>> import graphlab
    >>> graphlab.zeros(2, 3).T.is_contiguous()
    False
    """
    data = input._data
    if memory_format in LAST:
        return data.ndim == LAST[memory_format] and np.moveaxis(data, 1, -1).flags.c_contiguous
    return bool(data.flags.c_contiguous)


def format_of(input: Tensor) -> Any:
    """Return the channels-last memory format of a tensor; None if it has none."""
    orders = () if is_contiguous(input) else LAST
    return next((order for order in orders if is_contiguous(input, order)), None)


def laid_out(made: Tensor, memory_format: Any) -> Tensor:
    """Return a new tensor, with its entries reordered in memory for a memory format."""
    if memory_format in LAST and not is_contiguous(made, memory_format):
        flat = np.moveaxis(made._data, min(1, made.ndim - 1), -1).reshape(-1)
        made._data = in_format(flat, tuple(made.shape), memory_format)
    return made


def in_format(flat: np.ndarray, shape: tuple[int, ...], memory_format: Any) -> np.ndarray:
    """Return a vector of entries in a shape, with the channels last in memory if asked for."""
    if memory_format not in LAST:
        return flat.reshape(shape)
    if len(shape) != LAST[memory_format]:
        raise RuntimeError(
            f"required rank {LAST[memory_format]} tensor to use {memory_format.name} format"
        )
    return np.moveaxis(flat.reshape(shape[0], *shape[2:], shape[1]), -1, 1)


@public(function=False, method=True)
def data_ptr(input: Tensor) -> int:
    """Return the address of the first entry.

    >>> import graphlab
    >>> x = graphlab.ones(2)
    >>> x.data_ptr() == x.view(2, 1).data_ptr()
    True
    """
    share_memory(input)
    return address(input._data) if input._data.size else 0


# -- copies ------------------------------------------------------------------------------------


def reduced(self: Tensor, protocol: Any = None) -> Any:
    """Return what `pickle` writes, and `copy.copy` rebuilds with shared memory."""
    share_memory(self)
    warn_if_has_hooks(self)
    return rebuilt, (self._data, self.requires_grad), self.__dict__ or None


def rebuilt(data: np.ndarray, needs: bool) -> Tensor:
    """Return a leaf around unpickled or shared data."""
    return wrap(data, needs, None)


def deep_copied(self: Tensor, memo: dict[int, Any]) -> Tensor:
    """Return a leaf with copied memory and gradient; views of one memory stay so in the copy.

    Raises: RuntimeError for a tensor that is not a leaf.
    """
    if id(self) in memo:
        return memo[id(self)]
    if self._node is not None:
        raise RuntimeError(ONLY_LEAVES)
    share_memory(self)
    storage = storage_of(self._data)
    if id(storage) not in memo:
        memo[id(storage)] = storage.copy(order="K")
        memo.setdefault(id(memo), []).append(storage)  # keeps it alive, so its id stays unique
    data = memo[id(storage)]
    if self._data is not storage:
        size, _, offset = layout_of(self._data)
        flat = np.lib.stride_tricks.as_strided(data, (storage.size,), (data.itemsize,))
        data = np.lib.stride_tricks.as_strided(flat[offset:], size, self._data.strides)
    new = memo[id(self)] = wrap(data, self.requires_grad, None)
    if self._grad is not None:
        new._grad = deep_copied(self._grad, memo)
    vars(new).update(deepcopy(vars(self), memo))
    return new


@public()
def detach(input: Tensor) -> Tensor:
    """Return a tensor in the same memory, outside the graph. input: (...) -> (...).

    >>> torch.detach(torch.tensor([1.0], requires_grad=True))
    tensor([1.])
    """
    need_tensor("detach", "input", 1, input)
    return input.detach()


@public()
def detach_(input: Tensor) -> Tensor:
    """Take the tensor itself out of the graph. input: (...). Raises: RuntimeError for a view.

    >>> torch.detach_(torch.ones(1, requires_grad=True) * 2)
    tensor([2.])
    """
    return input.detach_()


@public(function=False, method=True)
def ndimension(input: Tensor) -> int:
    """Return the number of dimensions.

    >>> import graphlab
    >>> graphlab.zeros(2, 3).ndimension()
    2
    """
    return input.ndim


DEPRECATED = (
    "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the "
    "only storage class. This should only matter to you if you are using storages directly.  To "
    "access UntypedStorage directly, use tensor.untyped_storage() instead of tensor.storage()"
)


class Storage:
    """One-dimensional memory that a tensor shares with its views."""

    __module__ = "torch.storage"

    def __init__(self, memory: np.ndarray) -> None:
        step = (memory.itemsize,)
        self._memory = np.lib.stride_tricks.as_strided(memory, (memory.size,), step)

    def data_ptr(self) -> int:
        """Return the address of the first byte."""
        return address(self._memory) if self._memory.size else 0

    def nbytes(self) -> int:
        """Return the size in bytes."""
        return self._memory.nbytes

    def tolist(self) -> list[Any]:
        """Return the entries."""
        return self._memory.tolist()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def __getitem__(self, key: Any) -> Any:
        found = self._memory[key]
        return type(self)(found) if isinstance(key, slice) else found.item()

    def __setitem__(self, key: Any, value: Any) -> None:
        self._memory[key] = value

    def __len__(self) -> int:
        return self.size()

    def size(self) -> int:
        """Return the number of entries."""
        return self._memory.size

    def __repr__(self) -> str:
        rows = "".join(f" {entry}\n" for entry in self)
        return f"{rows}[{self._described()} of size {self.size()}]"

    def _described(self) -> str:
        return f"torch.storage.{type(self).__name__}(device=cpu)"


class UntypedStorage(Storage):
    """The memory that a tensor and its views share, byte by byte."""

    __module__ = "torch.storage"

    def __init__(self, memory: np.ndarray) -> None:
        super().__init__(memory)
        self._memory = self._memory.view(np.uint8)


class TypedStorage(Storage):
    """The memory that a tensor and its views share, entry by entry."""

    __module__ = "torch.storage"

    @property
    def dtype(self) -> Any:
        """The type of the entries."""
        return find(self._memory.dtype)

    def untyped(self) -> UntypedStorage:
        """Return the same memory in bytes."""
        return UntypedStorage(self._memory)

    def _described(self) -> str:
        return f"torch.storage.TypedStorage(dtype={self.dtype}, device=cpu)"


@public(function=False, method=True)
def untyped_storage(input: Tensor) -> UntypedStorage:
    """Return the memory that a tensor and all its views share, in bytes.

    >>> import graphlab
    >>> len(graphlab.zeros(3)[:2].untyped_storage())
    12
    """
    share_memory(input)
    return UntypedStorage(storage_of(input._data))


@cache
def warn_once() -> None:
    """Warn that storages with a type are deprecated, as PyTorch does once in a program."""
    warnings.warn(DEPRECATED, UserWarning, stacklevel=users_level())


@public(function=False, method=True)
def storage(input: Tensor) -> TypedStorage:
    """Return the memory that a tensor and all its views share, in entries; warn the first time.

    >>> import graphlab, warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     len(graphlab.zeros(3)[:2].storage())
    3
    """
    warn_once()
    share_memory(input)
    return TypedStorage(storage_of(input._data))

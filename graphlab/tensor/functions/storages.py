"""The memory under tensors: `x.untyped_storage()` in bytes, `x.storage()` in entries.

Read next: primitives/numpy_reading/strides.py
"""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from graphlab.common.dtypes import find
from graphlab.common.errors import users_level
from graphlab.common.public import public
from graphlab.primitives.numpy_reading.strides import address, storage_of
from graphlab.tensor.tensor import Tensor, share_memory

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


@public(function=False, method=True)
def storage(input: Tensor) -> TypedStorage:
    """Return the memory that a tensor and all its views share, in entries; with a warning.

    >>> import graphlab, warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     len(graphlab.zeros(3)[:2].storage())
    3
    """
    warnings.warn(DEPRECATED, UserWarning, stacklevel=users_level())
    share_memory(input)
    return TypedStorage(storage_of(input._data))

"""Replace a tensor's memory, shape or entries, without a graph: `resize_`, `set_`, `apply_`.

Read next: tensor/functions/shared_memory.py
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from graphlab.autograd.grad_mode import state
from graphlab.autograd.watchers import changed_in_place, watchers
from graphlab.common.public import public
from graphlab.primitives.numpy_reading.strides import (
    contiguous_strides,
    layout_of,
    span,
    storage_of,
)
from graphlab.tensor.functions.shapes import size_from
from graphlab.tensor.functions.storages import Storage
from graphlab.tensor.tensor import Tensor, share_memory


@public(function=False, method=True)
def resize_(input: Tensor, *size: Any, memory_format: Any = None) -> Tensor:
    """Look at the same memory in another shape, from the same first entry on.

    Where the memory is too short, the tensor gets a longer copy, with zeros at its end; in PyTorch
    the memory itself grows, and views of it stay views.
    Raises: RuntimeError for a tensor that requires a gradient.

    >>> import graphlab as torch
    >>> torch.arange(4).resize_(2, 1)
    tensor([[0],
            [1]])
    """
    shape = size_from(size)
    if input.requires_grad and not state.inference:
        raise RuntimeError("cannot resize variables that require grad")
    if any(n < 0 for n in shape):
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(shape)}: {shape}")
    share_memory(input)
    memory = storage_of(input._data)
    flat = np.lib.stride_tricks.as_strided(memory, (memory.size,), (memory.itemsize,))
    begin = layout_of(input._data)[2]
    end = begin + math.prod(shape)
    if end > flat.size:
        flat = np.concatenate([flat, np.zeros(end - flat.size, flat.dtype)])
    if shape == tuple(input._data.shape):
        return input
    return replaced(input, flat[begin:end].reshape(shape))


@public(method=True)
def resize_as_(input: Tensor, the_template: Tensor, *, memory_format: Any = None) -> Tensor:
    """Look at the same memory in the shape of another tensor, as `resize_` does.

    the_template: a tensor of that shape. memory_format: accepted as in PyTorch, without effect.

    >>> import graphlab as torch
    >>> torch.arange(2).resize_as_(torch.ones(2, 1))
    tensor([[0],
            [1]])
    """
    return resize_(input, *the_template.shape)


@public(function=False, method=True)
def set_(
    input: Tensor,
    source: Any = None,
    storage_offset: int = 0,
    size: Any = None,
    stride: Any = None,
) -> Tensor:
    """Look at the memory of another tensor, or at a storage; without one, be empty.

    source: a tensor, or what `untyped_storage` returns. size: all of the storage when None, or a
    shape, with the steps `stride`, from the entry `storage_offset` on.
    Raises: RuntimeError for another type, or beyond the storage.

    >>> import graphlab as torch
    >>> torch.tensor([]).set_(torch.arange(6.0).untyped_storage(), 1, (2, 2), (2, 1))
    tensor([[1., 2.],
            [3., 4.]])
    """
    if isinstance(source, Storage):
        memory = source._memory.view(input._data.dtype)
        shape = (memory.size - storage_offset,) if size is None else tuple(size)
        steps = contiguous_strides(shape) if stride is None else tuple(stride)
        if storage_offset + span(shape, steps) > memory.size:
            raise RuntimeError(
                f"setStorage: sizes {list(shape)}, strides {list(steps)}, storage offset "
                f"{storage_offset} are out of bounds for storage of size {memory.nbytes}"
            )
        bytes_ = tuple(step * memory.itemsize for step in steps)
        seen = np.lib.stride_tricks.as_strided(memory[storage_offset:], shape, bytes_)
        return replaced(input, seen)
    if source is None:
        return replaced(input, np.empty(0, input._data.dtype))
    if source.dtype is not input.dtype:
        raise RuntimeError(
            f"Could not set tensor of type {source.dtype} to a tensor of type {input.dtype}"
        )
    share_memory(source)
    return replaced(input, source._data)


def replaced(input: Tensor, data: Any) -> Tensor:
    """Give a tensor other data: a change in place, which saved tensors and recordings notice."""
    input._data = data
    input._version_counter().advance()
    if watchers:
        changed_in_place(input)
    return input


@public(function=False, method=True)
def apply_(input: Tensor, callable: Callable[[Any], Any]) -> Tensor:
    """Write `callable(x)` over every entry x. Raises: RuntimeError where a gradient is required."""
    return mapped(input, "apply_", callable)


@public(function=False, method=True)
def map_(input: Tensor, tensor: Tensor, callable: Callable[[Any, Any], Any]) -> Tensor:
    """Write `callable(x, y)` over every entry x beside an entry y of another tensor."""
    return mapped(input, "map_", callable, tensor)


def mapped(input: Tensor, name: str, function: Callable[..., Any], *others: Tensor) -> Tensor:
    """Write a function of the entries of tensors over the first of them."""
    if input.requires_grad:
        raise RuntimeError(f"Can't call {name}() on Variable that requires grad. Use "
                           f"var.detach().{name}() instead.")  # fmt: skip
    share_memory(input)
    sources = [np.broadcast_to(other._data, input._data.shape) for other in others]
    for at in np.ndindex(input._data.shape):
        entries = (np.asarray(data)[at].item() for data in (input._data, *sources))
        input._data[at] = function(*entries)
    return replaced(input, input._data)

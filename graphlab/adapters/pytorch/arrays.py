"""Tensors of PyTorch's as NumPy arrays, or as samples where NumPy has no such array.

A tensor on the processor with a type that NumPy knows becomes an array that shares its memory; all
others are copied. What has no readable values at all, such as a tensor on the device "meta", keeps
its shape and its type.

Read next: adapters/pytorch/operations.py
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphlab.graph.array_sample import ArraySample, sample


@dataclass(frozen=True)
class TypeName:
    """A type of entries that NumPy does not have, such as bfloat16."""

    name: str
    itemsize: int
    kind: str = "f"


class NoValues(Exception):
    """A tensor whose values cannot be read."""


def array_of(tensor: Any) -> Any:
    """The entries of a tensor as an array that shares its memory where it can, or as a sample.

    A tensor with one entry and no dimension becomes a NumPy scalar. None if nothing can be read.
    """
    plain = tensor.detach()
    name = str(plain.dtype).removeprefix("torch.")
    try:
        readable = readable_of(plain, name)
        array = readable.numpy()
        if readable.dtype is not plain.dtype:
            seen = sample(array)
            seen.dtype = TypeName(name, plain.element_size())  # pyright: ignore
            return seen
    except (RuntimeError, TypeError, NotImplementedError, ValueError, NoValues):
        return None
    return array[()] if array.ndim == 0 else array


def readable_of(plain: Any, name: str) -> Any:
    """A tensor that NumPy can take: on the processor, dense, and of a type that NumPy has.

    Raises: NoValues for tensors without values; what PyTorch raises for others.
    """
    if plain.device.type == "meta" or str(plain.layout) != "torch.strided" or plain.is_quantized:
        raise NoValues
    readable = plain.cpu().resolve_conj().resolve_neg()
    if name.startswith(("bfloat", "float8", "float4")):
        readable = readable.float()
    return readable


def sample_of(tensor: Any) -> ArraySample:
    """A sample of a tensor; of one whose values cannot be read, its shape and its type alone."""
    array = array_of(tensor)
    if isinstance(array, ArraySample):
        return array
    if array is not None:
        return sample(array)
    name = str(tensor.dtype).removeprefix("torch.")
    return nothing(tuple(tensor.shape), TypeName(name, tensor.element_size()))


def nothing(shape: tuple[int, ...], kind: TypeName) -> ArraySample:
    """The sample of a tensor whose values cannot be read."""
    return ArraySample(shape, kind, np.zeros((0,) * max(1, len(shape))), None)  # pyright: ignore


def entries(shape: tuple[int, ...]) -> int:
    """The number of entries of a shape."""
    return math.prod(shape)

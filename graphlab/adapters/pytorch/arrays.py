"""PyTorch tensors as NumPy arrays, or as samples where NumPy has no such array.

A tensor on the CPU with a type that NumPy has becomes an array that shares its memory; all others
are copied. Of a tensor without readable values, such as one on the device "meta", only the shape
and the type are kept.

Read next: adapters/pytorch/operations.py
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from graphlab.adapters.pytorch.accessors import loaded, numpy_of
from graphlab.graph.array_sample import (
    WHOLE,
    ArraySample,
    checksum,
    idle_units,
    quick_sample,
    sample,
)
from graphlab.graph.events.event import shape_text
from graphlab.graph.value import LONGEST_TEXT, Value, number_text

MOST_MEASURED = 65_536  # entries; of a larger array only the norm is computed
CANCELLED = 0.1  # part of the squares below which the norm of a sum has lost digits
TINY = 1e-30  # squares below which float32 has lost digits


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
    plain = tensor.detach() if tensor.requires_grad else tensor
    try:
        array = numpy_of(plain)  # the usual case: on the CPU, dense, of a type that NumPy has
    except (BufferError, RuntimeError, TypeError):
        return unusual_array(plain)
    return array[()] if array.ndim == 0 else array


def unusual_array(plain: Any) -> Any:
    """The same for a tensor that NumPy cannot take as it is."""
    plain = plain.detach()
    name = str(plain.dtype).removeprefix("torch.")
    try:
        readable = readable_of(plain, name)
        array = numpy_of(readable)
        if readable.dtype is not plain.dtype:
            seen = sample(array)
            seen.dtype = type_of(plain.dtype)  # pyright: ignore
            return seen
    except (BufferError, RuntimeError, TypeError, NotImplementedError, ValueError, NoValues):
        return None
    return array[()] if array.ndim == 0 else array


def readable_of(plain: Any, name: str) -> Any:
    """A tensor that NumPy can take: on the CPU, dense, and of a type that NumPy has.

    Raises: NoValues for tensors without values; what PyTorch raises for others.
    """
    if plain.device.type == "meta" or str(plain.layout) != "torch.strided" or plain.is_quantized:
        raise NoValues
    readable = plain.clone() if plain._is_zerotensor() else plain
    readable = readable.cpu().resolve_conj().resolve_neg()
    if name.startswith(("bfloat", "float8", "float4")):
        readable = readable.float()
    return readable


def sample_of(tensor: Any) -> ArraySample:
    """A sample of a tensor; only its shape and type if its values cannot be read."""
    array = array_of(tensor)
    if isinstance(array, ArraySample):
        return array
    if array is not None:
        return quick_sample(array) if np.size(array) > MOST_MEASURED else sample(array)
    kind = type_of(tensor.dtype)
    seen = ArraySample(sizes_of(tensor), kind, np.zeros(0), None)  # pyright: ignore
    seen.summary = replace(no_value(seen.shape, kind), norm=norm_of_sparse(tensor))
    return seen


def norm_of_sparse(tensor: Any) -> str:
    """The Euclidean norm of a sparse tensor; "" of any other."""
    try:
        if str(tensor.layout).startswith("torch.sparse"):
            entries = tensor.detach().coalesce() if tensor.is_sparse else tensor.detach()
            return number_text(float(entries.values().norm()))
    except (RuntimeError, TypeError, NotImplementedError):  # as on the device "meta"
        pass
    return ""


def idle_units_of(tensor: Any) -> set[int]:
    """The units of a tensor that are 0 for the whole batch, as far as it can be read."""
    array = array_of(tensor)
    return idle_units(array if isinstance(array, np.ndarray) else 0)


def quick_sample_of(tensor: Any) -> ArraySample:
    """The same with the norm of a large tensor instead of its statistics."""
    array = array_of(tensor)
    return quick_sample(array) if isinstance(array, np.ndarray) else sample_of(tensor)


def checksum_of(tensor: Any) -> Any:
    """What differs if an entry of a large tensor changed; None if that cannot be told."""
    if tensor.numel() <= WHOLE:
        return None
    try:
        bits = getattr(loaded(), f"int{min(8 * tensor.element_size(), 64)}")
        return checksum(numpy_of(tensor.detach().view(bits)))
    except (BufferError, RuntimeError, TypeError, NotImplementedError):
        return None


def sample_of_sum(
    one: Any, one_seen: ArraySample, other: Any, other_seen: ArraySample
) -> ArraySample:
    """A quick sample of the sum of two tensors that have been sampled; large ones are not added.

    The norm of a sum follows from both norms and one product: |a + b|² = |a|² + 2ab + |b|².
    """
    first, second = one_seen.norm, other_seen.norm
    if first is None or second is None or one_seen.size < MOST_MEASURED:
        return quick_sample_of(one.detach() + other.detach())
    pair = array_of(one), array_of(other)
    if all(type(array) is np.ndarray and array.flags.c_contiguous for array in pair):
        product = float(np.vdot(*pair).real)
        squares = first * first + second * second
        total = squares + 2 * product
        if TINY < CANCELLED * squares < total < math.inf and pair[0].dtype == pair[1].dtype:
            corner = one_seen.corner + other_seen.corner
            norm = math.sqrt(total)
            return ArraySample(one_seen.shape, one_seen.dtype, corner, None, norm=norm)
    return quick_sample_of(one.detach() + other.detach())


def type_of(dtype: Any) -> TypeName:
    """A PyTorch type."""
    return TypeName(str(dtype).removeprefix("torch."), dtype.itemsize)


def sizes_of(tensor: Any) -> tuple[int, ...]:
    """The shape of a tensor; () of a nested one, whose rows differ."""
    return () if tensor.is_nested else tuple(tensor.shape)


def no_value(shape: tuple[int, ...], kind: TypeName) -> Value:
    """The summary of a tensor with a known shape and type, and unknown entries."""
    text = f"{shape_text(shape)} {kind.name}" if shape else "unknown"
    text = text if len(text) <= LONGEST_TEXT else "unknown"
    return Value(shape, kind.name, text, nbytes=math.prod(shape) * kind.itemsize)

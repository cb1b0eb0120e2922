"""Unpooling: `F.max_unpool2d(values, indices, 2)` puts maxima back at their places.

Read next: ops/pooling.py
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphlab.autograd.record import apply
from graphlab.common.errors import ShapeError
from graphlab.nn.functional.families import IMAGES, KINDS, named
from graphlab.nn.functional.pooling_arguments import sizes_of
from graphlab.ops.pooling import MaxUnpool2d, MaxUnpool3d
from graphlab.tensor import functions as F
from graphlab.tensor.functions.checks import type_name
from graphlab.tensor.tensor import Tensor

Sizes = tuple[int, ...]
Given = int | Sequence[int]


def size_before(
    input: Tensor, kernel: Sizes, stride: Sizes, padding: Sizes, output_size: Any
) -> Sizes:
    """Return the size of the image that was pooled: the given one, or the smallest that fits.

    Raises: ValueError for a size that the pooling does not map to that of the input.
    """
    dims = len(kernel)
    if input.ndim < dims:
        raise IndexError("tuple index out of range")
    each = zip(input.shape[-dims:], kernel, stride, padding, strict=True)
    least = tuple((n - 1) * s + k - 2 * p for n, k, s, p in each)
    if output_size is None:
        return least
    given = tuple(output_size)
    if len(given) == dims + 2:
        given = given[2:]
    if len(given) != dims:
        raise ValueError(
            f"output_size should be a sequence containing {dims} or {dims + 2} elements, but it "
            f"has a length of '{len(given)}'"
        )
    for d, (n, m, s) in enumerate(zip(given, least, stride, strict=True)):
        if not m - s < n < m + s:
            raise ValueError(
                f'invalid output_size "{given}" (dim {d} must be between {m - s} and {m + s})'
            )
    return given


def check(input: Tensor, indices: Tensor, sizes: Sizes) -> None:
    """Raise RuntimeError for indices of another dtype, shape or range."""
    if indices._data.dtype != np.int64:
        kind = type_name(indices)
        raise RuntimeError(f"elements in indices should be type int64 but got: {kind}")
    if indices.shape != input.shape:
        raise ShapeError(
            "Expected shape of indices to be same as that of the input tensor "
            f"({list(input.shape)}) but got indices tensor with shape: {list(indices.shape)}"
        )
    wrong = indices._data[(indices._data < 0) | (indices._data >= np.prod(sizes))]
    if wrong.size:
        raise RuntimeError(
            f"Found an invalid max index: {wrong[0]} (output volumes are of size "
            f"{'x'.join(map(str, sizes))})"
        )


def max_unpool(dims: int) -> Callable[..., Tensor]:
    """Return the partial inverse of the max pooling over `dims` dimensions."""
    name = f"max_unpool{dims}d"
    op = MaxUnpool3d if dims == 3 else MaxUnpool2d

    def call(
        input: Tensor,
        indices: Tensor,
        kernel_size: Given,
        stride: Given | None = None,
        padding: Given = 0,
        output_size: Sequence[int] | None = None,
    ) -> Tensor:
        kernel = sizes_of(name, "kernel_size", kernel_size, dims)
        steps = sizes_of(name, "stride", stride, dims) or kernel
        pad = sizes_of(name, "padding", padding, dims)
        sizes = size_before(input, kernel, steps, pad, output_size)
        if dims == 1:
            input, indices, sizes = F.unsqueeze(input, -1), F.unsqueeze(indices, -1), (*sizes, 1)
        check(input, indices, sizes)
        out = apply(op, input, indices, output_size=sizes)
        return F.squeeze(out, -1) if dims == 1 else out

    return named(name, f"""Put each entry at its index in {KINDS[dims]} of zeros.

    It is a partial inverse of `max_pool{dims}d`, which returns input and indices.

    input, indices: {IMAGES[dims]}, with sizes L after C
    kernel_size, stride, padding: those of the pooling
    output_size: the sizes S, or the shape, of the input of the pooling, if several are possible; by
        default S = (L - 1) stride - 2 padding + kernel_size
    Returns: (N, C, *S).
    Raises: RuntimeError for indices that do not fit, ValueError for an output_size that does not.

    >>> import graphlab as torch
    >>> x, where = torch.full((1, 1{", 1" * dims}), 7.0), torch.ones(1, 1{", 1" * dims}).long()
    >>> {name}(x, where, 2).flatten()
    tensor([0., 7.{", 0." * (2**dims - 2)}])
    """, call)  # fmt: skip


max_unpool1d, max_unpool2d, max_unpool3d = map(max_unpool, (1, 2, 3))

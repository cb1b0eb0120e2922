"""Pooling: `F.max_pool2d(x, 2)`, `F.avg_pool2d(x, 2)`, `F.lp_pool2d(x, 2, 2)`.

`F.max_unpool2d(values, indices, 2)` puts maxima back at their places. As in
PyTorch, a sequence is pooled as an image of height 1.

Read next: ops/convolution.py
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphlab.autograd.record import apply
from graphlab.common.errors import ShapeError
from graphlab.common.public import mark, public
from graphlab.nn.functional.pooling_windows import (
    IMAGES,
    KINDS,
    Given,
    check_dims,
    check_fits,
    check_image,
    check_row,
    check_window,
    named,
    single_int,
    sizes_of,
    step_of,
)
from graphlab.ops import convolution as ops
from graphlab.primitives.numpy_reading.convolution import area
from graphlab.primitives.numpy_reading.pooling import pool_places
from graphlab.tensor import functions as F
from graphlab.tensor.functions.checks import need_tensor, not_for, type_name
from graphlab.tensor.tensor import Tensor

# -- maximum -------------------------------------------------------------------------------------


def max_pool(dims: int) -> Callable[..., Any]:
    """Return the max pooling over `dims` dimensions, 2 or 3."""
    name = f"max_pool{dims}d"
    op = ops.MaxPool2dWithIndices if dims == 2 else ops.MaxPool3dWithIndices

    def call(
        input: Tensor,
        kernel_size: Given,
        stride: Given | None = None,
        padding: Given = 0,
        dilation: Given = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> Any:
        need_tensor(name, "input", 1, input)
        kernel = sizes_of(name, "kernel_size", kernel_size, dims)
        step = sizes_of(name, "stride", stride, dims)
        pad = sizes_of(name, "padding", padding, dims)
        dilation = sizes_of(name, "dilation", dilation, dims)
        check_image(input, dims)
        check_window(input, kernel, step or kernel, pad, dilation, ceil_mode)
        if input.dtype.name == "bool":
            raise not_for(name, input)
        options = {"kernel_size": kernel, "stride": step, "padding": pad, "dilation": dilation}
        values, indices = apply(op, input, **options, ceil_mode=ceil_mode)
        return (values, indices) if return_indices else values

    return named(name, f"""Return the maximum of each window of {KINDS[dims]}.

    input: {IMAGES[dims]}, with sizes S after C
    kernel_size: int > 0, or one for each dimension, the size of the window
    stride: int > 0, or one for each dimension, the step of the window; kernel_size by default
    padding: int ≥ 0, or one for each dimension, the number of entries of -∞ at both ends, at most
        half of kernel_size
    dilation: int > 0, or one for each dimension, the distance of the entries that a window covers
    ceil_mode: bool, also take a last window that reaches past the end
    return_indices: bool, also return the flat index of each maximum within its channel, int64
    Returns: (N, C, *L), L = ⌊(S + 2 padding - dilation (kernel_size - 1) - 1) / stride⌋ + 1.
    Raises: RuntimeError for options out of their range, ShapeError if no window fits.

    >>> import graphlab as torch
    >>> {name}(torch.arange({2.0**dims}).reshape(1{", 2" * dims}), 2).item()
    {2.0**dims - 1}
    """, call)  # fmt: skip


max_pool2d, max_pool3d = max_pool(2), max_pool(3)


@public()
def max_pool1d(
    input: Tensor,
    kernel_size: Given,
    stride: Given | None = None,
    padding: Given = 0,
    dilation: Given = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Return the maximum of each window of a sequence.

    input: (N, C, L) or (C, L)
    kernel_size, stride, padding, dilation, ceil_mode, return_indices: as in `max_pool2d`
    Returns: (N, C, M), M = ⌊(L + 2 padding - dilation (kernel_size - 1) - 1) / stride⌋ + 1.
    Raises: RuntimeError for options out of their range, ShapeError for another shape.

    >>> max_pool1d(torch.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
    tensor([[3., 2.]])
    """
    k = single_int("max_pool1d", "kernel_size", kernel_size)
    s = step_of("max_pool1d", stride, k)
    pad = single_int("max_pool1d", "padding", padding)
    d = single_int("max_pool1d", "dilation", dilation)
    check_row(input, "max_pool1d")
    for name, n in (("kernel_size", k), ("stride", s)):
        if n <= 0:
            raise RuntimeError(f"max_pool1d() {name} must be greater than zero, but got {n}")
    if pad < 0:
        raise RuntimeError(f"max_pool1d() padding must be non-negative, but got {pad}")
    if pad > k // 2:
        raise RuntimeError(
            "max_pool1d() padding should be at most half of kernel size, but got "
            f"padding={pad} and kernel_size={k}"
        )
    if d <= 0:
        raise RuntimeError(f"max_pool1d() dilation must be greater than zero, but got {d}")
    (places,) = pool_places((input.shape[-1],), (k,), (s,), (pad,), (d,), ceil_mode)
    if places < 1:
        raise RuntimeError(f"max_pool1d() Invalid computed output size: {places}")
    if not (input.is_floating_point() or return_indices):
        raise not_for("max_pool1d_impl", input)
    rows = F.unsqueeze(input, -2)
    found = max_pool2d(rows, (1, k), (1, s), (0, pad), (1, d), ceil_mode, True)
    values, indices = (F.squeeze(t, -2) for t in found)
    return (values, indices) if return_indices else values


# -- mean ----------------------------------------------------------------------------------------


def avg_pool(dims: int) -> Callable[..., Tensor]:
    """Return the average pooling over `dims` dimensions, 2 or 3."""
    name = f"avg_pool{dims}d"
    op = ops.AvgPool2d if dims == 2 else ops.AvgPool3d

    def call(
        input: Tensor,
        kernel_size: Given,
        stride: Given | None = None,
        padding: Given = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> Tensor:
        need_tensor(name, "input", 1, input)
        kernel = sizes_of(name, "kernel_size", kernel_size, dims)
        step = sizes_of(name, "stride", stride, dims)
        pad = sizes_of(name, "padding", padding, dims)
        if 0 in step:
            raise RuntimeError("stride should not be zero")
        if divisor_override == 0:
            raise RuntimeError("divisor must be not zero")
        if dims == 2 and input.ndim <= dims:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-input.ndim}, "
                f"{input.ndim - 1}], but got {-dims - 1})"
            )
        check_image(input, dims)
        if dims == 3:
            check_fits(input, kernel)
        check_window(input, kernel, step or kernel, pad, (1,) * dims, ceil_mode)
        options: dict[str, Any] = {
            "kernel_size": kernel, "stride": step, "padding": pad, "ceil_mode": ceil_mode,
            "count_include_pad": count_include_pad, "divisor_override": divisor_override,
        }  # fmt: skip
        kind = input.dtype.name
        if input.is_floating_point() and (dims < 3 or kind != "float16"):
            return apply(op, input, **options)
        if kind != "int64":
            raise not_for(name if dims == 2 else "avg_pool3d_out_frame", input)
        return F.trunc(apply(op, input.double(), **options)).long()  # as PyTorch's integer division

    return named(name, f"""Return the mean of each window of {KINDS[dims]}.

    input: {IMAGES[dims]}, with sizes S after C
    kernel_size: int > 0, or one for each dimension, the size of the window
    stride: int > 0, or one for each dimension, the step of the window; kernel_size by default
    padding: int ≥ 0, or one for each dimension, the number of zeros at both ends, at most half of
        kernel_size
    ceil_mode: bool, also take a last window that reaches past the end
    count_include_pad: bool, count the zeros of the padding in the mean
    divisor_override: int, divide by this number instead of the number of entries
    Returns: (N, C, *L), L = ⌊(S + 2 padding - kernel_size) / stride⌋ + 1.
    Raises: RuntimeError for options out of their range, ShapeError if no window fits.

    >>> import graphlab as torch
    >>> {name}(torch.arange({2.0**dims}).reshape(1{", 2" * dims}), 2).item()
    {(2.0**dims - 1) / 2}
    """, call)  # fmt: skip


avg_pool2d, avg_pool3d = avg_pool(2), avg_pool(3)


@public()
def avg_pool1d(
    input: Tensor,
    kernel_size: Given,
    stride: Given | None = None,
    padding: Given = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """Return the mean of each window of a sequence.

    input: (N, C, L) or (C, L) -> (N, C, M)
    kernel_size, stride, padding, ceil_mode, count_include_pad: as in `avg_pool2d`
    Raises: RuntimeError for options out of their range, or for another shape.

    >>> avg_pool1d(torch.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
    tensor([[2., 1.]])
    """
    check_dims(input, "avg_pool1d")
    k = single_int("avg_pool1d", "kernel_size", kernel_size)
    s = step_of("avg_pool1d", stride, k)
    pad = single_int("avg_pool1d", "padding", padding)
    rows = F.unsqueeze(input, -2)
    out = avg_pool2d(rows, (1, k), (1, s), (0, pad), ceil_mode, count_include_pad)
    return F.squeeze(out, -2)


def lp_pool(dims: int) -> Callable[..., Tensor]:
    """Return the pooling by a p-norm over `dims` dimensions."""
    name = f"lp_pool{dims}d"
    means = (avg_pool1d, avg_pool2d, avg_pool3d)[dims - 1]

    def call(
        input: Tensor,
        norm_type: float,
        kernel_size: Given,
        stride: Given | None = None,
        ceil_mode: bool = False,
    ) -> Tensor:
        count = area(sizes_of(name, "kernel_size", kernel_size, dims))
        mean = means(F.pow(input, norm_type), kernel_size, stride, 0, ceil_mode)
        positive = F.mul(F.sign(mean), F.relu(F.abs(mean)))
        return F.pow(F.mul(positive, count), 1.0 / norm_type)

    return named(name, f"""Return (Σ xᵖ)^(1/p) over each window of {KINDS[dims]}.

    input: {IMAGES[dims]}
    norm_type: float, the exponent p
    kernel_size, stride, ceil_mode: as in `avg_pool{dims}d`

    >>> import graphlab as torch
    >>> {name}(torch.ones(1{", 2" * dims}), 1, 2).item()
    {2.0**dims}
    """, call)  # fmt: skip


lp_pool1d, lp_pool2d, lp_pool3d = map(lp_pool, (1, 2, 3))


mark("max_pool2d max_pool3d")


Sizes = tuple[int, ...]


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
    op = ops.MaxUnpool3d if dims == 3 else ops.MaxUnpool2d

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

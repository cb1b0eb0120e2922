"""Adaptive pooling: the caller gives the size of the output, and the windows follow from it.

Read next: ops/pooling.py
"""

from collections.abc import Sequence
from typing import Any

from graphlab.autograd.record import apply
from graphlab.common.errors import ShapeError
from graphlab.nn.functional.pooling_arguments import check_dims, one_of
from graphlab.ops import pooling as p
from graphlab.tensor import functions as F
from graphlab.tensor.functions.checks import need_tensor, not_for
from graphlab.tensor.tensor import Tensor

Output = int | None | Sequence[int | None]


def output_of(input: Tensor, output_size: Output, dims: int) -> tuple[int, ...]:
    """Return the size of the output; None keeps that of the input."""
    if isinstance(output_size, int):
        return (output_size,) * dims
    each = (None,) * dims if output_size is None else tuple(output_size)
    if output_size is not None and input.ndim <= len(each):
        raise ValueError(f"Input dimension should be at least {len(each) + 1}")
    lasts = input.shape[input.ndim - len(each) :]
    return tuple(n if m is None else int(m) for n, m in zip(lasts, each, strict=True))


def check(input: Tensor, output_size: tuple[int, ...], name: str, dims: int, comma: str) -> None:
    """Raise RuntimeError for an output size out of range, ShapeError for another input shape."""
    if len(output_size) != dims:
        raise RuntimeError(f"{name}: output_size must be {dims}")
    if any(n < 0 for n in output_size):
        raise RuntimeError(
            f"{name}: elements of output_size must be greater than or equal to 0 but received "
            f"{{{', '.join(map(str, output_size))}}}"
        )
    shape = list(input.shape)
    if input.ndim not in (dims + 1, dims + 2):
        raise ShapeError(
            f"{name}(): Expected {dims + 1}D or {dims + 2}D tensor, but got{comma} {shape}"
        )
    for d in range(input.ndim - dims, input.ndim):
        if shape[d] == 0:
            raise ShapeError(
                f"{name}(): Expected input to have non-zero size for non-batch dimensions, but "
                f"input has sizes {shape} with dimension {d} being empty"
            )


def adaptive_avg_pool(dims: int, input: Tensor, output_size: Output) -> Tensor:
    """Return the means over windows of `dims` dimensions, as many as output_size says."""
    need_tensor(f"adaptive_avg_pool{dims}d", "input", 1, input)
    size = output_of(input, output_size, dims)
    if size == (1,) * dims:
        return F.mean(input, tuple(range(-1, -dims - 1, -1)), keepdim=True)
    check(input, size, f"adaptive_avg_pool{dims}d", dims, "")
    if not input.is_floating_point():
        if input.numel():
            raise not_for(f"adaptive_avg_pool{dims}d", input)
        return input.new_zeros((*input.shape[: input.ndim - dims], *size))
    op = p.AdaptiveAvgPool2d if dims == 2 else p.AdaptiveAvgPool3d
    return apply(op, input, output_size=size)


def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """Return the means of output_size windows that cover a sequence.

    input: (N, C, L) or (C, L) -> (N, C, output_size)
    output_size: int > 0
    Raises: RuntimeError for another shape or size.

    >>> import graphlab as torch
    >>> adaptive_avg_pool1d(torch.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
    tensor([[2., 1.]])
    """
    check_dims(input, "adaptive_avg_pool1d")
    n = one_of("adaptive_avg_pool1d", "output_size", output_size)
    return F.squeeze(adaptive_avg_pool(2, F.unsqueeze(input, -2), (1, n)), -2)


def adaptive_avg_pool2d(input: Tensor, output_size: Output) -> Tensor:
    """Return the means of windows that cover an image, as many as output_size says.

    Window i of n covers the rows ⌊i H / n⌋ to ⌈(i + 1) H / n⌉; windows may overlap.

    input: (N, C, H, W) or (C, H, W) -> (N, C, *output_size)
    output_size: int or (int, int); None keeps a size
    Raises: RuntimeError for another size, ShapeError for another shape.

    >>> import graphlab as torch
    >>> adaptive_avg_pool2d(torch.arange(8.0).reshape(1, 2, 4), (1, 2))
    tensor([[[2.5000, 4.5000]]])
    """
    return adaptive_avg_pool(2, input, output_size)


def adaptive_avg_pool3d(input: Tensor, output_size: Output) -> Tensor:
    """Return the means of windows that cover a volume, as many as output_size says.

    input: (N, C, D, H, W) or (C, D, H, W) -> (N, C, *output_size)
    output_size: int or three ints; None keeps a size
    Raises: RuntimeError for another size, ShapeError for another shape.

    >>> import graphlab as torch
    >>> adaptive_avg_pool3d(torch.arange(8.0).reshape(1, 2, 2, 2), 1)
    tensor([[[[3.5000]]]])
    """
    return adaptive_avg_pool(3, input, output_size)


def adaptive_max_pool(dims: int, input: Tensor, output_size: Output, return_indices: bool) -> Any:
    """Return the maxima over windows of `dims` dimensions, with their indices on request."""
    need_tensor(f"adaptive_max_pool{dims}d", "input", 1, input)
    size = output_of(input, output_size, dims)
    name = f"adaptive_max_pool{dims}d"
    if len(size) != dims:
        raise RuntimeError(f"{name}(): internal error: output_size.size() must be {dims}")
    check(input, size, name, dims, ":")
    op = p.AdaptiveMaxPool2d if dims == 2 else p.AdaptiveMaxPool3d
    values, indices = apply(op, input, output_size=size)
    return (values, indices) if return_indices else values


def adaptive_max_pool2d(input: Tensor, output_size: Output, return_indices: bool = False) -> Any:
    """Return the maxima of windows that cover an image, as many as output_size says.

    input: (N, C, H, W) or (C, H, W) -> (N, C, *output_size)
    output_size: int or (int, int), as in `adaptive_avg_pool2d`
    return_indices: bool, also return where in its image each maximum is, as int64
    Raises: RuntimeError for another size, ShapeError for another shape.

    >>> import graphlab as torch
    >>> adaptive_max_pool2d(torch.arange(8.0).reshape(1, 2, 4), (1, 2))
    tensor([[[5., 7.]]])
    """
    return adaptive_max_pool(2, input, output_size, return_indices)


def adaptive_max_pool3d(input: Tensor, output_size: Output, return_indices: bool = False) -> Any:
    """Return the maxima of windows that cover a volume, as many as output_size says.

    input: (N, C, D, H, W) or (C, D, H, W) -> (N, C, *output_size)
    output_size: int or three ints; None keeps a size
    return_indices: bool, also return where in its volume each maximum is, as int64
    Raises: RuntimeError for another size, ShapeError for another shape.

    >>> import graphlab as torch
    >>> adaptive_max_pool3d(torch.arange(8.0).reshape(1, 2, 2, 2), 1)
    tensor([[[[7.]]]])
    """
    return adaptive_max_pool(3, input, output_size, return_indices)


def adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """Return the maxima of output_size windows that cover a sequence.

    input: (N, C, L) or (C, L) -> (N, C, output_size)
    output_size: int > 0
    return_indices: bool, also return where each maximum is
    Raises: RuntimeError for another shape or size.

    >>> import graphlab as torch
    >>> adaptive_max_pool1d(torch.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
    tensor([[3., 2.]])
    """
    check_dims(input, "adaptive_max_pool1d")
    n = one_of("adaptive_max_pool1d", "output_size", output_size)
    found = adaptive_max_pool2d(F.unsqueeze(input, -2), (1, n), True)
    values, indices = (F.squeeze(t, -2) for t in found)
    return (values, indices) if return_indices else values

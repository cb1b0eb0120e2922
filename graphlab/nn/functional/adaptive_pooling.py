"""Adaptive pooling: the windows follow from a given size of the output.

Read next: ops/pooling.py
"""

from collections.abc import Callable, Sequence
from typing import Any

from graphlab.autograd.record import apply
from graphlab.common.errors import ShapeError
from graphlab.common.public import mark
from graphlab.nn.functional.pooling_arguments import IMAGES, KINDS, check_dims, named, single_int
from graphlab.ops import pooling as p
from graphlab.tensor import functions as F
from graphlab.tensor.functions.checks import need_tensor, not_for
from graphlab.tensor.tensor import Tensor

Output = int | None | Sequence[int | None]


def output_of(input: Tensor, output_size: Output, dims: int) -> tuple[int, ...]:
    """Return the size of the output in each dimension; None stands for that of the input.

    Raises: ValueError for an input with too few dimensions.
    """
    if isinstance(output_size, int):
        return (output_size,) * dims
    each = (None,) * dims if output_size is None else tuple(output_size)
    if output_size is not None and input.ndim <= len(each):
        raise ValueError(f"Input dimension should be at least {len(each) + 1}")
    sizes = input.shape[input.ndim - len(each) :]
    return tuple(n if m is None else int(m) for n, m in zip(sizes, each, strict=True))


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


def adaptive_avg_pool(dims: int) -> Callable[..., Tensor]:
    """Return the adaptive average pooling over `dims` dimensions."""
    name = f"adaptive_avg_pool{dims}d"
    op = p.AdaptiveAvgPool2d if dims == 2 else p.AdaptiveAvgPool3d

    def call(input: Tensor, output_size: Output) -> Tensor:
        if dims == 1:
            check_dims(input, name)
            n = single_int(name, "output_size", output_size)
            return F.squeeze(adaptive_avg_pool2d(F.unsqueeze(input, -2), (1, n)), -2)
        need_tensor(name, "input", 1, input)
        size = output_of(input, output_size, dims)
        if size == (1,) * dims:
            return F.mean(input, tuple(range(-1, -dims - 1, -1)), keepdim=True)
        check(input, size, name, dims, "")
        if not input.is_floating_point():
            if dims == 3 or input.numel():
                raise not_for(name if dims == 2 else f"{name}_cpu", input)
            return input.new_zeros((*input.shape[: input.ndim - dims], *size))
        return apply(op, input, output_size=size)

    return named(name, f"""Return the means of output_size windows that cover {KINDS[dims]}.

    Window i of n covers the entries from ⌊i S / n⌋ up to, but not including, ⌈(i + 1) S / n⌉ of S.

    input: {IMAGES[dims]} -> (N, C, *output_size)
    output_size: int > 0, or one for each dimension; None keeps a size
    Raises: RuntimeError for another size, ShapeError for another shape.

    >>> import graphlab as torch
    >>> {name}(torch.arange({2.0**dims}).reshape(1{", 2" * dims}), 1).item()
    {(2.0**dims - 1) / 2}
    """, call)  # fmt: skip


adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d = map(adaptive_avg_pool, (1, 2, 3))


def adaptive_max_pool(dims: int) -> Callable[..., Any]:
    """Return the adaptive max pooling over `dims` dimensions."""
    name = f"adaptive_max_pool{dims}d"
    op = p.AdaptiveMaxPool2d if dims == 2 else p.AdaptiveMaxPool3d

    def call(input: Tensor, output_size: Output, return_indices: bool = False) -> Any:
        if dims == 1:
            check_dims(input, name)
            n = single_int(name, "output_size", output_size)
            found = adaptive_max_pool2d(F.unsqueeze(input, -2), (1, n), True)
            values, indices = (F.squeeze(t, -2) for t in found)
            return (values, indices) if return_indices else values
        need_tensor(name, "input", 1, input)
        size = output_of(input, output_size, dims)
        if len(size) != dims:
            raise RuntimeError(f"{name}(): internal error: output_size.size() must be {dims}")
        check(input, size, name, dims, ":")
        if not input.is_floating_point():
            raise not_for(name if dims == 2 else f"{name}_cpu", input)
        values, indices = apply(op, input, output_size=size)
        return (values, indices) if return_indices else values

    return named(name, f"""Return the maxima of output_size windows that cover {KINDS[dims]}.

    The windows are those of `adaptive_avg_pool{dims}d`.

    input: {IMAGES[dims]} -> (N, C, *output_size)
    output_size: int > 0, or one for each dimension; None keeps a size
    return_indices: bool, also return the flat index of each maximum within its channel
    Raises: RuntimeError for another size, ShapeError for another shape.

    >>> import graphlab as torch
    >>> {name}(torch.arange({2.0**dims}).reshape(1{", 2" * dims}), 1).item()
    {2.0**dims - 1}
    """, call)  # fmt: skip


adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d = map(adaptive_max_pool, (1, 2, 3))

mark("adaptive_avg_pool1d")

"""Windows of poolings: checks of given ones, and adaptive ones, which follow from a given output.

Families are functions that differ only in the number of dimensions, such as conv1d and conv2d. A
factory makes each of them from `dims`; `named` gives it its name and its docstring.

Read next: nn/functional/pooling.py
"""

from collections.abc import Callable, Sequence
from typing import Any

from graphlab.autograd.record import apply
from graphlab.common.errors import ShapeError
from graphlab.common.public import mark
from graphlab.ops import convolution as p
from graphlab.primitives.numpy_reading.pooling import pool_places
from graphlab.tensor import functions as F
from graphlab.tensor.functions.checks import need_ints, need_tensor, not_for
from graphlab.tensor.tensor import Tensor

Sizes = tuple[int, ...]
Given = int | Sequence[int]

POSITIONS = {"kernel_size": 2, "stride": 3, "padding": 4, "dilation": 5}
COUNT = {1: "one", 2: "two", 3: "three"}


def sizes_of(function: str, name: str, given: Any, dims: int) -> Sizes:
    """Return one number for each dimension; an int stands for all, and () means no stride.

    Raises: RuntimeError for another count.
    """
    if name == "stride" and not given and given != 0:  # None or ()
        return ()
    each = need_ints(function, name, POSITIONS[name], given, one=True)
    if len(each) not in (1, dims):
        either = "" if function == "avg_pool3d" else "either "
        omitted = "omitted, " if name == "stride" else ""
        ints = f"a single int, or a tuple of {COUNT[dims]} ints"
        raise RuntimeError(f"{function}: {name} must {either}be {omitted}{ints}")
    return each * dims if len(each) == 1 else each


def single_int(function: str, name: str, given: Any) -> int:
    """Return an option of a pooling over one dimension. Raises: RuntimeError for several ints."""
    each = need_ints(function, name, POSITIONS.get(name, 2), given, one=True)
    if len(each) != 1:
        raise RuntimeError(
            f"{function}() argument '{name}' should contain one int (got {len(each)})"
        )
    return each[0]


def step_of(function: str, stride: Any, kernel: int) -> int:
    """Return the stride of a pooling over one dimension: the size of the window for None or ()."""
    given = stride or stride == 0
    return single_int(function, "stride", stride) if given else kernel


def check_fits(input: Tensor, kernel: Sizes) -> None:
    """Raise ShapeError for a window that is larger than the volume, whatever the padding."""
    volume = input.shape[-3:]
    if any(n < k for n, k in zip(volume, kernel, strict=True)):
        raise ShapeError(
            f"input image ({lettered('', volume)}) smaller than kernel size "
            f"({lettered('k', kernel)})"
        )


def lettered(prefix: str, sizes: Sizes) -> str:
    """Return the sizes behind their letters: "kH: 2 kW: 3"."""
    pairs = zip("THW"[-len(sizes) :], sizes, strict=True)
    return " ".join(f"{prefix}{letter}: {n}" for letter, n in pairs)


def check_image(input: Tensor, dims: int) -> None:
    """Raise ShapeError unless the input is (N, C, *S) or (C, *S), with `dims` sizes S > 0."""
    shape = list(input.shape)
    if input.ndim not in (dims + 1, dims + 2):
        raise ShapeError(
            f"non-empty {dims + 1}D or {dims + 2}D (batch mode) tensor expected for input"
        )
    if 0 in shape[input.ndim == dims + 2 :]:
        raise ShapeError(
            f"Expected {dims + 1}D or {dims + 2}D (batch mode) tensor with optional 0 dim batch "
            f"size for input, but got:{shape}"
        )


def check_window(
    input: Tensor, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: bool
) -> None:
    """Raise RuntimeError for options out of their range, ShapeError if no window fits."""
    if 0 in stride:
        raise RuntimeError("stride should not be zero")
    for name, given in {"dilation": dilation, "kernel size": kernel, "stride": stride}.items():
        if min(given) <= 0:
            values = lettered({"kernel size": "k", "stride": "d"}.get(name, name), given)
            raise RuntimeError(f"{name} should be greater than zero, but got {values}")
    for pad, k, d in zip(padding, kernel, dilation, strict=True):
        if pad < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {pad}")
        if pad > (d * (k - 1) + 1) // 2:
            raise RuntimeError(
                f"pad should be at most half of effective kernel size, but got pad={pad}, "
                f"kernel_size={k} and dilation={d}"
            )
    dims = len(kernel)
    image = tuple(input.shape[-dims:])
    places = pool_places(image, kernel, stride, padding, dilation, ceil_mode)
    if min(places) < 1:
        channels = input.shape[-dims - 1]
        sizes = "x".join(map(str, (channels, *image)))
        result = "x".join(map(str, (channels, *(max(m, 0) for m in places))))
        raise ShapeError(
            f"Given input size: ({sizes}). Calculated output size: ({result}). Output size is too "
            "small"
        )


def check_row(input: Tensor, name: str) -> None:
    """Raise ShapeError unless the input is (N, C, L) or (C, L)."""
    need_tensor(name, "input", 1, input)
    shape = list(input.shape)
    if input.ndim not in (2, 3) or 0 in shape[input.ndim == 3 :]:
        raise ShapeError(
            f"{name}: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for "
            f"input, but got:{shape}"
        )


def check_dims(input: Tensor, name: str) -> None:
    """Raise RuntimeError unless the input has two or three dimensions."""
    need_tensor(name, "input", 1, input)
    if input.ndim not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {input.ndim}-dimensional tensor for argument #1 "
            f"'self' (while checking arguments for {name})"
        )


KINDS = {1: "a sequence", 2: "an image", 3: "a volume"}
IMAGES = {
    1: "(N, C, L) or (C, L)",
    2: "(N, C, H, W) or (C, H, W)",
    3: "(N, C, D, H, W) or (C, D, H, W)",
}


def named(name: str, docstring: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with a name and a docstring of its own."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = docstring
    return function


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

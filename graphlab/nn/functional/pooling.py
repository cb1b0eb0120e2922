"""Poolings as functions: `F.max_pool2d(x, 2)`, `F.adaptive_avg_pool2d(x, 1)`.

Over one dimension they are PyTorch's: a pooling of images that are one entry high.

Read next: ops/pooling.py
"""

from collections.abc import Sequence
from typing import Any

from graphlab.autograd.record import apply
from graphlab.common.errors import ShapeError
from graphlab.ops import pooling as ops
from graphlab.ops.pools import pool_places
from graphlab.tensor import functions as F
from graphlab.tensor.functions.checks import need_ints, need_tensor
from graphlab.tensor.tensor import Tensor

Sizes = tuple[int, ...]
Given = int | Sequence[int]
Output = int | None | Sequence[int | None]

POSITIONS = {"kernel_size": 2, "stride": 3, "padding": 4, "dilation": 5}
COUNT = {1: "one", 2: "two", 3: "three"}


def sizes_of(function: str, name: str, given: Any, dims: int) -> Sizes:
    """One number for each dimension: an int stands for all; () where nothing is given.

    Raises: RuntimeError, in PyTorch's words, for other counts.
    """
    if name == "stride" and (given is None or given == ()):
        return ()
    need_ints(function, name, POSITIONS[name], given, one=True)
    each = (given,) if isinstance(given, int) else tuple(given)
    if len(each) not in (1, dims):
        omitted = "either be omitted," if name == "stride" else "either be"
        ints = f"tuple of {COUNT[dims]} ints"
        raise RuntimeError(f"{function}: {name} must {omitted} a single int, or a {ints}")
    return tuple(int(n) for n in (each * dims if len(each) == 1 else each))


def one_of(function: str, name: str, given: Any) -> int:
    """The one number of a pooling over one dimension."""
    need_ints(function, name, POSITIONS.get(name, 2), given, one=True)
    each = (given,) if isinstance(given, int) else tuple(given)
    if len(each) != 1:
        raise RuntimeError(
            f"{function}() argument '{name}' should contain one int (got {len(each)})"
        )
    return int(each[0])


def check_image(input: Tensor, dims: int, function: str) -> None:
    """Raises: ShapeError, in PyTorch's words, for what is no image or has no entries."""
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
    input: Tensor,
    kernel: Sizes,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    ceil_mode: bool,
) -> None:
    """Raises: RuntimeError, in PyTorch's words, for a window that has no meaning or no place."""
    if any(s == 0 for s in stride):
        raise RuntimeError("stride should not be zero")
    if any(d <= 0 for d in dilation):
        said = " ".join(
            f"dilation{n}: {d}" for n, d in zip("THW"[-len(dilation) :], dilation, strict=True)
        )
        raise RuntimeError(f"dilation should be greater than zero, but got {said}")
    if any(n <= 0 for n in (*kernel, *stride)):
        name, given = ("kernel size", kernel) if min(kernel) <= 0 else ("stride", stride)
        letter = "k" if name == "kernel size" else "d"
        said = " ".join(
            f"{letter}{n}: {k}" for n, k in zip("THW"[-len(given) :], given, strict=True)
        )
        raise RuntimeError(f"{name} should be greater than zero, but got {said}")
    for p, k, d in zip(padding, kernel, dilation, strict=True):
        if p < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {p}")
        if p > (d * (k - 1) + 1) // 2:
            raise RuntimeError(
                f"pad should be at most half of effective kernel size, but got pad={p}, "
                f"kernel_size={k} and dilation={d}"
            )
    dims = len(kernel)
    image = tuple(input.shape[-dims:])
    places = pool_places(image, kernel, stride, padding, dilation, ceil_mode)
    if any(m < 1 for m in places):
        channels = input.shape[-dims - 1]
        sizes = "x".join(map(str, (channels, *image)))
        made = "x".join(map(str, (channels, *(max(m, 0) for m in places))))
        raise ShapeError(
            f"Given input size: ({sizes}). Calculated output size: ({made}). Output size is too "
            "small"
        )


# -- the largest entry ---------------------------------------------------------------------------


def max_pool(
    dims: int,
    input: Tensor,
    kernel_size: Given,
    stride: Any,
    padding: Given,
    dilation: Given,
    ceil_mode: bool,
    return_indices: bool,
) -> Any:
    """The largest entry of each window over `dims` dimensions, and its number where asked for."""
    name = f"max_pool{dims}d"
    need_tensor(name, "input", 1, input)
    kernel = sizes_of(name, "kernel_size", kernel_size, dims)
    options: dict[str, Any] = {
        "kernel_size": kernel,
        "stride": sizes_of(name, "stride", stride, dims),
        "padding": sizes_of(name, "padding", padding, dims),
        "dilation": sizes_of(name, "dilation", dilation, dims),
        "ceil_mode": ceil_mode,
    }
    check_image(input, dims, name)
    check_window(
        input,
        kernel,
        options["stride"] or kernel,
        options["padding"],
        options["dilation"],
        ceil_mode,
    )
    op = ops.MaxPool2dWithIndices if dims == 2 else ops.MaxPool3dWithIndices
    values, indices = apply(op, input, **options)
    return (values, indices) if return_indices else values


def max_pool1d(
    input: Tensor,
    kernel_size: Given,
    stride: Given | None = None,
    padding: Given = 0,
    dilation: Given = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest entry of each window. input: (N, C, L) or (C, L) -> (N, C, OL).

    return_indices: a second tensor says where each was. Raises: RuntimeError where no window fits.
    """
    k = one_of("max_pool1d", "kernel_size", kernel_size)
    s = k if stride is None else one_of("max_pool1d", "stride", stride)
    pad = one_of("max_pool1d", "padding", padding)
    d = one_of("max_pool1d", "dilation", dilation)
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
    rows = F.unsqueeze(input, -2)
    found = max_pool(2, rows, (1, k), (1, s), (0, pad), (1, d), ceil_mode, True)
    values, indices = (F.squeeze(t, -2) for t in found)
    return (values, indices) if return_indices else values


def check_row(input: Tensor, name: str) -> None:
    """Raises: ShapeError, in PyTorch's words, for what is no row of channels."""
    need_tensor(name, "input", 1, input)
    shape = list(input.shape)
    if input.ndim not in (2, 3) or 0 in shape[input.ndim == 3 :]:
        raise ShapeError(
            f"{name}: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for "
            f"input, but got:{shape}"
        )


def max_pool2d(
    input: Tensor,
    kernel_size: Given,
    stride: Given | None = None,
    padding: Given = 0,
    dilation: Given = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest entry of each window. input: (N, C, H, W) or (C, H, W) -> (N, C, OH, OW).

    return_indices: a second tensor says where each was. Raises: RuntimeError where no window fits.

    >>> import graphlab as torch
    >>> max_pool2d(torch.arange(8.0).reshape(1, 2, 4), 2)
    tensor([[[5., 7.]]])
    """
    return max_pool(2, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def max_pool3d(
    input: Tensor,
    kernel_size: Given,
    stride: Given | None = None,
    padding: Given = 0,
    dilation: Given = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest entry of each window. input: (N, C, D, H, W) -> (N, C, OD, OH, OW)."""
    return max_pool(3, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


# -- the mean ------------------------------------------------------------------------------------


def avg_pool(
    dims: int,
    input: Tensor,
    kernel_size: Given,
    stride: Any,
    padding: Given,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Tensor:
    """The mean of each window over `dims` dimensions."""
    name = f"avg_pool{dims}d"
    need_tensor(name, "input", 1, input)
    kernel = sizes_of(name, "kernel_size", kernel_size, dims)
    options: dict[str, Any] = {
        "kernel_size": kernel,
        "stride": sizes_of(name, "stride", stride, dims),
        "padding": sizes_of(name, "padding", padding, dims),
        "ceil_mode": ceil_mode,
        "count_include_pad": count_include_pad,
        "divisor_override": divisor_override,
    }
    if any(s == 0 for s in options["stride"]):
        raise RuntimeError("stride should not be zero")
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero")
    if dims == 2 and input.ndim <= dims:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-input.ndim}, "
            f"{input.ndim - 1}], but got {-dims - 1})"
        )
    check_image(input, dims, name)
    still = (1,) * dims
    check_window(input, kernel, options["stride"] or kernel, options["padding"], still, ceil_mode)
    op = ops.AvgPool2d if dims == 2 else ops.AvgPool3d
    if input.is_floating_point():
        return apply(op, input, **options)
    if input.dtype.name != "int64":
        kind = input.dtype.legacy.removesuffix("Tensor")
        raise NotImplementedError(f"\"{name}\" not implemented for '{kind}'")
    return F.trunc(apply(op, input.double(), **options)).long()  # PyTorch divides whole numbers


def avg_pool1d(
    input: Tensor,
    kernel_size: Given,
    stride: Given | None = None,
    padding: Given = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """The mean of each window. input: (N, C, L) or (C, L) -> (N, C, OL)."""
    check_dims(input, "avg_pool1d")
    k = one_of("avg_pool1d", "kernel_size", kernel_size)
    s = k if stride is None else one_of("avg_pool1d", "stride", stride)
    pad = one_of("avg_pool1d", "padding", padding)
    rows = F.unsqueeze(input, -2)
    out = avg_pool(2, rows, (1, k), (1, s), (0, pad), ceil_mode, count_include_pad, None)
    return F.squeeze(out, -2)


def check_dims(input: Tensor, name: str) -> None:
    """Raises: RuntimeError, in PyTorch's words, for what is no row of channels."""
    need_tensor(name, "input", 1, input)
    if input.ndim not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {input.ndim}-dimensional tensor for argument #1 "
            f"'self' (while checking arguments for {name})"
        )


def avg_pool2d(
    input: Tensor,
    kernel_size: Given,
    stride: Given | None = None,
    padding: Given = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The mean of each window. input: (N, C, H, W) or (C, H, W) -> (N, C, OH, OW).

    count_include_pad: the zeros of the padding count. divisor_override: divide by this instead.

    >>> import graphlab as torch
    >>> avg_pool2d(torch.arange(8.0).reshape(1, 2, 4), 2)
    tensor([[[2.5000, 4.5000]]])
    """
    return avg_pool(
        2, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    )


def avg_pool3d(
    input: Tensor,
    kernel_size: Given,
    stride: Given | None = None,
    padding: Given = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The mean of each window. input: (N, C, D, H, W) -> (N, C, OD, OH, OW)."""
    return avg_pool(
        3, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    )


def lp_pool1d(
    input: Tensor,
    norm_type: float,
    kernel_size: int,
    stride: Any = None,
    ceil_mode: bool = False,
) -> Tensor:
    """The root of the sum of powers of each window: (Σ xᵖ)^(1/p). (N, C, L) -> (N, C, OL)."""
    mean = avg_pool1d(F.pow(input, norm_type), kernel_size, stride, 0, ceil_mode)
    return root_of_sum(mean, kernel_size, norm_type)


def lp_pool2d(
    input: Tensor,
    norm_type: float,
    kernel_size: Given,
    stride: Any = None,
    ceil_mode: bool = False,
) -> Tensor:
    """The root of the sum of powers in each window. input: (N, C, H, W) -> (N, C, OH, OW)."""
    h, w = sizes_of("lp_pool2d", "kernel_size", kernel_size, 2)
    mean = avg_pool2d(F.pow(input, norm_type), kernel_size, stride, 0, ceil_mode)
    return root_of_sum(mean, h * w, norm_type)


def root_of_sum(mean: Tensor, count: int, norm_type: float) -> Tensor:
    """(count · mean)^(1/p), the mean without its sign where it has one."""
    positive = F.mul(F.sign(mean), F.relu(F.abs(mean)))
    return F.pow(F.mul(positive, count), 1.0 / norm_type)

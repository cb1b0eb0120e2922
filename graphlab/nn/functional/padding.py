"""Padding, and windows of images as columns: `F.pad(x, (1, 1), mode="reflect")`, `F.unfold(x, 3)`.

Read next: ops/convolution.py
"""

from collections.abc import Sequence

from graphlab.autograd.record import apply
from graphlab.common.dtypes import number_as, too_large
from graphlab.common.errors import ShapeError
from graphlab.ops import convolution as p
from graphlab.ops.convolution import Col2im, Im2col
from graphlab.ops.indexing import Slice
from graphlab.primitives.numpy_reading.convolution import window_places
from graphlab.tensor.creation import empty
from graphlab.tensor.functions.checks import need_ints, need_tensor, one_dim
from graphlab.tensor.tensor import Tensor

MIRRORS = {
    "reflect": (p.ReflectionPad1d, p.ReflectionPad2d, p.ReflectionPad3d),
    "replicate": (p.ReplicationPad1d, p.ReplicationPad2d, p.ReplicationPad3d),
}


def pad(
    input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None
) -> Tensor:
    """Return the input with entries added at both ends of its last dimensions.

    input: (...); except for "constant", the padded dimensions are all 1 to 3 after (N, C) or (C,)
    pad: (left, right, top, bottom, ...), the widths at both ends, of the last dimension first; a
        negative one removes entries
    mode: "constant", "reflect" (the mirror image), "replicate" (the entry at the edge) or
        "circular" (the opposite edge)
    value: float, the constant; 0 by default
    Returns: the shape of the input, with the widths added.
    Raises: RuntimeError or NotImplementedError for widths that do not fit.

    >>> pad(torch.tensor([[[1.0, 2.0, 3.0]]]), (2, 1), mode="reflect")
    tensor([[[3., 2., 1., 2., 3., 2.]]])
    """
    need_tensor("pad", "input", 1, input)
    widths = need_ints("pad", "pad", 2, pad)
    if len(widths) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(widths) > 2 * input.ndim:
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got "
            f"padding length {len(widths)} and input of dimension {input.ndim}"
        )
    if mode == "constant":
        return constant_pad(input, widths, 0 if value is None else value)
    if value is not None and value != 0:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if mode not in (*MIRRORS, "circular"):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    dims = len(widths) // 2
    if dims not in (1, 2, 3) or input.ndim not in (dims + 1, dims + 2):
        raise NotImplementedError(
            f"Padding size {len(widths)} is not supported for {input.ndim}D input tensor."
        )
    if mode == "circular":
        return circular(input, widths)
    check_border(input, widths, mode)
    return apply(MIRRORS[mode][dims - 1], input, padding=widths)


def constant_pad(input: Tensor, widths: tuple[int, ...], value: float) -> Tensor:
    """Return the input with a number added. Raises: ShapeError if too many entries are removed."""
    for d in range(len(widths) // 2):
        n, before, after = input.shape[-1 - d], widths[2 * d], widths[2 * d + 1]
        if n + min(before, 0) + min(after, 0) < 0:
            raise ShapeError("narrow(): length must be non-negative.")
        if n + before + after < 0:
            dim = input.ndim - 1 - d
            raise ShapeError(
                f"The input size {n}, plus negative padding {before} and {after} resulted in a "
                f"negative output size, which is invalid. Check dimension {dim} of your input."
            )
    kind = input._data.dtype
    held = number_as(value, kind)
    if kind.kind == "u" and value < 0:
        raise too_large(value, kind)
    if kind.kind in "iu":
        value = int(held)
    return apply(p.ConstantPadNd, input, pad=widths, value=value)


def check_border(input: Tensor, widths: tuple[int, ...], mode: str) -> None:
    """Raise ShapeError if the input is too small for the widths."""
    names = "WHD"
    for d in range(len(widths) // 2):
        n, pair = input.shape[-1 - d], widths[2 * d : 2 * d + 2]
        if mode == "reflect" and max(pair) >= n:
            argument = (4, 4, 8)[len(widths) // 2 - 1] if d == 0 else 6 if d == 1 else 4
            raise ShapeError(
                f"Argument #{argument}: Padding size should be less than the corresponding input "
                f"dimension, but got: padding {pair} at dimension {input.ndim - 1 - d} of input "
                f"{list(input.shape)}"
            )
        if n + sum(pair) < 1:
            raise ShapeError(
                f"input ({names[d]}: {n}) is too small. Calculated output {names[d]}: "
                f"{n + sum(pair)}"
            )


def circular(input: Tensor, widths: tuple[int, ...]) -> Tensor:
    """Return the input with entries of the opposite edge added in each dimension.

    Raises: ShapeError if a width is larger than its dimension.
    """
    dims = len(widths) // 2
    sizes, lead = list(input.shape), input.ndim - dims
    pairs = [widths[2 * (dims - 1 - d) : 2 * (dims - d)] for d in range(dims)]  # of each dimension
    for d, (before, after) in enumerate(pairs):
        n = input.shape[lead + d]
        if max(before, after) > n:
            raise ShapeError("Padding value causes wrapping around more than once.")
        if n + before + after < 0:
            raise ShapeError("Negative padding value is resulting in an empty dimension")
        sizes[lead + d] = n + before + after
    out = empty(sizes, dtype=input.dtype)
    inner, kept = out, input
    for d, (before, after) in reversed([*enumerate(pairs)]):
        n, m = input.shape[lead + d], sizes[lead + d]
        inner = part(inner, lead + d, max(before, 0), m - max(after, 0))
        kept = part(kept, lead + d, max(-before, 0), n - max(-after, 0))
    inner.copy_(kept)
    for d, (before, after) in reversed([*enumerate(pairs)]):
        m, first = sizes[lead + d], max(before, 0)
        last = m - max(after, 0)
        if before > 0:
            part(out, lead + d, 0, before).copy_(part(out, lead + d, last - before, last))
        if after > 0:
            part(out, lead + d, last, m).copy_(part(out, lead + d, first, first + after))
    return out


def part(x: Tensor, dim: int, start: int, end: int) -> Tensor:
    """Return the view of the entries from `start` up to `end` along `dim`."""
    return apply(Slice, x, dim=dim, start=start, end=end, step=1)


Given = int | Sequence[int]
Pair = tuple[int, int]


def pair(name: str, given: Given) -> Pair:
    """Return (height, width); an int stands for both. Raises: RuntimeError for another count."""
    each = need_ints("im2col", name, 2, given, one=True)
    if len(each) not in (1, 2):
        raise RuntimeError(f"It is expected {name} equals to 2, but got size {len(each)}")
    return each[0], each[-1]


def checked_options(
    kernel_size: Given, dilation: Given, padding: Given, stride: Given
) -> dict[str, Pair]:
    """Return the options as pairs. Raises: RuntimeError for those out of their range."""
    given = {
        "kernel_size": kernel_size, "dilation": dilation, "padding": padding, "stride": stride
    }  # fmt: skip
    found = {name: pair(name, value) for name, value in given.items()}
    for name in ("kernel_size", "dilation", "stride"):
        (h, w), short = found[name], name.partition("_")[0]
        if h < 1 or w < 1:
            raise RuntimeError(
                f"{name.replace('_', ' ')} should be greater than zero, but got {short}_height: "
                f"{h} {short}_width: {w}"
            )
    h, w = found["padding"]
    if h < 0 or w < 0:
        raise RuntimeError(
            f"padding should be non-negative, but got pad_height: {h} pad_width: {w}"
        )
    return found


def unfold(
    input: Tensor, kernel_size: Given, dilation: Given = 1, padding: Given = 0, stride: Given = 1
) -> Tensor:
    """Return the windows of an image as columns (im2col).

    input: (N, C, H, W) or (C, H, W)
    kernel_size: int > 0 or (height, width) of the window, (kh, kw)
    dilation, padding, stride: int or pair, as in `conv2d`
    Returns: (N, C · kh · kw, L), or without N, where L is the number of windows.
    Raises: RuntimeError for options out of their range, ShapeError if no window fits.

    >>> unfold(torch.arange(4.0).reshape(1, 1, 2, 2), (1, 2))
    tensor([[[0., 2.],
             [1., 3.]]])
    """
    need_tensor("im2col", "input", 1, input)
    options = checked_options(kernel_size, dilation, padding, stride)
    shape = tuple(input.shape)
    if input.ndim < 3:  # PyTorch reads the sizes first
        if not input.ndim:
            raise IndexError("Dimension specified as -1 but tensor has no dimensions")
        one_dim(2 if input.ndim == 2 else -2, input.ndim)
    if input.ndim not in (3, 4) or 0 in shape[1:] or (input.ndim == 3 and shape[0] == 0):
        raise ShapeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero "
            f"dimensions for input, but got: {list(shape)}"
        )
    places = window_places(shape[-2:], *ordered(options))
    if min(places) < 1:
        text = ", ".join(
            f"{name}={options[name]}" for name in ("kernel_size", "dilation", "padding")
        )
        raise ShapeError(
            f"Given input with spatial size {shape[-2:]}, {text}, calculated shape of the array of "
            f"sliding blocks as {places}, but its components must be at least one."
        )
    return apply(Im2col, input, **options, places=places)


def fold(
    input: Tensor,
    output_size: Given,
    kernel_size: Given,
    dilation: Given = 1,
    padding: Given = 0,
    stride: Given = 1,
) -> Tensor:
    """Return the image that is the sum of the columns, each in the place of its window (col2im).

    input: (N, C · kh · kw, L) or (C · kh · kw, L), where L is the number of windows
    output_size: int or (H, W)
    kernel_size: int > 0 or (height, width) of the window, (kh, kw)
    dilation, padding, stride: int or pair, as in `conv2d`
    Returns: (N, C, H, W), or without N.
    Raises: RuntimeError for options out of their range, ShapeError if the columns do not fit.

    >>> fold(torch.ones(1, 2, 2), (1, 3), (1, 2))
    tensor([[[[1., 2., 1.]]]])
    """
    need_tensor("col2im", "input", 1, input)
    options = checked_options(kernel_size, dilation, padding, stride)
    sizes = pair("output_size", output_size)
    if input.ndim not in (2, 3):
        raise ShapeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and "
            f"non-zero dimensions for input, but got: {list(input.shape)}"
        )
    kernel, covered = options["kernel_size"], options["kernel_size"][0] * options["kernel_size"][1]
    if input.shape[-2] % covered:
        raise ShapeError(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, "
            f"but got input.size(1)={input.shape[-2]} and kernel_size={kernel}."
        )
    places = window_places(sizes, *ordered(options))
    text = f"Given output_size={sizes}, " + ", ".join(f"{k}={v}" for k, v in options.items())
    if input.shape[-1] != places[0] * places[1]:
        raise ShapeError(
            f"{text}, expected size of input's dimension 2 to match the calculated number of "
            f"sliding blocks {places[0]} * {places[1]} = {places[0] * places[1]}, but got "
            f"input.size(2)={input.shape[-1]}."
        )
    if min(places) < 1:
        raise ShapeError(
            f"{text}, calculated shape of the array of sliding blocks as {places}, which is too "
            "small (non-positive)"
        )
    return apply(Col2im, input, output_size=sizes, **options, places=places)


def ordered(options: dict[str, Pair]) -> tuple[Pair, Pair, Pair, Pair]:
    """Return the options in the order of `window_places`."""
    return options["kernel_size"], options["stride"], options["padding"], options["dilation"]

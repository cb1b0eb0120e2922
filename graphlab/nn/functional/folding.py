"""Windows of images as columns, and back: `F.unfold(x, 3)`, `F.fold(columns, size, 3)`.

Read next: ops/convolution.py
"""

from collections.abc import Sequence

from graphlab.autograd.record import apply
from graphlab.common.errors import ShapeError
from graphlab.ops.convolution import Col2im, Im2col
from graphlab.primitives.numpy_reading.convolution import window_places
from graphlab.tensor.functions.checks import need_ints, need_tensor
from graphlab.tensor.functions.dims import one_dim
from graphlab.tensor.tensor import Tensor

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

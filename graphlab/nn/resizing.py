"""Layers that enlarge an image, move its pixels between channels and space, or cut it into windows.

Read next: nn/functional/padding.py
"""

from typing import Any

from graphlab.nn.layer import FunctionLayer, Size


class Upsample(FunctionLayer):
    """Resize sequences, images or volumes to a size, or by a factor.

    size: int or one int per dimension, the size of the output; default None, for `scale_factor`.
    scale_factor: float or one float per dimension, how many times as large the output is as the
        input; default None, for `size`. Give one of the two.
    mode: str, how to compute new entries: "nearest", "nearest-exact", "area" (means), "linear"
        (3-D input), "bilinear" or "bicubic" (4-D input), or "trilinear" (5-D input); default
        "nearest".
    align_corners: bool, whether the centres of the corner entries stay the corners, so that their
        values stay, too; not for "nearest" and "area"; default None, for False.
    recompute_scale_factor: bool, whether to compute the factor anew, from the size of the output,
        which is rounded down; default None, for False.

    Shapes: (N, C, L), (N, C, H, W) or (N, C, D, H, W) -> N and C, then `size`, or
        ⌊L · scale_factor⌋ and so on.

    Raises: ValueError, in the call, if both or neither of `size` and `scale_factor` are given.

    >>> Upsample(scale_factor=2)(torch.tensor([[[1.0, 2.0]]]))
    tensor([[[1., 1., 2., 2.]]])
    """

    function = "interpolate"
    options = ("size", "scale_factor", "mode", "align_corners", "recompute_scale_factor")

    def __init__(
        self,
        size: Size | None = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        if isinstance(scale_factor, tuple):
            scale_factor = tuple(float(factor) for factor in scale_factor)
        else:
            scale_factor = float(scale_factor) if scale_factor else None
        super().__init__(
            name=type(self).__name__, size=size, scale_factor=scale_factor, mode=mode,
            align_corners=align_corners, recompute_scale_factor=recompute_scale_factor,
        )  # fmt: skip

    def extra_repr(self) -> str:
        sized = self.scale_factor is None
        how = f"size={self.size!r}" if sized else f"scale_factor={self.scale_factor!r}"
        return f"{how}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Resize images by copying the nearest pixel.

    Shapes: (N, C, H, W) -> (N, C, H_out, W_out).

    >>> UpsamplingNearest2d(scale_factor=2)(torch.tensor([[[[1.0, 2.0]]]]))
    tensor([[[[1., 1., 2., 2.],
              [1., 1., 2., 2.]]]])
    """

    def __init__(self, size: Size | None = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Resize images by bilinear interpolation; the corner pixels keep their values.

    Shapes: (N, C, H, W) -> (N, C, H_out, W_out).

    >>> UpsamplingBilinear2d(size=(1, 3))(torch.tensor([[[[1.0, 2.0]]]]))
    tensor([[[[1.0000, 1.5000, 2.0000]]]])
    """

    def __init__(self, size: Size | None = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)


class PixelShuffle(FunctionLayer):
    """Turn r² channels into squares of r · r pixels, which enlarges an image.

    upscale_factor: int, r.

    Shapes: (..., C · r², H, W) -> (..., C, H · r, W · r).

    Source: Shi et al. 2016, arXiv:1609.05158.

    >>> PixelShuffle(2)(torch.arange(4.0).reshape(4, 1, 1))
    tensor([[[0., 1.],
             [2., 3.]]])
    """

    function = "pixel_shuffle"


class PixelUnshuffle(FunctionLayer):
    """Turn squares of r · r pixels into r² channels: the inverse of PixelShuffle.

    downscale_factor: int, r.

    Shapes: (..., C, H · r, W · r) -> (..., C · r², H, W).

    >>> PixelUnshuffle(2)(torch.arange(4.0).reshape(1, 2, 2)).flatten()
    tensor([0., 1., 2., 3.])
    """

    function = "pixel_unshuffle"


class ChannelShuffle(FunctionLayer):
    """Reorder the channels: the first of every group, then the second of every group, and so on.

    groups: int, the number of groups, which divides C.

    Shapes: (N, C, ...) -> the same.

    Source: Zhang et al. 2018, arXiv:1707.01083.

    >>> ChannelShuffle(2)(torch.arange(4.0).reshape(1, 4, 1)).flatten()
    tensor([0., 2., 1., 3.])
    """

    function = "channel_shuffle"


class WindowLayer(FunctionLayer):
    """The base of Unfold and Fold.

    kernel_size: int or (height, width), the size of the window.
    dilation: int or (height, width), the distance between the entries of a window; default 1.
    padding: int or (height, width), how many zeros to add at both ends; default 0.
    stride: int or (height, width), the step from window to window; default 1.
    """


class Unfold(WindowLayer):
    """Cut images into windows, each of which becomes a column.

    Shapes: (N, C, H, W) or (C, H, W) -> (N, C · k, L) or (C · k, L), with k the product of
        kernel_size and L the number of windows, the product over both dimensions of
        ⌊(size + 2·padding - dilation·(kernel_size - 1) - 1) / stride⌋ + 1.

    >>> Unfold(2)(torch.arange(6.0).reshape(1, 2, 3))
    tensor([[0., 1.],
            [1., 2.],
            [3., 4.],
            [4., 5.]])
    """

    function = "unfold"


class Fold(WindowLayer):
    """Put windows, as Unfold cuts them, together into images; overlapping entries are summed.

    output_size: int or (height, width), the size of the images.

    Shapes: (N, C · k, L) or (C · k, L) -> (N, C, *output_size) or (C, *output_size), with k the
        product of kernel_size and L the number of windows, as Unfold gives it.

    Raises: RuntimeError, in the call, if the input has another number of windows than fit.

    >>> columns = torch.nn.Unfold(2)(torch.ones(1, 2, 3))
    >>> Fold((2, 3), kernel_size=2)(columns)
    tensor([[[1., 2., 1.],
             [1., 2., 1.]]])
    """

    function = "fold"

"""Layers that make a picture larger or smaller, or take it apart into windows.

Read next: nn/functional/folding.py
"""

from typing import Any

from graphlab.nn.layer import Calling


class Upsample(Calling):
    """To a `size`, or scale_factor times as large. input: (N, C, ...) -> (N, C, ...)."""

    function = "interpolate"
    options = ("size", "scale_factor", "mode", "align_corners", "recompute_scale_factor")

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.name = type(self).__name__
        self.size = size
        if isinstance(scale_factor, tuple):
            self.scale_factor: Any = tuple(float(factor) for factor in scale_factor)
        else:
            self.scale_factor = float(scale_factor) if scale_factor else None
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def extra_repr(self) -> str:
        sized = self.scale_factor is None
        how = f"size={self.size!r}" if sized else f"scale_factor={self.scale_factor!r}"
        return f"{how}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Each entry is copied. input: (N, C, H, W) -> (N, C, H', W')."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """In straight lines between entries. input: (N, C, H, W) -> (N, C, H', W')."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)


class PixelShuffle(Calling):
    """Channels become pixels. input: (..., C · r², H, W) -> (..., C, H · r, W · r)."""

    function = "pixel_shuffle"
    options = shown = ("upscale_factor",)

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor


class ChannelShuffle(Calling):
    """Channels of `groups` groups in turn. input: (N, C, ...) -> the same."""

    function = "channel_shuffle"
    options = shown = ("groups",)

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups


class PixelUnshuffle(Calling):
    """Pixels become channels. input: (..., C, H · r, W · r) -> (..., C · r², H, W)."""

    function = "pixel_unshuffle"
    options = shown = ("downscale_factor",)

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor


class Unfold(Calling):
    """The windows of a picture as columns. input: (N, C, H, W) -> (N, C · k², windows)."""

    function = "unfold"
    options = shown = ("kernel_size", "dilation", "padding", "stride")

    def __init__(
        self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride


class Fold(Calling):
    """The sum of windows. input: (N, C · k², windows) -> (N, C, *output_size)."""

    function = "fold"
    options = shown = ("output_size", "kernel_size", "dilation", "padding", "stride")

    def __init__(
        self,
        output_size: Any,
        kernel_size: Any,
        dilation: Any = 1,
        padding: Any = 0,
        stride: Any = 1,
    ) -> None:
        super().__init__()
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

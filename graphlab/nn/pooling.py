"""Pooling: the largest, or the mean, of what a window sees.

Read next: nn/functional/pooling.py
"""

from typing import Any

from graphlab.nn.calling import Calling, repeated


class MaxPooling(Calling):
    """The largest of each window; with return_indices, where it was as well."""

    options = ("kernel_size", "stride", "padding", "dilation", "ceil_mode", "return_indices")
    shown = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode


class MaxPool1d(MaxPooling):
    """Along a line. input: (N, C, L) or (C, L) -> (N, C, L')."""

    function = "max_pool1d"


class MaxPool2d(MaxPooling):
    """Over a picture. input: (N, C, H, W) or (C, H, W) -> (N, C, H', W').

    >>> import graphlab as torch
    >>> MaxPool2d(2)(torch.arange(16.0).reshape(1, 4, 4))
    tensor([[[ 5.,  7.],
             [13., 15.]]])
    """

    function = "max_pool2d"


class MaxPool3d(MaxPooling):
    """Over a space. input: (N, C, D, H, W) -> (N, C, D', H', W')."""

    function = "max_pool3d"


class AvgPool1d(Calling):
    """The mean of each window along a line. input: (N, C, L) or (C, L) -> (N, C, L')."""

    function = "avg_pool1d"
    options = ("kernel_size", "stride", "padding", "ceil_mode", "count_include_pad")
    shown = ("kernel_size", "stride", "padding")

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = repeated(kernel_size, 1)
        self.stride = repeated(kernel_size if stride is None else stride, 1)
        self.padding = repeated(padding, 1)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad


class AvgPool2d(Calling):
    """The mean of each window over a picture. input: (N, C, H, W) -> (N, C, H', W')."""

    function = "avg_pool2d"
    options = (
        "kernel_size", "stride", "padding", "ceil_mode", "count_include_pad", "divisor_override",
    )  # fmt: skip
    shown = ("kernel_size", "stride", "padding")

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override


class AvgPool3d(AvgPool2d):
    """The mean of each window over a space. input: (N, C, D, H, W) -> (N, C, D', H', W')."""

    function = "avg_pool3d"


class AdaptiveMaxPooling(Calling):
    """The largest of each window; as many windows as output_size says."""

    options = ("output_size", "return_indices")
    shown = ("output_size",)

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices


class AdaptiveMaxPool1d(AdaptiveMaxPooling):
    """Along a line. input: (N, C, L) -> (N, C, output_size)."""

    function = "adaptive_max_pool1d"


class AdaptiveMaxPool2d(AdaptiveMaxPooling):
    """Over a picture. input: (N, C, H, W) -> (N, C, *output_size)."""

    function = "adaptive_max_pool2d"


class AdaptiveAvgPooling(Calling):
    """The mean of each window; as many windows as output_size says."""

    options = shown = ("output_size",)

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size


class AdaptiveAvgPool1d(AdaptiveAvgPooling):
    """Along a line. input: (N, C, L) -> (N, C, output_size)."""

    function = "adaptive_avg_pool1d"


class AdaptiveAvgPool3d(AdaptiveAvgPooling):
    """Over a space. input: (N, C, D, H, W) -> (N, C, *output_size)."""

    function = "adaptive_avg_pool3d"


class LPPool1d(Calling):
    """The p-norm of each window along a line. input: (N, C, L) -> (N, C, L')."""

    function = "lp_pool1d"
    options = shown = ("norm_type", "kernel_size", "stride", "ceil_mode")

    def __init__(
        self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode


class LPPool2d(LPPool1d):
    """The p-norm of each window over a picture. input: (N, C, H, W) -> (N, C, H', W')."""

    function = "lp_pool2d"


class AdaptiveAvgPool2d(AdaptiveAvgPooling):
    """Over a picture. input: (N, C, H, W) -> (N, C, *output_size)."""

    function = "adaptive_avg_pool2d"

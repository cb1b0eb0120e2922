"""Pooling layers, which replace each window by its maximum, mean or norm; max unpooling goes back.

Read next: nn/functional/pooling.py
"""

from typing import Any

from graphlab.nn import functional as F
from graphlab.nn.layer import FunctionLayer, Layer, Size, repeated
from graphlab.tensor.tensor import Tensor


class Pool(FunctionLayer):
    """The base of the pooling layers with windows of a given size.

    kernel_size: int or one int per dimension, the size of the window.
    stride: int or one int per dimension, the step from window to window; default None, for
        `kernel_size`: windows side by side.
    padding: int or one int per dimension, how many entries to add at both ends, at most half of
        `kernel_size`; default 0.
    ceil_mode: bool, whether to round the number of windows up, so that the last one may reach past
        the end of the input; default False, to round down.

    Raises: RuntimeError, in the call, for sizes that do not fit the input.
    """


class MaxPool(Pool):
    """The base of the max pooling layers.

    The gradient goes to the largest entry of each window only. The padding is -∞.

    dilation: int or one int per dimension, the distance between the entries that a window covers;
        default 1, side by side.
    return_indices: bool, whether to return (output, indices), with the flat index of each largest
        entry within its channel; default False.
    """

    options = ("kernel_size", "stride", "padding", "dilation", "ceil_mode", "return_indices")
    shown = options[:-1]

    def __init__(
        self,
        kernel_size: Size,
        stride: Size | None = None,
        padding: Size = 0,
        dilation: Size = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        stride = kernel_size if stride is None else stride
        super().__init__(
            kernel_size=kernel_size, stride=stride, padding=padding, dilation=dilation,
            return_indices=return_indices, ceil_mode=ceil_mode,
        )  # fmt: skip


class MaxPool1d(MaxPool):
    """Take the largest entry of each window along a sequence.

    Shapes: (N, C, L) or (C, L) -> (N, C, L_out) or (C, L_out), with
        L_out = ⌊(L + 2·padding - dilation·(kernel_size - 1) - 1) / stride⌋ + 1.

    >>> MaxPool1d(2)(torch.tensor([[1.0, 3.0, 2.0, 0.0]]))
    tensor([[3., 2.]])
    """

    function = "max_pool1d"


class MaxPool2d(MaxPool):
    """Take the largest entry of each window of an image.

    Shapes: (N, C, H, W) or (C, H, W) -> (N, C, H_out, W_out) or (C, H_out, W_out), with
        H_out = ⌊(H + 2·padding - dilation·(kernel_size - 1) - 1) / stride⌋ + 1; W_out likewise.

    >>> MaxPool2d(2)(torch.arange(16.0).reshape(1, 4, 4))
    tensor([[[ 5.,  7.],
             [13., 15.]]])
    """

    function = "max_pool2d"


class MaxPool3d(MaxPool):
    """Take the largest entry of each window of a volume.

    Shapes: (N, C, D, H, W) or (C, D, H, W) -> (N, C, D_out, H_out, W_out) or without N, with
        D_out = ⌊(D + 2·padding - dilation·(kernel_size - 1) - 1) / stride⌋ + 1; the others
        likewise.

    >>> MaxPool3d(2)(torch.arange(8.0).reshape(1, 2, 2, 2))
    tensor([[[[7.]]]])
    """

    function = "max_pool3d"


class AvgPool1d(Pool):
    """Take the mean of each window along a sequence.

    count_include_pad: bool, whether the padding counts as zeros in the mean; default True.

    Shapes: (N, C, L) or (C, L) -> (N, C, L_out) or (C, L_out), with
        L_out = ⌊(L + 2·padding - kernel_size) / stride⌋ + 1.

    >>> AvgPool1d(2)(torch.tensor([[1.0, 3.0, 2.0, 0.0]]))
    tensor([[2., 1.]])
    """

    function = "avg_pool1d"
    options = ("kernel_size", "stride", "padding", "ceil_mode", "count_include_pad")
    shown = ("kernel_size", "stride", "padding")

    def __init__(
        self,
        kernel_size: Size,
        stride: Size | None = None,
        padding: Size = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__(
            kernel_size=repeated(kernel_size, 1),
            stride=repeated(kernel_size if stride is None else stride, 1),
            padding=repeated(padding, 1),
            ceil_mode=ceil_mode,
            count_include_pad=count_include_pad,
        )


class AvgPool2d(Pool):
    """Take the mean of each window of an image.

    count_include_pad: bool, whether the padding counts as zeros in the mean; default True.
    divisor_override: int, the divisor of the sum of each window; default None, for the number of
        its entries.

    Shapes: (N, C, H, W) or (C, H, W) -> (N, C, H_out, W_out) or (C, H_out, W_out), with
        H_out = ⌊(H + 2·padding - kernel_size) / stride⌋ + 1; W_out likewise.

    >>> AvgPool2d(2)(torch.arange(16.0).reshape(1, 4, 4))
    tensor([[[ 2.5000,  4.5000],
             [10.5000, 12.5000]]])
    """

    function = "avg_pool2d"
    options = (*AvgPool1d.options, "divisor_override")
    shown = ("kernel_size", "stride", "padding")

    def __init__(
        self,
        kernel_size: Size,
        stride: Size | None = None,
        padding: Size = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        stride = kernel_size if stride is None else stride
        super().__init__(
            kernel_size=kernel_size, stride=stride, padding=padding, ceil_mode=ceil_mode,
            count_include_pad=count_include_pad, divisor_override=divisor_override,
        )  # fmt: skip


class AvgPool3d(AvgPool2d):
    """Take the mean of each window of a volume.

    Shapes: (N, C, D, H, W) or (C, D, H, W) -> (N, C, D_out, H_out, W_out) or without N, with
        D_out = ⌊(D + 2·padding - kernel_size) / stride⌋ + 1; the others likewise.

    >>> AvgPool3d(2)(torch.arange(8.0).reshape(1, 2, 2, 2))
    tensor([[[[3.5000]]]])
    """

    function = "avg_pool3d"


class LPPool1d(Pool):
    """Take the p-norm, (Σ xᵖ)^(1/p), of each window along a sequence of numbers ≥ 0.

    norm_type: float, the exponent p; 1 gives the sum. If it is even, entries may be negative.

    Shapes: (N, C, L) or (C, L) -> (N, C, L_out) or (C, L_out), with
        L_out = ⌊(L - kernel_size) / stride⌋ + 1.

    >>> LPPool1d(2, 2)(torch.tensor([[3.0, 4.0, 6.0, 8.0]]))
    tensor([[ 5., 10.]])
    """

    function = "lp_pool1d"
    options = shown = ("norm_type", "kernel_size", "stride", "ceil_mode")

    def __init__(
        self,
        norm_type: float,
        kernel_size: Size,
        stride: Size | None = None,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__(
            norm_type=norm_type, kernel_size=kernel_size, stride=stride, ceil_mode=ceil_mode
        )

    def forward(self, *inputs: Tensor) -> Tensor:
        pool, size = getattr(F, self.function), self.kernel_size
        return pool(*inputs, float(self.norm_type), size, self.stride, self.ceil_mode)


class LPPool2d(LPPool1d):
    """Take the p-norm, (Σ xᵖ)^(1/p), of each window of an image of numbers ≥ 0.

    Shapes: (N, C, H, W) or (C, H, W) -> (N, C, H_out, W_out) or (C, H_out, W_out), with
        H_out = ⌊(H - kernel_size) / stride⌋ + 1; W_out likewise.

    >>> LPPool2d(2, 2)(torch.ones(1, 4, 4))
    tensor([[[2., 2.],
             [2., 2.]]])
    """

    function = "lp_pool2d"


class LPPool3d(LPPool1d):
    """Take the p-norm, (Σ xᵖ)^(1/p), of each window of a volume of numbers ≥ 0.

    Shapes: (N, C, D, H, W) or (C, D, H, W) -> (N, C, D_out, H_out, W_out) or without N, with
        D_out = ⌊(D - kernel_size) / stride⌋ + 1; the others likewise.

    >>> LPPool3d(1, 2)(torch.ones(1, 2, 2, 2))
    tensor([[[[8.]]]])
    """

    function = "lp_pool3d"


# -- adaptive pooling ------------------------------------------------------------------------------


class AdaptivePool(FunctionLayer):
    """The base of the pooling layers with an output of a given size.

    In a dimension of size L, window i covers the entries from ⌊i·L / output_size⌋ up to, but not
    including, ⌈(i + 1)·L / output_size⌉.

    output_size: int or one int per dimension, the size of the output; None keeps the input's.
    """

    shown = ("output_size",)


class AdaptiveMaxPool(AdaptivePool):
    """The base of the adaptive max pooling layers.

    return_indices: bool, whether to return (output, indices), with the flat index of each largest
        entry within its channel; default False.
    """


class AdaptiveMaxPool1d(AdaptiveMaxPool):
    """Take the largest entries of `output_size` windows along a sequence.

    Shapes: (N, C, L) or (C, L) -> (N, C, output_size) or (C, output_size).

    >>> AdaptiveMaxPool1d(2)(torch.tensor([[1.0, 3.0, 2.0, 0.0]]))
    tensor([[3., 2.]])
    """

    function = "adaptive_max_pool1d"


class AdaptiveMaxPool2d(AdaptiveMaxPool):
    """Take the largest entries of `output_size` windows of an image.

    Shapes: (N, C, H, W) or (C, H, W) -> (N, C, *output_size) or (C, *output_size).

    >>> AdaptiveMaxPool2d((1, 2))(torch.arange(16.0).reshape(1, 4, 4))
    tensor([[[13., 15.]]])
    """

    function = "adaptive_max_pool2d"


class AdaptiveMaxPool3d(AdaptiveMaxPool):
    """Take the largest entries of `output_size` windows of a volume.

    Shapes: (N, C, D, H, W) or (C, D, H, W) -> (N, C, *output_size) or (C, *output_size).

    >>> AdaptiveMaxPool3d((1, None, 2))(torch.ones(1, 2, 3, 4)).shape
    torch.Size([1, 1, 3, 2])
    """

    function = "adaptive_max_pool3d"


class AdaptiveAvgPool1d(AdaptivePool):
    """Take the means of `output_size` windows along a sequence.

    Shapes: (N, C, L) or (C, L) -> (N, C, output_size) or (C, output_size).

    >>> AdaptiveAvgPool1d(2)(torch.tensor([[1.0, 3.0, 2.0, 0.0]]))
    tensor([[2., 1.]])
    """

    function = "adaptive_avg_pool1d"


class AdaptiveAvgPool2d(AdaptivePool):
    """Take the means of `output_size` windows of an image.

    Shapes: (N, C, H, W) or (C, H, W) -> (N, C, *output_size) or (C, *output_size).

    >>> AdaptiveAvgPool2d(1)(torch.arange(16.0).reshape(1, 4, 4))
    tensor([[[7.5000]]])
    """

    function = "adaptive_avg_pool2d"


class AdaptiveAvgPool3d(AdaptivePool):
    """Take the means of `output_size` windows of a volume.

    Shapes: (N, C, D, H, W) or (C, D, H, W) -> (N, C, *output_size) or (C, *output_size).

    >>> AdaptiveAvgPool3d((1, None, 2))(torch.ones(1, 2, 3, 4)).shape
    torch.Size([1, 1, 3, 2])
    """

    function = "adaptive_avg_pool3d"


class MaxUnpool(Layer):
    """The base of the unpooling layers.

    The call takes the output and the indices of a max pooling with `return_indices=True`, and in
    `output_size` the size of what was pooled, if several sizes are possible.

    kernel_size: int or one int per dimension, the size of the window of the max pooling.
    stride: int or one int per dimension, the step of its window; default None, for `kernel_size`.
    padding: int or one int per dimension, that of the max pooling; default 0.

    Raises: ValueError or RuntimeError, in the call, for indices and sizes that do not fit.

    >>> x = torch.tensor([[1.0, 3.0, 2.0, 0.0]])
    >>> torch.nn.MaxUnpool1d(2)(*torch.nn.MaxPool1d(2, return_indices=True)(x))
    tensor([[0., 3., 2., 0.]])
    """

    dims = 0

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        self.kernel_size = repeated(kernel_size, self.dims)
        self.stride = repeated(kernel_size if stride is None else stride, self.dims)
        self.padding = repeated(padding, self.dims)

    def forward(self, input: Tensor, indices: Tensor, output_size: Any = None) -> Tensor:
        function = getattr(F, f"max_unpool{self.dims}d")
        return function(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(MaxUnpool):
    """Put the maxima of a max pooling back at their places in a sequence of zeros.

    Shapes: input and indices (N, C, L) or (C, L) -> (N, C, L_out) or (C, L_out).
    """

    dims = 1


class MaxUnpool2d(MaxUnpool):
    """Put the maxima of a max pooling back at their places in an image of zeros.

    Shapes: input and indices (N, C, H, W) or (C, H, W) -> (N, C, H_out, W_out) or without N.
    """

    dims = 2


class MaxUnpool3d(MaxUnpool):
    """Put the maxima of a max pooling back at their places in a volume of zeros.

    Shapes: input and indices (N, C, D, H, W) or (C, D, H, W) -> with larger D, H, W.
    """

    dims = 3

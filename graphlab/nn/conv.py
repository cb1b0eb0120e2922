"""Convolutions: a window of weights slides over the input.

Read next: nn/functional/convolution.py
"""

import math
from typing import Any

from graphlab.common.dtypes import dtype
from graphlab.nn import functional as F
from graphlab.nn import init
from graphlab.nn.layer import Layer, Size, repeated
from graphlab.nn.linear import reset_bias
from graphlab.tensor.tensor import Tensor

MODES = ("zeros", "reflect", "replicate", "circular")


def one_of(names: tuple[str, ...]) -> str:
    """Return names as Python shows a set of them, in alphabetical order."""
    return "{" + ", ".join(repr(name) for name in sorted(names)) + "}"


class Convolution(Layer):
    """The base of all convolutions: sizes, weights and their initial values.

    in_channels: int, the number of channels of the input; a multiple of `groups`.
    out_channels: int, the number of channels of the output; a multiple of `groups`.
    kernel_size: int or one int per dimension, the size of the window.
    stride: int or one int per dimension, the step from window to window; default 1.
    padding: int or one int per dimension, how many entries to add at both ends; or "valid" (none),
        or "same" (the output has the size of the input; needs a stride of 1); default 0.
    dilation: int or one int per dimension, the distance between the entries that a window covers;
        default 1, side by side.
    groups: int, the number of groups of channels; outputs of a group depend only on the inputs of
        the same group. Default 1; `groups=in_channels` is a depthwise convolution.
    bias: bool, whether to add a learned number to each output channel; default True.
    padding_mode: str, the entries that are added: "zeros", "reflect" (the mirror image),
        "replicate" (the edge) or "circular" (the opposite edge); default "zeros".

    Attributes:
        weight: (out_channels, in_channels / groups, *kernel_size)
        bias: (out_channels,), or None
        Both start uniform in ±1/√n, with n = in_channels / groups · product of kernel_size.

    Raises: ValueError if a number of channels is not a multiple of `groups`, or for an unknown
        padding or padding mode; RuntimeError, in the call, for an input that does not fit.
    """

    dims = 0  # the number of dimensions along which the window moves
    transposed = False

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Size,
        stride: Size = 1,
        padding: Size | str = 0,
        dilation: Size = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: dtype | None = None,
    ) -> None:
        super().__init__(device)
        n = self.dims
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = repeated(kernel_size, n)
        self.stride = repeated(stride, n)
        self.padding = padding if isinstance(padding, str) else repeated(padding, n)
        self.dilation = repeated(dilation, n)
        self.output_padding = repeated(0, n)
        self.groups = groups
        self.padding_mode = padding_mode
        self._check()
        self._add_weight("weight", *self._weight_shape(), dtype=dtype)
        self._add_weight("bias", out_channels, dtype=dtype, wanted=bias)
        self.reset_parameters()

    def _weight_shape(self) -> tuple[int, ...]:
        channels = (self.out_channels, self.in_channels)
        first, second = reversed(channels) if self.transposed else channels
        return (first, second // self.groups, *self.kernel_size)

    def _check(self) -> None:
        """Raise ValueError for options that do not fit together."""
        if self.groups <= 0:
            raise ValueError("groups must be a positive integer")
        for name in ("in_channels", "out_channels"):
            if getattr(self, name) % self.groups != 0:
                raise ValueError(f"{name} must be divisible by groups")
        if isinstance(self.padding, str):
            if self.padding not in ("same", "valid"):
                raise ValueError(
                    f"Invalid padding string {self.padding!r}, should be one of "
                    f"{one_of(('same', 'valid'))}"
                )
            if self.padding == "same" and any(s != 1 for s in self.stride):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if self.padding_mode not in MODES:
            raise ValueError(
                f"padding_mode must be one of {one_of(MODES)}, but got "
                f"padding_mode='{self.padding_mode}'"
            )

    def reset_parameters(self) -> None:
        """Draw new initial values for weight and bias."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        reset_bias(self.weight, self.bias)

    def _pads(self) -> list[int]:
        """Return the padding as `F.pad` takes it: both ends of the last dimension first."""
        pads: list[Any] = []
        sizes = zip(self.kernel_size, self.dilation, strict=True)
        for i, (k, d) in reversed(list(enumerate(sizes))):
            if self.padding == "same":
                total = d * (k - 1)
                pads += [total // 2, total - total // 2]
            else:
                pads += [0 if self.padding == "valid" else self.padding[i]] * 2
        return pads

    def forward(self, input: Tensor) -> Tensor:
        padding: Any = self.padding
        if self.padding_mode != "zeros":
            input = F.pad(input, self._pads(), mode=self.padding_mode)
            padding = 0
        convolve = getattr(F, f"conv{self.dims}d")
        return convolve(
            input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups
        )

    def extra_repr(self) -> str:
        zeros, ones = (0,) * self.dims, (1,) * self.dims
        text = (
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}"
        )
        text += self._changed(padding=zeros, dilation=ones, output_padding=zeros, groups=1)
        text += ", bias=False" if self.bias is None else ""
        return text + self._changed(padding_mode="zeros")


class Conv1d(Convolution):
    """Slide a window of weights along a sequence.

    out[n, k, x] = bias[k] + Σ_c Σ_i weight[k, c, i] · input[n, c, x·stride + i·dilation], where
    the input is padded first. It is a cross-correlation: the window is not flipped.

    Shapes: (N, in_channels, L) or (in_channels, L) -> (N, out_channels, L_out) or without N, with
        L_out = ⌊(L + 2·padding - dilation·(kernel_size - 1) - 1) / stride⌋ + 1.

    >>> Conv1d(2, 3, kernel_size=5)(torch.ones(1, 2, 10)).shape
    torch.Size([1, 3, 6])
    """

    dims = 1


class Conv2d(Convolution):
    """Slide a window of weights over an image.

    out[n, k, y, x] = bias[k] + Σ_c Σ_i Σ_j weight[k, c, i, j] ·
    input[n, c, y·stride + i·dilation, x·stride + j·dilation], where the input is padded first.
    It is a cross-correlation: the window is not flipped.

    Shapes: (N, in_channels, H, W) or (in_channels, H, W) -> (N, out_channels, H_out, W_out) or
        without N, with H_out = ⌊(H + 2·padding - dilation·(kernel_size - 1) - 1) / stride⌋ + 1;
        W_out likewise from W.

    >>> layer = Conv2d(3, 8, kernel_size=3, padding=1)
    >>> layer(torch.ones(2, 3, 6, 6)).shape, layer.weight.shape
    (torch.Size([2, 8, 6, 6]), torch.Size([8, 3, 3, 3]))
    """

    dims = 2


class Conv3d(Convolution):
    """Slide a window of weights through a volume.

    The formula is that of Conv2d, with one more sum over the depth.

    Shapes: (N, in_channels, D, H, W) or (in_channels, D, H, W) ->
        (N, out_channels, D_out, H_out, W_out) or without N, with
        D_out = ⌊(D + 2·padding - dilation·(kernel_size - 1) - 1) / stride⌋ + 1; H_out and W_out
        likewise.

    >>> Conv3d(1, 2, kernel_size=(1, 3, 3))(torch.ones(1, 1, 4, 5, 6)).shape
    torch.Size([1, 2, 4, 3, 4])
    """

    dims = 3


class TransposedConvolution(Convolution):
    """The base of the transposed convolutions.

    Each input entry adds the window of weights, multiplied by the entry, to the output. So the
    layer computes what the backward pass of a convolution with the same options computes for the
    gradient of its input. It enlarges images, and is also called deconvolution, though it is not an
    inverse (Zeiler et al. 2010, "Deconvolutional networks"; Dumoulin & Visin 2016,
    arXiv:1603.07285).

    stride: int or one int per dimension, the step between the windows in the output; default 1.
    padding: int or one int per dimension, how many entries to remove at both ends of the output;
        default 0.
    output_padding: int or one int per dimension, how many entries to add at one end of the
        output, below max(stride, dilation); default 0. With a stride above 1, several output
        sizes fit one input size, and this argument chooses among them.
    padding_mode: str, only "zeros", the default.

    Attributes:
        weight: (in_channels, out_channels / groups, *kernel_size)
        bias: (out_channels,), or None
        Both start uniform in ±1/√n, with n = out_channels / groups · product of kernel_size.
    """

    transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Size,
        stride: Size = 1,
        padding: Size = 0,
        output_padding: Size = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Size = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: dtype | None = None,
    ) -> None:
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias,
            padding_mode, device, dtype,
        )  # fmt: skip
        self.output_padding = repeated(output_padding, self.dims)

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        """Return the transposed convolution of the input.

        output_size: sizes of the output, with or without N and channels, in place of
            `output_padding`; default None.
        Raises: ValueError for an output_size that the input cannot have.
        """
        extra = self.output_padding
        if output_size is not None:
            extra = self._extra(input, list(output_size))
        convolve = getattr(F, f"conv_transpose{self.dims}d")
        return convolve(
            input, self.weight, self.bias, self.stride, self.padding, extra, self.groups,
            self.dilation,
        )  # fmt: skip

    def _extra(self, input: Tensor, size: list[int]) -> tuple[int, ...]:
        """Return the output_padding with which the output has the given size."""
        n = self.dims
        before = 2 if input.dim() == n + 2 else 1
        if len(size) == before + n:
            size = size[before:]
        if len(size) != n:
            raise ValueError(
                f"ConvTranspose{n}D: for {input.dim()}D input, output_size must have {n} or "
                f"{before + n} elements (got {len(size)})"
            )
        least = [
            (input.size(before + i) - 1) * self.stride[i]
            - 2 * self.padding[i]
            + self.dilation[i] * (self.kernel_size[i] - 1)
            + 1
            for i in range(n)
        ]
        most = [small + stride - 1 for small, stride in zip(least, self.stride, strict=True)]
        if any(not a <= x <= b for a, x, b in zip(least, size, most, strict=True)):
            raise ValueError(
                f"requested an output size of {size}, but valid sizes range from {least} to "
                f"{most} (for an input of {input.size()[2:]})"
            )
        return tuple(x - a for a, x in zip(least, size, strict=True))


class ConvTranspose1d(TransposedConvolution):
    """Enlarge a sequence with a transposed convolution.

    Shapes: (N, in_channels, L) or (in_channels, L) -> (N, out_channels, L_out) or without N, with
        L_out = (L - 1)·stride - 2·padding + dilation·(kernel_size - 1) + output_padding + 1.

    >>> ConvTranspose1d(2, 3, kernel_size=2, stride=2)(torch.ones(1, 2, 5)).shape
    torch.Size([1, 3, 10])
    """

    dims = 1


class ConvTranspose2d(TransposedConvolution):
    """Enlarge an image with a transposed convolution.

    Shapes: (N, in_channels, H, W) or (in_channels, H, W) -> (N, out_channels, H_out, W_out) or
        without N, with
        H_out = (H - 1)·stride - 2·padding + dilation·(kernel_size - 1) + output_padding + 1;
        W_out likewise from W.

    >>> smaller = torch.nn.Conv2d(1, 1, 3, stride=2, padding=1)(torch.ones(1, 1, 6, 6))
    >>> larger = ConvTranspose2d(1, 1, 3, stride=2, padding=1, output_padding=1)(smaller)
    >>> smaller.shape, larger.shape
    (torch.Size([1, 1, 3, 3]), torch.Size([1, 1, 6, 6]))
    """

    dims = 2


class ConvTranspose3d(TransposedConvolution):
    """Enlarge a volume with a transposed convolution.

    Shapes: (N, in_channels, D, H, W) or (in_channels, D, H, W) ->
        (N, out_channels, D_out, H_out, W_out) or without N, with
        D_out = (D - 1)·stride - 2·padding + dilation·(kernel_size - 1) + output_padding + 1;
        H_out and W_out likewise.

    >>> ConvTranspose3d(1, 1, kernel_size=2, stride=2)(torch.ones(1, 1, 2, 3, 4)).shape
    torch.Size([1, 1, 4, 6, 8])
    """

    dims = 3

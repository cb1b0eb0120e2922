"""Convolutions: a window of weights that slides over its input.

Read next: nn/functional/convolution.py
"""

import math
from typing import Any

from graphlab.common.devices import check_device
from graphlab.common.dtypes import dtype
from graphlab.nn import functional as F
from graphlab.nn import init
from graphlab.nn.calling import repeated
from graphlab.nn.linear import reset_bias
from graphlab.nn.module import Module
from graphlab.nn.parameter import Parameter
from graphlab.tensor.creation import empty
from graphlab.tensor.tensor import Tensor

MODES = ("zeros", "reflect", "replicate", "circular")


def one_of(names: tuple[str, ...]) -> str:
    """Names as Python shows a set of them."""
    return "{" + ", ".join(repr(name) for name in sorted(names)) + "}"


class Convolution(Module):
    """What all convolutions have: sizes, weights and how those begin.

    weight: (out, in / groups, *kernel_size), transposed: (in, out / groups, *kernel_size).
    """

    dims = 0  # of the space that the window slides over
    transposed = False

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: dtype | None = None,
        output_padding: Any = 0,
    ) -> None:
        super().__init__()
        check_device(device)
        n = self.dims
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = repeated(kernel_size, n)
        self.stride = repeated(stride, n)
        self.padding = padding if isinstance(padding, str) else repeated(padding, n)
        self.dilation = repeated(dilation, n)
        self.output_padding = repeated(output_padding, n)
        self.groups = groups
        self.padding_mode = padding_mode
        self._check()
        first, second = out_channels, in_channels
        if self.transposed:
            first, second = second, first
        shape = (first, second // groups, *self.kernel_size)
        self.weight = Parameter(empty(shape, dtype=dtype))
        self.register_parameter(
            "bias", Parameter(empty(out_channels, dtype=dtype)) if bias else None
        )
        self.reset_parameters()

    def _check(self) -> None:
        """Raises: ValueError for options that do not go together."""
        if self.groups <= 0:
            raise ValueError("groups must be a positive integer")
        if self.in_channels % self.groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if self.out_channels % self.groups != 0:
            raise ValueError("out_channels must be divisible by groups")
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
        """Begin anew, uniform in ±1/√n, where n is how many inputs one output has."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        reset_bias(self.weight, self.bias)

    def _pads(self) -> list[int]:
        """How much `F.pad` adds at each end, the last dim first."""
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
            padding = repeated(0, self.dims)
        convolve = getattr(F, f"conv{self.dims}d")
        return convolve(
            input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups
        )

    def extra_repr(self) -> str:
        n = self.dims
        parts = [
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}"
        ]
        if self.padding != (0,) * len(self.padding):
            parts.append(f"padding={self.padding}")
        if self.dilation != (1,) * n:
            parts.append(f"dilation={self.dilation}")
        if self.output_padding != (0,) * n:
            parts.append(f"output_padding={self.output_padding}")
        if self.groups != 1:
            parts.append(f"groups={self.groups}")
        if self.bias is None:
            parts.append("bias=False")
        if self.padding_mode != "zeros":
            parts.append(f"padding_mode={self.padding_mode}")
        return ", ".join(parts)


class Conv1d(Convolution):
    """A window that slides over a line. input: (N, C, L) or (C, L) -> (N, C', L').

    >>> import graphlab as torch
    >>> Conv1d(2, 3, kernel_size=5)(torch.ones(1, 2, 10)).shape
    torch.Size([1, 3, 6])
    """

    dims = 1


class Conv2d(Convolution):
    """A window that slides over a picture. input: (N, C, H, W) or (C, H, W) -> (N, C', H', W')."""

    dims = 2


class Conv3d(Convolution):
    """A window that slides over a space. input: (N, C, D, H, W) -> (N, C', D', H', W')."""

    dims = 3


class Transposed(Convolution):
    """A convolution run backwards: what its gradient does to an output, this does to an input."""

    transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: dtype | None = None,
    ) -> None:
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias,
            padding_mode, device, dtype, output_padding,
        )  # fmt: skip

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        extra = self.output_padding
        if output_size is not None:
            extra = self._extra(input, list(output_size))
        convolve = getattr(F, f"conv_transpose{self.dims}d")
        return convolve(
            input, self.weight, self.bias, self.stride, self.padding, extra, self.groups,
            self.dilation,
        )  # fmt: skip

    def _extra(self, input: Tensor, size: list[int]) -> tuple[int, ...]:
        """The output_padding that gives an output of that size."""
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


class ConvTranspose1d(Transposed):
    """Over a line. input: (N, C, L) or (C, L) -> (N, C', L')."""

    dims = 1


class ConvTranspose2d(Transposed):
    """Over a picture. input: (N, C, H, W) or (C, H, W) -> (N, C', H', W')."""

    dims = 2


class ConvTranspose3d(Transposed):
    """Over a space. input: (N, C, D, H, W) -> (N, C', D', H', W')."""

    dims = 3

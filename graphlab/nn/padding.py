"""Padding: what is put around a line, a picture or a space.

Read next: nn/functional/padding.py
"""

from typing import Any

from graphlab.nn import functional as F
from graphlab.nn.calling import repeated
from graphlab.nn.module import Module
from graphlab.tensor.tensor import Tensor


class Padding(Module):
    """padding: how much at each end, (left, right, top, bottom, ...), or one number for all."""

    dims = 0
    mode = "constant"

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = repeated(padding, 2 * self.dims)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self.mode)

    def extra_repr(self) -> str:
        return str(self.padding)


class ConstantPadding(Padding):
    """Padding with one value."""

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self.mode, self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ZeroPadding(ConstantPadding):
    """Padding with zeros."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return str(self.padding)


class CircularPadding(Padding):
    """Padding with what stands at the other end."""

    mode = "circular"

    def forward(self, input: Tensor) -> Tensor:
        n = self.dims
        if input.dim() not in (n + 1, n + 2):
            raise ValueError(f"expected {n + 1}D or {n + 2}D input (got {input.dim()}D input)")
        return super().forward(input)


class ConstantPad1d(ConstantPadding):
    """Along a line. input: (N, C, L) or (C, L)."""

    dims = 1


class ConstantPad2d(ConstantPadding):
    """Around a picture. input: (N, C, H, W) or (C, H, W)."""

    dims = 2


class ConstantPad3d(ConstantPadding):
    """Around a space. input: (N, C, D, H, W) or (C, D, H, W)."""

    dims = 3


class ZeroPad1d(ZeroPadding):
    """Along a line. input: (N, C, L) or (C, L)."""

    dims = 1


class ZeroPad2d(ZeroPadding):
    """Around a picture. input: (N, C, H, W) or (C, H, W)."""

    dims = 2


class ZeroPad3d(ZeroPadding):
    """Around a space. input: (N, C, D, H, W) or (C, D, H, W)."""

    dims = 3


class ReflectionPad1d(Padding):
    """With what stands within, mirrored at the edge. input: (N, C, L) or (C, L)."""

    dims, mode = 1, "reflect"


class ReflectionPad2d(Padding):
    """With what stands within, mirrored at the edge. input: (N, C, H, W) or (C, H, W)."""

    dims, mode = 2, "reflect"


class ReflectionPad3d(Padding):
    """With what stands within, mirrored at the edge. input: (N, C, D, H, W)."""

    dims, mode = 3, "reflect"


class ReplicationPad1d(Padding):
    """With what stands at the edge. input: (N, C, L) or (C, L)."""

    dims, mode = 1, "replicate"


class ReplicationPad2d(Padding):
    """With what stands at the edge. input: (N, C, H, W) or (C, H, W)."""

    dims, mode = 2, "replicate"


class ReplicationPad3d(Padding):
    """With what stands at the edge. input: (N, C, D, H, W)."""

    dims, mode = 3, "replicate"


class CircularPad1d(CircularPadding):
    """Along a line. input: (N, C, L) or (C, L)."""

    dims = 1


class CircularPad2d(CircularPadding):
    """Around a picture. input: (N, C, H, W) or (C, H, W)."""

    dims = 2


class CircularPad3d(CircularPadding):
    """Around a space. input: (N, C, D, H, W) or (C, D, H, W)."""

    dims = 3

"""Padding layers, which add entries at both ends of the last dimensions.

Read next: nn/functional/padding.py
"""

from graphlab.nn import functional as F
from graphlab.nn.layer import Layer, Size, repeated
from graphlab.tensor.tensor import Tensor


class Padding(Layer):
    """The base of the padding layers.

    padding: int for all ends, or one int per end, the last dimension first:
        (left, right, top, bottom, front, back). A negative number removes entries.
    """

    dims = 0  # the number of dimensions that are padded
    mode = "constant"

    def __init__(self, padding: Size) -> None:
        super().__init__()
        self.padding = repeated(padding, 2 * self.dims)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self.mode)

    def extra_repr(self) -> str:
        return str(self.padding)


class Padding1d(Padding):
    """The base of the padding layers for sequences.

    Shapes: (N, C, L) or (C, L) -> (N, C, L_out) or (C, L_out), with L_out = left + L + right.
    """

    dims = 1


class Padding2d(Padding):
    """The base of the padding layers for images.

    Shapes: (N, C, H, W) or (C, H, W) -> (N, C, H_out, W_out) or (C, H_out, W_out), with
        H_out = top + H + bottom and W_out = left + W + right.
    """

    dims = 2


class Padding3d(Padding):
    """The base of the padding layers for volumes.

    Shapes: (N, C, D, H, W) or (C, D, H, W) -> (N, C, D_out, H_out, W_out) or without N, with
        D_out = front + D + back, H_out = top + H + bottom and W_out = left + W + right.
    """

    dims = 3


class ConstantPadding(Padding):
    """The base of the layers that pad with one value.

    value: float, the added entries.

    >>> torch.nn.ConstantPad1d((1, 2), 7.0)(torch.tensor([[1.0, 2.0]]))
    tensor([[7., 1., 2., 7., 7.]])
    >>> torch.nn.ConstantPad2d((1, 0, 0, 1), 7.0)(torch.tensor([[[1.0, 2.0]]]))
    tensor([[[7., 1., 2.],
             [7., 7., 7.]]])
    """

    def __init__(self, padding: Size, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self.mode, self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ZeroPadding(ConstantPadding):
    """The base of the layers that pad with zeros.

    >>> torch.nn.ZeroPad1d(1)(torch.tensor([[1.0, 2.0]]))
    tensor([[0., 1., 2., 0.]])
    >>> torch.nn.ZeroPad2d((1, 0, 0, 1))(torch.tensor([[[1.0, 2.0]]]))
    tensor([[[0., 1., 2.],
             [0., 0., 0.]]])
    """

    def __init__(self, padding: Size) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return str(self.padding)


class ReflectionPadding(Padding):
    """The base of the layers that mirror the input at its ends.

    The entry at an end is not repeated. Each padding must be smaller than its dimension.

    >>> torch.nn.ReflectionPad1d(2)(torch.tensor([[1.0, 2.0, 3.0]]))
    tensor([[3., 2., 1., 2., 3., 2., 1.]])
    """

    mode = "reflect"


class ReplicationPadding(Padding):
    """The base of the layers that repeat the entries at the ends.

    >>> torch.nn.ReplicationPad1d(2)(torch.tensor([[1.0, 2.0, 3.0]]))
    tensor([[1., 1., 1., 2., 3., 3., 3.]])
    """

    mode = "replicate"


class CircularPadding(Padding):
    """The base of the layers that continue the input at each end with its opposite end.

    No padding may be larger than its dimension.

    >>> torch.nn.CircularPad1d(2)(torch.tensor([[1.0, 2.0, 3.0]]))
    tensor([[2., 3., 1., 2., 3., 1., 2.]])
    """

    mode = "circular"

    def forward(self, input: Tensor) -> Tensor:
        n = self.dims
        if input.dim() not in (n + 1, n + 2):
            raise ValueError(f"expected {n + 1}D or {n + 2}D input (got {input.dim()}D input)")
        return super().forward(input)


class ConstantPad1d(ConstantPadding, Padding1d):
    """Pad sequences with one value."""


class ConstantPad2d(ConstantPadding, Padding2d):
    """Pad images with one value."""


class ConstantPad3d(ConstantPadding, Padding3d):
    """Pad volumes with one value."""


class ZeroPad1d(ZeroPadding, Padding1d):
    """Pad sequences with zeros."""


class ZeroPad2d(ZeroPadding, Padding2d):
    """Pad images with zeros."""


class ZeroPad3d(ZeroPadding, Padding3d):
    """Pad volumes with zeros."""


class ReflectionPad1d(ReflectionPadding, Padding1d):
    """Pad sequences with their mirror image."""


class ReflectionPad2d(ReflectionPadding, Padding2d):
    """Pad images with their mirror image."""


class ReflectionPad3d(ReflectionPadding, Padding3d):
    """Pad volumes with their mirror image."""


class ReplicationPad1d(ReplicationPadding, Padding1d):
    """Pad sequences by repeating their edges."""


class ReplicationPad2d(ReplicationPadding, Padding2d):
    """Pad images by repeating their edges."""


class ReplicationPad3d(ReplicationPadding, Padding3d):
    """Pad volumes by repeating their edges."""


class CircularPad1d(CircularPadding, Padding1d):
    """Pad sequences with the entries at the opposite end, as if they were periodic."""


class CircularPad2d(CircularPadding, Padding2d):
    """Pad images with the entries at the opposite edge, as if they were periodic."""


class CircularPad3d(CircularPadding, Padding3d):
    """Pad volumes with the entries at the opposite side, as if they were periodic."""

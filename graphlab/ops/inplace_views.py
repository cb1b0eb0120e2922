"""Views that a tensor becomes itself: `x.t_()`, `x.unsqueeze_(0)`. The rules are those of views.

Read next: tensor/functions/inplace_views.py
"""

from graphlab.ops.shapes import Squeeze, SqueezeDims, T, Transpose, Unsqueeze


class UnsqueezeInPlace(Unsqueeze):
    """A new dimension of size 1, of the tensor itself. self: (N,), dim: 0 -> (1, N)."""

    node = "UnsqueezeBackward1"


class SqueezeInPlace(Squeeze):
    """The tensor itself without dimensions of size 1. self: (1, N, 1) -> (N,)."""

    node = "SqueezeBackward3"


class SqueezeDimsInPlace(SqueezeDims):
    """The tensor itself without those of the dimensions `dim` that have size 1."""

    node = "SqueezeBackward5"


class TInPlace(T):
    """The tensor itself as its transpose. self: (N, M) -> (M, N)."""

    node = "TBackward1"


class TransposeInPlace(Transpose):
    """The tensor itself with two dimensions swapped. self: (A, B), dim0: 0, dim1: 1 -> (B, A)."""

    node = "TransposeBackward1"

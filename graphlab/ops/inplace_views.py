"""Views in place: `x.t_()`, `x.unsqueeze_(0)`. The rules are those of views.

Read next: tensor/functions/inplace_views.py
"""

from graphlab.ops.shapes import Squeeze, SqueezeDims, T, Transpose, Unsqueeze


class UnsqueezeInPlace(Unsqueeze):
    """Insert a dimension of size 1 in place. self: (N,), dim: 0 -> (1, N)."""

    node = "UnsqueezeBackward1"


class SqueezeInPlace(Squeeze):
    """Remove the dimensions of size 1 in place. self: (1, N, 1) -> (N,)."""

    node = "SqueezeBackward3"


class SqueezeDimsInPlace(SqueezeDims):
    """Remove those of the dimensions `dim` that have size 1, in place."""

    node = "SqueezeBackward5"


class TInPlace(T):
    """Transpose the matrix in place. self: (N, M) -> (M, N)."""

    node = "TBackward1"


class TransposeInPlace(Transpose):
    """Swap two dimensions in place. self: (A, B), dim0: 0, dim1: 1 -> (B, A)."""

    node = "TransposeBackward1"

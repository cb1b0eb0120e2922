"""The entries that a sliding window covers in a tensor, and the adjoint, recorded.

Read next: primitives/sympy_reading/convolution.py
"""

from graphlab.autograd.record import apply
from graphlab.ops.convolution import Col2im, Im2col
from graphlab.tensor.tensor import Tensor

Sizes = tuple[int, ...]


def windows(
    x: Tensor, kernel: Sizes, places: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes
) -> Tensor:
    """What the window covers at each place."""
    options = {"dilation": dilation, "padding": padding, "stride": stride, "places": places}
    return apply(Im2col, x, kernel_size=kernel, **options)


def add_windows(
    columns: Tensor,
    sizes: Sizes,
    kernel: Sizes,
    places: Sizes,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
) -> Tensor:
    """The columns added up where the window was."""
    options = {"dilation": dilation, "padding": padding, "stride": stride, "places": places}
    return apply(Col2im, columns, output_size=sizes, kernel_size=kernel, **options)

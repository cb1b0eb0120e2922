"""Unpooling: put the largest entries back at the places where max pooling found them.

Read next: nn/functional/unpooling.py
"""

from typing import Any

from graphlab.nn import functional as F
from graphlab.nn.layer import Layer, repeated
from graphlab.tensor.tensor import Tensor


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

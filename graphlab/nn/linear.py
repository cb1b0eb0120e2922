"""Layers that multiply by a matrix, and layers that only change the shape.

Read next: nn/activation.py
"""

import math
from typing import Any

from graphlab.common.dtypes import dtype
from graphlab.nn import functional as F
from graphlab.nn import init
from graphlab.nn.layer import Layer
from graphlab.tensor.tensor import Tensor


class Identity(Layer):
    """Return the input unchanged: a layer that computes nothing, where a model needs one.

    args: any values, ignored.
    kwargs: any values, ignored.

    Shapes: (...) -> the same.

    >>> Identity(54, unused=True)(torch.ones(2))
    tensor([1., 1.])
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return input


class Linear(Layer):
    """Multiply by a matrix and add a vector: y = x Wᵀ + b.

    in_features: int, the size of the input's last dimension.
    out_features: int, the size of the output's last dimension.
    bias: bool, whether to add a learned vector; default True.

    Shapes: (..., in_features) -> (..., out_features).

    Attributes:
        weight: (out_features, in_features)
        bias: (out_features,), or None
        Both start uniform in ±1/√in_features.

    >>> layer = Linear(2, 3)
    >>> layer, layer(torch.ones(5, 2)).shape
    (Linear(in_features=2, out_features=3, bias=True), torch.Size([5, 3]))
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: dtype | None = None,
    ) -> None:
        super().__init__(device)
        self.in_features = in_features
        self.out_features = out_features
        self._add_weight("weight", out_features, in_features, dtype=dtype)
        self._add_weight("bias", out_features, dtype=dtype, wanted=bias)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new values, uniform in ±1/√in_features, as kaiming_uniform_ with a = √5 does."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        reset_bias(self.weight, self.bias)

    def forward(self, input: Tensor) -> Tensor:
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


def reset_bias(weight: Tensor, bias: Tensor | None) -> None:
    """Fill a bias with uniform numbers in ±1/√n, if each output depends on n inputs."""
    if bias is not None:
        fan_in, _ = init._calculate_fan_in_and_fan_out(weight)
        if fan_in > 0:
            bound = 1 / math.sqrt(fan_in)
            init.uniform_(bias, -bound, bound)


class Bilinear(Layer):
    """Compute a bilinear form of two inputs for each output k: y[k] = x₁ᵀ W[k] x₂ + b[k].

    in1_features: int > 0, the size of the first input's last dimension.
    in2_features: int, the size of the second input's last dimension.
    out_features: int, the size of the output's last dimension.
    bias: bool, whether to add a learned vector; default True.

    Shapes: input1 (..., in1_features), input2 (..., in2_features) -> (..., out_features).

    Attributes:
        weight: (out_features, in1_features, in2_features)
        bias: (out_features,), or None
        Both start uniform in ±1/√in1_features.

    Raises: ValueError if `in1_features` is not above 0.

    >>> Bilinear(2, 3, 4)(torch.ones(5, 2), torch.ones(5, 3)).shape
    torch.Size([5, 4])
    """

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: dtype | None = None,
    ) -> None:
        super().__init__(device)
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        self._add_weight("weight", out_features, in1_features, in2_features, dtype=dtype)
        self._add_weight("bias", out_features, dtype=dtype, wanted=bias)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new values, uniform in ±1/√in1_features."""
        if self.in1_features <= 0:
            raise ValueError(
                f"in1_features must be > 0, but got (in1_features={self.in1_features})"
            )
        bound = 1 / math.sqrt(self.in1_features)
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )


class Flatten(Layer):
    """Join the dimensions from start_dim to end_dim into one.

    start_dim: int, the first dimension to join; default 1, after the batch.
    end_dim: int, the last dimension to join; default -1, the input's last.

    Shapes: (*A, S₁, ..., Sₙ, *B) -> (*A, S₁ · ... · Sₙ, *B).

    >>> Flatten()(torch.ones(5, 2, 3)).shape
    torch.Size([5, 6])
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Layer):
    """Split one dimension into several.

    dim: int, the dimension to split.
    unflattened_size: tuple of ints, the sizes of the new dimensions; one may be -1, for what is
        left.

    Shapes: (*A, S, *B) -> (*A, *unflattened_size, *B), where S is the product of the sizes.

    Raises: TypeError if the sizes are not a tuple or list of ints.

    >>> Unflatten(1, (2, 3))(torch.ones(5, 6)).shape
    torch.Size([5, 2, 3])
    """

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        if not isinstance(unflattened_size, tuple | list):
            raise TypeError(
                "unflattened_size must be a tuple of ints, but found type "
                + type(unflattened_size).__name__
            )
        for i, n in enumerate(unflattened_size):
            if not isinstance(n, int):
                raise TypeError(
                    "unflattened_size must be tuple of ints, but found element of type "
                    f"{type(n).__name__} at pos {i}"
                )
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, input: Tensor) -> Tensor:
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"

"""Layers that multiply by a matrix, and those that only change the shape.

Read next: nn/activation.py
"""

import math
from typing import Any

from graphlab.common.devices import check_device
from graphlab.common.dtypes import dtype
from graphlab.nn import functional as F
from graphlab.nn import init
from graphlab.nn.module import Module
from graphlab.nn.parameter import Parameter
from graphlab.tensor.creation import empty
from graphlab.tensor.tensor import Tensor


def weight(*shape: int, dtype: dtype | None = None) -> Parameter:
    """A parameter that is yet to be initialised."""
    return Parameter(empty(*shape, dtype=dtype))


class Identity(Module):
    """Hands its input through, whatever it is given to begin with."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return input


class Linear(Module):
    """input @ weight.T + bias. input: (..., in_features) -> (..., out_features).

    weight: (out_features, in_features) and bias: (out_features,) begin uniform in ±1/√in_features.

    >>> import graphlab as torch
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
        super().__init__()
        check_device(device)
        self.in_features = in_features
        self.out_features = out_features
        self.weight = weight(out_features, in_features, dtype=dtype)
        self.register_parameter("bias", weight(out_features, dtype=dtype) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Begin anew: kaiming_uniform_ with a = √5 is uniform in ±1/√in_features."""
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
    """Uniform in ±1/√n, where n is how many inputs one output has."""
    if bias is not None:
        fan_in, _ = init._calculate_fan_in_and_fan_out(weight)
        if fan_in > 0:
            bound = 1 / math.sqrt(fan_in)
            init.uniform_(bias, -bound, bound)


class Bilinear(Module):
    """input1 @ weight[k] @ input2 + bias[k] for every output k.

    input1: (..., in1), input2: (..., in2) -> (..., out).
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
        super().__init__()
        check_device(device)
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        self.weight = weight(out_features, in1_features, in2_features, dtype=dtype)
        self.register_parameter("bias", weight(out_features, dtype=dtype) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Begin anew, uniform in ±1/√in1_features."""
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


class Flatten(Module):
    """The dims from start_dim to end_dim, made one."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """One dim, made several."""

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

"""Norms over the features of each sample by itself.

Read next: nn/functional/normalization.py
"""

from typing import Any

from graphlab.common.devices import check_device
from graphlab.common.dtypes import dtype
from graphlab.nn import functional as F
from graphlab.nn import init
from graphlab.nn.calling import Calling
from graphlab.nn.module import Module
from graphlab.nn.parameter import Parameter
from graphlab.tensor.creation import empty
from graphlab.tensor.tensor import Tensor


class FeatureNorm(Module):
    """What the norms here have: a weight, and perhaps a bias, that begin at 1 and 0."""

    def _begin(self, shape: Any, affine: bool, bias: bool, kind: dtype | None) -> None:
        self.register_parameter("weight", Parameter(empty(shape, dtype=kind)) if affine else None)
        offset = Parameter(empty(shape, dtype=kind)) if affine and bias else None
        self.register_parameter("bias", offset)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Begin anew: weights of 1, biases of 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if getattr(self, "bias", None) is not None:
            init.zeros_(self.bias)


def as_shape(shape: Any) -> tuple[int, ...]:
    """`5` means (5,)."""
    return (shape,) if isinstance(shape, int) else tuple(shape)


class LayerNorm(FeatureNorm):
    """Mean 0 and variance 1 over the last dims. input: (..., *normalized_shape) -> the same."""

    def __init__(
        self,
        normalized_shape: Any,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: dtype | None = None,
    ) -> None:
        super().__init__()
        check_device(device)
        self.normalized_shape = as_shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self._begin(self.normalized_shape, elementwise_affine, bias, dtype)

    def forward(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, "
            f"elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        )


class RMSNorm(FeatureNorm):
    """A root mean square of 1 over the last dims. input: (..., *normalized_shape) -> the same."""

    def __init__(
        self,
        normalized_shape: Any,
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: dtype | None = None,
    ) -> None:
        super().__init__()
        check_device(device)
        self.normalized_shape = as_shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self.register_parameter(
            "weight",
            Parameter(empty(self.normalized_shape, dtype=dtype)) if elementwise_affine else None,
        )
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
        )


class GroupNorm(FeatureNorm):
    """Mean 0 and variance 1 over each group of channels. input: (N, C, ...) -> the same."""

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: dtype | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        check_device(device)
        if num_channels % num_groups != 0:
            raise ValueError(
                f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})"
            )
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        self._begin((num_channels,), affine, bias, dtype)

    def forward(self, input: Tensor) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


class LocalResponseNorm(Calling):
    """Each channel, divided by what its neighbours do. input: (N, C, ...) -> the same."""

    function = "local_response_norm"
    options = ("size", "alpha", "beta", "k")

    def __init__(
        self, size: int, alpha: float = 0.0001, beta: float = 0.75, k: float = 1.0
    ) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"

"""Layer norm, RMS norm, group norm and local response norm.

Read next: nn/functional/normalization.py
"""

from typing import Any

from graphlab.common.dtypes import dtype
from graphlab.nn import functional as F
from graphlab.nn import init
from graphlab.nn.layer import FunctionLayer, Layer, Size, repeated
from graphlab.tensor.tensor import Tensor


class Norm(Layer):
    """The base of the norms with a weight that starts at 1 and a bias that starts at 0.

    normalized_shape: int or tuple of ints, the sizes of the last dimensions, over which to
        normalize.
    eps: float, avoids a division by 0; default 1e-5.
    elementwise_affine: bool, whether to multiply by a learned weight, and to add a learned bias if
        the norm has one; default True.
    affine: bool, whether each channel has a learned weight and bias; default True.
    bias: bool, whether there is a learned bias beside the weight; default True.
    """

    def _add_weights(self, shape: Size, affine: bool, bias: bool, dtype: dtype | None) -> None:
        sizes = repeated(shape, 1)
        self._add_weight("weight", *sizes, dtype=dtype, wanted=affine)
        self._add_weight("bias", *sizes, dtype=dtype, wanted=affine and bias)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the weight to 1 and the bias to 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if getattr(self, "bias", None) is not None:
            init.zeros_(self.bias)


class LayerNorm(Norm):
    """Give the features of each sample mean 0 and variance 1, then scale and shift them.

    (x - mean) / √(variance + eps) · weight + bias, with the biased variance over the last
    dimensions.

    Shapes: (..., *normalized_shape) -> the same.

    Attributes:
        weight: normalized_shape, starts at 1, or None
        bias: normalized_shape, starts at 0, or None

    Source: Ba et al. 2016, arXiv:1607.06450.

    >>> LayerNorm(2)(torch.tensor([[1.0, 3.0]])).detach()
    tensor([[-1.0000,  1.0000]])
    """

    def __init__(
        self,
        normalized_shape: Size,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: dtype | None = None,
    ) -> None:
        super().__init__(device)
        self.normalized_shape = repeated(normalized_shape, 1)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self._add_weights(self.normalized_shape, elementwise_affine, bias, dtype)

    def forward(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, "
            f"elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        )


class RMSNorm(Norm):
    """Give the features of each sample a root mean square of 1, then scale them.

    x / √(mean of x² + eps) · weight, with the mean over the last dimensions.

    eps: float, avoids a division by 0; default None, for the machine epsilon of the input's type.

    Shapes: (..., *normalized_shape) -> the same.

    Attributes:
        weight: normalized_shape, starts at 1, or None

    Source: Zhang & Sennrich 2019, arXiv:1910.07467.

    >>> RMSNorm(2)(torch.tensor([[1.0, 7.0]])).detach()
    tensor([[0.2000, 1.4000]])
    """

    def __init__(
        self,
        normalized_shape: Size,
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: dtype | None = None,
    ) -> None:
        super().__init__(device)
        self.normalized_shape = repeated(normalized_shape, 1)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self._add_weight("weight", *self.normalized_shape, dtype=dtype, wanted=elementwise_affine)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
        )


class GroupNorm(Norm):
    """Give each group of channels of each sample mean 0 and variance 1, then scale and shift.

    (x - mean) / √(variance + eps) · weight + bias, with the biased variance over a group.

    num_groups: int, the number of groups; 1 for a norm over all channels.
    num_channels: int, the number of channels C, a multiple of `num_groups`.

    Shapes: (N, C, ...) -> the same.

    Attributes:
        weight: (num_channels,), starts at 1, or None
        bias: (num_channels,), starts at 0, or None

    Raises: ValueError if `num_channels` is not a multiple of `num_groups`.

    Source: Wu & He 2018, arXiv:1803.08494.

    >>> GroupNorm(1, 2)(torch.tensor([[1.0, 3.0]])).detach()
    tensor([[-1.0000,  1.0000]])
    """

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
        super().__init__(device)
        if num_channels % num_groups != 0:
            raise ValueError(
                f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})"
            )
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        self._add_weights(num_channels, affine, bias, dtype)

    def forward(self, input: Tensor) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


class LocalResponseNorm(FunctionLayer):
    """Divide each entry by a power of the mean square over neighbouring channels at its position.

    x / (k + alpha · mean of x² over `size` neighbouring channels)^beta.

    size: int, the number of channels in the mean, the entry's own in the middle.
    alpha: float, the factor of the mean; default 0.0001.
    beta: float, the exponent; default 0.75.
    k: float, the number that is added to the mean; default 1.

    Shapes: (N, C, ...) -> the same.

    Source: Krizhevsky et al. 2012, "ImageNet classification with deep convolutional networks".

    >>> LocalResponseNorm(1, alpha=3.0, beta=1.0)(torch.ones(1, 1, 2))
    tensor([[[0.2500, 0.2500]]])
    """

    function = "local_response_norm"

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"

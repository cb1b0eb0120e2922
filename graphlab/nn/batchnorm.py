"""Batch norm and instance norm, which give each channel mean 0 and variance 1.

Read next: nn/normalization.py
"""

import warnings
from typing import Any

from graphlab.common.dtypes import dtype, int64
from graphlab.common.errors import users_level
from graphlab.nn import functional as F
from graphlab.nn.normalization import Norm
from graphlab.tensor.creation import ones, tensor, zeros
from graphlab.tensor.tensor import Tensor


class ChannelNorm(Norm):
    """The base of both: weight, bias and running statistics for each channel.

    num_features: int, the number of channels C.
    momentum: float, the weight of the new batch in the running statistics:
        running ← (1 - momentum) · running + momentum · new; or None, for the mean of all batches
        (in batch norms only); default 0.1.

    Attributes:
        weight: (C,), starts at 1, or None
        bias: (C,), starts at 0, or None
        running_mean: buffer (C,), starts at 0, or None
        running_var: buffer (C,), the unbiased variances, starts at 1, or None
        num_batches_tracked: buffer (), int64, starts at 0, or None

    Raises: ValueError, in the call, for an input with another number of dimensions.
    """

    _version = 2
    expected: tuple[int, ...] = ()  # the numbers of dimensions that an input may have

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: dtype | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(device)
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        n, track = num_features, track_running_stats
        self.register_buffer("running_mean", zeros(n, dtype=dtype) if track else None)
        self.register_buffer("running_var", ones(n, dtype=dtype) if track else None)
        self.register_buffer("num_batches_tracked", tensor(0, dtype=int64) if track else None)
        self._add_weights(n, affine, bias, dtype)

    def reset_running_stats(self) -> None:
        """Set the running means to 0 and the running variances to 1."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Set weight, bias and running statistics to their initial values."""
        self.reset_running_stats()
        super().reset_parameters()

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() not in self.expected:
            choices = " or ".join(f"{n}D" for n in self.expected)
            raise ValueError(f"expected {choices} input (got {input.dim()}D input)")

    def _load_from_state_dict(
        self, state_dict: dict[str, Any], prefix: str, local_metadata: dict[str, Any], *rest: Any
    ) -> None:
        """Load a state, also one of version 1, which has no num_batches_tracked."""
        key = prefix + "num_batches_tracked"
        old = (local_metadata.get("version") or 0) < 2
        if old and self.track_running_stats and key not in state_dict:
            state_dict[key] = self.num_batches_tracked
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, "
            f"affine={self.affine}, bias={self.bias is not None}, "
            f"track_running_stats={self.track_running_stats}"
        )


class BatchNorm(ChannelNorm):
    """The base of the batch norms.

    (x - mean) / √(variance + eps) · weight + bias. In training, the mean and the (biased) variance
    of a channel are those of the batch; after `eval()` they are the running ones.

    affine: bool, whether each channel has a learned weight and bias; default True.
    track_running_stats: bool, whether to keep running statistics, and to normalize by them after
        `eval()`; default True.

    Source: Ioffe & Szegedy 2015, arXiv:1502.03167.
    """

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        share = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:  # the mean of all batches
                share = 1.0 / float(self.num_batches_tracked)
        keep = not self.training or self.track_running_stats
        mean, var = (self.running_mean, self.running_var) if keep else (None, None)
        training = self.training or (self.running_mean is None and self.running_var is None)
        return F.batch_norm(input, mean, var, self.weight, self.bias, training, share, self.eps)


class BatchNorm1d(BatchNorm):
    """Normalize each channel of vectors or sequences over the batch.

    Shapes: (N, C) or (N, C, L) -> the same.

    >>> BatchNorm1d(1)(torch.tensor([[1.0], [3.0]])).detach()
    tensor([[-1.0000],
            [ 1.0000]])
    """

    expected = (2, 3)


class BatchNorm2d(BatchNorm):
    """Normalize each channel of images over the batch.

    Shapes: (N, C, H, W) -> the same.

    >>> layer = BatchNorm2d(2)
    >>> layer(torch.ones(3, 2, 4, 4)).shape, layer.running_mean
    (torch.Size([3, 2, 4, 4]), tensor([0.1000, 0.1000]))
    """

    expected = (4,)


class BatchNorm3d(BatchNorm):
    """Normalize each channel of volumes over the batch.

    Shapes: (N, C, D, H, W) -> the same.

    >>> BatchNorm3d(2)(torch.ones(3, 2, 4, 4, 4)).shape
    torch.Size([3, 2, 4, 4, 4])
    """

    expected = (5,)


class InstanceNorm(ChannelNorm):
    """The base of the instance norms.

    (x - mean) / √(variance + eps) · weight + bias, with the mean and the (biased) variance of one
    channel of one sample; after `eval()` with the running ones, if they are tracked.

    affine: bool, whether each channel has a learned weight and bias; default False.
    track_running_stats: bool, whether to keep running statistics, and to normalize by them after
        `eval()`; default False.

    Source: Ulyanov et al. 2016, arXiv:1607.08022.
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: dtype | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias
        )

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        single = input.dim() == self.expected[0]  # one sample without a batch dimension
        channels = 0 if single else 1
        if input.size(channels) != self.num_features:
            if self.affine:
                raise ValueError(
                    f"expected input's size at dim={channels} to match num_features "
                    f"({self.num_features}), but got: {input.size(channels)}."
                )
            warnings.warn(
                f"input's size at dim={channels} does not match num_features. You can silence "
                "this warning by not passing in num_features, which is not used because "
                "affine=False",
                stacklevel=users_level(),
            )
        result = F.instance_norm(
            input.unsqueeze(0) if single else input, self.running_mean, self.running_var,
            self.weight, self.bias, self.training or not self.track_running_stats,
            0.0 if self.momentum is None else self.momentum, self.eps,
        )  # fmt: skip
        return result.squeeze(0) if single else result


class InstanceNorm1d(InstanceNorm):
    """Normalize each channel of each sequence by itself.

    Shapes: (N, C, L) or (C, L) -> the same.

    >>> InstanceNorm1d(1)(torch.tensor([[[1.0, 3.0]]]))
    tensor([[[-1.0000,  1.0000]]])
    """

    expected = (2, 3)


class InstanceNorm2d(InstanceNorm):
    """Normalize each channel of each image by itself.

    Shapes: (N, C, H, W) or (C, H, W) -> the same.

    >>> InstanceNorm2d(1)(torch.tensor([[[[1.0, 3.0]]]]))
    tensor([[[[-1.0000,  1.0000]]]])
    """

    expected = (3, 4)


class InstanceNorm3d(InstanceNorm):
    """Normalize each channel of each volume by itself.

    Shapes: (N, C, D, H, W) or (C, D, H, W) -> the same.

    >>> InstanceNorm3d(1)(torch.tensor([[[[[1.0, 3.0]]]]]))
    tensor([[[[[-1.0000,  1.0000]]]]])
    """

    expected = (4, 5)

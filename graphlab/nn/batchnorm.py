"""Batch norm and instance norm: mean 0 and variance 1 for every channel, and what was usual.

Read next: nn/normalization.py
"""

import warnings
from typing import Any

from graphlab.common.devices import check_device
from graphlab.common.dtypes import dtype, int64
from graphlab.nn import functional as F
from graphlab.nn import init
from graphlab.nn.module import Module
from graphlab.nn.parameter import Parameter
from graphlab.tensor.creation import empty, ones, tensor, zeros
from graphlab.tensor.tensor import Tensor


class ChannelNorm(Module):
    """What both have: weight and bias for every channel, running means and variances."""

    _version = 2
    expected: tuple[int, ...] = ()  # how many dims an input may have

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
        super().__init__()
        check_device(device)
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        n, track = num_features, track_running_stats
        weight = Parameter(empty(n, dtype=dtype)) if affine else None
        offset = Parameter(empty(n, dtype=dtype)) if affine and bias else None
        self.register_parameter("weight", weight)
        self.register_parameter("bias", offset)
        self.register_buffer("running_mean", zeros(n, dtype=dtype) if track else None)
        self.register_buffer("running_var", ones(n, dtype=dtype) if track else None)
        self.register_buffer("num_batches_tracked", tensor(0, dtype=int64) if track else None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Forget what was usual."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Begin anew: weights of 1, biases of 0."""
        self.reset_running_stats()
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() not in self.expected:
            choices = " or ".join(f"{n}D" for n in self.expected)
            raise ValueError(f"expected {choices} input (got {input.dim()}D input)")

    def _load_from_state_dict(
        self, state_dict: dict[str, Any], prefix: str, local_metadata: dict[str, Any], *rest: Any
    ) -> None:
        """Files from before there was num_batches_tracked are taken as they are."""
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
    """Each channel over the batch; in training by the batch itself, then by what was usual."""

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        share = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:  # the mean over all batches
                share = 1.0 / float(self.num_batches_tracked)
        keep = not self.training or self.track_running_stats
        return F.batch_norm(
            input,
            self.running_mean if keep else None,
            self.running_var if keep else None,
            self.weight,
            self.bias,
            self.training or (self.running_mean is None and self.running_var is None),
            share,
            self.eps,
        )


class BatchNorm1d(BatchNorm):
    """input: (N, C) or (N, C, L) -> the same.

    >>> import graphlab as torch
    >>> BatchNorm1d(1)(torch.tensor([[1.0], [3.0]])).detach()
    tensor([[-1.0000],
            [ 1.0000]])
    """

    expected = (2, 3)


class BatchNorm2d(BatchNorm):
    """input: (N, C, H, W) -> the same."""

    expected = (4,)


class BatchNorm3d(BatchNorm):
    """input: (N, C, D, H, W) -> the same."""

    expected = (5,)


class InstanceNorm(ChannelNorm):
    """Each channel of each sample by itself."""

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
        single = input.dim() == self.expected[0]  # one sample, without a batch
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
                stacklevel=3,
            )
        result = F.instance_norm(
            input.unsqueeze(0) if single else input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            0.0 if self.momentum is None else self.momentum,
            self.eps,
        )
        return result.squeeze(0) if single else result


class InstanceNorm1d(InstanceNorm):
    """input: (N, C, L) or (C, L) -> the same."""

    expected = (2, 3)


class InstanceNorm2d(InstanceNorm):
    """input: (N, C, H, W) or (C, H, W) -> the same."""

    expected = (3, 4)


class InstanceNorm3d(InstanceNorm):
    """input: (N, C, D, H, W) or (C, D, H, W) -> the same."""

    expected = (4, 5)

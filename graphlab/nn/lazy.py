"""Layers that take the size of their input from the first one that they are given.

The first call initialises the parameters, and the layer changes its class: a LazyLinear becomes a
Linear.

Read next: nn/uninitialized.py
"""

from typing import Any

from graphlab.common.dtypes import dtype, int64
from graphlab.nn.batchnorm import BatchNorm1d, BatchNorm2d, BatchNorm3d
from graphlab.nn.conv import (
    Conv1d,
    Conv2d,
    Conv3d,
    ConvTranspose1d,
    ConvTranspose2d,
    ConvTranspose3d,
)
from graphlab.nn.layer import Size
from graphlab.nn.linear import Linear
from graphlab.nn.uninitialized import Uninitialized, UninitializedBuffer, UninitializedParameter
from graphlab.tensor.creation import tensor
from graphlab.tensor.tensor import Tensor


class Lazy:
    """The base that makes a layer lazy; it stands before the layer's class.

    Make the first call, which creates the weights, before the parameters go to an optimizer.
    """

    cls_to_become: Any = None
    missing = ""  # the attribute that holds the size to be found

    def _make_weights(self: Any, bias: bool, dtype: Any) -> None:
        self.weight = UninitializedParameter(dtype=dtype)
        if bias:
            self.bias = UninitializedParameter(dtype=dtype)

    def _pending(self: Any) -> list[Any]:
        held = [*self._parameters.values(), *self._buffers.values()]
        return [one for one in held if isinstance(one, Uninitialized)]

    def has_uninitialized_params(self) -> bool:
        """Whether a parameter or buffer has no shape yet."""
        return bool(self._pending())

    def reset_parameters(self: Any) -> None:
        """Draw new initial values, if there are parameters already."""
        if not self._pending() and getattr(self, self.missing) != 0:
            self.cls_to_become.reset_parameters(self)

    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:
        if self._pending():
            self.initialize_parameters(*args, **kwargs)
        self.__class__ = self.cls_to_become
        return self(*args, **kwargs)


class LazyLinear(Lazy, Linear):
    """A Linear that takes `in_features` from its first input.

    >>> layer = LazyLinear(3)
    >>> _ = layer(torch.ones(5, 2))
    >>> layer
    Linear(in_features=2, out_features=3, bias=True)
    """

    cls_to_become, missing = Linear, "in_features"

    def __init__(
        self, out_features: int, bias: bool = True, device: Any = None, dtype: dtype | None = None
    ) -> None:
        super().__init__(0, 0, False, device)
        self.out_features = out_features
        self._make_weights(bias, dtype)

    def initialize_parameters(self, input: Tensor) -> None:
        """Take the size from an input."""
        self.in_features = input.shape[-1]
        self.weight.materialize((self.out_features, self.in_features))
        if self.bias is not None:
            self.bias.materialize((self.out_features,))
        self.reset_parameters()


class LazyConvolution(Lazy):
    """The base of the lazy convolutions."""

    missing = "in_channels"

    def __init__(
        self: Any,
        out_channels: int,
        kernel_size: Size,
        stride: Size = 1,
        padding: Size | str = 0,
        dilation: Size = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: dtype | None = None,
    ) -> None:
        self.cls_to_become.__init__(
            self, 0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode, device
        )
        self.out_channels = out_channels
        self._make_weights(bias, dtype)

    def initialize_parameters(self: Any, input: Tensor, *args: Any, **kwargs: Any) -> None:
        """Take the number of channels from an input."""
        n = self.dims
        if input.dim() not in (n + 1, n + 2):
            raise RuntimeError(
                f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to "
                f"{type(self).__name__}, but got input of size: {input.shape}"
            )
        self.in_channels = input.shape[-n - 1]
        if self.in_channels % self.groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        self.weight.materialize(self._weight_shape())
        if self.bias is not None:
            self.bias.materialize((self.out_channels,))
        self.reset_parameters()


class LazyTransposed(LazyConvolution):
    """The base of the lazy transposed convolutions."""

    def __init__(
        self: Any,
        out_channels: int,
        kernel_size: Size,
        stride: Size = 1,
        padding: Size = 0,
        output_padding: Size = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Size = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: dtype | None = None,
    ) -> None:
        self.cls_to_become.__init__(
            self, 0, 0, kernel_size, stride, padding, output_padding, groups, False, dilation,
            padding_mode, device,
        )  # fmt: skip
        self.out_channels = out_channels
        self._make_weights(bias, dtype)


class LazyConv1d(LazyConvolution, Conv1d):
    """A Conv1d that takes `in_channels` from its first input.

    >>> layer = LazyConv1d(4, kernel_size=3)
    >>> layer(torch.ones(1, 2, 9)).shape, layer.weight.shape
    (torch.Size([1, 4, 7]), torch.Size([4, 2, 3]))
    """

    cls_to_become = Conv1d


class LazyConv2d(LazyConvolution, Conv2d):
    """A Conv2d that takes `in_channels` from its first input.

    >>> layer = LazyConv2d(4, kernel_size=3)
    >>> layer(torch.ones(1, 2, 9, 9)).shape, layer.weight.shape
    (torch.Size([1, 4, 7, 7]), torch.Size([4, 2, 3, 3]))
    """

    cls_to_become = Conv2d


class LazyConv3d(LazyConvolution, Conv3d):
    """A Conv3d that takes `in_channels` from its first input.

    >>> layer = LazyConv3d(4, kernel_size=3)
    >>> layer(torch.ones(1, 2, 5, 5, 5)).shape, layer.weight.shape
    (torch.Size([1, 4, 3, 3, 3]), torch.Size([4, 2, 3, 3, 3]))
    """

    cls_to_become = Conv3d


class LazyConvTranspose1d(LazyTransposed, ConvTranspose1d):
    """A ConvTranspose1d that takes `in_channels` from its first input.

    >>> layer = LazyConvTranspose1d(4, kernel_size=3)
    >>> layer(torch.ones(1, 2, 9)).shape, layer.weight.shape
    (torch.Size([1, 4, 11]), torch.Size([2, 4, 3]))
    """

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(LazyTransposed, ConvTranspose2d):
    """A ConvTranspose2d that takes `in_channels` from its first input.

    >>> layer = LazyConvTranspose2d(4, kernel_size=3)
    >>> layer(torch.ones(1, 2, 9, 9)).shape, layer.weight.shape
    (torch.Size([1, 4, 11, 11]), torch.Size([2, 4, 3, 3]))
    """

    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(LazyTransposed, ConvTranspose3d):
    """A ConvTranspose3d that takes `in_channels` from its first input.

    >>> layer = LazyConvTranspose3d(4, kernel_size=3)
    >>> layer(torch.ones(1, 2, 5, 5, 5)).shape, layer.weight.shape
    (torch.Size([1, 4, 7, 7, 7]), torch.Size([2, 4, 3, 3, 3]))
    """

    cls_to_become = ConvTranspose3d


class LazyChannelNorm(Lazy):
    """The base of the lazy batch norms."""

    missing = "num_features"

    def __init__(
        self: Any,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: dtype | None = None,
        *,
        bias: bool = True,
    ) -> None:
        self.cls_to_become.__init__(self, 0, eps, momentum, False, False, device)
        self.affine = affine
        self.track_running_stats = track_running_stats
        if affine:
            self._make_weights(bias, dtype)
        if track_running_stats:
            self.running_mean = UninitializedBuffer(dtype=dtype)
            self.running_var = UninitializedBuffer(dtype=dtype)
            self.num_batches_tracked = tensor(0, dtype=int64)

    def initialize_parameters(self: Any, input: Tensor) -> None:
        """Take the number of channels from an input."""
        self.num_features = input.shape[1]
        for held in self._pending():
            held.materialize((self.num_features,))
        self.reset_parameters()


class LazyBatchNorm1d(LazyChannelNorm, BatchNorm1d):
    """A BatchNorm1d that takes `num_features` from its first input.

    >>> layer = LazyBatchNorm1d()
    >>> _ = layer(torch.ones(5, 2))
    >>> layer
    BatchNorm1d(2, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)
    """

    cls_to_become = BatchNorm1d


class LazyBatchNorm2d(LazyChannelNorm, BatchNorm2d):
    """A BatchNorm2d that takes `num_features` from its first input.

    >>> layer = LazyBatchNorm2d()
    >>> _ = layer(torch.ones(5, 2, 4, 4))
    >>> layer
    BatchNorm2d(2, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)
    """

    cls_to_become = BatchNorm2d


class LazyBatchNorm3d(LazyChannelNorm, BatchNorm3d):
    """A BatchNorm3d that takes `num_features` from its first input.

    >>> layer = LazyBatchNorm3d()
    >>> _ = layer(torch.ones(5, 2, 4, 4, 4))
    >>> layer
    BatchNorm3d(2, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)
    """

    cls_to_become = BatchNorm3d

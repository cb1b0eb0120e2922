"""Lazy layers, which take the size of their input from the first input.

The first call initializes the parameters, and the layer changes its class: a LazyLinear becomes a
Linear.

Read next: nn/parameter.py
"""

import inspect
from typing import Any

from graphlab.nn import batchnorm, conv
from graphlab.nn.linear import Linear
from graphlab.nn.parameter import Uninitialized, UninitializedBuffer, UninitializedParameter
from graphlab.tensor.tensor import Tensor


class Lazy:
    """The mixin that makes a layer lazy; it comes before the layer's class among the bases.

    Call the layer once, which creates the weights, before you pass its parameters to an optimizer.
    """

    cls_to_become: Any = None  # of the layers below: the last of their bases
    missing = ""  # the name of the size to find, the first argument of `cls_to_become`

    def __init_subclass__(cls, **options: Any) -> None:
        """Show the arguments of `cls_to_become`, without the size to find."""
        if cls.__module__ == __name__ and not issubclass(cls.__bases__[-1], Lazy):
            cls.cls_to_become = cls.__bases__[-1]
        if "cls_to_become" in vars(cls):
            first, *others = inspect.signature(cls.cls_to_become).parameters.values()
            cls.missing = first.name
            cls.__signature__ = inspect.Signature(others)
        super().__init_subclass__(**options)

    def __init__(self: Any, *args: Any, **options: Any) -> None:
        self.cls_to_become.__init__(self, 0, *args, **options)
        shapes: dict[str, tuple[int, ...]] = {}  # with a 0 where the missing size belongs
        for table, kind in (
            (self._parameters, UninitializedParameter),
            (self._buffers, UninitializedBuffer),
        ):
            for name, tensor in table.items():
                if tensor is not None and tensor.ndim:  # a count of batches has its shape already
                    shapes[name] = tuple(tensor.shape)
                    table[name] = kind(dtype=tensor.dtype)
        self._shapes = shapes

    def _pending(self: Any) -> list[tuple[str, Any]]:
        members = [*self._parameters.items(), *self._buffers.items()]
        return [(name, one) for name, one in members if isinstance(one, Uninitialized)]

    def has_uninitialized_params(self) -> bool:
        """Return whether a parameter or buffer has no shape yet."""
        return bool(self._pending())

    def reset_parameters(self: Any) -> None:
        """Draw new initial values, if the parameters have shapes already."""
        if getattr(self, self.missing) != 0 and not self._pending():
            self.cls_to_become.reset_parameters(self)

    def _size_of(self: Any, input: Tensor) -> tuple[int, int]:
        """Return the missing size, and the number for its place in the shapes of the weights."""
        raise NotImplementedError

    def initialize_parameters(self: Any, input: Tensor, *args: Any, **kwargs: Any) -> None:
        """Take the missing size from an input and create the weights."""
        size, in_shapes = self._size_of(input)
        setattr(self, self.missing, size)
        for name, tensor in self._pending():
            tensor.materialize(tuple(n or in_shapes for n in self._shapes[name]))
        self.reset_parameters()

    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:
        if self._pending():
            self.initialize_parameters(*args, **kwargs)
        del self._shapes
        self.__class__ = self.cls_to_become
        return self(*args, **kwargs)


class LazyLinear(Lazy, Linear):
    """A Linear that takes `in_features` from its first input.

    >>> layer = LazyLinear(3)
    >>> _ = layer(torch.ones(5, 2))
    >>> layer
    Linear(in_features=2, out_features=3, bias=True)
    """

    def _size_of(self, input: Tensor) -> tuple[int, int]:
        return input.shape[-1], input.shape[-1]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not self._pending():  # a state was loaded
            self.in_features = self.weight.shape[-1]
        return super().__call__(*args, **kwargs)


class LazyConvolution(Lazy):
    """The base of the lazy convolutions.

    >>> import graphlab as torch
    >>> layer = torch.nn.LazyConv2d(4, kernel_size=3)
    >>> layer(torch.ones(1, 2, 9, 9)).shape, layer.weight.shape
    (torch.Size([1, 4, 7, 7]), torch.Size([4, 2, 3, 3]))
    """

    def _size_of(self: Any, input: Tensor) -> tuple[int, int]:
        n = self.dims
        if input.dim() not in (n + 1, n + 2):
            raise RuntimeError(
                f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to "
                f"{type(self).__name__}, but got input of size: {input.shape}"
            )
        channels = input.shape[-n - 1]
        if channels % self.groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        return channels, channels if self.transposed else channels // self.groups


class LazyConv1d(LazyConvolution, conv.Conv1d):
    """A Conv1d that takes `in_channels` from its first input."""


class LazyConv2d(LazyConvolution, conv.Conv2d):
    """A Conv2d that takes `in_channels` from its first input."""


class LazyConv3d(LazyConvolution, conv.Conv3d):
    """A Conv3d that takes `in_channels` from its first input."""


class LazyConvTranspose1d(LazyConvolution, conv.ConvTranspose1d):
    """A ConvTranspose1d that takes `in_channels` from its first input."""


class LazyConvTranspose2d(LazyConvolution, conv.ConvTranspose2d):
    """A ConvTranspose2d that takes `in_channels` from its first input."""


class LazyConvTranspose3d(LazyConvolution, conv.ConvTranspose3d):
    """A ConvTranspose3d that takes `in_channels` from its first input."""


class LazyBatchNorm(Lazy):
    """The base of the lazy batch norms.

    >>> import graphlab as torch
    >>> layer = torch.nn.LazyBatchNorm1d()
    >>> _ = layer(torch.ones(5, 2))
    >>> layer
    BatchNorm1d(2, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)
    """

    def _size_of(self, input: Tensor) -> tuple[int, int]:
        return input.shape[1], input.shape[1]


class LazyBatchNorm1d(LazyBatchNorm, batchnorm.BatchNorm1d):
    """A BatchNorm1d that takes `num_features` from its first input."""


class LazyBatchNorm2d(LazyBatchNorm, batchnorm.BatchNorm2d):
    """A BatchNorm2d that takes `num_features` from its first input."""


class LazyBatchNorm3d(LazyBatchNorm, batchnorm.BatchNorm3d):
    """A BatchNorm3d that takes `num_features` from its first input."""


class LazyInstanceNorm(LazyBatchNorm):
    """The base of the lazy instance norms; unlike the others, they learn and track by default."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        _, *others = inspect.signature(LazyInstanceNorm.__init__).parameters.values()
        cls.__signature__ = inspect.Signature(others)

    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(eps, momentum, affine, track_running_stats, device, dtype, bias=bias)


class LazyInstanceNorm1d(LazyInstanceNorm, batchnorm.InstanceNorm1d):
    """An InstanceNorm1d that takes `num_features` from its first input."""


class LazyInstanceNorm2d(LazyInstanceNorm, batchnorm.InstanceNorm2d):
    """An InstanceNorm2d that takes `num_features` from its first input."""


class LazyInstanceNorm3d(LazyInstanceNorm, batchnorm.InstanceNorm3d):
    """An InstanceNorm3d that takes `num_features` from its first input."""

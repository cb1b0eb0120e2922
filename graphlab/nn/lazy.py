"""Layers that learn the size of their input from the first one that they are given.

Until then their parameters have no shape. The first call gives them one, and the layer becomes
what it stands for: a LazyLinear becomes a Linear.

Read next: nn/linear.py
"""

from typing import Any

from graphlab.common.dtypes import dtype, get_default_dtype, int64
from graphlab.common.dtypes import dtype as Kind
from graphlab.nn import batchnorm, conv, linear
from graphlab.nn.parameter import SLOTS, Buffer, Parameter
from graphlab.tensor.creation import empty, tensor
from graphlab.tensor.tensor import Tensor

NO_SHAPE = (
    "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
    "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. "
    "Call `forward` to initialize the parameters before accessing their attributes."
)
NO_DATA = (
    "Attempted to use an uninitialized parameter. This error happens when you are using a "
    "`LazyModule` or explicitly manipulating `torch.nn.parameter.{}` objects. When using "
    "LazyModules Call `forward` with a dummy batch to initialize the parameters before calling "
    "torch functions"
)


class Uninitialized(Tensor):
    """What both kinds have: a type, but neither shape nor data."""

    becomes: type[Tensor] = Tensor
    _kind: dtype

    @property
    def _data(self) -> Any:  # type: ignore[override]
        raise ValueError(NO_DATA.format(type(self).__name__))

    @_data.setter
    def _data(self, data: Any) -> None:
        raise ValueError(NO_DATA.format(type(self).__name__))

    _array = _data  # type: ignore[assignment]

    @property
    def shape(self) -> Any:  # type: ignore[override]
        raise RuntimeError(NO_SHAPE)

    @property
    def dtype(self) -> Any:
        return self._kind

    def is_floating_point(self) -> bool:
        return self._kind.is_floating_point

    def to(self, *args: Any, **kwargs: Any) -> Any:
        """The parameter itself, which will have another type."""
        for given in (*args, *kwargs.values()):
            if isinstance(given, Kind):
                self._kind = given
        return self

    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Give it a shape; from now on it is like any other."""
        data = empty(shape, dtype=dtype or self._kind)._data
        self.__class__ = self.becomes  # type: ignore[assignment]
        self._data = data  # type: ignore[misc]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            memo[id(self)] = begun(type(self), self.requires_grad, self._kind)
        return memo[id(self)]

    def __reduce_ex__(self, protocol: Any) -> Any:
        return (begun, (type(self), self.requires_grad, self._kind))


def begun(cls: Any, requires_grad: bool, kind: dtype | None) -> Any:
    """A tensor of a class without data."""
    made = object.__new__(cls)
    model = empty(0)
    for name in SLOTS:
        if name not in ("_array", "_entry") and hasattr(model, name):
            setattr(made, name, getattr(model, name))
    made._needs = requires_grad
    made._kind = kind or get_default_dtype()
    if issubclass(cls, Buffer):
        made.persistent = True
    return made


class UninitializedParameter(Uninitialized, Parameter):
    """A parameter that has no shape yet."""

    becomes = Parameter

    def __new__(
        cls, requires_grad: bool = True, device: Any = None, dtype: dtype | None = None
    ) -> "UninitializedParameter":
        return begun(cls, requires_grad, dtype)

    def __init__(self, *args: Any, **options: Any) -> None:
        """Everything is done by `__new__`."""


class UninitializedBuffer(Uninitialized, Buffer):
    """A buffer that has no shape yet."""

    becomes = Buffer

    def __new__(
        cls, requires_grad: bool = False, device: Any = None, dtype: dtype | None = None
    ) -> "UninitializedBuffer":
        return begun(cls, requires_grad, dtype)

    def __init__(self, *args: Any, **options: Any) -> None:
        """Everything is done by `__new__`."""


class Lazy:
    """What is put before a layer to make it lazy."""

    cls_to_become: Any = None

    def has_uninitialized_params(self: Any) -> bool:
        """Whether something has no shape yet."""
        held = [*self._parameters.values(), *self._buffers.values()]
        return any(isinstance(one, Uninitialized) for one in held)

    def reset_parameters(self: Any) -> None:
        """Begin anew, once there is something to begin."""
        if not self.has_uninitialized_params() and self._size() != 0:
            self.cls_to_become.reset_parameters(self)

    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:
        if self.has_uninitialized_params():
            self.initialize_parameters(*args, **kwargs)
        self.__class__ = self.cls_to_become
        return self(*args, **kwargs)


class LazyLinear(Lazy, linear.Linear):
    """A Linear that finds in_features. input: (..., anything) -> (..., out_features).

    >>> import graphlab as torch
    >>> layer = LazyLinear(3)
    >>> _ = layer(torch.ones(5, 2))
    >>> layer
    Linear(in_features=2, out_features=3, bias=True)
    """

    cls_to_become = linear.Linear

    def __init__(
        self, out_features: int, bias: bool = True, device: Any = None, dtype: dtype | None = None
    ) -> None:
        super().__init__(0, 0, False)
        self.weight = UninitializedParameter(dtype=dtype)
        self.out_features = out_features
        if bias:
            self.bias = UninitializedParameter(dtype=dtype)

    def _size(self) -> int:
        return self.in_features

    def initialize_parameters(self, input: Tensor) -> None:
        """Take the size from an input."""
        self.in_features = input.shape[-1]
        self.weight.materialize((self.out_features, self.in_features))
        if self.bias is not None:
            self.bias.materialize((self.out_features,))
        self.reset_parameters()


class LazyConvolution(Lazy):
    """What the lazy convolutions have."""

    def _begin(self: Any, out_channels: int, bias: bool, kind: dtype | None) -> None:
        self.weight = UninitializedParameter(dtype=kind)
        self.out_channels = out_channels
        if bias:
            self.bias = UninitializedParameter(dtype=kind)

    def _size(self: Any) -> int:
        return self.in_channels

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
        first, second = self.out_channels, self.in_channels
        if self.transposed:
            first, second = second, first
        self.weight.materialize((first, second // self.groups, *self.kernel_size))
        if self.bias is not None:
            self.bias.materialize((self.out_channels,))
        self.reset_parameters()


def lazy_convolution(name: str, kind: type[conv.Convolution]) -> type[Any]:
    """The class LazyConv2d for Conv2d, and its kin."""

    def __init__(
        self: Any, out_channels: int, kernel_size: Any, *args: Any, **options: Any
    ) -> None:
        order = ("stride", "padding", "dilation", "groups", "bias", "padding_mode")
        if kind.transposed:
            order = ("stride", "padding", "output_padding", "groups", "bias", "dilation")
        given = {**dict(zip(order, args, strict=False)), **options}
        bias = given.pop("bias", True)
        kind.__init__(self, 0, 0, kernel_size, bias=False, **given)
        self._begin(out_channels, bias, given.get("dtype"))

    return type(
        name,
        (LazyConvolution, kind),
        {
            "__init__": __init__,
            "__doc__": f"A {kind.__name__} that finds in_channels.",
            "__module__": __name__,
            "cls_to_become": kind,
        },
    )


LazyConv1d = lazy_convolution("LazyConv1d", conv.Conv1d)
LazyConv2d = lazy_convolution("LazyConv2d", conv.Conv2d)
LazyConv3d = lazy_convolution("LazyConv3d", conv.Conv3d)
LazyConvTranspose1d = lazy_convolution("LazyConvTranspose1d", conv.ConvTranspose1d)
LazyConvTranspose2d = lazy_convolution("LazyConvTranspose2d", conv.ConvTranspose2d)
LazyConvTranspose3d = lazy_convolution("LazyConvTranspose3d", conv.ConvTranspose3d)


class LazyChannelNorm(Lazy):
    """What the lazy batch norms have."""

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
        self.cls_to_become.__init__(self, 0, eps, momentum, False, False)
        self.affine = affine
        self.track_running_stats = track_running_stats
        if affine:
            self.weight = UninitializedParameter(dtype=dtype)
            if bias:
                self.bias = UninitializedParameter(dtype=dtype)
        if track_running_stats:
            self.running_mean = UninitializedBuffer(dtype=dtype)
            self.running_var = UninitializedBuffer(dtype=dtype)
            self.num_batches_tracked = tensor(0, dtype=int64)

    def _size(self: Any) -> int:
        return self.num_features

    def initialize_parameters(self: Any, input: Tensor) -> None:
        """Take the number of channels from an input."""
        self.num_features = input.shape[1]
        for held in [*self._parameters.values(), *self._buffers.values()]:
            if isinstance(held, Uninitialized):
                held.materialize((self.num_features,))
        self.reset_parameters()


class LazyBatchNorm1d(LazyChannelNorm, batchnorm.BatchNorm1d):
    """A BatchNorm1d that finds num_features."""

    cls_to_become = batchnorm.BatchNorm1d


class LazyBatchNorm2d(LazyChannelNorm, batchnorm.BatchNorm2d):
    """A BatchNorm2d that finds num_features."""

    cls_to_become = batchnorm.BatchNorm2d


class LazyBatchNorm3d(LazyChannelNorm, batchnorm.BatchNorm3d):
    """A BatchNorm3d that finds num_features."""

    cls_to_become = batchnorm.BatchNorm3d

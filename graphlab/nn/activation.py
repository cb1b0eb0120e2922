"""Activations as modules: `nn.ReLU()(x)` is `F.relu(x)`.

Read next: nn/functional/activation.py
"""

import warnings
from typing import Any

from graphlab.common.devices import check_device
from graphlab.common.dtypes import dtype
from graphlab.nn import functional as F
from graphlab.nn import init
from graphlab.nn.calling import Calling
from graphlab.nn.module import Module
from graphlab.nn.parameter import Parameter
from graphlab.tensor import functions as core
from graphlab.tensor.creation import full
from graphlab.tensor.tensor import Tensor


class Activation(Calling):
    """An activation; its line shows `inplace` only where it is set."""

    def extra_repr(self) -> str:
        names = [name for name in self.shown if name != "inplace" or self.inplace]
        return ", ".join(f"{name}={getattr(self, name)}" for name in names)


class InPlace(Activation):
    """An activation without options but `inplace`."""

    options = shown = ("inplace",)

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


class ReLU(InPlace):
    """max(x, 0). input: (...) -> (...)."""

    def forward(self, *inputs: Tensor) -> Tensor:
        return inputs[0].relu_() if self.inplace else F.relu(*inputs)


class ReLU6(InPlace):
    """min(max(x, 0), 6). input: (...) -> (...)."""

    function = "relu6"


class SiLU(InPlace):
    """x · sigmoid(x), also called swish. input: (...) -> (...)."""

    function = "silu"


class Mish(InPlace):
    """x · tanh(softplus(x)). input: (...) -> (...)."""

    function = "mish"


class SELU(InPlace):
    """An elu that keeps mean 0 and variance 1. input: (...) -> (...)."""

    function = "selu"


class Hardsigmoid(InPlace):
    """(x + 3) / 6, held between 0 and 1. input: (...) -> (...)."""

    function = "hardsigmoid"
    shown = ()

    def extra_repr(self) -> str:
        return ""


class Hardswish(Hardsigmoid):
    """x times its hardsigmoid. input: (...) -> (...)."""

    function = "hardswish"


class Sigmoid(Activation):
    """1 / (1 + exp(-x)). input: (...) -> (...)."""

    function = "sigmoid"


class Tanh(Activation):
    """tanh(x). input: (...) -> (...)."""

    function = "tanh"


class LogSigmoid(Activation):
    """log(sigmoid(x)), without overflow. input: (...) -> (...)."""

    function = "logsigmoid"


class Softsign(Activation):
    """x / (1 + |x|). input: (...) -> (...)."""

    function = "softsign"


class Tanhshrink(Activation):
    """x - tanh(x). input: (...) -> (...)."""

    function = "tanhshrink"


class GELU(Activation):
    """x · Φ(x), Φ the normal distribution function. input: (...) -> (...)."""

    function = "gelu"
    options = ("approximate",)

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"


class LeakyReLU(Activation):
    """x, or negative_slope · x where it is negative. input: (...) -> (...)."""

    function = "leaky_relu"
    options = shown = ("negative_slope", "inplace")

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace


class ELU(Activation):
    """x, or α (eˣ - 1) where it is negative. input: (...) -> (...)."""

    function = "elu"
    options = shown = ("alpha", "inplace")

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace


class CELU(ELU):
    """x, or α (exp(x/α) - 1) where it is negative. input: (...) -> (...)."""

    function = "celu"


class Hardtanh(Activation):
    """x, held between min_val and max_val. input: (...) -> (...)."""

    function = "hardtanh"
    options = shown = ("min_val", "max_val", "inplace")

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.min_val = min_val
        self.max_val = max_val
        self.inplace = inplace
        if self.max_val <= self.min_val:
            raise AssertionError(
                f"max_val ({self.max_val}) must be greater than min_val ({self.min_val})"
            )


class Hardshrink(Activation):
    """x, or 0 where |x| is at most lambd. input: (...) -> (...)."""

    function = "hardshrink"
    options = ("lambd",)

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def extra_repr(self) -> str:
        return str(self.lambd)


class Softshrink(Hardshrink):
    """x, moved towards 0 by lambd. input: (...) -> (...)."""

    function = "softshrink"


class Softplus(Activation):
    """log(1 + exp(β x)) / β, a smooth relu. input: (...) -> (...)."""

    function = "softplus"
    options = shown = ("beta", "threshold")

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold


class Threshold(Activation):
    """x where it is above the threshold, `value` elsewhere. input: (...) -> (...)."""

    function = "threshold"
    options = shown = ("threshold", "value", "inplace")

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace


class GLU(Activation):
    """a · sigmoid(b), where a and b are the halves of the input along dim."""

    function = "glu"
    options = shown = ("dim",)

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim


class PReLU(Module):
    """A leaky relu with slopes that are learnt. input: (N, C, ...) -> (N, C, ...)."""

    def __init__(
        self,
        num_parameters: int = 1,
        init: float = 0.25,
        device: Any = None,
        dtype: dtype | None = None,
    ) -> None:
        super().__init__()
        check_device(device)
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(full((num_parameters,), float(init), dtype=dtype))

    def reset_parameters(self) -> None:
        """Begin anew, with the first slope."""
        init.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


class RReLU(Activation):
    """A leaky relu with a random slope in training, and its mean otherwise."""

    options = ("lower", "upper", "training", "inplace")
    function = "rrelu"
    shown = ("lower", "upper", "inplace")

    def __init__(
        self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False
    ) -> None:
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace


# -- over a dim ----------------------------------------------------------------------------------


class Softmax(Activation):
    """Positive numbers that sum to 1 along dim. input: (...) -> (...)."""

    function = "softmax"
    shown = ("dim",)

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, *inputs: Tensor) -> Tensor:
        (input,) = inputs
        dim = self.dim
        if dim is None:
            warnings.warn(
                f"Implicit dimension choice for {self.function} has been deprecated. Change the "
                "call to include dim=X as an argument.",
                UserWarning,
                stacklevel=3,
            )
            dim = 0 if input.ndim in (0, 1, 3) else 1
        return getattr(F, self.function)(input, dim)


class LogSoftmax(Softmax):
    """The log of softmax along dim. input: (...) -> (...)."""

    function = "log_softmax"


class Softmin(Softmax):
    """The softmax of -x along dim. input: (...) -> (...)."""

    function = "softmin"


class Softmax2d(Module):
    """The softmax over the channels. input: (N, C, H, W) or (C, H, W) -> the same."""

    def forward(self, input: Tensor) -> Tensor:
        if input.dim() not in (3, 4):
            raise ValueError(
                f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead"
            )
        return core.softmax(input, -3)

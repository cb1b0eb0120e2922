"""Activations of straight lines and exponentials: ReLU and its variants.

Read next: nn/functional/piecewise.py
"""

from typing import Any

from graphlab.common.dtypes import dtype
from graphlab.nn import functional as F
from graphlab.nn import init as initial
from graphlab.nn.activation import Activation
from graphlab.nn.layer import Layer
from graphlab.tensor.tensor import Tensor


class ReLU(Activation):
    """Replace negative entries by 0: max(x, 0).

    >>> ReLU()(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """

    function = "relu"

    def forward(self, *inputs: Tensor) -> Tensor:  # called most often
        return inputs[0].relu_() if self.inplace else F.relu(*inputs)


class ReLU6(Activation):
    """Limit each entry to [0, 6]: min(max(x, 0), 6).

    >>> ReLU6()(torch.tensor([-1.0, 2.0, 8.0]))
    tensor([0., 2., 6.])
    """

    function = "relu6"

    def forward(self, *inputs: Tensor) -> Tensor:
        return F.hardtanh(*inputs, 0.0, 6.0, self.inplace)


class Hardsigmoid(Activation):
    """Approximate the sigmoid by straight lines: min(max(x + 3, 0), 6) / 6.

    >>> Hardsigmoid()(torch.tensor([-4.0, 0.0, 1.5, 4.0]))
    tensor([0.0000, 0.5000, 0.7500, 1.0000])
    """

    function = "hardsigmoid"
    shown = ()


class Hardswish(Hardsigmoid):
    """Weight each entry by its hardsigmoid: x · min(max(x + 3, 0), 6) / 6.

    Source: Howard et al. 2019, arXiv:1905.02244.

    >>> Hardswish()(torch.tensor([-4.0, 0.0, 1.0, 4.0]))
    tensor([-0.0000, 0.0000, 0.6667, 4.0000])
    """

    function = "hardswish"


class SELU(Activation):
    """Apply a scaled elu that keeps mean 0 and variance 1 through many layers.

    scale · x for x > 0, else scale · α · (eˣ - 1), with α ≈ 1.6733 and scale ≈ 1.0507.

    Source: Klambauer et al. 2017, arXiv:1706.02515.

    >>> SELU()(torch.tensor([-1.0, 1.0]))
    tensor([-1.1113,  1.0507])
    """

    function = "selu"


class LeakyReLU(Activation):
    """Give negative entries a small slope: x for x > 0, else negative_slope · x.

    negative_slope: float, the slope below 0; default 0.01.

    >>> LeakyReLU(0.1)(torch.tensor([-1.0, 2.0]))
    tensor([-0.1000,  2.0000])
    """

    function = "leaky_relu"


class RReLU(Activation):
    """Give negative entries a random slope in training, and the mean slope in evaluation.

    x for x > 0, else a · x, with a drawn uniformly from [lower, upper] for each entry; after
    `eval()`, a = (lower + upper) / 2.

    lower: float, the smallest slope; default 1/8.
    upper: float, the largest slope; default 1/3.

    Source: Xu et al. 2015, arXiv:1505.00853.

    >>> RReLU(0.1, 0.3).eval()(torch.tensor([-1.0, 2.0]))
    tensor([-0.2000,  2.0000])
    """

    function = "rrelu"


class PReLU(Layer):
    """Give negative entries a slope that is learned: x for x > 0, else weight · x.

    num_parameters: int, the number of slopes: 1, the default, or one per channel.
    init: float, the initial value of the slopes; default 0.25.

    Shapes: (N, C, ...) -> the same; with one slope (...) -> the same.

    Attributes:
        weight: (num_parameters,)

    Source: He et al. 2015, arXiv:1502.01852.

    >>> PReLU()(torch.tensor([-1.0, 2.0]))
    tensor([-0.2500,  2.0000], grad_fn=<PreluKernelBackward0>)
    """

    def __init__(
        self,
        num_parameters: int = 1,
        init: float = 0.25,
        device: Any = None,
        dtype: dtype | None = None,
    ) -> None:
        super().__init__(device)
        self.num_parameters = num_parameters
        self.init = init
        self._add_weight("weight", num_parameters, dtype=dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set all slopes to `init`."""
        initial.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


class ELU(Activation):
    """Map negative entries into (-α, 0): x for x > 0, else α · (eˣ - 1).

    alpha: float, α; default 1.

    Source: Clevert et al. 2016, arXiv:1511.07289.

    >>> ELU()(torch.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """

    function = "elu"


class CELU(ELU):
    """Map negative entries into (-α, 0) with slope 1 at 0: x for x > 0, else α · (exp(x/α) - 1).

    alpha: float, α, not 0; default 1, for which it is ELU.

    Source: Barron 2017, arXiv:1704.07483.

    >>> CELU(2.0)(torch.tensor([-1.0, 2.0]))
    tensor([-0.7869,  2.0000])
    """

    function = "celu"


class Hardtanh(Activation):
    """Limit each entry to [min_val, max_val].

    min_val: float, the lower limit; default -1.
    max_val: float, the upper limit; default 1.

    Raises: AssertionError if `max_val` is not above `min_val`.

    >>> Hardtanh()(torch.tensor([-2.0, 0.5, 2.0]))
    tensor([-1.0000,  0.5000,  1.0000])
    """

    function = "hardtanh"

    def _keep(self, options: dict[str, Any]) -> None:
        least, most = options["min_val"], options["max_val"]
        if most <= least:
            raise AssertionError(f"max_val ({most}) must be greater than min_val ({least})")
        super()._keep(options)


class Hardshrink(Activation):
    """Replace entries near 0 by 0: x for |x| > lambd, else 0.

    lambd: float, the largest absolute value that becomes 0; default 0.5.

    >>> Hardshrink()(torch.tensor([-1.0, 0.3, 2.0]))
    tensor([-1.,  0.,  2.])
    """

    function = "hardshrink"

    def extra_repr(self) -> str:
        return str(self.lambd)


class Softshrink(Hardshrink):
    """Move each entry towards 0 by lambd: sign(x) · max(|x| - lambd, 0).

    lambd: float ≥ 0, the distance; default 0.5.

    >>> Softshrink()(torch.tensor([-1.0, 0.3, 2.0]))
    tensor([-0.5000,  0.0000,  1.5000])
    """

    function = "softshrink"


class Threshold(Activation):
    """Replace entries up to a threshold by a value: x for x > threshold, else value.

    threshold: float, the largest entry that is replaced.
    value: float, the number in its place.

    >>> Threshold(1.0, -5.0)(torch.tensor([0.5, 1.0, 2.0]))
    tensor([-5., -5.,  2.])
    """

    function = "threshold"

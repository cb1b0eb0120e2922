"""Activations as modules: `nn.Tanh()(x)` is `F.tanh(x)`.

Read next: nn/rectifiers.py
"""

from graphlab.nn.layer import FunctionLayer
from graphlab.tensor import functions as core
from graphlab.tensor.tensor import Tensor


class Activation(FunctionLayer):
    """The base of the activation layers, which apply a function to each entry.

    inplace: bool, whether to write the output into the input's memory; default False.

    Shapes: (...) -> the same.
    """

    def extra_repr(self) -> str:
        names = self.options if self.shown is None else self.shown
        names = [n for n in names if n != "training" and (n != "inplace" or self.inplace)]
        return ", ".join(f"{name}={getattr(self, name)}" for name in names)


class Sigmoid(Activation):
    """Squash each entry into (0, 1): σ(x) = 1 / (1 + exp(-x)).

    >>> Sigmoid()(torch.tensor([-2.0, 0.0, 2.0]))
    tensor([0.1192, 0.5000, 0.8808])
    """

    function = "sigmoid"


class LogSigmoid(Activation):
    """Take the logarithm of the sigmoid without overflow: log σ(x) = -log(1 + exp(-x)).

    >>> LogSigmoid()(torch.tensor([-200.0, 0.0]))
    tensor([-200.0000,   -0.6931])
    """

    function = "logsigmoid"


class Tanh(Activation):
    """Squash each entry into (-1, 1): tanh(x) = (eˣ - e⁻ˣ) / (eˣ + e⁻ˣ).

    >>> Tanh()(torch.tensor([-1.0, 0.0, 1.0]))
    tensor([-0.7616,  0.0000,  0.7616])
    """

    function = "tanh"


class Tanhshrink(Activation):
    """Subtract the tanh of each entry from it: x - tanh(x).

    >>> Tanhshrink()(torch.tensor([-1.0, 0.0, 1.0]))
    tensor([-0.2384,  0.0000,  0.2384])
    """

    function = "tanhshrink"


class Softsign(Activation):
    """Squash each entry into (-1, 1): x / (1 + |x|).

    >>> Softsign()(torch.tensor([-1.0, 0.0, 3.0]))
    tensor([-0.5000,  0.0000,  0.7500])
    """

    function = "softsign"


class SiLU(Activation):
    """Weight each entry by its sigmoid: x · σ(x), also called swish.

    Source: Elfwing et al. 2018, arXiv:1702.03118.

    >>> SiLU()(torch.tensor([-1.0, 0.0, 1.0]))
    tensor([-0.2689,  0.0000,  0.7311])
    """

    function = "silu"


class Mish(Activation):
    """Weight each entry by the tanh of its softplus: x · tanh(log(1 + eˣ)).

    Source: Misra 2019, arXiv:1908.08681.

    >>> Mish()(torch.tensor([-1.0, 0.0, 1.0]))
    tensor([-0.3034,  0.0000,  0.8651])
    """

    function = "mish"


class GELU(Activation):
    """Weight each entry by the normal distribution function: x · Φ(x), Φ(x) = P(N(0, 1) ≤ x).

    approximate: str, "none" for the exact Φ, the default, or "tanh" for the faster
        0.5 · x · (1 + tanh(√(2/π) · (x + 0.044715 · x³))).

    Source: Hendrycks & Gimpel 2016, arXiv:1606.08415.

    >>> GELU()(torch.tensor([-1.0, 0.0, 1.0]))
    tensor([-0.1587,  0.0000,  0.8413])
    """

    function = "gelu"

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"


class Softplus(Activation):
    """Smooth the relu: log(1 + exp(β·x)) / β.

    beta: float, β: the larger, the closer to the relu; default 1.
    threshold: float; the output is x itself if β·x is above it, so that exp does not overflow;
        default 20.

    >>> Softplus()(torch.tensor([-1.0, 0.0, 30.0]))
    tensor([ 0.3133,  0.6931, 30.0000])
    """

    function = "softplus"
    options = shown = ("beta", "threshold")

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__(beta=beta, threshold=threshold)


class GLU(Activation):
    """Weight one half of the input by the sigmoid of the other: a · σ(b).

    dim: int, the dimension that is split into the halves a and b; default -1, the last.

    Shapes: (*A, 2·n, *B) -> (*A, n, *B), where 2·n is the size of `dim`.

    Source: Dauphin et al. 2017, arXiv:1612.08083.

    >>> GLU()(torch.tensor([3.0, 4.0, 0.0, 100.0]))
    tensor([1.5000, 4.0000])
    """

    function = "glu"


# -- along a dimension -----------------------------------------------------------------------------


class Softmax(Activation):
    """Turn scores into probabilities along a dimension: exp(xᵢ) / Σⱼ exp(xⱼ).

    dim: int, the dimension along which the probabilities sum to 1. The default None, which is
        deprecated, means 0 for inputs of 0, 1 or 3 dimensions and 1 for others, with a warning.

    >>> Softmax(dim=-1)(torch.tensor([1.0, 2.0, 3.0]))
    tensor([0.0900, 0.2447, 0.6652])
    """

    function = "softmax"
    options = ("dim",)


class LogSoftmax(Softmax):
    """Turn scores into log-probabilities along a dimension: xᵢ - log Σⱼ exp(xⱼ).

    >>> LogSoftmax(dim=-1)(torch.tensor([1.0, 2.0, 3.0]))
    tensor([-2.4076, -1.4076, -0.4076])
    """

    function = "log_softmax"
    options = ("dim",)


class Softmin(Softmax):
    """Turn scores into probabilities, the largest for the smallest score: softmax(-x).

    >>> Softmin(dim=-1)(torch.tensor([1.0, 2.0, 3.0]))
    tensor([0.6652, 0.2447, 0.0900])
    """

    function = "softmin"
    options = ("dim",)


class Softmax2d(Activation):
    """Apply softmax over the channels of each pixel of an image.

    Shapes: (N, C, H, W) or (C, H, W) -> the same.

    Raises: ValueError, in the call, for an input that is neither 3-D nor 4-D.

    >>> Softmax2d()(torch.zeros(4, 1, 2))[0]
    tensor([[0.2500, 0.2500]])
    """

    def forward(self, *inputs: Tensor) -> Tensor:
        (input,) = inputs
        if input.dim() not in (3, 4):
            raise ValueError(
                f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead"
            )
        return core.softmax(input, -3)

"""Smooth activation functions: `F.gelu(x)`, `F.elu(x, 0.5)`, and in-place forms: `F.elu_(x)`.

The softmax family: `F.softmax(x, dim=1)`, `F.log_softmax`, `F.softmin`, `F.gumbel_softmax`.

Read next: nn/functional/piecewise.py
"""

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from graphlab.autograd.record import apply
from graphlab.common.dtypes import dtype as Type
from graphlab.common.dtypes import named
from graphlab.common.errors import users_level
from graphlab.common.public import mark, public
from graphlab.ops import activation as a
from graphlab.ops.base import Op
from graphlab.tensor import functions as F
from graphlab.tensor.creation import zeros
from graphlab.tensor.functions import reductions
from graphlab.tensor.functions.checks import given_dim, need_floats
from graphlab.tensor.inplace import in_place
from graphlab.tensor.tensor import Tensor, wrap

SELU_ALPHA, SELU_SCALE = 1.6732632423543772, 1.0507009873554805  # PyTorch, Activation.cpp


def activation(input: Tensor, op: type[Op], inplace: bool, *more: Any, **options: Any) -> Tensor:
    """Return an activation of the input, with `inplace` in the input's own memory."""

    def run(input: Tensor) -> Tensor:
        return apply(op, input, *more, **options)

    return in_place(run)(input) if inplace else run(input)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return x where it is positive, and alpha · (eˣ - 1) elsewhere.

    input: (...) -> (...)
    alpha: float, -alpha is the limit for x → -∞
    inplace: bool, write the result over `input`
    Source: Clevert, Unterthiner & Hochreiter 2016.

    >>> elu(torch.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """
    return activation(input, a.Elu, inplace, alpha=alpha, scale=1, input_scale=1)


@public()
def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return s · x where x is positive, and s · α (eˣ - 1) elsewhere; s = 1.0507, α = 1.6733.

    With these constants, layers keep mean 0 and variance 1.

    input: (...) -> (...)
    inplace: bool, write the result over `input`
    Source: Klambauer et al. 2017.

    >>> selu(torch.tensor([-1.0, 2.0]))
    tensor([-1.1113,  2.1014])
    """
    return activation(input, a.Elu, inplace, alpha=SELU_ALPHA, scale=SELU_SCALE, input_scale=1)


@public()
def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return x where it is positive, and alpha · (exp(x / alpha) - 1) elsewhere.

    input: (...) -> (...)
    alpha: float, not 0; -alpha is the limit for x → -∞
    inplace: bool, write the result over `input`
    Source: Barron 2017.

    >>> celu(torch.tensor([-1.0, 2.0]), 2.0)
    tensor([-0.7869,  2.0000])
    """
    return activation(input, a.Celu, inplace, alpha=alpha)


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """Return x Φ(x), where Φ is the cumulative distribution function of N(0, 1).

    input: (...) -> (...)
    approximate: "none", or "tanh" for x/2 · (1 + tanh(√(2/π) (x + 0.044715 x³)))
    Raises: RuntimeError for another approximation.
    Source: Hendrycks & Gimpel 2016.

    >>> gelu(torch.tensor([-1.0, 2.0]))
    tensor([-0.1587,  1.9545])
    """
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    return apply(a.Gelu, input, approximate=approximate)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return x σ(x), also called swish.

    input: (...) -> (...)
    inplace: bool, write the result over `input`
    Source: Hendrycks & Gimpel 2016; Ramachandran, Zoph & Le 2017.

    >>> silu(torch.tensor([-1.0, 2.0]))
    tensor([-0.2689,  1.7616])
    """
    return activation(input, a.Silu, inplace)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """Return x tanh(log(1 + eˣ)).

    input: (...) -> (...)
    inplace: bool, write the result over `input`
    Source: Misra 2019.

    >>> mish(torch.tensor([-1.0, 2.0]))
    tensor([-0.3034,  1.9440])
    """
    return activation(input, a.Mish, inplace)


def softplus(input: Tensor, beta: float = 1, threshold: float = 20) -> Tensor:
    """Return log(1 + exp(beta · x)) / beta, a smooth relu.

    input: (...) -> (...)
    beta: float > 0; the larger, the closer to relu
    threshold: float; the result is x itself if beta · x is above it, so that exp does not overflow

    >>> softplus(torch.tensor([-1.0, 2.0]))
    tensor([0.3133, 2.1269])
    """
    return apply(a.Softplus, input, beta=beta, threshold=threshold)


def logsigmoid(input: Tensor) -> Tensor:
    """Return log σ(x), computed without overflow.

    input: (...) -> (...)

    >>> logsigmoid(torch.tensor([-1.0, 2.0]))
    tensor([-1.3133, -0.1269])
    """
    return apply(a.LogSigmoid, input)


def softsign(input: Tensor) -> Tensor:
    """Return x / (1 + |x|).

    input: (...) -> (...)

    >>> softsign(torch.tensor([-1.0, 3.0]))
    tensor([-0.5000,  0.7500])
    """
    return F.div(input, F.add(F.abs(input), 1))


def tanhshrink(input: Tensor) -> Tensor:
    """Return x - tanh(x).

    input: (...) -> (...)

    >>> tanhshrink(torch.tensor([-1.0, 2.0]))
    tensor([-0.2384,  1.0360])
    """
    return F.sub(input, F.tanh(input))


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """Return a σ(b), where a and b are the two halves of the input along `dim`.

    input: (..., 2n, ...) -> (..., n, ...)
    dim: int, the dimension that is halved
    Raises: RuntimeError for an odd size, NotImplementedError for integers.
    Source: Dauphin et al. 2017.

    >>> glu(torch.tensor([4.0, 0.0]))
    tensor([2.])
    """
    if input.ndim == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    d = given_dim(dim, input.ndim)
    if input.shape[d] % 2:
        raise RuntimeError(
            f"Halving dimension must be even, but dimension {d % input.ndim} is size "
            f"{input.shape[d]}"
        )
    need_floats("glu_cpu", input)
    return apply(a.Glu, input, dim=d)


# -- in place ------------------------------------------------------------------------------------


def inplace_form(function: Callable[..., Tensor], more: str = "") -> Callable[..., Tensor]:
    """Return the in-place form, such as `elu_` of `elu`. more: arguments for its doctest."""

    def call(input: Tensor, *args: Any, **options: Any) -> Tensor:
        return function(input, *args, **options, inplace=True)

    signature = inspect.signature(function)
    others = [p for name, p in signature.parameters.items() if name != "inplace"]
    name = call.__name__ = call.__qualname__ = f"{function.__name__}_"
    call.__signature__ = signature.replace(parameters=others)
    call.__doc__ = f"""Apply `{function.__name__}` in place, and return `input`.

    {", ".join(p.name for p in others)}: as in `{function.__name__}`
    Raises: RuntimeError for a leaf that requires a gradient.

    >>> import graphlab as torch
    >>> x = torch.tensor([-1.0, 2.0])
    >>> {name}(x{more}) is x
    True
    """
    return call


elu_, selu_, celu_ = inplace_form(elu), inplace_form(selu), inplace_form(celu)

mark("celu_ selu_")


def prepared(name: str, input: Tensor, dim: int | None, dtype: Type | None) -> tuple[Tensor, int]:
    """Return the input in the given dtype, and the dim, which None leaves to the input's shape."""
    if dim is None:
        warnings.warn(
            f"Implicit dimension choice for {name} has been deprecated. Change the call to include "
            "dim=X as an argument.",
            UserWarning,
            stacklevel=users_level(),
        )
        dim = 0 if input.ndim in (0, 1, 3) else 1
    return input if dtype is None else input.to(named(name, dtype)), dim


def softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Type | None = None
) -> Tensor:
    """Return exp(x) / Σ exp(x), with the sum along `dim`: probabilities from scores x.

    input: (...) -> (...)
    dim: int; None, which is deprecated, means 0 for inputs of 0, 1 or 3 dimensions and 1 for others
    dtype: the dtype to compute in, or None for that of the input
    _stacklevel: accepted as in PyTorch, without effect here
    Warns: UserWarning for dim=None.

    >>> softmax(torch.tensor([0.0, 0.0]), dim=0)
    tensor([0.5000, 0.5000])
    """
    return reductions.softmax(*prepared("softmax", input, dim, dtype))


def log_softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Type | None = None
) -> Tensor:
    """Return x - log Σ exp(x), the logarithm of the softmax, with the sum along `dim`.

    input: (...) -> (...)
    dim, dtype, _stacklevel: as in `softmax`

    >>> log_softmax(torch.tensor([0.0, 0.0]), dim=0)
    tensor([-0.6931, -0.6931])
    """
    return reductions.log_softmax(*prepared("log_softmax", input, dim, dtype))


def softmin(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Type | None = None
) -> Tensor:
    """Return exp(-x) / Σ exp(-x), the softmax of -x, with the sum along `dim`.

    input: (...) -> (...)
    dim, dtype, _stacklevel: as in `softmax`

    >>> softmin(torch.tensor([0.0, 1.0]), dim=0)
    tensor([0.7311, 0.2689])
    """
    x, dim = prepared("softmin", F.neg(input), dim, dtype)
    return reductions.softmax(x, dim)


def gumbel_softmax(
    logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    """Return softmax((logits + g) / tau) along `dim`, with Gumbel-distributed noise g.

    The result is a random class as a nearly one-hot vector, which is differentiable; it is closer
    to one-hot for a smaller tau.

    logits: (...) -> (...), log-probabilities up to a constant
    tau: float > 0, the temperature
    hard: bool, return the one-hot vector, but with the gradient of the soft one
    eps: deprecated, without effect
    dim: int, the dimension of the classes
    Warns: UserWarning for another eps than the default.
    Source: Jang, Gu & Poole 2017; Maddison, Mnih & Teh 2017.

    >>> gumbel_softmax(torch.tensor([0.0, 100.0]), hard=True)
    tensor([0., 1.])
    """
    if eps != 1e-10:
        warnings.warn(
            "`eps` parameter is deprecated and has no effect.",
            UserWarning,
            stacklevel=users_level(),
        )
    noise = -F.log(F.exponential_(zeros(logits.shape, dtype=logits.dtype)))
    soft = reductions.softmax((logits + noise) / tau, dim)
    if not hard:
        return soft
    chosen = np.zeros_like(soft._data)
    index = np.argmax(soft._data, axis=dim, keepdims=True)
    np.put_along_axis(chosen, index, 1, axis=dim)
    return wrap(chosen, False, None) - soft.detach() + soft

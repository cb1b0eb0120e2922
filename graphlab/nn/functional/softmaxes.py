"""The softmax family: `F.softmax(x, dim=1)`, `F.log_softmax`, `F.softmin`, `F.gumbel_softmax`.

Read next: nn/functional/loss.py
"""

import warnings

import numpy as np

from graphlab.common.dtypes import dtype as Type
from graphlab.common.dtypes import named
from graphlab.common.errors import users_level
from graphlab.tensor import functions as F
from graphlab.tensor.creation import zeros
from graphlab.tensor.functions import reductions
from graphlab.tensor.tensor import Tensor, wrap


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

    >>> import graphlab as torch
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

    >>> import graphlab as torch
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

    >>> import graphlab as torch
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

    >>> import graphlab as torch
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

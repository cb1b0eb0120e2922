"""Softmaxes whose dim may be left out, gates, noise, and activations in place: `F.relu_(x)`.

Read next: nn/functional/losses.py
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from graphlab.autograd.record import apply
from graphlab.common.dtypes import dtype as Type
from graphlab.common.dtypes import named
from graphlab.nn.functional import activations as a
from graphlab.ops.activation import Glu, RreluWithNoise
from graphlab.tensor import functions as F
from graphlab.tensor.functions import reductions
from graphlab.tensor.functions.checks import not_for
from graphlab.tensor.functions.dims import given_dim
from graphlab.tensor.inplace import in_place
from graphlab.tensor.random.generator import default_generator
from graphlab.tensor.tensor import Tensor, wrap


def implied_dim(name: str, ndim: int) -> int:
    """The dim of a softmax where none is given. Warns: UserWarning, as PyTorch does."""
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include "
        "dim=X as an argument.",
        UserWarning,
        stacklevel=3,
    )
    return 0 if ndim in (0, 1, 3) else 1


def softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Type | None = None
) -> Tensor:
    """exp(x) / Σ exp(x) along `dim`. input: (...) -> (...)."""
    dim = implied_dim("softmax", input.ndim) if dim is None else dim
    return reductions.softmax(input if dtype is None else input.to(named("softmax", dtype)), dim)


def log_softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Type | None = None
) -> Tensor:
    """log softmax(x) along `dim`. input: (...) -> (...)."""
    dim = implied_dim("log_softmax", input.ndim) if dim is None else dim
    return reductions.log_softmax(
        input if dtype is None else input.to(named("log_softmax", dtype)), dim
    )


def softmin(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Type | None = None
) -> Tensor:
    """The softmax of -x along `dim`. input: (...) -> (...)."""
    dim = implied_dim("softmin", input.ndim) if dim is None else dim
    less = F.neg(input)
    return reductions.softmax(less if dtype is None else less.to(named("softmin", dtype)), dim)


def gumbel_softmax(
    logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    """A softmax of logits and noise, over tau: nearly one class, drawn at random.

    hard: exactly one class forwards, the soft choice backwards. logits: (...) -> (...).
    Raises: RuntimeError for integers.
    """
    if eps != 1e-10:
        warnings.warn("`eps` parameter is deprecated and has no effect.", UserWarning, stacklevel=2)
    noise = -F.log(F.exponential_(F.empty_like(logits)))
    soft = reductions.softmax((logits + noise) / tau, dim)
    if not hard:
        return soft
    chosen = np.zeros_like(soft._data)
    index = np.argmax(soft._data, axis=dim, keepdims=True)
    np.put_along_axis(chosen, index, 1, axis=dim)
    return wrap(chosen, False, None) - soft.detach() + soft


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(0, x). input: (...) -> (...)."""
    return relu_(input) if inplace else F.relu(input)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """The first half along `dim`, times the sigmoid of the second. input: (..., 2n) -> (..., n).

    Raises: RuntimeError when there are no two halves.
    """
    if input.ndim == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    d = given_dim(dim, input.ndim)
    if input.shape[d] % 2:
        raise RuntimeError(
            f"Halving dimension must be even, but dimension {d % input.ndim} is size "
            f"{input.shape[d]}"
        )
    if not input.is_floating_point():
        raise not_for("glu_cpu", input)
    return apply(Glu, input, dim=d)


def rrelu(
    input: Tensor,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    inplace: bool = False,
) -> Tensor:
    """A leaky relu whose slope is drawn from [lower, upper] for each entry while training.

    Raises: RuntimeError when lower is above upper.
    """
    if lower > upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    noise = np.ones_like(input._data)
    if training:
        below = np.asarray(input._data) <= 0
        drawn = default_generator.uniform(int(below.sum()), double=True)
        noise = np.where(below, 0, noise)
        noise[below] = drawn * (upper - lower) + lower
    options = {"lower": lower, "upper": upper, "training": training}

    def run(input: Tensor) -> Tensor:
        return apply(RreluWithNoise, input, wrap(noise[()], False, None), **options)

    return in_place(run)(input) if inplace else run(input)


def into_memory(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The form of an activation that writes over its input: `relu_` for `relu`."""

    def call(input: Tensor, *args: Any, **options: Any) -> Tensor:
        return function(input, *args, **options, inplace=True)

    call.__name__ = call.__qualname__ = f"{function.__name__}_"
    call.__doc__ = f"{function.__name__}, in place."
    return call


relu_ = in_place(F.relu)
elu_, selu_, celu_ = into_memory(a.elu), into_memory(a.selu), into_memory(a.celu)
leaky_relu_, hardtanh_ = into_memory(a.leaky_relu), into_memory(a.hardtanh)
threshold_, rrelu_ = into_memory(a.threshold), into_memory(rrelu)

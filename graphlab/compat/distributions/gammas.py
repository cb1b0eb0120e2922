"""Distributions made of gamma-distributed numbers: gamma, Dirichlet, beta and Student's t.

The slope of a sample is implicit: the probability P(a, x) of less than x stays what it is, so
dx/da = -(∂P/∂a) / (∂P/∂x).

The log-normal distribution is a normal one, transformed.

Read next: compat/distributions/kl.py
"""

import math
from operator import attrgetter
from typing import Any

import numpy as np

from graphlab.autograd.function import Function, once_differentiable
from graphlab.compat.distributions import constraints
from graphlab.compat.distributions.continuous import Normal
from graphlab.compat.distributions.distribution import Distribution, broadcast_all
from graphlab.compat.distributions.flows import ExpTransform, TransformedDistribution
from graphlab.primitives.numpy_reading.special_functions import digamma
from graphlab.tensor import functions as F
from graphlab.tensor.casting import finfo
from graphlab.tensor.creation import as_tensor, empty, tensor
from graphlab.tensor.random.generator import default_generator
from graphlab.tensor.ranges import arange
from graphlab.tensor.tensor import Tensor, wrap


def slope(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return dx/da of gamma-distributed numbers x, from the series of P(a, x) in x."""
    psi, log = digamma(a + 1), np.log(x)
    term = x / a
    total = term * (psi - log)
    while (term > 1e-17 * (1 + np.abs(total))).any():
        a = a + 1
        psi, term = psi + 1 / a, term * (x / a)
        total += term * (psi - log)
    return total


class StandardGamma(Function):
    """Draw gamma-distributed numbers of rate 1."""

    @staticmethod
    def forward(ctx: Any, concentration: Tensor) -> Tensor:
        kind = concentration._data.dtype
        ctx.a = a = np.array(concentration._data, np.float64)
        x = np.reshape([default_generator.gamma(one) for one in a.reshape(-1).tolist()], a.shape)
        ctx.x = np.maximum(x, np.finfo(kind).tiny)
        return wrap(ctx.x.astype(kind)[()], False, None)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        return grad * as_tensor(slope(ctx.a, ctx.x), dtype=grad.dtype)


class Gamma(Distribution):
    """The gamma distribution: p(x) = rateᵃ xᵃ⁻¹ exp(-rate · x) / Γ(a), a the concentration.

    concentration, rate: numbers or Tensors > 0; the mean is concentration / rate
    validate_args: bool, check parameters and samples

    >>> import graphlab as torch
    >>> from graphlab.distributions import Gamma
    >>> Gamma(2.0, 1.0).log_prob(torch.tensor(1.0))
    tensor(-1.)
    """

    concentration: Tensor
    rate: Tensor
    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        self._broadcast(validate_args, concentration=concentration, rate=rate)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.rate

    @property
    def mode(self) -> Tensor:
        return F.clamp((self.concentration - 1) / self.rate, min=0)

    @property
    def variance(self) -> Tensor:
        return self.concentration / F.pow(self.rate, 2)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        value = StandardGamma.apply(F.expand(self.concentration, shape)) / self.rate
        value.detach().clamp_(min=finfo(value.dtype).tiny)
        return value

    def log_prob(self, value: Any) -> Tensor:
        value, a = as_tensor(value, dtype=self.rate.dtype), self.concentration
        self._validate_sample(value)
        return F.xlogy(a, self.rate) + F.xlogy(a - 1, value) - self.rate * value - F.lgamma(a)

    def cdf(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return F.igamma(self.concentration, self.rate * value)

    def entropy(self) -> Tensor:
        a = self.concentration
        return a - F.log(self.rate) + F.lgamma(a) + (1.0 - a) * F.digamma(a)


class Dirichlet(Distribution):
    """The Dirichlet distribution of K parts of 1: p(x) is proportional to Π xₖ to the power aₖ - 1.

    concentration: Tensor (..., K) > 0, the numbers aₖ
    validate_args: bool, check parameters and samples

    >>> import graphlab as torch
    >>> from graphlab.distributions import Dirichlet
    >>> Dirichlet(torch.tensor([1.0, 3.0])).mean
    tensor([0.2500, 0.7500])
    """

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, concentration: Tensor, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration, shape = concentration, concentration.shape
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.concentration / F.sum(self.concentration, -1, keepdim=True)

    @property
    def variance(self) -> Tensor:
        total = F.sum(self.concentration, -1, keepdim=True)
        return self.concentration * (total - self.concentration) / (F.pow(total, 2) * (total + 1))

    @property
    def mode(self) -> Tensor:
        above = F.clamp(self.concentration - 1, min=0.0)
        corner = F.eq(arange(above.shape[-1]), 0)  # as PyTorch has it
        flat = F.all(self.concentration < 1, -1, keepdim=True)
        return F.where(flat, corner.to(above.dtype), above / F.sum(above, -1, keepdim=True))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        kind, limits = self.concentration.dtype, finfo(self.concentration.dtype)
        each = F.expand(self.concentration, self._extended_shape(sample_shape)).double()
        drawn = StandardGamma.apply(each)
        value = (drawn / F.sum(drawn, -1, keepdim=True)).to(kind)
        value.detach().clamp_(limits.tiny, 1 - limits.eps / 2)
        return value

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        a = self.concentration
        powers = F.sum(F.xlogy(a - 1.0, value), -1)
        return powers + F.lgamma(F.sum(a, -1)) - F.sum(F.lgamma(a), -1)

    def entropy(self) -> Tensor:
        a = self.concentration
        total = F.sum(a, -1)
        volume = F.sum(F.lgamma(a), -1) - F.lgamma(total)
        middle = (a.shape[-1] - total) * F.digamma(total)
        return volume - middle - F.sum((a - 1.0) * F.digamma(a), -1)


class Beta(Distribution):
    """The beta distribution: p(x) is proportional to xᵃ⁻¹ (1 - x)ᵇ⁻¹, for x in [0, 1].

    concentration1, concentration0: numbers or Tensors > 0, a and b; the mean is a / (a + b)
    validate_args: bool, check parameters and samples

    >>> from graphlab.distributions import Beta
    >>> Beta(2.0, 2.0).variance
    tensor(0.0500)
    """

    arg_constraints = {
        "concentration1": constraints.positive,
        "concentration0": constraints.positive,
    }
    support = constraints.unit_interval
    has_rsample = True
    _within = "_dirichlet"

    def __init__(
        self, concentration1: Any, concentration0: Any, validate_args: bool | None = None
    ) -> None:
        if all(isinstance(x, int | float) for x in (concentration1, concentration0)):
            both = tensor([float(concentration1), float(concentration0)])
        else:
            both = F.stack(list(broadcast_all(concentration1, concentration0)), -1)
        self._dirichlet: Any = Dirichlet(both, validate_args)
        super().__init__(self._dirichlet.batch_shape, validate_args=validate_args)

    concentration1 = property(lambda self: self._dirichlet.concentration[..., 0])
    concentration0 = property(lambda self: self._dirichlet.concentration[..., 1])

    @property
    def mean(self) -> Tensor:
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def mode(self) -> Tensor:
        return self._dirichlet.mode[..., 0]

    @property
    def variance(self) -> Tensor:
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (F.pow(total, 2) * (total + 1))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        return F.select(self._dirichlet.rsample(sample_shape), -1, 0)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return self._dirichlet.log_prob(F.stack([value, 1.0 - value], -1))

    def entropy(self) -> Tensor:
        return self._dirichlet.entropy()


class StudentT(Distribution):
    """Student's t-distribution: (x - loc) / scale is normal, divided by a random length.

    df: number or Tensor > 0, the degrees of freedom
    loc, scale: numbers or Tensors, the center and a factor > 0
    validate_args: bool, check parameters and samples

    >>> from graphlab.distributions import StudentT
    >>> StudentT(3.0).variance
    tensor(3.)
    """

    df: Tensor
    loc: Tensor
    scale: Tensor
    arg_constraints = {
        "df": constraints.positive, "loc": constraints.real, "scale": constraints.positive,
    }  # fmt: skip
    support = constraints.real
    has_rsample = True
    _within = "_chi2"

    def __init__(
        self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None
    ) -> None:
        self._broadcast(validate_args, df=df, loc=loc, scale=scale)
        self._chi2: Any = Gamma(0.5 * self.df, 0.5)

    @property
    def mean(self) -> Tensor:
        return F.masked_fill(self.loc, self.df <= 1, math.nan)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        finite = F.where(self.df > 2, self.df, 3.0)
        found = F.pow(self.scale, 2) * finite / (finite - 2)
        found = F.masked_fill(found, self.df <= 2, math.inf)
        return F.masked_fill(found, self.df <= 1, math.nan)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        noise = empty(self._extended_shape(sample_shape), dtype=self.df.dtype).normal_()
        length = self._chi2.rsample(sample_shape) / self.df
        return self.loc + self.scale * (noise * F.rsqrt(length))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        y, half = (value - self.loc) / self.scale, 0.5 * self.df
        whole = F.log(self.scale) + 0.5 * F.log(self.df) + 0.5 * math.log(math.pi)
        whole = whole + F.lgamma(half) - F.lgamma(0.5 * (self.df + 1.0))
        return -0.5 * (self.df + 1.0) * F.log1p(F.pow(y, 2.0) / self.df) - whole

    def entropy(self) -> Tensor:
        half, above = 0.5 * self.df, 0.5 * (self.df + 1)
        beta = F.lgamma(half) + math.lgamma(0.5) - F.lgamma(above)
        spread = above * (F.digamma(above) - F.digamma(half))
        return F.log(self.scale) + spread + 0.5 * F.log(self.df) + beta


class LogNormal(TransformedDistribution):
    """The distribution of exp(x), x normal.

    loc, scale: numbers or Tensors, the mean and the standard deviation of x
    validate_args: bool, check parameters and samples

    >>> import graphlab as torch
    >>> from graphlab.distributions import LogNormal
    >>> LogNormal(0.0, 1.0).log_prob(torch.tensor(1.0))
    tensor(-0.9189)
    """

    arg_constraints = Normal.arg_constraints

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        base = Normal(loc, scale, validate_args)
        super().__init__(base, ExpTransform(), validate_args)

    loc, scale = (property(attrgetter(f"base_dist.{name}")) for name in ("loc", "scale"))

    @property
    def mean(self) -> Tensor:
        return F.exp(self.loc + F.pow(self.scale, 2) / 2)

    @property
    def mode(self) -> Tensor:
        return F.exp(self.loc - F.square(self.scale))

    @property
    def variance(self) -> Tensor:
        square = F.pow(self.scale, 2)
        return F.expm1(square) * F.exp(2 * self.loc + square)

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() + self.loc

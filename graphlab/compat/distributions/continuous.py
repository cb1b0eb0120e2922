"""Distributions of a real number: normal, Laplace, uniform and exponential.

Read next: compat/distributions/counts.py
"""

import math
from typing import Any

from graphlab.autograd.grad_mode import no_grad
from graphlab.compat.distributions import constraints
from graphlab.compat.distributions.distribution import (
    Distribution,
    LocationScale,
)
from graphlab.tensor import functions as F
from graphlab.tensor.creation import empty, zeros_like
from graphlab.tensor.limits import finfo
from graphlab.tensor.random.sampling import normal, rand
from graphlab.tensor.tensor import Tensor


class Normal(LocationScale):
    """The normal distribution: p(x) = exp(-(x - loc)² / (2 scale²)) / (scale √(2π)).

    loc: number or Tensor, the mean
    scale: number or Tensor > 0, the standard deviation
    validate_args: bool, check parameters and samples

    >>> import graphlab as torch
    >>> Normal(0.0, 1.0).log_prob(torch.tensor(0.0))
    tensor(-0.9189)
    """

    @property
    def stddev(self) -> Tensor:
        return self.scale

    @property
    def variance(self) -> Tensor:
        return F.pow(self.scale, 2)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return normal(F.expand(self.loc, shape), F.expand(self.scale, shape))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        noise = empty(self._extended_shape(sample_shape), dtype=self.loc.dtype).normal_()
        return self.loc + noise * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        variance = F.pow(self.scale, 2)
        exponent = -F.pow(value - self.loc, 2) / (2 * variance)
        return exponent - F.log(self.scale) - math.log(math.sqrt(2 * math.pi))

    def cdf(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return 0.5 * (1 + F.erf((value - self.loc) * F.reciprocal(self.scale) / math.sqrt(2)))

    def icdf(self, value: Tensor) -> Tensor:
        return self.loc + self.scale * F.erfinv(2 * value - 1) * math.sqrt(2)

    def entropy(self) -> Tensor:
        return 0.5 + 0.5 * math.log(2 * math.pi) + F.log(self.scale)


class Laplace(LocationScale):
    """The Laplace distribution: p(x) = exp(-|x - loc| / scale) / (2 scale).

    loc: number or Tensor, the mean
    scale: number or Tensor > 0
    validate_args: bool, check parameters and samples

    >>> import graphlab as torch
    >>> Laplace(0.0, 0.5).log_prob(torch.tensor(0.0))
    tensor(-0.)
    """

    @property
    def variance(self) -> Tensor:
        return 2 * F.pow(self.scale, 2)

    @property
    def stddev(self) -> Tensor:
        return 2**0.5 * self.scale

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape, kind = self._extended_shape(sample_shape), self.loc.dtype
        u = empty(shape, dtype=kind).uniform_(finfo(kind).eps - 1, 1)
        return self.loc - self.scale * F.sign(u) * F.log1p(-F.abs(u))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return -F.log(2 * self.scale) - F.abs(value - self.loc) / self.scale

    def cdf(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        distance = value - self.loc
        return 0.5 - 0.5 * F.sign(distance) * F.expm1(-F.abs(distance) / self.scale)

    def icdf(self, value: Tensor) -> Tensor:
        term = value - 0.5
        return self.loc - self.scale * F.sign(term) * F.log1p(-2 * F.abs(term))

    def entropy(self) -> Tensor:
        return 1 + F.log(2 * self.scale)


class Uniform(Distribution):
    """The uniform distribution on [low, high): p(x) = 1 / (high - low).

    low, high: numbers or Tensors, low < high
    validate_args: bool, check parameters and samples

    >>> import graphlab as torch
    >>> Uniform(0.0, 4.0).log_prob(torch.tensor(1.0)).exp()
    tensor(0.2500)
    """

    has_rsample = True

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        self._broadcast(validate_args, low=low, high=high)

    @property
    def arg_constraints(self) -> Any:  # type: ignore[override]
        return {
            "low": constraints.less_than(self.high),
            "high": constraints.greater_than(self.low),
        }

    @property
    def support(self) -> Any:
        return constraints.interval(self.low, self.high)

    @property
    def mean(self) -> Tensor:
        return (self.high + self.low) / 2

    @property
    def mode(self) -> Tensor:
        return math.nan * self.high

    @property
    def stddev(self) -> Tensor:
        return (self.high - self.low) / 12**0.5

    @property
    def variance(self) -> Tensor:
        return F.pow(self.high - self.low, 2) / 12

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        part = rand(self._extended_shape(sample_shape), dtype=self.low.dtype)
        return self.low + part * (self.high - self.low)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        kind = self.low.dtype
        inside = F.le(self.low, value).to(kind) * F.gt(self.high, value).to(kind)
        return F.log(inside) - F.log(self.high - self.low)

    def cdf(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return F.clamp((value - self.low) / (self.high - self.low), min=0, max=1)

    def icdf(self, value: Tensor) -> Tensor:
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Tensor:
        return F.log(self.high - self.low)


class Exponential(Distribution):
    """The exponential distribution: p(x) = rate · exp(-rate · x), for x ≥ 0.

    rate: number or Tensor > 0; the mean is 1 / rate
    validate_args: bool, check parameters and samples

    >>> import graphlab as torch
    >>> Exponential(2.0).log_prob(torch.tensor(0.0)).exp()
    tensor(2.)
    """

    arg_constraints = {"rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        self._broadcast(validate_args, rate=rate)

    @property
    def mean(self) -> Tensor:
        return F.reciprocal(self.rate)

    @property
    def stddev(self) -> Tensor:
        return self.mean

    @property
    def mode(self) -> Tensor:
        return zeros_like(self.rate)

    @property
    def variance(self) -> Tensor:
        return F.pow(self.rate, -2)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        noise = empty(self._extended_shape(sample_shape), dtype=self.rate.dtype).exponential_()
        return noise / self.rate

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return F.log(self.rate) - self.rate * value

    def cdf(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return 1 - F.exp(-self.rate * value)

    def icdf(self, value: Tensor) -> Tensor:
        return -F.log1p(-value) / self.rate

    def entropy(self) -> Tensor:
        return 1.0 - F.log(self.rate)

"""The uniform distribution.

Read next: compat/distributions/exponential.py
"""

import math
from typing import Any

from graphlab.compat.distributions import constraints
from graphlab.compat.distributions.distribution import Distribution, batch_of, broadcast_all
from graphlab.tensor import functions as F
from graphlab.tensor.random.sampling import rand
from graphlab.tensor.tensor import Tensor


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
        self.low, self.high = broadcast_all(low, high)
        super().__init__(batch_of(self.low, low, high), validate_args=validate_args)

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

"""The exponential distribution.

Read next: compat/distributions/laplace.py
"""

from typing import Any

from graphlab.compat.distributions import constraints
from graphlab.compat.distributions.distribution import Distribution, batch_of, broadcast_all
from graphlab.tensor import functions as F
from graphlab.tensor.creation import empty, zeros_like
from graphlab.tensor.tensor import Tensor


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
        (self.rate,) = broadcast_all(rate)
        super().__init__(batch_of(self.rate, rate), validate_args=validate_args)

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

"""The Poisson distribution: how often something happens.

Read next: compat/distributions/binomial.py
"""

from typing import Any

from graphlab.autograd.grad_mode import no_grad
from graphlab.compat.distributions import constraints
from graphlab.compat.distributions.distribution import Distribution, batch_of, broadcast_all
from graphlab.tensor import functions as F
from graphlab.tensor.random.sampling import poisson
from graphlab.tensor.tensor import Tensor


class Poisson(Distribution):
    """The Poisson distribution: p(k) = rateᵏ · exp(-rate) / k!, for k = 0, 1, 2 ...

    rate: number or Tensor ≥ 0, the expected number
    validate_args: bool, check parameters and samples

    >>> import graphlab as torch
    >>> Poisson(2.0).log_prob(torch.tensor(0.0))
    tensor(-2.)
    """

    arg_constraints = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all(rate)
        super().__init__(batch_of(self.rate, rate), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.rate

    @property
    def mode(self) -> Tensor:
        return F.floor(self.rate)

    @property
    def variance(self) -> Tensor:
        return self.rate

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with no_grad():
            return poisson(F.expand(self.rate, self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        rate, value = broadcast_all(self.rate, value)
        return F.xlogy(value, rate) - rate - F.lgamma(value + 1)

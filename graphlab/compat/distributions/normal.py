"""The normal distribution.

Read next: compat/distributions/uniform.py
"""

import math
from typing import Any

from graphlab.autograd.grad_mode import no_grad
from graphlab.compat.distributions.distribution import LocationScale
from graphlab.tensor import functions as F
from graphlab.tensor.creation import empty
from graphlab.tensor.random.sampling import normal
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

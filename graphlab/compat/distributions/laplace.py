"""The Laplace distribution.

Read next: compat/distributions/bernoulli.py
"""

from typing import Any

from graphlab.compat.distributions.distribution import LocationScale
from graphlab.tensor import functions as F
from graphlab.tensor.creation import empty
from graphlab.tensor.limits import finfo
from graphlab.tensor.tensor import Tensor


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

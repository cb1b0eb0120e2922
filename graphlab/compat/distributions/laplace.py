"""The Laplace distribution.

Read next: compat/distributions/bernoulli.py
"""

from typing import Any

from graphlab.compat.distributions import constraints
from graphlab.compat.distributions.distribution import Distribution, batch_of, broadcast_all
from graphlab.tensor import functions as F
from graphlab.tensor.creation import empty
from graphlab.tensor.limits import finfo
from graphlab.tensor.tensor import Tensor


class Laplace(Distribution):
    """The Laplace distribution: log p(x) = -|x - loc| / scale - log (2 scale).

    loc: number or Tensor, the mean
    scale: number or Tensor > 0
    validate_args: bool, check parameters and samples

    >>> import graphlab as torch
    >>> Laplace(0.0, 0.5).log_prob(torch.tensor(0.0))
    tensor(-0.)
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}  # noqa: RUF012
    support = constraints.real
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(batch_of(self.loc, loc, scale), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.mean

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
        apart = value - self.loc
        return 0.5 - 0.5 * F.sign(apart) * F.expm1(-F.abs(apart) / self.scale)

    def icdf(self, value: Tensor) -> Tensor:
        term = value - 0.5
        return self.loc - self.scale * F.sign(term) * F.log1p(-2 * F.abs(term))

    def entropy(self) -> Tensor:
        return 1 + F.log(2 * self.scale)

"""Distributions of a count: tosses of a biased coin, and how often something happens.

Read next: compat/distributions/classes.py
"""

import math
from functools import cached_property
from typing import Any

from graphlab.autograd.grad_mode import no_grad
from graphlab.compat.distributions import constraints
from graphlab.compat.distributions.distribution import Distribution, broadcast_all, log_of, one_of
from graphlab.nn.functional.loss import binary_cross_entropy_with_logits
from graphlab.tensor import functions as F
from graphlab.tensor.random.sampling import binomial, poisson
from graphlab.tensor.ranges import arange
from graphlab.tensor.tensor import Tensor


class Bernoulli(Distribution):
    """The Bernoulli distribution: 1 with probability `probs`, else 0.

    probs: number or Tensor in [0, 1], the probability of a 1; or
    logits: number or Tensor, log (probs / (1 - probs))
    validate_args: bool, check parameters and samples
    Raises: ValueError unless one of `probs` and `logits` is given.

    >>> import graphlab as torch
    >>> from graphlab.distributions import Bernoulli
    >>> Bernoulli(0.25).log_prob(torch.tensor(1.0)).exp()
    tensor(0.2500)
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.boolean
    has_enumerate_support = True

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        one_of(probs, logits)
        given = {"logits": logits} if probs is None else {"probs": probs}
        self._broadcast(validate_args, **given)

    @property
    def _parameter(self) -> Tensor:
        """The parameter that was given: `probs` or `logits`."""
        return next(iter(vars(self).values()))

    @cached_property
    def logits(self) -> Tensor:
        logarithm, inner = log_of(self.probs)
        return logarithm - F.log1p(-inner)

    @cached_property
    def probs(self) -> Tensor:
        return F.sigmoid(self.logits)

    @property
    def param_shape(self) -> Any:
        """The shape of the parameter."""
        return self._parameter.shape

    @property
    def mean(self) -> Tensor:
        return self.probs

    @property
    def mode(self) -> Tensor:
        mode = F.ge(self.probs, 0.5).to(self.probs.dtype)
        mode[F.eq(self.probs, 0.5)] = math.nan
        return mode

    @property
    def variance(self) -> Tensor:
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with no_grad():
            return F.bernoulli(F.expand(self.probs, self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self) -> Tensor:
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        values = arange(2, dtype=self.probs.dtype).view(-1, *(1,) * len(self.batch_shape))
        return F.expand(values, -1, *self.batch_shape) if expand else values


class Binomial(Distribution):
    """The binomial distribution: the number of successes in `total_count` trials.

    total_count: int or Tensor, the number of trials
    probs: number or Tensor in [0, 1], the probability of a success; or
    logits: number or Tensor, log (probs / (1 - probs))
    validate_args: bool, check parameters and samples
    Raises: ValueError unless one of `probs` and `logits` is given.

    >>> import graphlab as torch
    >>> from graphlab.distributions import Binomial
    >>> Binomial(2, 0.5).log_prob(torch.tensor(1.0)).exp()
    tensor(0.5000)
    """

    arg_constraints = {
        "total_count": constraints.nonnegative_integer,
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    has_enumerate_support = True

    logits, probs = Bernoulli.logits, Bernoulli.probs
    _parameter, param_shape = Bernoulli._parameter, Bernoulli.param_shape

    def __init__(
        self,
        total_count: Any = 1,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        one_of(probs, logits)
        name = "logits" if probs is None else "probs"
        count, given = broadcast_all(total_count, logits if probs is None else probs)
        setattr(self, name, given)  # before the count: it is the parameter
        self.total_count = count.to(given.dtype)
        super().__init__(given.shape, validate_args=validate_args)

    @property
    def support(self) -> Any:
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self) -> Tensor:
        return self.total_count * self.probs

    @property
    def mode(self) -> Tensor:
        return F.minimum(F.floor((self.total_count + 1) * self.probs), self.total_count)

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return binomial(F.expand(self.total_count, shape), F.expand(self.probs, shape))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        n, logits = self.total_count, self.logits
        above = (F.clamp(logits, min=0) + logits - F.clamp(logits, max=0)) / 2  # its slope at 0: ½
        failures = n * above + n * F.log1p(F.exp(-F.abs(logits)))  # -n log (1 - p)
        ways = F.lgamma(n + 1) - F.lgamma(value + 1) - F.lgamma(n - value + 1)
        return value * logits + ways - failures

    def entropy(self) -> Tensor:
        log_prob = self.log_prob(self._support_of("entropy"))
        return -F.sum(F.exp(log_prob) * log_prob, 0)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        values = self._support_of("enumerate_support")
        return F.expand(values, -1, *self.batch_shape) if expand else values

    def _support_of(self, method: str) -> Tensor:
        """Return 0 to total_count along dimension 0. method: who asks, for the error."""
        most = int(self.total_count.max())
        if not self.total_count.min() == most:
            raise NotImplementedError(f"Inhomogeneous total count not supported by `{method}`.")
        values = arange(1 + most, dtype=self._parameter.dtype)
        return F.reshape(values, (-1, *(1,) * len(self.batch_shape)))


class Poisson(Distribution):
    """The Poisson distribution: p(k) = rateᵏ · exp(-rate) / k!, for k = 0, 1, 2 ...

    rate: number or Tensor ≥ 0, the expected number
    validate_args: bool, check parameters and samples

    >>> import graphlab as torch
    >>> from graphlab.distributions import Poisson
    >>> Poisson(2.0).log_prob(torch.tensor(0.0))
    tensor(-2.)
    """

    rate: Tensor
    arg_constraints = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        self._broadcast(validate_args, rate=rate)

    @property
    def mean(self) -> Tensor:
        return self.rate

    @property
    def variance(self) -> Tensor:
        return self.rate

    @property
    def mode(self) -> Tensor:
        return F.floor(self.rate)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with no_grad():
            return poisson(F.expand(self.rate, self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        rate, value = broadcast_all(self.rate, value)
        return F.xlogy(value, rate) - rate - F.lgamma(value + 1)

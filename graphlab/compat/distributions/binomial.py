"""The binomial distribution: how many of several tosses of a biased coin are 1.

Read next: compat/distributions/categorical.py
"""

from typing import Any

from graphlab.autograd.grad_mode import no_grad
from graphlab.compat.distributions import constraints
from graphlab.compat.distributions.bernoulli import Bernoulli
from graphlab.compat.distributions.distribution import Distribution, broadcast_all, one_of
from graphlab.tensor import functions as F
from graphlab.tensor.random.sampling import binomial
from graphlab.tensor.ranges import arange
from graphlab.tensor.tensor import Tensor


class Binomial(Distribution):
    """The binomial distribution: the number of successes in `total_count` trials.

    total_count: int or Tensor, the number of trials
    probs: number or Tensor in [0, 1], the probability of a success; or
    logits: number or Tensor, log (probs / (1 - probs))
    validate_args: bool, check parameters and samples
    Raises: ValueError unless one of `probs` and `logits` is given.

    >>> import graphlab as torch
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

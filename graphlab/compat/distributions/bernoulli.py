"""The Bernoulli distribution: the toss of a biased coin.

Read next: compat/distributions/binomial.py
"""

import math
from functools import cached_property
from typing import Any

from graphlab.autograd.grad_mode import no_grad
from graphlab.compat.distributions import constraints
from graphlab.compat.distributions.distribution import (
    Distribution,
    batch_of,
    broadcast_all,
    log_of,
    one_of,
)
from graphlab.nn.functional.loss import binary_cross_entropy_with_logits
from graphlab.tensor import functions as F
from graphlab.tensor.ranges import arange
from graphlab.tensor.tensor import Tensor


class Bernoulli(Distribution):
    """The Bernoulli distribution: 1 with probability `probs`, else 0.

    probs: number or Tensor in [0, 1], the probability of a 1; or
    logits: number or Tensor, log (probs / (1 - probs))
    validate_args: bool, check parameters and samples
    Raises: ValueError unless one of `probs` and `logits` is given.

    >>> import graphlab as torch
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
        if probs is not None:
            (self.probs,) = broadcast_all(probs)
        else:
            (self.logits,) = broadcast_all(logits)
        given = logits if probs is None else probs
        super().__init__(batch_of(self._parameter, given), validate_args=validate_args)

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

"""The multinomial distribution: the number of times that each class occurs in several draws.

Read next: compat/distributions/independent.py
"""

import math
from typing import Any

from graphlab.compat.distributions import constraints
from graphlab.compat.distributions.distribution import broadcast_all
from graphlab.compat.distributions.one_hot_categorical import ClassVectors
from graphlab.tensor import functions as F
from graphlab.tensor.creation import ones_like, zeros
from graphlab.tensor.ranges import arange
from graphlab.tensor.tensor import Tensor


class Multinomial(ClassVectors):
    """The multinomial distribution: the counts of K classes in `total_count` draws.

    total_count: int, the number of draws
    probs: Tensor (..., K) ≥ 0, which is divided by its sum; or
    logits: Tensor (..., K), the logarithms of the probabilities up to a constant
    validate_args: bool, check parameters and samples
    Raises: NotImplementedError for a total_count that is not an int.

    >>> import graphlab as torch
    >>> Multinomial(3, torch.tensor([0.0, 1.0])).sample()
    tensor([0., 3.])
    """

    def __init__(
        self,
        total_count: int = 1,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        super().__init__(probs, logits, validate_args)

    @property
    def support(self) -> Any:
        return constraints.multinomial(self.total_count)

    @property
    def mean(self) -> Tensor:
        return self.probs * self.total_count

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        drawn = F.movedim(self._categorical.sample((self.total_count, *sample_shape)), 0, -1)
        counts = zeros(self._extended_shape(sample_shape), dtype=drawn.dtype)
        return counts.scatter_add_(-1, drawn, ones_like(drawn)).to(self.probs.dtype)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        orders = F.lgamma(F.sum(value, -1) + 1) - F.sum(F.lgamma(value + 1), -1)
        impossible = F.eq(value, 0) & F.eq(logits, -math.inf)  # 0 · -∞ counts as 0
        return orders + F.sum(F.masked_fill(logits, impossible, 0.0) * value, -1)

    def entropy(self) -> Tensor:
        n, p = self.total_count, self.probs
        k = arange(1, n + 1, dtype=p.dtype).view(-1, *(1,) * p.ndim)
        ways = math.lgamma(n + 1) - F.lgamma(k + 1) - F.lgamma(n - k + 1)
        counts = F.exp(ways + F.xlogy(k, p) + F.xlogy(n - k, 1 - p))  # the binomial of each class
        orders = F.sum(F.sum(counts * F.lgamma(k + 1), 0), -1)  # the mean of Σ log k!
        return n * self._categorical.entropy() - math.lgamma(n + 1) + orders

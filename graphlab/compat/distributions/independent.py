"""A batch of distributions as one distribution of arrays.

Read next: compat/distributions/kl.py
"""

from typing import Any

from graphlab.compat.distributions import constraints
from graphlab.compat.distributions.distribution import Distribution, sum_of_last
from graphlab.tensor.tensor import Tensor


class Independent(Distribution):
    """A batch of independent distributions as one distribution: log_prob sums theirs.

    base_distribution: a Distribution
    reinterpreted_batch_ndims: int, how many batch dimensions become dimensions of a sample
    validate_args: bool, check samples
    Raises: ValueError if it is more than the batch has.

    >>> import graphlab as torch
    >>> from graphlab.distributions import Normal
    >>> Independent(Normal(torch.zeros(3), 1.0), 1).log_prob(torch.zeros(3))
    tensor(-2.7568)
    """

    def __init__(
        self,
        base_distribution: Distribution,
        reinterpreted_batch_ndims: int,
        validate_args: bool | None = None,
    ) -> None:
        base, ndims = base_distribution, reinterpreted_batch_ndims
        if ndims > len(base.batch_shape):
            raise ValueError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), "
                f"actual {ndims} vs {len(base.batch_shape)}"
            )
        self.base_dist, self.reinterpreted_batch_ndims = base, ndims
        self.has_rsample = base.has_rsample
        self.has_enumerate_support = ndims == 0 and base.has_enumerate_support
        split = len(base.batch_shape) - ndims
        event_shape = (*base.batch_shape[split:], *base.event_shape)
        super().__init__(base.batch_shape[:split], event_shape, validate_args=validate_args)

    @property
    def support(self) -> Any:
        base, ndims = self.base_dist.support, self.reinterpreted_batch_ndims
        return constraints.independent(base, ndims) if ndims else base

    @property
    def mean(self) -> Tensor:
        return self.base_dist.mean

    @property
    def mode(self) -> Tensor:
        return self.base_dist.mode

    @property
    def variance(self) -> Tensor:
        return self.base_dist.variance

    def sample(self, sample_shape: Any = ()) -> Tensor:
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Tensor) -> Tensor:
        return sum_of_last(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Tensor:
        return sum_of_last(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        if self.reinterpreted_batch_ndims > 0:
            raise NotImplementedError("Enumeration over cartesian product is not implemented")
        return self.base_dist.enumerate_support(expand)

    def expand(self, batch_shape: Any) -> Distribution:
        new: Any = super().expand(batch_shape)
        inner = self.event_shape[: self.reinterpreted_batch_ndims]
        new.base_dist = self.base_dist.expand((*batch_shape, *inner))
        return new

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_dist}, {self.reinterpreted_batch_ndims})"

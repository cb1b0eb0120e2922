"""Distributions over K classes: one of them, how often each is drawn, and mixtures over them.

Read next: compat/distributions/kl.py
"""

import math
from functools import cached_property
from operator import attrgetter
from typing import Any

from graphlab.autograd.grad_mode import no_grad
from graphlab.compat.distributions import constraints
from graphlab.compat.distributions.distribution import Distribution, broadcast_all, log_of, one_of
from graphlab.nn.functional.embeddings import one_hot
from graphlab.tensor import functions as F
from graphlab.tensor.casting import finfo
from graphlab.tensor.creation import full, ones_like, zeros
from graphlab.tensor.functions.diagonals import broadcast_tensors
from graphlab.tensor.ranges import arange
from graphlab.tensor.sizes import Size
from graphlab.tensor.tensor import Tensor


class Categorical(Distribution):
    """The categorical distribution: a class k of K has the probability `probs[k]`.

    A sample is the index of a class, an int64 in [0, K).

    probs: Tensor (..., K) ≥ 0, which is divided by its sum; or
    logits: Tensor (..., K), the logarithms of the probabilities up to a constant
    validate_args: bool, check parameters and samples
    Raises: ValueError unless one of `probs` and `logits` is given.

    >>> import graphlab as torch
    >>> from graphlab.distributions import Categorical
    >>> Categorical(torch.tensor([1.0, 3.0])).log_prob(torch.tensor(1)).exp()
    tensor(0.7500)
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    has_enumerate_support = True

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        one_of(probs, logits)
        name, given = ("probs", probs) if probs is not None else ("logits", logits)
        if given.dim() < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        if probs is not None:
            self.probs = probs / F.sum(probs, -1, keepdim=True)
        else:
            self.logits = logits - F.logsumexp(logits, -1, keepdim=True)
        self._num_events = given.shape[-1]
        super().__init__(given.shape[:-1], validate_args=validate_args)

    @property
    def support(self) -> Any:
        return constraints.integer_interval(0, self._num_events - 1)

    @cached_property
    def logits(self) -> Tensor:
        return log_of(self.probs)[0]

    @cached_property
    def probs(self) -> Tensor:
        return F.softmax(self.logits, -1)

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter."""
        return Size((*self.batch_shape, self._num_events))

    @property
    def mean(self) -> Tensor:
        return full(self._extended_shape(), math.nan, dtype=self.probs.dtype)

    @property
    def variance(self) -> Tensor:
        return self.mean

    @property
    def mode(self) -> Tensor:
        return F.argmax(self.probs, -1)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        rows = F.reshape(self.probs, (-1, self._num_events))
        with no_grad():
            found = F.multinomial(rows, math.prod(sample_shape), True)
        return F.reshape(found.T, self._extended_shape(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        value, logits = broadcast_tensors(F.unsqueeze(value.long(), -1), self.logits)
        return F.squeeze(F.gather(logits, -1, value[..., :1]), -1)

    def entropy(self) -> Tensor:
        logits = F.clamp(self.logits, min=finfo(self.logits.dtype).min)
        return -F.sum(logits * self.probs, -1)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        values = arange(self._num_events).view(-1, *(1,) * len(self.batch_shape))
        return F.expand(values, -1, *self.batch_shape) if expand else values


class ClassVectors(Distribution):
    """The base of distributions of vectors (..., K) with one entry for each of K classes.

    probs, logits: as for Categorical
    """

    arg_constraints = Categorical.arg_constraints
    _within = "_categorical"

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self._categorical = Categorical(probs, logits)
        shape = self._categorical.param_shape
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    probs, logits, param_shape = (
        property(attrgetter(f"_categorical.{name}")) for name in ("probs", "logits", "param_shape")
    )


class OneHotCategorical(ClassVectors):
    """The categorical distribution over one-hot vectors: 1 at the class, 0 elsewhere.

    probs: Tensor (..., K) ≥ 0, which is divided by its sum; or
    logits: Tensor (..., K), the logarithms of the probabilities up to a constant
    validate_args: bool, check parameters and samples

    >>> import graphlab as torch
    >>> from graphlab.distributions import OneHotCategorical
    >>> OneHotCategorical(torch.tensor([0.0, 1.0])).sample()
    tensor([0., 1.])
    """

    support = constraints.one_hot
    has_enumerate_support = True

    @property
    def mean(self) -> Tensor:
        return self.probs

    @property
    def mode(self) -> Tensor:
        return one_hot(self._categorical.mode, self.event_shape[0]).to(self.probs.dtype)

    @property
    def variance(self) -> Tensor:
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        found = self._categorical.sample(sample_shape)
        return one_hot(found, self.event_shape[0]).to(self.probs.dtype)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        value, _ = broadcast_all(value, self.logits)
        return self._categorical.log_prob(F.argmax(value, -1))

    def entropy(self) -> Tensor:
        return self._categorical.entropy()

    def enumerate_support(self, expand: bool = True) -> Tensor:
        numbers = self._categorical.enumerate_support(expand)
        return one_hot(numbers, self.event_shape[0]).to(self.probs.dtype)


class Multinomial(ClassVectors):
    """The multinomial distribution: the counts of K classes in `total_count` draws.

    total_count: int, the number of draws
    probs: Tensor (..., K) ≥ 0, which is divided by its sum; or
    logits: Tensor (..., K), the logarithms of the probabilities up to a constant
    validate_args: bool, check parameters and samples
    Raises: NotImplementedError for a total_count that is not an int.

    >>> import graphlab as torch
    >>> from graphlab.distributions import Multinomial
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


class MixtureSameFamily(Distribution):
    """A mixture: a component k of K is drawn, then a sample of this component.

    mixture_distribution: Categorical over the K components
    component_distribution: a Distribution with the batch shape (..., K)
    validate_args: bool, check samples
    Raises: ValueError for arguments that do not fit.

    >>> import graphlab as torch
    >>> from graphlab.distributions import Categorical, MixtureSameFamily
    >>> from graphlab.distributions import Normal
    >>> each = Normal(torch.tensor([0.0, 1.0]), 1.0)
    >>> MixtureSameFamily(Categorical(torch.ones(2)), each).mean
    tensor(0.5000)
    """

    def __init__(
        self,
        mixture_distribution: Any,
        component_distribution: Distribution,
        validate_args: bool | None = None,
    ) -> None:
        mixture, component = mixture_distribution, component_distribution
        needs = "The {} distribution needs to be an {}instance of torch.distributions.{}"
        if not isinstance(mixture, Categorical):  # two spaces more
            raise ValueError(" " + needs.format("Mixture", " ", "Categorical"))
        if not isinstance(component, Distribution):
            raise ValueError(needs.format("Component", "", "Distribution"))
        shapes = mixture.batch_shape, component.batch_shape[:-1]
        if any(len({*ij} - {1}) > 1 for ij in zip(*map(reversed, shapes), strict=False)):
            raise ValueError(
                f"`mixture_distribution.batch_shape` ({shapes[0]}) is not compatible with "
                f"`component_distribution.batch_shape`({shapes[1]})"
            )
        k, own = mixture.logits.shape[-1], component.batch_shape[-1]
        if k != own:
            raise ValueError(
                f"`mixture_distribution component` ({k}) does not equal "
                f"`component_distribution.batch_shape[-1]` ({own})"
            )
        self.mixture_distribution, self.component_distribution = mixture, component
        self._dim = -1 - len(component.event_shape)
        super().__init__(shapes[1], component.event_shape, validate_args=validate_args)

    @property
    def support(self) -> Any:
        base = self.component_distribution.support
        return constraints.Constraint(
            f"MixtureSameFamilyConstraint({base})",
            lambda x: F.all(base.check(F.unsqueeze(x, -1 - base.event_dim)), -1),
            base.event_dim,
        )

    def _mean_of(self, values: Tensor) -> Tensor:
        """Return the mean over the components."""
        probs = self.mixture_distribution.probs
        return F.sum(probs.view(*probs.shape, *(1,) * (-1 - self._dim)) * values, self._dim)

    @property
    def mean(self) -> Tensor:
        return self._mean_of(self.component_distribution.mean)

    @property
    def variance(self) -> Tensor:
        each = self.component_distribution
        apart = F.pow(each.mean - F.unsqueeze(self.mean, self._dim), 2.0)
        return self._mean_of(each.variance) + self._mean_of(apart)

    def cdf(self, value: Tensor) -> Tensor:
        each = self.component_distribution.cdf(F.unsqueeze(value, self._dim))
        return F.sum(each * self.mixture_distribution.probs, -1)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        each = self.component_distribution.log_prob(F.unsqueeze(value, self._dim))
        return F.logsumexp(each + F.log_softmax(self.mixture_distribution.logits, -1), -1)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        index = self.mixture_distribution.sample(sample_shape)
        drawn = self.component_distribution.sample(sample_shape)
        index = index.view(*index.shape, *(1,) * -self._dim)
        index = F.expand(index, *drawn.shape[: self._dim], 1, *self.event_shape)
        return F.squeeze(F.gather(drawn, self._dim, index), self._dim)

    def expand(self, batch_shape: Any) -> Distribution:
        mixture, each = self.mixture_distribution, self.component_distribution
        wide = (*batch_shape, each.batch_shape[-1])
        return MixtureSameFamily(mixture.expand(batch_shape), each.expand(wide))

    def __repr__(self) -> str:
        return (
            f"MixtureSameFamily(\n  {self.mixture_distribution},\n  {self.component_distribution})"
        )

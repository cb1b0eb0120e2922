"""The base class of all distributions: shapes, and checks of parameters and samples; `Independent`.

`sample(sample_shape)` returns a tensor of shape sample_shape + batch_shape + event_shape:
sample_shape says how many samples to draw, batch_shape how many independent distributions the
object stands for, and event_shape is the shape of one sample of one of them.

Read next: compat/distributions/continuous.py
"""

import copy
from typing import Any, ClassVar

from graphlab.autograd.grad_mode import no_grad
from graphlab.common.dtypes import get_default_dtype
from graphlab.common.errors import of_one_library
from graphlab.compat.distributions import constraints
from graphlab.compat.distributions.constraints import Constraint
from graphlab.tensor import functions as F
from graphlab.tensor.casting import finfo
from graphlab.tensor.creation import tensor
from graphlab.tensor.functions.diagonals import broadcast_tensors
from graphlab.tensor.sizes import Size
from graphlab.tensor.tensor import Tensor, wrap


class Distribution:
    """The base class of all distributions.

    batch_shape: Size, one independent distribution for each index of it
    event_shape: Size, the shape of one sample
    validate_args: bool, check parameters and samples; True by default, unless
        `set_default_validate_args` has changed the default
    Raises: ValueError for a parameter out of its range.

    >>> import graphlab as torch
    >>> from graphlab.distributions import Normal
    >>> Normal(torch.zeros(3), 1.0).sample((2,)).shape
    torch.Size([2, 3])
    """

    arg_constraints: ClassVar[dict[str, Constraint]] = {}
    support: Any = None  # the Constraint of samples
    has_rsample = False
    has_enumerate_support = False
    _validate_args = True
    _within = ""  # the name of a distribution with the same batch shape, by which this one computes

    def __new__(cls, *args: Any, **options: Any) -> Any:
        of_one_library("GraphLab's distributions", *args, *options.values())
        return object.__new__(cls)

    def __init__(
        self, batch_shape: Any = (), event_shape: Any = (), validate_args: bool | None = None
    ) -> None:
        self._batch_shape, self._event_shape = Size(batch_shape), Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._check_parameters()

    def _broadcast(self, validate_args: bool | None, **given: Any) -> None:
        """Keep numbers and tensors of one shape, which is the batch shape, as parameters."""
        values = broadcast_all(*given.values())
        vars(self).update(zip(given, values, strict=True))
        only_numbers = all(isinstance(x, int | float) for x in given.values())
        shape = () if only_numbers else values[0].shape
        Distribution.__init__(self, shape, validate_args=validate_args)

    def _check_parameters(self) -> None:
        for name, constraint in self.arg_constraints.items():
            value = vars(self).get(name)
            if value is not None and not holds(constraint, value):
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape "
                    f"{tuple(value.shape)}) of distribution {self!r} to satisfy the constraint "
                    f"{constraint!r}, but found invalid values:\n{value}"
                )

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Set whether distributions check parameters and samples by default. value: bool."""
        if value not in (True, False):
            raise ValueError
        Distribution._validate_args = value

    @property
    def batch_shape(self) -> Size:
        """The shape of the batch: one independent distribution for each index.

        >>> import graphlab as torch
        >>> torch.distributions.Normal(torch.zeros(3), torch.ones(3)).batch_shape
        torch.Size([3])
        """
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The shape of one sample.

        >>> import graphlab as torch
        >>> torch.distributions.Dirichlet(torch.ones(3)).event_shape
        torch.Size([3])
        """
        return self._event_shape

    @property
    def mean(self) -> Tensor:
        raise NotImplementedError

    @property
    def mode(self) -> Tensor:
        raise NotImplementedError(f"{type(self)} does not implement mode")

    @property
    def variance(self) -> Tensor:
        raise NotImplementedError

    @property
    def stddev(self) -> Tensor:
        """The standard deviation.

        >>> import graphlab as torch
        >>> torch.distributions.Normal(0.0, 2.0).stddev
        tensor(2.)
        """
        return F.sqrt(self.variance)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Return samples, (*sample_shape, *batch_shape, *event_shape), outside of the graph.

        >>> import graphlab as torch
        >>> torch.distributions.Normal(0.0, 2.0).sample((5,)).shape
        torch.Size([5])
        """
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Return samples as a function of the parameters, so that these get gradients.

        Source: Kingma & Welling 2014, arXiv:1312.6114 (the reparametrization trick).

        >>> import graphlab as torch
        >>> loc = torch.zeros(1, requires_grad=True)
        >>> torch.distributions.Normal(loc, 1.0).rsample().requires_grad
        True
        """
        raise NotImplementedError

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density, or of the probability, at `value`.

        value: (..., *batch_shape, *event_shape) -> (..., *batch_shape)

        >>> import graphlab as torch
        >>> torch.distributions.Normal(0.0, 1.0).log_prob(torch.tensor(0.0))
        tensor(-0.9189)
        """
        raise NotImplementedError

    def cdf(self, value: Tensor) -> Tensor:
        """Return the cumulative distribution function: the probability of a sample ≤ `value`.

        >>> import graphlab as torch
        >>> torch.distributions.Normal(0.0, 2.0).cdf(torch.tensor(0.0))
        tensor(0.5000)
        """
        raise NotImplementedError

    def icdf(self, value: Tensor) -> Tensor:
        """Return the quantile: the number x for which cdf(x) is `value`.

        >>> import graphlab as torch
        >>> torch.distributions.Normal(0.0, 2.0).icdf(torch.tensor(0.5))
        tensor(0.)
        """
        raise NotImplementedError

    def entropy(self) -> Tensor:
        """Return the entropy -E[log p(x)] in nats, of the batch shape.

        >>> import graphlab as torch
        >>> torch.distributions.Bernoulli(torch.tensor([0.5, 0.25])).entropy()
        tensor([0.6931, 0.5623])
        """
        raise NotImplementedError

    def perplexity(self) -> Tensor:
        """Return e to the power of the entropy.

        >>> import graphlab as torch
        >>> torch.distributions.Bernoulli(torch.tensor([0.5, 0.25])).perplexity()
        tensor([2.0000, 1.7548])
        """
        return F.exp(self.entropy())

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """Return all values that a discrete distribution can take, along dimension 0.

        >>> import graphlab as torch
        >>> torch.distributions.Bernoulli(0.5).enumerate_support()
        tensor([0., 1.])
        """
        raise NotImplementedError

    def expand(self, batch_shape: Any) -> "Distribution":
        """Return the distribution with its parameters expanded to another batch shape.

        >>> import graphlab as torch
        >>> torch.distributions.Normal(0.0, 2.0).expand((2,)).batch_shape
        torch.Size([2])
        """
        new = copy.copy(self)
        new._batch_shape = Size(batch_shape)
        for name, constraint in self.arg_constraints.items():
            if isinstance(value := vars(self).get(name), Tensor):
                own = value.shape[value.ndim - constraint.event_dim :]
                setattr(new, name, F.expand(value, (*new._batch_shape, *own)))
        if self._within:
            setattr(new, self._within, vars(self)[self._within].expand(batch_shape))
        return new

    def _extended_shape(self, sample_shape: Any = ()) -> Size:
        return Size((*sample_shape, *self._batch_shape, *self._event_shape))

    def _validate_sample(self, value: Any) -> None:
        """Raise ValueError for a value that cannot be a sample."""
        if not self._validate_args:
            return
        if not isinstance(value, Tensor):
            of_one_library("GraphLab's distributions", value)
            raise ValueError("The value argument to log_prob must be a Tensor")
        own = value.shape[value.ndim - len(self._event_shape) :]
        if own != self._event_shape:
            raise ValueError(
                "The right-most size of value must match event_shape: "
                f"{value.shape} vs {self._event_shape}."
            )
        expected = self._extended_shape()
        for i, j in zip(reversed(value.shape), reversed(expected), strict=False):
            if i != j and 1 not in (i, j):
                raise ValueError(
                    "Value is not broadcastable with batch_shape+event_shape: "
                    f"{value.shape} vs {expected}."
                )
        if not holds(self.support, value):
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) "
                f"to be within the support ({self.support!r}) of the distribution {self!r}, but "
                f"found invalid values:\n{value}"
            )

    def __repr__(self) -> str:
        own = [(name, vars(self)[name]) for name in self.arg_constraints if name in vars(self)]
        parts = (f"{name}: {x if x.numel() == 1 else x.size()}" for name, x in own)
        return f"{type(self).__name__}({', '.join(parts)})"


def holds(constraint: Constraint, value: Tensor) -> Any:
    """Return whether all entries meet a constraint; the program has not decided by this check."""
    return F.all(constraint.check(wrap(value._data, False, None)))


def broadcast_all(*values: Any) -> tuple[Tensor, ...]:
    """Return numbers and tensors as tensors of one shape.

    Raises: ValueError for a value that is neither.
    """
    if not all(isinstance(value, int | float | Tensor) for value in values):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing "
            "__torch_function__."
        )
    kind = next((x.dtype for x in values if isinstance(x, Tensor)), get_default_dtype())
    tensors = [x if isinstance(x, Tensor) else tensor(x, dtype=kind) for x in values]
    return tuple(broadcast_tensors(*tensors))


def one_of(probs: Any, logits: Any) -> None:
    """Raise ValueError unless exactly one of the two is given."""
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")


def log_of(probs: Tensor) -> tuple[Tensor, Tensor]:
    """Return log p and p, with the probabilities p clamped to [ε, 1 - ε]."""
    eps = finfo(probs.dtype).eps
    inner = F.clamp(probs, min=eps, max=1 - eps)
    return F.log(inner), inner


def sum_of_last(value: Tensor, ndims: int) -> Tensor:
    """Return the sum over the last `ndims` dimensions."""
    if ndims == 0:
        return value
    return F.sum(F.reshape(value, (*value.shape[: value.ndim - ndims], -1)), -1)


class LocationScale(Distribution):
    """The base of distributions whose density is symmetric about `loc` and largest there.

    loc: number or Tensor, the mean
    scale: number or Tensor > 0
    validate_args: bool, check parameters and samples
    """

    loc: Tensor
    scale: Tensor
    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self._broadcast(validate_args, loc=loc, scale=scale)

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc


class Independent(Distribution):
    """A batch of independent distributions as one distribution: log_prob sums theirs.

    base_distribution: a Distribution
    reinterpreted_batch_ndims: int, how many batch dimensions become dimensions of a sample
    validate_args: bool, check samples
    Raises: ValueError if it is more than the batch has.

    >>> import graphlab as torch
    >>> from graphlab.distributions import Independent
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

"""Invertible functions of samples, and the distributions of what they return.

The density of y = f(x) is that of x, divided by how much f stretches:

    log p(y) = log p(x) - log |dy/dx|

Read next: compat/distributions/kl.py
"""

import math
from functools import cached_property
from operator import attrgetter
from typing import Any

from graphlab.autograd.grad_mode import no_grad
from graphlab.compat.distributions import constraints
from graphlab.compat.distributions.distribution import Distribution, Independent, sum_of_last
from graphlab.nn.functional.activation import softplus
from graphlab.tensor import functions as F
from graphlab.tensor.casting import finfo
from graphlab.tensor.creation import as_tensor, ones_like, zeros_like
from graphlab.tensor.functions.diagonals import broadcast_shapes
from graphlab.tensor.tensor import Tensor


class Transform:
    """The base of invertible functions: a subclass has `_call`, `_inverse`, `log_abs_det_jacobian`.

    cache_size: int, 1 to keep the last pair (x, y), so that the inverse of y is x itself
    Raises: ValueError for another size than 0 or 1.

    >>> import graphlab as torch
    >>> from graphlab.distributions import ExpTransform
    >>> ExpTransform().inv(torch.tensor(1.0))
    tensor(0.)
    """

    domain: Any = constraints.real
    codomain: Any = constraints.real
    bijective = False
    sign: Any = 1  # of the slope

    def __init__(self, cache_size: int = 0) -> None:
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        self._cache_size = cache_size
        self._cached_x_y: tuple[Any, Any] = None, None

    @property
    def event_dim(self) -> int:
        """How many dimensions one element has."""
        if self.domain.event_dim != self.codomain.event_dim:
            raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")
        return self.domain.event_dim

    @cached_property
    def inv(self) -> "Transform":
        """The inverse."""
        return _InverseTransform(self)

    def __call__(self, x: Tensor) -> Tensor:
        return self._kept(x, 0, self._call)

    def _inv_call(self, y: Tensor) -> Tensor:
        return self._kept(y, 1, self._inverse)

    def _kept(self, given: Tensor, place: int, compute: Any) -> Tensor:
        """Return what was computed from the same tensor last; compute it if that was another."""
        if self._cache_size and given is self._cached_x_y[place]:
            return self._cached_x_y[1 - place]
        made = compute(given)
        if self._cache_size:
            self._cached_x_y = (made, given) if place else (given, made)
        return made

    def _call(self, x: Tensor) -> Tensor:
        raise NotImplementedError

    def _inverse(self, y: Tensor) -> Tensor:
        raise NotImplementedError

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return log |det dy/dx|, for each element. x: (..., *event), y: likewise -> (...)."""
        raise NotImplementedError

    def forward_shape(self, shape: Any) -> Any:
        """Return the shape of y for that of x; the same unless a subclass changes it."""
        return shape

    inverse_shape = forward_shape

    def __eq__(self, other: object) -> bool:
        """Whether `other` computes the same; two of a user's own class may differ."""
        known = isinstance(self, ExpTransform | SigmoidTransform | TanhTransform)
        return self is other or (known and type(self) is type(other))

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class _InverseTransform(Transform):
    """The inverse of a transform."""

    domain, codomain = (property(attrgetter(f"_inv.{x}")) for x in ("codomain", "domain"))

    def __init__(self, transform: Transform) -> None:
        super().__init__(transform._cache_size)
        self._inv = self.inv = transform
        self.bijective, self.sign = transform.bijective, transform.sign
        self.forward_shape, self.inverse_shape = transform.inverse_shape, transform.forward_shape

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _InverseTransform) and self._inv == other._inv

    def __call__(self, x: Tensor) -> Tensor:
        return self._inv._inv_call(x)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -self._inv.log_abs_det_jacobian(y, x)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._inv})"


class ComposeTransform(Transform):
    """Several transforms, one after the other.

    parts: list of Transform, the first of which is applied first
    cache_size: 0; the parts keep what they computed themselves

    >>> import graphlab as torch
    >>> from graphlab.distributions import AffineTransform, ComposeTransform, ExpTransform
    >>> ComposeTransform([AffineTransform(0.0, 2.0), ExpTransform()])(torch.zeros(1))
    tensor([1.])
    """

    def __init__(self, parts: list[Transform], cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.parts = parts
        self.bijective = all(part.bijective for part in parts)
        self.sign = math.prod(part.sign for part in parts)
        if parts:
            self.domain = widened([(p.codomain, p.domain) for p in reversed(parts)])
            self.codomain = widened([(p.domain, p.codomain) for p in parts])

    @cached_property
    def inv(self) -> Transform:
        inverse = ComposeTransform([part.inv for part in reversed(self.parts)])
        inverse.inv = self
        return inverse

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    def __call__(self, x: Tensor) -> Tensor:
        for part in self.parts:
            x = part(x)
        return x

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        total: Any = zeros_like(x) if not self.parts else 0
        event_dim = self.domain.event_dim
        for part in self.parts:
            end = y if part is self.parts[-1] else part(x)
            step = part.log_abs_det_jacobian(x, end)
            total = total + sum_of_last(step, event_dim - part.domain.event_dim)
            event_dim += part.codomain.event_dim - part.domain.event_dim
            x = end
        return total

    def forward_shape(self, shape: Any) -> Any:
        for part in self.parts:
            shape = part.forward_shape(shape)
        return shape

    def inverse_shape(self, shape: Any) -> Any:
        return self.inv.forward_shape(shape)

    def __repr__(self) -> str:
        lines = ",\n    ".join(map(repr, self.parts))
        return f"{type(self).__name__}(\n    {lines}\n)"


def widened(sets: list[tuple[Any, Any]]) -> Any:
    """Return the last set of a chain, with as many dimensions as all parts need together."""
    event_dim = sets[0][0].event_dim
    for begin, end in sets:
        event_dim = max(event_dim + end.event_dim - begin.event_dim, end.event_dim)
    last = sets[-1][1]
    more = event_dim - last.event_dim
    return constraints.independent(last, more) if more > 0 else last


class ExpTransform(Transform):
    """y = exp(x). cache_size: as for Transform.

    >>> import graphlab as torch
    >>> from graphlab.distributions import ExpTransform
    >>> ExpTransform()(torch.zeros(1))
    tensor([1.])
    """

    codomain = constraints.positive
    bijective = True

    def _call(self, x: Tensor) -> Tensor:
        return F.exp(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return F.log(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return x


class SigmoidTransform(Transform):
    """y = 1 / (1 + exp(-x)), clamped between 0 and 1. cache_size: as for Transform.

    >>> import graphlab as torch
    >>> from graphlab.distributions import SigmoidTransform
    >>> SigmoidTransform()(torch.zeros(1))
    tensor([0.5000])
    """

    codomain = constraints.unit_interval
    bijective = True

    def _call(self, x: Tensor) -> Tensor:
        return inner(F.sigmoid(x))

    def _inverse(self, y: Tensor) -> Tensor:
        return F.log(inner(y)) - F.log1p(-inner(y))

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -softplus(-x) - softplus(x)


def inner(y: Tensor) -> Tensor:
    """Return probabilities clamped between 0 and 1."""
    return F.clamp(y, min=finfo(y.dtype).tiny, max=1.0 - finfo(y.dtype).eps)


class TanhTransform(Transform):
    """y = tanh(x). cache_size: as for Transform; 1 where y may round to 1.

    >>> import graphlab as torch
    >>> from graphlab.distributions import TanhTransform
    >>> TanhTransform()(torch.zeros(1))
    tensor([0.])
    """

    codomain = constraints.interval(-1.0, 1.0)
    bijective = True

    def _call(self, x: Tensor) -> Tensor:
        return F.tanh(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return F.atanh(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return 2.0 * (math.log(2.0) - x - softplus(-2.0 * x))  # log(1 - y²), without cancellation


class AffineTransform(Transform):
    """y = loc + scale · x.

    loc, scale: numbers or Tensors
    event_dim: int, how many dimensions one sample has
    cache_size: as for Transform

    >>> import graphlab as torch
    >>> from graphlab.distributions import AffineTransform
    >>> AffineTransform(1.0, 2.0)(torch.ones(1))
    tensor([3.])
    """

    bijective = True

    def __init__(self, loc: Any, scale: Any, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.loc, self.scale = loc, scale
        self.sign = F.sign(scale) if isinstance(scale, Tensor) else (scale > 0) - (scale < 0)
        if event_dim:
            self.domain = self.codomain = constraints.independent(constraints.real, event_dim)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AffineTransform):
            return False
        same = F.eq(as_tensor(self.loc), other.loc) & F.eq(as_tensor(self.scale), other.scale)
        return bool(F.all(same))

    def _call(self, x: Tensor) -> Tensor:
        return self.loc + self.scale * x

    def _inverse(self, y: Tensor) -> Tensor:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        slope = as_tensor(self.scale, dtype=x.dtype) * ones_like(x)
        return sum_of_last(F.log(F.abs(slope)), self.event_dim)

    def forward_shape(self, shape: Any) -> Any:
        shapes = [x.shape for x in (self.loc, self.scale) if isinstance(x, Tensor)]
        return broadcast_shapes(shape, *shapes)

    inverse_shape = forward_shape


class TransformedDistribution(Distribution):
    """The distribution of f(x) for samples x of another one: a normalizing flow.

    base_distribution: a Distribution
    transforms: a Transform, or a list of them, the first of which is applied first
    validate_args: bool, check samples
    Raises: ValueError for other transforms, or if they need more dimensions than the base has.
    Source: Rezende & Mohamed 2015, arXiv:1505.05770.

    >>> import graphlab as torch
    >>> from graphlab.distributions import AffineTransform, TransformedDistribution
    >>> flow = TransformedDistribution(torch.distributions.Normal(0.0, 1.0), AffineTransform(1, 2))
    >>> flow.log_prob(torch.tensor(1.0))  # that of Normal(1, 2)
    tensor(-1.6121)
    """

    def __init__(
        self, base_distribution: Distribution, transforms: Any, validate_args: bool | None = None
    ) -> None:
        self.transforms = [transforms] if isinstance(transforms, Transform) else transforms
        if not isinstance(self.transforms, list):
            raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
        if not all(isinstance(t, Transform) for t in self.transforms):
            raise ValueError("transforms must be a Transform or a list of Transforms")
        base, whole = base_distribution, self._whole
        shape, own = base._extended_shape(), len(base.event_shape)
        needed, made = whole.domain.event_dim, whole.codomain.event_dim
        if len(shape) < needed:
            raise ValueError(
                f"base_distribution needs to have shape with size at least {needed}, but got "
                f"{shape}."
            )
        result = whole.forward_shape(shape)
        wider = whole.inverse_shape(result)
        if wider != shape:
            base = base.expand(wider[: len(wider) - own])
        self.base_dist = Independent(base, needed - own) if needed > own else base
        self.has_rsample = base.has_rsample
        cut = len(result) - max(made, own + made - needed)
        super().__init__(result[:cut], result[cut:], validate_args=validate_args)

    @property
    def _whole(self) -> Transform:
        return ComposeTransform(self.transforms)

    @property
    def support(self) -> Any:
        if not self.transforms:
            return self.base_dist.support
        support = self.transforms[-1].codomain
        more = len(self.event_shape) - support.event_dim
        return constraints.independent(support, more) if more > 0 else support

    def expand(self, batch_shape: Any) -> Distribution:
        new: Any = super().expand(batch_shape)
        shape = self._whole.inverse_shape((*batch_shape, *self.event_shape))
        new.base_dist = self.base_dist.expand(shape[: len(shape) - len(self.base_dist.event_shape)])
        return new

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with no_grad():
            return self._whole(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        return self._whole(self.base_dist.rsample(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        event_dim, total, y = len(self.event_shape), 0.0, value
        for part in reversed(self.transforms):
            x = part.inv(y)
            step = sum_of_last(part.log_abs_det_jacobian(x, y), event_dim - part.codomain.event_dim)
            event_dim += part.domain.event_dim - part.codomain.event_dim
            total, y = total - step, x
        own = self.base_dist.log_prob(y)
        return total + sum_of_last(own, event_dim - len(self.base_dist.event_shape))

    def _turned(self, part: Any) -> Any:
        """Return 1 - part where the transforms decrease. part: a probability."""
        sign = self._whole.sign
        return part if isinstance(sign, int) and sign == 1 else sign * (part - 0.5) + 0.5

    def cdf(self, value: Tensor) -> Tensor:
        value = self._whole.inv(value)
        self.base_dist._validate_sample(value)
        return self._turned(self.base_dist.cdf(value))

    def icdf(self, value: Tensor) -> Tensor:
        found = self.base_dist.icdf(self._turned(value))
        return self._whole(found)

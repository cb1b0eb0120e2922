"""Distributions of a real number: normal, Laplace, uniform, exponential; of vectors: normal.

Read next: compat/distributions/counts.py
"""

import math
from typing import Any

from graphlab.autograd.grad_mode import enable_grad, no_grad
from graphlab.compat.distributions import constraints
from graphlab.compat.distributions.distribution import Distribution, LocationScale
from graphlab.tensor import functions as F
from graphlab.tensor.casting import finfo
from graphlab.tensor.creation import empty, zeros_like
from graphlab.tensor.functions.diagonals import broadcast_shapes
from graphlab.tensor.functions.matrix_product import matmul
from graphlab.tensor.functions.solving import solve_triangular
from graphlab.tensor.functions.triangular_factors import cholesky, cholesky_inverse
from graphlab.tensor.random.sampling import normal, rand
from graphlab.tensor.ranges import eye
from graphlab.tensor.tensor import Tensor


class Normal(LocationScale):
    """The normal distribution: p(x) = exp(-(x - loc)² / (2 scale²)) / (scale √(2π)).

    loc: number or Tensor, the mean
    scale: number or Tensor > 0, the standard deviation
    validate_args: bool, check parameters and samples

    >>> import graphlab as torch
    >>> from graphlab.distributions import Normal
    >>> Normal(0.0, 1.0).log_prob(torch.tensor(0.0))
    tensor(-0.9189)
    """

    @property
    def stddev(self) -> Tensor:
        return self.scale

    @property
    def variance(self) -> Tensor:
        return F.pow(self.scale, 2)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return normal(F.expand(self.loc, shape), F.expand(self.scale, shape))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        noise = empty(self._extended_shape(sample_shape), dtype=self.loc.dtype).normal_()
        return self.loc + noise * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        variance = F.pow(self.scale, 2)
        exponent = -F.pow(value - self.loc, 2) / (2 * variance)
        return exponent - F.log(self.scale) - math.log(math.sqrt(2 * math.pi))

    def cdf(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return 0.5 * (1 + F.erf((value - self.loc) * F.reciprocal(self.scale) / math.sqrt(2)))

    def icdf(self, value: Tensor) -> Tensor:
        return self.loc + self.scale * F.erfinv(2 * value - 1) * math.sqrt(2)

    def entropy(self) -> Tensor:
        return 0.5 + 0.5 * math.log(2 * math.pi) + F.log(self.scale)


class Laplace(LocationScale):
    """The Laplace distribution: p(x) = exp(-|x - loc| / scale) / (2 scale).

    loc: number or Tensor, the mean
    scale: number or Tensor > 0
    validate_args: bool, check parameters and samples

    >>> import graphlab as torch
    >>> from graphlab.distributions import Laplace
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


class Uniform(Distribution):
    """The uniform distribution on [low, high): p(x) = 1 / (high - low).

    low, high: numbers or Tensors, low < high
    validate_args: bool, check parameters and samples

    >>> import graphlab as torch
    >>> from graphlab.distributions import Uniform
    >>> Uniform(0.0, 4.0).log_prob(torch.tensor(1.0)).exp()
    tensor(0.2500)
    """

    low: Tensor
    high: Tensor
    has_rsample = True

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        self._broadcast(validate_args, low=low, high=high)

    @property
    def arg_constraints(self) -> Any:  # type: ignore[override]
        return {"low": constraints.less_than(self.high), "high": constraints.greater_than(self.low)}

    @property
    def support(self) -> Any:
        return constraints.interval(self.low, self.high)

    @property
    def mean(self) -> Tensor:
        return (self.high + self.low) / 2

    @property
    def mode(self) -> Tensor:
        return math.nan * self.high

    @property
    def stddev(self) -> Tensor:
        return (self.high - self.low) / 12**0.5

    @property
    def variance(self) -> Tensor:
        return F.pow(self.high - self.low, 2) / 12

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        part = rand(self._extended_shape(sample_shape), dtype=self.low.dtype)
        return self.low + part * (self.high - self.low)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        kind = self.low.dtype
        inside = F.le(self.low, value).to(kind) * F.gt(self.high, value).to(kind)
        return F.log(inside) - F.log(self.high - self.low)

    def cdf(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return F.clamp((value - self.low) / (self.high - self.low), min=0, max=1)

    def icdf(self, value: Tensor) -> Tensor:
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Tensor:
        return F.log(self.high - self.low)


class Exponential(Distribution):
    """The exponential distribution: p(x) = rate · exp(-rate · x), for x ≥ 0.

    rate: number or Tensor > 0; the mean is 1 / rate
    validate_args: bool, check parameters and samples

    >>> import graphlab as torch
    >>> from graphlab.distributions import Exponential
    >>> Exponential(2.0).log_prob(torch.tensor(0.0)).exp()
    tensor(2.)
    """

    rate: Tensor
    arg_constraints = {"rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        self._broadcast(validate_args, rate=rate)

    @property
    def mean(self) -> Tensor:
        return F.reciprocal(self.rate)

    @property
    def stddev(self) -> Tensor:
        return self.mean

    @property
    def mode(self) -> Tensor:
        return zeros_like(self.rate)

    @property
    def variance(self) -> Tensor:
        return F.pow(self.rate, -2)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        noise = empty(self._extended_shape(sample_shape), dtype=self.rate.dtype).exponential_()
        return noise / self.rate

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return F.log(self.rate) - self.rate * value

    def cdf(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return 1 - F.exp(-self.rate * value)

    def icdf(self, value: Tensor) -> Tensor:
        return -F.log1p(-value) / self.rate

    def entropy(self) -> Tensor:
        return 1.0 - F.log(self.rate)


class MultivariateNormal(Distribution):
    """The multivariate normal distribution of vectors of K entries.

    loc: (..., K), the mean; and one of
    covariance_matrix: (..., K, K) Σ, positive definite;
    precision_matrix: (..., K, K) Σ⁻¹; or
    scale_tril: (..., K, K) L, the lower triangle with Σ = L Lᵀ and a positive diagonal
    validate_args: bool, check parameters and samples
    Raises: ValueError unless one of the three is given.

    >>> import graphlab as torch
    >>> from graphlab.distributions import MultivariateNormal
    >>> MultivariateNormal(torch.zeros(2), torch.eye(2)).log_prob(torch.zeros(2))
    tensor(-1.8379)
    """

    arg_constraints = {
        "loc": constraints.real_vector, "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }  # fmt: skip
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        loc: Tensor,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if loc.ndim < 1:
            raise ValueError("loc must be at least one-dimensional.")
        given = {
            "covariance_matrix": covariance_matrix, "precision_matrix": precision_matrix,
            "scale_tril": scale_tril,
        }  # fmt: skip
        found = [(name, matrix) for name, matrix in given.items() if matrix is not None]
        if len(found) != 1:
            raise ValueError(
                "Exactly one of covariance_matrix or precision_matrix or scale_tril may be "
                "specified."
            )
        ((name, matrix),) = found
        if matrix.ndim < 2:
            kind = "scale_tril matrix" if name == "scale_tril" else name
            raise ValueError(
                f"{kind} must be at least two-dimensional, with optional leading batch dimensions"
            )
        batch = broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        vars(self)[name] = F.expand(matrix, (*batch, -1, -1))
        self.loc = F.expand(loc, (*batch, -1))
        super().__init__(batch, self.loc.shape[-1:], validate_args=validate_args)
        self._L = matrix if name == "scale_tril" else root_of(matrix, name == "precision_matrix")

    def __getattr__(self, name: str) -> Any:
        """Compute a form of the matrix that was not given."""
        if name not in self.arg_constraints:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        with enable_grad():
            if name == "scale_tril":
                found = self._L
            elif name == "covariance_matrix":
                found = matmul(self._L, F.transpose(self._L, -2, -1))
            else:
                found = cholesky_inverse(self._L)
            found = F.expand(found, (*self.batch_shape, *self.event_shape, *self.event_shape))
        vars(self)[name] = found
        return found

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        return F.expand(F.sum(F.pow(self._L, 2), -1), (*self.batch_shape, *self.event_shape))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        noise = empty(self._extended_shape(sample_shape), dtype=self.loc.dtype).normal_()
        return self.loc + F.squeeze(matmul(self._L, F.unsqueeze(noise, -1)), -1)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        apart, half = distance(self._L, value - self.loc), half_log_det(self._L)
        return -0.5 * (self.event_shape[0] * math.log(2 * math.pi) + apart) - half

    def entropy(self) -> Tensor:
        constant = 0.5 * self.event_shape[0] * (1.0 + math.log(2 * math.pi))
        found = constant + half_log_det(self._L)
        return F.expand(found, self.batch_shape) if self.batch_shape else found


def root_of(matrix: Tensor, inverted: bool) -> Tensor:
    """Return L with L Lᵀ = `matrix`, or its inverse if `inverted`. matrix: (..., K, K)."""
    if not inverted:
        return cholesky(matrix)
    flipped = F.flip(cholesky(F.flip(matrix, (-2, -1))), (-2, -1))
    unit = eye(matrix.shape[-1], dtype=matrix.dtype)
    return solve_triangular(F.transpose(flipped, -2, -1), unit, upper=False)


def half_log_det(L: Tensor) -> Tensor:
    """Return ½ log det(L Lᵀ). L: (..., K, K) -> (...)."""
    return F.sum(F.log(F.diagonal(L, dim1=-2, dim2=-1)), -1)


def distance(L: Tensor, away: Tensor) -> Tensor:
    """Return xᵀ (L Lᵀ)⁻¹ x for each vector x. L: (..., K, K), away: (..., K) -> (...).

    All vectors that share a matrix are the columns of one system.
    Source: PyTorch, torch/distributions/multivariate_normal.py, _batch_mahalanobis.
    """
    n, batch = away.shape[-1], L.ndim - 2
    outer = away.ndim - 1 - batch
    sizes = [*away.shape[:outer]]
    for own, given in zip(L.shape[:-2], away.shape[outer:-1], strict=True):
        sizes += [given // own, own]
    last = outer + 2 * batch
    order = (*range(outer), *range(outer, last, 2), *range(outer + 1, last, 2), last)
    x = F.permute(F.reshape(away, (*sizes, n)), order)
    flat = F.reshape(L, (-1, n, n))
    columns = F.permute(F.reshape(x, (-1, flat.shape[0], n)), (1, 2, 0))
    found = F.t(F.sum(F.pow(solve_triangular(flat, columns, upper=False), 2), -2))
    back = [at for i in range(batch) for at in (outer + i, outer + batch + i)]
    found = F.permute(F.reshape(found, x.shape[:-1]), (*range(outer), *back))
    return F.reshape(found, away.shape[:-1])

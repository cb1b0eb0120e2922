"""The Kullback-Leibler divergence KL(p ‖ q) = E_p[log p - log q], in closed form.

Read next: compat/distributions/distribution.py
"""

import math
from collections.abc import Callable
from typing import Any, TypeVar

from graphlab.compat.distributions.classes import Categorical, OneHotCategorical
from graphlab.compat.distributions.continuous import (
    Exponential,
    Laplace,
    MultivariateNormal,
    Normal,
    Uniform,
    distance,
    half_log_det,
)
from graphlab.compat.distributions.counts import Bernoulli, Binomial, Poisson
from graphlab.compat.distributions.distribution import Distribution, Independent, sum_of_last
from graphlab.compat.distributions.flows import TransformedDistribution
from graphlab.compat.distributions.gammas import Beta, Dirichlet, Gamma
from graphlab.nn.functional.activation import softplus
from graphlab.tensor import functions as F
from graphlab.tensor.functions.solving import solve_triangular
from graphlab.tensor.tensor import Tensor

Rule = TypeVar("Rule", bound=Callable[..., Any])
rules: dict[tuple[type, type], Callable[[Any, Any], Tensor]] = {}


def register_kl(type_p: type, type_q: type) -> Callable[[Rule], Rule]:
    """Return a decorator for the function that computes KL(p ‖ q) for two types.

    type_p, type_q: subclasses of Distribution
    Raises: TypeError for a type that is not a subclass of Distribution.

    >>> from graphlab.distributions import Normal, kl_divergence, register_kl
    >>> class Shifted(Normal): "A normal distribution of your own."
    >>> @register_kl(Shifted, Shifted)
    ... def distance(p, q):
    ...     return (p.loc - q.loc) ** 2
    >>> kl_divergence(Shifted(3.0, 1.0), Shifted(1.0, 1.0))
    tensor(4.)
    """
    for name, given in (("type_p", type_p), ("type_q", type_q)):
        if not (isinstance(given, type) and issubclass(given, Distribution)):
            raise TypeError(f"Expected {name} to be a Distribution subclass but got {given}")

    def registered(rule: Rule) -> Rule:
        rules[type_p, type_q] = rule
        return rule

    return registered


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """Return KL(p ‖ q), of the batch shape. p, q: distributions.

    Raises: NotImplementedError if no function is registered for their types.

    >>> from graphlab.distributions import Normal, kl_divergence
    >>> kl_divergence(Normal(1.0, 1.0), Normal(0.0, 1.0))
    tensor(0.5000)
    """
    for kind_p in type(p).__mro__:
        for kind_q in type(q).__mro__:
            if rule := rules.get((kind_p, kind_q)):
                return rule(p, q)
    raise NotImplementedError(
        f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}"
    )


@register_kl(Normal, Normal)
def kl_normal(p: Normal, q: Normal) -> Tensor:
    """½ (r + d² - 1 - log r), r = p.scale² / q.scale², d = (p.loc - q.loc) / q.scale."""
    variances = F.pow(p.scale / q.scale, 2)
    distance = F.pow((p.loc - q.loc) / q.scale, 2)
    return 0.5 * (variances + distance - 1 - F.log(variances))


@register_kl(MultivariateNormal, MultivariateNormal)
def kl_multivariate_normal(p: MultivariateNormal, q: MultivariateNormal) -> Tensor:
    """log det ½ of q over p, and ½ (tr(Σ_q⁻¹ Σ_p) + the distance of the means - K)."""
    if p.event_shape != q.event_shape:
        raise ValueError(
            "KL-divergence between two Multivariate Normals with different event "
            "shapes cannot be computed"
        )
    between = solve_triangular(q._L, p._L, upper=False)
    spread = F.sum(F.flatten(F.pow(between, 2), -2), -1)
    apart = distance(q._L, q.loc - p.loc)
    dets = half_log_det(q._L) - half_log_det(p._L)
    return dets + 0.5 * (spread + apart - p.event_shape[0])


@register_kl(Bernoulli, Bernoulli)
def kl_bernoulli(p: Bernoulli, q: Bernoulli) -> Tensor:
    """p log (p / q) + (1 - p) log ((1 - p) / (1 - q))."""
    ones = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    zeros = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    ones = masked(ones, F.eq(q.probs, 0), F.eq(p.probs, 0))
    return ones + masked(zeros, F.eq(q.probs, 1), F.eq(p.probs, 1))


@register_kl(Binomial, Binomial)
def kl_binomial(p: Binomial, q: Binomial) -> Tensor:
    """n times the divergence of one trial; ∞ if p has more trials than q."""
    if F.any(F.lt(p.total_count, q.total_count)):
        raise NotImplementedError(
            "KL between Binomials where q.total_count > p.total_count is not implemented"
        )
    successes = p.probs * (p.logits - q.logits)
    found = p.total_count * (successes + F.log1p(-p.probs) - F.log1p(-q.probs))
    return F.masked_fill(found, F.gt(p.total_count, q.total_count), math.inf)


@register_kl(Poisson, Poisson)
def kl_poisson(p: Poisson, q: Poisson) -> Tensor:
    """p.rate log (p.rate / q.rate) - p.rate + q.rate."""
    return p.rate * (F.log(p.rate) - F.log(q.rate)) - (p.rate - q.rate)


@register_kl(Categorical, Categorical)
def kl_categorical(p: Categorical, q: Categorical) -> Tensor:
    """Σ p log (p / q)."""
    terms = p.probs * (p.logits - q.logits)
    return F.sum(masked(terms, F.eq(q.probs, 0), F.eq(p.probs, 0)), -1)


def masked(terms: Tensor, infinite: Tensor, zero: Tensor) -> Tensor:
    """Return the terms with ∞ in place of those where q is 0, and 0 where p is 0."""
    return F.masked_fill(F.masked_fill(terms, infinite, math.inf), zero, 0.0)


@register_kl(OneHotCategorical, OneHotCategorical)
def kl_one_hot(p: OneHotCategorical, q: OneHotCategorical) -> Tensor:
    """Σ p log (p / q)."""
    return kl_categorical(p._categorical, q._categorical)


@register_kl(Exponential, Exponential)
def kl_exponential(p: Exponential, q: Exponential) -> Tensor:
    """r - 1 - log r, r = q.rate / p.rate."""
    ratio = q.rate / p.rate
    return -F.log(ratio) + ratio - 1


@register_kl(Laplace, Laplace)
def kl_laplace(p: Laplace, q: Laplace) -> Tensor:
    """r exp(-d / p.scale) + d / q.scale - 1 - log r, r = p.scale / q.scale, d = |p.loc - q.loc|."""
    ratio, distance = p.scale / q.scale, F.abs(p.loc - q.loc)
    return -F.log(ratio) + distance / q.scale + ratio * F.exp(-distance / p.scale) - 1


@register_kl(Normal, Laplace)
def kl_normal_laplace(p: Normal, q: Laplace) -> Tensor:
    """log (2 q.scale) + E_p|x - q.loc| / q.scale - H(p), where H is the entropy."""
    distance = p.loc - q.loc
    z = distance / (2**0.5 * p.scale)
    mean = (2 / math.pi) ** 0.5 * p.scale * F.exp(-F.pow(z, 2)) + distance * F.erf(z)
    return F.log(2 * q.scale) + mean / q.scale - p.entropy()


@register_kl(Laplace, Normal)
def kl_laplace_normal(p: Laplace, q: Normal) -> Tensor:
    """log (q.scale √(2π)) + E_p(x - q.loc)² / (2 q.scale²) - H(p), where H is the entropy."""
    square = p.variance + F.pow(p.loc - q.loc, 2)
    return F.log(q.scale * math.sqrt(2 * math.pi)) + square / (2 * q.variance) - p.entropy()


@register_kl(Uniform, Uniform)
def kl_uniform(p: Uniform, q: Uniform) -> Tensor:
    """log ((q.high - q.low) / (p.high - p.low)); ∞ if p reaches beyond q."""
    widths = F.log((q.high - q.low) / (p.high - p.low))
    outside = F.gt(q.low, p.low) | F.lt(q.high, p.high)
    return F.masked_fill(widths, outside, math.inf)


@register_kl(Uniform, Normal)
def kl_uniform_normal(p: Uniform, q: Normal) -> Tensor:
    """log (q.scale √(2π) / w) + (w² / 12 + (mean - q.loc)²) / (2 q.scale²), w = p.high - p.low."""
    width = p.high - p.low
    first = F.log(math.sqrt(math.pi * 2) * q.scale / width)
    distance = F.pow((p.high + p.low - 2 * q.loc) / 2, 2)
    return first + 0.5 * (F.pow(width, 2) / 12 + distance) / F.pow(q.scale, 2)


@register_kl(Gamma, Gamma)
def kl_gamma(p: Gamma, q: Gamma) -> Tensor:
    """b log(p.rate / q.rate) + log(Γ(b) / Γ(a)) + (a - b) ψ(a) + (q.rate - p.rate) E_p[x]."""
    a, b = p.concentration, q.concentration
    first = b * F.log(p.rate / q.rate) + F.lgamma(b) - F.lgamma(a)
    return first + (a - b) * F.digamma(a) + (q.rate - p.rate) * (a / p.rate)


@register_kl(Dirichlet, Dirichlet)
def kl_dirichlet(p: Dirichlet, q: Dirichlet) -> Tensor:
    """log(Γ(Σa) / Γ(Σb)) - Σ log(Γ(a) / Γ(b)) + Σ (a - b) (ψ(a) - ψ(Σa))."""
    a, b = p.concentration, q.concentration
    whole = F.sum(a, -1, keepdim=True)
    first = F.lgamma(F.sum(a, -1)) - F.lgamma(F.sum(b, -1)) - F.sum(F.lgamma(a) - F.lgamma(b), -1)
    return first + F.sum((a - b) * (F.digamma(a) - F.digamma(whole)), -1)


@register_kl(Beta, Beta)
def kl_beta(p: Beta, q: Beta) -> Tensor:
    """That of the Dirichlet distributions of both parts."""
    return kl_dirichlet(p._dirichlet, q._dirichlet)


@register_kl(TransformedDistribution, TransformedDistribution)
def kl_transformed(p: TransformedDistribution, q: TransformedDistribution) -> Tensor:
    """That of the base distributions, which the same function stretches."""
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(Independent, Independent)
def kl_independent(p: Independent, q: Independent) -> Tensor:
    """The sum of the divergences of the base distributions."""
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return sum_of_last(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)

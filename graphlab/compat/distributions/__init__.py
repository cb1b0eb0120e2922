"""`torch.distributions`: samples, log-probabilities, entropies and divergences.

    policy = Categorical(logits=network(state))     loss = -policy.log_prob(action) * reward
    z = Normal(mean, scale).rsample()               kl_divergence(Normal(mean, scale), prior)

Read next: compat/distributions/distribution.py
"""

import re
import sys
from typing import Any

from graphlab.common.errors import left_out
from graphlab.compat.distributions import constraints
from graphlab.compat.distributions.classes import (
    Categorical,
    MixtureSameFamily,
    Multinomial,
    OneHotCategorical,
)
from graphlab.compat.distributions.continuous import (
    Exponential,
    Laplace,
    MultivariateNormal,
    Normal,
    Uniform,
)
from graphlab.compat.distributions.counts import Bernoulli, Binomial, Poisson
from graphlab.compat.distributions.distribution import Distribution, Independent
from graphlab.compat.distributions.flows import (
    AffineTransform,
    ComposeTransform,
    ExpTransform,
    SigmoidTransform,
    TanhTransform,
    Transform,
    TransformedDistribution,
)
from graphlab.compat.distributions.gammas import Beta, Dirichlet, Gamma, LogNormal, StudentT
from graphlab.compat.distributions.kl import kl_divergence, register_kl

__all__ = [
    "AffineTransform", "Bernoulli", "Beta", "Binomial", "Categorical", "ComposeTransform",
    "Dirichlet", "Distribution", "ExpTransform", "Exponential", "Gamma", "Independent", "Laplace",
    "LogNormal", "MixtureSameFamily", "Multinomial", "MultivariateNormal", "Normal",
    "OneHotCategorical", "Poisson", "SigmoidTransform", "StudentT", "TanhTransform", "Transform",
    "TransformedDistribution", "Uniform", "constraints", "kl_divergence", "register_kl",
]  # fmt: skip

_ABSENT = {
    "AbsTransform", "CatTransform", "Cauchy", "Chi2", "ContinuousBernoulli",
    "CorrCholeskyTransform", "CumulativeDistributionTransform", "ExponentialFamily",
    "FisherSnedecor", "GeneralizedPareto", "Geometric", "Gumbel", "HalfCauchy", "HalfNormal",
    "IndependentTransform", "InverseGamma", "Kumaraswamy", "LKJCholesky", "LogisticNormal",
    "LowRankMultivariateNormal", "LowerCholeskyTransform", "NegativeBinomial",
    "OneHotCategoricalStraightThrough", "Pareto", "PositiveDefiniteTransform", "PowerTransform",
    "RelaxedBernoulli", "RelaxedOneHotCategorical", "ReshapeTransform", "SoftmaxTransform",
    "SoftplusTransform", "StackTransform", "StickBreakingTransform", "VonMises", "Weibull",
    "Wishart", "biject_to", "identity_transform", "transform_to",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _ABSENT:
        raise left_out(
            f"distributions.{name} is not supported: of PyTorch's distributions and transforms, "
            "GraphLab has those of distributions.__all__; transform one of them with "
            "TransformedDistribution, or write log_prob as a formula"
        )
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _enter_paths() -> None:
    """Let files be found by PyTorch's paths: `from graphlab.distributions.normal import Normal`."""
    own = globals()
    for path in [*sys.modules]:  # the same modules, not copies of them
        home, _, name = path.rpartition(".")
        if home == "graphlab.compat.distributions":
            own[name] = sys.modules[f"graphlab.distributions.{name}"] = sys.modules[path]
    for kind in [own[name] for name in __all__ if isinstance(own[name], type)]:
        file = re.sub(r"\B(?=[A-Z])", "_", kind.__name__).lower()  # PyTorch has one for each class
        file = (
            "transforms" if issubclass(kind, Transform) else file.replace("student_t", "studentT")
        )
        home = sys.modules[kind.__module__]
        kind.__module__ = f"graphlab.compat.distributions.{file}"
        for path in (kind.__module__, f"graphlab.distributions.{file}"):
            own[file] = sys.modules[path] = home


_enter_paths()

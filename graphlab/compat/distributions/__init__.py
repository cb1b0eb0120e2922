"""`torch.distributions`: samples, log-probabilities, entropies and divergences.

    policy = Categorical(logits=network(state))     loss = -policy.log_prob(action) * reward
    z = Normal(mean, scale).rsample()               kl_divergence(Normal(mean, scale), prior)

Read next: compat/distributions/distribution.py
"""

import sys

from graphlab.compat.distributions import constraints
from graphlab.compat.distributions.bernoulli import Bernoulli
from graphlab.compat.distributions.binomial import Binomial
from graphlab.compat.distributions.categorical import Categorical
from graphlab.compat.distributions.distribution import Distribution
from graphlab.compat.distributions.exponential import Exponential
from graphlab.compat.distributions.independent import Independent
from graphlab.compat.distributions.kl import kl_divergence, register_kl
from graphlab.compat.distributions.laplace import Laplace
from graphlab.compat.distributions.multinomial import Multinomial
from graphlab.compat.distributions.multivariate_normal import MultivariateNormal
from graphlab.compat.distributions.normal import Normal
from graphlab.compat.distributions.one_hot_categorical import OneHotCategorical
from graphlab.compat.distributions.poisson import Poisson
from graphlab.compat.distributions.uniform import Uniform

__all__ = [
    "Bernoulli", "Binomial", "Categorical", "Distribution", "Exponential", "Independent", "Laplace",
    "Multinomial", "MultivariateNormal", "Normal", "OneHotCategorical", "Poisson", "Uniform",
    "constraints", "kl_divergence", "register_kl",
]  # fmt: skip

for path in [*sys.modules]:  # `import graphlab.distributions.normal` finds a file, not a copy of it
    home, _, name = path.rpartition(".")
    if home == "graphlab.compat.distributions":
        globals()[name] = sys.modules[f"graphlab.distributions.{name}"] = sys.modules[path]

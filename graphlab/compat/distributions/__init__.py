"""`torch.distributions`: samples, log-probabilities, entropies and divergences.

    policy = Categorical(logits=network(state))     loss = -policy.log_prob(action) * reward
    z = Normal(mean, scale).rsample()               kl_divergence(Normal(mean, scale), prior)

Read next: compat/distributions/distribution.py
"""

import re
import sys

from graphlab.compat.distributions import constraints
from graphlab.compat.distributions.classes import Categorical, Multinomial, OneHotCategorical
from graphlab.compat.distributions.continuous import Exponential, Laplace, Normal, Uniform
from graphlab.compat.distributions.counts import Bernoulli, Binomial, Poisson
from graphlab.compat.distributions.distribution import Distribution
from graphlab.compat.distributions.independent import Independent
from graphlab.compat.distributions.kl import kl_divergence, register_kl
from graphlab.compat.distributions.multivariate_normal import MultivariateNormal

__all__ = [
    "Bernoulli", "Binomial", "Categorical", "Distribution", "Exponential", "Independent", "Laplace",
    "Multinomial", "MultivariateNormal", "Normal", "OneHotCategorical", "Poisson", "Uniform",
    "constraints", "kl_divergence", "register_kl",
]  # fmt: skip

for path in [*sys.modules]:  # `import graphlab.distributions.normal` finds a file, not a copy of it
    home, _, name = path.rpartition(".")
    if home == "graphlab.compat.distributions":
        globals()[name] = sys.modules[f"graphlab.distributions.{name}"] = sys.modules[path]

# PyTorch has a file for each: `from graphlab.distributions.normal import Normal`
for kind in [found for name in __all__ if isinstance(found := globals()[name], type)]:
    file, home = re.sub(r"\B(?=[A-Z])", "_", kind.__name__).lower(), sys.modules[kind.__module__]
    kind.__module__ = f"graphlab.compat.distributions.{file}"
    for path in (kind.__module__, f"graphlab.distributions.{file}"):
        globals()[file] = sys.modules[path] = home
del kind, file, home, name, path

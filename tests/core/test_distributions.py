"""Distributions: samples, densities, entropies and divergences are PyTorch's.

Read next: graphlab/compat/distributions/distribution.py
"""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import graphlab
from graphlab.autograd.branches import branches

SETUP = """
d = lib.distributions
loc = lib.tensor([0.5, -1.0], requires_grad=True)
scale = lib.tensor([1.5, 0.5], requires_grad=True)
part = lib.tensor([0.2, 0.8], requires_grad=True)
rows = lib.tensor([[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]], requires_grad=True)
"""
MADE = {
    "normal": "d.Normal(loc, scale)",
    "normal of numbers": "d.Normal(1, 2.0)",
    "uniform": "d.Uniform(loc, loc + scale)",
    "exponential": "d.Exponential(scale)",
    "laplace": "d.Laplace(loc, scale)",
    "bernoulli": "d.Bernoulli(part)",
    "bernoulli, logits": "d.Bernoulli(logits=loc)",
    "binomial": "d.Binomial(lib.tensor([5.0, 40.0]), part)",
    "binomial of one count": "d.Binomial(6, logits=loc)",
    "binomial, expanded": "d.Binomial(6, part).expand((3, 2))",
    "poisson": "d.Poisson(scale)",
    "categorical": "d.Categorical(rows)",
    "categorical, logits": "d.Categorical(logits=rows)",
    "one hot": "d.OneHotCategorical(rows)",
    "multinomial": "d.Multinomial(5, rows)",
    "mixture": "d.MixtureSameFamily(d.Categorical(part), d.Normal(loc, scale))",
    "mixture of vectors": "d.MixtureSameFamily(d.Categorical(lib.ones(2, 3)), "
    "d.Independent(d.Laplace(lib.randn(2, 3, 2), 1.0), 1))",
    "mixture, expanded": "d.MixtureSameFamily(d.Categorical(part), "
    "d.Uniform(loc, loc + scale)).expand((3,))",
    "gamma": "d.Gamma(scale, part)",
    "gamma of numbers": "d.Gamma(3, 2.0)",
    "gamma, expanded": "d.Gamma(scale, 2.0).expand((3, 2))",
    "beta": "d.Beta(scale, part)",
    "beta of numbers": "d.Beta(2, 5.0)",
    "beta, expanded": "d.Beta(scale, 3.0).expand((3, 2))",
    "dirichlet": "d.Dirichlet(rows)",
    "log normal": "d.LogNormal(loc, scale)",
    "log normal of numbers": "d.LogNormal(0, 1.5)",
    "log normal, expanded": "d.LogNormal(loc, scale).expand((3, 2))",
    "student": "d.StudentT(scale * 2, loc, part)",
    "student of a number": "d.StudentT(4.0)",
    "student, expanded": "d.StudentT(scale, loc).expand((3, 2))",
    "affine": "d.TransformedDistribution(d.Normal(0.0, 1.0), d.AffineTransform(loc, -scale))",
    "affine of vectors": "d.TransformedDistribution(d.Normal(loc, 1.0), "
    "[d.AffineTransform(loc, scale, event_dim=1), d.TanhTransform(cache_size=1)])",
    "several": "d.TransformedDistribution(d.Independent(d.Normal(loc, scale), 1), "
    "[d.AffineTransform(0.5, -2.0), d.SigmoidTransform(), d.ExpTransform()])",
    "logistic": "d.TransformedDistribution(d.Uniform(0.0, 1.0), "
    "[d.SigmoidTransform().inv, d.AffineTransform(loc, scale)])",
    "composed, expanded": "d.TransformedDistribution(d.Normal(loc, scale), "
    "[d.ComposeTransform([d.TanhTransform(), d.ExpTransform()]).inv.inv]).expand((3, 2))",
    "of no transform": "d.TransformedDistribution(d.Normal(loc, scale), [])",
    "dirichlet with a peak": "d.Dirichlet(rows + 2)",
    "independent": "d.Independent(d.Normal(loc, scale), 1)",
    "independent of no dimension": "d.Independent(d.Bernoulli(part), 0)",
    "expanded": "d.Normal(loc, scale).expand((3, 2))",
    "categorical, expanded": "d.Categorical(rows).expand((3, 2))",
}
ASKED = [
    "p",
    "(p.batch_shape, p.event_shape, p.has_rsample, p.has_enumerate_support)",
    "(p.mean, p.stddev, p.variance)",
    "p.mode",
    "p.support",
    "p.sample()",
    "p.sample((2, 3))",
    "p.entropy()",
    "p.perplexity()",
    "p.log_prob(p.sample((2,)))",
    "p.rsample((2,))",
    "p.cdf(p.sample())",
    "p.icdf(p.cdf(p.sample()))",
    "p.enumerate_support()",
    "d.kl_divergence(p, p)",
    "p.log_prob(lib.tensor(7.5))",
    "p.log_prob(1)",
]


def outcome(lib, made, asked):
    """What an expression shows, or the error, and the gradients of its sum."""
    lib.manual_seed(0)
    names = {"lib": lib}
    exec(SETUP, names)
    try:
        names["p"] = eval(made, names)
        found = eval(asked, names)
        outputs = [
            t for t in (found if type(found) is tuple else (found,)) if hasattr(t, "grad_fn")
        ]
        if sum(t.numel() for t in outputs) == 0:
            return repr(found), []
        for t in outputs:
            if t.requires_grad:
                t.sum().backward(retain_graph=True)
    except (ValueError, NotImplementedError, AttributeError) as error:
        return f"{type(error).__name__}: {error}".replace("graphlab.compat.", "torch."), []
    leaves = [names[name] for name in ("loc", "scale", "part", "rows")]
    grads = [None if leaf.grad is None else leaf.grad.tolist() for leaf in leaves]
    return [t.tolist() for t in outputs], grads


@pytest.mark.torch
@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("made", MADE.values(), ids=MADE)
def test_a_distribution_answers_as_pytorchs(made, asked, torch):
    (ours, our_grads), (theirs, their_grads) = (
        outcome(lib, made, asked) for lib in (graphlab, torch)
    )
    if isinstance(theirs, str):
        assert ours == theirs
        return
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-6)  # float32
    if "rsample" in asked and "Beta" in made:
        return  # PyTorch averages over all samples that give the same one
    loose = "rsample" in asked and "Gamma" in made  # PyTorch approximates these gradients
    for a, b in zip(our_grads, their_grads, strict=True):
        assert (a is None) == (b is None)
        if a is not None:
            np.testing.assert_allclose(a, b, rtol=1e-3 if loose else 2e-5, atol=1e-5)


def test_a_gamma_sample_follows_its_concentration_along_an_equal_probability():
    a = np.array([0.1, 0.7, 1.0, 3.0, 30.0, 400.0])
    x = np.array([1e-3, 2.0, 0.5, 9.0, 25.0, 430.0])
    P = lambda a, x: graphlab.special.gammainc(graphlab.tensor(a), graphlab.tensor(x)).numpy()  # noqa: E731
    h = 1e-5
    along_a, along_x = P(a + h, x) - P(a - h, x), P(a, x + h * x) - P(a, x - h * x)
    found = importlib.import_module("graphlab.compat.distributions.gammas").slope(a, x)
    np.testing.assert_allclose(found, -along_a * x / along_x, rtol=1e-6)  # central differences


def test_the_mean_slope_of_beta_samples_is_that_of_their_mean():
    graphlab.manual_seed(0)
    a, b = (graphlab.tensor(v, requires_grad=True, dtype=graphlab.float64) for v in (2.0, 0.5))
    p = graphlab.distributions.Beta(a, b)
    sampled = graphlab.autograd.grad(p.rsample((2000,)).mean(), (a, b))
    for found, right in zip(sampled, graphlab.autograd.grad(p.mean, (a, b)), strict=True):
        assert found.item() == pytest.approx(right.item(), rel=0.1)  # 2,000 samples


@pytest.mark.torch
@pytest.mark.parametrize(
    "line",
    [
        "d.Normal(0.0, -1.0)", "d.Normal(0.0, lib.tensor([1.0, -1.0]))", "d.Bernoulli(1.5)",
        "d.Bernoulli()", "d.Bernoulli(0.5, 0.5)", "d.Categorical(lib.tensor(0.5))",
        "d.Categorical(lib.tensor([-1.0, 2.0]))", "d.Exponential(0.0)", "d.Uniform(2.0, 1.0)",
        "d.Normal('a', 1)", "d.Multinomial(1.5, rows)", "d.Independent(d.Normal(0.0, 1.0), 1)",
        "d.Categorical(rows).log_prob(lib.tensor([0, 1, 2]))",
        "d.Categorical(rows).log_prob(lib.tensor([0, 3]))",
        "d.Normal(0.0, -1.0, validate_args=False)",
        "d.kl_divergence(d.Uniform(0.0, 1.0), d.Normal(0.0, 1.0))",
        "d.kl_divergence(d.Uniform(0.0, 1.0), d.Uniform(0.0, 0.5))",
        "d.kl_divergence(d.Normal(1.0, 2.0), d.Normal(0.0, 1.0))",
        "d.kl_divergence(d.Laplace(1.0, 2.0), d.Laplace(0.0, 1.0))",
        "d.kl_divergence(d.Normal(0.3, 1.2), d.Laplace(0.1, 0.7))",
        "d.kl_divergence(d.Laplace(0.3, 1.2), d.Normal(0.1, 0.7))",
        "d.kl_divergence(d.Bernoulli(0.0), d.Bernoulli(part))",
        "d.kl_divergence(d.Categorical(rows), d.Categorical(lib.ones(3)))",
        "d.kl_divergence(d.Gamma(2.0, scale), d.Gamma(scale, 3.0))",
        "d.kl_divergence(d.Beta(2.0, scale), d.Beta(scale, 3.0))",
        "d.kl_divergence(d.Dirichlet(rows), d.Dirichlet(lib.ones(3)))",
        "d.Gamma(0.0, 1.0)", "d.Beta(-1.0, 1.0)", "d.Dirichlet(lib.tensor(1.0))",
        "d.Dirichlet(rows).log_prob(lib.tensor([0.5, 0.2, 0.2]))",
        "d.Beta(1.0, 1.0).log_prob(part + 1)", "d.MixtureSameFamily(d.Normal(loc, 1.0), 1)",
        "d.MixtureSameFamily(d.Categorical(part), part)",
        "d.MixtureSameFamily(d.Categorical(part), d.Normal(lib.zeros(3), 1.0))",
        "d.MixtureSameFamily(d.Categorical(rows), d.Normal(lib.zeros(3, 3), 1.0))",
    ],
)  # fmt: skip
def test_unfit_arguments_are_refused_in_pytorchs_words(line, torch):
    def shown(lib):
        names = {"lib": lib}
        exec(SETUP, names)
        try:
            return repr(eval(line, names)).split(", grad_fn")[0]
        except (ValueError, NotImplementedError) as error:
            return f"{type(error).__name__}: {error}"

    assert shown(graphlab) == shown(torch)


def test_gradients_flow_through_a_sample_to_the_parameters():
    loc = graphlab.tensor(1.0, requires_grad=True)
    scale = graphlab.tensor(2.0, requires_grad=True)
    z = graphlab.distributions.Normal(loc, scale).rsample()
    z.backward()
    assert loc.grad == 1
    assert graphlab.allclose(scale.grad, (z - loc) / scale)
    assert not graphlab.distributions.Normal(loc, scale).sample().requires_grad


def test_the_gradient_of_a_policy_pushes_towards_the_action():
    logits = graphlab.zeros(3, requires_grad=True)
    policy = graphlab.distributions.Categorical(logits=logits)
    policy.log_prob(graphlab.tensor(1)).backward()
    np.testing.assert_allclose(logits.grad, [-1 / 3, 2 / 3, -1 / 3], rtol=1e-6)  # float32


def test_distributions_are_imported_by_pytorchs_paths():
    for path, name in [
        ("categorical", "Categorical"),
        ("normal", "Normal"),
        ("one_hot_categorical", "OneHotCategorical"),
        ("kl", "kl_divergence"),
    ]:
        module = importlib.import_module(f"graphlab.distributions.{path}")
        assert getattr(module, name) is getattr(graphlab.distributions, name)


def test_the_check_of_parameters_and_samples_is_no_decision_of_the_program():
    scale = graphlab.tensor([1.0, 2.0], requires_grad=True)
    before = list(branches)
    graphlab.distributions.Normal(0.0, scale).log_prob(scale)
    assert list(branches) == before
    assert bool((scale > 0).all())  # a decision
    assert list(branches) != before

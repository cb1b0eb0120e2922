"""Random choices: they do not vary smoothly, so no gradient flows back.

Read next: tensor/random/sampling.py
"""

# pyright: reportSelfClsParameterName=false, reportGeneralTypeIssues=false
from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.elementary import constant, ones_like, where, zeros_like


class Bernoulli(Op):
    """Return 1 where the draw says so, else 0.

    self: (...) probabilities, chosen: (...) bools -> (...).
    """

    node, symbol, types = "BernoulliBackward0", "0|1", "keep"
    phrase = "a random draw has no slope, so the gradient is 0"
    hidden = ("chosen",)

    def forward(self, *, chosen):
        return where(chosen, ones_like(self), 0)

    def grad_self(grad):
        return zeros_like(grad)


class Poisson(Op):
    """Return numbers of events that were drawn. self: (...) rates, drawn: (...) -> (...)."""

    node, symbol, types = "PoissonBackward0", "n", "keep"
    phrase = "a random draw has no slope, so the gradient is 0"
    hidden = ("drawn",)

    def forward(self, *, drawn):
        return constant(drawn, self)

    def grad_self(grad):
        return zeros_like(grad)

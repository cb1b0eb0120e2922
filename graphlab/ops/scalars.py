"""Sums and products with a number, as PyTorch's own C++ records them inside other functions.

`x * 2` in Python makes a tensor of the 2 and a MulBackward0; inside a loss PyTorch keeps the number
as it is, and the node is a MulBackward1. Only functions that are made of others use these.

Read next: nn/functional/loss.py
"""

from graphlab.ops.base import Op


class AddScalar(Op):
    """Return x + a number. self: (...) -> (...)."""

    node, symbol, pointwise = "AddBackward1", "+", True

    def forward(self, *, other):
        return self + other

    def grad_self(grad):
        return grad


class SubScalar(Op):
    """Return x − a number. self: (...) -> (...)."""

    node, symbol, pointwise = "SubBackward1", "−", True

    def forward(self, *, other):
        return self - other

    def grad_self(grad):
        return grad


class MulScalar(Op):
    """Return x · a number. self: (...) -> (...)."""

    node, symbol, pointwise = "MulBackward1", "×", True

    def forward(self, *, other):
        return self * other

    def grad_self(grad, other):
        return grad * other


class DivScalar(Op):
    """Return x ÷ a number. self: (...) -> (...)."""

    node, symbol, pointwise = "DivBackward1", "÷", True

    def forward(self, *, other):
        return self / other

    def grad_self(grad, other):
        return grad / other

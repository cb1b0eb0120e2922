"""Functions of the user's own, as tests need them.

Read next: tests/core/test_function.py
"""

from typing import Any

import graphlab


class Square(graphlab.autograd.Function):
    """x² with its derivative, 2x."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        (x,) = ctx.saved_tensors
        return 2 * x * grad

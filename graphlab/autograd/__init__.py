"""The backward pass: recording, the engine, and operations of your own.

Read next: autograd/node.py
"""

from graphlab.autograd.backward import backward, grad
from graphlab.autograd.function import Function
from graphlab.autograd.grad_mode import (
    enable_grad,
    is_grad_enabled,
    no_grad,
    set_grad_enabled,
)

__all__ = [
    "Function",
    "backward",
    "enable_grad",
    "grad",
    "is_grad_enabled",
    "no_grad",
    "set_grad_enabled",
]

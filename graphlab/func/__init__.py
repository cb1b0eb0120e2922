"""Functions of functions: `grad(f)` is the derivative of f, and `grad(grad(f))` the second.

Read next: func/transforms.py
"""

from graphlab.func.modules import functional_call, stack_module_state
from graphlab.func.transforms import (
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    vjp,
)
from graphlab.func.vmap import vmap

__all__ = [
    "functional_call",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "stack_module_state",
    "vjp",
    "vmap",
]

"""Transforms of functions: `grad(f)` is the derivative of f, `grad(grad(f))` the second one.

Read next: compat/func/transforms.py
"""

from graphlab.compat.func.modules import functional_call, stack_module_state
from graphlab.compat.func.transforms import (
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    vjp,
)
from graphlab.compat.func.vmap import vmap

__all__ = [
    "functional_call", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp",
    "linearize", "stack_module_state", "vjp", "vmap",
]  # fmt: skip

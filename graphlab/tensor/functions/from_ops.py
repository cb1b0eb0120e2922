"""The public function of an operation, made from its class: `graphlab.exp` from `Exp`.

An operation whose class says `function`, `method` or `in_place` needs nothing else. The names are
known before their modules are loaded: `common/exports.py` has a table of them, derived from
the classes.

Read next: tensor/methods.py
"""

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import import_module
from typing import Any

from graphlab.autograd.record import recorder
from graphlab.common.exports import OPERATIONS
from graphlab.ops import load_all
from graphlab.ops.base import Op, registry
from graphlab.tensor.functions.checks import of_tensors


@cache
def function_of(op: type[Op]) -> Callable[..., Any]:
    """Return the function of an operation on one tensor, or on two operands.

    With two operands it returns NotImplemented if the second is neither a tensor nor a number, as
    Python's operators require; the public function raises a TypeError instead.
    """
    function = recorder(op, operator=len(op.inputs) == 2)
    return of_tensors(function) if op.tensors_only else function


def public_op(name: str) -> type[Op] | None:
    """Return the operation with a public function or method of this name, or None."""
    if name in OPERATIONS and name not in registry:
        with suppress(ModuleNotFoundError):
            import_module(f"graphlab.ops.{OPERATIONS[name][0]}")
        if name not in registry:  # the class has moved since the table was written
            load_all()
    op = registry.get(name)
    return op if op is not None and (op.function or op.method or op.in_place) else None


def is_operator(name: str) -> bool:
    """Return whether the function of this name has two operands: see `function_of`."""
    op = public_op(name)
    return op is not None and len(op.inputs) == 2

"""The operations as functions of tensors.

Here dims are counted, defaults filled in and overloads chosen; the mathematics is in ops/, the
recording in autograd/record.py. A module is loaded when one of its functions is first used.

Read next: tensor/functions/pointwise.py
"""

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any

from graphlab.autograd.tensor_reading import loaders
from graphlab.common.exports import BOTH, FUNCTIONS, METHODS, homes
from graphlab.ops.public_names import PUBLIC
from graphlab.tensor.functions.from_ops import function_of, public_op

HOMES = {
    name: module
    for name, module in homes(BOTH, FUNCTIONS, METHODS).items()
    if module.startswith(("tensor.functions.", "tensor.random.", "tensor.creation_like"))
}


loaders.append(lambda: import_module("graphlab.primitives.tensor_reading"))

NUMPY = {  # NumPy's names of arguments, which PyTorch takes too, and its own
    "axis": "dim",
    "keepdims": "keepdim",
    "x": "input",
    "a": "input",
    "x1": "input",
    "x2": "other",
}


def __getattr__(name: str) -> Any:
    if name in HOMES:
        found = getattr(import_module(f"graphlab.{HOMES[name]}"), name)
    elif (op := public_op(name)) is not None:
        found = function_of(op)
    else:
        raise AttributeError(f"module 'graphlab.tensor.functions' has no attribute {name!r}")
    code = getattr(found, "__code__", None)
    if code is not None and {"dim", "keepdim"}.intersection(code.co_varnames[: code.co_nlocals]):
        found = with_numpy_names(found)
    globals()[name] = found
    return found


def with_numpy_names(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function, which also takes NumPy's `axis` and `keepdims`."""
    code = function.__code__
    own = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    other = {theirs: ours for theirs, ours in NUMPY.items() if ours in own and theirs not in own}

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            kwargs = {other.get(key, key): value for key, value in kwargs.items()}
        return function(*args, **kwargs)

    return call


def __dir__() -> list[str]:
    return sorted({*HOMES, *PUBLIC})

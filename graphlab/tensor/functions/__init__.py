"""The operations as functions of tensors.

They check dimensions, fill in defaults and choose overloads; the mathematics is in ops/, the
recording in autograd/record.py. A module is loaded when one of its functions is first used.

An operation whose class says `function`, `method` or `in_place` needs no function here: one is made
from the class, `graphlab.exp` from `Exp`.

Read next: tensor/functions/pointwise.py
"""

from collections.abc import Callable
from contextlib import suppress
from functools import cache, wraps
from importlib import import_module
from inspect import Signature, signature
from typing import Any

from graphlab.autograd.record import recorder
from graphlab.common.public import FUNCTIONS, METHODS, OPERATIONS
from graphlab.ops import load_all
from graphlab.ops.base import Op, registry
from graphlab.tensor.functions.checks import of_tensors
from graphlab.tensor.versions import Version

HOMES = {
    name: module
    for name, module in {**FUNCTIONS, **METHODS}.items()
    if module.startswith(("tensor.functions.", "tensor.random.", "tensor.creation_like"))
}


Version.loaders.append(lambda: import_module("graphlab.autograd.views"))

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
    found = globals()[name] = with_numpy_names(found)
    return found


def with_numpy_names(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that has `dim` or `keepdim`; it also takes NumPy's names for them."""
    code = getattr(function, "__code__", None)
    if code is None:
        return function
    own = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    if "dim" not in own and "keepdim" not in own:
        return function
    other = {theirs: ours for theirs, ours in NUMPY.items() if ours in own and theirs not in own}

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs and not other.keys().isdisjoint(kwargs):
            kwargs = {other.get(key, key): value for key, value in kwargs.items()}
        return function(*args, **kwargs)

    return call


def __dir__() -> list[str]:
    return sorted({*HOMES, *OPERATIONS})


@cache
def function_of(op: type[Op]) -> Callable[..., Any]:
    """Return the function of an operation: it takes the inputs and the options of `forward`.

    With two operands it returns NotImplemented if the second is neither a tensor nor a number, as
    Python's operators require; the public function raises a TypeError instead.
    """
    function = recorder(op, operator=len(op.inputs) == 2 and not op.options)
    if function.__code__.co_varnames[0] != "input" and not op.variadic:  # but a, b and c
        function = with_arguments(function, op)
    return of_tensors(function) if op.tensors_only else function


def with_arguments(function: Callable[..., Any], op: type[Op]) -> Callable[..., Any]:
    """Return the function with the arguments of the operation's `forward`; `self` is `input`."""
    inputs = signature(op.forward).parameters.values()
    arguments = Signature([x.replace(name="input") if x.name == "self" else x for x in inputs])

    @wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        try:
            given = arguments.bind(*args, **options)
        except TypeError as error:
            raise TypeError(f"{op.name}(): {error}") from None
        return function(*given.args, **given.kwargs)

    vars(call).update(__signature__=arguments, __wrapped__=op.forward)
    return call


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

"""Primitives: the functions that a rule may call, each with a NumPy, tensor and SymPy reading.

A rule is a plain function with free names, `grad * exp(self)`. With the NumPy functions of these
names it is the fast backward pass; with the functions of tensors it is `create_graph=True`; with
those of SymPy it is a formula, by which the rule is proved. The three readings are numpy_reading/,
tensor_reading.py and sympy_reading/.

table.py lists every primitive, family by family, and says which readings it has.

Read next: primitives/table.py
"""

import builtins
import types
from collections.abc import Callable, Mapping
from typing import Any

tensor_primitives: dict[str, Any] = {}  # by name, once `tensor_namespace` was called
loaders: list[Callable[[], Any]] = []  # the package adds what loads them


def tensor_namespace() -> dict[str, Any]:
    """Return the tensor reading, which is loaded when the first pass is recorded."""
    for load in (*loaders,):
        load()  # another thread may load them already: importing a module waits for that
    loaders.clear()
    return tensor_primitives


def rebind(formula: Callable[..., Any], reading: Mapping[str, Any]) -> Callable[..., Any]:
    """Return the same function, with its free names looked up in `reading`.

    >>> def twice(x): return double(x)
    >>> rebind(twice, {"double": lambda x: 2 * x})(21)
    42
    """
    names = reading if type(reading) is dict else dict(reading)
    names.setdefault("__builtins__", builtins)  # for `breakpoint()` in a rule
    bound = types.FunctionType(formula.__code__, names, formula.__name__, formula.__defaults__)
    bound.__kwdefaults__ = formula.__kwdefaults__
    return bound

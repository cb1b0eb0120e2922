"""`torch.jit` and `torch.compile` return their argument: GraphLab compiles nothing.

Read next: compat/backends.py
"""

import warnings
from collections.abc import Callable
from typing import Any

from graphlab.common.errors import users_level

__all__ = ["export", "ignore", "is_scripting", "is_tracing", "script", "trace", "unused"]
UNCHANGED = (
    "graphlab.{} compiles nothing: NumPy runs every operation as it is written. You get back what "
    "you passed, with the same results and the same speed as before."
)


def unchanged(name: str, thing: Any) -> Any:
    """Return the module or function itself, with a warning that names the user's line."""
    warnings.warn(UNCHANGED.format(name), UserWarning, stacklevel=users_level())
    return thing


def script(obj: Any, **options: Any) -> Any:
    """Return the module or function itself, with a warning.

    obj: a module, function or class. options: PyTorch's, without effect.

    >>> import warnings
    >>> from graphlab.jit import script
    >>> with warnings.catch_warnings(action="ignore"):
    ...     script(abs) is abs
    True
    """
    return unchanged("jit.script", obj)


def trace(func: Any, example_inputs: Any = None, **options: Any) -> Any:
    """Return the module or function itself, with a warning; `graphlab.trace` shows a graph.

    func: a module or function. example_inputs, options: PyTorch's, without effect.

    >>> import warnings
    >>> from graphlab.jit import trace
    >>> with warnings.catch_warnings(action="ignore"):
    ...     trace(abs, -1) is abs
    True
    """
    return unchanged("jit.trace", func)


def compile(model: Any = None, **options: Any) -> Any:
    """Return the module or function itself, with a warning.

    model: a module or function; None, as in `@torch.compile(mode=...)`, for a decorator.
    options: PyTorch's, such as mode and backend, without effect.

    >>> import warnings
    >>> import graphlab as torch
    >>> with warnings.catch_warnings(action="ignore"):
    ...     torch.compile(abs) is abs
    True
    """
    if model is None:
        return lambda given: unchanged("compile", given)
    return unchanged("compile", model)


def export(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Return the method itself; in PyTorch, this decorator marks it to be compiled.

    fn: a method

    >>> from graphlab.jit import export
    >>> export(abs) is abs
    True
    """
    return fn


ignore = unused = export


def is_scripting() -> bool:
    """Return False: nothing is compiled.

    >>> from graphlab.jit import is_scripting
    >>> is_scripting()
    False
    """
    return False


is_tracing = is_scripting

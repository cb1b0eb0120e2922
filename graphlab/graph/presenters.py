"""Presenters are functions, registered by name, that show a Timeline.

The graph layer may not import the layers above it, which draw. So the package registers the name of
a function as a string, and the function is imported when it is first used.

Read next: faces/render/bundle.py
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

_presenters: dict[str, str] = {}


def register(class_name: str, where: str) -> None:
    """Let the function `where` ("package.module:function") present instances of `class_name`.

    "Timeline.save" is for saving a Timeline, "Timeline.slope" for drawing one of its slopes,
    "Timeline.text" for printing it, and "Timeline.live" for showing it in marimo.
    """
    module, colon, function = where.partition(":")
    if not (module and colon and function):
        raise ValueError(f"a presenter must be 'module:function', got {where!r}")
    _presenters[class_name] = where


def present(thing: object) -> dict[str, Any] | None:
    """The MIME bundle of `thing`; None if nothing is registered, so that IPython shows its repr."""
    function = registered(type(thing).__name__)
    return None if function is None else function(thing)


def registered(name: str) -> Callable[..., Any] | None:
    """The function that is registered under `name`; None if there is none."""
    where = _presenters.get(name)
    if where is None:
        return None
    module, _, function = where.partition(":")
    return getattr(import_module(module), function)

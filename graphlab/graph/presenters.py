"""How data gets a picture without knowing who draws it: a name that is imported on first use.

The graph layer may not import what lies above it, yet a Timeline shows itself in a notebook. So
the package registers, as a string, the function that knows how.

Read next: faces/render/bundle.py
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

_presenters: dict[str, str] = {}


def register(class_name: str, where: str) -> None:
    """Let `where` ("package.module:function") present instances of `class_name`.

    "Timeline.save" registers what saves a Timeline, "Timeline.live" what shows it in marimo.
    """
    module, colon, function = where.partition(":")
    if not (module and colon and function):
        raise ValueError(f"a presenter is 'module:function', found {where!r}")
    _presenters[class_name] = where


def present(thing: object) -> dict[str, Any] | None:
    """The MIME bundle of `thing`, or None when nobody registered: IPython then shows its repr."""
    function = registered(type(thing).__name__)
    return None if function is None else function(thing)


def registered(name: str) -> Callable[..., Any] | None:
    """The function that was registered under `name`, imported now; None when there is none."""
    where = _presenters.get(name)
    if where is None:
        return None
    module, _, function = where.partition(":")
    return getattr(import_module(module), function)

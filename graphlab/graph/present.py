"""How data gets a picture without knowing who draws it: a name that is imported on first use.

The graph layer may not import what lies above it, yet a Timeline shows itself in a notebook. So
the package registers, as a string, the function that knows how.

Read next: render/bundle.py
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_presenters: dict[str, str] = {}


def register(class_name: str, where: str) -> None:
    """Let `where` ("package.module:function") present instances of `class_name`."""
    module, colon, function = where.partition(":")
    if not (module and colon and function):
        raise ValueError(f"a presenter is 'module:function', found {where!r}")
    _presenters[class_name] = where


def present(thing: object) -> dict[str, Any] | None:
    """The MIME bundle of `thing`, or None when nobody registered: IPython then shows its repr."""
    where = _presenters.get(type(thing).__name__)
    if where is None:
        return None
    module, _, function = where.partition(":")
    return getattr(import_module(module), function)(thing)

"""The mathematics: every operation with its derivative rules, and nothing about how they run.

Read next: ops/base.py
"""

from importlib import import_module
from typing import Any

from graphlab.ops.base import Op, registry

__all__ = ["Op", "all_words", "load_all", "registry"]


def load_all() -> dict[str, type[Op]]:
    """Every operation by its name: loads the families of operations that nobody has used yet."""
    all_modules()
    return registry


def all_words() -> dict[str, Any]:
    """The words, read against NumPy, that modules beside the vocabulary list as their WORDS."""
    return {name: getattr(m, name) for m in all_modules() for name in getattr(m, "WORDS", ())}


def all_modules() -> list[Any]:
    """The modules of this folder, loaded."""
    from pkgutil import iter_modules

    return [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]

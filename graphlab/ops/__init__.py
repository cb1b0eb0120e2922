"""The mathematics: every operation with its derivative rules, and nothing about how they run.

Read next: ops/base.py
"""

from importlib import import_module

from graphlab.ops.base import Op, registry

__all__ = ["Op", "load_all", "registry"]


def load_all() -> dict[str, type[Op]]:
    """Return every operation by its name; load all families first."""
    from pkgutil import iter_modules

    for module in iter_modules(__path__):
        import_module(f"{__name__}.{module.name}")
    return registry

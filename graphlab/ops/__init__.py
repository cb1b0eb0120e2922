"""The mathematics: every operation with its derivative rules, and nothing about how they run.

Read next: ops/base.py
"""

from importlib import import_module

from graphlab.ops.base import Op, registry

__all__ = ["Op", "load_all", "registry"]


def load_all() -> dict[str, type[Op]]:
    """Every operation by its name: loads the families of operations that nobody has used yet."""
    from pkgutil import iter_modules

    for module in iter_modules(__path__):
        import_module(f"{__name__}.{module.name}")
    return registry

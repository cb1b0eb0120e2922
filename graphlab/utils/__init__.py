"""Utilities: datasets and loaders, checkpoints, timers, and the handles of hooks.

Read next: utils/data/__init__.py
"""

from graphlab.common.public import lazy

MODULES = ("benchmark", "checkpoint", "data", "hooks")
__all__ = [*MODULES]
__getattr__, __dir__ = lazy(__name__, {}, MODULES)

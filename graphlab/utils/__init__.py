"""Utilities beside the model: datasets and loaders, checkpoints, and the handles of hooks.

Read next: utils/data/__init__.py
"""

from importlib import import_module
from typing import Any

MODULES = ("benchmark", "checkpoint", "data", "hooks")
__all__ = [*MODULES]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name not in MODULES:
        raise AttributeError(f"module 'graphlab.utils' has no attribute {name!r}")
    return import_module(f"graphlab.utils.{name}")

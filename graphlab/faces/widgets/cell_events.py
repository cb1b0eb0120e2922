"""Tells widgets, after each cell, whether what they show is still so.

One function is called by IPython after a cell, however many widgets there are; it holds them
weakly, and none is told anything where there is no IPython.

Read next: adapters/staleness.py
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from typing import Any, Protocol


class Stalable(Protocol):
    """What can be told that it is stale, and why; "" tells that it is not."""

    stale: Any


_watched: weakref.WeakKeyDictionary[Any, Callable[[], str]] = weakref.WeakKeyDictionary()


def tell(widget: Stalable, watch: Callable[[], str]) -> None:
    """Ask `watch` after each cell from now on, and write what it says to `widget.stale`."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None:
        return
    _watched[widget] = watch
    if after_cell not in shell.events.callbacks["post_run_cell"]:
        shell.events.register("post_run_cell", after_cell)


def forget(widget: Stalable) -> None:
    """Ask for it no more: it was closed."""
    _watched.pop(widget, None)


def after_cell(result: Any = None) -> None:
    """What IPython calls; a cell that the panel asks silently does not count as one."""
    for widget, watch in list(_watched.items()):
        widget.stale = watch()

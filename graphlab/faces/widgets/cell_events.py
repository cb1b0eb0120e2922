"""Updates the stale badge of widgets after each cell.

IPython calls one function for all widgets, which holds them weakly. Without IPython nothing is
updated.

Read next: adapters/staleness.py
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from typing import Any, Protocol


class Stalable(Protocol):
    """A widget with a stale badge: a sentence, or "" if it is up to date."""

    stale: Any


_watched: weakref.WeakKeyDictionary[Any, Callable[[], str]] = weakref.WeakKeyDictionary()


def tell(widget: Stalable, watch: Callable[[], str]) -> None:
    """Set `widget.stale` to the result of `watch()` after each cell from now on."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None:
        return
    _watched[widget] = watch
    if after_cell not in shell.events.callbacks["post_run_cell"]:
        shell.events.register("post_run_cell", after_cell)


def forget(widget: Stalable) -> None:
    """Stop updating a widget, which was closed."""
    _watched.pop(widget, None)


def after_cell(result: Any = None) -> None:
    """Update all widgets; IPython does not call this for silent requests, such as the panel's."""
    for widget, watch in list(_watched.items()):
        widget.stale = watch()

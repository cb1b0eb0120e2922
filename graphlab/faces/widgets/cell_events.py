"""Updates the stale badge of widgets after each cell.

IPython calls one function for all widgets, which holds them weakly. Without IPython nothing is
updated.

Read next: adapters/staleness.py
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

UNKNOWN = object()


class Stalable(Protocol):
    """A widget with a stale badge: a sentence, or "" if it is up to date."""

    stale: Any


@dataclass(slots=True)
class Watched:
    """What tells whether a widget is up to date, and whether the cell that made it ran again.

    cell: that cell, as the front end calls it; UNKNOWN until it ends.
    """

    watch: Callable[[bool], str]
    cell: Any = UNKNOWN
    ran_again: bool = True


_watched: weakref.WeakKeyDictionary[Any, Watched] = weakref.WeakKeyDictionary()


def tell(widget: Stalable, watch: Callable[[bool], str]) -> None:
    """Set `widget.stale` to the result of `watch` after each cell from now on.

    `watch` is told whether the cell that made the widget has run again since.
    """
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None:
        return
    _watched[widget] = Watched(watch)
    if after_cell not in shell.events.callbacks["post_run_cell"]:
        shell.events.register("post_run_cell", after_cell)


def forget(widget: Stalable) -> None:
    """Stop updating a widget, which was closed."""
    _watched.pop(widget, None)


def after_cell(result: Any = None) -> None:
    """Update all widgets; IPython does not call this for silent requests, such as the panel's.

    Without a name for the cell, as in a console, any cell may be the one that made the widget.
    """
    cell = getattr(getattr(result, "info", None), "cell_id", None)
    for widget, watched in list(_watched.items()):
        same = cell is None or watched.cell in (UNKNOWN, cell)
        if watched.cell is UNKNOWN:
            watched.cell, watched.ran_again = cell, cell is None
        else:
            watched.ran_again |= same
        widget.stale = watched.watch(same or watched.ran_again)

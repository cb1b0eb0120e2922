"""Update the stale badge of widgets after each cell.

IPython calls one function for all widgets, which refers to them weakly. Without IPython nothing is
updated.

Read next: adapters/native/staleness.py
"""

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from graphlab.common.notebook import shell

UNKNOWN = object()


class Stalable(Protocol):
    """A widget with a stale badge. stale: why it is out of date; "" if it is up to date."""

    stale: Any


@dataclass(slots=True)
class Watched:
    """How to find out whether a widget is up to date, and whether its cell ran again.

    cell: the id of the cell that made it; UNKNOWN until that cell ends.
    """

    watch: Callable[[bool], str]
    cell: Any = UNKNOWN
    ran_again: bool = True


_watched: weakref.WeakKeyDictionary[Any, Watched] = weakref.WeakKeyDictionary()


def tell(widget: Stalable, watch: Callable[[bool], str]) -> None:
    """Set `widget.stale` to the result of `watch` after each cell from now on.

    `watch` is told whether the cell that made the widget has run again since.
    """
    running = shell()
    if running is None:
        return
    _watched[widget] = Watched(watch)
    if after_cell not in running.events.callbacks["post_run_cell"]:
        running.events.register("post_run_cell", after_cell)


def forget(widget: Stalable) -> None:
    """Stop updating a widget."""
    _watched.pop(widget, None)


def after_cell(result: Any = None) -> None:
    """Update all widgets; IPython does not call this for silent requests, such as the panel's.

    If the cell has no id, as in a console, it may be the one that made the widget.
    """
    cell = getattr(getattr(result, "info", None), "cell_id", None)
    for widget, watched in list(_watched.items()):
        same = cell is None or watched.cell in (UNKNOWN, cell)
        if watched.cell is UNKNOWN:
            watched.cell, watched.ran_again = cell, cell is None
        else:
            watched.ran_again |= same
        widget.stale = watched.watch(same or watched.ran_again)

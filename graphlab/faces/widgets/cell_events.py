"""Update the stale badge of widgets after each cell.

IPython calls one function for all widgets, which refers to them weakly. Without IPython nothing is
updated.

Read next: adapters/native/staleness.py
"""

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from graphlab.common.notebook import cell_of, cells_run, shell

UNKNOWN = object()


class Stalable(Protocol):
    """A widget with a stale badge. stale: why it is out of date; "" if it is up to date."""

    stale: Any


@dataclass(slots=True)
class Watched:
    """A widget's cell, UNKNOWN until it ends, and the cells that ran before it, by id."""

    watch: Callable[[bool], str]
    before: frozenset[Any]
    cell: Any = UNKNOWN


_watched: weakref.WeakKeyDictionary[Any, Watched] = weakref.WeakKeyDictionary()


def tell(widget: Stalable, watch: Callable[[bool], str]) -> None:
    """Set `widget.stale` to the result of `watch` after each cell from now on.

    `watch` is told whether that is a later cell, one that had not run when the widget was made.
    """
    running = shell()
    if running is None:
        return
    _watched[widget] = Watched(watch, frozenset(cells_run))
    if after_cell not in running.events.callbacks["post_run_cell"]:
        running.events.register("post_run_cell", after_cell)


def forget(widget: Stalable) -> None:
    """Stop updating a widget."""
    _watched.pop(widget, None)


def after_cell(result: Any = None) -> None:
    """Update all widgets; IPython does not call this for silent requests, such as the panel's.

    A cell without an id, as in a console, is not a later one.
    """
    cell = cell_of(result)
    for widget, watched in list(_watched.items()):
        if watched.cell is UNKNOWN:
            watched.cell = cell
        later = cell not in {None, watched.cell, *watched.before}
        widget.stale = watched.watch(later)

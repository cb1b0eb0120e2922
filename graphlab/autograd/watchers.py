"""The open recordings (`graphlab.record`); the list is nearly always empty.

A backward pass looks here only while somebody records, in a watched pass; what changes a tensor in
place, clears a gradient or takes an optimizer's step asks whether the list is empty.

Read next: autograd/watched_pass.py
"""

import threading
from typing import Any

watchers: list[Any] = []  # recordings that are open, of all threads


def watcher() -> Any:
    """Return the recording that is open in this thread, or None."""
    me = threading.get_ident()
    for one in watchers:
        if one.thread == me:
            return one
    return None


def changed_in_place(tensor: Any, made: Any = None) -> None:
    """Report that a tensor's data was overwritten; made: the node or Output that had made it."""
    one = watcher()
    if one is not None:
        one.changed(tensor, made)


def not_recorded(inputs: tuple[Any, ...]) -> None:
    """Report an operation that left no node, as in `no_grad()`, although it may need one."""
    one = watcher()
    if one is not None:
        one.cuts.not_recorded(inputs)


def grad_assigned(tensor: Any, before: Any) -> None:
    """Report that somebody set `.grad`; before: its old value."""
    one = watcher()
    if one is not None and (before is not None or tensor._grad is not None):
        one.assigned(tensor, before)

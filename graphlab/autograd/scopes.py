"""Scopes: the part of a program that a node was made in, `with scope("layer1"):` or a module.

Nodes store no scope. A scope stores the sequence numbers at which it was opened and closed, and the
scope of a node is found by the node's own number. Each thread has its own notes; the oldest are
dropped, and they keep no tensor alive.

Read next: adapters/native/scope_paths.py
"""

import threading
import weakref
from collections import deque
from typing import Any

from graphlab.autograd.grad_mode import _Decorator
from graphlab.tensor.versions import next_sequence

MOST = 16_384  # notes that are kept for each thread, some 3 MB
Note = tuple[int, int, str, Any]  # opened, closed, name or class, weak reference to the module


class Notes(threading.local):
    """The scopes of one thread: those that are closed, and those that are open."""

    def __init__(self) -> None:
        self.closed: deque[Note] = deque(maxlen=MOST)
        self.open: list[tuple[int, str]] = []  # outermost first


notes = Notes()


def note_call(module: Any, opened: int) -> None:
    """Note a call of a module that began at the sequence number `opened` and ends now."""
    closed = next_sequence()
    if closed - opened > 1:  # else it made no node
        notes.closed.append((opened, closed, type(module).__name__, weakref.ref(module)))


def noted(first: int, last: int) -> list[Note]:
    """Return the scopes of this thread that were open between two sequence numbers, unordered.

    A scope that is still open counts as closed now.
    """
    now = next_sequence()
    found = [(opened, now, name, None) for opened, name in notes.open if opened < last]
    for note in reversed(notes.closed):
        if note[1] <= first:  # so did all that are noted before it
            break
        if note[0] < last:
            found.append(note)
    return found


class scope(_Decorator):
    """Name a part of a program: nodes made inside belong to `name`, and are drawn as one card.

    Scopes nest, and modules are scopes by themselves, named by their attributes: `net.layer1`. A
    dot in a name nests too. Used as a decorator, it gives each call of the function its own card.
    Raises: TypeError when `name` is not a str, ValueError when it, or a part of it, is empty.

    >>> import graphlab as torch
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> with torch.scope("squares"):
    ...     y = x * x
    >>> torch.trace(y).graph.nodes[0].scope
    'squares'
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise TypeError(
                f"scope expects a name, a str, got {type(name).__name__}; "
                'write: with graphlab.scope("layer1"):'
            )
        if not all(part.strip() for part in name.split(".")):
            raise ValueError(
                f"scope expects a name, or names with dots between them, got {name!r}; "
                'write: with graphlab.scope("layer1"):'
            )
        self.name = name

    def __enter__(self) -> None:
        notes.open.append((next_sequence(), self.name))

    def __exit__(self, *exception: object) -> None:
        opened, name = notes.open.pop()
        closed = next_sequence()
        if closed - opened > 1:
            notes.closed.append((opened, closed, name, None))

    def clone(self) -> "scope":
        return type(self)(self.name)

    def __repr__(self) -> str:
        return f"graphlab.scope({self.name!r})"

"""Actions on every new node: saved-tensor hooks, and the tracebacks of anomaly mode.

Each adds an entry to `unusual`, so recording looks here only while there is one.

Read next: autograd/saved_tensor_hooks.py
"""

import threading
from collections.abc import Callable
from typing import Any

from graphlab.autograd.grad_mode import state, unusual

notes: dict[str, Callable[[Any], None]] = {}  # functions to call with every new node, all threads


def made(node: Any) -> None:
    """Call the functions in `notes` with a new node, and pack what it saved."""
    for note in notes.values():
        note(node)
    if state.packing:
        from graphlab.autograd.saved_tensor_hooks import pack_all

        pack_all(node, *state.packing[-1])


def watch(name: str, note: Callable[[Any], None] | None) -> None:
    """Call `note` with every new node from now on; None stops that."""
    if note is None:
        notes.pop(name, None)
        unusual.discard(name)
    else:
        notes[name] = note
        unusual.add(name)


def push(pack: Callable[[Any], Any], unpack: Callable[[Any], Any]) -> None:
    """Pack what new nodes of this thread save, until `pop`."""
    state.packing.append((pack, unpack))
    unusual.add(("packing", threading.get_ident()))


def pop() -> None:
    """Pack as before the last `push`."""
    restore(state.packing[:-1])


def restore(pairs: list[tuple[Any, Any]]) -> None:
    """Pack with these pairs of hooks: a backward pass leaves them as it found them."""
    state.packing[:] = pairs
    (unusual.add if pairs else unusual.discard)(("packing", threading.get_ident()))

"""What watches a program: saved-tensor hooks, anomaly mode, and recordings (`graphlab.record`).

Saved-tensor hooks and anomaly mode act on every new node. Each adds an entry to `unusual`, so
recording looks here only while there is one. The list of recordings is nearly always empty: a
backward pass looks here only while somebody records; what changes a tensor in place, clears a
gradient or takes an optimizer's step asks whether the list is empty.

Read next: autograd/saved_tensor_hooks.py
"""

import threading
from collections.abc import Callable, Iterable
from typing import Any

from graphlab.autograd.grad_mode import state, unusual

notes: dict[str, Callable[[Any], None]] = {}  # functions to call with every new node, all threads
watchers: list[Any] = []  # recordings that are open, of all threads


def made(node: Any) -> None:
    """Call the functions in `notes` with a new node, and pack what it saved."""
    for note in (*notes.values(),):  # another thread may switch anomaly mode meanwhile
        note(node)
    if state.packing:
        state.packing[-1](node)


def watch(name: str, note: Callable[[Any], None] | None) -> None:
    """Call `note` with every new node from now on; None stops that."""
    if note is None:
        notes.pop(name, None)
        unusual.discard(name)
    else:
        notes[name] = note
        unusual.add(name)


def push(pack: Callable[[Any], None]) -> None:
    """Let `pack` pack what new nodes of this thread save, until `pop`."""
    state.packing.append(pack)
    unusual.add(("packing", threading.get_ident()))


def pop() -> None:
    """Pack as before the last `push`."""
    restore(state.packing[:-1])


def restore(packing: list[Callable[[Any], None]]) -> None:
    """Pack with these functions: a backward pass leaves them as it found them."""
    state.packing[:] = packing
    (unusual.add if packing else unusual.discard)(("packing", threading.get_ident()))


def watcher() -> Any:
    """Return the recording that is open in this thread, or None."""
    me = threading.get_ident()
    for one in watchers:
        if one.thread == me:
            return one
    return None


def changed_in_place(tensor: Any, made: Any = None, before: Any = None) -> None:
    """Report that a tensor's data was overwritten.

    made: the node or Output that had made it. before: what `sample_now` returned before.
    """
    one = watcher()
    if one is not None:
        one.changed(tensor, made, before)


def sample_now(tensor: Any) -> Any:
    """Return a sample of a tensor for the recording that is open in this thread."""
    one = watcher()
    return one and one.snapshots.sample(tensor._data)


def left_graph(result: Any, inputs: Iterable[Any], how: str = "") -> None:
    """Report a result without a node, as in `no_grad()`, although its inputs may have one.

    result: a number, or None for several. how: "detach()", say; "": an operation.
    """
    one = watcher()
    if one is not None:
        one.cuts.left_graph(result, inputs, how)


def data_assigned(tensor: Any) -> None:
    """Report that somebody set `.data`."""
    one = watcher()
    if one is not None:
        one.look_at(tensor)


def grad_assigned(tensor: Any, before: Any) -> None:
    """Report that somebody set `.grad`; before: its old value."""
    one = watcher()
    if one is not None and (before is not None or tensor._grad is not None):
        one.assigned(tensor, before)

"""Dropping a long chain of nodes where the stack is small: in a browser, one node after the other.

When a tensor is dropped, so are its node and the nodes behind it, each inside the drop of the one
before. CPython limits such nesting, but not enough for WebAssembly (Pyodide, JupyterLite), whose
stack is smaller than CPython assumes: a chain of 3,000 nodes crashed the kernel there. So a dying
node hands its references to a list, and the first one of a chain drops them in a loop.

Read next: autograd/engine.py
"""

import threading
from typing import Any


class Waiting(threading.local):
    """The references that dying nodes of one thread have handed over."""

    def __init__(self) -> None:
        self.things: list[Any] = []
        self.dropping = False


waiting = Waiting()


def drop_in_turn(node: Any) -> None:
    """As `__del__` of a node: take over its references; the outermost call drops them all."""
    for name in ("_next", "_saved", "_constants", "_extra"):
        if (held := getattr(node, name, None)) is not None:
            waiting.things.append(held)
            setattr(node, name, None)
    held = None
    if waiting.dropping:
        return
    waiting.dropping = True
    try:
        while waiting.things:
            waiting.things.pop()
    finally:
        waiting.dropping = False

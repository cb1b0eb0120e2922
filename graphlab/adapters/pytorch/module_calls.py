"""Which module made each node: the calls of modules, timed by the counter that numbers nodes.

Read next: adapters/native/scope_paths.py
"""

import sys
import threading
import weakref
from collections.abc import Callable, Iterable
from typing import Any

from graphlab.adapters.native.scope_paths import Scopes
from graphlab.adapters.native.variable_names import Names
from graphlab.adapters.pytorch.accessors import clock
from graphlab.adapters.pytorch.stand_ins import FIRST
from graphlab.adapters.pytorch.variable_names import pytorch
from graphlab.autograd.node import Node
from graphlab.autograd.scopes import Note


class ModuleCalls:
    """Notes the calls of all modules while it is open; `before` runs first at each."""

    def __init__(self, before: Callable[[], None]) -> None:
        self._before = before
        self._notes: list[Note | None] = []  # as they were opened; None: not closed yet
        self._open: list[tuple[Any, int, int]] = []  # module, clock, place among the notes
        self._handles: list[Any] = []
        self._called: dict[int, Any] = {}  # id of a module -> weak reference
        self._thread = threading.get_ident()

    def open(self) -> None:
        """Begin."""
        module = sys.modules["torch.nn.modules.module"]
        self._handles = [
            module.register_module_forward_pre_hook(self._began),
            module.register_module_forward_hook(self._ended, always_call=True),
        ]

    def close(self) -> None:
        """End."""
        for handle in self._handles:
            handle.remove()
        self._handles = []

    def _began(self, module: Any, args: Any) -> None:
        if threading.get_ident() != self._thread:
            return  # the hooks run in all threads, but the counter belongs to one
        self._before()
        self._called.setdefault(id(module), weakref.ref(module))
        self._open.append((module, clock(), len(self._notes)))
        self._notes.append(None)

    def _ended(self, module: Any, args: Any, result: Any) -> None:
        while self._open and threading.get_ident() == self._thread:
            called, opened, place = self._open.pop()
            if called is module:
                if clock() > opened:  # stand-ins have even numbers
                    times = 2 * (FIRST + opened) - 1, 2 * (FIRST + clock()) - 2
                    self._notes[place] = (*times, type(module).__name__, weakref.ref(module))
                return

    def has_run(self, module: Any) -> bool:
        """Whether a module was called."""
        known = self._called.get(id(module))
        return known is not None and known() is module

    def scopes(self, nodes: Iterable[Node], names: Names) -> Scopes:
        """The scopes of nodes."""
        notes = [note for note in self._notes if note is not None]
        return ScopesOfModules(nodes, names, notes)


class ScopesOfModules(Scopes):
    """The scopes of stand-ins, from notes about PyTorch's modules."""

    library = staticmethod(pytorch)

    def __init__(self, nodes: Iterable[Node], names: Names, notes: list[Note]) -> None:
        self._notes = notes
        super().__init__(nodes, names)

    def noted(self, first: int, last: int) -> list[Note]:
        """The modules that were open between two moments."""
        return [note for note in self._notes if note[1] > first and note[0] < last]

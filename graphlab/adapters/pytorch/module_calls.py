"""Which module made each node of PyTorch: from the calls of modules, or guessed from parameters.

`record()` sees the modules that really run: their calls are timed by the counter that numbers
nodes. For a graph that nobody recorded, a module owns the nodes that take its parameters. A node
between two modules belongs to the module that contains both: a relu between `net.0` and `net.2`
belongs to `net`.

PyTorch's tensors are named after the variables that hold them, as GraphLab's own.

Read next: adapters/native/scope_paths.py
"""

import sys
import threading
import weakref
from collections.abc import Callable, Iterable
from typing import Any

from graphlab.adapters.namespace import Library, Variables
from graphlab.adapters.native.graph_walk import targets_of
from graphlab.adapters.native.scope_paths import Scopes, between, common, makers_of
from graphlab.adapters.native.variable_names import Names, edge_key
from graphlab.adapters.pytorch.accessors import clock, is_tensor, known_maker_of, loaded
from graphlab.adapters.pytorch.stand_ins import FIRST, StandIns
from graphlab.autograd.node import Node
from graphlab.autograd.scopes import Note


def pytorch() -> Library:
    """PyTorch's tensors and modules."""
    torch = loaded()
    return Library(is_tensor, torch.Tensor, torch.nn.Module)


def names_of(variables: Variables, stand_ins: StandIns) -> Names:
    """The names by stand-in. A tensor that is not in the graph is left out."""
    names = Names(taken=variables.taken)
    for name, tensor in variables.tensors.values():
        edge = known_maker_of(tensor)
        if edge is None:
            if id(tensor) in stand_ins.known:
                names.of_leaf.setdefault(id(stand_ins.tensor(tensor)), name)
        elif edge[0] in stand_ins.of:
            key = edge_key(stand_ins.edge(edge))
            names.made_by.setdefault(key, (name, stand_ins.tensor(tensor)))
    return names


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
        return [note for note in self._notes if note[1] >= first and note[0] < last]


class GuessedScopes(Scopes):
    """Guessed: a node that takes parameters, or a view of one, is their module's."""

    guessed = True

    def __init__(self, stand_ins: StandIns, variables: Variables) -> None:
        self.of, self.kinds = {}, {}
        lists: set[str] = set()  # modules that cannot be called, such as a ModuleList
        module_of: dict[int, str] = {}  # id of a parameter -> path of its module
        library = variables.library
        for name, walk in library.walks(variables.modules):
            for path, part in walk:
                own = ".".join(filter(None, [name.removeprefix("self."), path]))
                self.kinds.setdefault(own, type(part).__name__)
                if type(part).forward is library.module.forward:
                    lists.add(own)
                for _, one in library.parameters(part):  # one that two modules share is in neither
                    module_of[id(one)] = common([module_of.get(id(one), own), own])
        leaves = {
            id(stand_ins.tensor(leaf)): module_of[id(leaf)]
            for leaf in stand_ins.leaves
            if id(leaf) in module_of
        }
        owners: dict[Node, str] = {}
        views: set[Node] = set()  # made of parameters alone: a transposed weight is the module's
        for node in reversed(stand_ins.nodes):  # inputs first
            ends = [end for end in targets_of(node) if end is not None]
            paths = [leaves[id(end)] for end in ends if id(end) in leaves]
            paths += [owners[end] for end in makers_of(node) if end in views]
            if paths:
                owners[node] = common(paths) or paths[0]
                if len(paths) == len(ends) == 1 and not node.name().startswith("Embedding"):
                    views.add(node)
        self.of = between(stand_ins.nodes, owners, lists)

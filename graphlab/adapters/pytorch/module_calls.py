"""Which module made each node of PyTorch: from the calls of modules, or guessed from parameters.

`record()` sees the modules that really run: their calls are timed by the counter that numbers
nodes. For a graph that nobody recorded, a module owns the nodes that take its parameters. A node
between two modules belongs to the module that contains both: a relu between `net.0` and `net.2`
belongs to `net`. A node between two nodes of one module belongs to that module, too, so that a
collapsed module makes no cycle. A guess is drawn dashed.

PyTorch's tensors are named after the variables that hold them, as GraphLab's own.

Read next: adapters/native/scope_paths.py
"""

import sys
import threading
import weakref
from collections.abc import Callable, Iterable
from typing import Any

from graphlab.adapters.namespace import Library, Variables
from graphlab.adapters.native.graph_walk import target_node, targets_of
from graphlab.adapters.native.scope_paths import Scopes, common
from graphlab.adapters.native.variable_names import Names, edge_key
from graphlab.adapters.pytorch.accessors import clock, is_tensor, known_maker_of, loaded
from graphlab.adapters.pytorch.stand_ins import FIRST, StandIns
from graphlab.autograd.node import Node
from graphlab.autograd.scopes import Note
from graphlab.graph.model import ScopeInfo


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


ROUNDS = 8  # rounds of the search for modules whose nodes do not follow one another


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


class GuessedScopes:
    """The guessed scope of each stand-in of a graph; the same questions as Scopes answers."""

    def __init__(self, stand_ins: StandIns, variables: Variables) -> None:
        self.of: dict[Any, str] = {}
        self.kinds: dict[str, str] = {}
        self._lists: set[str] = set()  # modules that cannot be called, such as a ModuleList
        owners = self._owners(stand_ins, variables)
        if owners:
            nodes = stand_ins.nodes
            self.of = between(nodes, owners)
            for _ in range(ROUNDS):
                if not joined(nodes, self.of, self._lists):
                    break

    @property
    def infos(self) -> tuple[ScopeInfo, ...]:
        """The scopes that hold a node."""
        held: dict[str, None] = {}
        for path in self.of.values():
            parts = path.split(".") if path else []
            held.update((".".join(parts[: k + 1]), None) for k in range(len(parts)))
        return tuple(ScopeInfo(path, self.kinds.get(path, ""), guessed=True) for path in held)

    def of_leaf(self, users: Iterable[Node], parameter: bool) -> str:
        """The innermost scope that contains all users of a leaf."""
        shared = common([self.of.get(user, "") for user in users])
        return shared if parameter else shared.rpartition(".")[0]

    def _owners(self, stand_ins: StandIns, variables: Variables) -> dict[Node, str]:
        """The modules of the nodes that take parameters, and of the views of parameters."""
        module_of: dict[int, str] = {}  # id of a parameter -> path of its module
        library = variables.library
        for name, walk in library.walks(variables.modules):
            for path, part in walk:
                own = ".".join(filter(None, [name.removeprefix("self."), path]))
                self.kinds.setdefault(own, type(part).__name__)
                if type(part).forward is library.module.forward:
                    self._lists.add(own)
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
        return owners


def between(nodes: list[Node], owners: dict[Node, str]) -> dict[Node, str]:
    """The scope of every node: its owner, or the module that contains those before and after it.

    nodes: in the order of the engine, results first.
    """
    makers = {node: makers_of(node) for node in nodes}
    users: dict[Node, list[Node]] = {node: [] for node in nodes}
    for node in nodes:
        for maker in makers[node]:
            users[maker].append(node)
    behind, ahead = nearest(nodes[::-1], owners, makers), nearest(nodes, owners, users)
    scopes: dict[Node, str] = {}
    for node in nodes:
        own = owners.get(node)
        if own is None and node in behind and node in ahead:
            own = common([behind[node], ahead[node]])
        if own:
            scopes[node] = own
    return scopes


def makers_of(node: Node) -> list[Node]:
    """The nodes that made the inputs of a node."""
    return [end for end in map(target_node, targets_of(node)) if end is not None]


def nearest(
    nodes: list[Node], owners: dict[Node, str], beside: dict[Node, list[Node]]
) -> dict[Node, str]:
    """The scope of the nearest owners on one side of each node.

    beside: the neighbours of each node on that side, all of which come before it in `nodes`.
    """
    found: dict[Node, str] = {}
    for node in nodes:
        paths = [owners.get(one, found.get(one)) for one in beside[node]]
        if known := [path for path in paths if path is not None]:
            found[node] = common(known)
    return found


def joined(nodes: list[Node], scopes: dict[Node, str], lists: set[str]) -> bool:
    """Give nodes between two nodes of one scope to that scope, or to one that contains both.

    lists: scopes that stay apart if other modules run between their parts. Returns whether
    anything was changed.
    """
    changed = False
    members: dict[str, list[int]] = {}
    place = {node: k for k, node in enumerate(nodes)}
    for k, node in enumerate(nodes):
        path = scopes.get(node, "")
        while path:
            members.setdefault(path, []).append(k)
            path = path.rpartition(".")[0]
    for path in sorted(members, key=lambda path: -path.count(".")):
        first, last = members[path][0], members[path][-1]
        within = nodes[first : last + 1]
        inner = {node for node in within if is_inside(scopes.get(node, ""), path)}
        left: set[Node] = set()  # outside, and reached from inside
        for node in within:
            if node in inner or node in left:
                ends = makers_of(node)
                left.update(end for end in ends if end not in inner and place[end] <= last)
        back: set[Node] = set()  # those of them that lead inside again
        for node in reversed(within):
            if node in left and any(end in back or end in inner for end in makers_of(node)):
                back.add(node)
        if path in lists and not all(is_inside(path, scopes.get(node, "")) for node in back):
            continue
        for node in back:
            changed = True
            own = scopes.get(node, "")
            if is_inside(path, own):  # it was in the module around the scope
                scopes[node] = path
                continue
            shared = common([own, path])
            for k in members[path]:
                scopes[nodes[k]] = shared
            scopes[node] = shared
    return changed


def is_inside(path: str, scope: str) -> bool:
    """Whether a path is a scope or inside of it.

    >>> is_inside("net.0.up", "net.0"), is_inside("net.01", "net.0"), is_inside("net", "")
    (True, False, True)
    """
    return not scope or path == scope or path.startswith(f"{scope}.")

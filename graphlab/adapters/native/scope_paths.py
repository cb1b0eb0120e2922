"""Each node has the path of the scope in which it was made, from the notes of autograd/scopes.py.

The path of a module is that of its attributes, as in `named_modules`: `net.encoder.0`. The
outermost module has the name of its variable, or of its class if it no longer exists. A module that
is called again is another scope: `net.cell 2`. If a module was called, and one inside it was also
called from outside, that is another scope, too: `net.encoder[0]`. So the nodes of a module that was
called are consecutive, and its card never makes a cycle.

Read next: adapters/native/graph_copy.py
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from graphlab.adapters.namespace import own_library
from graphlab.adapters.native.variable_names import Names, ShortNames
from graphlab.autograd.node import Node
from graphlab.autograd.scopes import Note, noted
from graphlab.graph.model import ScopeInfo


@dataclass
class Opened:
    """A scope that is open; its path is set at its first node."""

    closed: int  # the sequence number at which it closes
    name: str  # its name, or the class of its module
    is_module: bool = False
    module: Any = None  # None: not a module, or gone
    path: str = ""
    within: dict[str, int] = field(default_factory=dict)  # name inside -> how often


class Scopes:
    """The scope of each node of a graph, and the kind of each scope."""

    library = staticmethod(own_library)
    noted = staticmethod(noted)

    def __init__(self, nodes: Iterable[Node], names: Names) -> None:
        self.of: dict[Node, str] = {}
        self.kinds: dict[str, str] = {}  # path -> class of the module, "" for a named scope
        self._names = names
        self._short = ShortNames()
        self._paths: dict[int, dict[int, str]] = {}  # id of a module -> ids inside -> paths
        self._called: set[int] = set()  # ids of modules
        ordered = sorted(nodes, key=lambda node: node._sequence)
        if not ordered:
            return
        notes = self.noted(ordered[0]._sequence, ordered[-1]._sequence)
        if notes:
            alive = (module() for *_, module in notes if module is not None)
            self._called.update(id(module) for module in alive if module is not None)
            self._read(ordered, sorted(notes, key=lambda note: (note[0], -note[1])))

    @property
    def infos(self) -> tuple[ScopeInfo, ...]:
        """Every scope that holds a node, in the order in which they were entered."""
        return tuple(ScopeInfo(path, kind) for path, kind in self.kinds.items())

    def of_leaf(self, users: Iterable[Node], parameter: bool) -> str:
        """The innermost scope that contains all users of a leaf.

        A leaf that is not a parameter is an input of the modules that use it, so it is outside.
        """
        shared = common([self.of.get(user, "") for user in users])
        while shared and not parameter and self.kinds.get(shared, "module"):
            shared = shared.rpartition(".")[0]
        return shared

    def _read(self, ordered: list[Node], notes: list[Note]) -> None:
        outermost = Opened(-1, "")
        stack = [outermost]
        waiting = iter(notes)
        note = next(waiting, None)
        for node in ordered:
            while note is not None and note[0] < node._sequence:
                if note[1] >= node._sequence:  # equal: a PyTorch module that made one node
                    while len(stack) > 1 and stack[-1].closed < note[0]:
                        stack.pop()
                    _, closed, name, module = note
                    alive = None if module is None else module()
                    stack.append(Opened(closed, name, module is not None, alive))
                note = next(waiting, None)
            while len(stack) > 1 and stack[-1].closed < node._sequence:
                stack.pop()
            for place in range(1, len(stack)):
                if not stack[place].path:
                    self._enter(stack[: place + 1])
            if len(stack) > 1:
                self.of[node] = stack[-1].path

    def _enter(self, stack: list[Opened]) -> None:
        """Give the last scope of `stack` its path, at its first node."""
        *above, opened = stack
        parent = above[-1]
        name = opened.name if opened.module is None else self._path(opened, above)
        number = parent.within[name] = parent.within.get(name, 0) + 1
        own = name if number == 1 else f"{name} {number}"
        own = ".".join(map(self._short, own.split(".")))
        opened.path = f"{parent.path}.{own}" if parent.path else own
        self.kinds[opened.path] = opened.name if opened.is_module else ""

    def _path(self, opened: Opened, above: list[Opened]) -> str:
        """The path of a module inside the module around it, or else its variable."""
        own = id(opened.module)
        for outer in reversed(above):
            if outer.module is not None and (path := self._inside(outer.module).get(own)):
                return self._outside_of_calls(path, outer.module)
        for place, held in self._names.modules:
            path = self._inside(held).get(own)
            if path is not None:
                variable = place.removeprefix("self.")
                return f"{variable}.{path}" if path else variable
        return opened.name

    def _outside_of_calls(self, path: str, module: Any) -> str:
        """`path`, or `encoder[0]` for `encoder.0` if the encoder was also called as a whole."""
        names = path.split(".")
        ids = {place: id for id, place in self._inside(module).items()}
        for k in range(1, len(names)):
            if ids.get(".".join(names[:k])) in self._called:
                return ".".join(names[:k]) + "".join(f"[{name}]" for name in names[k:])
        return path

    def _inside(self, module: Any) -> dict[int, str]:
        """The paths of all modules in `module`, by their ids; its own path is empty."""
        found = self._paths.get(id(module))
        if found is None:
            found = {id(one): path for path, one in self.library().inside(module)}
            self._paths[id(module)] = found
        return found


def common(paths: list[str]) -> str:
    """The innermost scope that contains all of `paths`.

    >>> common(["net.fc1", "net.fc2"]), common(["net"]), common(["net", ""])
    ('net', 'net', '')
    """
    if not paths:
        return ""
    parts = [path.split(".") for path in dict.fromkeys(paths)]
    shared = parts[0]
    for other in parts[1:]:
        same = 0
        while same < min(len(shared), len(other)) and shared[same] == other[same]:
            same += 1
        shared = shared[:same]
    return ".".join(shared)

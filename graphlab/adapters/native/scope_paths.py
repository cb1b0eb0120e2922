"""Each node has the path of the scope in which it was made, from the notes of autograd/scopes.py.

The path of a module is that of its attributes, as in `named_modules`: `net.encoder.0`. The
outermost module has the name of its variable, or of its class if it no longer exists. A module that
is called again is another scope: `net.cell 2`. If a module was called, and one inside it was also
called from outside, that is another scope, too: `net.encoder[0]`. So the nodes of a module that was
called are consecutive, and its card never makes a cycle.

Without any, objects of the user's own classes that hold leaves are guessed scopes.

Read next: adapters/native/graph_copy.py
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import inf
from typing import Any

from graphlab.adapters.namespace import join, own_library
from graphlab.adapters.native.graph_walk import target_node, targets_of
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
    guessed = False

    def __init__(self, nodes: Iterable[Node], names: Names) -> None:
        self.of: dict[Any, str] = {}
        self.kinds: dict[str, str] = {}  # path -> class of the module, "" for a named scope
        self._names = names
        self._short = ShortNames()
        self._paths: dict[int, dict[int, str]] = {}  # id of a module -> ids inside -> paths
        ordered = sorted(nodes, key=lambda node: node._sequence)
        if not ordered:
            return
        notes = self.noted(ordered[0]._sequence, ordered[-1]._sequence)
        if notes:
            self._called = {id(module()) for *_, module in notes if module is not None}
            self._read(ordered, sorted(notes, key=lambda note: (note[0], -note[1])))
        else:
            self._guess(ordered)

    @property
    def infos(self) -> tuple[ScopeInfo, ...]:
        """Every scope that holds a node, in the order in which they were entered."""
        held = {
            one: self.kinds.get(one, "")
            for path in self.of.values()
            for one in around(path)[-2::-1]
        }
        return tuple(ScopeInfo(path, kind, self.guessed) for path, kind in held.items())

    def of_leaf(self, users: Iterable[Node], parameter: bool) -> str:
        """The innermost scope that contains all users of a leaf.

        A leaf that is not a parameter is an input of the modules that use it, so it is outside.
        """
        shared = common([self.of.get(user, "") for user in users])
        while shared and not parameter and self.kinds.get(shared, "module"):
            shared = shared.rpartition(".")[0]
        return shared

    def _guess(self, ordered: list[Node]) -> None:
        """Assign nodes to calls of the user's objects: the code takes leaves that these hold.

        Other nodes that a method made are in the call before, or in the next one.
        """
        kinds = self._names.kinds
        holders = {leaf: around(name)[1] for leaf, name in self._names.of_leaf.items()}
        taken = {
            node: [end for end in node._next if holders.get(id(end)) in kinds] for node in ordered
        }
        if len({holders[id(end)] for ends in taken.values() for end in ends}) < 2:
            return
        self.guessed = True
        owned: dict[Node, str] = {}
        count = Counter[Any]()  # calls of each object, and of each piece of code
        for node, ends in taken.items():
            path, call, key = "", "", (node._code, node._at, *map(id, ends))
            whole = common([holders[id(end)] for end in ends])
            if not any(_runs(kinds, one, node) for one in around(whole)):
                continue
            if not kinds.keys() >= {*around(whole)[:-1]}:  # a key with a dot, or no object
                continue
            for part in whole.split("."):
                path, call = join(path, part), join(call, part)
                number = count[call] = max(count[call], count[call, key])
                count[call, key] += 1
                call += f" {number + 1}" if number else ""
                self.kinds[call] = kinds[path]
            owned[node] = call
        for order, way in (ordered, 1), (ordered[::-1], -1):
            last, at = "", dict[Any, int]()
            for node in order:
                for path in around("" if node in owned else last):
                    if way * node._at < at.get((path, node._code), -inf):
                        last = ""  # another call of this code, by an object without a name
                        break
                    if _runs(self.kinds, path, node):
                        owned[node] = path
                        break
                last = owned.get(node, last)
                at[owned.get(node), node._code] = way * node._at
        self.of = between(ordered[::-1], owned, set())
        self.of |= {end: self.of.get(node, "") for node, ends in taken.items() for end in ends}

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
        ids = {place: id for id, place in self._inside(module).items()}
        for outer in around(path)[-2:0:-1]:
            if ids.get(outer) in self._called:
                return f"{outer}[{path[len(outer) + 1 :].replace('.', '][')}]"
        return path

    def _inside(self, module: Any) -> dict[int, str]:
        """The paths of all modules in `module`, by their ids; its own path is empty."""
        found = self._paths.get(id(module))
        if found is None:
            found = {id(one): path for path, one in self.library().inside(module)}
            self._paths[id(module)] = found
        return found


def around(path: str) -> list[str]:
    """A path and those of the scopes around it, innermost first; the last is empty."""
    return [path, *around(path.rpartition(".")[0])] if path else [""]


def _runs(kinds: dict[str, str], path: str, node: Node) -> bool:
    """Whether a method of an object made a node."""
    return f".{kinds.get(path)}." in f".{node._code.co_qualname}"


def common(paths: list[str]) -> str:
    """The innermost scope that contains all of `paths`.

    >>> common(["net.fc1", "net.fc2"]), common(["net"]), common(["net", ""])
    ('net', 'net', '')
    """
    first, *others = dict.fromkeys(paths or [""])
    return next(one for one in around(first) if all(one in around(other) for other in others))


def between(nodes: list[Node], owners: dict[Node, str], lists: set[str]) -> dict[Node, str]:
    """The scope of every node: its owner, or what contains those before and after it.

    nodes: in the order of the engine, results first. lists: as in `joined`.
    """
    users = defaultdict[Node, list[Node]](list)
    for node in nodes:
        for maker in makers_of(node):
            users[maker].append(node)
    sides: list[dict[Node, str]] = []  # the nearest scopes before each node, and after it
    for order, beside in (nodes[::-1], makers_of), (nodes, users.__getitem__):
        found: dict[Node, str] = {}
        for node in order:
            near = [found[one] for one in beside(node) if one in found]
            if near or node in owners:
                found[node] = owners.get(node) or common(near)
        sides.append(found)
    both = [node for node in nodes if all(node in side for side in sides)]
    scopes = {node: common([side[node] for side in sides]) for node in both}
    for _ in range(8):  # joined nodes may join others
        if not joined(nodes, scopes, lists):
            break
    return scopes


def makers_of(node: Node) -> list[Node]:
    """The nodes that made the inputs of a node."""
    return [end for end in map(target_node, targets_of(node)) if end is not None]


def joined(nodes: list[Node], scopes: dict[Node, str], lists: set[str]) -> bool:
    """Give nodes between two nodes of one scope to that scope, or to one that contains both.

    lists: scopes that stay apart if others run between their parts. Returns whether it did.
    """
    changed = False
    members: dict[str, list[int]] = {}
    for k, node in enumerate(nodes):
        for path in around(scopes.get(node, "")):
            members.setdefault(path, []).append(k)
    for path in sorted(members, key=lambda path: -path.count(".")):
        within = nodes[members[path][0] : members[path][-1] + 1]
        inner = {node for node in within if path in around(scopes.get(node, ""))}
        left = inner.copy()  # inside, or reached from inside
        for node in within:
            if node in left:
                left.update(makers_of(node))
        back = inner.copy()  # those of them that lead inside again
        for node in reversed(within):
            if node in left and not back.isdisjoint(makers_of(node)):
                back.add(node)
        back -= inner
        if path in lists and not all(scopes.get(node, "") in around(path) for node in back):
            continue
        for node in back:
            changed = True
            own = scopes.get(node, "")
            if own in around(path):  # it was in the module around the scope
                scopes[node] = path
            else:
                both = [node, *(nodes[k] for k in members[path])]
                scopes.update(dict.fromkeys(both, common([own, path])))
    return changed

"""Tensors are named after the variables that hold them, and other results after their code.

The caller's variables are read without running any of their code. Until Python 3.12, the frame of a
function holds the dictionary `f_locals`, and every tensor in it, until the function returns.
Therefore it is copied and then emptied. That changes no variable, except in a function of
`sys.setprofile` or `sys.settrace`: after it, Python copies the dictionary back.

A result that no variable holds is named after the expression that made it, `a*b`, because Python
knows its columns.

A trace is up to date as long as its variables hold the same, unchanged tensors (`watch`). When a
cell runs again, `e` is another tensor, and the widget of the old one says so, until a later cell
assigns `e` again. Tensors are held weakly: a widget on the page keeps no graph alive.

Read next: adapters/namespace.py
"""

import inspect
import re
import sys
import weakref
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import FrameType
from typing import Any

from graphlab.adapters.namespace import Variables, own_library
from graphlab.adapters.native.graph_walk import nodes_of
from graphlab.adapters.native.inspector import is_a, own_more
from graphlab.adapters.statements import assigned, program_text
from graphlab.autograd.node import Output, Pinned
from graphlab.graph.events.event import in_words
from graphlab.graph.model import Source
from graphlab.tensor.tensor import Tensor

KEPT_BY_THE_FRAME = sys.version_info < (3, 13)
COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")  # code names
LONGEST_LABEL = 80  # characters of a name in a sentence
LONGEST_NAME = 24  # characters; an expression longer than that is not a name
_MODULE = re.compile(r"\b(?:torch|graphlab|gl|F)\.")
_KEY = re.compile(r"\[\"([^\"'\\]*)\"\]")

_GROUP = r"[(\[][^][()]*[)\]]"
for _ in range(3):  # brackets inside brackets
    _GROUP = rf"[(\[](?:[^][()]|{_GROUP})*[)\]]"
_PRIMARY = re.compile(rf"(?:[\w.]+|{_GROUP})(?:\.\w+|{_GROUP})*[₀-₉]*")


def local_variables(frame: FrameType) -> dict[str, Any]:
    """The local variables of a frame; for a module or a cell, the global ones.

    >>> def area():
    ...     width, height = 2, 3
    ...     return local_variables(sys._getframe())
    >>> area()
    {'width': 2, 'height': 3}
    """
    variables = frame.f_locals
    found = dict(variables)
    if KEPT_BY_THE_FRAME and is_function(frame):
        variables.clear()
    return found


def is_function(frame: FrameType) -> bool:
    """Whether a frame runs a function, not a module, a class or a cell."""
    return bool(frame.f_code.co_flags & inspect.CO_OPTIMIZED)


def scopes_of(*frames: FrameType | None) -> list[dict[str, Any]]:
    """The variables of each frame: the local ones, and then the global ones if they differ.

    Those of loops come last: after `for p in (w, b)`, a tensor is w or b. So do those of
    comprehensions, `*args` and `**kwargs`, after the variables of the code around.
    """
    found = list[Any]()
    for frame in dict.fromkeys(filter(None, frames)):
        code, outer, parts = frame.f_code, frame.f_back, [(frame.f_globals, 0)]
        late: Any = inspect.getargs(code)[1:]
        if is_function(frame) or frame.f_locals is not frame.f_globals:
            parts.insert(0, (local_variables(frame), is_function(frame) and code.co_firstlineno))
        if code.co_name in COMPREHENSIONS:
            late = (*parts[0][0],)
        if any(late) and outer and outer.f_globals is frame.f_globals:
            around = code.co_name not in COMPREHENSIONS  # whose variables are all late
            found += [(around, one) for one in scopes_of(outer)]
        for variables, line in parts:
            text = program_text(code.co_filename), line, frame.f_lineno or 0
            found += enumerate(ranked(variables, late, text))
    return [scope for _, scope in sorted(found, key=lambda one: one[0])]


def ranked(variables: Mapping[str, Any], late: Any = (), *texts: Any) -> Any:
    """The variables, without and with those that are late or only pass by, as `assigned` tells.

    The cells of a notebook are read, too.
    """
    cells: Any = variables.get("In")
    cells = [(cell,) for cell in cells if type(cell) is str] if type(cells) is list else []
    found = [assigned(*text) for text in (*texts, *cells)]
    passed = {name for _, names in found for name in names}
    late = passed.difference(*(kept for kept, _ in found)).union(late)
    held = dict(variables).items()
    for part in (False, True):
        yield {name: x for name, x in held if (type(name) is str and name in late) is part}


@dataclass
class Names:
    """Which variable holds which tensor."""

    of_leaf: dict[int, str] = field(default_factory=dict)  # id of a leaf or constant -> name
    made_by: dict[Any, tuple[str, Tensor]] = field(default_factory=dict)  # edge -> name, tensor
    modules: list[tuple[str, Any]] = field(default_factory=list)  # variable, the module it holds
    # edge -> the variable that held a result before it was changed in place, in a recording
    earlier: dict[Any, str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)  # all variables except functions and modules
    kinds: dict[str, str] = field(default_factory=dict)  # object of the user's -> its class

    def add(self, name: str, tensor: Tensor) -> None:
        """Add a name, unless the tensor has one."""
        node = node_of(tensor)
        if node is None:
            self.of_leaf.setdefault(id(tensor), name)
        else:
            self.made_by.setdefault(edge_key(node), (name, tensor))


def node_of(tensor: Tensor) -> Any:
    """What made a tensor; None for a leaf, and for a view that PyTorch forbids to use.

    It does so after `a, b = x.unbind()` and a change of x in place; the variable a still exists.
    """
    try:
        return tensor._node
    except RuntimeError:
        return None


def known_results(names: "Names", nodes: Iterable[Any]) -> Iterator[tuple[Any, Tensor]]:
    """The tensors that still exist, in variables or saved by nodes, each with its edge as a key."""
    for key, (_, tensor) in names.made_by.items():
        yield key, tensor
    for node in nodes:
        for item in node._saved or ():
            tensor = item.tensor if isinstance(item, Pinned) else item
            if isinstance(tensor, Tensor) and (made_by := node_of(tensor)) is not None:
                yield edge_key(made_by), tensor


def edge_key(target: Any) -> Any:
    """A node, an output of a node, or a leaf, as a dictionary key."""
    return (target.node, target.index) if isinstance(target, Output) else (target, 0)


def names_in(*frames: FrameType | None) -> Names:
    """The names of the tensors in the variables of frames, local and global."""
    return names_of(*scopes_of(*frames))


def names_of(*scopes: Mapping[str, Any]) -> Names:
    """The names of the tensors in some namespaces; the first name of a tensor counts."""
    found = Variables(own_library(), *scopes)
    names = Names(modules=found.modules, taken=found.taken, kinds=found.kinds)
    for name, tensor in found.tensors.values():
        names.add(name, tensor)
    return names


def caller() -> FrameType:
    """The frame that called the function which asks."""
    return sys._getframe(2)


class ShortNames:
    """Cuts long names in the middle, so that a sentence with them can be read.

    Different names stay different: the second of two that are cut to the same text gets a number.

    >>> short = ShortNames()
    >>> short("w"), len(short("w" * 10_000)), short("w" * 9_000)[-3:]
    ('w', 80, 'w 2')
    """

    def __init__(self) -> None:
        self._found: dict[str, str] = {}
        self._count: Counter[str] = Counter()

    def __call__(self, name: str) -> str:
        if len(name) <= LONGEST_LABEL:
            return name
        if name not in self._found:
            cut = f"{name[:49]}…{name[-30:]}"
            self._count[cut] += 1
            number = self._count[cut]
            self._found[name] = cut if number == 1 else f"{cut} {number}"
        return self._found[name]


@lru_cache(maxsize=1024)
def bracketed(name: str) -> str:
    """A name for use in a formula: in brackets, except for variables, items and calls.

    >>> bracketed("a/b"), bracketed("log(d)"), bracketed("(a/b).exp()"), bracketed("w[0].bias")
    ('(a/b)', 'log(d)', '(a/b).exp()', 'w[0].bias')
    """
    return name if _PRIMARY.fullmatch(name) else f"({name})"


def index_text(operation: str, options: Mapping[str, Any]) -> str:
    """The index of a selection, "[:, 0]"; "" for any other operation.

    >>> index_text("select", {"dim": 1, "index": 0}), index_text("sum", {})
    ('[:, 0]', '')
    """
    if operation not in ("select", "slice") or options["dim"] < 0:
        return ""
    place = options.get("index", "")
    if operation == "slice":
        start, end, step = (options[word] for word in ("start", "end", "step"))
        place = f"{start or ''}:{'' if end == sys.maxsize else end}{f':{step}' * (step != 1)}"
    return f"[{':, ' * options['dim']}{place}]"


def expression_of(source: Source | None) -> str | None:
    """The expression as a name, `a*b` or `log(d)`; None if it is too long."""
    if source is None or source.end <= source.start:
        return None
    text = _MODULE.sub("", source.text[source.start : source.end])
    text = _KEY.sub(r"['\1']", text)  # as the names of items are written
    return text if len(text) <= LONGEST_NAME else None


def watch(root: Tensor, frame: FrameType) -> Callable[..., str] | None:
    """A function that returns a sentence about later changes; it returns "" if there are none.

    It watches the variables of a notebook in the graph of `root`. None if there are none, and for
    variables of a function, which end when it returns. Call it after each cell, with True after a
    later one, which may reuse the names.
    """
    if is_function(frame) or frame.f_locals is not frame.f_globals:
        return None
    held = [
        (name, weakref.ref(tensor), version_of(tensor))
        for name, tensor in variables_of(root, frame).items()
    ]
    namespace = frame.f_globals
    last: dict[str, Any] = {}  # what the names held after the last cell
    reused: dict[str, Any] = {}  # what later cells have assigned to them

    def said(later: bool = False) -> str:
        anew, changed = [], []
        for name, reference, version in held:
            tensor, now = reference(), identity(namespace.get(name))
            if later and now is not last.get(name):
                reused[name] = now
            last[name] = now
            plain = name.isidentifier() and name in namespace  # params['w'] is not looked up
            if plain and (tensor is None or namespace[name] is not tensor):
                if now is not reused.get(name):
                    anew.append(name)
            elif tensor is not None and version_of(tensor) != version:
                changed.append(name)
        parts = [f"{listed(anew)} reassigned"] if anew else []
        parts += [f"{listed(changed)} changed in place"] if changed else []
        return f"{' and '.join(parts)} since this was recorded." if parts else ""

    return said if held else None


def variables_of(root: Tensor, frame: FrameType) -> dict[str, Tensor]:
    """The variables that hold tensors of the graph behind `root`, the root first."""
    names = names_in(frame)
    nodes = nodes_of(root)
    reached = set(nodes)
    results = {
        name: tensor for (node, _), (name, tensor) in names.made_by.items() if node in reached
    }
    found: dict[str, Tensor] = {name: one for name, one in results.items() if one is root}
    found |= results
    for tensor in [root, *(one for node in nodes for one in inputs_of(node))]:
        if is_a(tensor, Tensor) and id(tensor) in names.of_leaf:
            found[names.of_leaf[id(tensor)]] = tensor
    return found


def inputs_of(node: Any) -> list[Any]:
    """The leaves and constants that an operation used."""
    return [*node._next, *(node._constants or ())]


def identity(thing: Any) -> Any:
    """Return what stands for a thing without keeping it alive: a weak reference, else its type."""
    try:
        return weakref.ref(thing)
    except TypeError:
        return type(thing)


def version_of(tensor: Tensor) -> int:
    """How often a tensor was changed in place; 0 if that is not counted."""
    more = own_more(tensor)
    return 0 if more is None or more.version is None else more.version.count


def listed(names: list[str]) -> str:
    """Names as a subject with its verb.

    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c", "d", "e"])
    ('a was', 'a and b were', 'a, b, c and 2 more were')
    """
    return f"{in_words(names)} {'was' if len(names) == 1 else 'were'}"

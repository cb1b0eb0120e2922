"""What things are called: tensors after the variables that hold them, nodes after their line.

Nobody is asked for names. The caller's variables are read, never run; a result that no variable
holds is called by the expression that made it, `a*b`, which Python knows to the column.

Read next: adapters/formulas.py
"""

import linecache
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from types import CodeType, FrameType
from typing import Any

from graphlab.autograd.node import Node, Output
from graphlab.graph.model import Source
from graphlab.tensor import Tensor

LONGEST_NAME = 24  # characters; an expression longer than that is no name
MOST_ITEMS = 64  # of a list or a dict that is searched for tensors
_MODULE = re.compile(r"\b(?:torch|graphlab|gl|F)\.")

_PLAIN = re.compile(r"[\w.]+(?:\[[^\]]*\])*|\[[^][]*\]")
_CALL = re.compile(r"\w+\([^()]*\)")


@dataclass
class Names:
    """Which variable holds which tensor. A node stands for the tensor that it made."""

    of_leaf: dict[int, str] = field(default_factory=dict)  # id of a leaf or constant -> name
    made_by: dict[Any, tuple[str, Tensor]] = field(default_factory=dict)  # edge -> name, tensor

    def add(self, name: str, tensor: Tensor) -> None:
        """Remember a name; the first one given to a tensor stays."""
        if tensor._node is None:
            self.of_leaf.setdefault(id(tensor), name)
        else:
            self.made_by.setdefault(edge_key(tensor._node), (name, tensor))


def edge_key(target: Any) -> Any:
    """Node, Output, leaf: as a dictionary key."""
    return (target.node, target.index) if isinstance(target, Output) else (target, 0)


def names_in(frame: FrameType | None) -> Names:
    """The tensors that the variables of `frame` hold, and then its module's, by name.

    Lists, tuples and dicts of tensors count too, `weights[0]`, `params['w']`; in a method, what
    its object holds: `self.weight`; and the parameters of modules: `fc1.weight`.
    """
    names = Names()
    if frame is None:
        return names
    scopes = [frame.f_locals]
    if frame.f_globals is not frame.f_locals:
        scopes.append(frame.f_globals)
    for scope in scopes:
        nested: list[tuple[str, Tensor]] = []
        for name, value in list(scope.items()):
            if name.startswith("_"):
                continue  # the notebook's own: _, __, _12
            if isinstance(value, Tensor):
                names.add(name, value)
            elif isinstance(value, list | tuple | dict) and name not in ("In", "Out"):
                nested.extend(inside(name, value))
            elif name == "self":
                nested.extend(attributes(name, value))
        for name, tensor in [*nested, *in_modules(scope)]:
            names.add(name, tensor)
    return names


def in_modules(scope: Any) -> list[tuple[str, Tensor]]:
    """Parameters and buffers of the modules that variables hold, by their paths: `fc1.weight`.

    The variable stands before the path, `model.weight`, where the path alone is one name, or means
    something else in another module. A module that is part of another gives no names of its own.
    """
    if "graphlab.nn.module" not in sys.modules:
        return []  # nobody can hold one
    Module: Any = sys.modules["graphlab.nn.module"].Module
    held = {}
    for name, value in list(scope.items()):
        if not name.startswith("_"):
            held.update({place: one for place, one in modules_in(name, value, Module)})
    inside = {part for one in set(held.values()) for part in one.modules() if part is not one}
    found = [
        (place, path, tensor)
        for place, one in held.items()
        if one not in inside
        for path, tensor in [*one.named_parameters(), *one.named_buffers()]
    ]
    meanings: dict[str, set[int]] = {}
    for _, path, tensor in found:
        meanings.setdefault(path, set()).add(id(tensor))
    return [
        (path if "." in path and len(meanings[path]) == 1 else f"{place}.{path}", tensor)
        for place, path, tensor in found
    ]


def modules_in(name: str, value: Any, kind: type) -> Iterator[tuple[str, Any]]:
    """The modules that a variable holds: itself, in a list or a dict, or as its attributes."""
    if isinstance(value, kind):
        yield name, value
    elif isinstance(value, list | tuple | dict) and name not in ("In", "Out"):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, one in islice(list(pairs), MOST_ITEMS):
            if isinstance(one, kind) and isinstance(key, str | int):
                yield f"{name}[{key!r}]", one
    elif name == "self":
        for key, one in islice(dict(getattr(value, "__dict__", {})).items(), MOST_ITEMS):
            if isinstance(one, kind):
                yield f"{name}.{key}", one


def inside(name: str, container: Any) -> Iterator[tuple[str, Tensor]]:
    """The tensors directly inside a list, a tuple or a dict, named by their place."""
    pairs = container.items() if isinstance(container, dict) else enumerate(container)
    for key, value in islice(pairs, MOST_ITEMS):
        if isinstance(value, Tensor) and isinstance(key, str | int):
            yield f"{name}[{key!r}]", value


def attributes(name: str, thing: Any) -> Iterator[tuple[str, Tensor]]:
    """The tensors that an object's attributes hold; no property is run."""
    held = getattr(thing, "__dict__", {})
    for key, value in islice(dict(held).items(), MOST_ITEMS):
        if isinstance(value, Tensor):
            yield f"{name}.{key}", value


def caller(depth: int = 2) -> FrameType:
    """The frame that called the function that asks."""
    return sys._getframe(depth)


# -- source lines ------------------------------------------------------------------------------


def source_of(node: Node) -> Source | None:
    """The line of the user's code that made a node, with the columns of its expression."""
    code: CodeType = node._code
    position = next(islice(code.co_positions(), node._at // 2, None), None)
    if position is None or position[0] is None:
        return None
    line, last_line, start, end = position
    raw = linecache.getline(code.co_filename, line).rstrip("\n")
    text = raw.strip()
    if not text:
        return Source(label_of(code.co_filename), line, "")
    indent = len(raw) - len(raw.lstrip())
    if start is None or end is None:
        return Source(label_of(code.co_filename), line, text)
    first = characters(raw, start) - indent
    last = characters(raw, end) - indent if last_line == line else len(text)
    if not 0 <= first < last <= len(text):
        first = last = 0
    return Source(label_of(code.co_filename), line, text, first, last)


def characters(line: str, column: int) -> int:
    """Python counts columns in bytes; we count characters."""
    return len(line.encode()[:column].decode(errors="ignore"))


def label_of(filename: str) -> str:
    """`In [3]` for a notebook's cell, else the name of the file."""
    compiler = getattr(_shell(), "compile", None)
    if compiler is not None and hasattr(compiler, "format_code_name"):
        described = compiler.format_code_name(filename)
        if described and described[1].startswith("In["):
            return described[1].replace("In[", "In [")
    return os.path.basename(filename)


def _shell() -> Any:
    module = sys.modules.get("IPython")
    return module.get_ipython() if module is not None else None


def bracketed(name: str) -> str:
    """A name that may stand in a formula: an expression is put in brackets, `log(d)` is not.

    >>> bracketed("a/b"), bracketed("log(d)"), bracketed("x[0]")
    ('(a/b)', 'log(d)', 'x[0]')
    """
    return name if _PLAIN.fullmatch(name) or _CALL.fullmatch(name) else f"({name})"


def expression_of(source: Source | None) -> str | None:
    """The expression itself, as a name: `a*b`, `log(d)`. None when it is too long for one."""
    if source is None or source.end <= source.start:
        return None
    text = _MODULE.sub("", source.text[source.start : source.end])
    return text if len(text) <= LONGEST_NAME else None

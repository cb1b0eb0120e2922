"""Tensors are named after the variables that hold them, and other results after their code.

The caller's variables are read without running any of their code. A result that no variable holds
is named after the expression that made it, `a*b`, because Python knows its columns.

Read next: adapters/namespace.py
"""

import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from types import FrameType
from typing import Any

from graphlab.adapters.frame_variables import scopes_of
from graphlab.adapters.namespace import (
    FUNCTIONS,
    HOLD_NOTHING,
    NOT_THE_USERS,
    attributes,
    inside,
    is_a,
    is_tensor,
    modules_inside,
    table_of,
)
from graphlab.autograd.node import Output
from graphlab.graph.model import Source
from graphlab.tensor.tensor import Tensor

LONGEST_LABEL = 80  # characters of a name in a sentence
LONGEST_NAME = 24  # characters; an expression longer than that is not a name
_MODULE = re.compile(r"\b(?:torch|graphlab|gl|F)\.")

_PLAIN = re.compile(r"[\w.]+(?:\[[^\]]*\])*[₀-₉]*|\[[^][]*\][₀-₉]*")
_CALL = re.compile(r"\w*\([^()]*\)[₀-₉]*")


@dataclass
class Names:
    """Which variable holds which tensor."""

    of_leaf: dict[int, str] = field(default_factory=dict)  # id of a leaf or constant -> name
    made_by: dict[Any, tuple[str, Tensor]] = field(default_factory=dict)  # edge -> name, tensor
    modules: list[tuple[str, Any]] = field(default_factory=list)  # variable, the module it holds
    # edge -> the variable that held a result before it was changed in place, in a recording
    earlier: dict[Any, str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)  # all variables except functions and modules

    def add(self, name: str, tensor: Tensor) -> None:
        """Add a name, unless the tensor has one."""
        if tensor._node is None:
            self.of_leaf.setdefault(id(tensor), name)
        else:
            self.made_by.setdefault(edge_key(tensor._node), (name, tensor))


def edge_key(target: Any) -> Any:
    """A node, an output of a node, or a leaf, as a dictionary key."""
    return (target.node, target.index) if isinstance(target, Output) else (target, 0)


def names_in(frame: FrameType | None) -> Names:
    """The names of the tensors in the variables of `frame`, local and global.

    These include tensors in lists, tuples and dicts (`weights[0]`, `params['w']`), attributes of
    objects of the user's own classes (`net.w`), and the parameters of modules (`fc1.weight`).
    """
    if frame is None:
        return Names()
    return names_of(*scopes_of(frame))


def names_of(*scopes: Any) -> Names:
    """The names of the tensors in some namespaces; the first name of a tensor counts."""
    names, module = Names(), sys.modules.get("graphlab.nn.module")
    Module: Any = () if module is None else module.Module  # loaded with the first module
    for scope in scopes:
        nested: list[tuple[str, Tensor]] = []
        held: dict[str, Any] = {}  # modules
        for name, value in list(scope.items()):
            if type(name) is not str or name.startswith("_") or name in NOT_THE_USERS:
                continue  # _, __ and _12 are the notebook's own
            if id(type(value)) not in FUNCTIONS:
                names.taken.add(name)
            if id(type(value)) in HOLD_NOTHING:
                continue
            if is_tensor(value):
                names.add(name, value)
                continue
            if is_a(value, Module):
                held[name] = value
                nested.extend(own_tensors(name, value))
                continue
            for place, one in inside(name, value, (Tensor, Module) if Module else Tensor):
                if is_tensor(one):
                    nested.append((place, one))
                elif is_a(one, Module):
                    held[place] = one
        names.modules.extend(held.items())
        for name, tensor in [*nested, *in_modules(held)]:
            names.add(name, tensor)
    return names


def own_tensors(name: str, module: Any) -> list[tuple[str, Tensor]]:
    """The attributes of a module that are tensors but neither parameters nor buffers."""
    return [(f"{name}.{key}", one) for key, one in attributes(module) if is_tensor(one)]


def in_modules(held: dict[str, Any]) -> list[tuple[str, Tensor]]:
    """The parameters and buffers of modules by their paths: `fc1.weight`.

    All paths of a module begin with its variable, `model.weight`, if one of them has no dot or
    means another tensor in another module. A module inside another adds no names of its own.
    """
    if not held:
        return []
    walks = {place: modules_inside(one) for place, one in held.items()}
    inner = {id(part) for walk in walks.values() for _, part in walk[1:]}
    found: list[tuple[str, str, Tensor]] = []
    for place, walk in walks.items():
        if id(held[place]) in inner:
            continue
        seen: set[int] = set()  # a shared parameter has one name
        for table in ("_parameters", "_buffers"):
            for path, part in walk:
                for name, tensor in table_of(part, table):
                    if is_tensor(tensor) and id(tensor) not in seen:
                        seen.add(id(tensor))
                        found.append((place, f"{path}.{name}" if path else name, tensor))
    meanings: dict[str, set[int]] = {}
    for _, path, tensor in found:
        meanings.setdefault(path, set()).add(id(tensor))
    full = {
        place for place, path, _ in found if "." not in path or len(meanings[path]) > 1
    }  # so that mha.in_proj_bias is beside mha.out_proj.bias
    return [(f"{place}.{path}" if place in full else path, tensor) for place, path, tensor in found]


def caller(depth: int = 2) -> FrameType:
    """The frame `depth` calls above this one."""
    return sys._getframe(depth)


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
    """A name for use in a formula: an expression gets brackets, but `log(d)` does not.

    >>> bracketed("a/b"), bracketed("log(d)"), bracketed("x[0]"), bracketed("(a/b)₂")
    ('(a/b)', 'log(d)', 'x[0]', '(a/b)₂')
    """
    return name if _PLAIN.fullmatch(name) or _CALL.fullmatch(name) else f"({name})"


def expression_of(source: Source | None) -> str | None:
    """The expression as a name, `a*b` or `log(d)`; None if it is too long."""
    if source is None or source.end <= source.start:
        return None
    text = _MODULE.sub("", source.text[source.start : source.end])
    return text if len(text) <= LONGEST_NAME else None

"""A trace is up to date as long as its variables hold the same, unchanged tensors.

When a cell runs again, `e` is another tensor, but the widget above still shows the old one. That
is right, because it plays what was recorded, but the widget should say so. If only a later cell
reassigns `e`, the widget is up to date. Tensors are held weakly, so that a widget on the page keeps
no graph alive.

Read next: faces/widgets/cell_events.py
"""

import ast
import linecache
import weakref
from collections.abc import Callable
from functools import lru_cache
from types import FrameType
from typing import Any

from graphlab.adapters.native.graph_walk import nodes_of
from graphlab.adapters.native.inspector import is_a, own_more
from graphlab.adapters.native.variable_names import is_function, names_in
from graphlab.graph.events.event import in_words
from graphlab.tensor.tensor import Tensor


def watch(root: Tensor, frame: FrameType) -> Callable[..., str] | None:
    """A function that returns a sentence about later changes; it returns "" if there are none.

    It watches the variables of a notebook in the graph of `root`. None if there are none, and for
    variables of a function, which end when it returns. Called with False, it leaves out variables
    that this cell assigns itself, because another cell may use the same names.
    """
    if is_function(frame) or frame.f_locals is not frame.f_globals:
        return None
    held = [
        (name, weakref.ref(tensor), version_of(tensor))
        for name, tensor in variables_of(root, frame).items()
    ]
    namespace, file = frame.f_globals, frame.f_code.co_filename

    def said(own_too: bool = True) -> str:
        left_out = frozenset() if own_too else assigned_in(file)
        return said_of(held, namespace, left_out)

    return said if held else None


@lru_cache(maxsize=64)
def assigned_in(filename: str) -> frozenset[str]:
    """The names that a cell assigns; none if its source is unknown.

    >>> assigned_in("no such file")
    frozenset()
    """
    try:
        tree = ast.parse("".join(linecache.getlines(filename)))
    except SyntaxError:  # a magic, for example
        return frozenset()
    names = (node for node in ast.walk(tree) if isinstance(node, ast.Name))
    return frozenset(node.id for node in names if isinstance(node.ctx, ast.Store))


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


def version_of(tensor: Tensor) -> int:
    """How often a tensor was changed in place; 0 if that is not counted."""
    more = own_more(tensor)
    return 0 if more is None or more.version is None else more.version.count


def said_of(
    held: list[tuple[str, Any, int]], namespace: dict[str, Any], left_out: frozenset[str]
) -> str:
    """The sentence about variables that were reassigned or changed in place."""
    anew, changed = [], []
    for name, reference, version in held:
        tensor = reference()
        plain = name.isidentifier() and name in namespace  # params['w'] is not looked up
        if plain and (tensor is None or namespace[name] is not tensor):
            if name not in left_out:
                anew.append(name)
        elif tensor is not None and version_of(tensor) != version:
            changed.append(name)
    parts = [f"{listed(anew)} reassigned"] if anew else []
    parts += [f"{listed(changed)} changed in place"] if changed else []
    return f"{' and '.join(parts)} since this was recorded." if parts else ""


def listed(names: list[str]) -> str:
    """Names as a subject with its verb.

    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c", "d", "e"])
    ('a was', 'a and b were', 'a, b, c and 2 more were')
    """
    return f"{in_words(names)} {'was' if len(names) == 1 else 'were'}"

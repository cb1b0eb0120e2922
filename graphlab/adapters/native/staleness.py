"""A trace is up to date as long as its variables hold the same, unchanged tensors.

When a cell runs again, `e` is another tensor, but the widget below still shows the old one, and
should say so. A later cell may reassign `e`: the widget is up to date. Tensors are held weakly, so
that a widget on the page keeps no graph alive.

Read next: faces/widgets/kernel_values.py
"""

import weakref
from collections.abc import Callable
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

"""Find where a graph was cut: a constant that shares memory with a tensor that needs a gradient.

`h.detach()` and `h.data` share the memory of h, but are not in the graph. A check proves the
gradient of the recorded graph; a note beside the verdict says where the graph was cut. The result
of `detach()` is marked. Values that were calculated under `no_grad()` or from `.item()` are not, so
such a cut cannot be found.

Read next: faces/symbolic/check.py
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from graphlab.faces.symbolic.live_graph import Subgraph, Tensor

SHOWN = 3  # cuts that are named; the others are counted
MAYBE = (
    "If you did use it: detach(), .data, .item(), numpy() and no_grad() cut a graph, so that no "
    "gradient flows through their results"
)


def owner(data: Any) -> int | None:
    """Return the id of the array that owns the memory; None for a scalar, which shares none."""
    if not isinstance(data, np.ndarray):
        return None
    while isinstance(data.base, np.ndarray):
        data = data.base
    return id(data)


def find_detached(graph: Subgraph, known: Iterable[Tensor], called: Mapping[int, str]) -> str:
    """Return a note about the cuts of a graph; "" if none is found.

    known: the caller's tensors, in the graph or not. called: names, by the id of the tensor.
    """
    sources: dict[int | None, str] = {}
    for tensor in (*graph.leaves, *known):
        place = owner(tensor._data) if tensor.requires_grad else None
        if place is not None:
            sources.setdefault(place, called.get(id(tensor), ""))
    found: dict[str, None] = {}  # used as an ordered set
    for node in graph.nodes:
        for constant in node._constants or ():
            if not isinstance(constant, Tensor):
                continue
            if constant.requires_grad:
                name = called.get(id(constant), "a tensor")
                found[f"{name} did not need a gradient yet when {node.name()} was made"] = None
            elif (name := sources.get(owner(constant._data))) is not None:
                what = name or "a tensor that needs a gradient"
                how = f"{name}.detach() or {name}.data" if name else "detach() or .data"
                note = f"{node.name()} uses the values of {what} as a constant, as {how} gives them"
                found[note] = None
            elif constant._more is not None and constant._more.cut:
                name = called.get(id(constant), "a tensor")
                found[f"{node.name()} uses {name} as a constant, the result of detach()"] = None
    if not found:
        return ""
    shown = list(found)[:SHOWN]
    more = f", and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return f"the graph is cut here, and no gradient flows: {', '.join(shown)}{more}"

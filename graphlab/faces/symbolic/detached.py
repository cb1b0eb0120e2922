"""Where a graph was cut: a constant that is the memory of a tensor that needs a gradient.

`h.detach()` and `h.data` are h's own memory outside the graph. A check proves the gradient of the
graph that there is; that a part of the formula is missing from it is said beside the verdict. What
`detach()` gave says so itself. What was calculated anew, under `no_grad()` or from `.item()`,
leaves no trace and cannot be told.

Read next: faces/symbolic/check.py
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from graphlab.faces.symbolic.interpretation import Subgraph
from graphlab.tensor.tensor import Tensor

SHOWN = 3  # cuts that are named; others are counted
MAYBE = (
    "If it should have been: detach(), .data, .item(), numpy() and no_grad() cut a graph, and no "
    "gradient flows through what was made there"
)


def owner(data: Any) -> int | None:
    """Which array the entries lie in, as an id; None for a scalar, which shares nothing."""
    if not isinstance(data, np.ndarray):
        return None
    while isinstance(data.base, np.ndarray):
        data = data.base
    return id(data)


def cuts(graph: Subgraph, held: Iterable[Tensor], called: Mapping[int, str]) -> str:
    """What to say of the cuts of a graph; "" where none is known.

    held: tensors of the caller's, in the graph or not. called: names, by the id of the tensor.
    """
    sources: dict[int | None, str] = {}
    for tensor in (*graph.leaves, *held):
        place = owner(tensor._data) if tensor.requires_grad else None
        if place is not None:
            sources.setdefault(place, called.get(id(tensor), ""))
    found: dict[str, None] = {}  # in order, each once
    for node in graph.nodes:
        for constant in node._constants or ():
            if not isinstance(constant, Tensor):
                continue
            if constant.requires_grad:
                name = called.get(id(constant), "a tensor")
                found[f"{name} needed no gradient yet when {node.name()} was made"] = None
            elif (name := sources.get(owner(constant._data))) is not None:
                what = name or "a tensor that needs a gradient"
                how = f"{name}.detach() and {name}.data have" if name else "detach() and .data have"
                said = f"{node.name()} takes as a constant the values of {what}, as {how} it"
                found[said] = None
            elif constant._more is not None and constant._more.cut:
                name = called.get(id(constant), "a tensor")
                found[f"{node.name()} takes {name} as a constant, which detach() gave"] = None
    if not found:
        return ""
    shown = list(found)[:SHOWN]
    more = f", and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return f"the graph is cut here, and no gradient flows: {', '.join(shown)}{more}"

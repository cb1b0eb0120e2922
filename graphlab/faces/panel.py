"""The kernel's part of the panel in JupyterLab: the table of tensors, and the graph of one of them.

The panel sends silent requests: no cell, no output, no history. Every answer is plain data, with a
sentence for whatever cannot be done. A tensor is identified by the code in its row of the table,
which is looked up, never evaluated.

Read next: adapters/native/inspector.py
"""

import sys
from typing import Any

import graphlab
from graphlab.adapters.native.inspector import Found, last_result, origin_of, table, tensors_in
from graphlab.adapters.native.variable_names import Names, names_of, ranked
from graphlab.common.notebook import shell
from graphlab.graph.compression import compressed
from graphlab.graph.scene import View
from graphlab.graph.timeline import Timeline
from graphlab.tensor.tensor import Tensor

LARGEST = 3000  # nodes: a larger graph takes too long for a silent request
GONE = "The tensor `{0}` no longer exists in this kernel."
NO_GRADIENT = "`{0}` does not require a gradient: nothing was recorded, so there is no graph."
INTEGER = (
    "`{0}` is of dtype {1}: only floating-point tensors can require a gradient, so there is no "
    "graph."
)
LEAF = "`{0}` is a leaf: you made it, no operation did. Choose a result to see its graph."
FREED = (
    "A backward pass freed this graph: it can be drawn, but not walked. Run the cell that made "
    "`{0}` again to walk it."
)
TOO_LARGE = "The graph of `{0}` has {1:,} nodes: draw it in a cell, which can be interrupted."
YOUR_CODE = "Walking `{0}` runs your code ({1}), which the panel does not do: walk it in a cell."
MANY_ENTRIES = (
    "A backward pass begins at one number, and `{0}` has {1}: trace it with a gradient in a cell."
)


class Answer:
    """Plain data that IPython sends as JSON."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {"application/json": self.data}

    def __repr__(self) -> str:
        return "<Answer to the GraphLab panel>"


def look(namespace: dict[str, Any] | None = None) -> Answer:
    """Return the table of tensors in a namespace, by default the user's. It runs no user code."""
    held = users_namespace() if namespace is None else namespace
    return Answer(table(held, graphlab) | {"version": graphlab.__version__})


def draw(code: str, view: View = "both", namespace: dict[str, Any] | None = None) -> Answer:
    """Return the graph of one tensor of the table as a still picture.

    code: the tensor's code in the table.
    Returns: {"document": the trace or None, "walk": whether `walk(code)` would work, "said": why
        there is no picture or no walk}.
    """
    held = users_namespace() if namespace is None else namespace
    found = find(code, held)
    said = GONE.format(code) if found is None else why_no_graph(found)
    if found is None or said:
        return Answer({"said": said, "document": None, "walk": False})
    from graphlab.adapters.native.graph_copy import graph_of
    from graphlab.faces.render.drawing import Drawing

    graph = graph_of(found.tensor, names_for(found, held))
    still = Timeline(graph, (), (Drawing(graph, view=view).scene,), found.name)
    said = why_no_walk(found)
    return Answer({"said": said, "document": compressed(still.to_json()), "walk": not said})


def walk(code: str, namespace: dict[str, Any] | None = None) -> Answer:
    """Return a rehearsal of the backward pass of one tensor of the table.

    Returns: {"document": the trace or None, "said": why there is none}.
    """
    held = users_namespace() if namespace is None else namespace
    found = find(code, held)
    said = GONE.format(code) if found is None else why_no_graph(found) or why_no_walk(found)
    if found is None or said:
        return Answer({"said": said, "document": None})
    from graphlab.adapters.native.rehearsal import rehearse
    from graphlab.faces.render.bundle import with_scenes

    try:
        timeline = rehearse(found.tensor, None, names_for(found, held))
    except RuntimeError as error:  # PyTorch's own sentence: a saved tensor was changed in place
        return Answer({"said": str(error), "document": None})
    return Answer({"said": "", "document": compressed(with_scenes(timeline).to_json())})


# -- what can be drawn or walked ------------------------------------------------------------


def why_no_graph(found: Found) -> str:
    """Say why a tensor has no graph to draw; "" if it has one."""
    made, needs = origin_of(found.tensor)
    dtype = found.tensor._data.dtype
    if not needs and dtype.kind != "f":
        return INTEGER.format(found.name, dtype.name)
    if not needs:
        return NO_GRADIENT.format(found.name)
    if made is None:
        return LEAF.format(found.name)
    if made == "Invalid":
        return reason_of(found.tensor)
    from graphlab.adapters.native.graph_walk import nodes_of

    count = len(nodes_of(found.tensor))
    return TOO_LARGE.format(found.name, count) if count > LARGEST else ""


def reason_of(view: Tensor) -> str:
    """Return PyTorch's message about a view that was changed in place where that is forbidden."""
    try:
        return f"There is no grad_fn: {view.grad_fn}"
    except RuntimeError as error:
        return str(error)


def why_no_walk(found: Found) -> str:
    """Say why a graph that can be drawn cannot be walked from the panel; "" if it can."""
    from graphlab.adapters.native.graph_walk import nodes_of
    from graphlab.adapters.native.inspector import is_freed, users_code

    nodes = nodes_of(found.tensor)
    if any(map(is_freed, nodes)):
        return FREED.format(found.name)
    users = users_code(nodes)
    if users:
        return YOUR_CODE.format(found.name, users)
    if found.tensor.numel() != 1:
        return MANY_ENTRIES.format(found.name, found.tensor.numel())
    return ""


# -- lookup --------------------------------------------------------------------


def find(code: str, namespace: dict[str, Any]) -> Found | None:
    """Return the tensor with this code in the table, as it is now; None if it no longer exists."""
    everything = [*tensors_in(namespace), *last_result(namespace)]
    return next((found for found in everything if found.code == code), None)


def names_for(found: Found, namespace: dict[str, Any]) -> Names:
    """Return the user's names for tensors; the requested tensor has its name in the table."""
    own = {} if found.code == "_" else {found.name: found.tensor}
    return names_of(own, *ranked(namespace))


def users_namespace() -> dict[str, Any]:
    """Return the notebook's variables, or the main program's where there is no IPython."""
    running = shell()
    return vars(sys.modules["__main__"]) if running is None else running.user_ns

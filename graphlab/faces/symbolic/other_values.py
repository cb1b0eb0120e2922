"""Run a graph again at other values: `check(loss, at={x: 0.5})`.

Read next: autograd/rerun.py
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from graphlab.faces.symbolic.assumptions import by_tensor
from graphlab.faces.symbolic.live_graph import CannotRerun, Subgraph, Tensor, key_of, rerun


def at_other_values(
    graph: Subgraph,
    root: Tensor,
    targets: Sequence[Tensor],
    named: Mapping[Tensor, str],
    at: Mapping[Any, Any],
) -> tuple[Tensor, list[Tensor], dict[Tensor, str], str]:
    """Run the graph at other values; return its root, targets, names, and the values as text.

    Raises: TypeError or ValueError.
    """
    leaves = {leaf: named[leaf] for leaf in graph.leaves}
    values = {leaf: value_for(leaf, v, named[leaf]) for leaf, v in by_tensor(at, leaves, "at")}
    try:
        made = rerun(graph, values)
    except CannotRerun as reason:
        raise ValueError(
            f"graphlab.check(), at: the graph cannot run again at other values: {reason}"
        ) from None
    new = {tensor: made[key_of(tensor)] for tensor in named}
    shown = [
        f"{named[leaf]} = {np.asarray(value).item():.6g}"
        for leaf, value in values.items()
        if np.size(value) == 1
    ]
    rest = [f"other values of {named[leaf]}" for leaf, v in values.items() if np.size(v) != 1]
    return (
        made[graph.root],
        [new[tensor] for tensor in targets],
        {new[tensor]: name for tensor, name in named.items()},
        "at " + ", ".join([*shown, *rest]) if values else "",
    )


def value_for(leaf: Tensor, value: Any, name: str) -> Any:
    """Return a value with the shape and dtype of the leaf. Raises: TypeError, ValueError."""
    data = np.asarray(value._data if isinstance(value, Tensor) else value)
    if data.dtype.kind not in "fiu":
        raise TypeError(
            f"graphlab.check(), at: expected numbers for {name}, got {type(value).__name__}"
        )
    if data.ndim and data.shape != tuple(leaf.shape):
        raise ValueError(
            f"graphlab.check(), at: {name} has shape {list(leaf.shape)}, but its value has "
            f"{list(data.shape)}; pass a value of the same shape, or one number for all entries"
        )
    return np.array(np.broadcast_to(data, tuple(leaf.shape)).astype(leaf._data.dtype))[()]

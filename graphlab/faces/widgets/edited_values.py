"""The values of leaves that a stepper shows instead of the recorded ones, checked when set.

They change the picture only: the tensors in the kernel stay as they are.

Read next: js/src/edits.ts
"""

from collections import Counter
from typing import Any, cast

import numpy as np

from graphlab.graph.model import Graph, TensorInfo


def editable_leaves(graph: Graph) -> dict[str, TensorInfo]:
    """Return the floating-point leaves by name; by id if they have no name or share one.

    >>> import graphlab
    >>> x = graphlab.tensor(3.0, requires_grad=True)
    >>> list(editable_leaves(graphlab.trace(x * x).graph))
    ['x']
    """
    leaves = [tensor for tensor in graph.tensors if tensor.is_leaf]
    count = Counter(tensor.name for tensor in leaves)
    named = {t.name if t.name and count[t.name] == 1 else t.id: t for t in leaves}
    floating = "float16", "float32", "float64"
    return {name: t for name, t in named.items() if t.value and t.value.dtype in floating}


def checked_edits(graph: Graph, edits: Any) -> dict[str, Any]:
    """Return `edits` as numbers and nested lists, by the names of leaves.

    edits: name of a leaf -> a number, or an array of its shape: lists, a NumPy array, a tensor.
    Raises: ValueError for a name that no leaf has, for an array of another shape, and for entries
        that are not finite or are too large for the dtype of the leaf.

    >>> import graphlab
    >>> x = graphlab.tensor([1.0, 2.0], requires_grad=True)
    >>> checked_edits(graphlab.trace((x * x).sum()).graph, {"x": np.array([3, 4])})
    {'x': [3.0, 4.0]}
    """
    if not isinstance(edits, dict):
        raise ValueError(f"edits must be a dict of leaf names: {{'d': -1.0}}, got {edits!r}")
    leaves = editable_leaves(graph)
    given = cast("dict[Any, Any]", edits)
    return {name: _entries(name, value, leaves) for name, value in given.items()}


def _entries(name: Any, value: Any, leaves: dict[str, TensorInfo]) -> Any:
    leaf = leaves.get(name) if isinstance(name, str) else None
    if leaf is None or leaf.value is None:
        known = f"must be one of {sorted(leaves)}" if leaves else "this graph has none"
        raise ValueError(f"no floating-point leaf is called {name!r} ({known})")
    shape, dtype = leaf.value.shape, leaf.value.dtype
    try:
        array = np.asarray(value.tolist() if hasattr(value, "tolist") else value)
    except ValueError:  # rows of different lengths
        array = np.asarray(None)
    if array.dtype.kind not in "iuf":
        raise ValueError(f"{name} takes numbers of shape {shape}, got {value!r}")
    if array.shape != shape and not array.size == np.prod(shape, dtype=int) == 1:
        raise ValueError(f"{name} has shape {shape}, got an array of shape {array.shape}")
    with np.errstate(over="ignore"):
        held = array.astype(dtype)
    if not np.isfinite(held).all():
        raise ValueError(f"{name} takes finite numbers that {dtype} can hold, got {value!r}")
    return array.astype(np.float64).reshape(shape).tolist()

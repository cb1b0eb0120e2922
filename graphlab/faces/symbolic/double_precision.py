"""The gradients that autograd gives when the same graph runs in float64.

A rule may lose digits inside, as a layer norm of two entries does in float32. When autograd is
right in float64, what is left is rounding.

Read next: faces/symbolic/comparison.py
"""

from typing import Any

import numpy as np

from graphlab.faces.symbolic.live_graph import Tensor, captured, edge_of, key_of, rerun
from graphlab.faces.symbolic.problem import Problem

CLOSE = 1e-6  # relative: constants are read as decimals, and float32 holds them to 1e-7
LOST = 0.01  # the share of a gradient that rounding may take
UNITS = 64  # roundings of the largest gradient in the graph


def gradients_in_float64(problem: Problem) -> tuple[dict[Tensor, Any], float]:
    """The gradients of the given tensors, and the largest of all; ({}, 0) if it cannot run."""
    graph = problem.graph
    values = {t: np.asarray(t._data, np.float64)[()] for t in (*graph.leaves, *problem.given)}
    try:
        made = rerun(graph, values, problem.given)
        root = made[graph.root]
        entering = np.asarray(problem.gradient._data).astype(root._data.dtype)[()]
        keys = {tensor: key_of(made[key_of(tensor)]) for tensor in problem.given}
        inner = [key_of(made[node]) for node in graph.nodes]
        found = captured([(edge_of(root), entering)], (*keys.values(), *inner), ())
    except Exception:  # a Function of the user's own may raise anything
        return {}, 0.0
    sizes = [
        float(np.max(np.abs(one), initial=0.0))
        for grad in found.values()
        for one in (grad if isinstance(grad, tuple) else (grad,))
        if one is not None
    ]
    return {t: found[k] for t, k in keys.items() if found[k] is not None}, max(sizes, default=0.0)


def is_rounding(
    kind: np.dtype, got: float, want: float, doubled: float, own: float, largest: float
) -> bool:
    """Whether a difference is rounding. doubled: the gradient in float64.

    own: the largest entry of this gradient. largest: the largest gradient in the graph.
    """
    unit = float(np.finfo(kind).eps)
    near = min(LOST * own, UNITS * unit * largest)
    return abs(got - want) <= near and abs(doubled - want) <= CLOSE * max(abs(want), 1e-3 * own)

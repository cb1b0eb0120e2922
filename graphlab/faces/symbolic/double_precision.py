"""Run the same graph again with autograd, in float64 and in its own dtypes.

A rule may lose digits, as the layer norm of two entries does in float32. If autograd is right in
float64, the difference was rounding.

Read next: faces/symbolic/comparison.py
"""

from typing import Any

import numpy as np

from graphlab.faces.symbolic.live_graph import Tensor, captured, edge_of, key_of, rerun
from graphlab.faces.symbolic.problem import Problem

CLOSE = 1e-6  # relative: constants are read as decimals, which float32 stores to about 1e-7
LOST = 0.01  # the share of a gradient that may be rounding error, unless a new run gives it again
UNITS = 64  # rounding errors of the largest gradient in the graph


def gradients_again(problem: Problem, double: bool) -> tuple[dict[Tensor, Any], float]:
    """Return the gradients of the given tensors, and the largest of all; ({}, 0) if it fails.

    double: run in float64; otherwise the graph runs in its own dtypes.
    """
    graph = problem.graph
    values = {
        t: (np.asarray(t._data, np.float64) if double else np.array(t._data))[()]
        for t in (*graph.leaves, *problem.given)
    }
    try:
        made = rerun(graph, values, problem.given)
        root = made[graph.root]
        entering = np.asarray(problem.gradient._data).astype(root._data.dtype)[()]
        keys = {tensor: key_of(made[key_of(tensor)]) for tensor in problem.given}
        inner = [key_of(made[node]) for node in graph.nodes]
        found = captured([(edge_of(root), entering)], (*keys.values(), *inner), ())
    except Exception:  # a user-defined Function may raise anything
        return {}, 0.0
    sizes = [
        float(np.max(np.abs(one), initial=0.0))
        for grad in found.values()
        for one in (grad if isinstance(grad, tuple) else (grad,))
        if one is not None
    ]
    return {t: found[k] for t, k in keys.items() if found[k] is not None}, max(sizes, default=0.0)


def is_rounding(
    kind: np.dtype,
    got: float,
    want: float,
    doubled: float,
    again: float,
    own: float,
    largest: float,
) -> bool:
    """Return whether the difference of `got` and `want` is a rounding error.

    doubled, again: the gradient when the graph runs again, in float64 and in its own dtypes. If
    `again` equals `got`, no saved tensor was changed in between; then rounding may spoil all digits
    of a gradient that is small beside the largest one in the graph.
    own: the largest entry of this gradient. largest: the largest gradient in the graph.
    """
    unit = float(np.finfo(kind).eps)
    same = abs(got - again) <= 4 * unit * abs(got)
    near = UNITS * unit * largest if same else min(LOST * own, UNITS * unit * largest)
    return abs(got - want) <= near and abs(doubled - want) <= CLOSE * max(abs(want), 1e-3 * own)

"""The gradients that autograd gives when the same graph runs again, in float64 and in its own type.

A rule may lose digits inside, as a layer norm of two entries does in float32. When autograd is
right in float64, what is left is rounding.

Read next: faces/symbolic/comparison.py
"""

from typing import Any

import numpy as np

from graphlab.faces.symbolic.live_graph import Tensor, captured, edge_of, key_of, rerun
from graphlab.faces.symbolic.problem import Problem

CLOSE = 1e-6  # relative: constants are read as decimals, and float32 holds them to 1e-7
LOST = 0.01  # the share of a gradient that rounding may take, unless a new run gives it again
UNITS = 64  # roundings of the largest gradient in the graph


def gradients_again(problem: Problem, double: bool) -> tuple[dict[Tensor, Any], float]:
    """The gradients of the given tensors, and the largest of all; ({}, 0) if it cannot run.

    double: run in float64. Otherwise the graph runs in its own types.
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
    kind: np.dtype,
    got: float,
    want: float,
    doubled: float,
    again: float,
    own: float,
    largest: float,
) -> bool:
    """Whether a difference is rounding. doubled, again: the gradient of new runs.

    The graph ran in float64 for `doubled`, and in its own type for `again`. When the latter gives
    `got` once more, no saved tensor was changed since, and rounding may take all digits of a
    gradient that is small beside the largest one of the graph.
    own: the largest entry of this gradient. largest: the largest gradient in the graph.
    """
    unit = float(np.finfo(kind).eps)
    same = abs(got - again) <= 4 * unit * abs(got)
    near = UNITS * unit * largest if same else min(LOST * own, UNITS * unit * largest)
    return abs(got - want) <= near and abs(doubled - want) <= CLOSE * max(abs(want), 1e-3 * own)

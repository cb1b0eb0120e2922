"""Find the step of a backward pass at which finite numbers become NaN: 0 times infinity.

Read next: faces/symbolic/diagnosis_slopes.py
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from graphlab.faces.symbolic.backward_interpretation import backward, gradient_of, sent_by
from graphlab.faces.symbolic.budget import Budget
from graphlab.faces.symbolic.diagnosis_slopes import Diagnosis
from graphlab.faces.symbolic.interpretation import float_interpretation, forward
from graphlab.faces.symbolic.live_graph import Subgraph, Tensor
from graphlab.faces.symbolic.report import Row

ZERO = "the gradient 0 arrives there, its slope is not finite here, and 0 · inf = nan"
NOT_TAKEN = (
    "; where() sends 0 to the branch that it does not take, so replace the input of that branch, "
    "as in where(x == 0, 1, x), before the step"
)
INFINITE = "its slope is infinite here, and {} multiplies it by 0: inf · 0 = nan"
NORM = "; for a length or a distance, linalg.norm gives the gradient 0 there"


def nan_origin(
    rows: Sequence[Row], graph: Subgraph, root: Tensor, entering: Tensor, budget: Budget
) -> list[Diagnosis]:
    """Return the first step whose gradient is NaN, if the root is finite; [] if there is none."""
    if not any(np.any(np.isnan(row.autograd_value)) for row in rows):
        return []
    if not np.all(np.isfinite(root._data)):
        return []
    with suppress(Exception), np.errstate(all="ignore"):  # a Function may raise anything
        return first_nan(graph, np.asarray(entering._data, np.float64)[()], budget)
    return []


def first_nan(graph: Subgraph, entering: Any, budget: Budget) -> list[Diagnosis]:
    """Return the first step, beginning at the root, that makes NaN of other numbers."""
    floats = float_interpretation()
    given = {leaf: floats.constant(leaf) for leaf in graph.leaves}
    values = forward(graph, given, floats, budget)
    grads = backward(graph, values, entering, floats, budget)
    infinite: int | None = None  # the place of the first node with an infinite slope
    for place, node in reversed(list(enumerate(graph.nodes))):
        came = gradient_of(node, grads, floats)
        if came is None or node.many or np.any(np.isnan(came)):
            continue
        sent = [
            one for one in sent_by(graph, node, values, came, floats, budget) if one is not None
        ]
        if infinite is None and any(np.any(np.isinf(one)) for one in sent):
            infinite = place
        if not any(np.any(np.isnan(one)) for one in sent):
            continue
        if np.any(np.isinf(came)) and infinite is not None:
            first = graph.nodes[infinite]
            root = first.name() == "SqrtBackward0" and node.name() == "PowBackward0"
            why = INFINITE.format(node.name()) + NORM * root
            return [Diagnosis(infinite, first.name(), None, why=why)]
        if np.any(came == 0):
            wheres = [one for one in graph.nodes if one.name() == "WhereBackward0"]
            hidden = any(node in graph.behind(one) for one in wheres)
            return [Diagnosis(place, node.name(), None, why=ZERO + NOT_TAKEN * hidden)]
        return []
    return []

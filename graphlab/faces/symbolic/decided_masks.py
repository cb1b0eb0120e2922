"""Masks that depend on values: x > 0 in where(x > 0, x², 0), calculated again on exact entries.

A mask stores how it was made (autograd/decisions.py), so it can be calculated again: at every point
for the values there, and on symbols as a switch, so that the formula covers both branches.

Read next: faces/symbolic/custom_functions.py
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from graphlab.faces.symbolic.budget import Budget, Unsupported
from graphlab.faces.symbolic.live_graph import Subgraph, Tensor, decided, decision_of, picking_masks
from graphlab.primitives.sympy_reading.elementary import Choice
from graphlab.primitives.sympy_reading.object_arrays import Arithmetic, each


def exact_comparison(
    arithmetic: Arithmetic, primitives: Mapping[str, Any]
) -> Callable[[np.ufunc, list[Any]], Any]:
    """Return a function that compares exact entries. Raises: Unsupported for other functions."""
    decide: Any = getattr(arithmetic, "decide", arithmetic.above)
    number = arithmetic.number

    def above(x: Any, y: Any) -> Any:
        return decide(number(x), number(y))

    def both(x: Any, y: Any) -> Any:
        return weight(x) * weight(y)

    def either(x: Any, y: Any) -> Any:
        return weight(x) + weight(y) - both(x, y)

    def weight(x: Any) -> Any:
        return x.weight if isinstance(x, Choice) else number(int(bool(x)))

    weights: dict[str, Callable[..., Any]] = {
        "greater": above,
        "less": lambda x, y: above(y, x),
        "greater_equal": lambda x, y: 1 - above(y, x),
        "less_equal": lambda x, y: 1 - above(x, y),
        "equal": lambda x, y: primitives["eq"](x, y).weight,
        "not_equal": lambda x, y: 1 - primitives["eq"](x, y).weight,
        **dict.fromkeys(("logical_and", "bitwise_and"), both),
        **dict.fromkeys(("logical_or", "bitwise_or"), either),
        **dict.fromkeys(("logical_xor", "bitwise_xor"), lambda x, y: either(x, y) - both(x, y)),
        **dict.fromkeys(("logical_not", "invert"), lambda x: 1 - weight(x)),
    }

    def compare(function: np.ufunc, inputs: list[Any]) -> Any:
        name = function.__name__
        if name not in weights:
            raise Unsupported(f"a mask from {name} has no formula here")
        return each(lambda *x: Choice(weights[name](*x)), len(inputs))(*inputs)

    return compare


def as_exact_number(arithmetic: Arithmetic) -> Callable[[Any], Any]:
    """Return a function that converts a mask to 1 where it is True and 0 elsewhere."""

    def entry(x: Any) -> Any:
        if isinstance(x, Choice):
            return x.weight
        return arithmetic.number(int(x)) if isinstance(x, bool | np.bool_) else x

    numbers = each(entry)

    def call(data: Any) -> Any:
        some = data.flat[0] if isinstance(data, np.ndarray) and data.size else data
        return numbers(data) if isinstance(some, bool | np.bool_ | Choice) else data

    return call


def masks_of(graph: Subgraph) -> list[Tensor]:
    """Return the masks in a graph that depend on values."""
    found = [c for node in graph.order for c in (*(node._constants or ()), *picking_masks(node))]
    return [mask for mask in found if decision_of(mask) is not None]


def check_masks(graph: Subgraph, run: Callable[..., Any], entries: Any, budget: Budget) -> None:
    """Delete how a mask was made if that gives another mask: then it was changed in place.

    run: the forward of the graph.
    """
    masks = masks_of(graph)
    if not masks:
        return
    given = {leaf: entries.constant(leaf) for leaf in graph.leaves}
    try:
        values = run(graph, given, entries, budget)
    except Exception:  # a user-defined Function may raise anything
        values = {}
    for mask in masks:
        made = decided(mask, values, entries)
        if made is None or not np.array_equal(made, mask._data):
            assert mask._more is not None, "it has the decision"
            mask._more.decision = None

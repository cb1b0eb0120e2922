"""Compare a user-defined Function with its slopes at inputs other than the current ones.

A Function that runs on numbers only, or that branches on values, is checked for the current values
only. So it also runs at a few other values, and its backward is compared with finite differences of
its forward.

Read next: faces/symbolic/report.py
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from graphlab.faces.symbolic.diagnosis import compare_function
from graphlab.faces.symbolic.diagnosis_slopes import Diagnosis
from graphlab.faces.symbolic.live_graph import (
    Context,
    Node,
    Subgraph,
    get_rng_state,
    inputs_of,
    set_rng_state,
)
from graphlab.faces.symbolic.report import Row

FACTORS = (-1.0, 0.1, -0.1, 3.0, 0.5)  # times the current values
LARGEST = 4_096  # entries: a Function with larger inputs is not run again
MOST = 8  # the most Functions of a graph that are run again


def functions_without_formula(graph: Subgraph) -> list[tuple[int, Context]]:
    """Return the Functions without a formula that is right for all values, with their places."""
    if graph.random:
        return []
    return [
        (place, node)
        for place, node in enumerate(graph.nodes)
        if isinstance(node, Context)
        and (node not in graph.functions or graph.functions[node].value_dependent)
    ]


def wrong_elsewhere(graph: Subgraph, run: Any, entries: Any) -> list[Diagnosis]:
    """Return the Functions whose backward is right at the current values and wrong at others.

    run: computes the values of all results. entries: the interpretation in floats.
    """
    suspected, found = functions_without_formula(graph)[:MOST], []
    if not suspected:
        return []
    state = get_rng_state()
    with suppress(Exception), np.errstate(all="ignore"):  # a Function may raise anything
        values = run()
        for place, node in suspected:
            inputs = inputs_of(node, values, entries)
            if compare_function(node, inputs) is None:
                found += [make(place, node, one) for one in mistakes(node, inputs)][:1]
    set_rng_state(state)
    return found


def make(place: int, node: Context, mistake: tuple[Any, tuple[int, float, float]]) -> Diagnosis:
    """Return the diagnosis of a mistake at other inputs."""
    at, (index, got, want) = mistake
    return Diagnosis(place, node.name(), index, (), got, want, node.function.__name__, at=at)


def mistakes(node: Context, inputs: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    """Yield the inputs at which a Function is wrong, as text, and what is wrong there."""
    if sum(map(np.size, inputs)) > LARGEST:
        return
    for factor in FACTORS:
        moved = [
            x if edge is None or np.asarray(x).dtype.kind != "f" else elsewhere(x, factor)
            for x, edge in zip(inputs, node._next, strict=True)
        ]
        with suppress(Exception):
            first, again = (compare_function(node, moved) for _ in range(2))
            if first is not None and again == first:
                at = np.asarray(moved[first[0]])
                yield (f"{at.item():.6g}" if at.size == 1 else ""), first


def elsewhere(data: Any, factor: float) -> Any:
    """Return other values: about the current ones, times a factor."""
    source = np.random.default_rng(np.size(data))
    size = np.where(data == 0, 1.0, np.abs(data)) * source.uniform(0.8, 1.25, np.shape(data))
    return (np.where(data == 0, 1.0, np.sign(data)) * factor * size)[()]


def told(rows: dict[Any, Row], graph: Subgraph, found: Sequence[Diagnosis]) -> dict[Any, Row]:
    """Return the rows; gradients that come through a wrong Function now disagree."""
    for one in found:
        node: Node = graph.nodes[one.place or 0]
        behind = graph.behind(node._next[one.input or 0])
        where = f"where its input is {one.at}" if one.at else "at other values"
        note = (
            f"{one.function} is right at the current values and wrong {where}: there its backward "
            f"returns {one.gradient:.6g}, but the derivative is {one.derivative:.6g}"
        )
        for tensor, row in rows.items():
            if tensor in behind and row.ok:
                notes = "; ".join(text for text in (note, row.note) if text)
                rows[tensor] = replace(row, verdict="disagrees", note=notes, points=0)
    return rows

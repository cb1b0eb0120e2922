"""Find where a number of a graph leaves the range of its dtype, and becomes infinite or 0.

The graph runs again in its own dtypes, and each step also by itself with a wider range.

Read next: faces/symbolic/verdict.py
"""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from graphlab.faces.symbolic.backward_interpretation import gradient_of, sent_by
from graphlab.faces.symbolic.budget import Budget
from graphlab.faces.symbolic.diagnosis_slopes import Diagnosis
from graphlab.faces.symbolic.interpretation import (
    exact_interpretation,
    float_interpretation,
    outputs_of,
)
from graphlab.faces.symbolic.live_graph import (
    Key,
    Tensor,
    captured,
    edge_of,
    inputs_of,
    key,
    key_of,
    rerun,
    results_of,
)
from graphlab.faces.symbolic.mp_arithmetic import DIGITS, MpArithmetic, context
from graphlab.faces.symbolic.problem import Problem, fractions


class NumberRange:
    """A graph that ran again in its own dtypes.

    grads: its gradients, by the keys of the first graph; empty if it cannot run again. event: the
    first step whose result is out of range, and what happens there; None if there is none.
    """

    def __init__(self, problem: Problem, kind: np.dtype, budget: Budget) -> None:
        self.problem, self.kind, self.budget = problem, kind, budget
        self.event: Diagnosis | None = None
        self.grads: dict[Key, Any] = {}
        exact = exact_interpretation(MpArithmetic(DIGITS), problem.constants)
        self.entries = exact if kind == np.float64 else float_interpretation()
        with suppress(Exception), np.errstate(all="ignore"):  # a Function may raise anything
            self.run()
            found = [*self.forward(), *self.backward()]
            found.sort(key=lambda one: "overflows" not in one.why)
            self.event = found[0] if found else None

    def run(self) -> None:
        """Run the graph and its backward pass in its own dtypes."""
        graph, given = self.problem.graph, self.problem.given
        made = rerun(graph, {}, given)
        root = made[graph.root]
        entering = np.asarray(self.problem.gradient._data).astype(root._data.dtype)[()]
        keys = {old: key_of(new) for old, new in made.items() if new is not None and new._needs}
        found = captured([(edge_of(root), entering)], keys.values(), ())
        self.values = {old: new._data for old, new in made.items() if new is not None}
        self.grads = {old: found[new] for old, new in keys.items() if found[new] is not None}

    def wide(self, data: Any) -> Any:
        """Return numbers of the graph as entries with a wider range."""
        if np.asarray(data).dtype.kind != "f":
            return data
        if self.kind != np.float64:
            return np.asarray(data, np.float64)[()]
        return self.entries.constant(fractions(data))

    def forward(self) -> Iterator[Diagnosis]:
        """Yield the first results that overflow and underflow."""
        graph, values = self.problem.graph, {k: self.wide(v) for k, v in self.values.items()}
        seen = set()
        for place, node in enumerate(graph.nodes):
            keys = results_of(node)[bool(node.many) :]
            outputs = [self.values[k] for k in keys]
            values[node, "all"] = tuple(values[k] for k in keys)
            given = (self.values[key(edge)] for edge in node._next if edge is not None)
            if not all(np.all(np.isfinite(one)) for one in given):
                continue
            if all(np.all(np.isfinite(one) & (one != 0)) for one in outputs):
                continue
            inputs = inputs_of(node, values, self.entries)
            for one, exact in zip(outputs, outputs_of(node, inputs, self.entries), strict=False):
                what = self.beyond(one, exact, "its result")
                if what and what not in seen:
                    seen.add(what[:20])
                    yield Diagnosis(place, node.name(), None, why=what)
        self.exact = values

    def backward(self) -> Iterator[Diagnosis]:
        """Yield the first gradients that overflow and underflow, beginning at the root."""
        graph = self.problem.graph
        grads = {k: self.wide(g) for k, g in self.grads.items() if not isinstance(g, tuple)}
        infinite: set[Key] = set()  # the gradients with a part that is infinite in any range
        sums: dict[Key, Any] = {}
        senders: dict[Key, int] = {}
        for place, node in reversed(list(enumerate(graph.nodes))):
            yield from self.arrived(node, sums, senders, infinite)
            came = gradient_of(node, self.grads, float_interpretation())
            edges = [edge for edge in node._next if edge is not None]
            if came is None:
                continue
            if node.many or not np.all(np.isfinite(came)):
                infinite.update(map(key, edges))
                continue
            sent = sent_by(graph, node, self.exact, grads[node], self.entries, self.budget)
            for edge, one in zip(node._next, sent, strict=True):
                if edge is not None and one is not None:
                    k = key(edge)
                    sums[k] = sums[k] + one if k in sums else one
                    senders[k] = place
        for leaf in graph.leaves:
            yield from self.arrived(leaf, sums, senders, infinite)

    def arrived(
        self, k: Key, sums: dict[Key, Any], senders: dict[Key, int], infinite: set[Key]
    ) -> Iterator[Diagnosis]:
        """Yield what happened to a gradient once all its parts have arrived."""
        got = self.grads.get(k)
        if k in infinite or k not in sums or got is None or isinstance(got, tuple):
            return
        if what := self.beyond(got, sums[k], "the gradient that it sends"):
            place = senders[k]
            yield Diagnosis(place, self.problem.graph.nodes[place].name(), None, why=what)

    def beyond(self, got: Any, exact: Any, what: str) -> str:
        """Say that a number is out of range; "" if none is. exact: with a wider range."""
        pairs = zip(np.ravel(got), np.ravel(np.asarray(exact, object)), strict=True)
        small = ""
        for one, value in pairs:
            if not is_finite(value):
                continue
            if not np.isfinite(one):
                return f"{self.kind} overflows there: {what} is {one} instead of {text_of(value)}"
            if one == 0 != value and abs(value) < float(np.finfo(self.kind).tiny):
                small = f"{self.kind} underflows there: {what} is 0 instead of {text_of(value)}"
        return small


def is_finite(value: Any) -> bool:
    """Return whether a number, also one with many digits, is finite."""
    return bool(value - value == 0)


def text_of(value: Any) -> str:
    """Return a number with six digits."""
    return context().nstr(context().mpf(value), 6, strip_zeros=True).replace(".0e", "e")


def is_repeated(found: NumberRange, tensor: Tensor, index: tuple[int, ...], got: float) -> bool:
    """Return whether the graph that ran again has this entry of a gradient, too."""
    again = found.grads.get(key_of(tensor))
    entry = np.asarray(0.0 if again is None else again, np.float64)
    return bool(np.isclose(entry[index] if entry.ndim else entry, got, rtol=1e-6, equal_nan=True))

"""A graph as a function of some tensors, what is assumed of them, and the graph of a report.

Every symbol stands for a real number. A further assumption, as in `assume={"x": "positive"}`,
weakens the claim, so it is shown with every verdict, and the current values must satisfy it. Random
points are exact fractions, on both sides of zero if the assumptions allow it.

Read next: faces/symbolic/numeric_check.py
"""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial
from math import prod
from typing import Any

import numpy as np

from graphlab.common.notebook import registered
from graphlab.faces.symbolic.backward_interpretation import backward
from graphlab.faces.symbolic.budget import Budget
from graphlab.faces.symbolic.custom_functions import record_functions
from graphlab.faces.symbolic.interpretation import Interpretation, forward
from graphlab.faces.symbolic.live_graph import (
    Key,
    Node,
    Subgraph,
    Tensor,
    key_of,
    node_and_output,
    walk,
)
from graphlab.faces.symbolic.mp_arithmetic import ExactConstants, OutsideDomain
from graphlab.graph.model import Graph, TensorInfo
from graphlab.primitives.sympy_reading.object_arrays import bare

Point = dict[Any, Any]  # tensor -> array of Fractions, or one Fraction
Place = tuple[Tensor, tuple[int, ...]]  # an entry of a tensor

# name -> the text after the name, SymPy's assumptions, and whether values satisfy it
FACTS: dict[str, tuple[str, dict[str, bool], Any]] = {
    "positive": ("> 0", {"positive": True}, lambda x: x > 0),
    "negative": ("< 0", {"negative": True}, lambda x: x < 0),
    "nonnegative": ("≥ 0", {"nonnegative": True}, lambda x: x >= 0),
    "nonpositive": ("≤ 0", {"nonpositive": True}, lambda x: x <= 0),
    "nonzero": ("≠ 0", {"nonzero": True}, lambda x: x != 0),
    "integer": ("an integer", {"integer": True}, lambda x: x == np.round(x)),
}


@dataclass(frozen=True, slots=True)
class Assumptions:
    """What is assumed about every entry of a tensor. names: keys of FACTS."""

    names: tuple[str, ...] = ()

    @property
    def facts(self) -> dict[str, bool]:
        """SymPy's assumptions for the symbol, without "integer": symbolic_graph adds that later."""
        facts: dict[str, bool] = {}
        for name in self.names:
            facts |= FACTS[name][1] if name != "integer" else {}
        return facts

    @property
    def whole(self) -> bool:
        return "integer" in self.names

    def text(self, name: str) -> str:
        """The text beside a verdict.

        >>> Assumptions(("integer", "positive")).text("n")
        'n > 0, an integer'
        """
        return f"{name} " + ", ".join(FACTS[fact][0] for fact in FACTS if fact in self.names)

    def holds(self, values: Any) -> bool:
        """Return whether all values satisfy the assumptions; NaN counts as satisfying them."""
        known = np.asarray(values)[~np.isnan(values)]
        return all(bool(np.all(FACTS[name][2](known))) for name in self.names)

    def draw(self, source: random.Random, value: Fraction, keep_sign: bool) -> Fraction:
        """Return a random number that satisfies them. keep_sign: give it the sign of `value`."""
        size = Fraction(source.randint(1, 5) if self.whole else source.randint(200, 2500))
        size = size if self.whole else size / 1000
        if {"positive", "nonnegative"} & set(self.names):
            return size
        if {"negative", "nonpositive"} & set(self.names):
            return -size
        sign = (1 if value > 0 else -1) if keep_sign and value != 0 else source.choice((1, -1))
        return sign * size


NOTHING = Assumptions()


def read_assumptions(
    assume: Mapping[Any, Any] | None, named: Mapping[Tensor, str]
) -> dict[Tensor, Assumptions]:
    """Return the assumptions about each tensor, checked against its current values.

    assume: by tensor or by name, one key of FACTS or several in one text, "positive integer".
    Raises: TypeError, ValueError.
    """
    found: dict[Tensor, Assumptions] = {}
    for tensor, given in by_tensor(assume, named, "assume"):
        names = tuple(given.replace(",", " ").split()) if isinstance(given, str) else ()
        unknown = [name for name in names if name not in FACTS]
        if unknown or not names:
            raise ValueError(
                f"graphlab.check(), assume: unknown assumption {(unknown or [given])[0]!r} for "
                f"{named[tensor]} (must be one of {list(FACTS)})"
            )
        assumed = Assumptions(names)
        if not assumed.holds(tensor._data):
            raise ValueError(
                f"graphlab.check(), assume: {assumed.text(named[tensor])} is assumed, but it is "
                f"{shown(tensor)}; pass other values to check at, as in at={{...}}"
            )
        found[tensor] = assumed
    return found


def by_tensor(
    given: Mapping[Any, Any] | None, named: Mapping[Tensor, str], argument: str
) -> list[tuple[Tensor, Any]]:
    """Return the pairs (tensor, value) of a mapping whose keys are tensors or their names.

    Raises: TypeError for another type; ValueError for a key that is not in the graph.
    """
    if given is None:
        return []
    if not isinstance(given, Mapping):
        raise TypeError(
            f"graphlab.check(), {argument}: expected a dict by tensor or name, got "
            f"{type(given).__name__}"
        )
    pairs = []
    for key, value in given.items():
        if isinstance(key, Tensor):
            found = [key] if key in named else []
        else:
            found = [tensor for tensor, name in named.items() if name == key]
        if not found:
            what = "a tensor" if isinstance(key, Tensor) else repr(key)
            raise ValueError(
                f"graphlab.check(), {argument}: {what} is not a leaf of this graph (must be one of "
                f"{list(named.values())})"
            )
        pairs += [(tensor, value) for tensor in found]
    return pairs


def shown(tensor: Tensor) -> str:
    """Return the value of a tensor for an error message: a number, or the number of entries."""
    if tensor.numel() == 1:
        return f"{tensor._data.item():.6g}"
    return f"{tensor.numel()} entries that do not all satisfy it"


# -- a graph, and points --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Problem:
    """A graph, the tensors that it is a function of, and the gradient that enters at its root.

    unfinished: how far gradients are off because a loop may have ended too early.
    """

    graph: Subgraph
    given: tuple[Tensor, ...]
    gradient: Tensor
    constants: ExactConstants = field(default_factory=ExactConstants)
    assumed: Mapping[Tensor, Assumptions] = field(default_factory=dict)
    unfinished: dict[Place, float] = field(default_factory=dict)

    def run(
        self, entries: Interpretation, point: Point, budget: Budget
    ) -> tuple[Any, dict[Any, Any]]:
        """Return the sum of gradient * root at the point, and every intermediate value."""
        given = {key_of(t): point[t] for t in self.given}
        values = forward(self.graph, given, entries, budget)
        weighted = values[self.graph.root] * entries.constant(self.gradient)
        return entries.primitives["sum"](weighted), values

    def rules(
        self, entries: Interpretation, values: dict[Any, Any], budget: Budget
    ) -> dict[Any, Any]:
        """Return the gradients by the rules, by key."""
        entering = entries.constant(self.gradient)
        return backward(self.graph, values, entering, entries, budget)


def current_point(problem: Problem) -> Point:
    """Return the current values as fractions. Raises: OutsideDomain if one is not finite."""
    if not all(np.all(np.isfinite(t._data)) for t in problem.given):
        raise OutsideDomain
    return {t: fractions(t._data) for t in problem.given}


def fractions(data: Any) -> Any:
    """Return floats as exact fractions; NaN and infinities become 0."""
    exact = np.frompyfunc(lambda x: Fraction(float(x)) if np.isfinite(x) else Fraction(0), 1, 1)
    return bare(exact(data))


def in_floats(point: Point) -> Point:
    """Return the same point in float64."""
    return {t: np.asarray(values, object).astype(np.float64)[()] for t, values in point.items()}


def float_point(problem: Problem) -> Point:
    """Return the current values in float64."""
    return {t: np.asarray(t._data, np.float64)[()] for t in problem.given}


def draw(problem: Problem, base: Point, source: random.Random, attempt: int) -> Point:
    """Return a random point: with the current signs in even attempts, or with random signs."""

    def entry(assumed: Assumptions, value: Fraction) -> Fraction:
        return assumed.draw(source, value, attempt % 2 == 0)

    return {
        t: bare(np.frompyfunc(partial(entry, problem.assumed.get(t, NOTHING)), 1, 1)(values))
        for t, values in base.items()
    }


def moved(values: Any, index: tuple[int, ...], step: Any) -> Any:
    """Return the values with one entry moved by `step`."""
    if not index:
        return values + step if np.ndim(values) == 0 else bare(np.asarray(values) + step)
    out = np.array(values)
    out[index] = out[index] + step
    return out


# -- the graph of a report ---------------------------------------------------------------------

# A chain rule or a Jacobian is computed later, from the graph itself, so a report keeps the root
# alive, as any variable would.

LARGEST_DRAWN = 60  # nodes: a larger graph has no pictures of its paths


@dataclass(eq=False)
class CheckedGraph:
    """The root, the gradient that enters there, and names.

    named: the names of leaves and targets. called: the caller's names, by the id of the tensor.
    inner: (node, output number) -> the variable with the result. copy: makes the graph as data, for
    labels and pictures. assumed: the assumptions about values. symbolic: the graph on symbols, and
    recorded: the graph with its Functions recorded; both None until they are needed.
    pictures: the number of pictures that a table has shown. chains: the chain rules made so far.
    """

    root: Tensor
    gradient: Tensor
    named: Mapping[Tensor, str]
    name: str = ""
    called: Mapping[int, str] = field(default_factory=dict)
    inner: Mapping[Any, str] = field(default_factory=dict)
    copy: Callable[[], Graph] | None = None
    assumed: Mapping[Tensor, Any] = field(default_factory=dict)
    symbolic: Any = None
    recorded: Subgraph | None = None
    pictures: int = 0
    chains: dict[Tensor, Any] = field(default_factory=dict)

    def walk(self, stop: Sequence[Tensor] = ()) -> Subgraph:
        """Return the graph behind the root, down to `stop`, with its Functions recorded."""
        found = walk(self.root, stop)
        if found.custom:
            if self.recorded is None:
                self.recorded = walk(self.root)
                record_functions(self.recorded, self.recorded.leaves)
            found.copy_functions(self.recorded)
        return found

    @cached_property
    def graph(self) -> Graph | None:
        """The graph as data; None if there is no `copy`."""
        return None if self.copy is None else self.copy()

    @cached_property
    def numbers(self) -> dict[int, int]:
        """The number of each node in the graph as data, by its sequence number."""
        made = sorted({node._sequence for node in walk(self.root).nodes})
        return {sequence: place for place, sequence in enumerate(made)}

    @cached_property
    def results(self) -> dict[tuple[int, int], TensorInfo]:
        """The tensors of the graph as data, by the number of the node and the output."""
        if self.graph is None:
            return {}
        return {
            (node.sequence, i): self.graph.tensor(t)
            for node in self.graph.nodes
            for i, t in enumerate(node.outputs)
        }

    def label(self, node: Node, output: int) -> str:
        """Return the label of a result in pictures; the operation's name if there is no picture."""
        found = self.results.get((self.numbers.get(node._sequence, -1), output))
        return node.op.name if found is None else found.label

    def size(self, key: Key) -> int:
        """Return how many entries a tensor of the graph has; 1 if that is not known."""
        if isinstance(key, Tensor):
            return key.numel()
        node, output = node_and_output(key)
        found = self.results.get((self.numbers.get(node._sequence, -1), output))
        return 1 if found is None or found.value is None else prod(found.value.shape)

    def picture(self, edges: Iterable[tuple[int, int]], about: str) -> str:
        """Return the graph with some edges highlighted, as HTML; "" if there is no picture.

        edges: each a node's sequence number, and the index of the input that it leads to.
        """
        if self.graph is None or self._draw is None:
            return ""
        nodes = {node.sequence: node.id for node in self.graph.nodes}
        highlighted = [f"{nodes[self.numbers[sequence]]}.{index}" for sequence, index in edges]
        return self._draw(highlighted, about)

    @cached_property
    def _draw(self) -> Callable[[list[str], str], str] | None:
        """The function that draws paths; None for a graph that is too large for pictures."""
        pictures_of = registered("CheckedGraph.pictures")
        if self.graph is None or pictures_of is None or len(self.graph.nodes) > LARGEST_DRAWN:
            return None
        return pictures_of(self.graph)

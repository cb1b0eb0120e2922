"""The chain rule, edge by edge: every way from the root to a tensor, its product, and the sum.

    w = y + z + x, y = 3*x, z = x**2:   w <- y <- x: 3   w <- z <- x: 2*x   w <- x: 1

What comes along one way is what the rules of its nodes make of the gradient that enters; it is
worked out on symbols, one edge after another. A dozen ways are listed, all are counted.

Read next: faces/symbolic/local_derivatives.py
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import sympy

from graphlab.autograd.backward import key_of
from graphlab.autograd.node import Node
from graphlab.faces.symbolic.backward_interpretation import gradient_of, sent_by
from graphlab.faces.symbolic.budget import Unsupported
from graphlab.faces.symbolic.checked_graph import CheckedGraph, place_of
from graphlab.faces.symbolic.interpretation import Key, Subgraph, key
from graphlab.faces.symbolic.local_derivatives import LocalDerivatives
from graphlab.faces.symbolic.numeric_check import Problem
from graphlab.faces.symbolic.symbol_names import SymbolTable
from graphlab.faces.symbolic.symbolic_graph import SymbolicGraph
from graphlab.faces.symbolic.sympy_arithmetic import size_of
from graphlab.graph.paths import count_ways, list_ways
from graphlab.tensor.tensor import Tensor

MOST = 12  # ways that are listed
LARGEST = 2_000  # parts of what comes along one way
Hop = tuple[Key, Node, int]  # the result, its node, and which of the node's inputs


@dataclass(frozen=True, slots=True)
class Step:
    """One edge of a way: from a result back to one of the tensors that it was made from.

    local: the derivative of one by the other in the names of the tensors, None where it is not one
    formula. entrywise: of tensors, of which each entry depends on one entry.
    """

    op: str
    edge: tuple[int, int]  # the node's sequence number, and which of its next_functions
    local: Any
    entrywise: bool
    tex: tuple[str, str]  # how the result and the input are set


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """One way from the root to the tensor.

    names: of the tensors on the way. product: what comes along it, in terms of the leaves: an
    expression, or an array of them; None where that would be too long.
    """

    names: tuple[str, ...]
    steps: tuple[Step, ...]
    product: Any

    @property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """The edges: a node's sequence number, and which of its next_functions."""
        return tuple(step.edge for step in self.steps)

    def __str__(self) -> str:
        return " <- ".join(self.names)


@dataclass(frozen=True, slots=True, eq=False)
class Chain:
    """The chain rule for one tensor: `chain.count`, `chain.paths`, `chain.total`, `chain.latex()`.

    paths: the first dozen. total: the sum over all ways, as the rules make it. symbols: how each
    is set; tex: how `of` and `by` are. note: why there are no products, where there are none.
    picture: makes the graph with some edges lit, as HTML.
    """

    of: str
    by: str
    count: int
    paths: tuple[Path, ...]
    total: Any
    symbols: Mapping[Any, str]
    tex: tuple[str, str]
    note: str = ""
    picture: Callable[[Any, str], str] | None = None

    def __iter__(self) -> Iterator[Path]:
        return iter(self.paths)

    def latex(self) -> str:
        """The sum over the ways, in symbols and then worked out, as LaTeX."""
        from graphlab.faces.symbolic.chain_rule_table import chain_latex

        return chain_latex(self)

    def __repr__(self) -> str:
        from graphlab.faces.symbolic.chain_rule_table import chain_text

        return chain_text(self)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text("Chain(...)" if cycle else repr(self))

    def _repr_html_(self) -> str:
        from graphlab.faces.symbolic.chain_rule_table import chain_html

        return chain_html(self)


def chain_of(checked: CheckedGraph, tensor: Tensor, total: Any = None) -> Chain:
    """The chain rule from the root to `tensor`. total: the sum, where it is known already."""
    graph = checked.walk(stop=[tensor] if tensor._node is not None else [])
    goal, local = key_of(tensor), LocalDerivatives(checked)
    order = [result for node in graph.nodes for result in results_of(node)]
    ways = count_ways(order, hops_from, goal)
    listed = list(islice(list_ways(graph.root, hops_from, goal, ways), MOST))
    count, note = ways.get(graph.root, 0), ""
    products: list[Any] = [None] * len(listed)
    symbols: dict[Any, str] = {}
    try:
        products, symbols = products_of(checked, graph, tensor, listed)
    except Unsupported as reason:
        note = str(reason)
    if total is None and products and count == len(listed) and all(p is not None for p in products):
        total = sum(products[1:], products[0])
    paths = [
        path_of(way, goal, product, local) for way, product in zip(listed, products, strict=True)
    ]
    set_as = (local.tex(graph.root), local.tex(goal))
    return Chain(
        local.name(graph.root), local.name(goal), count, tuple(paths), total,
        {**local.table.latex, **symbols}, set_as, note, checked.picture,
    )  # fmt: skip


def results_of(node: Node) -> list[Key]:
    """What a node made, by the keys under which edges lead to it."""
    if not node.many:
        return [node]
    return [node, *((node, i) for i in range(len((node._extra or {})["outputs"])))]


def hops_from(result: Key) -> Sequence[tuple[Hop, Key]]:
    """The edges from a result to the tensors that it was made from; none from a leaf."""
    if isinstance(result, Tensor):
        return ()
    node, _ = place_of(result)
    return [((result, node, i), key(edge)) for i, edge in enumerate(node._next) if edge is not None]


def path_of(way: Sequence[Hop], goal: Key, product: Any, local: LocalDerivatives) -> Path:
    """A way in names, with the derivative of each step."""
    places = [*(result for result, _, _ in way), goal]
    steps = []
    for (result, node, index), by in zip(way, places[1:], strict=True):
        slope = local.slope(node, index)
        several = max(local.checked.size(result), local.checked.size(by)) > 1
        set_as = (local.tex(result), local.tex(by))
        steps.append(Step(node.name(), (node._sequence, index), slope, several, set_as))
    return Path(tuple(map(local.name, places)), tuple(steps), product)


def products_of(
    checked: CheckedGraph, graph: Subgraph, tensor: Tensor, ways: Sequence[Sequence[Hop]]
) -> tuple[list[Any], dict[Any, str]]:
    """What comes along each way, in terms of the leaves, and how their symbols are set.

    Raises: Unsupported when there are no formulas.
    """
    formulas, latex = reading_of(checked, graph, tensor)
    memo = {(): formulas.entries.constant(checked.gradient)}
    return [along(way, formulas, memo, tensor) for way in ways], latex


def reading_of(
    checked: CheckedGraph, graph: Subgraph, tensor: Tensor
) -> tuple[SymbolicGraph, dict[Any, str]]:
    """The graph on symbols, `tensor` one of them; the same for all leaves. Raises: Unsupported."""
    if tensor._node is not None:
        return read_symbols(checked, graph, (*graph.leaves, tensor))
    checked.reading = checked.reading or read_symbols(checked, graph, graph.leaves)
    return checked.reading


def read_symbols(
    checked: CheckedGraph, graph: Subgraph, given: Sequence[Tensor]
) -> tuple[SymbolicGraph, dict[Any, str]]:
    """The graph on symbols, and how they are set. Raises: Unsupported."""
    table = SymbolTable()
    problem = Problem(graph, tuple(given), checked.gradient, assumed=checked.assumed)
    return SymbolicGraph(problem, checked.named, table), table.latex


def along(way: Sequence[Hop], formulas: SymbolicGraph, memo: Any, tensor: Tensor) -> Any:
    """The gradient that comes along one way; None where it is too long. memo: of its beginnings."""
    values, entries = formulas.values, formulas.entries
    for length in range(1, len(way) + 1):
        if way[:length] in memo:
            continue
        result, node, index = way[length - 1]
        upstream = memo[way[: length - 1]]
        if upstream is None:
            return None
        grad = gradient_of(node, {result: upstream}, entries)
        found = sent_by(formulas.graph, node, values, grad, entries, formulas.budget)[index]
        formulas.budget.take(int(np.size(found)))
        memo[way[:length]] = None if found is None or too_long(found, formulas) else found
    made = memo[tuple(way)]
    if made is None:
        return None
    flat = [formulas.shown(sympy.sympify(entry)) for entry in np.asarray(made, object).flat]
    return flat[0] if tensor.numel() == 1 else sympy.Array(flat, tuple(tensor.shape))


def too_long(data: Any, formulas: SymbolicGraph) -> bool:
    """Whether expressions have grown too large to go on with."""
    entries = [x for x in np.asarray(data, object).flat if isinstance(x, sympy.Basic)]
    return sum(size_of(entry, formulas.sizes) for entry in entries) > LARGEST

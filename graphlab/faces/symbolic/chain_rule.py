"""The chain rule, edge by edge: every path from the root to a tensor, its product, and the sum.

    w = y + z + x, y = 3*x, z = x**2:   w <- y <- x: 3   w <- z <- x: 2*x   w <- x: 1

The product along a path is calculated on symbols: beginning with the gradient that enters at the
root, each node's rule is applied, edge by edge. At most 12 paths are listed; all are counted:
forty diamonds in a chain have 1,099,511,627,776, which takes forty additions.

Read next: faces/symbolic/local_derivatives.py
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

import numpy as np
import sympy

from graphlab.faces.symbolic.backward_interpretation import gradient_of, sent_by
from graphlab.faces.symbolic.budget import Unsupported, size_of
from graphlab.faces.symbolic.chain_rule_table import Chain, Path, Step
from graphlab.faces.symbolic.formula import entries_of
from graphlab.faces.symbolic.live_graph import (
    Key,
    Node,
    Subgraph,
    Tensor,
    key,
    key_of,
    node_and_output,
    results_of,
)
from graphlab.faces.symbolic.local_derivatives import LocalDerivatives
from graphlab.faces.symbolic.problem import CheckedGraph, Problem
from graphlab.faces.symbolic.symbol_names import SymbolTable
from graphlab.faces.symbolic.symbolic_graph import SymbolicGraph

MOST = 12  # the most paths that are listed
LARGEST = 2_000  # operations in the product along one path
Hop = tuple[Key, Node, int]  # the result, its node, and which of the node's inputs
Place = TypeVar("Place", bound=Hashable)
Edge = TypeVar("Edge")
Edges = Callable[[Place], Sequence[tuple[Edge, Place]]]  # edges from a place


def chain_of(checked: CheckedGraph, tensor: Tensor, total: Any = None) -> Chain:
    """Return the chain rule from the root to `tensor`. total: the sum, if it is already known."""
    graph = checked.walk(stop=[tensor] if tensor._node is not None else [])
    goal, local = key_of(tensor), LocalDerivatives(checked)
    order = [result for node in graph.nodes for result in results_of(node)]
    routes = count_paths(order, hops_from, goal)
    listed = list(islice(list_paths(graph.root, hops_from, goal, routes), MOST))
    count, note = routes.get(graph.root, 0), ""
    products: list[Any] = [None] * len(listed)
    symbols: dict[Any, str] = {}
    try:
        products, symbols = products_of(checked, graph, tensor, listed)
    except Unsupported as reason:
        note = str(reason)
    if total is None and products and count == len(listed) and all(p is not None for p in products):
        total = sum(products[1:], products[0])
    paths = [
        path_of(route, goal, product, local)
        for route, product in zip(listed, products, strict=True)
    ]
    set_as = (local.tex(graph.root), local.tex(goal))
    return Chain(
        local.name(graph.root), local.name(goal), count, tuple(paths), total,
        {**local.table.latex, **symbols}, set_as, note, checked.picture,
    )  # fmt: skip


def hops_from(result: Key) -> Sequence[tuple[Hop, Key]]:
    """Return the edges from a result to the tensors that it was made from; none for a leaf."""
    if isinstance(result, Tensor):
        return ()
    node, _ = node_and_output(result)
    return [((result, node, i), key(edge)) for i, edge in enumerate(node._next) if edge is not None]


def path_of(route: Sequence[Hop], goal: Key, product: Any, local: LocalDerivatives) -> Path:
    """Return a path with the names of its tensors and the derivative of each step."""
    places = [*(result for result, _, _ in route), goal]
    steps = []
    for (result, node, index), by in zip(route, places[1:], strict=True):
        slope = local.slope(node, index)
        several = max(local.checked.size(result), local.checked.size(by)) > 1
        set_as = (local.tex(result), local.tex(by))
        steps.append(Step(node.name(), (node._sequence, index), slope, several, set_as))
    return Path(tuple(map(local.name, places)), tuple(steps), product)


def products_of(
    checked: CheckedGraph, graph: Subgraph, tensor: Tensor, routes: Sequence[Sequence[Hop]]
) -> tuple[list[Any], dict[Any, str]]:
    """Return the product along each path in terms of the leaves, and their symbols in LaTeX.

    Raises: Unsupported if there are no formulas.
    """
    formulas, latex = symbols_of_graph(checked, graph, tensor)
    memo = {(): formulas.entries.constant(checked.gradient)}
    return [along(route, formulas, memo, tensor) for route in routes], latex


def symbols_of_graph(
    checked: CheckedGraph, graph: Subgraph, tensor: Tensor
) -> tuple[SymbolicGraph, dict[Any, str]]:
    """Return the graph on symbols, one for all leaves, and their LaTeX. Raises: Unsupported."""
    if tensor._node is not None:
        return new_symbols(checked, graph, (*graph.leaves, tensor))
    checked.symbolic = checked.symbolic or new_symbols(checked, graph, graph.leaves)
    return checked.symbolic


def symbols_of_row(checked: CheckedGraph, tensor: Tensor) -> tuple[dict[Any, Any], ...]:
    """Return the LaTeX, the entries and the values of the symbols in a row's formula.

    They are {} without a formula.
    """
    graph = checked.walk(stop=[tensor] if tensor._node is not None else [])
    try:
        formulas, latex = symbols_of_graph(checked, graph, tensor)
    except Unsupported:
        return {}, {}, {}
    return latex, entries_of(formulas.symbols, checked.named), formulas.arithmetic.point


def new_symbols(
    checked: CheckedGraph, graph: Subgraph, given: Sequence[Tensor]
) -> tuple[SymbolicGraph, dict[Any, str]]:
    """Run the graph on new symbols; return it and the symbols in LaTeX. Raises: Unsupported."""
    table = SymbolTable()
    problem = Problem(graph, tuple(given), checked.gradient, assumed=checked.assumed)
    return SymbolicGraph(problem, checked.named, table), table.latex


def along(route: Sequence[Hop], formulas: SymbolicGraph, memo: Any, tensor: Tensor) -> Any:
    """Return the product along a path, None if too long. memo: products by a path's first edges."""
    values, entries = formulas.values, formulas.entries
    for length in range(1, len(route) + 1):
        if route[:length] in memo:
            continue
        result, node, index = route[length - 1]
        upstream = memo[route[: length - 1]]
        if upstream is None:
            return None
        grad = gradient_of(node, {result: upstream}, entries)
        found = sent_by(formulas.graph, node, values, grad, entries, formulas.budget)[index]
        formulas.budget.take(int(np.size(found)))
        memo[route[:length]] = None if found is None or too_long(found, formulas) else found
    made = memo[tuple(route)]
    if made is None or not tensor.numel():
        return None
    flat = [formulas.shown(sympy.sympify(entry)) for entry in np.asarray(made, object).flat]
    return flat[0] if tensor.numel() == 1 else sympy.Array(flat, tuple(tensor.shape))


def too_long(data: Any, formulas: SymbolicGraph) -> bool:
    """Return whether the expressions are too large to continue with."""
    entries = [x for x in np.asarray(data, object).flat if isinstance(x, sympy.Basic)]
    return sum(size_of(entry, formulas.sizes) for entry in entries) > LARGEST


def count_paths(
    places: Iterable[Place], edges: Edges[Place, Edge], goal: Place
) -> dict[Place, int]:
    """The number of paths from each place to `goal`; a place without a path is left out.

    places: sorted so that each follows the targets of its edges. Two edges between the same places
    are two paths.

    >>> diamonds = {k: [("left", k - 1), ("right", k - 1)] for k in range(1, 41)}
    >>> count_paths(diamonds, diamonds.__getitem__, 0)[40]
    1099511627776
    """
    counts = {goal: 1}
    for place in places:
        count = sum(counts.get(target, 0) for _, target in edges(place))
        if count:
            counts.setdefault(place, count)
    return counts


def list_paths(
    root: Place, edges: Edges[Place, Edge], goal: Place, counts: dict[Place, int]
) -> Iterator[tuple[Edge, ...]]:
    """The paths from `root` to `goal`, each as a tuple of edges; `counts` is from `count_paths`.

    >>> edges = {"w": [(0, "y"), (1, "x")], "y": [(2, "x")], "x": []}
    >>> counts = count_paths(["x", "y", "w"], edges.__getitem__, "x")
    >>> list(list_paths("w", edges.__getitem__, "x", counts))
    [(0, 2), (1,)]
    """
    if root not in counts:
        return
    goals = {goal}  # a set compares by identity first; == of tensors compares entry by entry
    if root in goals:
        yield ()
        return
    taken: list[Edge] = []
    stack = [iter(edges(root))]
    while stack:
        for edge, target in stack[-1]:
            if target in goals:
                yield (*taken, edge)
            elif target in counts:
                taken.append(edge)
                stack.append(iter(edges(target)))
                break
        else:
            stack.pop()
            if taken:
                taken.pop()

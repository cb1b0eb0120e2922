"""All first or all second derivatives: the Jacobian and the Hessian, as formulas.

    report.jacobian()    a row for each entry of the root, a column for each entry of a leaf
    report.hessian()     the second derivatives of a root of one entry, a symmetric matrix

Autograd's own numbers stand beside them. They take one backward pass for each row; for the Hessian
it goes through the backward pass, as with `create_graph=True`.

Read next: faces/symbolic/jacobian_table.py
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sympy

from graphlab.faces.symbolic.budget import Unsupported
from graphlab.faces.symbolic.chain_rule import symbols_of_graph
from graphlab.faces.symbolic.checked_graph import CheckedGraph
from graphlab.faces.symbolic.formula_code import Entry, entries_of, numpy_code, sympy_code
from graphlab.faces.symbolic.live_graph import (
    Subgraph,
    Tensor,
    engine_gradients,
    is_freed,
    unchanged,
    wrap,
)
from graphlab.faces.symbolic.live_graph import grad as gradient_of
from graphlab.faces.symbolic.object_arrays import places
from graphlab.faces.symbolic.symbol_names import entry_name, tex_name
from graphlab.faces.symbolic.symbolic_graph import SymbolicGraph

MOST = 400  # derivatives in one matrix


@dataclass(frozen=True, slots=True, eq=False)
class Derivatives:
    """A matrix of derivatives: `.formula`, `.value`, `.autograd_value`, `.latex()`.

    formula: a SymPy matrix. value: its current values. autograd_value: what autograd gives; None
    for a freed graph. rows, columns: the names of what is differentiated, and by what.
    """

    title: str  # "Jacobian"
    formula: Any
    value: np.ndarray
    autograd_value: np.ndarray | None
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    rows_tex: tuple[str, ...] = ()
    columns_tex: tuple[str, ...] = ()
    symbols: Mapping[Any, str] = field(default_factory=dict)
    entries: Mapping[Any, Entry] = field(default_factory=dict)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.formula.shape

    @property
    def difference(self) -> float:
        """The largest difference between the formulas' values and autograd's; nan if unknown."""
        if self.autograd_value is None or not self.value.size:
            return float("nan")
        with np.errstate(invalid="ignore"):  # infinite on both sides
            return float(np.max(np.abs(self.value - self.autograd_value)))

    def latex(self) -> str:
        """The matrix as LaTeX."""
        from graphlab.faces.symbolic.jacobian_table import matrix_latex

        return matrix_latex(self)

    def sympy_code(self) -> str:
        """Lines of Python that make the matrix in SymPy. Raises: ValueError."""
        return sympy_code(sympy.Array(self.formula))

    def numpy_code(self) -> str:
        """A function in NumPy that gives the numbers. Raises: ValueError."""
        return numpy_code(sympy.Array(self.formula), self.entries)

    def __repr__(self) -> str:
        from graphlab.faces.symbolic.jacobian_table import matrix_text

        return matrix_text(self)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text("Derivatives(...)" if cycle else repr(self))

    def _repr_html_(self) -> str:
        from graphlab.faces.symbolic.jacobian_table import matrix_html

        return matrix_html(self)


def jacobian_of(checked: CheckedGraph, tensors: Sequence[Tensor]) -> Derivatives:
    """Every entry of the root by every entry of `tensors`, which are leaves.

    Raises: ValueError when there is no formula, or there are too many derivatives.
    """
    graph, formulas, latex, symbols = prepared(checked, tensors, checked.root.numel())
    data = np.asarray(formulas.values[graph.root], object)
    found = [[sympy.diff(one, s) for s in symbols] for one in data.flat]
    numbers = None
    if not is_freed(graph):
        passes = [one_hot(checked.root, k) for k in range(checked.root.numel())]
        grads = [engine_gradients(checked.root, one, graph.nodes, tensors) for one in passes]
        numbers = np.array([np.concatenate([np.ravel(g[t]) for t in tensors]) for g in grads])
    shape = tuple(checked.root.shape)
    indices = places(shape) if checked.root.numel() > 1 else [()]
    name = checked.name or "f"
    return made_of(
        "Jacobian", found, numbers, formulas, latex, symbols,
        tuple(entry_name(name, i) for i in indices), tuple(tex_name(name, i) for i in indices),
        checked,
    )  # fmt: skip


def hessian_of(checked: CheckedGraph, tensors: Sequence[Tensor]) -> Derivatives:
    """The second derivatives of a root of one entry by the entries of `tensors`, which are leaves.

    Raises: ValueError for a root of several entries; as for the Jacobian.
    """
    if checked.root.numel() != 1:
        raise ValueError(
            f"the Hessian is that of one number, and this tensor has {checked.root.numel()} "
            "entries: ask for that of a sum, or for report.jacobian()"
        )
    count = sum(t.numel() for t in tensors)
    graph, formulas, latex, symbols = prepared(checked, tensors, count)
    total = np.ravel(np.asarray(formulas.values[graph.root], object))[0]
    first = [sympy.diff(total, s) for s in symbols]
    found = [[sympy.diff(one, s) for s in symbols] for one in first]
    numbers = None if is_freed(graph) else second_gradients(checked.root, graph, tensors)
    rows = tuple(symbol.name for symbol in symbols)
    rows_tex = tuple(latex[symbol] for symbol in symbols)
    return made_of("Hessian", found, numbers, formulas, latex, symbols, rows, rows_tex, checked)


def prepared(
    checked: CheckedGraph, tensors: Sequence[Tensor], rows: int
) -> tuple[Subgraph, SymbolicGraph, Mapping[Any, str], list[Any]]:
    """The graph on symbols, and the symbols of the tensors. Raises: ValueError."""
    columns = sum(t.numel() for t in tensors)
    if rows * columns > MOST:
        raise ValueError(
            f"{rows} × {columns} derivatives are more than the {MOST} that are written out: ask "
            "for fewer tensors, as in report.jacobian(wrt=[w])"
        )
    graph = checked.walk()
    try:
        formulas, latex = symbols_of_graph(checked, graph, tensors[0])
    except Unsupported as reason:
        raise ValueError(f"there is no formula to differentiate: {reason}") from None
    data = [np.asarray(formulas.symbols[t], object) for t in tensors]
    return graph, formulas, latex, [s for one in data for s in one.flat]


def made_of(
    title: str,
    found: list[list[Any]],
    numbers: np.ndarray | None,
    formulas: SymbolicGraph,
    latex: Mapping[Any, str],
    symbols: list[Any],
    rows: tuple[str, ...],
    rows_tex: tuple[str, ...],
    checked: CheckedGraph,
) -> Derivatives:
    """The matrix, with its switches written out and its values."""
    value = np.array([[formulas.value(one) for one in row] for row in found], float)
    shown = sympy.ImmutableMatrix([[formulas.shown(one) for one in row] for row in found])
    columns = tuple(symbol.name for symbol in symbols)
    columns_tex = tuple(latex[symbol] for symbol in symbols)
    return Derivatives(
        title, shown, value, numbers, rows, columns, rows_tex, columns_tex, latex,
        entries_of(formulas.symbols, checked.named),
    )  # fmt: skip


def one_hot(root: Tensor, place: int) -> Tensor:
    """The incoming gradient that selects one entry of the root."""
    data = np.zeros(root.numel(), root._data.dtype)
    data[place] = 1
    return wrap(data.reshape(tuple(root.shape))[()], False, None)


def second_gradients(root: Tensor, graph: Subgraph, tensors: Sequence[Tensor]) -> np.ndarray:
    """Autograd's Hessian: each first derivative is differentiated again."""

    def flat(gradients: Sequence[Tensor | None]) -> np.ndarray:
        pairs = zip(tensors, gradients, strict=True)
        return np.concatenate(
            [np.zeros(t.numel()) if g is None else np.ravel(g._data) for t, g in pairs]
        )

    none = [None] * len(tensors)
    rows = []
    with unchanged(graph.nodes):
        first = gradient_of(root, tensors, create_graph=True, allow_unused=True)
        for tensor, one in zip(tensors, first, strict=True):
            for k in range(tensor.numel()):
                constant = one is None or not one.requires_grad
                rows.append(
                    flat(
                        none
                        if constant
                        else gradient_of(
                            one.reshape(-1)[k], tensors, retain_graph=True, allow_unused=True
                        )
                    )
                )
    return np.array(rows, float)

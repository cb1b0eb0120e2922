"""All first or all second derivatives: the Jacobian and the Hessian, as formulas.

    report.jacobian()    a row for each entry of the root, a column for each entry of a leaf
    report.hessian()     the second derivatives of a root of one entry, a symmetric matrix

Autograd's own numbers are shown beside them, from one backward pass for each row; for the Hessian,
each goes through the recorded first backward pass (`create_graph=True`).

Read next: faces/symbolic/report_table.py
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sympy

from graphlab.common.notebook import printable
from graphlab.faces.symbolic.budget import Unsupported
from graphlab.faces.symbolic.chain_rule import symbols_of_graph
from graphlab.faces.symbolic.formula import Entry, entries_of, numpy_code, sympy_code
from graphlab.faces.symbolic.html_elements import (
    CELL,
    CODE,
    MUTED,
    PLAIN,
    aligned,
    copies,
    element,
    escaped,
    formula_text,
    mathematics,
    number,
    operations,
    table,
    whole,
)
from graphlab.faces.symbolic.live_graph import Tensor, engine_gradients, is_freed, unchanged, wrap
from graphlab.faces.symbolic.live_graph import grad as gradient_of
from graphlab.faces.symbolic.local_derivatives import set_by
from graphlab.faces.symbolic.problem import CheckedGraph
from graphlab.faces.symbolic.symbol_names import entry_name, tex_name
from graphlab.faces.symbolic.symbolic_graph import SymbolicGraph, derivative_of
from graphlab.primitives.sympy_reading.object_arrays import places

MOST = 400  # the most derivatives in one matrix
LONGEST = 40  # operations: a longer derivative is not shown in full


@dataclass(frozen=True, slots=True, eq=False)
class Derivatives:
    """A matrix of derivatives: `.formula`, `.value`, `.autograd_value`, `.latex()`.

    formula: a SymPy matrix. value: its current values. autograd_value: autograd's numbers; None
    for a freed graph. rows, columns: the names of what is differentiated, and with respect to what.
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
        """The largest difference between the formulas' values and autograd's; NaN if unknown."""
        if self.autograd_value is None or not self.value.size:
            return float("nan")
        with np.errstate(invalid="ignore"):  # infinite on both sides
            return float(np.max(np.abs(self.value - self.autograd_value)))

    def latex(self) -> str:
        """Return the matrix as LaTeX."""
        return set_by(self.formula, self.symbols)

    def sympy_code(self) -> str:
        """Return code that makes the matrix in SymPy. Raises: ValueError."""
        return sympy_code(sympy.Array(self.formula))

    def numpy_code(self) -> str:
        """Return the code of a NumPy function that computes the numbers. Raises: ValueError."""
        return numpy_code(sympy.Array(self.formula), self.entries)

    def __repr__(self) -> str:
        return matrix_text(self)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text("Derivatives(...)" if cycle else repr(self))

    def _repr_html_(self) -> str:
        return matrix_html(self)


def jacobian_of(checked: CheckedGraph, tensors: Sequence[Tensor]) -> Derivatives:
    """Differentiate the entries of the root by those of `tensors`, leaves. Raises: ValueError."""
    root, name = checked.root, checked.name or "f"
    formulas, latex, symbols = prepared(checked, tensors, root.numel())
    indices = places(tuple(root.shape)) if root.numel() > 1 else [()]
    rows = {entry_name(name, i): tex_name(name, i) for i in indices}
    numbers = None if is_freed(formulas.graph) else first_gradients(root, formulas, tensors)
    return derivatives(
        "Jacobian", checked, formulas, latex, symbols, values_of(formulas), rows, numbers
    )


def hessian_of(checked: CheckedGraph, tensors: Sequence[Tensor]) -> Derivatives:
    """Differentiate a root of one entry twice. Raises: ValueError, also for several entries."""
    root = checked.root
    if root.numel() != 1:
        raise ValueError(
            f"a Hessian needs a function with one value, but this tensor has {root.numel()} "
            "entries: check a sum, or use report.jacobian()"
        )
    formulas, latex, symbols = prepared(checked, tensors, sum(t.numel() for t in tensors))
    (total,) = values_of(formulas)
    first = [derivative_of(total, symbol) for symbol in symbols]
    rows = {symbol.name: latex[symbol] for symbol in symbols}
    numbers = None if is_freed(formulas.graph) else second_gradients(root, formulas, tensors)
    return derivatives("Hessian", checked, formulas, latex, symbols, first, rows, numbers)


def prepared(
    checked: CheckedGraph, tensors: Sequence[Tensor], rows: int
) -> tuple[SymbolicGraph, Mapping[Any, str], list[Any]]:
    """Return the graph on symbols, their LaTeX, and the tensors' symbols. Raises: ValueError."""
    columns = sum(t.numel() for t in tensors)
    if rows * columns > MOST:
        raise ValueError(
            f"{rows * columns:,} derivatives are too many, at most {MOST} are written out: choose "
            "fewer tensors, as in report.jacobian(wrt=[w])"
        )
    try:
        formulas, latex = symbols_of_graph(checked, checked.walk(), tensors[0])
    except Unsupported as reason:
        raise ValueError(f"there is no formula to differentiate: {reason}") from None
    return formulas, latex, [s for t in tensors for s in np.ravel(formulas.symbols[t])]


def values_of(formulas: SymbolicGraph) -> list[Any]:
    """Return the entries of the root as formulas."""
    return list(np.asarray(formulas.values[formulas.graph.root], object).flat)


def derivatives(
    title: str,
    checked: CheckedGraph,
    formulas: SymbolicGraph,
    latex: Mapping[Any, str],
    symbols: list[Any],
    differentiated: list[Any],
    rows: Mapping[str, str],
    numbers: np.ndarray | None,
) -> Derivatives:
    """Return the matrix of the derivatives of some formulas. rows: their names, with the LaTeX."""
    found = [[derivative_of(one, s) for s in symbols] for one in differentiated]
    value = np.array([[formulas.value(one) for one in row] for row in found], float)
    shown = sympy.ImmutableMatrix([[formulas.shown(one) for one in row] for row in found])
    columns = {s.name: latex[s] for s in symbols}
    return Derivatives(
        title, shown, value, numbers, tuple(rows), tuple(columns), tuple(rows.values()),
        tuple(columns.values()), latex, entries_of(formulas.symbols, checked.named),
    )  # fmt: skip


def first_gradients(root: Tensor, formulas: SymbolicGraph, tensors: Sequence[Tensor]) -> np.ndarray:
    """Return autograd's Jacobian: one backward pass for each entry of the root."""
    rows = []
    for one in np.eye(root.numel(), dtype=root._data.dtype):
        entering = wrap(one.reshape(tuple(root.shape))[()], False, None)
        found = engine_gradients(root, entering, formulas.graph.nodes, tensors)
        rows.append(np.concatenate([np.ravel(found[t]) for t in tensors]))
    return np.array(rows)


def second_gradients(
    root: Tensor, formulas: SymbolicGraph, tensors: Sequence[Tensor]
) -> np.ndarray:
    """Return autograd's Hessian: each first derivative is differentiated again."""

    def row(entry: Tensor) -> np.ndarray:
        found: Any = [None] * len(tensors)
        if entry.requires_grad:
            found = gradient_of(entry, tensors, retain_graph=True, allow_unused=True)
        pairs = zip(tensors, found, strict=True)
        return np.concatenate(
            [np.zeros(t.numel()) if g is None else np.ravel(g._data) for t, g in pairs]
        )

    with unchanged(formulas.graph.nodes):
        first = gradient_of(root, tensors, create_graph=True, allow_unused=True)
        given = [t * 0 if g is None else g for t, g in zip(tensors, first, strict=True)]
        return np.array([row(entry) for g in given for entry in g.reshape(-1)], float)


# -- as text, as LaTeX, and as a table for a notebook ----------------------------------------------


def compared(d: Derivatives) -> str:
    """Say in one sentence how far autograd's numbers are from these."""
    if d.autograd_value is None:
        return "the graph was freed, so there are no numbers of autograd's to compare with"
    if not np.isfinite(d.difference):
        return "some values are not finite"
    if d.difference == 0:
        return "autograd gives exactly these values"
    return f"autograd gives these values, within {d.difference:.1g}"


def matrix_text(d: Derivatives) -> str:
    """Return the formulas in aligned columns."""
    head = ["", *d.columns]
    body = [
        [row, *(formula_text(d.formula[i, j]) for j in range(d.shape[1]))]
        for i, row in enumerate(d.rows)
    ]
    text = [f"{d.title}, shape {d.shape}", "", *aligned([head, *body]), "", compared(d)]
    return "\n".join(printable(line) for line in text)


def matrix_html(d: Derivatives) -> str:
    """Return a table of derivatives, each with its value below it."""
    heads = "".join(element("th", mathematics(tex), CELL, scope="col") for tex in d.columns_tex)
    rows = []
    for i, tex in enumerate(d.rows_tex):
        cells = [element("th", mathematics(tex), CELL, scope="row")]
        for j in range(d.shape[1]):
            value = element("div", element("code", escaped(number(d.value[i, j])), CODE), MUTED)
            cells.append(element("td", shown(d, i, j) + value, CELL))
        rows.append(element("tr", "".join(cells), "background:none"))
    body = table(element("td", "", CELL) + heads, "".join(rows))
    title = escaped(f"{d.title}, shape {d.shape}")
    title = element("p", title, "margin:.3em 0 .6em;font-weight:600")
    foot = element("p", escaped(compared(d)), f"{MUTED};margin:.6em 0 0", class_=PLAIN)
    return whole(title + body + foot + copies(d), ";overflow-x:auto")


def shown(d: Derivatives, i: int, j: int) -> str:
    """Return one derivative, or its size if it is long."""
    size = operations(d.formula[i, j])
    if size > LONGEST:
        return element("span", f"a formula of {size} parts", MUTED)
    return mathematics(set_by(d.formula[i, j], d.symbols))

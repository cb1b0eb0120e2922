"""The derivative of a row, written to be copied: LaTeX, SymPy, NumPy.

Read next: faces/symbolic/formula_code.py
"""

from collections.abc import Mapping
from typing import Any

from graphlab.faces.symbolic.budget import Unsupported
from graphlab.faces.symbolic.chain_rule import reading_of
from graphlab.faces.symbolic.formula_code import Entry, entries_of, numpy_code, sympy_code
from graphlab.faces.symbolic.interpretation import walk
from graphlab.faces.symbolic.local_derivatives import set_by
from graphlab.faces.symbolic.report import Row
from graphlab.faces.symbolic.symbol_names import tex_name


def reading(row: Row) -> tuple[Mapping[Any, str], Mapping[Any, Entry]]:
    """How the symbols of a row are set, and which entries they stand for."""
    if row.checked is None:
        return {}, {}
    checked, tensor = row.checked
    graph = walk(checked.root, stop=[tensor] if tensor._node is not None else [])
    try:
        formulas, latex = reading_of(checked, graph, tensor)
    except Unsupported:
        return {}, {}
    return latex, entries_of(formulas.symbols, checked.named)


def formula_of(row: Row) -> Any:
    """The derivative. Raises: ValueError when there is none."""
    if row.formula is None:
        raise ValueError(f"there is no formula for {row.name}: {row.note}")
    return row.formula


def left_of(row: Row) -> str:
    """∂e/∂a, in LaTeX."""
    of = tex_name(row.checked[0].name) if row.checked is not None and row.checked[0].name else ""
    return rf"\frac{{\partial {of}}}{{\partial {tex_name(row.name)}}}"


def row_latex(row: Row) -> str:
    """The derivative as an equation."""
    return f"{left_of(row)} = {set_by(formula_of(row), reading(row)[0])}"


def row_sympy(row: Row) -> str:
    """Lines of Python that make the derivative in SymPy."""
    return sympy_code(formula_of(row))


def row_numpy(row: Row) -> str:
    """A function of the tensors, in NumPy, that gives the derivative's values."""
    return numpy_code(formula_of(row), reading(row)[1])

"""A Jacobian or a Hessian as text, as LaTeX, and as a table for a notebook.

Read next: faces/symbolic/report_table.py
"""

from typing import TYPE_CHECKING

import numpy as np

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
    printable,
    table,
    whole,
)
from graphlab.faces.symbolic.local_derivatives import set_by

if TYPE_CHECKING:
    from graphlab.faces.symbolic.jacobian import Derivatives

LONGEST = 40  # operations: a longer derivative is not shown in full


def compared(d: "Derivatives") -> str:
    """Say in one sentence how far autograd's numbers are from these."""
    if d.autograd_value is None:
        return "the graph was freed, so there are no numbers of autograd's to compare with"
    if not np.isfinite(d.difference):
        return "some values are not finite"
    if d.difference == 0:
        return "autograd gives exactly these values"
    return f"autograd gives these values, within {d.difference:.1g}"


def matrix_text(d: "Derivatives") -> str:
    """Return the formulas in aligned columns."""
    head = ["", *d.columns]
    body = [
        [row, *(formula_text(d.formula[i, j]) for j in range(d.shape[1]))]
        for i, row in enumerate(d.rows)
    ]
    text = [f"{d.title}, shape {d.shape}", "", *aligned([head, *body]), "", compared(d)]
    return "\n".join(printable(line) for line in text)


def matrix_latex(d: "Derivatives") -> str:
    """Return the matrix in LaTeX."""
    return set_by(d.formula, d.symbols)


def matrix_html(d: "Derivatives") -> str:
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


def shown(d: "Derivatives", i: int, j: int) -> str:
    """Return one derivative, or its size if it is long."""
    size = operations(d.formula[i, j])
    if size > LONGEST:
        return element("span", f"a formula of {size} parts", MUTED)
    return mathematics(set_by(d.formula[i, j], d.symbols))

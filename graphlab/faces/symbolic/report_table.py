"""A report as a table: aligned text for a terminal, mathematics for a notebook.

The HTML has no style sheet and no script. Its colours are those of the notebook's theme, with
inherited ones elsewhere; formulas are LaTeX between dollar signs, which JupyterLab and nbconvert
typeset. What a user named is escaped, for HTML and for LaTeX.

Read next: faces/symbolic/formula.py
"""

import html
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import sympy

from graphlab.faces.symbolic.budget import Clock, TimeIsUp, within
from graphlab.faces.symbolic.local_derivatives import set_by
from graphlab.faces.symbolic.report import Report, Row, worst
from graphlab.faces.symbolic.symbol_names import tex_name
from graphlab.faces.symbolic.sympy_arithmetic import size_of

ICONS = {"proved": "✓", "agrees": "≈", "undecided": "?", "disagrees": "✗"}
ACCENTS = {  # a colour that reads on white and on black
    "proved": "#1f9d55", "agrees": "#2f7fd1", "undecided": "#b7791f", "disagrees": "#d64545",
}  # fmt: skip
LONGEST = 60  # operations in a formula that is shown in full
LARGEST = 1500  # operations in a formula that is written out at all, to be copied
SECONDS = 3.0  # that a table may take for what stands beside the formulas
LONGEST_CODE = 6000  # characters of it
WIDEST = 44  # characters of a formula in the text table
LONGEST_NAME = 40  # characters of a name there
MOST_PICTURES = 12  # of ways through the graph, in one report


def number(value: Any) -> str:
    """A value as text: 2.30259, or the entries of a small array.

    >>> number(-0.0), number(np.array([[1.0, 0.25]])), number(np.ones((30, 20)))
    ('0', '[[1, 0.25]]', '30×20 entries')
    """
    if value is None:
        return "—"
    if isinstance(value, np.ndarray) and value.size > 16:
        return "×".join(map(str, value.shape)) + " entries"
    if isinstance(value, np.ndarray):
        return number(value.tolist())
    if isinstance(value, list):
        return "[" + ", ".join(number(v) for v in value) + "]"
    return f"{value + 0.0:.6g}"


def value_of(row: Row) -> Any:
    """The value of the derivative, from its formula or measured."""
    return row.numeric_value if row.symbolic_value is None else row.symbolic_value


def settled(row: Row) -> str:
    """The verdict in words: "agrees at 4 points"."""
    return row.word


# -- text ---------------------------------------------------------------------------------------


def formula_text(formula: Any) -> str:
    """A formula on one line, cut where it is too long."""
    if formula is None:
        return "—"
    text = printable(" ".join(str(formula).split()))
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"


def capital(sentence: str) -> str:
    """A sentence as it stands alone."""
    return sentence[:1].upper() + sentence[1:] + "."


def printable(name: str) -> str:
    """A name without what would move the cursor."""
    return "".join(c if c.isprintable() else "�" for c in name)


def short(name: str) -> str:
    """The same, and not longer than a line."""
    shown = printable(name)
    return shown if len(shown) <= LONGEST_NAME else shown[: LONGEST_NAME - 1] + "…"


def text_table(report: Report) -> str:
    """The report in aligned columns."""
    of = short(report.name) or "f"
    head = ("", f"∂{of}/∂", "symbolic", "autograd", "verdict")
    body = [
        (
            short(row.name),
            formula_text(row.formula),
            " ".join(number(value_of(row)).split()),
            " ".join(number(row.autograd_value).split()),
            f"{ICONS[row.verdict]} {settled(row)}",
        )
        for row in report.rows
    ]
    widths = [max(len(line[i]) for line in (head, *body)) for i in range(5)]
    lines = [aligned(line, widths) for line in (head, *body)]
    shared, own = sort_notes(report)
    notes = [f"all: {note}" for note in shared if len(report) > 1]
    for row, left in zip(report.rows, own, strict=True):
        if row.counterexample is not None:
            notes.append(f"{short(row.name)}: {row.counterexample}")
        if left := (row.note if len(report) == 1 else left):
            notes.append(f"{short(row.name)}: {left}")
    notes += report.advice
    if report.assumed:
        notes.insert(0, "assuming " + "; ".join(report.assumed))
    below = ["", *map(printable, notes)] if notes else []
    return "\n".join([printable(report.summary), "", *lines, *below])


def aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    """One line of the text table."""
    return "  ".join(c.ljust(w) for c, w in zip(cells, widths, strict=True)).rstrip()


def sort_notes(report: Report) -> tuple[list[str], list[str]]:
    """The notes that all rows share, and what is left to each row."""
    split = [row.note.split("; ") if row.note else [] for row in report.rows]
    shared = [note for note in split[0] if all(note in other for other in split)] if split else []
    return shared, ["; ".join(note for note in notes if note not in shared) for notes in split]


# -- HTML ---------------------------------------------------------------------------------------

INK = "color:var(--jp-content-font-color1,inherit)"
MUTED = "color:var(--jp-content-font-color2,inherit);font-size:.88em"
FONT = "font-family:var(--jp-content-font-family,system-ui,sans-serif)"
CODE = (
    "font-family:var(--jp-code-font-family,ui-monospace,monospace);font-size:.95em;"
    f"white-space:pre-wrap;background:none;{INK}"
)
FOLDED = f"{MUTED};cursor:pointer"
WIDE = "min-width:24em"
SPACED = "margin-bottom:.5em"
LINE = "1px solid var(--jp-border-color2,rgba(128,128,128,.35))"
COPIED = (
    f"font-family:var(--jp-code-font-family,ui-monospace,monospace);{INK};background:none;"
    f"border:{LINE};font-size:.85em;padding:.5em;margin:.2em 0 .6em;max-width:40em;"
    "overflow-x:auto;user-select:all"
)
CELL = f"text-align:left;vertical-align:baseline;padding:.5em .9em;border-bottom:{LINE}"
PLAIN = "tex2jax_ignore mathjax_ignore"  # a typesetter leaves these alone: a name may hold dollars


def element(tag: str, inner: str, style: str = "", **attributes: str) -> str:
    """An HTML element; attributes are escaped here, what is inside is HTML already."""
    named = {"style": style, **attributes} if style else attributes
    text = "".join(f' {attribute(k)}="{html.escape(v)}"' for k, v in named.items())
    return f"<{tag}{text}>{inner}</{tag}>"


def attribute(name: str) -> str:
    """class_ is class, and aria_hidden is aria-hidden."""
    return name.rstrip("_").replace("_", "-")


def words(text: str) -> str:
    """Text as HTML shows it, without what would move the cursor."""
    return html.escape(printable(text))


def mathematics(tex: str) -> str:
    """LaTeX for the notebook to typeset."""
    return f"$\\displaystyle {html.escape(tex)}$"


def latex(expression: Any, report: Report) -> str:
    """An expression in LaTeX, its symbols set safely."""
    return set_by(expression, report.latex)


def operations(formula: Any) -> int:
    """How large a formula is, all entries together."""
    flat = sympy.flatten(formula.tolist()) if isinstance(formula, sympy.NDimArray) else [formula]
    sizes: dict[Any, int] = {}
    return sum(size_of(entry, sizes) for entry in flat)


def in_time(clock: Clock, make: Callable[[], str]) -> str:
    """What is made while there is time: a table must not be waited for."""
    try:
        return within(clock, make)
    except TimeIsUp:
        return ""


def derivative_cell(report: Report, row: Row, clock: Clock) -> str:
    """∂e/∂a = b, in matrix notation too, and below it what the rules made, where it is another."""
    if row.formula is None:
        return element("span", "no formula", MUTED)
    of = tex_name(report.name) if report.name else ""
    left = rf"\frac{{\partial {of}}}{{\partial {tex_name(row.name)}}}"
    matrix = in_time(clock, lambda: row.matrix)
    cell = element("div", mathematics(f"{left} = {matrix}"), SPACED) if matrix else ""
    if (size := operations(row.formula)) > LONGEST:
        told = "entry by entry a formula" if matrix else "a formula"
        left_side = "" if matrix else mathematics(left)
        cell += left_side + element("span", f" {told} of {size} parts", MUTED)
        return cell + in_time(clock, lambda: named_parts_of(report, row, left))
    cell += mathematics(f"{left} = {latex(row.formula, report)}")
    rules = row.backward_formula
    if rules is not None and rules != row.formula and operations(rules) <= LONGEST:
        made = "the rules made: " + mathematics(latex(rules, report))
        cell += element("div", made, f"{MUTED};margin-top:.4em")
    return cell


def named_parts_of(report: Report, row: Row, left: str) -> str:
    """A long formula, folded up, the parts that come up again named; "" where that is no help."""
    from graphlab.faces.symbolic.common_subexpressions import parts_latex

    tex = parts_latex(left, row.formula, report.latex)
    if not tex:
        return ""
    summary = element("summary", "written out, common parts named", FOLDED)
    return element("details", summary + mathematics(tex), "margin-top:.3em")


def copies(thing: Any) -> str:
    """What can be selected and copied: LaTeX, SymPy, NumPy."""
    parts = []
    for title, write in (
        ("LaTeX", thing.latex), ("SymPy", thing.sympy_code), ("NumPy", thing.numpy_code),
    ):  # fmt: skip
        try:
            text = write()
        except ValueError as reason:
            text = f"# {reason}"
        if len(text) <= LONGEST_CODE:
            parts.append(element("div", title, MUTED) + element("pre", words_in(text), COPIED))
    summary = element("summary", "copy as LaTeX, SymPy or NumPy", FOLDED)
    inner = element("div", "".join(parts), class_=PLAIN)
    return element("details", summary + inner, "margin-top:.3em")


def words_in(text: str) -> str:
    """Lines of code as HTML shows them."""
    return "\n".join(words(line) for line in text.split("\n"))


def details(row: Row) -> str:
    """What is folded up below a derivative: the chain rule, and the derivative to copy."""
    if row.checked is None or row.formula is None or operations(row.formula) > LARGEST:
        return ""
    return chain_details(row) + copies(row)


def chain_details(row: Row) -> str:
    """The chain rule behind a derivative."""
    from graphlab.faces.symbolic.chain_rule_table import chain_list, counted

    chain = row.chain
    row.checked[0].pictures += len(chain.paths)
    if row.checked[0].pictures > MOST_PICTURES:
        chain = replace(chain, picture=None)
    summary = element("summary", words(f"chain rule: {counted(chain)}"), FOLDED)
    return element("details", summary + chain_list(chain), "margin-top:.3em")


def badge(row: Row) -> str:
    """The verdict as icon and word; the colour only repeats them."""
    accent = ACCENTS[row.verdict]
    colour = f"color:{accent};font-weight:700"
    icon = element("span", ICONS[row.verdict], colour, aria_hidden="true")
    pill = f"display:inline-block;white-space:nowrap;padding:.15em .75em;border-radius:1em;{INK}"
    return element("span", f"{icon} {words(settled(row))}", f"{pill};border:1px solid {accent}")


def html_row(report: Report, row: Row, note: str, clock: Clock) -> str:
    """One tensor; its notes stand under the verdict."""
    cell = derivative_cell(report, row, clock) + in_time(clock, lambda: details(row))
    below = [words(note)] if note else []
    if row.counterexample is not None:
        below.insert(0, element("strong", words(str(row.counterexample))))
    style = f"{MUTED};margin-top:.4em;max-width:32em;white-space:normal"
    notes = "".join(element("div", text, style, class_=PLAIN) for text in below)
    code = [element("code", words(number(v)), CODE) for v in (value_of(row), row.autograd_value)]
    name = element("code", words(row.name), f"{CODE};font-weight:600")
    by = f", settled by: {row.settled_by}" if row.settled_by else ""
    cells = [
        element("th", name, CELL, scope="row"),
        element("td", cell, f"{CELL};{WIDE}"),
        *(element("td", value, CELL) for value in code),
        element("td", badge(row) + notes, CELL, title=row.verdict + by),
    ]
    return element("tr", "".join(cells), "background:none")


def html_table(report: Report) -> str:
    """The report for a notebook."""
    if report.checked is not None:
        report.checked.pictures = 0
    heads = ("leaf", "derivative", "its value", "autograd gives", "verdict")
    head = "".join(element("th", h, f"{CELL};{MUTED};font-weight:600", scope="col") for h in heads)
    shared, own = sort_notes(report)
    clock = Clock(SECONDS)
    rows = "".join(
        html_row(report, row, note, clock) for row, note in zip(report.rows, own, strict=True)
    )
    overall = worst([row.verdict for row in report.rows])
    mark = element("span", ICONS[overall], f"color:{ACCENTS[overall]}", aria_hidden="true")
    title = element(
        "p", f"{mark} {words(report.summary)}.", "margin:.3em 0 .6em;font-weight:600", class_=PLAIN
    )
    table = element(
        "table",
        element("thead", element("tr", head, "background:none")) + element("tbody", rows),
        f"border-collapse:collapse;margin:0;{INK}",
    )
    table += "".join(
        element("p", words(text), f"{INK};margin:.6em 0 0", class_=PLAIN)
        for text in map(capital, report.advice)
    )
    said = words(" · ".join([*shared, report.assumptions]))
    foot = element("p", said, f"{MUTED};margin:.6em 0 0", class_=PLAIN)
    return element("div", title + table + foot, f"{FONT};{INK};overflow-x:auto")

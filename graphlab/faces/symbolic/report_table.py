"""A report as a table: aligned text for a terminal, HTML with mathematics for a notebook.

Read next: faces/symbolic/formula.py
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy

from graphlab.common.notebook import printable, shortened, wrapped
from graphlab.faces.symbolic.budget import flat, size_of
from graphlab.faces.symbolic.chain_rule_table import chain_list, counted
from graphlab.faces.symbolic.html_elements import (
    CELL,
    CODE,
    INK,
    LINE,
    LONGEST,
    MUTED,
    PLAIN,
    SCROLLED,
    aligned,
    cell_text,
    copies,
    details,
    element,
    escaped,
    formula_text,
    is_complete,
    mathematics,
    narrowed,
    number,
    operations,
    table,
    told_apart,
    whole,
)
from graphlab.faces.symbolic.local_derivatives import set_by
from graphlab.faces.symbolic.symbol_names import tex_name

if TYPE_CHECKING:
    from graphlab.faces.symbolic.report import Report, Row

ICONS = {"proved": "✓", "agrees": "≈", "undecided": "?", "disagrees": "✗", "lost": "!"}
ACCENTS = {  # colours that are legible on white and on black
    "proved": "#1f9d55", "agrees": "#2f7fd1", "undecided": "#b7791f", "disagrees": "#d64545",
    "lost": "#b7791f",
}  # fmt: skip
LARGEST_COPIED = 1500  # operations: a longer formula is not offered for copying
DETAIL_WORK = 6000  # operations in all rows: further rows have no matrices, chain rules or code
LONGEST_NAME = 40  # the most characters of a name in the text table
LONGEST_FORMULA = 150  # the most characters of a formula in a row that is shown alone
SHORT = 28  # characters of a row of an array that is not broken
ROUNDED = 16  # ulps: so close, two numbers differ by rounding only
MOST_PICTURES = 12  # the most pictures of paths in one report


def value_of(row: "Row") -> Any:
    """Return the derivative's value, from its formula or measured; masked where not compared."""
    value = row.numeric_value if row.symbolic_value is None else row.symbolic_value
    if not row.sampled or not isinstance(value, np.ndarray):
        return value
    unseen = np.ones(value.shape, bool)
    unseen[tuple(np.transpose(row.sampled))] = False
    return np.ma.masked_array(value, unseen)


def both_values(row: "Row") -> tuple[Any, Any]:
    """Return what a row shows as the derivative's value and autograd's.

    Where they agree but for the rounding of the tensor's type, both get the digits that it knows:
    of 4.97998499 and 4.97998523, which six digits would tell apart, both are 4.98.
    """
    value, found = value_of(row), row.autograd_value
    if row.verdict == "disagrees" and (row.ulps or 0) > ROUNDED and isinstance(found, float):
        return told_apart(value, found)
    if row.verdict not in ("proved", "agrees") or row.ulps is None or row.ulps > ROUNDED:
        return value, found
    if isinstance(value, float) and isinstance(found, float):
        return alike(value, found)
    if type(value) is not np.ndarray or np.shape(found) != value.shape or value.size > 16:
        return value, found
    pairs = [alike(*pair) for pair in zip(value.flat, np.ravel(found), strict=True)]
    one, other = (np.reshape(half, value.shape) for half in np.transpose(pairs).reshape(2, -1))
    return one, other


def alike(value: float, found: float) -> tuple[float, float]:
    """Return two numbers that agree with as many digits as they have in common, at most six.

    >>> alike(4.979984993, 4.979985237), alike(2.5, 2.5), alike(1.0, 2.0)
    ((4.98, 4.98), (2.5, 2.5), (1.0, 2.0))
    """
    for digits in (6, 5, 4):
        text = f"{value:.{digits}g}"
        if text == f"{found:.{digits}g}":
            return float(text), float(text)
    return value, found


# -- text ---------------------------------------------------------------------------------------


def short(name: str) -> str:
    """Return a name that fits on a line."""
    return shortened(printable(name), LONGEST_NAME)


def text_table(report: "Report") -> str:
    """Return the report in aligned columns."""
    yours = ["yours"] if has_yours(report) else []
    head = ["", f"∂{short(report.name) or 'f'}/∂", "symbolic", "autograd", *yours, "verdict"]
    body = [
        [
            short(row.name),
            formula_text(row.formula),
            *map(cell_text, both_values(row)),
            *(yours_text(row) for _ in yours),
            f"{ICONS[mark_of(row)]} {row.word}",
        ]
        for row in report.rows
    ]
    shared, own = sort_notes(report)
    notes = ["assuming " + "; ".join(report.assumed)] if report.assumed else []
    notes += [f"{whose}: {note}" for note, whose in shared.items() if len(report) > 1]
    for row, left in zip(report.rows, own, strict=True):
        if row.slip:
            notes.append(f"{short(row.name)}: {row.slip}")
        if row.counterexample is not None:
            notes.append(f"{short(row.name)}: {row.counterexample}")
        if left := (row.note if len(report) == 1 else left):
            notes.append(f"{short(row.name)}: {left}")
    notes += report.advice
    below = ["", *(wrapped(printable(note), later="  ") for note in notes)] if notes else []
    return "\n".join([printable(report.summary), "", *aligned([head, *body]), *below])


def row_text(row: "Row") -> str:
    """Return one row of a report as a few lines: the verdict, both values, the notes."""
    of = row.checked[0].name if row.checked else ""
    value, found = both_values(row)
    lines = [
        [f"∂{short(of) or 'f'}/∂{short(row.name)}", formula_text(row.formula, LONGEST_FORMULA)],
        ["symbolic", " ".join(number(value).split())],
        ["autograd", " ".join(number(found).split())],
    ]
    if row.yours is not None:
        lines.append(["yours", yours_text(row)])
    notes = [row.slip] if row.slip else []
    notes += [] if row.counterexample is None else [f"wrong {row.counterexample}"]
    notes += row.note.split("; ") if row.note else []
    head = f"{short(row.name)}: {ICONS[mark_of(row)]} {row.word}"
    shown = [wrapped(printable(line), "  ", " " * 12) for line in aligned(lines)]
    shown += [wrapped(printable(note), "  ", "    ") for note in notes]
    return "\n".join([printable(head), *shown])


def sort_notes(report: "Report") -> tuple[dict[str, str], list[str]]:
    """Return the notes of almost all rows, each with whose they are, and the others of each row."""
    split = [row.note.split("; ") if row.note else [] for row in report.rows]
    shared: dict[str, str] = {}
    for note in dict.fromkeys(note for notes in split for note in notes):
        without = [
            short(r.name) for r, own in zip(report.rows, split, strict=True) if note not in own
        ]
        if len(without) <= len(split) // 5:
            shared[note] = f"all but {', '.join(without)}" if without else "all"
    return shared, ["; ".join(note for note in notes if note not in shared) for notes in split]


# -- HTML ---------------------------------------------------------------------------------------

REPORT = "graphlab-report"
CARDS = (  # on a phone and on paper, a row is a card: first its name and its verdict
    f".{REPORT}{{container-type:inline-size}}@container(max-width:44em){{.{REPORT}>table{{"
    "&,>tbody{display:block}>thead{display:none}"
    ">tbody>tr{display:grid;grid-template-columns:auto 1fr;padding:.5em 0;break-inside:avoid;"
    f"border-bottom:{LINE};"
    ">*{border:0!important;padding:.2em .9em!important;min-width:0!important}"
    ">td{grid-column:1/-1}>:last-child{grid-area:1/2}"
    '>:nth-child(3):before{content:"its value: "}>:nth-child(4):before{content:"autograd gives: "}'
    '>:nth-child(5):not(:last-child):before{content:"yours: "}'
    "}}}"
)


class HtmlTable:
    """The rows of one report as HTML. left: how much work is left for details."""

    def __init__(self, report: "Report") -> None:
        self.report = report
        self.left = DETAIL_WORK

    def row(self, row: "Row", note: str) -> str:
        """Return the row of one tensor; its notes are below the verdict."""
        size = 0 if row.formula is None else operations(row.formula)
        self.left -= size
        cell = self.derivative(row, size)
        if self.left > 0 and row.checked is not None and row.formula is not None:
            cell += "" if size > LARGEST_COPIED else self.chain_rule(row) + copies(row)
        below = [unbroken(note)] if note else []
        if row.counterexample is not None:
            below.insert(0, element("strong", escaped(str(row.counterexample))))
        style = f"{MUTED};margin-top:.4em;max-width:24em;white-space:normal"
        notes = "".join(element("div", text, style, class_=PLAIN) for text in below)
        values = [number(value) for value in both_values(row)]
        own = "" if row.yours is None else f"{icon('proved')} right"
        if row.slip:
            own = f"{icon('disagrees')} {element('code', unbroken(number(row.yours)), CODE)}"
            own += element("div", escaped(row.slip), style, class_=PLAIN)
        name = element("code", escaped(row.name), f"{CODE};font-weight:600")
        by = f", settled by: {row.settled_by}" if row.settled_by else ""
        cells = [
            element("th", name, CELL, scope="row"),
            element("td", narrowed(cell), f"{CELL};min-width:min(24em,24vw)"),
            *(element("td", element("code", by_rows(text), CODE), CELL) for text in values),
            *([element("td", own, CELL)] if has_yours(self.report) else []),
            element("td", badge(row) + notes, CELL, title=row.verdict + by),
        ]
        return element("tr", "".join(cells), "background:none")

    def derivative(self, row: "Row", size: int) -> str:
        """Return ∂e/∂a = b, also in matrix notation, and the rules' formula if it differs."""
        if row.formula is None:
            return element("span", "no formula", MUTED)
        of = tex_name(self.report.name or "f")
        left = rf"\frac{{\partial {of}}}{{\partial {tex_name(row.name)}}}"
        matrix = row.matrix if self.left > 0 else ""
        cell = ""
        if matrix:
            cell = element(
                "div", mathematics(f"{left} = {matrix}"), f"margin-bottom:.5em;{SCROLLED}"
            )
        if size > LONGEST or not is_complete(row.formula):
            what = "entry by entry a formula" if matrix else "a formula"
            cell += "" if matrix else mathematics(left)
            cell += element("span", f" {what} of {size} parts", MUTED)
            tex = parts_latex(left, row.formula, self.report.latex) if self.left > 0 else ""
            summary = "written out, with names for repeated parts"
            return cell + (details(summary, mathematics(tex)) if tex else "")
        shown = mathematics(f"{left} = {set_by(row.formula, self.report.latex)}")
        cell += element("div", shown, SCROLLED)
        rules = row.backward_formula
        if rules is not None and rules != row.formula and operations(rules) <= LONGEST:
            made = "from the rules: " + mathematics(set_by(rules, self.report.latex))
            cell += element("div", made, f"{MUTED};margin-top:.4em;{SCROLLED}")
        return cell

    def chain_rule(self, row: "Row") -> str:
        """Return the chain rule for a derivative, folded."""
        chain = row.chain
        row.checked[0].pictures += len(chain.paths)
        if row.checked[0].pictures > MOST_PICTURES:
            chain = replace(chain, picture=None)
        return details(escaped(f"chain rule: {counted(chain)}"), chain_list(chain))


def by_rows(text: str) -> str:
    """Return the entries of an array as HTML; short rows break only between each other."""
    rows = text.replace("], [", "],\n[").split("\n")
    if len(rows) == 1 or max(map(len, rows)) > SHORT:
        return unbroken(text)
    return " ".join(element("span", escaped(row), "white-space:nowrap") for row in rows)


def unbroken(text: str) -> str:
    """Return text as HTML that breaks only at spaces, so not within 9.5e-07."""
    return re.sub(r"\S+e-\S+", r'<span style="white-space:nowrap">\g<0></span>', escaped(text))


def has_yours(report: "Report") -> bool:
    """Return whether the caller gave gradients of their own."""
    return any(row.yours is not None for row in report)


def yours_text(row: "Row") -> str:
    """Return the verdict on the caller's own gradient, and its value if it is wrong."""
    if row.yours is None:
        return ""
    return (
        f"{ICONS['disagrees']} {cell_text(row.yours)}" if row.slip else f"{ICONS['proved']} right"
    )


def mark_of(found: Any) -> str:
    """Return the verdict of a row or report; "lost" if a number is out of range."""
    return "lost" if found.verdict in ("proved", "agrees") and not found.ok else found.verdict


def icon(verdict: str, weight: str = "") -> str:
    """Return the icon of a verdict; the colour only repeats it."""
    style = f"color:{ACCENTS[verdict]}{weight}"
    return element("span", ICONS[verdict], style, aria_hidden="true")


def badge(row: "Row") -> str:
    """Return the verdict as an icon and a word."""
    pill = f"display:inline-block;white-space:nowrap;padding:.15em .75em;border-radius:1em;{INK}"
    shown = f"{icon(mark_of(row), ';font-weight:700')} {escaped(row.word)}"
    return element("span", shown, f"{pill};border:1px solid {ACCENTS[mark_of(row)]}")


def html_table(report: "Report") -> str:
    """Return the report for a notebook."""
    if report.checked is not None:
        report.checked.pictures = 0
    yours = ["yours"] if has_yours(report) else []
    heads = ("leaf", "derivative", "its value", "autograd gives", *yours, "verdict")
    head = "".join(element("th", h, f"{CELL};font-weight:600", scope="col") for h in heads)
    shared, own = sort_notes(report)
    page = HtmlTable(report)
    rows = "".join(page.row(row, note) for row, note in zip(report.rows, own, strict=True))

    def line(text: str, style: str) -> str:
        return element("p", text, style, class_=PLAIN)

    title = f"{icon(mark_of(report))} {escaped(report.summary)}."
    title = line(title, "margin:.3em 0 .6em;font-weight:600")
    below = "margin:.6em 0 0"
    advice = (escaped(f"{text[:1].upper()}{text[1:]}.") for text in report.advice)
    advice = "".join(line(text, f"{INK};{below}") for text in advice)
    said = [note if whose == "all" else f"{whose}: {note}" for note, whose in shared.items()]
    foot = line(escaped(" · ".join([*said, report.assumptions])), f"{MUTED};{below}")
    body = title + table(head, rows, f";{MUTED}") + advice + foot
    return whole(body, ";overflow-x:auto", CARDS, class_=REPORT)


# -- the common parts of a long formula ----------------------------------------------------------
#
# They get names: u₁ = exp(x), and the formula in terms of u₁.


LARGEST_SEARCHED = 1500  # operations: a larger formula is not searched for common parts
MOST_NAMES = 24
LETTERS = "uvpqgkmnrst"
LONGEST_IN_PARTS = 260  # the most operations of the formula and its parts together


def named_parts(formula: Any) -> tuple[list[tuple[sympy.Symbol, Any]], Any] | None:
    """Return the repeated parts, and the formula in terms of them; None if there are none.

    >>> x = sympy.Symbol("x")
    >>> parts, body = named_parts(sympy.exp(x**2 + 1) * (x**2 + 1))
    >>> parts, body
    ([(u1, x**2 + 1)], u1*exp(u1))
    """
    entries = flat(formula)
    sizes: dict[Any, int] = {}
    size = sum(size_of(entry, sizes) for entry in entries)
    if size > LARGEST_SEARCHED or not is_complete(formula):
        return None
    letter = letter_beside({s.name for entry in entries for s in entry.free_symbols})
    fresh = (sympy.Symbol(f"{letter}{k}") for k in range(1, 10**6))
    parts, bodies = map(list[Any], sympy.cse(entries, symbols=fresh, order="none"))
    left = sum(size_of(part, sizes) for part in (*dict(parts).values(), *bodies))
    if not parts or len(parts) > MOST_NAMES or left > LONGEST_IN_PARTS:
        return None
    return parts, bodies[0] if formula is entries[0] else sympy.Array(bodies, formula.shape)


def letter_beside(names: Iterable[str]) -> str:
    """Return a letter with which no name begins: u_1 may be an entry of u.

    >>> letter_beside(["x", "y"]), letter_beside(["u_0", "u_1", "v"])
    ('u', 'p')
    """
    begun = {name[:1] for name in names}
    return next((letter for letter in LETTERS if letter not in begun), "part")


def parts_latex(left: str, formula: Any, names: Mapping[Any, str]) -> str:
    """Return the formula and its named parts, in aligned lines; "" if it has no repeated part."""
    found = named_parts(formula)
    if found is None:
        return ""
    parts, body = found
    symbols = {**names, **{part: tex_name(part.name) for part, _ in parts}}
    lines = [f"{left} &= {set_by(body, symbols)}"]
    lines += [f"{symbols[part]} &= {set_by(value, symbols)}" for part, value in parts]
    body = r" \\ ".join(lines)
    return rf"\begin{{aligned}} {body} \end{{aligned}}"

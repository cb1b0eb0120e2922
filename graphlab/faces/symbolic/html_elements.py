"""Numbers and formulas as text, and HTML elements, for all tables of the checker.

The HTML has no script. Its colours are those of the notebook's theme, and are inherited elsewhere.
Formulas are LaTeX between dollar signs, which JupyterLab typesets, with hidden MathML beside it;
a CSS rule shows the MathML where nothing typesets LaTeX, as in VS Code, or in nbconvert's pages
without a network. Names are escaped, for HTML and for LaTeX.

Read next: faces/symbolic/report_table.py
"""

import html
from collections.abc import Iterator
from typing import Any

import numpy as np
import sympy
from sympy.printing.str import StrPrinter

from graphlab.common.notebook import printable
from graphlab.faces.symbolic.budget import flat, size_of, with_decimals
from graphlab.faces.symbolic.mathml import mathml

LONGEST = 60  # operations: a longer formula is not shown in full
LONGEST_CODE = 6000  # characters: longer code is not offered for copying
WIDEST = 44  # the most characters of a formula in a text table
WIDEST_VALUE = 72

INK = "color:var(--jp-content-font-color1,inherit)"
MUTED = "color:var(--jp-content-font-color2,inherit);font-size:.88em"
FONT = "font-family:var(--jp-content-font-family,system-ui,sans-serif)"
CODE = (
    "font-family:var(--jp-code-font-family,ui-monospace,monospace);font-size:.95em;"
    f"white-space:pre-wrap;padding:0;background:none;{INK}"
)
FOLDED = f"{MUTED};cursor:pointer"
SCROLLED = "overflow-x:auto;overflow-y:hidden"  # where it is wider than its place
LINE = "1px solid var(--jp-border-color2,rgba(128,128,128,.35))"
COPIED = (
    f"font-family:var(--jp-code-font-family,ui-monospace,monospace);{INK};background:none;"
    f"border:{LINE};font-size:.85em;padding:.5em;margin:.2em 0 .6em;max-width:40em;"
    "overflow-x:auto;user-select:all"
)
CELL = f"text-align:left;vertical-align:baseline;padding:.5em .9em;border-bottom:{LINE}"
TYPESET = "graphlab-tex"
_LEFT = f".{TYPESET}:not(:has(mjx-container,.MathJax,.katex))"  # LaTeX that is not typeset
CHOOSE = (
    f"{_LEFT}{{display:none}}{_LEFT}+span{{display:inline!important}}"
    f".{TYPESET} mjx-assistive-mml{{max-width:100%}}"  # unseen, and no reason to scroll
)
PLAIN = "tex2jax_ignore mathjax_ignore"  # not to be typeset: a name may hold dollar signs


def number(value: Any) -> str:
    """Return a value as text: 2.30259, or the entries of a small array; "—" if it is not known.

    >>> number(-0.0), number(np.array([[1.0, 0.25]])), number(np.ones((30, 20)))
    ('0', '[[1, 0.25]]', 'shape (30, 20)')
    """
    if value is None or isinstance(value, str):
        return value or "—"
    if isinstance(value, np.ndarray) and value.size > 16:
        return f"shape {value.shape}"
    if isinstance(value, np.ma.MaskedArray):  # entries that were not checked are masked
        value = value.tolist()
    if isinstance(value, np.ndarray):
        return number(value.tolist())
    if isinstance(value, list):
        return "[" + ", ".join(number(v) for v in value) + "]"
    return f"{value + 0.0:.6g}"


def told_apart(one: float, other: float, digits: int = 6) -> tuple[str, str]:
    """Return two numbers as text, with as many more digits as it takes to tell them apart.

    >>> told_apart(1.19787001501, 1.19787001542)
    ('1.197870015', '1.1978700154')
    """
    a, b = (f"{x + 0.0:.{digits}g}" for x in (one, other))
    return told_apart(one, other, digits + 1) if a == b and abs(one - other) > 0 else (a, b)


def cell_text(value: Any) -> str:
    """Return a value for a table of text: the entries of an array if they fit, else its shape."""
    text = " ".join(number(value).split())
    return text if len(text) <= WIDEST_VALUE else f"shape {np.shape(value)}"


def formula_text(formula: Any, widest: int = WIDEST) -> str:
    """Return a formula on one line, shortened if it is too long."""
    if formula is None:
        return "—"
    if not is_complete(formula) or max(map(operations, flat(formula)), default=0) > 5 * LONGEST:
        return f"a formula of {operations(formula)} parts"
    text = ""
    for part in written(with_decimals(formula)[0]):
        text += printable(part)
        if len(text) > widest:
            return text[: widest - 1] + "…"
    return text


def written(formula: Any) -> Iterator[str]:
    """Yield the text of a formula in parts; those of an array are written as they are asked for."""
    if not isinstance(formula, sympy.NDimArray) or not formula.rank():
        text = plain_text(formula)
        yield text[1:-1] if isinstance(formula, sympy.Piecewise) else text
        return
    yield "["
    for i, part in enumerate(formula):
        yield ", " if i else ""
        yield from written(part)
    yield "]"


def is_complete(formula: Any) -> bool:
    """Return whether the conditions of a formula are written out, which may have been too long."""
    return not any(entry.has(sympy.Dummy) for entry in flat(formula))


class PlainText(StrPrinter):
    """Writes cases as Python does: (x if x > 0 else 0)."""

    def _print_Piecewise(self, expr: Any) -> str:
        *cases, (last, _) = expr.args
        told = [f"{self._print(value)} if {self._print(where)} else " for value, where in cases]
        return f"({''.join(told)}{self._print(last)})"

    def _print_Heaviside(self, expr: Any) -> str:
        return f"(1 if {self._print(expr.args[0])} > 0 else 0)"

    def _print_polygamma(self, expr: Any) -> str:
        order, x = map(self._print, expr.args)
        names = {"0": "digamma(", "1": "trigamma("}
        return f"{names.get(order, f'polygamma({order}, ')}{x})"

    def _print_Equality(self, expr: Any) -> str:
        return " = ".join(map(self._print, expr.args))


def plain_text(formula: Any) -> str:
    """Return a formula as text on one line.

    >>> x = sympy.Symbol("x")
    >>> plain_text(sympy.Piecewise((x**2, x > 0), (0, True)))
    '(x**2 if x > 0 else 0)'
    """
    return " ".join(PlainText().doprint(formula).split())


def operations(formula: Any) -> int:
    """Return the size of a formula, or of all entries of an array of formulas."""
    sizes: dict[Any, int] = {}
    return sum(size_of(entry, sizes) for entry in flat(formula))


def aligned(lines: list[list[str]]) -> list[str]:
    """Return the lines of a text table, with aligned columns."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join(c.ljust(w) for c, w in zip(cells, widths, strict=True)).rstrip()
        for cells in lines
    ]


# -- HTML ---------------------------------------------------------------------------------------


def element(tag: str, inner: str, style: str = "", **attributes: str) -> str:
    """Return an HTML element. Attributes are escaped here; `inner` is HTML already.

    >>> element("td", "x", "margin:0", class_="a", aria_hidden="true")
    '<td style="margin:0" class="a" aria-hidden="true">x</td>'
    """
    named = {"style": style, **attributes} if style else attributes
    names = {k: k.rstrip("_").replace("_", "-") for k in named}
    text = "".join(f' {names[k]}="{html.escape(v)}"' for k, v in named.items())
    return f"<{tag}{text}>{inner}</{tag}>"


def escaped(text: str) -> str:
    """Return text escaped for HTML, without control characters."""
    return html.escape(printable(text))


def mathematics(tex: str) -> str:
    """Return LaTeX for the notebook to typeset, with MathML for pages that do not typeset it."""
    latex = f"$\\displaystyle {html.escape(tex)}$"
    try:
        other = mathml(tex)
    except ValueError:
        return latex
    return element("span", latex, class_=TYPESET) + element("span", other, "display:none")


def whole(body: str, style: str = "", rules: str = "", **attributes: str) -> str:
    """Return a whole output, with the CSS rule that chooses how its formulas are shown.

    rules: more CSS rules.
    """
    inner = element("style", CHOOSE + rules) + body
    return element("div", inner, f"{FONT};{INK}{style}", **attributes)


def details(summary: str, inner: str) -> str:
    """Return a folded part with a summary to click on."""
    body = element("summary", summary, FOLDED) + element("div", inner, SCROLLED)
    return element("details", body, "margin-top:.3em")


def table(head: str, rows: str, style: str = "") -> str:
    """Return a table. head, style: its first row's cells, and their style. rows: the others."""
    first = element("thead", element("tr", head, f"background:none{style}"))
    return element(
        "table", first + element("tbody", rows), f"border-collapse:collapse;margin:0;{INK}"
    )


def narrowed(inner: str) -> str:
    """Return HTML that a table may make narrower than the widest part that scrolls in it."""
    part = element("div", inner, "min-width:0")
    return element("div", part, "display:grid;grid-template-columns:minmax(0,max-content)")


def copies(thing: Any) -> str:
    """Return LaTeX, SymPy and NumPy code to copy, in a folded part."""
    parts = []
    for title, write in (
        ("LaTeX", thing.latex), ("SymPy", thing.sympy_code), ("NumPy", thing.numpy_code),
    ):  # fmt: skip
        try:
            text = write()
        except ValueError as reason:
            text = f"# {reason}"
        if len(text) <= LONGEST_CODE:
            lines = "\n".join(map(escaped, text.split("\n")))
            parts.append(element("div", title, MUTED) + element("pre", lines, COPIED))
    return details("copy as LaTeX, SymPy or NumPy", element("div", "".join(parts), class_=PLAIN))

"""The chain rule for one tensor: its paths, as text, as LaTeX, and as HTML with a picture of each.

Read next: faces/symbolic/report_table.py
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from graphlab.common.notebook import printable
from graphlab.faces.symbolic.html_elements import (
    CODE,
    LONGEST,
    MUTED,
    PLAIN,
    SCROLLED,
    aligned,
    element,
    escaped,
    formula_text,
    mathematics,
    operations,
    whole,
)
from graphlab.faces.symbolic.local_derivatives import set_by

WIDEST = 60  # the most characters of a product in the text
ENDS = 4  # tensors at each end of a long path that are named


@dataclass(frozen=True, slots=True)
class Step:
    """One edge of a path: from a result back to one of the tensors that it was made from.

    local: the derivative in the names of the tensors; None if there is no single formula.
    entrywise: whether the tensors have several entries, each differentiated by itself.
    """

    op: str
    edge: tuple[int, int]  # the node's sequence number, and which of its next_functions
    local: Any
    entrywise: bool
    tex: tuple[str, str]  # the result and the input in LaTeX


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """One path from the root to the tensor.

    names: of the tensors on the path. product: the gradient along it in terms of the leaves, an
    expression or an array of them; None when it would be too long.
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

    paths: the first 12. total: the sum over all paths, from the rules. symbols: the LaTeX of each;
    tex: `of` and `by` in LaTeX. note: why there are no products, if there are none.
    picture: draws the graph with some edges highlighted, as HTML.
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
        """Return the sum over the paths, in symbols and then in formulas, as LaTeX."""
        return chain_latex(self)

    def __repr__(self) -> str:
        return chain_text(self)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text("Chain(...)" if cycle else repr(self))

    def _repr_html_(self) -> str:
        return chain_html(self)


def counted(chain: Chain) -> str:
    """Return the number of paths: "3 paths"."""
    return "1 path" if chain.count == 1 else f"{chain.count:,} paths"


def unlisted(chain: Chain) -> str:
    """Say how many paths are not listed: "and 5 more"; "" if all are listed."""
    left = chain.count - len(chain.paths)
    return f"and {left:,} more" if left else ""


# -- text ---------------------------------------------------------------------------------------


def chain_text(chain: Chain) -> str:
    """Return the paths in aligned lines, and their sum."""
    head = f"∂{chain.of}/∂{chain.by} along {counted(chain)}"
    if chain.count == 0:
        return printable(f"{head}: no gradient reaches {chain.by}")
    rows = [[route(path, " <- "), shortly(path.product)] for path in chain.paths]
    if chain.total is not None and chain.count > 1:
        rows.append([f"sum over all {chain.count:,}", shortly(chain.total)])
    lines = [f"  {line}" for line in aligned(rows)]
    if more := unlisted(chain):
        lines.insert(len(chain.paths), f"  {more}")
    note = [f"  no products: {chain.note}"] if chain.note else []
    return "\n".join(printable(line) for line in (head, *lines, *note))


def route(path: Path, arrow: str) -> str:
    """Return the tensors on a path, without the middle of a long one."""
    names = path.names
    if len(names) > 2 * ENDS + 1:
        names = (*names[:ENDS], f"({len(names) - 2 * ENDS} more)", *names[-ENDS:])
    return arrow.join(names)


def shortly(formula: Any) -> str:
    """Return a formula on one line, shortened if it is too long."""
    if formula is None:
        return ""
    if operations(formula) > 4 * LONGEST:
        return f"a formula of {operations(formula)} parts"
    return formula_text(formula, WIDEST)


# -- LaTeX --------------------------------------------------------------------------------------


def fraction(of: str, by: str) -> str:
    """Return ∂of/∂by."""
    return rf"\frac{{\partial {of}}}{{\partial {by}}}"


def symbols_of(path: Path) -> str:
    """Return the derivatives along a path, ∂a/∂b ∂b/∂c."""
    parts = [fraction(*step.tex) for step in path.steps]
    if len(parts) > 2 * ENDS + 1:
        parts = [*parts[:ENDS], r"\cdots", *parts[-ENDS:]]
    return r"\,".join(parts) or "1"


def factors_of(path: Path, chain: Chain) -> str:
    """Return the formulas of these derivatives; "" if one has no formula."""
    if len(path.steps) > 2 * ENDS + 1 or any(step.local is None for step in path.steps):
        return ""
    return r" \cdot ".join(factor(step, chain) for step in path.steps)


def factor(step: Step, chain: Chain) -> str:
    """Return one derivative, a sum in parentheses; between tensors, a diagonal matrix."""
    tex = set_by(step.local, chain.symbols)
    if step.entrywise:
        return rf"\operatorname{{diag}}\left({tex}\right)"
    loose = step.local.is_Add or step.local.is_Piecewise or step.local.could_extract_minus_sign()
    return rf"\left({tex}\right)" if loose else tex


def product_of(formula: Any, chain: Chain) -> str:
    """Return a product or a sum; "" if it is too long."""
    if formula is None or operations(formula) > LONGEST:
        return ""
    return set_by(formula, chain.symbols)


def chain_latex(chain: Chain) -> str:
    """Return all listed paths, their products, and the sum, in lines."""
    left = fraction(*chain.tex)
    more = [r"\cdots"] if unlisted(chain) else []
    lines = [" + ".join([*map(symbols_of, chain.paths), *more]) or "0"]
    factors = [factors_of(path, chain) for path in chain.paths]
    if factors and all(factors):
        lines.append(" + ".join([*factors, *more]))
    if total := product_of(chain.total, chain):
        lines.append(total)
    lines = [line for k, line in enumerate(lines) if line not in lines[:k]]
    body = r" \\ ".join(
        f"{left} &= {line}" if not k else f"&= {line}" for k, line in enumerate(lines)
    )
    return rf"\begin{{aligned}} {body} \end{{aligned}}"


# -- HTML ---------------------------------------------------------------------------------------

ITEM = "margin:.5em 0"


def path_html(path: Path, chain: Chain) -> str:
    """Return one path: its derivatives, their product, and the picture."""
    parts = [symbols_of(path), factors_of(path, chain), product_of(path.product, chain)]
    shown = [part for k, part in enumerate(parts) if part and part not in parts[:k]]
    name = element("code", escaped(route(path, " ← ")), CODE, class_=PLAIN)
    lines = element("div", name + " &nbsp; " + mathematics(" = ".join(shown)), SCROLLED)
    about = f"the path {route(path, ' ← ')}, highlighted in the graph of {chain.of}"
    several = chain.count > 1  # a single path needs no highlight
    shown = chain.picture(path.edges, about) if several and chain.picture is not None else ""
    if shown:
        lines += element("details", element("summary", "in the graph", MUTED) + shown, SCROLLED)
    return element("li", lines, ITEM)


def chain_list(chain: Chain) -> str:
    """Return the paths and their sum, without a heading."""
    items = "".join(path_html(path, chain) for path in chain.paths)
    listed = element("ul", items, "margin:.3em 0;padding-left:1.2em")
    notes = [more] if (more := unlisted(chain)) else []
    notes += [f"no products: {chain.note}"] if chain.note else []
    below = "".join(element("div", escaped(text), MUTED, class_=PLAIN) for text in notes)
    total = product_of(chain.total, chain)
    if total and chain.count > 1:
        formula = mathematics(f"{fraction(*chain.tex)} = {total}")
        below += element("div", "their sum: " + formula, SCROLLED)
    return listed + below


def chain_html(chain: Chain) -> str:
    """Return the chain rule for a notebook."""
    head = element("p", mathematics(fraction(*chain.tex)) + escaped(f" along {counted(chain)}"))
    return whole(head + chain_list(chain))

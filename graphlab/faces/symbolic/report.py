"""What a check found: a row for each tensor, and how it is shown.

Read next: faces/symbolic/report_table.py
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

VERDICTS = ("proved", "agrees", "undecided", "disagrees")  # from the best to the worst


def worst(verdicts: Sequence[str]) -> str:
    """The verdict on a tensor, given those on its entries.

    >>> worst(["proved", "disagrees", "agrees"])
    'disagrees'
    """
    return max(verdicts, key=VERDICTS.index, default="proved")


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A point at which a gradient is not the derivative, and both values there."""

    entry: str  # "W_0_1"
    point: dict[str, float]  # values by name; empty when there are too many to show
    gradient: float
    derivative: float

    def __str__(self) -> str:
        where = ", ".join(f"{name} = {value:.6g}" for name, value in list(self.point.items())[:8])
        return (
            f"for {self.entry}" + (f" at {where}" if where else "") + f": the gradient is "
            f"{self.gradient:.10g}, the derivative {self.derivative:.10g}"
        )


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """One tensor: its gradient as autograd computed it, beside its derivative.

    formula: SymPy's derivative; backward_formula: what the rules make on symbols. A single entry
    has an expression, others an array of them, and both are None where there are no formulas.
    symbolic_value: the formula at the current values; autograd_value: what autograd gives. A float
    for a single entry, else an array. numeric_value: the measured slope, where there is no formula.
    central_difference: the slope in float64 as `gradcheck` measures it, a third witness. ulps: how
    far autograd's value is from the exact one at most, in units in the last place of its type.
    sampled: the entries that were looked at, when they are not all. points: at how many points
    numbers were compared. defined: whether the formula has a value, and a slope, here. assumed:
    what the caller assumed of the tensor, "x > 0".
    note: reasons, assumptions, how constants were read, kinks. settled_by: what settled it.
    """

    name: str
    verdict: str
    formula: Any
    backward_formula: Any
    symbolic_value: Any
    autograd_value: Any
    note: str = ""
    settled_by: str = ""
    counterexample: Counterexample | None = None
    numeric_value: Any = None
    shape: tuple[int, ...] = ()
    central_difference: Any = None
    ulps: float | None = None
    sampled: tuple[tuple[int, ...], ...] = ()
    points: int = 0
    defined: bool = True
    assumed: str = ""
    checked: Any = field(
        default=None, repr=False
    )  # where it comes from: an CheckedGraph, the tensor

    @property
    def chain(self) -> Any:
        """The chain rule for this tensor, edge by edge. None without a graph."""
        from graphlab.faces.symbolic.chain_rule import chain_of

        if self.checked is None:
            return None
        checked, tensor = self.checked
        return chain_of(checked, tensor, self.backward_formula)

    @property
    def matrix(self) -> str:
        """The gradient in matrix notation, as LaTeX; "" where there is none."""
        from graphlab.faces.symbolic.matrix_notation import notation_of

        return "" if self.checked is None else notation_of(*self.checked)

    def latex(self) -> str:
        """The derivative as an equation in LaTeX."""
        from graphlab.faces.symbolic.written import row_latex

        return row_latex(self)

    def sympy_code(self) -> str:
        """Lines of Python that make the derivative in SymPy. Raises: ValueError."""
        from graphlab.faces.symbolic.written import row_sympy

        return row_sympy(self)

    def numpy_code(self) -> str:
        """A function in NumPy that gives the derivative's values. Raises: ValueError."""
        from graphlab.faces.symbolic.written import row_numpy

        return row_numpy(self)

    @property
    def ok(self) -> bool:
        """Whether the gradient is proved, or agrees."""
        return self.verdict in ("proved", "agrees")

    @property
    def word(self) -> str:
        """The verdict in full: it says no more than was shown.

        "agrees at 5 points"; "proved where defined", when the formula has no value here.
        """
        word = self.verdict
        if word == "agrees" and self.points:
            word += f" at {points_text(self.points)}"
        return word if self.defined or not self.ok else f"{word} where defined"


def points_text(count: int) -> str:
    """1 point, 2 points.

    >>> points_text(1), points_text(2)
    ('1 point', '2 points')
    """
    return f"{count} point" if count == 1 else f"{count} points"


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """Every gradient beside its derivative. `report.ok`, `report["a"].verdict`, `len(report)`.

    name: what the checked tensor is called, for display. latex: how each symbol is set. work: the
    entries that were calculated, as expressions and with many digits, and terms multiplied out.
    assumed: what the caller assumed of values, "x > 0". at: the values that were checked at, when
    they are not the current ones, "at x = 0.5". diagnosis: the nodes at fault,
    each a Diagnosis; `advice` says it in words.
    """

    rows: tuple[Row, ...]
    name: str = ""
    latex: Mapping[Any, str] = field(default_factory=dict)
    work: int = 0
    checked: Any = field(default=None, repr=False)  # the graph that was checked: an CheckedGraph
    assumed: tuple[str, ...] = ()
    at: str = ""
    diagnosis: tuple[Any, ...] = ()

    @property
    def advice(self) -> tuple[str, ...]:
        """What to look at when a gradient is wrong: a sentence for each node at fault."""
        from graphlab.faces.symbolic.diagnosis_text import sentence

        return tuple(sentence(one, self.checked) for one in self.diagnosis)

    @property
    def assumptions(self) -> str:
        """What every verdict rests on."""
        return "; ".join(["every symbol stands for a real number", *self.assumed])

    @property
    def ok(self) -> bool:
        """Whether every gradient is proved, or agrees."""
        return all(row.ok for row in self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    @overload
    def __getitem__(self, name: str | int) -> Row: ...
    @overload
    def __getitem__(self, name: slice) -> tuple[Row, ...]: ...
    def __getitem__(self, name: str | int | slice) -> Row | tuple[Row, ...]:
        """The row of a tensor, by its name or position. Raises KeyError that lists the names."""
        if isinstance(name, int | slice):
            return self.rows[name]
        for row in self.rows:
            if row.name == name:
                return row
        names = [row.name for row in self.rows]
        raise KeyError(f"no row is named {name!r} (must be one of {names})")

    def jacobian(self, wrt: Any = None) -> Any:
        """Every entry of the checked tensor by every entry of `wrt`, or of all leaves.

        Raises: ValueError when there is no formula, or are too many derivatives.
        """
        from graphlab.faces.symbolic.jacobian import jacobian_of

        return jacobian_of(*self._asked("jacobian", wrt))

    def hessian(self, wrt: Any = None) -> Any:
        """The second derivatives of a checked number by the entries of `wrt`, or of all leaves.

        Raises: ValueError when there is no formula, or are too many derivatives.
        """
        from graphlab.faces.symbolic.jacobian import hessian_of

        return hessian_of(*self._asked("hessian", wrt))

    def _asked(self, call: str, wrt: Any) -> tuple[Any, list[Any]]:
        """Where the report comes from, and the leaves that are meant. Raises: ValueError."""
        if self.checked is None:
            raise ValueError("this report was not made by a check: there is no graph behind it")
        if wrt is None:
            wrt = [row.checked[1] for row in self.rows if row.checked[1].is_leaf]
        tensors = list(wrt) if isinstance(wrt, list | tuple) else [wrt]
        leaves = [t for t in tensors if any(t is leaf for leaf in self.checked.named)]
        if not tensors or len(leaves) < len(tensors) or any(not t.is_leaf for t in leaves):
            raise ValueError(
                f"report.{call}(wrt=...) takes leaves of the checked graph, one or a list of them"
            )
        return self.checked, tensors

    @property
    def summary(self) -> str:
        """One sentence: "4 of 4 gradients proved"."""
        total = len(self.rows)
        if not total:
            return "no gradients to check"
        sorted_rows = {v: [r for r in self.rows if r.verdict == v] for v in VERDICTS}
        gradients = "gradient" if total == 1 else "gradients"
        sentence = f"{len(sorted_rows['proved'])} of {total} {gradients} proved"
        sentence += f", {self.at}" if self.at else ""
        for verdict, word in (("agrees", "in agreement"), ("undecided", "undecided")):
            if sorted_rows[verdict]:
                sentence += f", {len(sorted_rows[verdict])} {word}"
        if outside := [row.name for row in self.rows if row.ok and not row.defined]:
            sentence += f"; without a value here: {', '.join(outside)}"
        if wrong := sorted_rows["disagrees"]:
            sentence += f", {len(wrong)} WRONG: " + ", ".join(row.name for row in wrong)
        return sentence

    def __repr__(self) -> str:
        from graphlab.faces.symbolic.report_table import text_table

        return text_table(self)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text("Report(...)" if cycle else repr(self))

    def _repr_html_(self) -> str:
        from graphlab.faces.symbolic.report_table import html_table

        return html_table(self)

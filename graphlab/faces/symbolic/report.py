"""The result of a check: a row for each tensor.

Read next: faces/symbolic/report_table.py
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, overload

from graphlab.common.errors import described
from graphlab.common.notebook import printable_here
from graphlab.graph.codec import Unchanging

CHANGED = "a tensor was changed after the graph was made"
VERDICTS = ("proved", "agrees", "undecided", "disagrees")  # from best to worst


def worst(verdicts: Sequence[str]) -> str:
    """Return the verdict on a tensor, given those on its entries.

    >>> worst(["proved", "disagrees", "agrees"])
    'disagrees'
    """
    return max(verdicts, key=VERDICTS.index, default="proved")


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A point at which a gradient is not the derivative, and both values there."""

    entry: str  # "W_0_1"
    point: dict[str, float]  # values by name, without large tensors
    gradient: float
    derivative: float

    def __str__(self) -> str:
        where = ", ".join(f"{name} = {value:.6g}" for name, value in list(self.point.items())[:8])
        from graphlab.faces.symbolic.html_elements import told_apart

        at = f" at {where}" if where else ""
        given, slope = told_apart(self.gradient, self.derivative, 10)
        return f"for {self.entry}{at}: the gradient is {given}, the derivative {slope}"


@dataclass(frozen=True, slots=True, eq=False)
class Row(Unchanging):
    """One tensor: the gradient that autograd computed, and the derivative.

    formula: SymPy's derivative; backward_formula: the gradient that the rules give on symbols. Each
    is an expression for a single entry, else an array of expressions; None without a formula.
    symbolic_value: the formula at the current values; autograd_value: autograd's numbers; floats
    for a single entry, else arrays. numeric_value: the measured slope, if there is no formula.
    central_difference: the slope in float64 as `gradcheck` measures it. ulps: the largest distance
    of autograd's value from the exact one, in units in the last place of its dtype.
    sampled: the indices that were compared, if not all were. points: how many points were compared.
    defined: whether the derivative exists at the current values. assumed: what the caller assumed
    about the tensor, "x > 0". note: reasons, kinks, how constants were read. settled_by: the method
    that decided the verdict. checked: the CheckedGraph and the tensor. hooked: whether a hook
    changes the gradient; then autograd_value is the changed one, which is not compared. lost: the
    dtype in which no digit of autograd's value is right, by rounding or by its range; "" otherwise.
    yours: the gradient that the caller derived by hand, if there is one; slip: what is wrong with
    it, "" if it is right.
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
    checked: Any = field(default=None, repr=False)
    hooked: bool = False
    lost: str = ""
    yours: Any = None
    slip: str = ""

    def __repr__(self) -> str:
        from graphlab.faces.symbolic.report_table import row_text

        return printable_here(row_text(self))

    @property
    def chain(self) -> Any:
        """The chain rule for this tensor, edge by edge: a Chain. None without a graph."""
        from graphlab.faces.symbolic.chain_rule import chain_of

        if self.checked is None:
            return None
        checked, tensor = self.checked
        if tensor not in checked.chains:
            checked.chains[tensor] = chain_of(checked, tensor, self.backward_formula)
        return checked.chains[tensor]

    @property
    def matrix(self) -> str:
        """The gradient in matrix notation, as LaTeX; "" if there is none."""
        from graphlab.faces.symbolic.matrix_notation import notation_of

        return "" if self.checked is None else notation_of(*self.checked)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle all fields but the graph."""
        return Row, values_of(replace(self, checked=None))

    def latex(self) -> str:
        """Return the derivative as an equation in LaTeX. Raises: ValueError without a formula."""
        from graphlab.faces.symbolic.html_elements import formula_text, is_complete
        from graphlab.faces.symbolic.local_derivatives import set_by
        from graphlab.faces.symbolic.symbol_names import tex_name

        of = tex_name((self.checked and self.checked[0].name) or "f")
        left = rf"\frac{{\partial {of}}}{{\partial {tex_name(self.name)}}}"
        if self.formula is not None and not is_complete(self.formula):
            return rf"{left} = \text{{{formula_text(self.formula)}}}"
        return f"{left} = {set_by(self._formula(), self._symbols()[0])}"

    def sympy_code(self) -> str:
        """Return code that makes the derivative in SymPy. Raises: ValueError without a formula."""
        from graphlab.faces.symbolic.formula import sympy_code

        return sympy_code(self._formula())

    def numpy_code(self) -> str:
        """Return the code of a NumPy function for the derivative. Raises: ValueError."""
        from graphlab.faces.symbolic.formula import numpy_code

        return numpy_code(self._formula(), self._symbols()[1])

    def _formula(self) -> Any:
        from graphlab.faces.symbolic.html_elements import is_complete

        if self.formula is None:
            raise ValueError(f"there is no formula for {self.name}: {self.note}")
        if not is_complete(self.formula):
            raise ValueError(f"the formula for {self.name} is too long to write its conditions out")
        return self.formula

    def _symbols(self) -> tuple[Mapping[Any, Any], ...]:
        """Return the symbols of the formula in LaTeX, what they stand for, and their values."""
        from graphlab.faces.symbolic.chain_rule import symbols_of_row

        return ({}, {}, {}) if self.checked is None else symbols_of_row(*self.checked)

    @property
    def right(self) -> bool:
        """Whether the rules are right: the gradient is proved, or agrees."""
        return self.verdict in ("proved", "agrees")

    @property
    def ok(self) -> bool:
        """Whether the rules are right, and autograd's number is in the range of its dtype."""
        return self.right and self.counterexample is None

    @property
    def word(self) -> str:
        """The verdict in full: "agrees at 5 points", "proved where defined" if undefined here."""
        word = self.verdict
        if word == "agrees" and self.points:
            word += f" at {points_text(self.points)}"
        word = word if self.defined or not self.right else f"{word} where defined"
        return f"{word}, number lost" if self.lost and self.right else word


def values_of(row: "Row | Report") -> tuple[Any, ...]:
    """Return the values of all fields, in order."""
    return tuple(getattr(row, one.name) for one in fields(row))


def points_text(count: int) -> str:
    """Return "1 point", "2 points".

    >>> points_text(1), points_text(2)
    ('1 point', '2 points')
    """
    return f"{count} point" + "s" * (count != 1)


@dataclass(frozen=True, slots=True, eq=False)
class Report(Unchanging):
    """Every gradient and its derivative: `report.ok`, `report["a"].verdict`, `len(report)`.

    A report is true if it is `ok`, so that `assert check(loss)` fails for a wrong gradient.

    name: of the checked tensor. latex: each symbol in LaTeX. work: the number of entries calculated
    exactly or with 50 digits, and of terms expanded. checked: a CheckedGraph. assumed: what the
    caller assumed about values, "x > 0". at: the values, if they are not the current ones: "at x =
    0.5". diagnosis: the nodes at fault, each a Diagnosis; `advice` has a sentence for each.
    """

    rows: tuple[Row, ...]
    name: str = ""
    latex: Mapping[Any, str] = field(default_factory=dict)
    work: int = 0
    checked: Any = field(default=None, repr=False)
    assumed: tuple[str, ...] = ()
    at: str = ""
    diagnosis: tuple[Any, ...] = ()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle all fields but the graph; of the diagnosis, its sentences."""
        return Report, values_of(replace(self, checked=None, diagnosis=self.advice))

    @property
    def verdict(self) -> str:
        """The worst verdict on any gradient."""
        return worst([row.verdict for row in self.rows])

    @property
    def advice(self) -> tuple[str, ...]:
        """What to look at if a gradient is wrong: a sentence for each node at fault."""
        from graphlab.faces.symbolic.diagnosis_slopes import sentence

        found = self.diagnosis
        return tuple(one if isinstance(one, str) else sentence(one, self.checked) for one in found)

    @property
    def assumptions(self) -> str:
        """The assumptions behind every verdict."""
        return "; ".join(["every symbol stands for a real number", *self.assumed])

    @property
    def ok(self) -> bool:
        """Whether each gradient is proved, or agrees, none is out of range, and yours are right."""
        return all(row.ok and not row.slip for row in self.rows)

    def __bool__(self) -> bool:
        return self.ok

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    @overload
    def __getitem__(self, name: str | int) -> Row: ...
    @overload
    def __getitem__(self, name: slice) -> tuple[Row, ...]: ...
    def __getitem__(self, name: str | int | slice) -> Row | tuple[Row, ...]:
        """Return the row of a tensor, by name or position. Raises: KeyError."""
        if isinstance(name, int | slice):
            return self.rows[name]
        for row in self.rows:
            if row.name == name:
                return row
        names = [row.name for row in self.rows]
        raise KeyError(f"no row is named {name!r} (must be one of {names})")

    def jacobian(self, wrt: Any = None) -> Any:
        """Differentiate all entries of the checked tensor by those of `wrt`, default all leaves.

        Raises: ValueError if there is no formula, or there are too many derivatives.
        """
        from graphlab.faces.symbolic.jacobian import jacobian_of

        return jacobian_of(*self._graph_and_leaves("jacobian", wrt))

    def hessian(self, wrt: Any = None) -> Any:
        """Differentiate the checked number twice by the entries of `wrt`, default all leaves.

        Raises: ValueError if there is no formula, or there are too many derivatives.
        """
        from graphlab.faces.symbolic.jacobian import hessian_of

        return hessian_of(*self._graph_and_leaves("hessian", wrt))

    def _graph_and_leaves(self, call: str, wrt: Any) -> tuple[Any, list[Any]]:
        """Return the checked graph, and the leaves to differentiate by. Raises: ValueError."""
        if self.checked is None:
            raise ValueError("this report has no graph any more: it was pickled; call check again")
        if wrt is None:
            wrt = [row.checked[1] for row in self.rows if row.checked[1].is_leaf]
        by_name = {name: leaf for leaf, name in self.checked.named.items()}
        given = list(wrt) if isinstance(wrt, list | tuple) else [wrt]
        tensors = [by_name.get(one, one) if isinstance(one, str) else one for one in given]
        leaves = [t for t in tensors if any(t is leaf for leaf in self.checked.named)]
        if not tensors or len(leaves) < len(tensors) or any(not t.is_leaf for t in leaves):
            raise ValueError(
                f"report.{call}(wrt=...) takes leaves of the checked graph, one or a list of "
                f"{list(self.checked.named.values())}, got {described(wrt)}"
            )
        return self.checked, tensors

    @property
    def summary(self) -> str:
        """One sentence: "4 of 4 gradients proved"."""
        total = len(self.rows)
        if not total:
            return "no gradients to check"
        hooked = [row.name for row in self.rows if row.verdict == "undecided" and row.hooked]
        sorted_rows = {v: [r for r in self.rows if r.verdict == v] for v in VERDICTS}
        sorted_rows["undecided"] = sorted_rows["undecided"][len(hooked) :]
        gradients = "gradient" if total == 1 else "gradients"
        sentence = f"{len(sorted_rows['proved'])} of {total} {gradients} proved"
        sentence += f", {self.at}" if self.at else ""
        for verdict, word in (("agrees", "in agreement"), ("undecided", "undecided")):
            if sorted_rows[verdict]:
                sentence += f", {len(sorted_rows[verdict])} {word}"
        if hooked:
            sentence += f", {len(hooked)} changed by a hook: {', '.join(hooked)}"
        if outside := [row.name for row in self.rows if row.right and not row.defined]:
            sentence += f"; without a value here: {', '.join(outside)}"
        if lost := [row for row in self.rows if row.right and row.lost]:
            names = ", ".join(row.name for row in lost)
            sentence += f"; {lost[0].lost} loses the number of autograd: {names}"
        if wrong := sorted_rows["disagrees"]:
            sentence += f", {len(wrong)} WRONG: " + ", ".join(row.name for row in wrong)
        if own := [row for row in self.rows if row.yours is not None]:
            slips = [row.name for row in own if row.slip]
            sentence += f"; of yours, {len(own) - len(slips)} of {len(own)} right"
            sentence += f", WRONG: {', '.join(slips)}" if slips else ""
        return sentence

    def __repr__(self) -> str:
        from graphlab.faces.symbolic.report_table import text_table

        return printable_here(text_table(self))

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text("Report(...)" if cycle else repr(self))

    def _repr_html_(self) -> str:
        from graphlab.faces.symbolic.report_table import html_table

        return html_table(self)

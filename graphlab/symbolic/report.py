"""What a check found: a row for each tensor, and how it is shown.

Read next: symbolic/table.py
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

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

    @property
    def ok(self) -> bool:
        """Whether the gradient is proved, or agrees."""
        return self.verdict in ("proved", "agrees")


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """Every gradient beside its derivative. `report.ok`, `report["a"].verdict`, `len(report)`.

    name: what the checked tensor is called, for display. latex: how each symbol is set. work: the
    entries that were calculated, as expressions and with many digits, and terms multiplied out.
    """

    rows: tuple[Row, ...]
    name: str = ""
    latex: Mapping[Any, str] = field(default_factory=dict)
    work: int = 0

    assumptions = "every symbol stands for a real number"

    @property
    def ok(self) -> bool:
        """Whether every gradient is proved, or agrees."""
        return all(row.ok for row in self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __getitem__(self, name: str | int) -> Row:
        """The row of a tensor, by its name or position. Raises KeyError that lists the names."""
        if isinstance(name, int):
            return self.rows[name]
        for row in self.rows:
            if row.name == name:
                return row
        names = [row.name for row in self.rows]
        raise KeyError(f"no row is named {name!r} (must be one of {names})")

    @property
    def summary(self) -> str:
        """One sentence: "4 of 4 gradients proved"."""
        total = len(self.rows)
        if not total:
            return "no gradients to check"
        sorted_rows = {v: [r for r in self.rows if r.verdict == v] for v in VERDICTS}
        gradients = "gradient" if total == 1 else "gradients"
        sentence = f"{len(sorted_rows['proved'])} of {total} {gradients} proved"
        for verdict, word in (("agrees", "in agreement"), ("undecided", "undecided")):
            if sorted_rows[verdict]:
                sentence += f", {len(sorted_rows[verdict])} {word}"
        if wrong := sorted_rows["disagrees"]:
            sentence += f", {len(wrong)} WRONG: " + ", ".join(row.name for row in wrong)
        return sentence

    def __repr__(self) -> str:
        from graphlab.symbolic.table import text_table

        return text_table(self)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text("Report(...)" if cycle else repr(self))

    def _repr_html_(self) -> str:
        from graphlab.symbolic.table import html_table

        return html_table(self)

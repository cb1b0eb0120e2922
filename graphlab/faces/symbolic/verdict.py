"""Compare the number that autograd gave with the value of the derivative.

Two things may lie between them. One is rounding: how much of it there can be is measured, not
guessed. The other is a kink: where the slopes on both sides differ, any number between them is
valid.

Read next: faces/symbolic/comparison.py
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from graphlab.faces.symbolic.budget import Budget, Unsupported
from graphlab.faces.symbolic.finite_differences import sides_of_kink
from graphlab.faces.symbolic.live_graph import key_of
from graphlab.faces.symbolic.numeric_check import (
    OUTSIDE,
    Disagreement,
    Place,
    PointEvaluation,
    Problem,
    current_point,
    is_smooth,
)
from graphlab.faces.symbolic.report import Counterexample
from graphlab.faces.symbolic.rounding_error import Rounding
from graphlab.faces.symbolic.symbolic_graph import SymbolicGraph

JUMP = 1e12  # a ratio of one-sided slopes, over steps of 1e-16, that only a jump gives


@dataclass(slots=True)
class Finding:
    """What is known of one entry of a gradient."""

    verdict: str
    settled_by: str = ""
    value: float = float("nan")  # of the derivative at the current values
    notes: list[str] = field(default_factory=list)
    derivative: Any = None
    rule: Any = None
    counterexample: Counterexample | None = None
    measured: bool = False  # whether the value is a slope in float64, which is not exact
    central: float = float("nan")  # the slope as gradcheck measures it
    points: int = 0  # how many points were compared
    defined: bool = True  # whether there is a derivative at the current values


@dataclass(frozen=True, slots=True)
class NumberCheck:
    """The comparison of autograd's numbers with the values of the derivatives.

    kind: the type with the fewest digits in the graph. undefined: why the formula has no value at
    the current values; "" where it has one.
    """

    problem: Problem
    kind: np.dtype
    rounding: Rounding | None
    formulas: SymbolicGraph | None
    digits: Budget
    floats: Budget
    undefined: str = ""

    def compare(self, place: Place, finding: Finding, grad: np.ndarray) -> Disagreement | None:
        """Compare one entry of `grad`; note what matters, and return where the number is wrong."""
        got, want = float(grad[place[1]]), finding.value
        if np.isnan(want) and not self.undefined:
            low, high = self.slopes(place)
            if is_smooth(low, high):  # such as 0ʸ by y, whose formula 0ʸ log 0 has no value
                want = finding.value = low
        if self.undefined or np.isnan(want):
            why = self.undefined or "here the derivative has no value"
            finding.notes.append(f"{why}, so no numbers were compared")
            finding.defined, finding.value = False, float("nan")
            return None
        allowed = self.allowed(place, finding, grad)
        too_large = abs(want) > float(np.finfo(self.kind).max)
        close = abs(got - want) <= allowed or (np.isinf(got) and too_large)
        if not close or self.on_kink(finding):
            low, high = self.slopes(place)
            if is_smooth(low, high) and self.on_kink(finding):
                # the parts of the formula meet here, and so do their slopes
                want = finding.value = low
                close = abs(got - want) <= allowed
            elif np.isfinite(got) and low < high and not is_smooth(low, high):
                want, too_large = min(max(got, low), high), False
                finding.notes.append(kink_note(low, high, got))
                close = abs(got - want) <= allowed
        if close:
            self.note_rounding(finding, got, want, too_large)
            return None
        finding.verdict = "disagrees"
        if self.formulas is not None and self.formulas.arithmetic.kinks:
            finding.notes.append(
                f"at the current values kinks cancel: the derivative is {want:.6g}, but the slopes "
                "that PyTorch takes at the kinks do not add up to it"
            )
        elif not np.isfinite(got):
            finding.notes.append(
                f"in {self.kind} an intermediate value is infinite or nan: autograd gives {got}"
            )
        elif not (self.problem.graph.custom or finding.measured):
            finding.notes.append("the rules are right, but autograd gives another number")
        point = {t: np.asarray(t._data, np.float64) for t in self.problem.given}
        return Disagreement(place, point, got, want)

    def note_rounding(self, finding: Finding, got: float, want: float, too_large: bool) -> None:
        """Note a number that is right, and yet far from the exact one."""
        if too_large:
            large = f"as large as {want:.6g}" if np.isfinite(want) else "so large"
            finding.notes.append(f"{self.kind} cannot represent a number {large}")
            return
        scale = max(abs(got), abs(want))
        far = abs(got - want) > 1e-2 * scale and np.isfinite(got)
        if far and scale > np.finfo(self.kind).tiny:
            finding.notes.append(f"{self.kind} rounds here: autograd is off by {got - want:.2g}")

    def allowed(self, place: Place, finding: Finding, grad: np.ndarray) -> float:
        """How far rounding may move autograd's number from the exact one."""
        finite = grad[np.isfinite(grad)]
        scale = max(abs(finding.value), float(np.max(np.abs(finite), initial=0.0)))
        kind = np.finfo(self.kind)
        unit, floor = float(kind.eps), float(kind.tiny)  # below `tiny` a float loses its digits
        spread = None if self.rounding is None else self.rounding.spreads.get(key_of(place[0]))
        if spread is None or not np.all(np.isfinite(spread)):
            return 2_000 * unit * scale + 1e-7 * abs(finding.value) + floor
        slack = 1e-6 * abs(finding.value) if finding.measured else 0.0
        return 20 * float(np.asarray(spread)[place[1]]) + 16 * unit * scale + slack + floor

    def on_kink(self, finding: Finding) -> bool:
        """Whether the current values lie on a kink of this entry's formulas."""
        if self.formulas is None or finding.derivative is None:
            return False
        return self.formulas.on_kink(finding.derivative, finding.rule)

    def slopes(self, place: Place) -> tuple[float, float]:
        """The least and the greatest valid slope at the current values; NaN where none is known."""
        room = self.rounding is None or 3 * self.rounding.work <= self.digits.left  # three runs
        try:
            if room:
                point = current_point(self.problem)
                slopes = PointEvaluation(self.problem, point, 50, self.digits).one_sided(place)
                return min(slopes), max(slopes)
        except (Unsupported, OverflowError, *OUTSIDE):
            pass
        try:
            return sides_of_kink(self.problem, place, self.floats)
        except Unsupported:
            return float("nan"), float("nan")


def kink_note(low: float, high: float, got: float) -> str:
    """The note about a place where the slopes on both sides differ."""
    if max(abs(low), abs(high)) > JUMP * (1 + min(abs(low), abs(high))):
        return (
            "the function jumps at the current values and has no slope there; "
            f"autograd takes {got:.6g}"
        )
    return (
        f"the current values lie on a kink: any slope from {low:.6g} to {high:.6g} is valid, "
        f"autograd takes {got:.6g}"
    )

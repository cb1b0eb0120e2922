"""The number that autograd gave, beside the value of the derivative: is it the same?

Two things may lie between them. Rounding: how much of it there can be is measured, not guessed. And
a kink: where the slopes to both sides differ, any number between them is right.

Read next: faces/symbolic/comparison.py
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from graphlab.autograd.backward import key_of
from graphlab.faces.symbolic.budget import Budget, Unsupported, within
from graphlab.faces.symbolic.finite_differences import Rounding, sides_of_kink
from graphlab.faces.symbolic.numeric_check import (
    OUTSIDE,
    Disagreement,
    Place,
    PointEvaluation,
    Problem,
    is_smooth,
    now,
)
from graphlab.faces.symbolic.report import Counterexample
from graphlab.faces.symbolic.symbolic_graph import SymbolicGraph

JUMP = 1e12  # one-sided slopes so far apart are no slopes: they are taken over 1e-16


@dataclass(slots=True)
class Finding:
    """What is known of one entry."""

    verdict: str
    settled_by: str = ""
    value: float = float("nan")  # what its gradient should be at the current values
    notes: list[str] = field(default_factory=list)
    derivative: Any = None
    rule: Any = None
    counterexample: Counterexample | None = None
    measured: bool = False  # the value is a slope in float64, which is not exact
    central: float = float("nan")  # the slope as gradcheck measures it
    points: int = 0  # at which numbers were compared
    defined: bool = True  # whether there is a derivative at the current values


@dataclass(frozen=True, slots=True)
class NumberCheck:
    """What a comparison with autograd's numbers needs to know.

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
        """Note what there is to say; where the number is wrong, say so in the finding too."""
        got, want = float(grad[place[1]]), finding.value
        if np.isnan(want) and not self.undefined:
            low, high = self.slopes(place)
            if is_smooth(low, high):  # as of 0ʸ by y, which its formula 0ʸ log 0 does not tell
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
                jumps = max(abs(low), abs(high)) > JUMP * (1 + min(abs(low), abs(high)))
                finding.notes.append(
                    "the function jumps at the current values and has no slope there; "
                    f"autograd takes {got:.6g}"
                    if jumps
                    else f"the current values lie on a kink: any slope from {low:.6g} to "
                    f"{high:.6g} is valid, autograd takes {got:.6g}"
                )
                close = abs(got - want) <= allowed
        if close:
            if too_large:
                large = f"as large as {want:.6g}" if np.isfinite(want) else "so large"
                finding.notes.append(f"{self.kind} has no number {large}")
                return None
            scale = max(abs(got), abs(want))
            if (
                abs(got - want) > 1e-2 * scale
                and np.isfinite(got)
                and scale > np.finfo(self.kind).tiny
            ):
                finding.notes.append(
                    f"{self.kind} rounds here: autograd is off by {got - want:.2g}"
                )
            return None
        finding.verdict = "disagrees"
        if self.formulas is not None and self.formulas.arithmetic.kinks:
            finding.notes.append(
                f"the current values lie where kinks cancel: the derivative is {want:.6g}, and "
                "what PyTorch takes at each kink does not add up to it"
            )
        elif not np.isfinite(got):
            finding.notes.append(
                f"in {self.kind} a value on the way is infinite or is none: autograd gives {got}"
            )
        elif not (self.problem.graph.custom or finding.measured):
            finding.notes.append("the rules are right, but autograd gives another number")
        point = {t: np.asarray(t._data, np.float64) for t in self.problem.given}
        return Disagreement(place, point, got, want)

    def allowed(self, place: Place, finding: Finding, grad: np.ndarray) -> float:
        """How far rounding may take autograd's number from the exact one."""
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

    def one_sided(self, place: Place) -> tuple[float, float]:
        """The slopes to the left and to the right at the current values, from 50 digits."""
        return PointEvaluation(self.problem, now(self.problem), 50, self.digits).one_sided(place)

    def slopes(self, place: Place) -> tuple[float, float]:
        """The least and the greatest valid slope at the current values; NaN where none is known."""
        room = self.rounding is None or 3 * self.rounding.work <= self.digits.left  # three runs
        try:
            if room:
                slopes = within(self.digits.clock, lambda: self.one_sided(place))
                return min(slopes), max(slopes)
        except (Unsupported, OverflowError, *OUTSIDE):
            pass
        try:
            return sides_of_kink(self.problem, place, self.floats)
        except Unsupported:
            return float("nan"), float("nan")

"""Compare autograd's number with the value of the derivative.

They may differ for two valid reasons. One is rounding: how large its error can be is measured, not
guessed. The other is a kink: if the slopes on both sides differ, any number between them is valid.

Read next: faces/symbolic/comparison.py
"""

from dataclasses import dataclass, field
from math import nan
from typing import Any

import numpy as np

from graphlab.faces.symbolic.budget import Budget, Unsupported
from graphlab.faces.symbolic.finite_differences import (
    OUTSIDE,
    Sides,
    one_sided_slopes,
    sides_in_floats,
)
from graphlab.faces.symbolic.live_graph import Key, key_of
from graphlab.faces.symbolic.numeric_check import PRECISIONS, Disagreement, evaluate_here
from graphlab.faces.symbolic.problem import Place, Problem
from graphlab.faces.symbolic.report import Counterexample
from graphlab.faces.symbolic.rounding_error import NumberRange, Rounding, ran_again, spreads_inside
from graphlab.faces.symbolic.symbolic_graph import SymbolicGraph

LARGEST_RERUN = 20_000_000  # entries: a larger graph does not run again in float64
NOTED, FAR = 1e-3, 0.1  # relative rounding errors: a note says so; no digit is right
ZERO = 1e-6  # relative: smaller derivatives count as 0
IN_FLOATS = "central differences in float64"  # a value of settled_by


@dataclass(slots=True)
class Finding:
    """What is known about one entry of a gradient."""

    verdict: str
    settled_by: str = ""
    value: float = float("nan")  # of the derivative at the current values
    notes: list[str] = field(default_factory=list)
    derivative: Any = None
    rule: Any = None
    counterexample: Counterexample | None = None
    measured: bool = False  # whether the value is a slope in float64, which is not exact
    error: float = 0.0  # how far a measured value may be off
    central: float = float("nan")  # the slope as gradcheck measures it
    points: int = 0  # how many points were compared
    off: float = 0.0  # the rounding error of autograd's number, if it is large
    lost: bool = False  # whether autograd's number is far from the derivative, by rounding alone
    defined: bool = True  # whether there is a derivative at the current values


@dataclass(frozen=True, slots=True)
class NumberCheck:
    """The comparison of autograd's numbers with the values of the derivatives.

    kind: the dtype with the fewest digits in the graph. undefined: why the formula has no value at
    the current values; "" if it has one.
    """

    problem: Problem
    kind: np.dtype
    rounding: Rounding | None
    formulas: SymbolicGraph | None
    digits: Budget
    floats: Budget
    undefined: str = ""

    def compare(self, place: Place, finding: Finding, grad: np.ndarray) -> Disagreement | None:
        """Compare one entry of `grad`, add notes, and return the disagreement if it is wrong."""
        got = float(grad[place[1]])
        if self.undefined:
            return uncompared(finding, self.undefined)
        if np.isnan(finding.value) and (why := self.without_formula(place, finding, got, grad)):
            return uncompared(finding, why)
        want = finding.value
        allowed = self.allowed(place, finding, grad)
        too_large = abs(want) > float(np.finfo(self.kind).max)
        close = abs(got - want) <= allowed or (np.isinf(got) and too_large)
        if not close and self.formulas is not None and finding.derivative is not None:
            # large terms of the formula may cancel to less than 50 digits of the largest one
            exact = self.formulas.value(finding.derivative, PRECISIONS[-1])
            if not np.isnan(exact):
                want = finding.value = exact
                close = abs(got - want) <= self.allowed(place, finding, grad)
        if not close and (why := self.why_lost(place, got, want, grad)):
            finding.lost = True
            finding.notes.append(f"a number is {why} {self.kind}: autograd gives {got:.6g}")
            return self.disagreement(place, got, want)
        if not close and np.isfinite(got) and not self.on_kink(finding):
            close = abs(got - want) <= allowed + 20 * self.inside(place)
            close = close or self.is_right_in_float64(place, got, want, grad)
        if not close or self.on_kink(finding):
            sides = self.sides(place)
            if sides.smooth and self.on_kink(finding):
                # parts of the formula meet here with the same slope
                want = finding.value = sides.left
                close = abs(got - want) <= allowed
            elif np.isfinite(got) and sides.kink:
                want, too_large = min(max(got, sides.low), sides.high), False
                finding.notes.append(kink_note(sides, got))
                close = abs(got - want) <= allowed
            elif np.isnan(got) and sides.kink:
                return uncompared(finding, f"{no_slope(sides)}, and autograd gives nan")
            elif np.isfinite(got) and sides.jumps:
                finding.notes.append(kink_note(sides, got))
                finding.value, want, too_large, close = nan, got, False, True
            elif not np.isfinite([got, sides.only]).any() and self.on_kink(finding):
                finding.value = want = nan
                finding.notes.append(without_value(sides, finding))
        if close and self.is_repeated(place, got, want, grad):
            self.note_rounding(finding, got, want, too_large, grad)
            return None
        finding.verdict = "disagrees"
        if not np.isfinite(got):
            finding.notes.append(
                f"in {self.kind} an intermediate value is infinite or NaN: autograd gives {got}"
            )
        elif self.formulas is not None and self.formulas.arithmetic.kinks:
            finding.notes.append(
                f"at the current values kinks cancel: the derivative is {want:.6g}, but the slopes "
                "that PyTorch takes at the kinks do not add up to it"
            )
        elif not (self.problem.graph.custom or finding.measured):
            finding.notes.append("the rules are right, but autograd gives another number")
        return None if np.isnan(want) else self.disagreement(place, got, want)

    def disagreement(self, place: Place, got: float, want: float) -> Disagreement:
        """Return a number that is not the derivative, with the current values."""
        point = {t: np.asarray(t._data, np.float64) for t in self.problem.given}
        return Disagreement(place, point, got, want)

    def note_rounding(
        self, finding: Finding, got: float, want: float, too_large: bool, grad: Any
    ) -> None:
        """Note that a number is right although it is far from the exact one."""
        if too_large:
            large = f"as large as {want:.6g}" if np.isfinite(want) else "so large"
            finding.notes.append(f"{self.kind} cannot represent a number {large}")
            return
        scale = max(abs(got), abs(want))
        off = abs(got - want)
        if off > NOTED * scale and np.isfinite(got) and scale > np.finfo(self.kind).tiny:
            finding.off = got - want
            largest = max(abs(want), largest_of(grad))
            # a derivative of 0 is often found as 1e-9, which is no reason for a warning
            root = 1.0 if self.rounding is None else np.max(np.abs(self.rounding.root), initial=1)
            material = abs(want) > ZERO * abs(got) or off > NOTED * root
            finding.lost = bool(material and off > FAR * largest)

    def allowed(self, place: Place, finding: Finding, grad: np.ndarray) -> float:
        """Return how far rounding may move autograd's number from the exact one."""
        scale = max(abs(finding.value), largest_of(grad))
        kind = np.finfo(self.kind)
        unit, floor = float(kind.eps), float(kind.tiny)  # below `tiny` a float has fewer digits
        spread = None if self.rounding is None else self.rounding.spreads.get(key_of(place[0]))
        if spread is None or not np.all(np.isfinite(spread)):
            floor += finding.error + 1e-7 * abs(finding.value)
            return unit * (2_000 * abs(finding.value) + 50 * scale) + floor
        slack = 1e-6 * abs(finding.value) if finding.measured else 0.0
        return 20 * float(np.asarray(spread)[place[1]]) + 16 * unit * scale + slack + floor

    def inside(self, place: Place) -> float:
        """Return how far rounding within the rules may move the entries; 0 if that is unknown."""
        if self.rounding is None or not self.rounding.spreads:
            return 0.0
        if not self.rounding.within:
            try:
                found = spreads_inside(self.problem, self.rounding, self.kind, self.floats)
            except Unsupported:
                return 0.0
            self.rounding.within.update(found)
        spread = self.rounding.within.get(key_of(place[0]))
        return 0.0 if spread is None else float(np.max(spread, initial=0.0))

    def runs(self, rounding: Rounding) -> list[tuple[dict[Key, Any], float]]:
        """Return the gradients when the graph runs again, in float64 and in its own dtypes."""
        if not rounding.doubles:
            rounding.doubles.extend(
                gradients_again(self.problem, double) for double in (True, False)
            )
        return rounding.doubles

    def is_repeated(self, place: Place, got: float, want: float, grad: Any) -> bool:
        """Return whether a number that is not exact is what the graph gives when it runs again.

        If not, no rounding made it, but a hook, or a change of a saved tensor.
        """
        few = 4 * float(np.finfo(self.kind).eps) * float(np.max(np.abs(grad), initial=0.0))
        rounding = self.rounding
        if not abs(got - want) > few or rounding is None or rounding.work > LARGEST_RERUN:
            return True
        again = self.runs(rounding)[1][0].get(key_of(place[0]))
        return again is None or not abs(float(np.asarray(again)[place[1]]) - got) > few

    def why_lost(self, place: Place, got: float, want: float, grad: Any) -> str:
        """Say why a number is lost, if one before it overflows, underflows or is rounded to 0."""
        if self.rounding is None or self.rounding.work > LARGEST_RERUN or np.isnan(want):
            return ""
        if np.isfinite(got) and not self.is_right_in_float64(place, want, want, grad):
            return ""
        if not (ran := self.rounding.ran):
            ran.append(NumberRange(self.problem, self.kind, self.floats))
        if ran[0].event is None or not ran[0].repeats(place, got):
            return ""
        return "lost to rounding in" if "rounds" in ran[0].event.why else "out of the range of"

    def is_right_in_float64(self, place: Place, got: float, want: float, grad: Any) -> bool:
        """Return whether a number differs only by rounding, which disappears in float64.

        Rounding may spoil all digits of a gradient that is small beside the largest in the graph.
        """
        if self.kind == np.float64 or self.rounding is None or self.rounding.work > LARGEST_RERUN:
            return False
        (found, largest), (again, _) = self.runs(self.rounding)
        if (end := key_of(place[0])) not in found:
            return False
        doubled, repeated = (
            float(np.asarray(run[end])[place[1]]) if end in run else nan for run in (found, again)
        )
        unit = float(np.finfo(self.kind).eps)
        own = largest_of(grad)
        near = UNITS * unit * largest
        if not abs(got - repeated) <= 4 * unit * abs(got):  # perhaps a saved tensor was changed
            near = min(LOST * own, near)
        close = CLOSE * max(abs(want), 1e-3 * own)
        return abs(got - want) <= near and abs(doubled - want) <= close

    def on_kink(self, finding: Finding) -> bool:
        """Return whether the current values lie on a kink of this entry's formulas."""
        if self.formulas is None or finding.derivative is None:
            return False
        return self.formulas.on_kink(finding.derivative, finding.rule)

    def without_formula(self, place: Place, finding: Finding, got: float, grad: Any) -> str:
        """Set the finding's value to the measured slope, or return why there is none to compare.

        It is called if the formula has no value, such as 0ʸ log 0, the derivative of 0ʸ by y.
        """
        sides = self.sides(place)
        if sides.smooth:
            finding.value = sides.left
            finding.notes.append("here the formula has no value: both slopes were measured")
        elif sides.kink and np.isnan(got):
            return f"{no_slope(sides)}, and autograd gives nan"
        elif sides.kink:
            finding.value = min(max(got, sides.low), sides.high)
            finding.notes.append(kink_note(sides, got))
        elif np.isfinite(sides.only):
            finding.value = sides.only
            if not abs(got - sides.only) <= self.allowed(place, finding, grad):
                finding.value = float("nan")
                return f"{edge_note(sides)}, but autograd gives {got:.6g}"
            finding.notes.append(edge_note(sides))
        else:
            return without_value(sides, finding)
        return ""

    def sides(self, place: Place) -> Sides:
        """Return the slopes on both sides at the current values; NaN if none is known."""
        room = self.rounding is None or 6 * self.rounding.work <= self.digits.left  # six runs
        try:
            if room:
                return one_sided_slopes(evaluate_here(self.problem, self.digits, True), place)
        except (Unsupported, OverflowError, *OUTSIDE):
            pass
        try:
            return sides_in_floats(self.problem, place, self.floats)
        except Unsupported:
            return Sides(nan, nan)


def largest_of(grad: np.ndarray) -> float:
    """Return the size of the largest finite entry."""
    return float(np.max(np.abs(grad[np.isfinite(grad)]), initial=0.0))


def uncompared(finding: Finding, why: str) -> None:
    """Note why no numbers were compared; an agreement found in float64 becomes undecided."""
    finding.notes.append(f"{why}, so no numbers were compared")
    finding.defined = False
    if not np.isinf(finding.value):
        finding.value = nan
    if finding.verdict == "agrees" and finding.settled_by == IN_FLOATS:
        finding.verdict, finding.settled_by, finding.points = "undecided", "", 0


def without_value(sides: Sides, finding: Finding) -> str:
    """Say why there is no derivative at the current values; the finding may get an infinite one."""
    if sides.jumps:
        return "here the function jumps and has no derivative"
    known = [slope for slope in (sides.left, sides.right) if not np.isnan(slope)]
    if not known:
        return "here the derivative has no value"
    if len(set(known)) == 1:
        finding.value = known[0]
        return "here the derivative is infinite"
    return no_slope(sides)


def no_slope(sides: Sides) -> str:
    """Say that the slopes on both sides differ."""
    return (
        f"here there is no derivative: the slope is {sides.left:.6g} on the left and "
        f"{sides.right:.6g} on the right"
    )


def edge_note(sides: Sides) -> str:
    """Return the note about a point at the edge of the domain, where there is one slope."""
    side = "right" if np.isnan(sides.left) else "left"
    where = "the current values lie at the edge of the domain"
    return f"{where}: the slope on the {side} is {sides.only:.6g}"


def kink_note(sides: Sides, got: float) -> str:
    """Return the note about a point at which the slopes on both sides differ."""
    if sides.jumps:
        return (
            "the function jumps at the current values and has no slope there; "
            f"autograd takes {got:.6g}"
        )
    return (
        f"the current values lie on a kink: any slope from {sides.low:.6g} to {sides.high:.6g} is "
        f"valid, autograd takes {got:.6g}"
    )


# -- the same graph again ------------------------------------------------------------------------

# A rule may lose digits, as the layer norm of two entries does in float32. If autograd is right in
# float64, the difference was rounding.

CLOSE = 1e-6  # relative: constants are read as decimals, which float32 stores to about 1e-7
LOST = 0.01  # the share of a gradient that may be rounding error, unless a new run gives it again
UNITS = 64  # rounding errors of the largest gradient in the graph


def gradients_again(problem: Problem, double: bool) -> tuple[dict[Key, Any], float]:
    """Return the gradients, by key, and the largest number in them; ({}, 0) if it fails.

    double: run in float64; otherwise the graph runs in its own dtypes.
    """
    try:
        found = ran_again(problem, double)[1]
    except Exception:  # a user-defined Function may raise anything
        return {}, 0.0
    each = (g for grad in found.values() for g in (grad if isinstance(grad, tuple) else (grad,)))
    sizes = (float(np.max(np.abs(one), initial=0.0)) for one in each if one is not None)
    return found, max(sizes, default=0.0)

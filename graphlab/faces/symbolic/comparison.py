"""Compare the gradients of one graph: by proof if there are formulas, otherwise by numbers.

Numbers have 50 digits, or are float64 if that is too expensive.

Read next: faces/symbolic/report_rows.py
"""

import random
from collections.abc import Mapping, Sequence
from contextlib import suppress
from math import isnan
from typing import Any

import numpy as np

from graphlab.faces.symbolic.budget import Allowance, ShapeMismatch, Unsupported, guarded
from graphlab.faces.symbolic.elsewhere import compare_on_branches
from graphlab.faces.symbolic.finite_differences import (
    FLOAT_OVERHEAD,
    FLOAT_WORK,
    OUTSIDE,
    Slope,
    central_differences,
    float_gradients,
    one_sided_slopes,
)
from graphlab.faces.symbolic.live_graph import Tensor, key_of, rerun
from graphlab.faces.symbolic.numeric_check import (
    POINTS,
    Disagreement,
    Suspected,
    Unstable,
    compare_at,
    compare_at_random_points,
    evaluate_here,
    part_without_value,
)
from graphlab.faces.symbolic.problem import Place, Problem
from graphlab.faces.symbolic.report import CHANGED, Counterexample, points_text
from graphlab.faces.symbolic.rounding_error import Rounding, coarsest_type, other_value, rounding_of
from graphlab.faces.symbolic.symbol_names import SymbolTable, entry_name
from graphlab.faces.symbolic.symbolic_graph import DERIVATIVE_WORK, SYMBOL_WORK, SymbolicGraph
from graphlab.faces.symbolic.verdict import IN_FLOATS, Finding, NumberCheck
from graphlab.faces.symbolic.zero_test import PROOF_WORK, prove_zero
from graphlab.primitives.sympy_reading.object_arrays import places

DIGIT_WORK = 150_000  # entries calculated with many digits
ALL = 64  # up to this number of entries, all are compared
NOWHERE = "no point was found at which the formula has a real value of 50 digits"
SAMPLE = 4  # entries of each leaf that are compared if there are more


class Comparison:
    """The comparison of one graph's gradients with the derivatives."""

    def __init__(
        self,
        problem: Problem,
        root: Tensor,
        named: Mapping[Tensor, str],
        allowance: Allowance,
        detached: str = "",
    ) -> None:
        self.problem, self.root, self.named = problem, root, named
        self.detached = detached  # where the graph was cut, if that is known
        self.steps = ""  # a note that the rule of every step is proved
        self.kind = coarsest_type(problem, root)
        self.symbols = allowance.budget(SYMBOL_WORK)
        self.derivatives = allowance.budget(DERIVATIVE_WORK)
        self.terms = allowance.budget(PROOF_WORK)
        self.digits = allowance.budget(DIGIT_WORK)
        self.floats = allowance.budget(FLOAT_WORK, FLOAT_OVERHEAD)
        self.float_reserve = allowance.budget(FLOAT_WORK, least=0.4).left
        self.table = SymbolTable()
        self.formulas: SymbolicGraph | None = None
        self.rounding: Rounding | None = None
        self.reason = ""  # why there are no formulas
        self.stale = ""  # how the graph's values differ from those at its forward pass
        self.undefined = ""  # why the formula has no value at the current values
        self.sampling = ""  # which entries are compared, if not all are
        self.wrong: Disagreement | None = None  # the first that was found
        self.mismatch: ShapeMismatch | None = None  # a rule whose gradient has the wrong shape

    @property
    def work(self) -> int:
        """The number of entries calculated exactly or with 50 digits, and of terms expanded."""
        return self.digits.spent + self.terms.spent + self.symbols.spent

    def findings(
        self, targets: Sequence[Tensor], found: Mapping[Tensor, Any]
    ) -> dict[Place, Finding]:
        """Return what is known about the targets' entries. found: autograd's gradient of each."""
        self.undefined = self.not_finite()
        self.run_again()
        try:
            with guarded("writing the formula"):
                self.formulas = SymbolicGraph(
                    self.problem, self.named, self.table, self.symbols, self.derivatives
                )
            total = self.formulas.value_off_kinks()
            self.stale = self.stale or other_value(self.problem, self.rounding, total)
        except Unsupported as reason:
            self.no_formulas(reason)
        if self.rounding is None or not np.all(np.isfinite(self.rounding.root)):
            self.undefined = self.undefined or self.without_value()
        wanted = self.sample(targets)
        findings = self.proofs(wanted) if self.formulas else {}
        self.compare_numbers([p for p in wanted if p not in findings], findings)
        self.compare_with_autograd(findings, found)
        if self.mismatch is not None:
            behind = self.problem.graph.behind(self.mismatch.node._next[self.mismatch.input])
            for place, finding in findings.items():
                if key_of(place[0]) in behind:
                    finding.verdict, finding.settled_by = "disagrees", "the shape"
        with suppress(Unsupported), guarded("the central difference"):
            slopes = central_differences(self.problem, wanted, self.floats) if self.rounding else {}
            for place, slope in slopes.items():
                findings[place].central = slope
        return findings

    def compare_with_autograd(
        self, findings: Mapping[Place, Finding], found: Mapping[Tensor, Any]
    ) -> None:
        """Compare autograd's numbers with the values of the derivatives."""
        numbers = NumberCheck(
            self.problem, self.kind, self.rounding, self.formulas,
            self.digits, self.floats, self.undefined,
        )  # fmt: skip
        for place, finding in findings.items():
            grad = np.asarray(found[place[0]], np.float64)
            fits = grad.shape == tuple(place[0].shape)
            if fits and finding.verdict in ("proved", "agrees") and not self.stale:
                try:
                    with guarded("the comparison with autograd"):
                        wrong = numbers.compare(place, finding, grad)
                except Unsupported as reason:
                    finding.verdict, finding.notes = "undecided", [*finding.notes, str(reason)]
                    continue
                finding.counterexample = wrong and self.counterexample(wrong)

    def no_formulas(self, reason: Unsupported) -> None:
        """Store why there are no formulas."""
        self.reason = self.reason or str(reason)
        if isinstance(reason, ShapeMismatch):
            self.mismatch = reason

    def without_value(self) -> str:
        """Say why the formula has no value at the current values; "" if that is not known."""
        if self.formulas is not None:
            return self.formulas.undefined() or part_without_value(self.problem, self.digits)
        return "" if self.rounding is None else "here the formula has no value"

    # -- before anything is compared ------------------------------------------------------------

    def not_finite(self) -> str:
        """Return a note if a current value is NaN or infinite; "" if all are finite."""
        for tensor in self.problem.given:
            values = np.asarray(tensor._data)
            if not np.all(np.isfinite(values)):
                what = "NaN" if np.any(np.isnan(values)) else "infinite"
                return f"here {self.named[tensor]} is {what}"
        return ""

    def run_again(self) -> None:
        """Run the graph in float64 and check that it still gives the value of the root."""
        try:
            self.rounding = rounding = rounding_of(self.problem, self.kind, self.floats)
        except Unsupported as reason:
            self.no_formulas(reason)
            return
        except Exception as error:  # a user-defined forward may raise anything
            self.reason = f"running the graph again raised {type(error).__name__}: {error}"
            return
        held = np.asarray(self.root._data, np.float64)
        kind = np.finfo(self.kind)
        allowed = 50 * rounding.root_spread + 64 * kind.eps * np.abs(rounding.root) + kind.tiny
        finite = np.isfinite(held) & np.isfinite(rounding.root)
        apart = ~(np.abs(held - rounding.root) <= allowed) & finite
        if np.any(apart) and not self.same_again(held):
            at = np.flatnonzero(apart)[0]
            self.stale = (
                f"the graph now gives {np.ravel(rounding.root)[at]:.6g}, but its result is "
                f"{np.ravel(held)[at]:.6g}: {CHANGED}"
            )

    def same_again(self, held: np.ndarray) -> bool:
        """Return whether the graph gives the value of its root when it runs in its own dtypes."""
        try:
            made = rerun(self.problem.graph, {}, self.problem.given)
        except Exception:  # as above
            return False
        again = np.asarray(made[self.problem.graph.root]._data, np.float64)
        return bool(np.allclose(held, again, rtol=8 * float(np.finfo(self.kind).eps), atol=0))

    def sample(self, targets: Sequence[Tensor]) -> list[Place]:
        """Return the entries to compare."""
        count = sum(t.numel() for t in targets)
        if count <= ALL:
            return [(t, index) for t in targets for index in places(t.shape)]
        source, chosen = random.Random(0), []
        for tensor in targets:
            shape = tuple(tensor.shape)
            flat = source.sample(range(tensor.numel()), min(SAMPLE, tensor.numel()))
            chosen += [(tensor, tuple(map(int, np.unravel_index(i, shape)))) for i in sorted(flat)]
        self.sampling = f"only a sample of {len(chosen)} of {count} entries was checked"
        return chosen

    # -- formulas -------------------------------------------------------------------------------

    def proofs(self, wanted: Sequence[Place]) -> dict[Place, Finding]:
        """Return findings for the entries whose formulas are proved to be equal."""
        settled = {}
        for place in wanted:
            try:
                with guarded("the proof"):
                    finding = self.proof(place)
            except Unsupported as reason:
                self.reason = self.reason or str(reason)
                break
            if finding is not None:
                settled[place] = finding
        return settled

    def proof(self, place: Place) -> Finding | None:
        """Prove that SymPy's derivative for one entry equals the rules' formula; None if not."""
        formulas = self.formulas
        assert formulas is not None, "called only when there are formulas"
        derivative, rule = formulas.derivative(place), formulas.rule(place)
        if formulas.differ(derivative, rule):
            return None
        switches, point = formulas.arithmetic.switches, formulas.arithmetic.point
        here = bool(self.problem.graph.value_dependent)
        proof = prove_zero(derivative - rule, switches, point, self.terms, here)
        if proof is None:
            return None
        method, everywhere = proof
        notes = [] if everywhere else ["proved on the region of the current values only"]
        return Finding("proved", method, formulas.value(derivative), notes, derivative, rule)

    def described(self, place: Place) -> Finding:
        """Return an undecided finding with the formulas of an entry, if there are any."""
        finding = Finding("undecided", notes=[self.reason] if self.reason else [])
        if self.formulas is not None:
            try:
                with guarded("writing the derivative"):
                    finding.derivative = self.formulas.derivative(place)
                    finding.rule = self.formulas.rule(place)
                    finding.value = self.formulas.value(finding.derivative)
            except Unsupported as reason:
                finding.notes.append(str(reason))
        return finding

    # -- numbers --------------------------------------------------------------------------------

    def compare_numbers(self, left: list[Place], findings: dict[Place, Finding]) -> None:
        """Compare by numbers the entries for which there is no proof."""
        if not left:
            return
        used, differ, why, suspected = 0, [], self.reason, False
        values: dict[Place, float] = {}
        try:
            with guarded("the calculation with 50 digits"):
                if self.rounding is None:
                    raise Unsupported(self.reason)
                points = self.plan()
                values, differ = self.compare_now(left)
                used = int(bool(values))
                if points and not differ:
                    more, differ = compare_at_random_points(self.problem, left, self.digits, points)
                    used += more
                if used and self.formulas is not None and not differ:
                    differ = compare_on_branches(self.problem, self.formulas, left, self.digits)
        except Unsupported as reason:  # the budget is used up, but what was compared counts
            why, suspected = str(reason), isinstance(reason, Suspected)
        if not (used or differ):
            self.compare_floats(left, findings, why or NOWHERE, suspected)
            return
        wrong = {d.place: d for d in differ}
        for place in left:
            finding = findings[place] = self.described(place)
            finding.value = values.get(place, finding.value)
            finding.points = used
            off = self.problem.unfinished.get(place, 0.0)
            if place in wrong:
                finding.verdict, finding.settled_by = "disagrees", "50 digits"
                finding.counterexample = self.counterexample(wrong[place])
                finding.notes += [
                    f'if {name} is always positive, check with assume={{"{name}": "positive"}}'
                    for name in map(self.named.get, wrong[place].negative)
                ]
            elif off > float(np.finfo(self.kind).eps) * abs(finding.value):
                finding.notes.append(
                    f"the gradient differs from the derivative by {off:.2g}, which more rounds of "
                    "the loop in the forward could change: let it run longer, and check again"
                )
            else:
                finding.verdict, finding.settled_by = "agrees", f"50 digits at {points_text(used)}"
                if suspected:
                    finding.notes.append(f"at another point {why}")
                if finding.derivative is not None:
                    within = " within the budget" if self.terms.refused else ""
                    finding.notes.append(
                        f"no proof was found{within}: the formulas agree in numbers only"
                    )

    def compare_now(self, left: Sequence[Place]) -> tuple[dict[Place, float], list[Disagreement]]:
        """Return the gradients at the current values, and where rules and slopes differ.

        Both are empty if the formula has no value. On a kink the rules may differ from the slopes;
        if a rule has no value, autograd's numbers are compared with the slopes later.
        """
        try:
            exact = evaluate_here(self.problem, self.digits)
            self.stale = self.stale or other_value(self.problem, self.rounding, float(exact.total))
            try:
                differ = compare_at(self.problem, exact.at_point, left, self.digits, exact)
            except Unstable as unstable:
                differ = unstable.found
                if not all(one_sided_slopes(exact, d.place).jumps for d in differ):
                    raise
            try:
                smooth = [d for d in differ if one_sided_slopes(exact, d.place).smooth]
            except Unsupported as reason:
                raise Suspected(str(reason)) from None
            if any(isnan(d.rules) for d in differ):  # a rule without a value: none of them ran
                return {d.place: float(d.derivative) for d in smooth}, []
            values = {place: float(exact.rule(place)) for place in left}
            values |= {d.place: float(d.derivative) for d in differ}
            return values, smooth
        except (OverflowError, *OUTSIDE):
            return {}, []

    def plan(self) -> int:
        """Return how many points besides the current one the budget allows.

        Raises: Unsupported if it does not even allow the current one.
        """
        assert self.rounding is not None, "called only when the graph could be run again"
        nodes, given = self.problem.graph.nodes, self.problem.given
        constants = (c for n in nodes for c in n._constants or () if isinstance(c, Tensor))
        entries = sum(int(np.size(t._data)) for t in (*given, *constants))
        a_point = 4 * max(1, self.rounding.work, entries)  # forward, backward, and a slope
        points = self.digits.left // a_point - 1
        if points < 0:
            raise Unsupported("the graph is too large for 50 digits")
        return 0 if self.problem.graph.value_dependent else min(POINTS, points)

    def compare_floats(
        self, left: Sequence[Place], findings: dict[Place, Finding], why: str, suspected: bool
    ) -> None:
        """Compare with central differences in float64.

        suspected: with 50 digits the rules and the slopes differ. Then float64 may show where, and
        an entry that agrees in float64 may still be wrong.
        """
        known = self.reason.startswith(why)  # self.reason contains it
        notes = [note for note in (self.reason, "" if known else why) if note]
        for place in left:
            findings[place] = Finding("undecided", notes=list(notes))
        if self.rounding is None:
            return
        if suspected:
            self.floats.left = max(self.floats.left, self.float_reserve)
        slopes: dict[Place, Slope] = {}
        try:
            with guarded("the calculation in float64"):
                for place, slope in float_gradients(self.problem, left, self.rounding, self.floats):
                    slopes[place] = slope
        except Unsupported as reason:  # what was found until then counts
            for place in left:
                if place not in slopes and str(reason) not in notes:
                    findings[place].notes.append(str(reason))
        unseen = suspected and not any(slope.measured for slope in slopes.values())
        for place, slope in slopes.items():
            finding = findings[place]
            finding.value, finding.measured = slope.value, slope.measured
            finding.error = slope.error
            finding.notes += slope.notes(bool(np.all(np.isfinite(self.rounding.root))))
            if not (isnan(slope.value) or unseen):
                # if unseen, one of these is wrong and float64 does not show which
                finding.verdict, finding.settled_by = "agrees", IN_FLOATS
                finding.points = 1

    def counterexample(self, found: Disagreement) -> Counterexample:
        """Return a disagreement in the caller's names."""
        self.wrong = self.wrong or found

        def label(tensor: Tensor, index: tuple[int, ...]) -> str:
            return entry_name(self.named[tensor], () if tensor.numel() == 1 else index)

        values = {
            label(tensor, index): float(np.asarray(data, object)[index])
            for tensor, data in found.point.items()
            if tensor.numel() <= 8
            for index in places(np.shape(data))
        }
        return Counterexample(
            label(*found.place), values, float(found.rules), float(found.derivative)
        )

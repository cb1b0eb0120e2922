"""One graph, compared: a proof where there are formulas, else many digits, else float64.

Read next: faces/symbolic/report_rows.py
"""

import random
from collections.abc import Mapping, Sequence
from math import isnan
from typing import Any

import numpy as np

from graphlab.autograd.backward import key_of
from graphlab.faces.symbolic.budget import Budget, Clock, ShapeMismatch, Unsupported, within
from graphlab.faces.symbolic.exact_primitives import places
from graphlab.faces.symbolic.finite_differences import (
    FLOAT_WORK,
    Rounding,
    Slope,
    central_differences,
    measured,
    rounding_of,
)
from graphlab.faces.symbolic.numeric_check import (
    OUTSIDE,
    POINTS,
    Disagreement,
    Place,
    PointEvaluation,
    Problem,
    Suspected,
    Unstable,
    compare,
    compare_at,
    is_jump,
    is_smooth,
    now,
)
from graphlab.faces.symbolic.report import Counterexample, points_text
from graphlab.faces.symbolic.rerun import replay
from graphlab.faces.symbolic.symbol_names import SymbolTable, entry_name
from graphlab.faces.symbolic.symbolic_graph import SymbolicGraph
from graphlab.faces.symbolic.verdict import Finding, NumberCheck
from graphlab.faces.symbolic.zero_test import TERM_WORK, prove_zero
from graphlab.tensor.tensor import Tensor

DIGIT_WORK = 150_000  # entries calculated with many digits
ALL = 64  # so many entries are all looked at
SAMPLE = 4  # entries of each leaf that are looked at when there are more
SECONDS = 2.0  # for finding out which gradient is another one, when it is known that some is
SHARES = {"formulas": 0.4, "digits": 0.75, "floats": 1.0}  # of the time, when each is to be done


def coarsest_type(problem: Problem, root: Tensor) -> np.dtype:
    """The type with the fewest digits in the graph: it says how much rounding is to be expected."""
    kinds = [t._data.dtype for t in (root, *problem.given)]
    for node in problem.graph.nodes:
        if node.op.name == "to_copy":
            kinds += [d for d in node._options if isinstance(d, np.dtype) and d.kind == "f"]
    return max(kinds, key=lambda kind: np.finfo(kind).eps)


def constants(node: Any) -> list[Tensor]:
    """The tensors that a node holds and that need no gradient."""
    return [c for c in node._constants or () if isinstance(c, Tensor)]


class Comparison:
    """What is found out about the gradients of one graph."""

    def __init__(
        self,
        problem: Problem,
        root: Tensor,
        named: Mapping[Tensor, str],
        clock: Clock,
        cut: str = "",
    ) -> None:
        self.problem, self.root, self.named = problem, root, named
        self.cut = cut  # where the graph is known to have been cut
        self.steps = ""  # that the rule of every step is proved
        self.kind = coarsest_type(problem, root)
        self.clocks = {what: clock.part(share) for what, share in SHARES.items()}
        self.digits = Budget(DIGIT_WORK, clock=self.clocks["digits"])
        self.floats = Budget(FLOAT_WORK, clock=self.clocks["floats"])
        self.terms = Budget(TERM_WORK, clock=self.clocks["formulas"])
        self.table = SymbolTable()
        self.formulas: SymbolicGraph | None = None
        self.rounding: Rounding | None = None
        self.reason = ""  # why there are no formulas
        self.stale = ""  # how the graph's values differ from those that it was made with
        self.undefined = ""  # why the formula has no value at the current values
        self.said = ""  # which entries were looked at
        self.wrong: Disagreement | None = None  # the first that was found
        self.misfit: ShapeMismatch | None = None  # a rule that gives a gradient of the wrong shape

    @property
    def work(self) -> int:
        """Entries calculated, as expressions and with many digits, and terms expanded."""
        formulas = self.formulas.budget.spent if self.formulas else 0
        return self.digits.spent + self.terms.spent + formulas

    def findings(
        self, targets: Sequence[Tensor], found: Mapping[Tensor, Any]
    ) -> dict[Place, Finding]:
        """What is known of the entries of the targets; found: what autograd gives for each."""
        self.undefined = self.not_finite()
        self.run_again()
        try:
            self.formulas = within(self.clocks["formulas"], self.write_formulas)
        except Unsupported as reason:
            self.no_formulas(reason)
        if self.formulas is not None:
            self.undefined = self.undefined or self.formulas.undefined()
        wanted = self.sample(targets)
        findings = self.proofs(wanted) if self.formulas else {}
        self.compare_numbers([p for p in wanted if p not in findings], findings)
        judge = NumberCheck(
            self.problem,
            self.kind,
            self.rounding,
            self.formulas,
            self.digits,
            self.floats,
            self.undefined,
        )
        for place, finding in findings.items():
            grad = np.asarray(found[place[0]], np.float64)
            if grad.shape != tuple(place[0].shape):
                continue
            if finding.verdict in ("proved", "agrees") and not self.stale:
                wrong = judge.compare(place, finding, grad)
                finding.counterexample = wrong and self.counterexample(wrong)
        if self.misfit is not None:
            behind = self.problem.graph.behind(self.misfit.node._next[self.misfit.input])
            for place, finding in findings.items():
                if key_of(place[0]) in behind:
                    finding.verdict, finding.settled_by = "disagrees", "the shape"
        slopes = central_differences(self.problem, wanted, self.floats) if self.rounding else {}
        for place, slope in slopes.items():
            findings[place].central = slope
        return findings

    def no_formulas(self, reason: Unsupported) -> None:
        """Keep the reason for which there are none, or cannot be."""
        self.reason = self.reason or str(reason)
        if isinstance(reason, ShapeMismatch):
            self.misfit = reason

    # -- before anything is compared ------------------------------------------------------------

    def not_finite(self) -> str:
        """What to say when a current value is nan or infinite; "" when none is."""
        for tensor in self.problem.given:
            values = np.asarray(tensor._data)
            if not np.all(np.isfinite(values)):
                what = "nan" if np.any(np.isnan(values)) else "infinite"
                return f"here {self.named[tensor]} is {what}"
        return ""

    def run_again(self) -> None:
        """Run the graph in float64: does it still give the value that the root holds?"""
        try:
            rounding = rounding_of(self.problem, self.kind, self.floats)
        except Unsupported as reason:
            self.no_formulas(reason)
            return
        except Exception as error:  # a forward of the user's own may raise anything
            self.reason = f"running the graph again raised {type(error).__name__}: {error}"
            return
        self.rounding = rounding
        held = np.asarray(self.root._data, np.float64)
        kind = np.finfo(self.kind)
        allowed = 50 * rounding.root_spread + 64 * kind.eps * np.abs(rounding.root) + kind.tiny
        apart = (
            ~(np.abs(held - rounding.root) <= allowed)
            & np.isfinite(held)
            & np.isfinite(rounding.root)
        )
        if np.any(apart) and not self.same_again(held):
            at = np.flatnonzero(apart)[0]
            self.stale = (
                f"the graph now gives {np.ravel(rounding.root)[at]:.6g} where its result holds "
                f"{np.ravel(held)[at]:.6g}: a tensor was changed after the graph was made"
            )

    def same_again(self, held: np.ndarray) -> bool:
        """Whether the graph gives what its root holds when it is run in its own types."""
        try:
            made = replay(self.problem.graph, {}, self.problem.given)
        except Exception:  # as above
            return False
        again = np.asarray(made[self.problem.graph.root]._data, np.float64)
        return bool(np.allclose(held, again, rtol=8 * float(np.finfo(self.kind).eps), atol=0))

    def write_formulas(self) -> SymbolicGraph:
        return SymbolicGraph(self.problem, self.named, self.table)

    def sample(self, targets: Sequence[Tensor]) -> list[Place]:
        """The entries to look at; `said` tells when they are not all."""
        count = sum(t.numel() for t in targets)
        if count <= ALL:
            return [(t, index) for t in targets for index in places(t.shape)]
        source, chosen = random.Random(0), []
        for tensor in targets:
            flat = sorted(source.sample(range(tensor.numel()), min(SAMPLE, tensor.numel())))
            chosen += [
                (tensor, tuple(map(int, np.unravel_index(i, tuple(tensor.shape))))) for i in flat
            ]
        self.said = f"a sample of {len(chosen)} of {count} entries was drawn"
        return chosen

    # -- the ladder -----------------------------------------------------------------------------

    def proofs(self, wanted: Sequence[Place]) -> dict[Place, Finding]:
        """The entries whose formulas are proved equal; others are left out."""
        settled = {}
        for place in wanted:
            try:
                finding = within(self.clocks["formulas"], lambda place=place: self.proof(place))
            except RecursionError:
                continue
            except Unsupported as reason:
                self.reason = self.reason or str(reason)
                break
            if finding is not None:
                settled[place] = finding
        return settled

    def proof(self, place: Place) -> Finding | None:
        """The proof that SymPy's derivative for one entry is what the rules make, if there is."""
        formulas = self.formulas
        assert formulas is not None, "asked for where there are some"
        derivative, rule = formulas.derivative(place), formulas.rule(place)
        if formulas.differ(derivative, rule):
            return None
        switches, point = formulas.arithmetic.switches, formulas.arithmetic.point
        here = bool(self.problem.graph.decided)
        proof = prove_zero(derivative - rule, switches, point, self.terms, here)
        if proof is None:
            return None
        rung, everywhere = proof
        notes = [] if everywhere else ["proved on the region of the current values only"]
        return Finding("proved", rung, formulas.value(derivative), notes, derivative, rule)

    def compare_numbers(self, left: list[Place], findings: dict[Place, Finding]) -> None:
        """Settle by numbers what no formula settled."""
        if not left:
            return
        used, differ, why, suspected = 0, [], self.reason, False
        values: dict[Place, float] = {}
        try:
            if self.rounding is None:
                raise Unsupported(self.reason)
            points = self.plan()
            values, differ = self.compare_now(left)
            used = int(bool(values))
            if points and not differ:
                more, differ = compare(self.problem, left, self.digits, points)
                used += more
        except Unsupported as reason:  # the work or the time is used up: what was compared counts
            why, suspected = str(reason), isinstance(reason, Suspected)
        if not (used or differ) and why:
            self.compare_floats(left, findings, why, suspected)
            return
        wrong = {d.place: d for d in differ}
        for place in left:
            finding = findings[place] = self.described(place)
            finding.value = values.get(place, finding.value)
            finding.points = used
            if place in wrong:
                finding.verdict, finding.settled_by = "disagrees", "50 digits"
                finding.counterexample = self.counterexample(wrong[place])
            elif used:
                finding.verdict, finding.settled_by = "agrees", f"50 digits at {points_text(used)}"
                if suspected:
                    finding.notes.append(f"at another point {why}")
                if finding.derivative is not None:
                    finding.notes.append("no proof was found: the formulas agree in numbers only")
            else:
                finding.notes.append("no point was found at which the formula has a real value")

    def compare_now(self, left: Sequence[Place]) -> tuple[dict[Place, float], list[Disagreement]]:
        """The gradients at the current values, and where rules and slopes differ.

        None of either where the formula has no value there. On a kink the rules may differ; where
        they have no value, autograd's numbers are left to be compared with the slopes.
        """
        try:
            point = now(self.problem)
            exact = PointEvaluation(self.problem, point, 50, self.digits)
            try:
                differ = compare_at(self.problem, point, left, self.digits, exact)
            except Unstable as unsteady:
                differ = unsteady.found
                if not all(is_jump(self.problem, point, d.place, self.digits) for d in differ):
                    raise
            try:
                smooth = [d for d in differ if is_smooth(*exact.one_sided(d.place))]
            except Unsupported as reason:
                raise Suspected(str(reason)) from None
            if any(isnan(d.rules) for d in differ):  # one rule has no value: none of them ran
                return {d.place: float(d.derivative) for d in smooth}, []
            values = {place: float(exact.rule(place)) for place in left}
            values |= {d.place: float(d.derivative) for d in differ}
            return values, smooth
        except (OverflowError, *OUTSIDE):
            self.undefined = self.undefined or "here the formula has no value"
            return {}, []

    def plan(self) -> int:
        """At how many points besides the current one there is room to compare.

        Raises: Unsupported when there is none for that one.
        """
        assert self.rounding is not None, "asked for when the graph could be run again"
        values = (*self.problem.given, *(c for n in self.problem.graph.nodes for c in constants(n)))
        entries = sum(int(np.size(v._data)) for v in values)
        a_point = 4 * max(1, self.rounding.work, entries)  # forward, backward, and a slope
        points = self.digits.left // a_point - 1
        if points < 0:
            raise Unsupported("the graph is too large for 50 digits")
        return 0 if self.problem.graph.decided else min(POINTS, points)

    def described(self, place: Place) -> Finding:
        """A finding with the formulas of an entry, where there are any."""
        finding = Finding("undecided", notes=[self.reason] if self.reason else [])
        if self.formulas is not None:
            try:
                within(self.clocks["digits"], lambda: self.describe(place, finding))
            except RecursionError:
                finding.notes.append("the formula is nested too deeply for SymPy")
            except Unsupported as reason:
                finding.notes.append(str(reason))
        return finding

    def describe(self, place: Place, finding: Finding) -> None:
        """Write an entry's formulas into what is found of it."""
        formulas = self.formulas
        assert formulas is not None, "asked for where there are some"
        finding.derivative = formulas.derivative(place)
        finding.rule = formulas.rule(place)
        finding.value = formulas.value(finding.derivative)

    def compare_floats(
        self, left: Sequence[Place], findings: dict[Place, Finding], why: str, suspected: bool
    ) -> None:
        """Central differences in float64, for what has neither formulas nor many digits.

        suspected: in 50 digits the rules and the slopes are not the same; float64 may show where,
        and what agrees there is not known to be right.
        """
        known = self.reason.startswith(why)  # the same, and in full
        notes = [note for note in (self.reason, "" if known else why) if note]
        for place in left:
            findings[place] = Finding("undecided", notes=list(notes))
        if self.rounding is None:
            return
        if suspected and (clock := self.floats.clock) is not None and clock.left < SECONDS:
            self.floats.clock = Clock(SECONDS)
        slopes: dict[Place, Slope] = {}
        try:
            for place, slope in measured(self.problem, left, self.rounding, self.floats):
                slopes[place] = slope
        except Unsupported as reason:  # what was found by then counts
            for place in left:
                if place not in slopes and str(reason) not in notes:
                    findings[place].notes.append(str(reason))
        unseen = suspected and not any(slope.measured for slope in slopes.values())
        for place, slope in slopes.items():
            finding = findings[place]
            finding.value, finding.measured = slope.value, slope.measured
            if isnan(slope.value):
                finding.notes.append(
                    "the slope could not be measured: the function is not smooth here"
                )
            elif not unseen:  # or it is one of these, and float64 does not show it
                finding.verdict, finding.settled_by = "agrees", "central differences in float64"
                finding.points = 1

    def counterexample(self, found: Disagreement) -> Counterexample:
        """A disagreement in the caller's names."""
        self.wrong = self.wrong or found
        named = {}
        for tensor, values in found.point.items():
            if tensor.numel() > 8:
                continue
            for index in places(np.shape(values)):
                label = entry_name(self.named[tensor], () if tensor.numel() == 1 else index)
                named[label] = float(np.asarray(values, object)[index])
        tensor, index = found.place
        entry = entry_name(self.named[tensor], () if tensor.numel() == 1 else index)
        return Counterexample(entry, named, float(found.rules), float(found.derivative))

"""One graph, compared: a proof where there are formulas, else many digits, else float64.

Read next: symbolic/report.py
"""

import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import sympy

from graphlab.symbolic.expressions import Budget
from graphlab.symbolic.formulas import Formulas
from graphlab.symbolic.judge import Finding, Judge
from graphlab.symbolic.ladder import RUNGS, TERM_WORK, prove_zero
from graphlab.symbolic.names import SymbolTable, entry_name
from graphlab.symbolic.namespace import NoSymbols, places
from graphlab.symbolic.numeric import (
    OUTSIDE,
    POINTS,
    Disagreement,
    Exact,
    Place,
    Problem,
    Rounding,
    compare,
    compare_at,
    float_slope,
    is_smooth,
    now,
    rounding_of,
)
from graphlab.symbolic.report import Counterexample, Row, worst
from graphlab.tensor import Tensor

DIGIT_WORK = 150_000  # entries calculated with many digits
FLOAT_WORK = 100_000_000  # entries calculated in float64
ALL = 64  # so many entries are all looked at
SAMPLE = 4  # entries of each leaf that are looked at when there are more


def coarsest_type(problem: Problem, root: Tensor) -> np.dtype:
    """The type with the fewest digits in the graph: it says how much rounding is to be expected."""
    kinds = [t._data.dtype for t in (root, *problem.given)]
    for node in problem.graph.nodes:
        if node.op.name == "to_copy":
            kinds += [d for d in node._options if isinstance(d, np.dtype) and d.kind == "f"]
    return max(kinds, key=lambda kind: np.finfo(kind).eps)


def points_text(count: int) -> str:
    """1 point, 2 points."""
    return f"{count} point" if count == 1 else f"{count} points"


class Comparison:
    """The rows of a report for tensors of one graph."""

    def __init__(self, problem: Problem, root: Tensor, named: Mapping[Tensor, str]) -> None:
        self.problem, self.root, self.named = problem, root, named
        self.kind = coarsest_type(problem, root)
        self.digits, self.floats = Budget(DIGIT_WORK), Budget(FLOAT_WORK)
        self.terms = Budget(TERM_WORK)
        self.table = SymbolTable()
        self.formulas: Formulas | None = None
        self.rounding: Rounding | None = None
        self.reason = ""  # why there are no formulas
        self.stale = ""  # how the graph's values differ from those that it was made with

    @property
    def work(self) -> int:
        """Entries calculated, as expressions and with many digits, and terms multiplied out."""
        formulas = self.formulas.budget.spent if self.formulas else 0
        return self.digits.spent + self.terms.spent + formulas

    def rows(self, targets: Sequence[Tensor], found: Mapping[Tensor, Any]) -> dict[Tensor, Row]:
        """A row for each target; found: what autograd gives for it."""
        if not targets:
            return {}
        with np.errstate(all="ignore"):
            self.run_again()
            try:
                self.formulas = Formulas(self.problem, self.named, self.table)
            except NoSymbols as reason:
                self.reason = self.reason or str(reason)
            wanted, said = self.sample(targets)
            findings = self.proofs(wanted) if self.formulas else {}
            self.compare_numbers([p for p in wanted if p not in findings], findings)
            rows = {}
            for tensor in targets:
                if found[tensor].shape != tensor._data.shape:
                    rows[tensor] = self.misshapen(tensor, found[tensor])
                    continue
                mine = {p[1]: findings[p] for p in wanted if p[0] is tensor}
                grad = np.asarray(found[tensor], np.float64)
                judge = Judge(self.problem, self.kind, self.rounding, self.formulas, self.digits)
                for index, finding in mine.items():
                    if finding.verdict in ("proved", "agrees") and not self.stale:
                        wrong = judge.compare((tensor, index), finding, grad)
                        finding.counterexample = wrong and self.counterexample(wrong)
                rows[tensor] = self.row(tensor, mine, grad, said)
            return rows

    # -- before anything is compared ------------------------------------------------------------

    def run_again(self) -> None:
        """Run the graph in float64: does it still give the value that the root holds?"""
        try:
            rounding = rounding_of(self.problem, self.kind, self.floats)
        except NoSymbols as reason:
            self.reason = self.reason or str(reason)
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
        if np.any(apart):
            at = np.flatnonzero(apart)[0]
            self.stale = (
                f"the graph now gives {np.ravel(rounding.root)[at]:.6g} where its result holds "
                f"{np.ravel(held)[at]:.6g}: a tensor was changed after the graph was made"
            )

    def sample(self, targets: Sequence[Tensor]) -> tuple[list[Place], str]:
        """The entries to look at, and what to say when they are not all."""
        count = sum(t.numel() for t in targets)
        every = [(t, index) for t in targets for index in places(t.shape)] if count <= ALL else []
        if every or count == 0:
            return every, ""
        source, chosen = random.Random(0), []
        for tensor in targets:
            flat = sorted(source.sample(range(tensor.numel()), min(SAMPLE, tensor.numel())))
            chosen += [
                (tensor, tuple(map(int, np.unravel_index(i, tuple(tensor.shape))))) for i in flat
            ]
        return chosen, f"a sample of {len(chosen)} of {count} entries was drawn"

    # -- the ladder -----------------------------------------------------------------------------

    def proofs(self, wanted: Sequence[Place]) -> dict[Place, Finding]:
        """The entries whose formulas are proved equal; others are left out."""
        formulas = self.formulas
        assert formulas is not None
        arithmetic, settled = formulas.arithmetic, {}
        for place in wanted:
            try:
                derivative, rule = formulas.derivative(place), formulas.rule(place)
            except RecursionError:
                continue
            if formulas.differ(derivative, rule):
                continue
            proof = prove_zero(derivative - rule, arithmetic.switches, arithmetic.point, self.terms)
            if proof is None:
                continue
            rung, everywhere = proof
            notes = [] if everywhere else ["proved on the region of the current values only"]
            settled[place] = Finding(
                "proved", rung, formulas.value(derivative), notes, derivative, rule
            )
        return settled

    def compare_numbers(self, left: list[Place], findings: dict[Place, Finding]) -> None:
        """Settle by numbers what no formula settled."""
        if not left:
            return
        try:
            if self.rounding is None:
                raise NoSymbols(self.reason)
            points = self.plan(len(left))
            values, differ = self.compare_now(left)
        except NoSymbols as reason:
            self.compare_floats(left, findings, str(reason))
            return
        used, elsewhere = 0, []
        try:
            if not differ:
                used, elsewhere = compare(self.problem, left, self.digits, points)
        except NoSymbols as reason:  # the work is used up
            if not values:
                self.compare_floats(left, findings, str(reason))
                return
        wrong = {d.place: d for d in (*elsewhere, *differ)}
        used += bool(values)
        for place in left:
            finding = findings[place] = self.described(place)
            finding.value = values.get(place, finding.value)
            if place in wrong:
                finding.verdict, finding.settled_by = "disagrees", "50 digits"
                finding.counterexample = self.counterexample(wrong[place])
            elif used:
                finding.verdict, finding.settled_by = "agrees", f"50 digits at {points_text(used)}"
                if finding.derivative is not None:
                    finding.notes.append("no proof was found: the formulas agree in numbers only")
            else:
                finding.notes.append("no point was found at which the formula has a real value")

    def compare_now(self, left: Sequence[Place]) -> tuple[dict[Place, float], list[Disagreement]]:
        """The gradients at the current values, and where rules and slopes differ.

        None of either where the formula has no value there. On a kink the rules may differ.
        """
        try:
            point = now(self.problem)
            exact = Exact(self.problem, point, 50, self.digits)
            differ = compare_at(self.problem, point, left, self.digits)
            grads = exact.rules()
            values = {place: float(exact.rule(grads, place)) for place in left}
            values |= {d.place: d.derivative for d in differ}
            return values, [d for d in differ if is_smooth(*exact.one_sided(d.place))]
        except (OverflowError, *OUTSIDE):
            return {}, []

    def plan(self, entries: int) -> int:
        """At how many points there is time to compare. Raises NoSymbols when at none."""
        assert self.rounding is not None
        a_point = max(1, self.rounding.work) * (2 * entries + 3)
        points = min(POINTS, self.digits.left // a_point - 2)  # the current one, and one to spare
        if points < 1:
            raise NoSymbols("the graph is too large for 50 digits")
        return points

    def described(self, place: Place) -> Finding:
        """A finding with the formulas of an entry, where there are any."""
        finding = Finding("undecided", notes=[self.reason] if self.reason else [])
        if self.formulas is not None:
            try:
                finding.derivative = self.formulas.derivative(place)
                finding.rule = self.formulas.rule(place)
                finding.value = self.formulas.value(finding.derivative)
            except RecursionError:
                finding.notes.append("the formula is nested too deeply for SymPy")
        return finding

    def compare_floats(
        self, left: Sequence[Place], findings: dict[Place, Finding], why: str
    ) -> None:
        """Central differences in float64, for what has neither formulas nor many digits."""
        for place in left:
            finding = findings[place] = Finding("undecided", notes=[self.reason or why])
            if self.rounding is None:
                continue
            try:
                slope, error = float_slope(self.problem, place, self.floats)
            except NoSymbols as reason:
                finding.notes.append(str(reason))
                continue
            finding.value = slope
            if not error <= 1e-4 * max(abs(slope), 1e-3):
                finding.notes.append(
                    "the slope could not be measured: the function is not smooth here"
                )
                continue
            finding.verdict, finding.settled_by = "agrees", "central differences in float64"

    def counterexample(self, found: Disagreement) -> Counterexample:
        """A disagreement in the caller's names."""
        named = {}
        for tensor, values in found.point.items():
            if tensor.numel() > 8:
                continue
            for index in places(np.shape(values)):
                label = entry_name(self.named[tensor], () if tensor.numel() == 1 else index)
                named[label] = float(np.asarray(values, object)[index])
        tensor, index = found.place
        entry = entry_name(self.named[tensor], () if tensor.numel() == 1 else index)
        return Counterexample(entry, named, found.rules, found.derivative)

    # -- rows -----------------------------------------------------------------------------------

    def row(self, tensor: Tensor, mine: Mapping[Any, Finding], grad: np.ndarray, said: str) -> Row:
        """What is found for the entries of a tensor, as one row."""
        verdict = worst([f.verdict for f in mine.values()])
        notes = [note for f in mine.values() for note in f.notes]
        if not mine:
            notes.append("it has no entries")
        if said:
            notes.append(said)
        formulas = self.formulas
        if formulas is not None and mine:
            pairs = [e for f in mine.values() for e in (f.derivative, f.rule) if e is not None]
            notes = [
                formulas.kink_note(pairs),
                *notes,
                *formulas.arithmetic.decided,
                formulas.domain(),
            ]
        if self.stale:
            verdict = "undecided" if verdict != "disagrees" else verdict
            notes.insert(0, self.stale)
        notes.append(self.problem.reading.sentence)
        single = tensor.numel() == 1
        rungs = [f.settled_by for f in mine.values() if f.settled_by]
        values = np.full(tuple(tensor.shape), np.nan)
        for index, finding in mine.items():
            values[index] = finding.value
        shown = values.item() if single else values
        counterexamples = [f.counterexample for f in mine.values() if f.counterexample]
        return Row(
            name=self.named[tensor],
            verdict=verdict,
            formula=self.gather(tensor, mine, "derivative"),
            backward_formula=self.gather(tensor, mine, "rule"),
            symbolic_value=shown if formulas is not None else None,
            autograd_value=grad.item() if single else grad,
            note="; ".join(dict.fromkeys(note for note in notes if note)),
            settled_by=max(rungs, key=lambda r: RUNGS.index(r) if r in RUNGS else 9, default=""),
            counterexample=counterexamples[0] if counterexamples else None,
            numeric_value=shown if formulas is None else None,
            shape=tuple(tensor.shape),
        )

    def misshapen(self, tensor: Tensor, grad: np.ndarray) -> Row:
        """The row of a tensor whose gradient has not even its shape."""
        note = f"the gradient has the shape {grad.shape}, the tensor {tuple(tensor.shape)}"
        return Row(self.named[tensor], "disagrees", None, None, None, grad, note)

    def gather(self, tensor: Tensor, mine: Mapping[Any, Finding], what: str) -> Any:
        """The formulas of all entries: one expression or an array of them; None without any."""
        formulas = self.formulas
        if formulas is None or any(getattr(f, what) is None for f in mine.values()):
            return None
        shown = [formulas.shown(getattr(f, what)) for f in mine.values()]
        return shown[0] if tensor.numel() == 1 else sympy.Array(shown, tuple(tensor.shape))

"""A graph as formulas: what it computes, SymPy's derivative of that, and the rules' gradients.

Read next: faces/symbolic/comparison.py
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import sympy

from graphlab.faces.symbolic.budget import Budget, Unsupported, bottom_up, size_of
from graphlab.faces.symbolic.interpretation import exact_interpretation, numbers_only
from graphlab.faces.symbolic.live_graph import Tensor, key_of
from graphlab.faces.symbolic.mp_arithmetic import DIGITS, OutsideDomain, context, evaluate
from graphlab.faces.symbolic.problem import NOTHING, Place, Problem
from graphlab.faces.symbolic.symbol_names import SymbolTable
from graphlab.faces.symbolic.sympy_arithmetic import Switch, SymPyArithmetic
from graphlab.graph.comparing.wording import listed

MOST_SYMBOLS = 64  # the most entries of all leaves together
MOST_NODES = 400
DEEPEST = 80  # operations on one path, because SymPy works by recursion
LARGEST = 3_000  # operations in one entry, as a tree
SYMBOL_WORK = 20_000  # entries calculated as expressions
SMALL = 100  # operations of a formula whose slopes at a kink are compared
DERIVATIVE_WORK = 150_000  # operations in formulas that are differentiated and in derivatives


POSITIVE = {  # functions of x: what is above 0 where they have a slope
    sympy.log: lambda x: x,
    sympy.asin: lambda x: 1 - x**2,
    sympy.acos: lambda x: 1 - x**2,
    sympy.atanh: lambda x: 1 - x**2,
    sympy.acosh: lambda x: x - 1,
}


class SymbolicGraph:
    """The formulas of a graph, and their current values. Raises: Unsupported, with the reason.

    entries, derivatives: how many entries may become expressions, and how much may be
    differentiated.
    """

    def __init__(
        self,
        problem: Problem,
        named: Mapping[Tensor, str],
        table: SymbolTable,
        entries: Budget | None = None,
        derivatives: Budget | None = None,
    ) -> None:
        self.check_size(problem)
        self.budget = entries or Budget(SYMBOL_WORK)
        self.differentiation = derivatives or Budget(DERIVATIVE_WORK)
        self.graph = problem.graph
        self.symbols: dict[Tensor, Any] = {}
        self.derivatives: dict[Place, sympy.Expr] = {}
        self.whole: dict[Any, Any] = {}  # symbol: the same assumed integer, after differentiation
        for tensor in problem.given:
            assumed = problem.assumed.get(tensor, NOTHING)
            made = self.symbols[tensor] = table.entries(tensor, named[tensor], assumed.facts)
            if assumed.whole:
                self.whole |= {s: table.whole(s) for s in np.asarray(made, object).flat}
        self.arithmetic = SymPyArithmetic(limit=LARGEST)
        self.sizes = self.arithmetic.sizes
        for tensor, symbols in self.symbols.items():
            for symbol, value in zip(np.ravel(symbols), np.ravel(tensor._data), strict=True):
                self.arithmetic.point[symbol] = context().mpf(float(value))
        self.arithmetic.point |= {w: self.arithmetic.point[s] for s, w in self.whole.items()}
        self.entries = exact_interpretation(self.arithmetic, problem.constants)
        self.entries.check_value = self.measure
        try:
            self.total, self.values = problem.run(self.entries, dict(self.symbols), self.budget)
            self.grads = problem.rules(self.entries, self.values, self.budget)
        except RecursionError:
            raise Unsupported("the formula is nested too deeply for SymPy") from None

    @cached_property
    def terms(self) -> list[tuple[sympy.Expr, set[Any]]]:
        """The terms of the formula, each with its symbols."""
        return [(term, term.free_symbols) for term in sympy.Add.make_args(self.total)]

    def check_size(self, problem: Problem) -> None:
        graph = problem.graph
        count = sum(t.numel() for t in problem.given)
        if graph.custom:
            raise Unsupported(numbers_only(graph.custom, graph.reason))
        if count > MOST_SYMBOLS:
            raise Unsupported(f"{count} entries are too many for a formula, at most {MOST_SYMBOLS}")
        if len(graph.nodes) > MOST_NODES or graph.depth > DEEPEST:
            raise Unsupported(
                f"the graph is {graph.depth} operations deep, {len(graph.nodes)} in all, which is "
                "too much for a formula"
            )

    def measure(self, made: Any) -> None:
        """Raise Unsupported if an expression is too large to work with."""
        for entry in np.asarray(made, object).flat:
            if isinstance(entry, sympy.Basic):
                self.arithmetic.check_size(entry)
                self.arithmetic.require_finite(entry)

    def derivative(self, place: Place) -> sympy.Expr:
        """Return SymPy's derivative of the root with respect to one entry."""
        if place not in self.derivatives:
            tensor, index = place
            symbol = np.asarray(self.symbols[tensor], object)[index]
            terms = [term for term, has in self.terms if symbol in has]
            self.differentiation.take(sum(size_of(term, self.sizes) for term in terms))
            found = derivative_of(sympy.Add(*terms), symbol)
            self.differentiation.take(size_of(found, self.sizes))
            self.derivatives[place] = found.xreplace(self.whole)
        return self.derivatives[place]

    def rule(self, place: Place) -> sympy.Expr:
        """Return the rules' gradient of an entry; 0 if none arrives."""
        tensor, index = place
        grad = self.grads.get(key_of(tensor))
        found: Any = sympy.S.Zero if grad is None else np.asarray(grad, object)[index]
        return found.xreplace(self.whole)

    def value(self, expression: sympy.Expr, digits: int = DIGITS) -> float:
        """Return the expression's value at the current values; NaN outside its domain."""
        point, memo = self.arithmetic.point, self.arithmetic.memo
        if digits > DIGITS:
            point, memo = {s: context(digits).convert(x) for s, x in point.items()}, {}
        try:
            return float(evaluate(expression, point, digits, memo))
        except (OutsideDomain, ZeroDivisionError, OverflowError):
            return float("nan")

    def value_off_kinks(self) -> float:
        """Return the root's value; NaN on a kink, where a switch has its value for a tie."""
        return float("nan") if self.arithmetic.kinks else self.value(self.total)

    def differ(self, one: sympy.Expr, other: sympy.Expr) -> bool:
        """Return whether their current values differ, so that no proof is possible."""
        if one == other or self.on_kink(one, other):
            return False
        try:
            point, memo = self.arithmetic.point, self.arithmetic.memo
            a, b = (evaluate(e, point, memo=memo) for e in (one, other))
        except (OutsideDomain, ZeroDivisionError, OverflowError):
            return False
        return bool(abs(a - b) > 1e-15 * max(abs(a), abs(b), 1))

    def shown(self, expression: sympy.Expr) -> sympy.Expr:
        """Return the expression with its switches written out, unless that is too long."""
        short = size_of(expression, self.sizes) < 300
        fits = short and size_of(expression, self.arithmetic.written_sizes) <= LARGEST
        return self.arithmetic.shown(expression) if fits else expression

    def conditions(self) -> list[tuple[sympy.Expr, str]]:
        """Return the conditions for a real value: expressions, each with "> 0" or "≠ 0"."""
        found = [
            (domain(f.args[0]), "> 0")
            for function, domain in POSITIVE.items()
            for f in self.total.atoms(function)
        ]
        for power in self.total.atoms(sympy.Pow):
            if power.exp.is_Rational and not power.exp.is_Integer:
                found.append((power.base, "≥ 0" if power.exp.is_positive else "> 0"))
            elif power.exp.is_Integer and power.exp.is_negative:
                found.append((power.base, "≠ 0"))
            elif not power.exp.is_number:  # xʸ is exp(y log(x))
                found.append((power.base, "> 0"))
        simpler = [self.simpler(e, sign) for e, sign in found if not always(e, sign)]
        open_ones = [condition for condition in simpler if condition is not None]
        positive = {e for e, sign in open_ones if sign == "> 0"}
        return [(e, sign) for e, sign in open_ones if sign == "> 0" or e not in positive]

    def simpler(self, expression: sympy.Expr, sign: str) -> tuple[sympy.Expr, str] | None:
        """Return a condition without its switch, if there is one; None if it always holds.

        For relu(x) - 1 > 0 it is x - 1 > 0: of the regions x > 0 and -x > 0 only the first one can
        satisfy it, and x - 1 > 0 implies x > 0. A root, "≥ 0", has a slope where its base is 0 in a
        whole region, but none at the kink: for the root of relu(x) the condition is x ≠ 0.
        """
        gates, root = self.arithmetic.gates, sign == "≥ 0"
        while expression in gates:
            _, expression, gate = gates[expression]
            sign = "≠ 0" if root else gate
        asked = sign.replace("≥", ">")
        switches = self.switches_in([expression])
        if len(switches) != 1:
            return expression, asked
        yes, no = (Side.of(expression, switches[0], sign, answer) for answer in (1, -1))
        good, bad = (yes, no) if yes.holds >= no.holds else (no, yes)
        if good.holds == bad.holds == 1:  # it holds on both sides; what is left is the kink
            at_kink = (no,) if switches[0].kind == "mask" else (yes, no)
            covered = any(above(side.value, side.region, "is_positive") for side in at_kink)
            return None if covered else (without_minus(switches[0].of), "≠ 0")
        if good.holds == 1 and bad.holds == -1:
            return good.region, "> 0"
        if good.holds == 1 and holds(bad.value, good.region, asked) == 1:
            return bad.value, asked
        if asked == "> 0" and bad.holds == -1 and above(good.region, good.value):
            return good.value, asked
        return expression, asked

    def domain(self) -> str:
        """Say where the formula has a real value: "where x > 0"; "" if it has one everywhere."""
        texts = {self.arithmetic.brief(*condition) for condition in self.conditions()}
        notes = sorted(texts, key=lambda t: (len(t), t))
        if not notes:
            return ""
        if len(notes) > 3 or "" in notes:
            return "where every logarithm, root and quotient has a real value"
        return "where " + ", ".join(notes)

    def undefined(self) -> str:
        """Say why the formula has no value at the current values; "" if it has one."""
        if not np.isnan(self.value(self.total)):
            return ""
        broken = [
            (self.value(expression), text)
            for expression, sign in self.conditions()
            if (text := self.arithmetic.brief(expression, sign))
        ]
        for value, text in sorted(broken):  # values below 0 before values of 0
            if value <= 0 and (value == 0 or text.endswith("> 0")):
                return f"here the formula has no value: {text} does not hold"
        return "here the formula has no value"

    def switches_in(self, expressions: Sequence[sympy.Expr]) -> list[Switch]:
        """Return the switches that the expressions depend on."""
        symbols: set[Any] = set().union(*(e.free_symbols for e in expressions))
        return [s for s in self.arithmetic.switches.values() if s.symbol in symbols]

    def on_kink(self, *expressions: sympy.Expr) -> bool:
        """Return whether the current values lie on a kink of these expressions."""
        if self.arithmetic.ties:
            return True
        return any(s.of in self.arithmetic.kinks for s in self.switches_in(expressions))

    def kink_note(self, slopes: Sequence[tuple[sympy.Expr, sympy.Expr]]) -> str:
        """Return the note about the kinks of derivatives and rules; "" if there are none."""
        conventions: dict[str, tuple[list[str], dict[str, None]]] = {}
        for switch in self.switches_in([e for pair in slopes for e in pair]):
            met = {self.meet(switch, *pair) for pair in slopes}
            if switch.kind == "mask" or met == {True}:
                continue
            takes = "the slope 0" if switch.at(0) == 0 else "the mean of both slopes"
            if switch.kind == "choice":
                takes = "the slope of one side"
            takes = takes if False in met else ""
            texts, ops = conventions.setdefault(takes, ([], {}))
            text = self.arithmetic.brief(without_minus(switch.of), "= 0")
            texts += [text] * (not text or text not in texts)
            ops[switch.op] = None
        notes: list[str] = []
        for takes, (texts, ops) in conventions.items():
            told = [text for text in texts if text][:3]  # a long one has no text
            more = len(texts) - len(told)
            kinks = ("kink" if takes else "point") + "s" * (len(texts) > 1)
            where = f"the {kinks} {', '.join(told)}" if told else f"{more} {kinks}"
            where += f" and {more} more" if told and more else ""
            take = "take" + "s" * (len(ops) == 1)
            notes.append(where + f" (there {listed(list(ops))} {take} {takes})" * bool(takes))
        return f"holds away from {', and from '.join(notes)}" if notes else ""

    def meet(self, switch: Switch, derivative: sympy.Expr, rule: sympy.Expr) -> bool | None:
        """Return whether both slopes and the rule's meet where a switch is 0, as for |x|³.

        False if that is not known; None if the formula of the rule has no value there.
        """
        formulas: Any = (self.total, derivative, rule)
        if switch.symbol not in derivative.free_symbols | rule.free_symbols:
            return True
        inner: Any = self.switches_in([switch.of])
        if len(inner) > 1 or any(size_of(e, self.sizes) > SMALL for e in formulas):
            return False
        met: bool | None = True
        for answer in (1, -1)[: 1 + len(inner)]:  # |x| - 1 is x - 1 or -x - 1
            region: dict[Any, Any] = {s.symbol: sympy.S(s.at(answer)) for s in inner}
            of = sympy.expand(switch.of.xreplace(region))
            symbol = min(of.free_symbols, key=str)
            factor = of.diff(symbol)
            root = {symbol: sympy.expand(symbol - of / factor)}
            if factor.has(symbol):
                return False
            if any((answer * s.of.xreplace(root)).is_negative for s in inner):
                continue  # this zero is on the other side
            beside = []
            for side in (1, -1, 0):
                there = dict(region)
                for s in self.switches_in(formulas):
                    own: Any = s.of.xreplace(region)
                    value = sympy.expand(own.xreplace(root))
                    turn = own.diff(symbol) / factor if value == 0 else value
                    if turn.is_nonzero and turn.is_real and turn.is_number:
                        sign = 1 if turn > 0 else -1
                        there[s.symbol] = sympy.S(s.at(sign * side if value == 0 else sign))
                beside.append([e.xreplace(there).xreplace(root) for e in formulas])
            right, left, zero = beside
            pairs = [(right[0], left[0]), (right[1], left[1])]
            if zero[2].has(sympy.nan, sympy.zoo):
                met = None
            else:
                pairs.append((right[1], zero[2]))
            if any(sympy.expand(one - other) != 0 for one, other in pairs):
                return False
        return met


class Side(NamedTuple):
    """A condition on one side of the kink of its switch."""

    value: sympy.Expr  # what the condition is about, there
    region: sympy.Expr  # it is positive on this side
    holds: int  # there: 1 everywhere, -1 nowhere, 0 in parts or unknown

    @classmethod
    def of(cls, expression: sympy.Expr, switch: Switch, sign: str, answer: int) -> "Side":
        """Return the side where the switch answers yes, 1, or no, -1."""
        value = sympy.expand(expression.xreplace({switch.symbol: sympy.S(switch.at(answer))}))
        region = answer * switch.of
        return cls(value, region, holds(value, region, sign))


def without_minus(expression: sympy.Expr) -> sympy.Expr:
    """Return x for x and for -x: both have the same zeros."""
    return -expression if expression.could_extract_minus_sign() else expression


def always(expression: sympy.Expr, sign: str) -> bool:
    """Return whether SymPy knows that a condition holds for all values."""
    return bool(expression.is_nonzero if sign == "≠ 0" else expression.is_nonnegative)


def above(value: sympy.Expr, region: sympy.Expr, fact: str = "is_nonnegative") -> bool:
    """Return whether a value is positive, or its distance from `region` is, as SymPy knows."""
    return bool(value.is_positive or getattr(sympy.expand(value - region), fact))


def holds(value: sympy.Expr, region: sympy.Expr, sign: str) -> int:
    """Return 1 if a value satisfies a condition wherever `region` > 0, -1 if nowhere, else 0."""
    if value == 0:
        return 1 if sign == "≥ 0" else -1
    ratio = sympy.cancel(value / region)
    if above(value, region) or ratio.is_positive:
        return 1
    if sign == "≠ 0":
        return int(bool(value.is_nonzero or ratio.is_nonzero or above(-value, region)))
    return -1 if value.is_nonpositive or ratio.is_nonpositive else 0


def derivative_of(expression: Any, symbol: Any) -> Any:
    """Return the expression that `sympy.diff` gives, in a sixth of the time.

    Each part is differentiated once, with SymPy's slopes of functions; `sympy.diff` differentiates
    every factor of every product anew.
    """

    def one(part: Any, inner: list[Any]) -> Any:
        if not any(inner):
            return sympy.Integer(part == symbol)
        args = part.args
        if part.is_Add:
            return sympy.Add(*inner)
        if part.is_Mul:
            return sympy.Add(
                *[sympy.Mul(*args[:i], d, *args[i + 1 :]) for i, d in enumerate(inner) if d]
            )
        if part.is_Pow and not inner[1]:
            return part * (inner[0] * args[1] / args[0])
        if len(args) == 1 and type(part)._eval_derivative is sympy.Function._eval_derivative:
            return part.fdiff() * inner[0]
        return sympy.diff(part, symbol)

    return bottom_up(expression, {}, one)

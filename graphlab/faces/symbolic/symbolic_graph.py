"""A graph as formulas: what it computes, SymPy's derivative of that, and the rules' gradients.

Read next: faces/symbolic/comparison.py
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import sympy

from graphlab.faces.symbolic.budget import Budget, Switch, Unsupported, bottom_up, size_of
from graphlab.faces.symbolic.interpretation import exact_interpretation, numbers_only
from graphlab.faces.symbolic.live_graph import Tensor, key_of
from graphlab.faces.symbolic.mp_arithmetic import DIGITS, OutsideDomain, context, evaluate
from graphlab.faces.symbolic.problem import NOTHING, Place, Problem
from graphlab.faces.symbolic.symbol_names import SymbolTable
from graphlab.faces.symbolic.sympy_arithmetic import SymPyArithmetic
from graphlab.graph.comparing.wording import listed

MOST_SYMBOLS = 64  # the most entries of all leaves together
MOST_NODES = 400
DEEPEST = 80  # operations on one path, because SymPy works by recursion
LARGEST = 3_000  # operations in one entry, as a tree
SYMBOL_WORK = 20_000  # entries calculated as expressions
SMALL = 100  # operations of a formula whose slopes at a kink are compared
DERIVATIVE_WORK = 150_000  # operations in formulas that are differentiated and in derivatives


SLOPES_AT_A_TIE = {"choice": "the slope of one side", "first": "the slope of its first input"}
POLES = "≠ 0, -1, -2, …"
DOMAINS: dict[Any, tuple[str, Any]] = {  # functions: where they have a slope
    sympy.log: ("> 0", lambda x: x),
    sympy.acosh: ("> 0", lambda x: x - 1),
    sympy.Abs: ("≠ 0", lambda x: x),  # the root of x²
    sympy.tan: ("≠ 0", sympy.cos),
    sympy.atan2: ("≠ 0", lambda y, x: x**2 + y**2),
    sympy.loggamma: (POLES, lambda x: x),
    sympy.polygamma: (POLES, lambda n, x: x),
    **dict.fromkeys(
        (sympy.asin, sympy.acos, sympy.atanh, sympy.erfinv), ("> 0", lambda x: 1 - x**2)
    ),
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
            self.parts = set(self.arithmetic.parts)  # of the forward
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
        found: list[tuple[Any, str]] = []
        shown = self.total.atoms(*DOMAINS, sympy.Pow)
        for part in shown | self.parts:  # sqrt(x)² is x, but has a domain
            if part.func in DOMAINS:
                sign, of = DOMAINS[part.func]
                found.append((of(*part.args), sign))
            elif not part.is_Pow:
                continue
            elif part.exp.is_Integer:
                found += [(part.base, "≠ 0")] * bool(part.exp.is_negative)
            elif not (part.exp.is_positive and part.exp.is_Rational):  # xʸ is exp(y log(x))
                found.append((part.base, "> 0"))
            elif part in shown or not part.base.is_nonnegative:
                found.append((part.base, "≥ 0"))
        simpler = [self.simpler(*without_squares(*one)) for one in found if not always(*one)]
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
        line = along(switches[0].of) if len(switches) == 1 and sign != POLES else None
        if line is None:
            return expression, asked
        switch, beside = switches[0], sympy.Dummy(positive=True)

        def holds(value: Any, side: int, sign: str) -> int:
            """Return 1 if a condition holds everywhere on a side, -1 if nowhere, else 0."""
            there = sympy.expand(value.xreplace(line(side * beside)))
            facts = {"≠ 0": there.is_nonzero, "> 0": there.is_positive}
            fact = facts.get(sign, there.is_nonnegative)
            return 0 if fact is None else 1 if fact else -1

        values: Any = {side: sympy.expand(expression.xreplace(switch.on(side))) for side in (1, -1)}
        known = {side: holds(value, side, sign) for side, value in values.items()}
        if known[1] == known[-1] == 1:  # what is left is the kink
            at_kink = (-1,) if switch.kind == "mask" else (1, -1)
            covered = any(values[side].xreplace(line(0)).is_positive for side in at_kink)
            return None if covered else (without_minus(switch.of), "≠ 0")
        for side in (1, -1):
            if known[side] == 1 and known[-side] == -1:
                return side * switch.of, "> 0"
            if known[-side] and holds(values[side], -side, asked) == known[-side]:
                return values[side], asked
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
        told: dict[str, list[Any]] = {}
        for switch in self.switches_in([e for pair in slopes for e in pair]):
            if switch.kind == "mask" or all(self.meet(switch, *pair) for pair in slopes):
                continue
            takes = "the slope 0" if switch.at(0) == 0 else "the mean of both slopes"
            takes = SLOPES_AT_A_TIE.get(switch.kind, takes)
            told.setdefault(takes, []).append(switch)
        notes: list[str] = []
        for takes, switches in told.items():
            at = {self.arithmetic.brief(without_minus(s.of), "= 0") or s: 0 for s in switches}
            short = [text for text in at if isinstance(text, str)]
            kinks = "kink" + "s" * (len(at) > 1)
            where = listed([*short, *["others"] * (len(short) < len(at))], 3)
            where = f"the {kinks} {where}" if short else f"{len(at)} {kinks}"
            ops = dict.fromkeys(s.op for s in switches)
            take = "take" + "s" * (len(ops) == 1)
            notes.append(f"{where} (there {listed(ops)} {take} {takes})")
        return f"holds away from {', and from '.join(notes)}" if notes else ""

    def meet(self, switch: Switch, derivative: Any, rule: Any) -> bool:
        """Return whether both slopes and the rule's are known to meet where a switch is 0: |x|³."""
        if switch.symbol not in derivative.free_symbols | rule.free_symbols:
            return True
        same = (switch.of, -switch.of)
        here = {s.symbol for s in self.arithmetic.switches.values() if s.of in same}
        slopes = map(sympy.Add.make_args, (derivative, rule))
        several = (self.terms, *([(t, t.free_symbols) for t in terms] for terms in slopes))
        formulas: Any = [sympy.Add(*(t for t, has in terms if has & here)) for terms in several]
        inner: Any = self.switches_in([switch.of])
        if len(inner) > 1 or any(size_of(e, self.sizes) > SMALL for e in formulas):
            return False
        near = sympy.Dummy(positive=True)
        regions: Any = [s.on(side) for s in inner for side in (1, -1)] or [{}]
        ways: Any = [switch.of.xreplace(r) for r in regions]  # |x| - 1 is x - 1 or -x - 1
        if inner:  # sign(x) jumps
            line = along(inner[0].of)
            if line is None or sympy.expand((ways[0] - ways[1]).xreplace(line(0))) != 0:
                return False
        for region, of in zip(regions, ways, strict=True):
            if of.is_number and of.is_nonzero:
                continue
            base, power = of.as_coeff_Mul()[1].as_base_exp()
            line = along(base if power.is_Integer and power > 0 else of)
            if line is None:
                return False
            beside = []
            for side in (1, -1, 0):
                there = dict(region)
                for s in self.switches_in(formulas):
                    value: Any = sympy.expand(s.of.xreplace(region).xreplace(line(side * near)))
                    sign = sympy.sign(value.xreplace({near: sympy.S.Zero}) or value)
                    there |= s.on(int(sign)) if sign.is_Integer else {}
                beside.append([e.xreplace(there).xreplace(line(0)) for e in formulas])
            (high, right, _), (low, left, _), (_, _, rules) = beside
            off = (high - low, right - left, right - rules)
            *apart, wrong = (self.arithmetic.without_squares(sympy.expand(e)) for e in off)
            if any(apart) or wrong not in (0, sympy.nan):  # nan: only `where` knows it
                return False
        return True


def along(of: Any) -> Any:
    """Return a function that gives all places where `of` has a value, {x: place}, or None."""
    for x in sorted(of.free_symbols, key=str):
        if (factor := of.diff(x)).is_number and factor:  # x y is 0 at y = 0
            return lambda y: {x: sympy.expand(x + (y - of) / factor)}
    return None


def without_minus(expression: sympy.Expr) -> sympy.Expr:
    """Return x for x and for -x: both have the same zeros."""
    return -expression if expression.could_extract_minus_sign() else expression


def always(expression: Any, sign: str) -> bool:
    """Return whether SymPy knows that a condition holds for all values."""
    if expression.is_Add and len(expression.args) == 2:  # 1 - 1/(1 + exp(-x))
        expression = sympy.together(expression)
    return bool(expression.is_nonzero if sign == "≠ 0" else expression.is_positive)


def without_squares(expression: Any, sign: str) -> tuple[Any, str]:
    """Return x ≠ 0 for x² > 0, and for x² ≠ 0; what is never negative is to be not 0."""
    if sign in ("> 0", "≥ 0") and expression.is_nonnegative:
        sign = "≠ 0"
    if sign != "≠ 0":
        return expression, sign
    powers = (factor.as_base_exp() for factor in sympy.Mul.make_args(expression))
    return sympy.Mul(*(base if exp.is_Integer else base**exp for base, exp in powers)), sign


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

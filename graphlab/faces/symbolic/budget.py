"""How much work a check may do.

Work is counted, not timed: the same graph gets the same verdict on any computer. An expensive step
is refused if too little of the budget is left for the size of its input. For work that the count
does not foresee there is also a limit of CPU time: it stops a check after a minute, and the report
says so.

The size of an expression is counted here too, each distinct part once; `memo` keeps the sizes of
parts. A formula with several kinks of one symbol is written in one list of cases, from above to
below.

Read next: faces/symbolic/check.py
"""

import time
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Any

import sympy

from graphlab.primitives.sympy_reading.object_arrays import Unsupported

DEFAULT = 5.0  # the limits in this folder are for this budget
PATIENCE = 12.0  # seconds of CPU time for each unit of the budget; a small budget counts as 1
TOO_MUCH = "the graph is too large for the work that a check may do"
cpu_time = getattr(time, "thread_time", time.process_time)  # thread_time is missing on some systems


class ShapeMismatch(Unsupported):
    """A rule returns a gradient that does not have the shape of its input."""

    def __init__(self, node: Any, input: int, shape: Any, expected: Any) -> None:
        super().__init__(
            f"a rule of {node.name()} returns shape {shape} for an input of {expected}"
        )
        self.node, self.input = node, input


@contextmanager
def guarded(what: str) -> Iterator[None]:
    """Turn any error inside into Unsupported, after which the next method is tried.

    SymPy and mpmath raise many kinds of errors for formulas that they cannot handle. what: the
    method, for the note in the report. Raises: Unsupported.

    >>> with guarded("the proof"):
    ...     1 / 0
    Traceback (most recent call last):
    graphlab.primitives.sympy_reading.object_arrays.Unsupported: the proof ended in ...
    """
    try:
        yield
    except Unsupported:
        raise
    except RecursionError:
        raise Unsupported("the formula is nested too deeply for SymPy") from None
    except Exception as error:
        said = " ".join(str(error).split())[:80]
        raise Unsupported(f"{what} ended in {type(error).__name__}: {said}") from error


@dataclass(slots=True)
class Budget:
    """How much of one kind of work is left, for instance entries to calculate.

    overhead: an extra cost of each call of `take`. ends: the `cpu_time` at which the check is
    stopped. refused: whether a step was left out because it did not fit.
    """

    left: int
    spent: int = 0
    overhead: int = 0
    ends: float = inf
    reason: str = TOO_MUCH
    refused: bool = False

    def take(self, amount: int) -> None:
        """Subtract `amount` from what is left. Raises: Unsupported if too little is left.

        >>> budget = Budget(10)
        >>> budget.take(8)
        >>> budget.take(3)
        Traceback (most recent call last):
        graphlab.primitives.sympy_reading.object_arrays.Unsupported: the graph is too large ...
        """
        self.spent += amount
        self.left -= amount + self.overhead
        if self.left < 0:
            raise Unsupported(self.reason)
        if cpu_time() > self.ends:
            raise Unsupported("the check took too long and was stopped by the clock")

    def fits(self, amount: float) -> bool:
        """Return whether an optional step fits; if so, subtract its work.

        >>> budget = Budget(10)
        >>> budget.fits(20), budget.fits(8), budget.left
        (False, True, 2)
        """
        if not amount + self.overhead <= self.left or cpu_time() > self.ends:
            self.refused = True
            return False
        self.take(int(amount))
        return True


class Allowance:
    """How much work a check may do. budget: roughly in seconds on an ordinary computer, > 0."""

    def __init__(self, budget: float = DEFAULT) -> None:
        self.share = budget / DEFAULT
        self.ends = cpu_time() + PATIENCE * max(budget, 1.0)
        self.reason = f"{TOO_MUCH} with the budget {budget:g}"

    def budget(self, limit: int, overhead: int = 0, least: float = 0.0) -> Budget:
        """Return a budget for one kind of work. limit: the amount for the default budget.

        least: the share of `limit` that is allowed even if the budget of the check is smaller.
        """
        allowed = int(limit * max(self.share, least))
        return Budget(allowed, overhead=overhead, ends=self.ends, reason=self.reason)


# -- the size of an expression --------------------------------------------------------------------

MOST_BITS = 10_000  # of an integer in a formula, about 3,000 digits; Python prints up to 4,300
LARGEST_DEGREE = 2_000  # a limit, because SymPy expands powers of sums to find their signs
LONG = 10_000  # a denominator from which on a fraction is shown as a decimal


def bits_of(number: sympy.Expr) -> int:
    """Return the number of bits of all integers in an expression; 1 and -1 do not count.

    >>> bits_of(sympy.Integer(-1)), bits_of(sympy.Rational(3, 2)), bits_of(sympy.sqrt(5))
    (0, 3, 5)
    """
    parts = number.atoms(sympy.Rational) - {sympy.S.One, sympy.S.NegativeOne}
    return sum(int(part.p).bit_length() + int(part.q - 1).bit_length() for part in parts)


def size_of(expression: sympy.Basic, memo: dict[Any, int]) -> int:
    """Return the number of nodes of the expression as a tree; large numbers count more.

    memo: the sizes of parts that are already known.

    >>> x = sympy.Symbol("x")
    >>> size_of(x * x + 1, {})
    5
    """
    return bottom_up(expression, memo, one_size)


def one_size(part: Any, inner: list[int]) -> int:
    """Return the size of one part. inner: the sizes of its own parts."""
    if isinstance(part, sympy.Rational):
        bits = int(part.p).bit_length() + int(part.q).bit_length()
        return 1 + bits // 64 if bits <= MOST_BITS else 10**9
    return 1 + sum(inner)


def flat(formula: Any) -> list[Any]:
    """Return its entries."""
    return [*formula.args[0].args] if isinstance(formula, sympy.Array) else [formula]


def with_decimals(formula: Any) -> tuple[Any, dict[Any, str]]:
    """Return the formula with a symbol, its decimal, for each long fraction; and their LaTeX.

    >>> with_decimals(sympy.Rational(-8794033, 4194304) * sympy.Symbol("x"))[0]
    -2.09666…*x
    """
    found: dict[Any, Any] = {}
    shown: dict[Any, Any] = {}
    tex: dict[Any, str] = {}
    for one in sorted(number for number in formula.atoms(sympy.Rational) if number.q >= LONG):
        for digits in (6, 12, 17):  # two numbers must not look the same
            rounded = sympy.Float(abs(one), digits)
            text = sympy.sstr(rounded, full_prec=False).replace(".0e", "e")
            more = sympy.Rational(text) != abs(one)
            symbol = sympy.Symbol(text + "…" * more, positive=True)
            if shown.setdefault(symbol, abs(one)) == abs(one):
                found[one] = symbol if one > 0 else -symbol
                tex[symbol] = sympy.latex(rounded) + r"\ldots" * more
                break
    if found and (formula := formula.xreplace(found)).has(sympy.Piecewise):
        formula = formula.replace(sympy.Piecewise, partial(number_last, tex))
    return formula, tex


def with_floats(formula: Any) -> Any:
    """Return the formula with a float for each long fraction."""
    long = (one for one in formula.atoms(sympy.Rational) if LONG <= one.q < 10**300)
    return formula.xreplace({one: sympy.Float(repr(float(one))) for one in long})


def number_last(numbers: Container[Any], *cases: Any) -> Any:
    """Return the cases with conditions such as x < 1e-8; SymPy, sorting by name, has 1e-8 > x."""
    told = [(e, c.reversed if c.is_Relational and c.lhs in numbers else c) for e, c in cases]
    return sympy.Piecewise(*told, evaluate=False)


def degree_of(expression: sympy.Basic, memo: dict[Any, int]) -> int:
    """Return the degree that nested powers of sums reach.

    A power of a sum that contains no other such power counts as 2, whatever its exponent.

    >>> x = sympy.Symbol("x")
    >>> degree_of((x + 2) ** 10**9, {}), degree_of(((x + 2) ** 10**9 + x) ** 3 * (x + 2), {})
    (2, 7)
    """
    return bottom_up(expression, memo, one_degree)


def one_degree(part: Any, inner: list[int]) -> int:
    """Return the degree of one part. inner: the degrees of its own parts."""
    if isinstance(part, sympy.Mul):
        return sum(inner)
    if isinstance(part, sympy.Pow) and part.exp.is_Integer and part.base.is_Add:
        return abs(int(part.exp)) * inner[0] if inner[0] > 1 else 2
    return max(inner, default=1)


def bottom_up(expression: Any, memo: dict[Any, Any], one: Callable[[Any, list[Any]], Any]) -> Any:
    """Apply `one` to an expression and its results for the parts; each distinct part once."""
    stack = [expression]
    while stack:
        part = stack[-1]
        waiting = [a for a in part.args if a not in memo]
        if waiting:
            stack.extend(waiting)
            continue
        if part not in memo:
            memo[part] = one(part, [memo[a] for a in part.args])
        stack.pop()
    return memo[expression]


MOST = 6  # kinks between which a formula has cases


@dataclass(frozen=True, slots=True)
class Switch:
    """A symbol that stands for the answer to "is `of` positive?".

    kind: "sign" is 1 or -1, the others are 1 or 0: "choice" for a comparison in a rule, "larger"
    for a maximum or a minimum, "first" for one that gives a tie to its first input, "mask" for the
    condition of a `where`.
    tie: its value if `of` is 0. op: the name of the operation that made it.
    """

    symbol: sympy.Dummy
    of: sympy.Expr
    kind: str
    tie: Any
    op: str = "PyTorch"

    def at(self, sign: int) -> Any:
        """Return its value if `of` has this sign, or is 0."""
        return sign if self.kind == "sign" else (1 + sign) // 2 if sign else self.tie

    def on(self, sign: int) -> dict[Any, Any]:
        """Return its symbol with this value."""
        return {self.symbol: sympy.S(self.at(sign))}

    @property
    def condition(self) -> sympy.Expr:
        """The condition for yes, such as x > 3/10 for 2 x - 3/5, or x > y for x - y."""
        more, less = (sympy.Ge, sympy.Le) if self.tie == 1 else (sympy.Gt, sympy.Lt)
        if len(self.of.free_symbols) > 1 and self.of.is_Add:
            terms: Any = self.of.args
            left = sympy.Add(*(t for t in terms if not t.could_extract_minus_sign()))
            return more(left, left - self.of, evaluate=False)
        number, rest = self.of.as_coeff_Add()
        factor, rest = rest.as_coeff_Mul()
        compare = less if factor < 0 else more
        return compare(rest, -number / factor, evaluate=False)

    @property
    def expression(self) -> sympy.Expr:
        """The switch as mathematics, for display."""
        if self.kind == "sign":
            return sympy.sign(self.of, evaluate=False)
        if self.kind == "mask":
            return sympy.Piecewise((1, self.condition), (0, True), evaluate=False)
        above = (sympy.Ge if self.tie == 1 else sympy.Gt)(self.of, 0, evaluate=False)
        if self.tie in (0, 1):
            return sympy.Piecewise((1, above), (0, True), evaluate=False)
        equal = sympy.Eq(self.of, 0, evaluate=False)
        return sympy.Piecewise((1, above), (self.tie, equal), (0, True), evaluate=False)


def on_branch(expression: Any, symbol: Any, value: Any) -> Any:
    """Return an expression with a value for a switch. A product with a factor 0 is 0."""
    there = {symbol: sympy.sympify(value)}

    def is_off(part: Any) -> bool:
        return part.is_Mul and any(a.xreplace(there) == 0 for a in part.args)

    return expression.replace(is_off, lambda part: sympy.S.Zero).xreplace(there)


def kinks_on_a_line(switches: Sequence[Any]) -> list[tuple[Any, Any]]:
    """Return the switches with the value of their only symbol at the kink, the largest first.

    The list is empty if they have several symbols, or powers of one, or are a single switch.
    """
    found = []
    for switch in switches:
        number, rest = switch.of.as_coeff_Add()
        factor, symbol = rest.as_coeff_Mul()
        found.append((symbol, -number / factor, switch))
    symbol = found[0][0] if 1 < len(found) <= MOST else None
    if symbol is None or symbol.is_Dummy or not symbol.is_Symbol:
        return []
    if any(one != symbol for one, _, _ in found):
        return []
    return sorted(((kink, s) for _, kink, s in found), key=lambda pair: pair[0], reverse=True)


def by_intervals(
    expression: Any, kinks: list[tuple[Any, Any]], shown: Callable[[Any], Any]
) -> sympy.Expr:
    """Return the cases of an expression between its kinks: 1 if x > 2 else x - 1 if x > 1 else 0.

    shown: writes an expression without these switches.
    """
    (symbol,) = kinks[0][1].of.free_symbols

    def beside(kink: Any, side: int) -> Any:
        """Return the expression above the kink (1), at it (0) or below it (-1)."""
        made = expression
        for other, switch in kinks:
            rises = 1 if switch.of.coeff(symbol) > 0 else -1
            above = side if other == kink else 1 if kink > other else -1
            made = on_branch(made, switch.symbol, switch.at(above * rises))
        return shown(made)

    cases: list[tuple[Any, Any]] = []
    for kink in dict.fromkeys(kink for kink, _ in kinks):
        above, at, below = (beside(kink, side) for side in (1, 0, -1))
        if above != at or at != below:
            cases.append((above, symbol >= kink if at == above else symbol > kink))
        if at not in (above, below):
            cases.append((at, sympy.Eq(symbol, kink)))
    cases.append((beside(kinks[-1][0], -1), True))
    cases = [case for case in cases if not case[0].has(sympy.zoo, sympy.nan)] or cases
    if len(cases) == 1:
        return cases[0][0]
    return sympy.Piecewise(*cases[:-1], (cases[-1][0], True), evaluate=False)

"""The zero test: can SymPy show that an expression is 0?

Three methods are tried, the cheapest first: *identical* (it is the number 0), *expand*, and
*together* (make one fraction and expand its numerator; if that is 0, so is the fraction, so nothing
has to be cancelled). If none succeeds, numbers of 50 digits are compared, which is agreement and
never called a proof. A method runs only if its work, known beforehand, fits the budget.

Read next: faces/symbolic/problem.py
"""

import itertools
import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import sympy

from graphlab.faces.symbolic.budget import Budget, Switch, bottom_up, size_of
from graphlab.faces.symbolic.mp_arithmetic import context, evaluate

LARGEST_EXPANSION = 4_000  # the most terms of an expanded expression
PROOF_WORK = 650_000  # the most factors of terms that a whole check may write
LARGEST_FRACTION = 2_000  # operations: a larger expression is not brought to one denominator
FRACTION_WORK = 12  # factors that can be written in the time that one of these operations takes
MANY = 1e9  # terms: any number above this counts as this
MOST_SWITCHES = 6  # up to this number, all 2^6 combinations of open regions are tried


def prove_zero(
    difference: sympy.Expr,
    switches: Mapping[Any, Switch],
    now: Mapping[Any, Any],
    budget: Budget | None = None,
    here: bool = False,
) -> tuple[str, bool] | None:
    """Return the method that proves `difference` to be 0 and whether on all open regions, or None.

    switches: the switches in it, by symbol. now: their current values, which select one region if
    there are too many. here: whether the formulas are right only on the region of the current
    values.
    """
    present = [s for s in switches.values() if difference.has(s.symbol)]
    if not (present and is_nonzero(difference)):
        method = prove_smooth(difference, budget)
        if method or not present:
            return (method, not here) if method else None
    guards = list(dict.fromkeys(s.of for s in present))
    everywhere = len(guards) <= MOST_SWITCHES and not here
    regions: Any = itertools.product((1, -1), repeat=len(guards))
    if not everywhere:
        signs = {s.of: 1 if now[s.symbol] > 0 else -1 for s in present}
        regions = [tuple(signs[g] for g in guards)]
    method_used = "identical"
    for region in regions:
        sign = dict(zip(guards, region, strict=True))
        one_side: Any = difference.xreplace(
            {s.symbol: sympy.Integer(s.at(sign[s.of])) for s in present}
        )
        method = prove_smooth(one_side, budget)
        if method is None:
            return None
        method_used = max(method_used, method, key=METHODS.index)
    return method_used, everywhere


def is_nonzero(total: sympy.Expr) -> bool:
    """Return whether a sum is certainly not 0 at one point, a quick test."""
    symbols = sorted(total.free_symbols, key=str)
    point = {symbol: context().mpf(7 + i) / 5 for i, symbol in enumerate(symbols)}
    values: dict[Any, Any] = {}
    try:
        value = evaluate(total, point, memo=values)
    except Exception:  # no value, or none that is found
        return False
    return total.is_Add and abs(value) > 1e-30 * sum(abs(values[term]) for term in total.args)


METHODS = ("identical", "expand", "together")


def prove_smooth(difference: sympy.Expr, budget: Budget | None = None) -> str | None:
    """Return the cheapest method that proves an expression without kinks to be 0; or None."""
    if difference == 0:
        return "identical"
    budget = Budget(PROOF_WORK) if budget is None else budget
    size = size_of(difference, {})
    try:
        if not budget.fits(size):
            return None
        difference = split_powers(difference)
        if expands_to_zero(difference, budget):
            return "expand"
        if size <= LARGEST_FRACTION and budget.fits(FRACTION_WORK * size):
            numerator, _ = sympy.fraction(sympy.together(difference))
            if expands_to_zero(numerator, budget):
                return "together"
    except (ArithmeticError, RecursionError, sympy.PolynomialError, NotImplementedError):
        return None  # SymPy raises these for numbers that are too large, and formulas too deep
    return None


def expands_to_zero(expression: Any, budget: Budget) -> bool:
    """Return whether the expanded expression is 0; False if it would be too large."""
    made = expansion(expression)
    if made.terms > LARGEST_EXPANSION or not budget.fits(made.work):
        return False
    return sympy.expand(expression, func=False) == 0


def split_powers(expression: Any) -> Any:
    """Write x**(y - 1) as x**y / x, which SymPy does not do because x may be 0."""
    sums = [p for p in expression.atoms(sympy.Pow) if p.exp.is_Add]
    if not sums:
        return expression
    return expression.xreplace({p: sympy.Mul(*[p.base**part for part in p.exp.args]) for p in sums})


class Expansion(NamedTuple):
    """Upper bounds for the size of an expanded expression; a function call is one factor.

    terms: in the result or in an intermediate sum. factors: in each term. work: the factors that
    are written in all steps, which is what takes the time.
    """

    terms: float
    factors: float
    work: float


def expansion(expression: Any) -> Expansion:
    """Return bounds for how large an expression becomes when it is expanded.

    >>> x, y = sympy.symbols("x y")
    >>> expansion((x + y) * (x - 1) * y)
    Expansion(terms=4.0, factors=3.0, work=21.0)
    """
    memo: dict[Any, Expansion] = {}
    made = bottom_up(expression, memo, one_expansion)
    return made._replace(terms=max(one.terms for one in memo.values()))


def one_expansion(part: Any, inner: list[Expansion]) -> Expansion:
    """Return the bounds for one part. inner: those of its own parts."""
    terms, factors = written(part, inner)
    return Expansion(terms, factors, sum(one.work for one in inner) + terms * factors)


def written(part: Any, inner: list[Expansion]) -> tuple[float, float]:
    """Return the number of terms of one expanded part, and of factors in each."""
    counts, lengths = [one.terms for one in inner], [one.factors for one in inner]
    if isinstance(part, sympy.Add):
        return sum(counts), max(lengths)
    if isinstance(part, sympy.Mul):
        return math.prod(counts), sum(lengths)
    if isinstance(part, sympy.Pow) and part.exp.is_Integer:
        power, count = min(abs(int(part.exp)), MANY), counts[0] - 1
        if count <= 0:  # the power of one term is one
            return 1.0, lengths[0]
        few = count * math.log(power + 1) < math.log(MANY)  # at most (power + 1)^count terms
        return (float(power + 1) ** count if few else MANY), power * lengths[0]
    if isinstance(part, sympy.exp | sympy.Pow):
        return max(counts, default=1.0), sum(lengths)
    return 1.0, 1.0

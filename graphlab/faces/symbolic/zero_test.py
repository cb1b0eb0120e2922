"""The zero test: can SymPy show that an expression is 0?

Three methods are tried, the cheapest first: *identical* (it is the number 0), *expand*, and
*together* (one fraction, whose numerator is expanded; the fraction is 0 when that is, so nothing
has to be cancelled). What none of them settles is compared with 50 digits, which is agreement and
never called a proof. The number of terms is known before a method runs, and there is a budget of
terms.

Read next: faces/symbolic/problem.py
"""

import itertools
import math
from collections.abc import Iterator, Mapping
from typing import Any

import sympy

from graphlab.faces.symbolic.budget import Budget, Unsupported
from graphlab.faces.symbolic.sympy_arithmetic import Switch, size_of

LARGEST_EXPANSION = 4_000  # terms that expanding may give
TERM_WORK = 60_000  # terms that a whole check may make
LARGEST_FRACTION = 2_000  # operations in what is brought to one denominator
MANY = 1e9  # terms: far too many, however many more there are
MOST_SWITCHES = 6  # all 2^6 combinations of open regions are tried


def prove_zero(
    difference: sympy.Expr,
    switches: Mapping[Any, Switch],
    now: Mapping[Any, Any],
    budget: Budget | None = None,
    here: bool = False,
) -> tuple[str, bool] | None:
    """The method that shows `difference` to be 0, and whether on every open region; else None.

    switches: the switches in it, by symbol. now: their current values, which select one region when
    there are too many. here: whether the formulas hold on the region of the current values only.
    """
    method = prove_smooth(difference, budget)
    if method is not None:
        return method, not here
    present = [s for s in switches.values() if difference.has(s.symbol)]
    if not present:
        return None
    guards = list(dict.fromkeys(s.of for s in present))
    everywhere = len(guards) <= MOST_SWITCHES and not here
    regions: Iterator[tuple[int, ...]] | list[tuple[int, ...]]
    if everywhere:
        regions = itertools.product((1, -1), repeat=len(guards))
    else:
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


METHODS = ("identical", "expand", "together")


def prove_smooth(difference: sympy.Expr, budget: Budget | None = None) -> str | None:
    """The cheapest method that shows an expression without kinks to be 0; None if none does."""
    if difference == 0:
        return "identical"
    budget = Budget(TERM_WORK) if budget is None else budget
    try:
        difference = split_powers(difference)
        if expands_to_zero(difference, budget):
            return "expand"
        size = size_of(difference, {})
        if size <= LARGEST_FRACTION:
            budget.take(size)
            numerator, _ = sympy.fraction(sympy.together(difference))
            if expands_to_zero(numerator, budget):
                return "together"
    except (Unsupported, RecursionError, sympy.PolynomialError, NotImplementedError):
        return None
    return None


def expands_to_zero(expression: Any, budget: Budget) -> bool:
    """Whether the expanded expression is 0; False if it would be too large."""
    count = terms(expression)
    if count > LARGEST_EXPANSION:
        return False
    budget.take(int(count))
    return sympy.expand(expression, func=False) == 0


def split_powers(expression: Any) -> Any:
    """Write x**(y - 1) as x**y / x, which SymPy does not do because of x = 0."""
    sums = [p for p in expression.atoms(sympy.Pow) if p.exp.is_Add]
    if not sums:
        return expression
    return expression.xreplace({p: sympy.Mul(*[p.base**part for part in p.exp.args]) for p in sums})


def terms(expression: Any) -> float:
    """An upper bound of the number of terms after expansion; a function call counts as 1."""
    memo: dict[Any, float] = {}
    stack = [expression]
    while stack:
        part = stack[-1]
        waiting = [a for a in part.args if a not in memo]
        if waiting:
            stack.extend(waiting)
            continue
        stack.pop()
        counts = [memo[a] for a in part.args]
        if isinstance(part, sympy.Add):
            memo[part] = sum(counts)
        elif isinstance(part, sympy.Mul):
            memo[part] = math.prod(counts)
        elif isinstance(part, sympy.Pow) and part.exp.is_Integer:
            power, count = abs(int(part.exp)), counts[0] - 1  # at most (power + 1)^count terms
            few = count * math.log(min(power, MANY) + 1) < math.log(MANY)
            memo[part] = float(power + 1) ** count if few else MANY
        elif isinstance(part, sympy.exp | sympy.Pow):
            memo[part] = max(counts, default=1.0)
        else:
            memo[part] = 1.0
    return max(max(memo.values()), memo[expression])

"""Is this expression zero? Asked of SymPy, cheapest first, each step only where it stays small.

identical -> expand -> together: one fraction, whose numerator is expanded. (It is 0 when that is,
so nothing needs to be cancelled.) What none of them settles is decided by 50 digits, which is
agreement and never called a proof. How many terms a step would make is known before it is taken,
and there is a budget of them: nothing to wait for, and nothing to kill.

Read next: faces/symbolic/numeric_check.py
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
MOST_SWITCHES = 6  # 2^6 combinations of open regions are tried one by one


def prove_zero(
    difference: sympy.Expr,
    switches: Mapping[Any, Switch],
    now: Mapping[Any, Any],
    budget: Budget | None = None,
    here: bool = False,
) -> tuple[str, bool] | None:
    """The rung that shows `difference` to be 0, and whether for every open region; else None.

    switches: what the symbols of kinks in it stand for. now: their values at the current point,
    for when there are too many regions to try each. budget: terms that may be made. here: the
    formulas hold on the region of the current values only.
    """
    rung = prove_smooth(difference, budget)
    if rung is not None:
        return rung, not here
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
    slowest = "identical"
    for region in regions:
        sign = dict(zip(guards, region, strict=True))
        one_side: Any = difference.xreplace(
            {s.symbol: sympy.Integer(s.at(sign[s.of])) for s in present}
        )
        rung = prove_smooth(one_side, budget)
        if rung is None:
            return None
        slowest = max(slowest, rung, key=METHODS.index)
    return slowest, everywhere


METHODS = ("identical", "expand", "together")


def prove_smooth(difference: sympy.Expr, budget: Budget | None = None) -> str | None:
    """The cheapest rung that shows an expression without kinks to be 0."""
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
    """Whether everything cancels when it is multiplied out; not tried where it is too much."""
    count = terms(expression)
    if count > LARGEST_EXPANSION:
        return False
    budget.take(int(count))
    return sympy.expand(expression, func=False) == 0


def split_powers(expression: Any) -> Any:
    """x**(y - 1) as x**y / x, which SymPy leaves alone for the sake of x = 0."""
    sums = [p for p in expression.atoms(sympy.Pow) if p.exp.is_Add]
    if not sums:
        return expression
    return expression.xreplace({p: sympy.Mul(*[p.base**part for part in p.exp.args]) for p in sums})


def terms(expression: Any, memo: dict[Any, float] | None = None) -> float:
    """At most how many terms expanding gives: what is outside of sums and products counts 1."""
    memo = {} if memo is None else memo
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

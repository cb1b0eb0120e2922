"""A formula with several kinks of one symbol is written in one list of cases, from above to below.

Read next: faces/symbolic/exact_constants.py
"""

from collections.abc import Callable, Sequence
from typing import Any

import sympy

MOST = 6  # kinks between which a formula has cases


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
            made = on_branch(made, switch.symbol, switch.at(above * rises) if above else switch.tie)
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

"""Name the common parts of a long formula: u₁ = exp(x), and the formula in terms of u₁.

Read next: faces/symbolic/report_table.py
"""

from collections.abc import Iterable, Mapping
from typing import Any

import sympy

from graphlab.faces.symbolic.expression_size import size_of
from graphlab.faces.symbolic.local_derivatives import set_by
from graphlab.faces.symbolic.symbol_names import tex_name

LARGEST = 1500  # operations: a larger formula is not searched for common parts
MOST_NAMES = 24
LETTERS = "uvpqgkmnrst"
LONGEST = 260  # the most operations of the formula and its parts together


def named_parts(formula: Any) -> tuple[list[tuple[sympy.Symbol, Any]], Any] | None:
    """Return the repeated parts, and the formula in terms of them; None if there are none.

    >>> x = sympy.Symbol("x")
    >>> parts, body = named_parts(sympy.exp(x**2 + 1) * (x**2 + 1))
    >>> parts, body
    ([(u1, x**2 + 1)], u1*exp(u1))
    """
    array = isinstance(formula, sympy.NDimArray)
    entries: list[Any] = list(sympy.flatten(formula.tolist())) if array else [formula]
    sizes: dict[Any, int] = {}
    if sum(size_of(entry, sizes) for entry in entries) > LARGEST:
        return None
    taken = {s.name for entry in entries for s in entry.free_symbols}
    letter = letter_beside(taken)
    fresh = (sympy.Symbol(f"{letter}{k}") for k in range(1, 10**6))
    parts, found = sympy.cse(entries, symbols=fresh, order="none")
    bodies: list[Any] = list(found)
    left = sum(size_of(part, sizes) for _, part in parts) + sum(size_of(b, sizes) for b in bodies)
    if not parts or len(parts) > MOST_NAMES or left > LONGEST:
        return None
    return parts, sympy.Array(bodies, formula.shape) if array else bodies[0]


def letter_beside(names: Iterable[str]) -> str:
    """Return a letter with which no name begins: u_1 may be an entry of u.

    >>> letter_beside(["x", "y"]), letter_beside(["u_0", "u_1", "v"])
    ('u', 'p')
    """
    begun = {name[:1] for name in names}
    return next((letter for letter in LETTERS if letter not in begun), "part")


def parts_latex(left: str, formula: Any, names: Mapping[Any, str]) -> str:
    """Return the formula and its named parts, in aligned lines; "" if it has no repeated part."""
    found = named_parts(formula)
    if found is None:
        return ""
    parts, body = found
    symbols = {**names, **{part: tex_name(part.name) for part, _ in parts}}
    lines = [f"{left} &= {set_by(body, symbols)}"]
    lines += [f"{symbols[part]} &= {set_by(value, symbols)}" for part, value in parts]
    body = r" \\ ".join(lines)
    return rf"\begin{{aligned}} {body} \end{{aligned}}"

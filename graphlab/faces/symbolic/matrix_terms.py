"""Matrix notation as terms: the LaTeX of each, and the entries that it stands for.

A vector is a column, a number a 1×1 matrix. Terms are simplified when they are made: numbers move
to the front, (AB)ᵀ becomes BᵀAᵀ, and A x + B x becomes (A + B) x. A mistake in this would not go
unnoticed: a notation is shown only after its entries were compared.

Read next: faces/symbolic/matrix_rules.py
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add as add_entries
from operator import mul
from typing import Any

import numpy as np
import sympy

from graphlab.faces.symbolic.budget import with_decimals

Shape = tuple[int, int]
SUM, PRODUCT, ATOM = range(3)  # how tightly a term binds


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """A matrix in notation. kind: name, transpose, inverse, product, hadamard, scaled, sum, ones.

    entries: a function that makes the object array of its entries, of its shape.
    """

    kind: str
    tex: str
    shape: Shape
    entries: Callable[[], np.ndarray]
    parts: tuple["Term", ...] = ()
    factor: Any = sympy.S.One  # the number before a scaled term
    scalars: tuple[tuple["Term", int], ...] = ()  # and 1×1 terms with their exponents

    @property
    def binding(self) -> int:
        """How tightly it binds: SUM, PRODUCT or ATOM."""
        if self.kind in ("sum", "a sum") or self.tex.startswith("-"):
            return SUM
        loose = ("product", "hadamard", "scaled", "outer ones", "a product")
        return PRODUCT if self.kind in loose else ATOM

    @property
    def is_one(self) -> bool:
        """Whether it is the number 1."""
        return self.kind == "ones" and self.shape == (1, 1)


def bracketed(term: Term, above: int) -> str:
    """Return the LaTeX of a term, in parentheses unless it binds more tightly than `above`."""
    return term.tex if term.binding > above else rf"\left({term.tex}\right)"


def base(term: Term) -> str:
    """Return the LaTeX of a term as the base of a power; a power is put in parentheses, too.

    >>> base(name("A", 2)), base(inverse(name("A", 2)))
    ('A', '\\\\left(A^{-1}\\\\right)')
    """
    tex = bracketed(term, PRODUCT)
    depth = 0
    for sign in re.findall(r"\\left|\\right|\\.|[{}^]", tex):
        depth += {"{": 1, r"\left": 1, "}": -1, r"\right": -1}.get(sign, 0)
        if sign == "^" and depth == 0:
            return rf"\left({tex}\right)"
    return tex


def name(tex: str, data: Any, kind: str = "name") -> Term:
    """Return the term of a tensor's name. data: its entries, 0-d, 1-D or 2-D.

    kind: "a sum" or "a product" if the name is a formula, which may need parentheses.
    """
    return Term(kind, tex, shape_of(np.shape(data)), lambda: column(data))


def shape_of(shape: Sequence[int]) -> Shape:
    """Return the shape of the matrix for a tensor of at most two dimensions."""
    rows, columns = (*shape, 1, 1)[:2]
    return rows, columns


def column(data: Any) -> np.ndarray:
    """Return entries as a matrix: a vector as a column, a number as 1×1."""
    data = np.asarray(data, object)
    return data.reshape(shape_of(data.shape))


def ones(shape: Shape) -> Term:
    """Return a matrix of ones: 1, a vector 𝟏, or 𝟏𝟏ᵀ."""
    rows, columns = shape
    one, across = r"\mathbf{1}", r"\mathbf{1}^{\mathsf{T}}"
    tex = "1" if shape == (1, 1) else one if columns == 1 else across if rows == 1 else one + across
    kind = "ones" if 1 in shape else "outer ones"
    return Term(kind, tex, shape, lambda: np.full(shape, sympy.S.One, object))


def identity(size: int) -> Term:
    """Return I, the identity matrix."""
    return Term("identity", "I", (size, size), lambda: np.array(sympy.eye(size).tolist(), object))


def is_ones(term: Term) -> bool:
    """Return whether all entries are 1."""
    return term.kind in ("ones", "outer ones")


def turned(shape: Shape) -> Shape:
    """Return the shape of the transpose."""
    return shape[1], shape[0]


def transpose(a: Term) -> Term:
    """Return Aᵀ."""
    if a.shape == (1, 1):
        return a
    if is_ones(a):
        return ones(turned(a.shape))
    if a.kind == "identity":
        return a
    if a.kind == "transpose":
        return a.parts[0]
    if a.kind == "product":
        return product(*map(transpose, reversed(a.parts)))
    if a.kind == "scaled":
        return scaled(transpose(a.parts[0]), a.factor, a.scalars)
    if a.kind in ("sum", "hadamard"):
        return (add if a.kind == "sum" else hadamard)(*map(transpose, a.parts))
    if a.kind == "inverse":
        tex = rf"{base(a.parts[0])}^{{-\mathsf{{T}}}}"
    else:
        tex = rf"{base(a)}^{{\mathsf{{T}}}}"
    return Term("transpose", tex, turned(a.shape), lambda: a.entries().T, (a,))


def inverse(a: Term) -> Term:
    """Return A⁻¹."""
    if a.kind == "transpose":
        return transpose(inverse(a.parts[0]))
    if a.kind == "inverse":
        return a.parts[0]

    def entries() -> np.ndarray:
        found = sympy.Matrix(a.entries().tolist()).inv(method="ADJ")
        return np.array(found.tolist(), object)

    return Term("inverse", rf"{base(a)}^{{-1}}", a.shape, entries, (a,))


def scaled(a: Term, factor: Any = 1, scalars: Sequence[tuple[Term, int]] = ()) -> Term:
    """Return A times a number, and times 1×1 terms to integer powers."""
    if a.kind == "scaled":
        return scaled(a.parts[0], a.factor * factor, (*a.scalars, *scalars))
    powers: dict[str, tuple[Term, int]] = {}
    for one, exponent in scalars:
        inner: Sequence[tuple[Term, int]] = ((one, 1),)
        if one.kind == "scaled" and one.parts[0].is_one:
            factor, inner = factor * one.factor**exponent, one.scalars
        for part, power in inner:
            if not part.is_one:
                before = powers.get(part.tex, (part, 0))[1]
                powers[part.tex] = part, before + power * exponent
    kept = tuple((one, n) for one, n in powers.values() if n)
    factor = sympy.sympify(factor)
    if a.shape == (1, 1) and not a.is_one:
        return scaled(ones((1, 1)), factor, (*kept, (a, 1)))
    if factor == 1 and not kept:
        return a

    def entries() -> np.ndarray:
        number = factor
        for one, exponent in kept:
            number = number * one.entries()[0, 0] ** exponent
        return a.entries() * number

    return Term("scaled", set_scaled(a, factor, kept), a.shape, entries, (a,), factor, kept)


def set_scaled(a: Term, factor: Any, scalars: Sequence[tuple[Term, int]]) -> str:
    """Return the LaTeX of numbers and scalars before a matrix; negative powers as a fraction."""
    alone = a.is_one and len(scalars) == 1 and abs(factor) == 1
    above = [raised(one, n, alone) for one, n in scalars if n > 0]
    below = [raised(one, -n) for one, n in scalars if n < 0]
    sign = "-" if factor < 0 else ""
    number, tex = with_decimals(abs(factor))
    top, bottom = (tex[number], 1) if tex else (number.p, number.q)
    if top != 1:
        above.insert(0, str(top))
    if bottom != 1:
        below.insert(0, str(bottom))
    if below:
        front = rf"\frac{{{' '.join(above) or '1'}}}{{{' '.join(below)}}}"
        above = [front]
    rest = [] if a.is_one else [bracketed(a, SUM)]
    return sign + r"\,".join([*above, *rest] or ["1"])


def raised(one: Term, exponent: int, alone: bool = True) -> str:
    """Return the LaTeX of a scalar to a power; bᵀc is in parentheses unless it stands alone."""
    if exponent == 1:
        return bracketed(one, SUM if alone or one.kind != "product" else PRODUCT)
    return rf"{base(one)}^{{{exponent}}}"


def unscaled(terms: Sequence[Term]) -> tuple[list[Term], Any, list[tuple[Term, int]]]:
    """Return the terms without numbers and scalars, the product of the numbers, and the scalars."""
    factor, scalars, parts = sympy.S.One, [], []
    for term in terms:
        if term.kind == "scaled":
            factor, scalars, term = factor * term.factor, [*scalars, *term.scalars], term.parts[0]
        parts.append(term)
    return parts, factor, scalars


def folded(parts: Sequence[Term], multiply: Callable[[Any, Any], Any]) -> Callable[[], np.ndarray]:
    """Return a function that combines the entries of several terms with `multiply`."""
    return lambda: reduce(multiply, (part.entries() for part in parts))


def product(*terms: Term) -> Term:
    """Return A B C, with numbers at the front."""
    bare, factor, scalars = unscaled(terms)
    scalars += [(t, 1) for t in bare if t.shape == (1, 1) and not t.is_one]
    parts: list[Term] = []
    for term in bare:
        if term.shape != (1, 1):
            parts += term.parts if term.kind == "product" else [term]
    parts = [part for part in parts if part.kind != "identity"] or parts[:1]
    if len(parts) < 2:
        return scaled(parts[0] if parts else ones((1, 1)), factor, scalars)
    shape = (parts[0].shape[0], parts[-1].shape[1])
    tex = r"\,".join(bracketed(part, SUM) for part in parts)
    made = Term("product", tex, shape, folded(parts, np.dot), tuple(parts))
    return scaled(made, factor, scalars)


def hadamard(*terms: Term) -> Term:
    """Return A ⊙ B, the product entry by entry."""
    bare, factor, scalars = unscaled(terms)
    parts: list[Term] = []
    for term in bare:
        if not is_ones(term):
            parts += term.parts if term.kind == "hadamard" else [term]
    if len(parts) < 2:
        return scaled(parts[0] if parts else ones(terms[0].shape), factor, scalars)
    tex = r" \odot ".join(bracketed(part, PRODUCT) for part in parts)
    made = Term("hadamard", tex, parts[0].shape, folded(parts, mul), tuple(parts))
    return scaled(made, factor, scalars)


def add(*terms: Term) -> Term:
    """Return A + B; A + A is 2 A, and A x + B x is (A + B) x."""
    flat = [part for term in terms for part in (term.parts if term.kind == "sum" else (term,))]
    alike: dict[str, tuple[Any, Term]] = {}
    for term in flat:
        plain = scaled(term.parts[0], 1, term.scalars) if term.kind == "scaled" else term
        number = term.factor if term.kind == "scaled" else 1
        alike[plain.tex] = alike.get(plain.tex, (0, plain))[0] + number, plain
    kept = [scaled(plain, number) for number, plain in alike.values() if number != 0]
    if len(kept) <= 1:
        return kept[0] if kept else scaled(ones(terms[0].shape), 0)
    fronts = {set_scaled(ones((1, 1)), t.factor, t.scalars) for t in kept if t.kind == "scaled"}
    if len(fronts) == 1 and all(term.kind == "scaled" for term in kept):
        inner = add(*(term.parts[0] for term in kept))
        return scaled(inner, kept[0].factor, kept[0].scalars)
    last = {term.parts[-1].tex if term.kind == "product" else term.tex for term in kept}
    if len(last) == 1 and all(term.kind == "product" for term in kept):
        left = [product(*term.parts[:-1]) for term in kept]
        return product(add(*left), kept[0].parts[-1])

    tex = kept[0].tex
    for term in kept[1:]:
        tex += f" - {term.tex[1:]}" if term.tex.startswith("-") else f" + {term.tex}"
    return Term("sum", tex, kept[0].shape, folded(kept, add_entries), tuple(kept))

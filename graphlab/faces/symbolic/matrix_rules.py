"""How operations of linear algebra read in matrix notation, and how they pass gradients on.

    Y = A B     gradients:   G Bᵀ,   Aᵀ G
    log |det A|              g A⁻ᵀ

Source: K. B. Petersen and M. S. Pedersen, The Matrix Cookbook (2012), sections 2.1 to 2.5.

Read next: faces/symbolic/matrix_notation.py
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy

from graphlab.faces.symbolic.matrix_terms import (
    Shape,
    Term,
    add,
    hadamard,
    identity,
    inverse,
    name,
    ones,
    product,
    scaled,
    shape_of,
    transpose,
)


@dataclass(frozen=True, slots=True)
class Use:
    """One operation: its inputs as terms, their shapes and that of the result, and its options."""

    inputs: Sequence[Term]
    shapes: Sequence[tuple[int, ...]]
    shape: tuple[int, ...]
    options: dict[str, Any]
    data: Any  # the entries of the result

    def stretched(self, index: int) -> Term:
        """An input as it is broadcast to the shape of the result."""
        return stretched(self.inputs[index], self.shapes[index], shape_of(self.shape))

    def option(self, word: str, default: Any = 1) -> Any:
        """An option that is a number."""
        return sympy.nsimplify(self.options.get(word, default), rational=True)


class NoNotation(Exception):
    """The table ends here."""


def reduced(term: Term, shape: tuple[int, ...]) -> Term:
    """A gradient _summed back to the shape of a tensor that was broadcast."""
    want, (rows, columns) = shape_of(shape), term.shape
    if want == term.shape:
        return term
    over_rows, over_columns = ones((1, rows)), ones((columns, 1))
    if want == (1, 1):
        return product(over_rows, term, over_columns)
    if len(shape) == 1 and shape[0] == columns:
        return product(transpose(term), ones((rows, 1)))
    if want == (1, columns):
        return product(over_rows, term)
    if want == (rows, 1):
        return product(term, over_columns)
    raise NoNotation


def stretched(term: Term, shape: tuple[int, ...], to: Shape) -> Term:
    """A tensor broadcast to a larger shape; shape: its own."""
    rows, columns = to
    if term.shape == to:
        return term
    if term.shape == (1, 1):
        return product(ones(to), term) if 1 in to else scaled(ones(to), 1, [(term, 1)])
    if len(shape) == 1 and shape[0] == columns:
        return product(ones((rows, 1)), transpose(term))
    if term.shape == (1, columns):
        return product(ones((rows, 1)), term)
    if term.shape == (rows, 1):
        return product(term, ones((1, columns)))
    raise NoNotation


def reshaped(term: Term, to: Shape) -> Term:
    """A vector as a row or a column. Raises: NoNotation for any other change of shape."""
    if term.shape == to:
        return term
    if term.shape == to[::-1] and 1 in to:
        return transpose(term)
    raise NoNotation


# -- what an operation makes ----------------------------------------------------------------------


def _permuted(u: Use) -> Term:
    return transpose(u.inputs[0]) if len(u.shape) == 2 else u.inputs[0]


def called(text: str) -> Callable[[Use], Term]:
    """A function of one matrix, as books write it: log det A."""

    def make(u: Use) -> Term:
        return name(rf"{text}\left({u.inputs[0].tex}\right)", u.data)

    return make


def _squared(u: Use) -> Term:
    if u.option("exponent") != 2:
        raise NoNotation
    if u.inputs[0].shape == (1, 1):
        return scaled(ones((1, 1)), 1, [(u.inputs[0], 2)])
    return hadamard(u.inputs[0], u.inputs[0])


def _divided(u: Use) -> Term:
    if u.inputs[1].shape != (1, 1):
        raise NoNotation
    return scaled(u.inputs[0], 1, [(u.inputs[1], -1)])


def _summed(u: Use) -> Term:
    rows, columns = u.inputs[0].shape
    if u.shape:
        raise NoNotation
    return product(ones((1, rows)), u.inputs[0], ones((columns, 1)))


def _normed(u: Use) -> Term:
    if u.option("ord", 2) != 2 or u.shape:
        raise NoNotation
    return name(rf"\lVert {u.inputs[0].tex} \rVert", u.data)


FORWARD: dict[str, Callable[[Use], Term]] = {
    "mm": lambda u: product(*u.inputs),
    "mv": lambda u: product(*u.inputs),
    "dot": lambda u: product(transpose(u.inputs[0]), u.inputs[1]),
    "addmm": lambda u: add(
        scaled(u.stretched(0), u.option("beta")),
        scaled(product(*u.inputs[1:]), u.option("alpha")),
    ),
    "addmv": lambda u: add(
        scaled(u.stretched(0), u.option("beta")),
        scaled(product(*u.inputs[1:]), u.option("alpha")),
    ),
    "add": lambda u: add(u.stretched(0), scaled(u.stretched(1), u.option("alpha"))),
    "sub": lambda u: add(u.stretched(0), scaled(u.stretched(1), -u.option("alpha"))),
    "neg": lambda u: scaled(u.inputs[0], -1),
    "mul": lambda u: hadamard(u.stretched(0), u.stretched(1)),
    "div": _divided,
    "pow": _squared,
    "t": _permuted,
    "permute": _permuted,
    **dict.fromkeys(
        ("unsqueeze", "squeeze", "squeeze_product", "view", "reshape", "unsafe_view"),
        lambda u: reshaped(u.inputs[0], shape_of(u.shape)),
    ),
    "clone": lambda u: u.inputs[0],
    "sum": _summed,
    "mean": lambda u: scaled(_summed(u), sympy.Rational(1, int(np.prod(u.shapes[0])))),
    "trace": called(r"\operatorname{tr}"),
    "linalg_det": called(r"\det"),
    "linalg_inv_ex": lambda u: inverse(u.inputs[0]),
    "linalg_vector_norm": _normed,
    "linalg_solve_ex": lambda u: product(inverse(u.inputs[0]), u.inputs[1]),
    "exp": called(r"\exp"),
    "log": called(r"\log"),
    "tanh": called(r"\tanh"),
    "sin": called(r"\sin"),
    "cos": called(r"\cos"),
    "relu": called(r"\operatorname{relu}"),
    "sigmoid": called(r"\sigma"),
}

# -- and what it makes of a gradient --------------------------------------------------------------


def _through_product(u: Use, grad: Term, index: int, first: int = 0) -> Term:
    a, b = u.inputs[first:]
    return product(grad, transpose(b)) if index == first else product(transpose(a), grad)


def _through_added_product(u: Use, grad: Term, index: int) -> Term:
    if index == 0:
        return scaled(grad, u.option("beta"))
    return scaled(_through_product(u, grad, index, 1), u.option("alpha"))


def _through_mul(u: Use, grad: Term, index: int) -> Term:
    return hadamard(grad, u.stretched(1 - index))


def _through_div(u: Use, grad: Term, index: int) -> Term:
    if index or u.inputs[1].shape != (1, 1):
        raise NoNotation
    return scaled(grad, 1, [(u.inputs[1], -1)])


def _through_pow(u: Use, grad: Term, index: int) -> Term:
    if u.option("exponent") != 2:
        raise NoNotation
    return scaled(hadamard(grad, u.inputs[0]), 2)


def _through_sum(u: Use, grad: Term, index: int) -> Term:
    return scaled(ones(u.inputs[0].shape), 1, [(grad, 1)])


def _through_mean(u: Use, grad: Term, index: int) -> Term:
    return scaled(_through_sum(u, grad, index), sympy.Rational(1, int(np.prod(u.shapes[0]))))


def _through_mse(u: Use, grad: Term, index: int) -> Term:
    sign = 1 if index == 0 else -1
    size = int(np.prod(u.shapes[0])) if u.options["reduction"] == 1 else 1
    apart = add(u.inputs[0], scaled(u.inputs[1], -1))
    return scaled(
        hadamard(stretched(grad, u.shape, apart.shape), apart), sympy.Rational(2 * sign, size)
    )


def _through_norm(u: Use, grad: Term, index: int) -> Term:
    return scaled(u.inputs[0], 1, [(grad, 1), (_normed(u), -1)])


def _through_solve(u: Use, grad: Term, index: int) -> Term:
    back = product(transpose(inverse(u.inputs[0])), grad)
    if index == 1:
        return back
    return scaled(product(back, transpose(product(inverse(u.inputs[0]), u.inputs[1]))), -1)


def _through_inverse(u: Use, grad: Term, index: int) -> Term:
    turned = transpose(inverse(u.inputs[0]))
    return scaled(product(turned, grad, turned), -1)


def _through_det(u: Use, grad: Term, index: int) -> Term:
    determinant = FORWARD["linalg_det"](u)
    return scaled(transpose(inverse(u.inputs[0])), 1, [(grad, 1), (determinant, 1)])


def _through_logdet(u: Use, grad: Term, index: int) -> Term:
    return scaled(transpose(inverse(u.inputs[0])), 1, [(grad, 1)])


def _through_add(u: Use, grad: Term, index: int) -> Term:
    return scaled(grad, u.option("alpha")) if index else grad


def _through_sub(u: Use, grad: Term, index: int) -> Term:
    return scaled(grad, -u.option("alpha")) if index else grad


PASSING = {"where", "clone", "alias", "to_copy"}  # gradients go through unchanged
MOVING = {"t", "permute", "view", "reshape", "unsqueeze", "squeeze", "squeeze_product", *PASSING}
BACKWARD: dict[str, Callable[[Use, Term, int], Term]] = {
    "mm": _through_product,
    "mv": _through_product,
    "dot": lambda u, grad, index: product(u.inputs[1 - index], grad),
    "addmm": _through_added_product,
    "addmv": _through_added_product,
    "add": _through_add,
    "sub": _through_sub,
    "neg": lambda u, grad, index: scaled(grad, -1),
    "mul": _through_mul,
    "div": _through_div,
    "pow": _through_pow,
    "t": lambda u, grad, index: transpose(grad) if len(u.shape) == 2 else grad,
    "permute": lambda u, grad, index: transpose(grad) if len(u.shape) == 2 else grad,
    **dict.fromkeys(
        ("unsqueeze", "squeeze", "squeeze_product", "view", "reshape", "unsafe_view"),
        lambda u, grad, index: reshaped(grad, shape_of(u.shapes[0])),
    ),
    "sum": _through_sum,
    "mean": _through_mean,
    "mse_loss": _through_mse,
    "trace": lambda u, grad, index: scaled(identity(u.inputs[0].shape[0]), 1, [(grad, 1)]),
    "linalg_det": _through_det,
    "linalg_slogdet": _through_logdet,
    "linalg_inv_ex": _through_inverse,
    "linalg_solve_ex": _through_solve,
    "linalg_vector_norm": _through_norm,
}

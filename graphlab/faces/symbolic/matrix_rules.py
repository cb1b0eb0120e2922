"""Matrix notation from the derivative rules: the forwards and the rules run on terms.

    Y = A B     gradients:   G Bᵀ,   Aᵀ G        from the rule matmul(grad, transpose(mat2, 0, 1))
    log |det A|              g A⁻ᵀ

A `TensorTerm` is a term and the shape of the tensor that it stands for; `PRIMITIVES` has the
primitives for terms. They raise `NoNotation` if there is no notation.

Source: K. B. Petersen and M. S. Pedersen, The Matrix Cookbook (2012), sections 2.1 to 2.5.

Read next: faces/symbolic/matrix_notation.py
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy

from graphlab.faces.symbolic import matrix_terms as terms
from graphlab.faces.symbolic.matrix_terms import Term, ones, product, scaled, shape_of, transpose

Sizes = tuple[int, ...]
LARGEST_INVERSE = 4  # rows: the entries of a larger inverse are too long to compare

# Operations whose rules run on terms. Those that only move entries keep a gradient short.
PASSING = {"where", "clone", "alias", "to_copy"}  # the gradient is passed on unchanged
MOVING = {
    "t",
    "permute",
    "view",
    "unsafe_view",
    "unsqueeze",
    "squeeze",
    "squeeze_product",
    *PASSING,
}
ALGEBRA = MOVING | {
    "mm", "mv", "dot", "addmm", "addmv", "add", "sub", "neg", "mul", "div", "pow", "sum", "mean",
    "mse_loss", "trace", "linalg_det", "linalg_slogdet", "linalg_inv_ex", "linalg_solve_ex",
    "linalg_vector_norm",
}  # fmt: skip
# Functions that have a standard name.
CALLED = {
    "trace": r"\operatorname{tr}", "linalg_det": r"\det", "exp": r"\exp", "log": r"\log",
    "tanh": r"\tanh", "sin": r"\sin", "cos": r"\cos", "relu": r"\operatorname{relu}",
    "sigmoid": r"\sigma",
}  # fmt: skip


class NoNotation(Exception):
    """There is no matrix notation for this."""


def is_algebra(op: str, options: dict[str, Any]) -> bool:
    """Return whether the forward and the rules of an operation run on terms."""
    return op in ALGEBRA and (op != "pow" or options["exponent"] == 2)


def named(tex: str, data: Any, kind: str = "name") -> "TensorTerm":
    """Return the term of a tensor's name. Raises: NoNotation for more than two dimensions."""
    if np.ndim(data) > 2:
        raise NoNotation
    return TensorTerm(terms.name(tex, data, kind), tuple(np.shape(data)))


def called(op: str, options: dict[str, Any], x: "TensorTerm", data: Any) -> "TensorTerm | None":
    """Return the result of a function with a name, log(A) or ‖x‖; None for other operations."""
    if op == "linalg_vector_norm" and options["ord"] == 2 and np.ndim(data) == 0:
        return named(rf"\lVert {x.term.tex} \rVert", data)
    return named(rf"{CALLED[op]}\left({x.term.tex}\right)", data) if op in CALLED else None


@dataclass(frozen=True, slots=True, eq=False)
class TensorTerm:
    """A term, and the shape of the tensor that it stands for: a vector is a column."""

    term: Term
    shape: Sizes

    def __add__(self, other: Any) -> "TensorTerm":
        other = constant(other)
        shape = np.broadcast_shapes(self.shape, other.shape)
        return TensorTerm(terms.add(expand(self, shape).term, expand(other, shape).term), shape)

    def __neg__(self) -> "TensorTerm":
        return times(self, -1)

    def __sub__(self, other: Any) -> "TensorTerm":
        return self + -constant(other)

    def __mul__(self, other: Any) -> "TensorTerm":
        other = constant(other)
        a, b = self.term, other.term
        shape = np.broadcast_shapes(self.shape, other.shape)
        if a.shape[1] == b.shape[0] == 1 and len(shape) == 2:  # a column times a row
            return TensorTerm(product(a, b), shape)
        return TensorTerm(
            terms.hadamard(expand(self, shape).term, expand(other, shape).term), shape
        )

    def __rmul__(self, other: Any) -> "TensorTerm":
        return constant(other) * self

    def __truediv__(self, other: Any) -> "TensorTerm":
        below = constant(other).term
        if below.kind == "scaled" and terms.is_ones(below.parts[0]):  # the same number everywhere
            scalars = [(one, -n) for one, n in below.scalars]
            return TensorTerm(scaled(self.term, 1 / below.factor, scalars), self.shape)
        if below.shape != (1, 1):
            raise NoNotation
        return TensorTerm(scaled(self.term, 1, [(below, -1)]), self.shape)

    def __pow__(self, exponent: Any) -> "TensorTerm":
        if exponent == 1:
            return self
        if exponent != 2:
            raise NoNotation
        if self.term.shape == (1, 1):
            return TensorTerm(scaled(ones((1, 1)), 1, [(self.term, 2)]), self.shape)
        return self * self

    def __matmul__(self, other: "TensorTerm") -> "TensorTerm":
        return matmul(self, other)


def constant(value: Any) -> TensorTerm:
    """Return a number as a term."""
    if isinstance(value, TensorTerm):
        return value
    return TensorTerm(scaled(ones((1, 1)), sympy.nsimplify(value, rational=True)), ())


def times(x: TensorTerm, number: Any) -> TensorTerm:
    """Return a number times a term."""
    return TensorTerm(scaled(x.term, sympy.nsimplify(number, rational=True)), x.shape)


def matmul(x: TensorTerm, y: TensorTerm, strides: Any = ()) -> TensorTerm:
    """Return A B; a vector on the right is a column."""
    return TensorTerm(product(x.term, y.term), (*x.shape[:-1], *y.shape[1:]))


def turned(x: TensorTerm, *dims: Any) -> TensorTerm:
    """Return the transpose of a matrix; a vector as it is."""
    return TensorTerm(transpose(x.term), x.shape[::-1]) if len(x.shape) == 2 else x


def reshape(x: TensorTerm, size: Sizes) -> TensorTerm:
    """Return a vector or number in another shape. Raises: NoNotation for a matrix."""
    known = -math.prod(size) if -1 in size else 1
    size = tuple(math.prod(x.shape) // known if n == -1 else n for n in size)
    to = shape_of(size)
    if len(size) <= 2 and x.term.shape == to:
        return TensorTerm(x.term, size)
    if len(size) <= 2 and x.term.shape == to[::-1] and 1 in to:
        return TensorTerm(transpose(x.term), size)
    raise NoNotation


def unsqueeze(x: TensorTerm, dim: int) -> TensorTerm:
    """Insert a dimension of size 1."""
    sizes = list(x.shape)
    sizes.insert(dim % (len(sizes) + 1), 1)
    return reshape(x, tuple(sizes))


def squeeze(x: TensorTerm, dim: int) -> TensorTerm:
    """Remove a dimension of size 1."""
    sizes = list(x.shape)
    sizes.pop(dim)
    return reshape(x, tuple(sizes))


def expand(x: TensorTerm, sizes: Sizes) -> TensorTerm:
    """Broadcast to a larger shape, by products with ones."""
    term, to = x.term, shape_of(sizes)
    rows, columns = to
    if x.shape == tuple(sizes) or (term.shape == to and len(x.shape) != 1):
        return TensorTerm(term, tuple(sizes))
    if term.shape == (1, 1):
        made = product(ones(to), term) if 1 in to else scaled(ones(to), 1, [(term, 1)])
    elif len(x.shape) == 1 and x.shape[0] == columns:
        made = product(ones((rows, 1)), transpose(term))
    elif term.shape == (1, columns):
        made = product(ones((rows, 1)), term)
    elif term.shape == (rows, 1):
        made = product(term, ones((1, columns)))
    else:
        raise NoNotation
    return TensorTerm(made, tuple(sizes))


def restore_dims(x: TensorTerm, sizes: Sizes, dim: Any, keepdim: bool) -> TensorTerm:
    """Undo a reduction over all dimensions."""
    if dim is not None:
        raise NoNotation
    return expand(x, sizes)


def sum_to(x: TensorTerm, sizes: Sizes) -> TensorTerm:
    """Sum a gradient to the shape of a tensor that was broadcast, by products with ones."""
    term, want, (rows, columns) = x.term, shape_of(sizes), x.term.shape
    over_rows, over_columns = ones((1, rows)), ones((columns, 1))
    if want == term.shape:
        made = term
    elif want == (1, 1):
        made = product(over_rows, term, over_columns)
    elif len(sizes) == 1 and sizes[0] == columns:
        made = product(transpose(term), ones((rows, 1)))
    elif want == (1, columns):
        made = product(over_rows, term)
    elif want == (rows, 1):
        made = product(term, over_columns)
    else:
        raise NoNotation
    return TensorTerm(made, tuple(sizes))


def total(x: TensorTerm, dim: Any = None, keepdim: bool = False) -> TensorTerm:
    """Return the sum of all entries: 1ᵀ A 1, or xᵀ y for a sum of products."""
    if dim is not None:
        raise NoNotation
    if x.term.kind == "hadamard" and len(x.shape) == 1:
        first, *rest = x.term.parts
        return TensorTerm(product(transpose(first), terms.hadamard(*rest)), ())
    return sum_to(x, ())


def mean(x: TensorTerm) -> TensorTerm:
    """Return the sum divided by the number of entries."""
    return times(total(x), sympy.Rational(1, math.prod(x.shape)))


def reduce(x: TensorTerm, reduction: int) -> TensorTerm:
    """Return the reduction of a loss. reduction: 0 none, 1 mean, 2 sum."""
    return x if reduction == 0 else mean(x) if reduction == 1 else total(x)


def unreduce(grad: TensorTerm, sizes: Sizes, reduction: int) -> TensorTerm:
    """Return the gradient of `reduce`."""
    if reduction == 1:
        grad = times(grad, sympy.Rational(1, math.prod(sizes)))
    return grad if reduction == 0 else expand(grad, sizes)


def blend(x: TensorTerm, beta: Any, y: TensorTerm, alpha: Any) -> TensorTerm:
    """Return beta x + alpha y."""
    return times(x, beta) + times(y, alpha)


def eye_like(x: TensorTerm) -> TensorTerm:
    """Return I, the identity matrix."""
    return TensorTerm(terms.identity(x.shape[0]), x.shape)


def inv(x: TensorTerm) -> TensorTerm:
    """Return A⁻¹. Raises: NoNotation if its entries would be very long formulas."""
    if x.shape[0] > LARGEST_INVERSE:
        raise NoNotation
    return TensorTerm(terms.inverse(x.term), x.shape)


def cofactors(x: TensorTerm) -> TensorTerm:
    """Return the cofactors, det(A) A⁻ᵀ."""
    entries = sympy.Matrix(x.term.entries().tolist())
    data = np.array(entries.det(method="berkowitz"), object)[()]
    determinant = named(rf"\det\left({x.term.tex}\right)", data)
    return TensorTerm(scaled(transpose(inv(x).term), 1, [(determinant.term, 1)]), x.shape)


def solve(A: TensorTerm, B: TensorTerm) -> TensorTerm:
    """Return A⁻¹ B."""
    return matmul(inv(A), B)


def where(condition: Any, x: Any, y: Any) -> Any:
    """Return the term of x and y, if the other is 0. Raises: NoNotation for two terms."""
    if isinstance(x, TensorTerm) and isinstance(y, TensorTerm):
        raise NoNotation
    return x if isinstance(x, TensorTerm) else y


PRIMITIVES = {
    "matmul": matmul, "transpose": turned, "permute": turned, "mT": turned, "reshape": reshape,
    "unsqueeze": unsqueeze, "squeeze": squeeze, "expand": expand, "restore_dims": restore_dims,
    "sum_to": sum_to, "sum": total, "mean": mean, "reduce": reduce, "unreduce": unreduce,
    "blend": blend, "times": times, "eye_like": eye_like, "inv": inv, "cofactors": cofactors,
    "solve": solve, "where": where, "eq": lambda x, y: None, "size": lambda x: x.shape,
    "copy": lambda x, contiguous=False: x, "astype": lambda x, dtype: x, "inf": math.inf,
    "len": len, "tuple": tuple, "range": range,
}  # fmt: skip

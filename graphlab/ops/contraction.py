"""Products that sum over some dimensions: traces, cross products, products of three, distances.

Read next: ops/shapes.py
"""

from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.elementary import (
    abs,
    eq,
    exp,
    inf,
    log,
    maximum,
    ones_like,
    sqrt,
    where,
)
from graphlab.primitives.numpy_reading.matrices import cross, eye_like, mT, trilinear
from graphlab.primitives.numpy_reading.norms import pairwise_slopes
from graphlab.primitives.numpy_reading.reductions import amax, sum
from graphlab.primitives.numpy_reading.shapes import expand, size, sum_to, unsqueeze
from graphlab.primitives.numpy_reading.strides import diagonal


class Trace(Op):
    """Sum the diagonal. self: (N, M) -> ()."""

    node, symbol = "TraceBackward0", "tr"
    phrase = "every entry of the diagonal gets the gradient; the others get 0"

    def forward(self):
        return sum(diagonal(self, 0, 0, 1))

    def grad_self(grad, self_sym_sizes):
        everywhere = expand(grad, self_sym_sizes)
        return everywhere * eye_like(everywhere)


class LinalgCross(Op):
    """Return the cross product a × b along `dim`, of size 3. self, other: (..., 3) -> (..., 3).

    The triple product does not change under a cyclic permutation of its factors:
    g · (a × b) = a · (b × g) = b · (g × a). The factor of a is the gradient of a.
    """

    node, symbol, broadcasts = "LinalgCrossBackward0", "×", ("self", "other")
    phrase_self = "the cross product of the second vector and the gradient"
    phrase_other = "the cross product of the gradient and the first vector"

    def forward(self, other, *, dim=-1):
        return cross(self, other, dim)

    def grad_self(grad, other, dim):
        return cross(other, grad, dim)

    def grad_other(grad, self, dim):
        return cross(grad, self, dim)


class Trilinear(Op):
    """Sum i1 * i2 * i3 over `sumdim`; each gets new dimensions at the places of its `expand`.

    The result is linear in each factor. The gradient of a factor is the same product, with the
    gradient of the result in place of the factor.
    """

    node, symbol = "TrilinearBackward0", "Σ···"
    wide = True
    phrase = (
        "this factor gets the gradient times the two other factors, summed over the dimensions "
        "that it lacks"
    )
    also_saved = ("expand1", "expand2", "expand3", "sumdim")

    def forward(i1, i2, i3, *, expand1, expand2, expand3, sumdim):
        return trilinear(i1, i2, i3, expand1, expand2, expand3, sumdim)

    def grad_i1(grad, i2, i3, expand1, expand2, expand3, sumdim):
        return trilinear(grad, i2, i3, sumdim, expand2, expand3, expand1)

    def grad_i2(grad, i1, i3, expand1, expand2, expand3, sumdim):
        return trilinear(i1, grad, i3, expand1, sumdim, expand3, expand2)

    def grad_i3(grad, i1, i2, expand1, expand2, expand3, sumdim):
        return trilinear(i1, i2, grad, expand1, expand2, sumdim, expand3)


class Cdist(Op):
    """Return the distances of all rows of x1 and x2. (..., P, M), (..., R, M) -> (..., P, R).

    A distance of 0 has the slope 0.
    """

    node, symbol = "CdistBackward0", "dist"
    phrase = (
        "this row gets the gradient of each of its distances, in the direction away from the "
        "other row"
    )

    def forward(x1, x2, *, p=2.0):
        apart = unsqueeze(x1, -2) - unsqueeze(x2, -3)
        if p == 0:
            return sum(where(eq(apart, 0), 0, ones_like(apart)), (-1,))
        if p == 1:
            return sum(abs(apart), (-1,))
        if p == 2:
            return sqrt(sum(apart * apart, (-1,)))
        if p == inf:
            return amax(abs(apart), (-1,)) if size(apart)[-1] else sum(apart, (-1,))
        # the root as exp(log / p), which is exact where entries are
        return exp(log(sum(abs(apart) ** p, (-1,))) / p)

    def grad_x1(grad, x1, x2, result, p):
        return sum_to(sum(pairwise_slopes(grad, x1, x2, result, p), (-2,)), size(x1))

    def grad_x2(grad, x1, x2, result, p):
        return sum_to(-sum(pairwise_slopes(grad, x1, x2, result, p), (-3,)), size(x2))


class EuclideanDist(Op):
    """Return Euclidean distances by one product of matrices: |a - b|² = |a|² - 2 a·b + |b|².

    x1: (..., P, M), x2: (..., R, M) -> (..., P, R). Faster where there are many rows, and less
    exact for rows that lie close together.
    """

    node, symbol = "EuclideanDistBackward0", "dist"
    phrase = (
        "this row gets, for each distance, the gradient times (this row − the other row) / distance"
    )

    def forward(x1, x2):
        first, second = sum(x1 * x1, (-1,), True), sum(x2 * x2, (-1,), True)
        square = first - 2 * (x1 @ mT(x2)) + mT(second)
        return sqrt(maximum(square, 0))

    def grad_x1(grad, x1, x2, result):
        share = where(eq(result, 0), 0, grad / result)
        return x1 * sum(share, (-1,), True) - share @ x2

    def grad_x2(grad, x1, x2, result):
        share = mT(where(eq(result, 0), 0, grad / result))
        return x2 * sum(share, (-1,), True) - share @ x1

"""The words of ops/matrices.py for tensors, so that rules of linear algebra run recorded too.

Read next: autograd/engine.py
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from graphlab.autograd.record import apply
from graphlab.autograd.tensor_reading import tensor_primitives
from graphlab.ops import contraction, matrices, vocabulary
from graphlab.ops.base import read
from graphlab.tensor.functions.contractions import linalg_cross
from graphlab.tensor.functions.factoring import factors, matrix_exp, pinv
from graphlab.tensor.functions.shapes import transpose, unsqueeze
from graphlab.tensor.functions.solving import det, inv, solve, solve_triangular
from graphlab.tensor.tensor import Tensor, wrap


def mT(x: Tensor) -> Tensor:
    """The transpose of each matrix."""
    return transpose(x, -2, -1)


def eye_like(x: Tensor) -> Tensor:
    """1 on the diagonal and 0 elsewhere, a constant."""
    return wrap(matrices.eye_like(x._data), False, None)


def trilinear(i1: Any, i2: Any, i3: Any, *dims: Any) -> Tensor:
    """The sum of the products of three factors."""
    names = ("expand1", "expand2", "expand3", "sumdim")
    return apply(contraction.Trilinear, i1, i2, i3, **dict(zip(names, dims, strict=True)))


def solve_triangular_word(A: Tensor, B: Tensor, upper: bool, unitriangular: bool = False) -> Tensor:
    """X with A X = B for a triangular A."""
    return solve_triangular(A, B, upper=upper, unitriangular=unitriangular)


def cofactors(A: Tensor) -> Tensor:
    """det(A) A⁻ᵀ; by singular values where A has no inverse."""
    size = det(A)
    if np.all(size._data != 0):
        return unsqueeze(unsqueeze(size, -1), -1) * mT(inv(A))
    U, S, Vh = factors(A, False)
    turned = unsqueeze(det(U) * det(Vh), -1)
    c = tensor_primitives["others"](S, S.ndim - 1)
    return (U * unsqueeze(turned * c, -2)) @ Vh


def matrix_words(words: Mapping[str, Any]) -> dict[str, Any]:
    """The words for matrices; `words` are the others, in which some of them are written."""
    made: dict[str, Any] = {
        "cofactors": cofactors,
        "cross": linalg_cross,
        "eye_like": eye_like,
        "inv": inv,
        "mT": mT,
        "matrix_exp": matrix_exp,
        "no_derivative": matrices.no_derivative,
        "pinv": pinv,
        "solve": solve,
        "solve_triangular": solve_triangular_word,
        "times": vocabulary.times,
        "trilinear": trilinear,
    }
    for word in (matrices.steps,):
        made[word.__name__] = read(word, {**words, **made})
    return made

"""The words of ops/matrices.py for tensors, so that rules of linear algebra run recorded too.

Read next: autograd/engine.py
"""

from collections.abc import Mapping
from typing import Any

from graphlab.autograd.record import apply
from graphlab.functional.contractions import linalg_cross
from graphlab.functional.shapes import transpose
from graphlab.ops import contraction, matrices, vocabulary
from graphlab.ops.base import read
from graphlab.tensor import Tensor, wrap


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


def matrix_words(words: Mapping[str, Any]) -> dict[str, Any]:
    """The words for matrices; `words` are the others, in which some of them are written."""
    made: dict[str, Any] = {
        "cross": linalg_cross,
        "eye_like": eye_like,
        "mT": mT,
        "times": vocabulary.times,
        "trilinear": trilinear,
    }
    for word in (matrices.steps,):
        made[word.__name__] = read(word, {**words, **made})
    return made

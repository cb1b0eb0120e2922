"""Samples of inverses, determinants, linear systems and the factors of matrices.

The inputs are made well conditioned, symmetric or triangular inside of the call, so that a
difference quotient stays among matrices for which there is an answer.

Read next: tests/core/test_linalg.py
"""

from __future__ import annotations

import warnings
from typing import Any

from tests.core.samples.base import Arg, S, Sample

SQUARE = Arg(data=[[2.0, 0.7, -0.3], [0.4, 1.5, 0.6], [-0.8, 0.2, 1.9]])
TWO = Arg(data=[[[2.0, 0.7], [0.4, 1.5]], [[1.1, -0.6], [0.5, 2.3]]])  # a batch
TALL = Arg(data=[[2.0, 0.7], [0.4, 1.5], [-0.8, 0.2]])
WIDE = Arg(data=[[2.0, 0.7, -0.3], [0.4, 1.5, 0.6]])
WIDER = Arg(  # a batch of wide matrices
    data=[
        [[2.0, 0.7, -0.3], [0.4, 1.5, 0.6]],
        [[1.1, -0.6, 0.8], [0.5, 2.3, -0.2]],
    ]
)
RIGHT = Arg((3, 2), -1.0, 1.0)
RIGHTS = Arg((2, 2, 3), -1.0, 1.0)


def definite(x: Any) -> Any:
    """A symmetric positive definite matrix."""
    return x @ x.mT


def symmetric(x: Any) -> Any:
    return x + x.mT


def exchanged(t: Any, x: Any) -> Any:
    """Pivots that exchange the first row with the last."""
    last = x.shape[-1]
    rows = t.tensor([last, *range(2, last + 1)], dtype=t.int32)
    return rows.expand(x.shape[:-1]).contiguous()


def older(t: Any, b: Any, A: Any, upper: bool, turned: bool, unit: bool = False) -> Any:
    """triangular_solve, which warns that it is old."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return t.triangular_solve(b, A, upper, turned, unit).solution


SAMPLES: list[Sample] = [
    S("linalg_inv_ex", lambda t, x: t.linalg.inv(x), SQUARE),
    S("linalg_inv_ex", lambda t, x: x.inverse(), TWO, note="batch"),
    S("linalg_det", lambda t, x: t.det(x), SQUARE),
    S("linalg_det", lambda t, x: t.linalg.det(x), TWO, note="batch"),
    S("linalg_slogdet", lambda t, x: t.linalg.slogdet(x), SQUARE),
    S("linalg_slogdet", lambda t, x: t.slogdet(-x), TWO, note="batch"),
    S("view", lambda t, x: t.logdet(x).view(-1), TWO, note="logdet"),
    S("linalg_solve_ex", lambda t, x, b: t.linalg.solve(x, b), SQUARE, RIGHT),
    S("linalg_solve_ex", lambda t, x, b: t.linalg.solve(x, b), SQUARE, Arg((3,)), note="vector"),
    S("linalg_solve_ex", lambda t, x, b: t.linalg.solve(x, b), TWO, RIGHTS, note="batch"),
    S("linalg_solve_ex", lambda t, x, b: t.linalg.solve(x, b), TWO, Arg((2, 2)), note="vectors"),
    S("linalg_solve_ex", lambda t, x, b: t.linalg.solve(x, b), TWO, Arg((2, 1)), note="one matrix"),
    S("linalg_solve_ex", lambda t, x, b: t.linalg.solve(x, b, left=False), SQUARE, Arg((2, 3)),
      note="right"),
    *[
        S("linalg_solve_triangular",
          lambda t, x, b, u=upper, k=unit: t.linalg.solve_triangular(
              x, b, upper=u, unitriangular=k
          ),
          SQUARE, RIGHT, note=f"upper {upper}, unit {unit}")
        for upper in (False, True)
        for unit in (False, True)
    ],
    S("linalg_solve_triangular",
      lambda t, x, b: t.linalg.solve_triangular(x, b, upper=True, left=False),
      SQUARE, Arg((2, 3)), note="right"),
    S("linalg_solve_triangular", lambda t, x, b: t.linalg.solve_triangular(x, b, upper=False),
      TWO, Arg((2, 1)), note="broadcast"),
    *[
        S("triangular_solve",
          lambda t, b, x, u=upper, k=turned: older(t, b, x, u, k),
          RIGHT, SQUARE, note=f"upper {upper}, transpose {turned}")
        for upper in (False, True)
        for turned in (False, True)
    ],
    *[
        S("triangular_solve", lambda t, b, x, u=upper: older(t, b, x, u, False, True),
          RIGHT, SQUARE, note=f"upper {upper}, unit")
        for upper in (False, True)
    ],
    S("linalg_cholesky_ex", lambda t, x: t.linalg.cholesky(definite(x)), SQUARE),
    S("linalg_cholesky_ex", lambda t, x: t.linalg.cholesky(definite(x), upper=True), TWO,
      note="upper"),
    S("cholesky_solve", lambda t, b, x: t.cholesky_solve(b, x.tril()), RIGHT, SQUARE),
    S("cholesky_solve", lambda t, b, x: t.cholesky_solve(b, x.triu(), upper=True), RIGHTS, TWO,
      note="upper"),
    S("cholesky_inverse", lambda t, x: t.cholesky_inverse(x.tril()), SQUARE),
    S("cholesky_inverse", lambda t, x: t.cholesky_inverse(x.triu(), upper=True), TWO, note="upper"),
    S("linalg_lu_factor_ex", lambda t, x: t.linalg.lu_factor(x).LU, SQUARE),
    S("linalg_lu_factor_ex", lambda t, x: t.linalg.lu_factor_ex(x.flip(-2))[0], TWO, note="batch"),
    S("linalg_lu_factor_ex", lambda t, x: t.linalg.lu_factor(x).LU, TALL, note="tall"),
    S("linalg_lu_factor_ex", lambda t, x: t.linalg.lu_factor(x).LU, WIDER, note="wide"),
    *[
        S("linalg_lu_solve",
          lambda t, x, b, k=left, a=adjoint: t.linalg.lu_solve(
              x, exchanged(t, x), b, left=k, adjoint=a
          ),
          SQUARE, RIGHT if left else Arg((2, 3)), note=f"left {left}, adjoint {adjoint}")
        for left in (True, False)
        for adjoint in (False, True)
    ],
    S("linalg_lu_solve", lambda t, x, b: t.linalg.lu_solve(x, exchanged(t, x), b),
      TWO, Arg((2, 1)), note="broadcast"),
    # factors
    S("linalg_eigh", lambda t, x: t.linalg.eigh(symmetric(x)), TWO),
    S("linalg_eigh", lambda t, x: t.linalg.eigvalsh(symmetric(x), "U"), TWO, note="values"),
    S("linalg_eigh", lambda t, x: t.linalg.eigh(symmetric(x)).eigenvectors, TWO, note="vectors"),
    *[
        S("linalg_svd", lambda t, x: t.linalg.svd(x, full_matrices=False), arg, note=note)
        for note, arg in (("", TWO), ("tall", TALL))
    ],
    S("linalg_svd", lambda t, x: t.linalg.svd(x)[1:], TALL, note="full"),
    S("linalg_svd", lambda t, x: t.linalg.svdvals(x), TALL, note="values"),
    *[
        S("linalg_qr", lambda t, x: t.linalg.qr(x), arg, note=note)
        for note, arg in (("", SQUARE), ("tall", TALL), ("wide", WIDER), ("batch", TWO))
    ],
    S("linalg_qr", lambda t, x: t.linalg.qr(x, mode="complete"), WIDE, note="complete"),
    S("linalg_pinv", lambda t, x: t.linalg.pinv(x), TALL),
    S("linalg_pinv", lambda t, x: t.pinverse(x), WIDE, note="wide"),
    S("linalg_pinv", lambda t, x: t.linalg.pinv(x), TWO, note="batch"),
    S("linalg_lstsq", lambda t, x, b: t.linalg.lstsq(x, b).solution, TALL, RIGHT),
    S("linalg_lstsq", lambda t, x, b: t.linalg.lstsq(x, b).solution, TALL, Arg((3,)),
      note="vector"),
    S("linalg_lstsq", lambda t, x, b: t.linalg.lstsq(x, b).solution, WIDE, Arg((2, 2)),
      note="wide"),
    S("linalg_matrix_exp", lambda t, x: t.matrix_exp(x), SQUARE),
    S("linalg_matrix_exp", lambda t, x: t.linalg.matrix_exp(x), TWO, note="batch"),
    S("linalg_matrix_exp", lambda t, x: t.matrix_exp(2.5 * x), SQUARE, note="scaled"),
    S("mm", lambda t, x: t.linalg.matrix_power(x, 5), SQUARE, note="matrix_power"),
    S("mm", lambda t, x: t.linalg.matrix_power(x, -3), SQUARE, note="matrix_power of the inverse"),
]  # fmt: skip

IN_DIGITS = "it has no formula in the entries of the matrix"
NOT_PROVED = {
    f"{op}{'-' + note if note else ''}": IN_DIGITS
    for op, notes in {
        "linalg_eigh": ("", "values", "vectors"),
        "linalg_svd": ("", "tall", "full", "values", "wide"),
        "linalg_qr": ("", "tall", "wide", "batch", "complete"),
        "linalg_matrix_exp": ("", "batch", "scaled"),
    }.items()
    for note in notes
}
NOT_PROVED |= dict.fromkeys(
    (
        "linalg_cholesky_ex", "linalg_lstsq", "linalg_lstsq-vector", "linalg_lstsq-wide",
        "linalg_pinv", "linalg_pinv-wide", "mm-matrix_power_of_the_inverse",
    ),
    "its formula is too long",
)  # fmt: skip
SQUARES = "the matrices are square, and a batch of them as long"
EQUIVALENT = {
    **{
        (op, "A", f"{change} in unsqueeze(unsqueeze({grad}, -1), -1)"): (
            "one dimension of a batch is the last one too"
        )
        for op, grad in (("linalg_det", "grad"), ("linalg_slogdet", "grad[1]"))
        for change in ("no minus", "2")
    },
    **{
        (op, given, f"{change} in size({of})[-1]"): SQUARES
        for op, given, of in (
            ("linalg_qr", "A", "Q"),
            ("linalg_qr", "A", "R"),
            ("linalg_matrix_exp", "self", "self"),
        )
        for change in ("no minus", "2")
    },
    **{
        ("linalg_lstsq", given, f"no minus in {place}"): "a vector has one dimension"
        for given, place in (
            ("self", "unsqueeze(grad, -1)"),
            ("self", "unsqueeze(b, -1)"),
            ("b", "unsqueeze(grad, -1)"),
            ("b", "squeeze(mT(P) @ unsqueeze(grad, -1), -1)"),
        )
    },
    ("linalg_svd", "A", "Sub in apart + I"): "a turn has nothing on its diagonal",
    ("linalg_eigh", "A", "Sub in apart + eye_like(V)"): "the diagonal is taken away",
    ("linalg_eigh", "A", "no minus in unsqueeze(by_values, -2)"): (
        "on the diagonal a row is a column"
    ),
}

"""Samples of products and contractions.

Read next: tests/core/samples/solving.py
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tests.core.samples.base import SIGNED, Arg, C, M, N, S, Sample, V

SIGNED_V = Arg((3,), -1.0, 1.0)
BATCH = Arg((2, 4, 2), -1.0, 1.0)


def by_product(t: Any, x: Any, y: Any) -> Any:
    """Distances by a product of matrices."""
    return t.cdist(x, y, compute_mode="use_mm_for_euclid_dist")


SAMPLES: list[Sample] = [
    S("vdot", lambda t, x, y: t.vdot(x, y), V, SIGNED_V),
    S("addmv", lambda t, b, x, y: t.addmv(b, x, y), Arg((2,)), M, SIGNED_V),
    S("addmv", lambda t, b, x, y: b.addmv(x, y, beta=2, alpha=0.5), Arg((1,)), M, V, note="one"),
    S("addr", lambda t, b, x, y: t.addr(b, x, y), M, Arg((2,)), SIGNED_V),
    S("addr", lambda t, b, x, y: t.addr(b, x, y, beta=2, alpha=-3), V, V, SIGNED_V, note="row"),
    S("baddbmm", lambda t, b, x, y: t.baddbmm(b, x, y), Arg((2, 3, 2)), C, BATCH),
    S("baddbmm", lambda t, b, x, y: t.baddbmm(b, x, y, beta=0.5, alpha=2), Arg((2,)), C, BATCH,
      note="row"),
    S("addbmm", lambda t, b, x, y: t.addbmm(b, x, y), Arg((3, 2)), C, BATCH),
    S("addbmm", lambda t, b, x, y: t.addbmm(b, x, y, beta=0.5, alpha=2), Arg((3, 1)), C, BATCH,
      note="column"),
    S("addmm", lambda t, b, x, y: t.addmm(b, x, y, beta=0), Arg((2, 4)), M, N, note="beta 0"),
    # what `@` is made of
    S("view", lambda t, x, y: (x @ y).view(-1), M, Arg((2, 3, 2)), note="matrix times batch"),
    S("unsafe_view", lambda t, x, y: x @ y, V, Arg((2, 3, 2)), note="vector times batch"),
    S("unsafe_view", lambda t, x, y: x @ y, C, Arg((4,)), note="batch times vector"),
    S("unsafe_view", lambda t, x, y: x @ y, C, BATCH, note="two batches"),
    S("unsafe_view", lambda t, x, y: x @ y, C, Arg((1, 4, 2)), note="a batch of one"),
    S("view", lambda t, x, y: (x @ y).view(-1), Arg((1, 2, 3)), Arg((2, 3, 2)),
      note="of one, first"),
    S("unsafe_view", lambda t, x, y: x @ y, Arg((2, 1, 2, 3)), Arg((3, 3, 2)), note="broadcast"),
    S("unsafe_view", lambda t, x, y: x @ y, replace(M, grad=False), Arg((2, 3, 2)),
      note="constant matrix times batch"),
    S("unsafe_view", lambda t, x, y: t.kron(x, y), M, Arg((2, 2)), note="kron"),
    S("unsafe_view", lambda t, x, y: x.kron(y), V, Arg((2, 2)), note="kron of two ranks"),
    S("view", lambda t, x, y: t.outer(x, y).view(-1), V, Arg((2,)), note="outer"),
    S("view", lambda t, x, y: t.inner(x, y), M, V, note="inner"),
    S("view", lambda t, x, y: t.tensordot(x, y), C, Arg((3, 4)), note="tensordot"),
    S("view", lambda t, x, y: t.tensordot(x, y, ([0, 2], [1, 0])), C, Arg((4, 2)),
      note="tensordot lists"),
    S("view", lambda t, x, y: t.tensordot(x, y, 2), M, Arg((2, 1)), note="tensordot broadcast"),
    S("view", lambda t, x, y: t.tensordot(x, y, ([0, 1], [1, 0])), M, Arg((3, 2)),
      note="tensordot of all"),
    S("view", lambda t, x, y, z: t.linalg.multi_dot([x, y, z]), M, N, Arg((4,)), note="multi_dot"),
    S("view", lambda t, x, y, z, w: t.linalg.multi_dot([x, y, z, w]), V, N, Arg((4, 2)), M,
      note="multi_dot of four"),
    S("view", lambda t, x, y: t.einsum("ij,jk->ik", x, y), M, N, note="einsum product"),
    S("view", lambda t, x, y: t.einsum("bij,bjk->kb", x, y), C, BATCH, note="einsum batch"),
    S("view", lambda t, x, y, z: t.einsum("ij,jk,i", x, y, z), M, N, Arg((2,)), note="einsum of 3"),
    S("view", lambda t, x, y: t.einsum("...i,...ij->...j", x, y), V, Arg((2, 3, 2)),
      note="einsum ellipsis"),
    S("view", lambda t, x, y: t.einsum("ij,ik->jk", x, y), M, Arg((1, 4)), note="einsum broadcast"),
    S("sum_dim", lambda t, x: t.einsum("ij->j", x), M, note="einsum sum"),
    S("sum_dim", lambda t, x: t.einsum("ii", x), Arg((3, 3)), note="einsum trace"),
    S("permute", lambda t, x: t.einsum("iij->ji", x), Arg((3, 3, 2)), note="einsum diagonal"),
    S("view", lambda t, x, y: t.einsum("i,j->ij", x, y).view(-1), V, Arg((2,)),
      note="einsum outer"),
    S("view", lambda t, x, y: t.einsum(x, [0, 1], y, [1], [0, 1]).view(-1), M, V,
      note="einsum lists"),
    S("reshape_alias", lambda t, x: x.transpose(1, 2).reshape(2, 1, 4, 3), C),
    # contractions
    S("trace", lambda t, x: x.trace(), Arg((3, 3))),
    S("trace", lambda t, x: x.trace(), M, note="not square"),
    S("linalg_cross", lambda t, x, y: t.linalg.cross(x, y), M, SIGNED),
    S("linalg_cross", lambda t, x, y: t.cross(x, y, dim=0), Arg((3, 2)), Arg((3, 1)),
      note="broadcast"),
    S("trilinear", lambda t, x, y, w: t.nn.functional.bilinear(x, y, w)._base, M, Arg((2, 4)),
      Arg((2, 3, 4), -1.0, 1.0), note="bilinear"),
    S("view", lambda t, x, y, w, b: t.nn.functional.bilinear(x, y, w, b).view(-1), V, Arg((2,)),
      Arg((4, 3, 2), -1.0, 1.0), Arg((4,)), note="bilinear with bias"),
    *[
        S("cdist", lambda t, x, y, p=p: t.cdist(x, y, p), M, Arg((4, 3), -2.0, 2.0), note=f"{p}")
        for p in (0.5, 1.0, 1.5, 2.0, 3.0, np.inf)
    ],
    S("euclidean_dist", lambda t, x, y: by_product(t, x, y)._base, Arg((1, 3)),
      Arg((2, 3), -2.0, 2.0)),
    S("euclidean_dist", lambda t, x, y: by_product(t, x, y)._base, Arg((2, 1, 2)),
      Arg((2, 2), -2.0, 2.0), note="batch"),
    S("view", lambda t, x, y: by_product(t, x, y), Arg((2, 1, 2)), Arg((2, 2), -2.0, 2.0),
      note="euclidean_dist of batches"),
    S("cdist", lambda t, x, y: t.cdist(x, y), Arg((2, 3, 2)), Arg((4, 2), -2.0, 2.0), note="batch"),
]  # fmt: skip

SAME = Arg(data=[[1.0, 2.0], [1.0, 3.0]])
KINKS: list[Sample] = [
    S("view", lambda t, x, y: by_product(t, x, y), SAME, SAME, note="euclidean_dist of 0"),
    *[
        S("cdist", lambda t, x, y, p=p: t.cdist(x, y, p), SAME, SAME, note=f"{p}, the same rows")
        for p in (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, np.inf)
    ],
    S("addmm", lambda t, b, x, y: t.addmm(b, x, y, beta=0), Arg(data=[np.nan, np.inf]), SAME, SAME,
      note="beta 0 and nan"),
]  # fmt: skip

HARD = "SymPy does not simplify these powers of absolute values"
BOUND = "squares that rounding made negative are replaced by 0, which has no formula"
NOT_PROVED = {
    "euclidean_dist": BOUND,
    "euclidean_dist-batch": BOUND,
    "view-euclidean_dist_of_batches": BOUND,
    "cdist-0.5": HARD,
    "cdist-1.5": HARD,
}
EQUIVALENT = {
    ("addmv", "mat", "no unsqueeze in unsqueeze(vec, 0)"): "broadcasting does it too",
    **{
        ("euclidean_dist", given, f"1 in {change}"): "a distance of 0 is tested beside PyTorch"
        for given in ("x1", "x2")
        for change in ("eq(result, 0)", "where(eq(result, 0), 0, grad / result)")
    },
}

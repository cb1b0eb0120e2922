"""Samples of what is found by rank, and of two statistics at once.

Read next: tests/core/samples/base.py
"""

from __future__ import annotations

import numpy as np

from tests.core.samples.base import SIGNED, Arg, C, M, S, Sample

SOME_NAN = Arg(data=[[1.0, np.nan, 3.0], [2.0, 5.0, np.nan]])

SAMPLES: list[Sample] = [
    S("median", lambda t, x: t.median(x), SIGNED),
    S("median_dim", lambda t, x: x.median(1), SIGNED),
    S("median_dim", lambda t, x: t.median(x, -1, keepdim=True), C, note="kept"),
    S("nanmedian", lambda t, x: t.nanmedian(x), SIGNED),
    S("nanmedian_dim", lambda t, x: x.nanmedian(1), C),
    S("mode", lambda t, x: t.mode(x), SIGNED),
    S("mode", lambda t, x: x.mode(0, keepdim=True), C, note="kept"),
    S("kthvalue", lambda t, x: t.kthvalue(x, 2), SIGNED),
    S("kthvalue", lambda t, x: x.kthvalue(1, 0, keepdim=True), C, note="kept"),
    S("cummax", lambda t, x: t.cummax(x, 1), SIGNED),
    S("cummax", lambda t, x: x.cummax(-2), C, note="from the end"),
    S("cummin", lambda t, x: t.cummin(x, 0), SIGNED),
    S("logcumsumexp", lambda t, x: t.logcumsumexp(x, 1), SIGNED),
    S("logcumsumexp", lambda t, x: x.logcumsumexp(-3), C, note="from the end"),
    S("var_mean", lambda t, x: t.var_mean(x), M),
    S("var_mean", lambda t, x: t.var_mean(x, (0, -1), correction=0, keepdim=True), C, note="kept"),
    S("std_mean", lambda t, x: t.std_mean(x), M),
    S("std_mean", lambda t, x: t.std_mean(x, 1, unbiased=False), C, note="biased"),
    S("aminmax", lambda t, x: t.aminmax(x), SIGNED),
    S("aminmax", lambda t, x: x.aminmax(dim=-1, keepdim=True), C, note="kept"),
    S("nansum", lambda t, x: t.nansum(x), SIGNED),
    S("nansum", lambda t, x: x.nansum((0, -1), keepdim=True), C, note="kept"),
]

ZERO_D = Arg(())
TIES = Arg(data=[[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]])
KINKS: list[Sample] = [
    S("median", lambda t, x: x.median(), TIES),
    S("median", lambda t, x: x.median(), ZERO_D, note="0-d"),
    S("median_dim", lambda t, x: x.median(0), ZERO_D, note="0-d"),
    S("median_dim", lambda t, x: x.median(1), SOME_NAN, note="nan"),
    S("nanmedian", lambda t, x: x.nanmedian(), SOME_NAN, note="nan"),
    S("nanmedian_dim", lambda t, x: x.nanmedian(1), SOME_NAN, note="nan"),
    S("mode", lambda t, x: x.mode(1), TIES),
    S("mode", lambda t, x: x.mode(), ZERO_D, note="0-d"),
    S("kthvalue", lambda t, x: x.kthvalue(1), ZERO_D, note="0-d"),
    S("cummax", lambda t, x: x.cummax(1), TIES),
    S("cummin", lambda t, x: x.cummin(1), SOME_NAN, note="nan"),
    S("cummax", lambda t, x: x.cummax(0), ZERO_D, note="0-d"),
    S("logcumsumexp", lambda t, x: x.logcumsumexp(0), Arg(data=[60.0, -60.0, 60.0, 0.0])),
    S("logcumsumexp", lambda t, x: x.logcumsumexp(0), ZERO_D, note="0-d"),
    S("std_mean", lambda t, x: t.std_mean(x), Arg(data=[2.0, 2.0]), note="constant"),
    S("aminmax", lambda t, x: x.aminmax(), TIES),
    S("aminmax", lambda t, x: x.aminmax(dim=0), ZERO_D, note="0-d"),
    S("nansum", lambda t, x: x.nansum(1), SOME_NAN, note="nan"),
]

REFUSED: list[Sample] = [
    S("unique2", lambda t, x: t.unique(x), SIGNED),
    S("unique_dim", lambda t, x: t.unique(x, dim=0), SIGNED),
    S("unique_consecutive", lambda t, x: t.unique_consecutive(x), SIGNED),
]

NO_TIE = "there is no tie; PyTorch's sharing is tested beside it"
OF_LOW = "restore_dims(grad[0], size(self), dims, keepdim) / sum(low, dims, True)"
OF_HIGH = "restore_dims(grad[1], size(self), dims, keepdim) / sum(high, dims, True)"
AT_0 = "it matters where the deviation is 0, which is tested beside PyTorch"
EQUIVALENT = {
    **{
        ("aminmax", "self", f"{change} in {term}"): NO_TIE
        for change in ("Mult", "only the left")
        for term in (OF_LOW, OF_HIGH)
    },
    **{
        (op, "self", f"{change} in grad / sum(chosen)"): NO_TIE
        for op in ("median", "nanmedian")
        for change in ("Mult", "only the left")
    },
    ("logcumsumexp", "self", "1 in len(x) == 0"): "the branch keeps an empty tensor from an error",
    ("logcumsumexp", "self", "1 in len(size(self)) == 0"): "as for 0-d, tested beside PyTorch",
    (
        "nansum",
        "self",
        "1 in where(isnan(self), 0, restore_dims(grad, size(self), dim, keepdim))",
    ): "entries are no nan here; those are tested beside PyTorch",
    ("std_mean", "self", "1 in where(eq(result0, 0), 0, grad[0] / result0)"): AT_0,
    ("std_mean", "self", "1 in eq(result0, 0)"): AT_0,
}

"""Shapes, indices, and entries put in other places.

Read next: tests/core/samples/base.py
"""

from __future__ import annotations

from tests.core.samples.base import MASK, Arg, C, M, S, Sample

SMALL = Arg((2, 2, 3), -2.0, 2.0)
NEGATIVE = {  # one call for each operation whose node keeps a dim or an index as it was given
    "select": lambda t, x: x.select(-1, -2),
    "slice": lambda t, x: x[..., -3:-1],
    "transpose": lambda t, x: x.transpose(-1, 0),
    "permute": lambda t, x: x.permute(-1, 0, -2),
    "unsqueeze": lambda t, x: x.unsqueeze(-2),
    "unbind": lambda t, x: x.unbind(-1),
    "stack": lambda t, x: t.stack([x, x], -2),
    "cat": lambda t, x: t.cat([x, x], -2),
    "split": lambda t, x: x.split(2, -1),
    "split_with_sizes": lambda t, x: x.split([1, 2], -1),
    "flip": lambda t, x: x.flip(-1, 0),
    "roll": lambda t, x: x.roll(-1, -1),
    "mean_dim": lambda t, x: x.mean((0, -1)),
    "max_dim": lambda t, x: x.max(-1),
    "min_dim": lambda t, x: x.min(-2, keepdim=True),
    "amax": lambda t, x: x.amax((-1, 0)),
    "prod_dim": lambda t, x: x.prod(-2),
    "var": lambda t, x: x.var(-1),
    "std": lambda t, x: x.std((-1, 0)),
    "softmax": lambda t, x: x.softmax(-1),
    "log_softmax": lambda t, x: x.log_softmax(-2),
    "logsumexp": lambda t, x: x.logsumexp(-1),
    "linalg_vector_norm": lambda t, x: x.norm(dim=-1),
    "cumsum": lambda t, x: x.cumsum(-1),
    "cumprod": lambda t, x: x.cumprod(-2),
    "sort": lambda t, x: x.sort(),
    "topk": lambda t, x: x.topk(2),
}

SAMPLES: list[Sample] = [
    *[S(op, call, SMALL, note="from the end") for op, call in NEGATIVE.items()],
    S("squeeze_dim", lambda t, x: x.squeeze(-1), Arg((2, 1)), note="from the end"),
    S("squeeze_dims", lambda t, x: x.squeeze((0, -1)), Arg((1, 3, 1))),
    S("squeeze_dims", lambda t, x: x.squeeze((0, 1)), M, note="nothing to drop"),
    S("unsqueeze", lambda t, x: x[:, None], M, note="beside a full slice"),
    S("slice", lambda t, x: x[:], M, note="all"),
    S("alias", lambda t, x: x[:, :], M, note="all of two dims"),
    S("index", lambda t, x: x[1, [0, 2]], M, note="after a select"),
    S("index", lambda t, x: x[[0, 1], :, [2, 0]], C, note="apart"),
    S("index", lambda t, x: x[[0], None, [1, 2]], M, note="beside None"),
    S("index", lambda t, x: x[..., [[3, 1], [0, 0]]], C, note="a matrix of indices"),
    S("index", lambda t, x, m: x[m, 1:], C, MASK, note="mask and slice"),
    S("index", lambda t, x: x[True], M, note="True"),
]

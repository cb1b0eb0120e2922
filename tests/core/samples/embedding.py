"""Samples of rows looked up in a table. Read next: ops/embedding.py"""

from __future__ import annotations

from typing import Any

from tests.core.samples.base import Arg, S, Sample

TABLE = Arg((4, 2), -1.0, 1.0)
ROW, ROWS = Arg(data=[2, 0, 2], kind="i"), Arg(data=[[1, 3], [3, 3]], kind="i")


def look(**options: Any) -> Any:
    return lambda t, w, i: t.nn.functional.embedding(i, w, **options)


MANY, BEGINS = Arg(data=[2, 0, 2, 3, 1], kind="i"), Arg(data=[0, 1, 1], kind="i")
WITH_END = Arg(data=[0, 2, 5], kind="i")
SHARE = Arg((5,), -1.0, 1.0)


def bags(**options: Any) -> Any:
    def call(t: Any, w: Any, i: Any, offsets: Any = None, each: Any = None) -> Any:
        F = t.nn.functional
        return F.embedding_bag(i, w, offsets, per_sample_weights=each, **options)

    return call


SAMPLES: list[Sample] = [
    S("embedding", look(), TABLE, ROWS),
    S("embedding", look(), TABLE, Arg(data=3, kind="i"), note="one row"),
    S("embedding", look(), TABLE, Arg(data=[[]], kind="i"), note="empty"),
    S("embedding_bag", bags(mode="sum"), TABLE, MANY, BEGINS, SHARE),
    S("embedding_bag", bags(), TABLE, MANY, BEGINS, note="mean"),
    S("embedding_bag", bags(mode="max"), TABLE, MANY, BEGINS, note="max"),
    S("embedding_bag", bags(mode="sum"), TABLE, ROWS, note="two dims"),
    S(
        "embedding_bag",
        bags(include_last_offset=True),
        TABLE,
        MANY,
        WITH_END,
        note="with the end",
        differs="PyTorch keeps the last offset, or not",
    ),
]

# the padding gets no gradient, and a shared one is divided: by design these are no derivatives
KINKS: list[Sample] = [
    S("embedding", look(padding_idx=-2), TABLE, ROW, note="padding"),
    S("embedding", look(scale_grad_by_freq=True, padding_idx=1), TABLE, ROWS, note="shared"),
    S("embedding_bag", bags(padding_idx=2), TABLE, MANY, BEGINS, note="padding"),
]

EQUIVALENT = {
    (op, "weight", f"{change} in {used} * constant(shares(rows)[:, None], {used})"): (
        "a shared gradient is no derivative; it is tested beside PyTorch, where PyTorch is right"
    )
    for change in ("Div", "only the left", "only the right")
    for op, used in (("embedding", "used"), ("embedding_bag", "each"))
}

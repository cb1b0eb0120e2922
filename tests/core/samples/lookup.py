"""Samples of rows looked up in a table. Read next: ops/lookup.py"""

from __future__ import annotations

from typing import Any

from tests.core.samples.base import Arg, S, Sample

TABLE = Arg((4, 2), -1.0, 1.0)
ROW, ROWS = Arg(data=[2, 0, 2], kind="i"), Arg(data=[[1, 3], [3, 3]], kind="i")


def look(**options: Any) -> Any:
    return lambda t, w, i: t.nn.functional.embedding(i, w, **options)


SAMPLES: list[Sample] = [
    S("embedding", look(), TABLE, ROWS),
    S("embedding", look(), TABLE, Arg(data=3, kind="i"), note="one row"),
    S("embedding", look(), TABLE, Arg(data=[[]], kind="i"), note="empty"),
]

# the padding gets no gradient, and a shared one is divided: by design these are no derivatives
KINKS: list[Sample] = [
    S("embedding", look(padding_idx=-2), TABLE, ROW, note="padding"),
    S("embedding", look(scale_grad_by_freq=True, padding_idx=1), TABLE, ROWS, note="shared"),
]

EQUIVALENT = {
    ("embedding", "weight", f"{change} in used * constant(shares(rows)[:, None], used)"): (
        "a shared gradient is no derivative; it is tested beside PyTorch"
    )
    for change in ("Div", "only the left", "only the right")
}

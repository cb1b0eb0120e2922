"""Samples of poolings. Read next: ops/convolution.py"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.core.samples.base import Arg, S, Sample
from tests.core.samples.convolution import SHEET, F

ROW = Arg((2, 2, 5), -1.0, 1.0)
CUBE = Arg((1, 2, 3, 2), -1.0, 1.0)
WIDE = Arg((1, 1, 3, 5), -1.0, 1.0)
TIES = Arg(data=[[[1.0, 1.0, 0.0, 1.0], [1.0, 1.0, 2.0, 2.0], [0.0, -0.0, 2.0, 2.0]]])
ODD = Arg(data=[[[np.nan, 1.0, np.inf, np.nan], [2.0, np.nan, -np.inf, -np.inf]]])

PLACES = Arg(data=[[[[5, 2], [9, 15]]]], kind="i")
WHERE = Arg(data=[[[0, 19], [9, 15]]], kind="i")
VOLUME = Arg(data=[[[[3, 12]]]], kind="i")


def unpool(name: str, *args: Any, **options: Any) -> Any:
    return lambda t, x, i: getattr(t.nn.functional, name)(x, i, *args, **options)


SAMPLES: list[Sample] = [
    S("max_pool2d_with_indices", F("max_pool2d", 2), SHEET),
    S(
        "max_pool2d_with_indices",
        F("max_pool2d", (2, 3), 2, (1, 1), ceil_mode=True),
        WIDE,
        note="padded, up to the end",
    ),
    S(
        "max_pool2d_with_indices",
        F("max_pool2d", 2, 1, 0, 2, return_indices=True),
        SHEET,
        note="dilated",
    ),
    S("max_pool2d_with_indices", F("max_pool2d", 2), Arg((2, 2, 4)), note="unbatched"),
    S("max_pool3d_with_indices", F("max_pool3d", (1, 2, 2), 1), CUBE),
    S("squeeze_dim", F("max_pool1d", 2), ROW, note="max_pool1d"),
    S("squeeze_dim", F("max_pool1d", 2, 1, 0, 2), ROW, note="max_pool1d, dilated"),
    S("squeeze_dim", F("avg_pool1d", 3, 1, 1), ROW, note="avg_pool1d"),
    S("avg_pool2d", F("avg_pool2d", 2), SHEET),
    S("avg_pool2d", F("avg_pool2d", (2, 3), 2, 1, True), WIDE, note="padded, up to the end"),
    S(
        "avg_pool2d",
        F("avg_pool2d", (2, 3), 2, 1, True, False),
        WIDE,
        note="without the padding",
    ),
    S("avg_pool2d", F("avg_pool2d", 2, divisor_override=3), Arg((2, 3, 4)), note="a divisor"),
    S("avg_pool3d", F("avg_pool3d", (1, 2, 2), 1), CUBE),
    S("adaptive_avg_pool2d", F("adaptive_avg_pool2d", (2, 3)), WIDE),
    S("adaptive_avg_pool2d", F("adaptive_avg_pool2d", (None, 7)), Arg((2, 2, 3)), note="larger"),
    S("adaptive_avg_pool3d", F("adaptive_avg_pool3d", (1, 2, 2)), CUBE),
    S("mean_dim", F("adaptive_avg_pool2d", 1), SHEET, note="adaptive_avg_pool2d"),
    S("squeeze_dim", F("adaptive_avg_pool1d", 3), ROW, note="adaptive_avg_pool1d"),
    S("adaptive_max_pool2d", F("adaptive_max_pool2d", (2, 3)), WIDE),
    S(
        "adaptive_max_pool2d",
        F("adaptive_max_pool2d", (None, 2), return_indices=True),
        Arg((2, 2, 3)),
        note="unbatched",
    ),
    S("adaptive_max_pool3d", F("adaptive_max_pool3d", (1, 2, 2)), CUBE),
    S("max_unpool2d", unpool("max_unpool2d", 2), Arg((1, 1, 2, 2)), PLACES),
    S(
        "max_unpool2d",
        unpool("max_unpool2d", 2, output_size=(5, 4)),
        Arg((1, 2, 2)),
        WHERE,
        note="size",
    ),
    S("max_unpool3d", unpool("max_unpool3d", 2), Arg((1, 1, 1, 2)), VOLUME),
    S("squeeze_dim", F("adaptive_max_pool1d", 3), ROW, note="adaptive_max_pool1d"),
]

KINKS: list[Sample] = [
    S("max_pool2d_with_indices", F("max_pool2d", 2, 1), TIES),
    S("max_pool2d_with_indices", F("max_pool2d", 2, 1, return_indices=True), ODD, note="nan"),
    S("adaptive_max_pool2d", F("adaptive_max_pool2d", 2, return_indices=True), TIES),
]

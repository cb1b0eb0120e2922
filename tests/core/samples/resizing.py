"""Samples of resizing, and of pixels made from channels. Read next: ops/resizing.py"""

from __future__ import annotations

from tests.core.samples.base import Arg, S, Sample
from tests.core.samples.convolution import SHEET, F

ROW, CUBE = Arg((1, 2, 4), -1.0, 1.0), Arg((1, 1, 2, 3, 2), -1.0, 1.0)
SMALL = Arg((1, 2, 2, 3), -1.0, 1.0)


def to(size: object, mode: str, **options: object) -> object:
    return F("interpolate", size, mode=mode, **options)


def by(factor: object, mode: str, **options: object) -> object:
    return F("interpolate", None, factor, mode, **options)


SAMPLES: list[Sample] = [
    S("upsample_nearest1d", to(6, "nearest"), ROW),
    S("upsample_nearest2d", by(2, "nearest"), SMALL),
    S("upsample_nearest2d", to((2, 7), "nearest"), SHEET, note="smaller and larger"),
    S("upsample_nearest3d", to((3, 2, 4), "nearest"), CUBE),
    S("upsample_nearest_exact1d", by(0.7, "nearest-exact"), ROW),
    S("upsample_nearest_exact2d", to((5, 3), "nearest-exact"), SHEET),
    S("upsample_nearest_exact3d", to((3, 2, 4), "nearest-exact"), CUBE),
    S("upsample_linear1d", to(6, "linear"), ROW),
    S("upsample_linear1d", to(6, "linear", align_corners=True), ROW, note="aligned"),
    S("upsample_linear1d", to(1, "linear", align_corners=True), ROW, note="to one"),
    S("upsample_bilinear2d", to((5, 3), "bilinear"), SHEET),
    S("upsample_bilinear2d", by((1.6, 0.7), "bilinear"), SHEET, note="factors"),
    S(
        "upsample_bilinear2d",
        by(1.5, "bilinear", align_corners=True, recompute_scale_factor=True),
        SMALL,
        note="recomputed",
    ),
    S("upsample_trilinear3d", by(1.5, "trilinear"), CUBE),
    S("upsample_bicubic2d", to((5, 3), "bicubic"), SHEET),
    S("upsample_bicubic2d", by(1.5, "bicubic", align_corners=True), SMALL, note="aligned"),
    S("upsample_bilinear2d_aa", to((2, 3), "bilinear", antialias=True), SHEET),
    S("upsample_bilinear2d_aa", to((5, 3), "bilinear", antialias=True), SHEET, note="larger"),
    S("upsample_bicubic2d_aa", to((2, 3), "bicubic", antialias=True), SHEET),
    S("adaptive_avg_pool2d", to((2, 3), "area"), SHEET, note="area"),
    S("pixel_shuffle", F("pixel_shuffle", 2), Arg((1, 8, 1, 2))),
    S("pixel_shuffle", F("pixel_shuffle", 2), Arg((4, 2, 1)), note="an image alone"),
    S("pixel_unshuffle", F("pixel_unshuffle", 2), Arg((1, 2, 2, 4))),
    S("channel_shuffle", F("channel_shuffle", 2), Arg((1, 6, 2))),
]

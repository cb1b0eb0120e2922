"""Samples of images sampled at the points of a grid. Read next: ops/resizing.py"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.core.samples.base import Arg, S, Sample

IMAGE = Arg((1, 2, 3, 4), -1.0, 1.0)
# inside, between the edge and the middle of an outer pixel, and outside; none on a pixel's line
POINTS = Arg(data=[[[[-0.31, 0.17], [0.83, -0.92], [-1.27, 0.41]]]])
FAR = Arg(data=[[[[-2.83, 0.37], [3.19, -4.71]], [[0.11, 6.13], [0.31, 0.23]]]])
THETA = Arg((2, 2, 3), -1.0, 1.0)
EDGES = Arg(data=[[[[-1.0, 1.0], [0.0, 0.0], [1.0, -1.0], [0.25, 5.0], [-3.0, 1.5]]]])
NOWHERE = Arg(data=[[[[np.inf, 0.0], [0.0, -np.inf]]]])


def sample(**options: Any) -> Any:
    options = {"align_corners": False, **options}
    return lambda t, x, g: t.nn.functional.grid_sample(x, g, **options)


def grid(size: tuple[int, ...], align_corners: bool) -> Any:
    return lambda t, x: t.nn.functional.affine_grid(x, size, align_corners=align_corners)


OPTIONS: list[dict[str, Any]] = [
    {"mode": mode, "padding_mode": padding, "align_corners": aligned}
    for mode in ("bilinear", "nearest")
    for padding in ("zeros", "border", "reflection")
    for aligned in (False, True)
]


def note(options: dict[str, Any]) -> str:
    return f"{options['mode']} {options['padding_mode']}{' aligned' * options['align_corners']}"


SAMPLES: list[Sample] = [
    *[S("grid_sampler2d", sample(**o), IMAGE, POINTS, note=note(o)) for o in OPTIONS],
    S("grid_sampler2d", sample(padding_mode="reflection"), IMAGE, FAR, note="far away"),
    S("affine_grid_generator", grid((2, 1, 2, 3), False), THETA),
    S("affine_grid_generator", grid((2, 1, 2, 1), True), THETA, note="aligned"),
    S("affine_grid_generator", grid((1, 1, 2, 1, 2), False), Arg((1, 3, 4)), note="volume"),
]

KINKS: list[Sample] = [
    S("grid_sampler2d", sample(**o), IMAGE, EDGES, note=f"edges {note(o)}") for o in OPTIONS
]

PIXELS = "the pixels around a point are chosen by rounding, which has no formula"
NOT_PROVED = {
    f"grid_sampler2d-{what.replace(' ', '_')}": PIXELS for what in [*map(note, OPTIONS), "far away"]
}

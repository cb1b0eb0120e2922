"""Sampling an image at points: the pixels around a point, and their weights.

A grid holds points (x, y); the edges of the image are at -1 and 1. The coordinate of a point in
pixels is slope · x + offset. Where a point is reflected or clipped at the border, the slope and the
offset are others; the derivative of the coordinate is the slope.

Source: PyTorch, aten/src/ATen/native/GridSampler.h.

Read next: ops/resizing.py
"""

from typing import Any

import numpy as np

from graphlab.primitives.numpy_reading.elementary import constant, eq, where
from graphlab.primitives.numpy_reading.scatter_gather import gather, put_along, select
from graphlab.primitives.numpy_reading.shapes import reshape, size

ZEROS, BORDER, REFLECTION = range(3)  # PyTorch's numbers; bilinear is 0, nearest 1


def raw_entries(x: Any) -> np.ndarray:
    """The entries as an array of numbers, by which the pixels around a point are chosen."""
    return np.asarray(x)


def coordinate_line(
    points: np.ndarray, n: int, padding_mode: int, align_corners: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The slope and the offset of each coordinate, and the coordinate, in n pixels.

    >>> slope, offset, at = coordinate_line(np.array([-1.0, 0.0, 1.5]), 4, BORDER, True)
    >>> slope, at
    (array([0. , 1.5, 0. ]), array([0. , 1.5, 3. ]))
    """
    slope = np.full(points.shape, (n - 1) / 2 if align_corners else n / 2)
    offset = slope if align_corners else slope - 0.5
    at = slope * points + offset
    if padding_mode == REFLECTION:
        low, span = (0.0, n - 1.0) if align_corners else (-0.5, float(n))
        if span == 0:
            sign, at = np.zeros_like(at), np.zeros_like(at)
        else:
            beyond = np.abs(at - low)
            flips = np.floor(beyond / span)
            extra = beyond - flips * span
            even = flips % 2 == 0
            sign = np.where(at < low, -1.0, 1.0) * np.where(even, 1.0, -1.0)
            at = np.where(even, low + extra, low + span - extra)
        slope = slope * sign
    if padding_mode != ZEROS:
        inside = (at > 0) & (at < n - 1)
        at = np.clip(at, 0, n - 1)
        slope = np.where(inside, slope, 0.0)
    return slope, at - slope * points, at


def pixel_of(x: np.ndarray, y: np.ndarray, sizes: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """The number of the pixel in row y and column x, and whether it is in the image."""
    h, w = sizes
    inside = (x >= 0) & (x < w) & (y >= 0) & (y < h)
    number = np.where(inside, np.clip(y, 0, h - 1) * w + np.clip(x, 0, w - 1), 0)
    return number.astype(np.int64), inside


def base_grid(size: tuple[int, ...], align_corners: bool) -> np.ndarray:
    """The points (x, y, 1) of all pixels; in three dimensions (x, y, z, 1). -> (area(size), d + 1).

    >>> base_grid((1, 2), True)
    array([[-1.,  0.,  1.],
           [ 1.,  0.,  1.]])
    """
    lines = []
    for n in size:
        line = np.linspace(-1, 1, n) if n > 1 else np.zeros(1)
        lines.append(line if align_corners else line * (n - 1) / n)
    mesh = np.meshgrid(*lines, indexing="ij")
    ones = np.ones(size)
    return np.stack([*reversed(mesh), ones], -1).reshape(-1, len(size) + 1)


def cells(
    points: np.ndarray, sizes: tuple[int, int], padding_mode: int, align_corners: bool
) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """For x, then for y: the pixel before each point; slope and offset of the distance to it."""
    found = []
    for d in range(2):
        slope, offset, at = coordinate_line(
            points[..., d], sizes[1 - d], padding_mode, align_corners
        )
        first = np.floor(at)
        found.append((first, slope, offset - first))
    return found


def nearest_pixel(
    points: np.ndarray, sizes: tuple[int, int], padding_mode: int, align_corners: bool
) -> tuple[np.ndarray, np.ndarray]:
    """The number of the pixel that is nearest to each point, and whether it is in the image."""
    x, y = (
        np.rint(coordinate_line(points[..., d], sizes[1 - d], padding_mode, align_corners)[2])
        for d in range(2)
    )
    return pixel_of(x, y, sizes)


def in_channels(number: np.ndarray, c: int) -> np.ndarray:
    """The same pixels in every channel: (N, 1, L) -> (N, C, L)."""
    return np.broadcast_to(number, (len(number), c, number.shape[2]))


# -- in primitives ------------------------------------------------------------------------------


def corners(
    grid: Any, sizes: tuple[int, int], mode: int, padding_mode: int, align_corners: bool
) -> list[Any]:
    """For each pixel around the points: its number, whether it is in the image, and its weight.

    Then the derivatives of the weight by x and y. Weight and derivatives are None in the mode
    "nearest". All are (N, 1, OH·OW).
    """
    grid = reshape(grid, (size(grid)[0], 1, size(grid)[1] * size(grid)[2], 2))
    raw = raw_entries(grid)
    if mode == 1:
        return [(*nearest_pixel(raw, sizes, padding_mode, align_corners), None, None, None)]
    near = []
    for d, (first, slope, shift) in enumerate(cells(raw, sizes, padding_mode, align_corners)):
        rise = constant(slope, grid)
        part = select(grid, 3, d) * rise + constant(shift, grid)
        near.append([(first, 1 - part, -rise), (first + 1, part, rise)])
    found = []
    for x, weight_x, slope_x in near[0]:
        for y, weight_y, slope_y in near[1]:
            each = (weight_x * weight_y, slope_x * weight_y, weight_x * slope_y)
            found.append((*pixel_of(x, y, sizes), *each))
    return found


def grid_values(input: Any, number: np.ndarray, inside: np.ndarray) -> Any:
    """The entries of one pixel for each point, 0 outside: (N, C, H, W) -> (N, C, OH·OW)."""
    n, c, h, w = size(input)
    seen = gather(reshape(input, (n, c, h * w)), 2, in_channels(number, c))
    return where(eq(constant(inside, seen), 0), 0, seen)


def put_grid_values(values: Any, sizes: Any, number: np.ndarray, inside: np.ndarray) -> Any:
    """Zeros with the values added to their pixels: the adjoint of `grid_values`. -> sizes."""
    n, c, h, w = sizes
    values = where(eq(constant(inside, values), 0), 0, values)
    return reshape(put_along(values, (n, c, h * w), 2, in_channels(number, c)), (n, c, h, w))

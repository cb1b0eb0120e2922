"""Resizing and sampling: the old entries that a new entry is a mean of, and their weights.

New entry i lies at the old coordinate (i + 1/2) · scale - 1/2, or i · scale when the corners are
aligned. Its value comes from the nearest old entry, the two next to it or the four around it.
Images are resized one dimension after the other.

A grid holds points (x, y) of an image; the edges of the image are at -1 and 1. The coordinate of a
point in pixels is slope · x + offset. Where a point is reflected or clipped at the border, the
slope and the offset are others; the derivative of the coordinate is the slope.

Sources: PyTorch, aten/src/ATen/native/UpSample.h, cpu/UpSampleKernel.cpp and GridSampler.h.

Read next: ops/resizing.py
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from graphlab.primitives.numpy_reading.elementary import Data, constant, eq, where
from graphlab.primitives.numpy_reading.pooling import Key, outer_key
from graphlab.primitives.numpy_reading.scatter_gather import gather, put_along, select
from graphlab.primitives.numpy_reading.shapes import permute, reshape, size

Sizes = tuple[int, ...]
Factors = tuple[float | None, ...]  # the scale factors that the user gave, None without
Parts = tuple[tuple[int, np.ndarray, np.ndarray], ...]  # (dimension, places, weights: (L, T))
ZEROS, BORDER, REFLECTION = range(3)  # PyTorch's numbers; bilinear is 0, nearest 1


def resample(x: Data, dim: int, place: np.ndarray, weight: np.ndarray) -> Data:
    """Σₜ weight[i, t] x[place[i, t]] along `dim`. x: (..., n, ...), place: (L, T) -> (..., L, ...).

    >>> place, weight = np.array([[0, 1], [0, 1]]), np.array([[0.75, 0.25], [0, 1]])
    >>> resample(np.array([0.0, 10.0]), 0, place, weight)
    array([ 2.5, 10. ])
    """
    along = (-1, *(1,) * (x.ndim - 1 - dim))
    total: Any = x.dtype.type(0)
    for j, w in zip(place.T, weight.T.astype(x.dtype), strict=True):
        term = x.take(j, dim) * w.reshape(along)
        if (j < 0).any():
            term = np.where(j.reshape(along) < 0, x.dtype.type(0), term)
        total = total + term
    return total


def resample_back(grad: Data, n: int, dim: int, place: np.ndarray, weight: np.ndarray) -> Data:
    """The adjoint of `resample`: add each entry, weighted, to its places. (..., L) -> (..., n).

    >>> place, weight = np.array([[0, 1], [0, 1]]), np.array([[0.75, 0.25], [0, 1]])
    >>> resample_back(np.array([1.0, 10.0]), 2, 0, place, weight)
    array([ 0.75, 10.25])
    """
    out = np.zeros((*grad.shape[:dim], n, *grad.shape[dim + 1 :]), grad.dtype)
    rows, sums = np.moveaxis(grad, dim, 0), np.moveaxis(out, dim, 0)
    for i, j, w in parts(place, weight):
        sums[j] += w * rows[i]
    return out


def resampled(x: Any, parts: Parts) -> Any:
    """Resample along one dimension after the other. (*S) -> the sizes that the parts have."""
    for dim, place, weight in parts:
        x = resample(x, dim, place, weight)
    return x


def resampled_back(grad: Any, sizes: Sizes, parts: Parts) -> Any:
    """The adjoint of `resampled`, for an x of these sizes."""
    for dim, place, weight in parts:
        grad = resample_back(grad, sizes[dim], dim, place, weight)
    return grad


def parts(place: np.ndarray, weight: np.ndarray) -> list[tuple[int, int, Any]]:
    """(i, j, w) for each term: result i gets entry j times w. Places of -1 are left out."""
    each = zip(place.tolist(), weight.tolist(), strict=True)
    return [
        (i, j, w) for i, (js, ws) in enumerate(each) for j, w in zip(js, ws, strict=True) if j >= 0
    ]


def step(n: int, m: int, aligned: bool, factor: float | None) -> float:
    """The distance of new entries in units of the old ones, from n entries to m.

    >>> step(4, 8, False, None), step(4, 7, True, None), step(4, 9, False, 2.3) == 1 / 2.3
    (0.5, 0.5, True)
    """
    if aligned:
        return (n - 1) / (m - 1) if m > 1 else 0.0
    return 1 / factor if factor else n / m


def nearest(sizes: Sizes, output_size: Sizes, factors: Factors, shift: float) -> Key:
    """The key of the old entry that holds the point at `shift` within each new entry."""
    found = []
    for n, m, factor in zip(sizes[2:], output_size, factors, strict=True):
        where = (np.arange(m, dtype=np.float32) + np.float32(shift)) * np.float32(
            step(n, m, False, factor)
        )
        found.append(np.minimum(np.floor(where).astype(np.int64), n - 1))
    return outer_key(2, tuple(found))


def nearest_key(sizes: Sizes, output_size: Sizes, factors: Factors) -> Key:
    """The key of the old entry that holds the beginning of each new entry.

    >>> nearest_key((1, 1, 2), (5,), (None,))[2]
    array([0, 0, 0, 1, 1])
    """
    return nearest(sizes, output_size, factors, 0.0)


def nearest_exact_key(sizes: Sizes, output_size: Sizes, factors: Factors) -> Key:
    """The key of the old entry that holds the middle of each new entry.

    >>> nearest_exact_key((1, 1, 2), (5,), (None,))[2]
    array([0, 0, 1, 1, 1])
    """
    return nearest(sizes, output_size, factors, 0.5)


def resized(
    sizes: Sizes, output_size: Sizes, factors: Factors
) -> Iterator[tuple[int, int, int, float | None]]:
    """(dimension, old size, new size, scale factor) for each resized dimension."""
    return zip(range(2, len(sizes)), sizes[2:], output_size, factors, strict=True)


def coordinates(n: int, m: int, aligned: bool, factor: float | None) -> np.ndarray:
    """The coordinates of the new entries, in units of the old ones."""
    scale = step(n, m, aligned, factor)
    return np.arange(m) * scale if aligned else (np.arange(m) + 0.5) * scale - 0.5


def linear_parts(sizes: Sizes, output_size: Sizes, aligned: bool, factors: Factors) -> Parts:
    """The two entries beside each new one, with the weights of linear interpolation.

    >>> linear_parts((1, 1, 2), (4,), False, (None,))[0][2]
    array([[1.  , 0.  ],
           [0.75, 0.25],
           [0.25, 0.75],
           [0.75, 0.25]])

    Beyond the last entry, both are that one.
    """
    found = []
    for dim, n, m, factor in resized(sizes, output_size, factors):
        where = np.maximum(coordinates(n, m, aligned, factor), 0)
        before = np.minimum(np.floor(where).astype(np.int64), n - 1)
        part = np.minimum(where - before, 1)  # of the last entry twice, beyond the end
        places = np.stack([before, np.minimum(before + 1, n - 1)], 1)
        found.append((dim, places, np.stack([1 - part, part], 1)))
    return tuple(found)


def cubic(x: np.ndarray, a: float) -> np.ndarray:
    """Keys' cubic at the distance x: 1 at 0, 0 at 1 and from 2 on."""
    x = np.abs(x)
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((x - 5) * x + 8) * x * a - 4 * a
    return np.where(x <= 1, near, np.where(x < 2, far, 0.0))


def cubic_parts(sizes: Sizes, output_size: Sizes, aligned: bool, factors: Factors) -> Parts:
    """The four entries around each new one, with the weights of Keys' cubic for a = -3/4."""
    found = []
    for dim, n, m, factor in resized(sizes, output_size, factors):
        where = coordinates(n, m, aligned, factor)
        around = np.floor(where).astype(np.int64)[:, None] + np.arange(-1, 3)
        weight = cubic(where[:, None] - around, -0.75)
        found.append((dim, np.clip(around, 0, n - 1), weight))
    return tuple(found)


def means(
    sizes: Sizes, output_size: Sizes, aligned: bool, factors: Factors, reach: float, weigh: Any
) -> Parts:
    """Weighted means over all entries that a new one covers, which avoids aliasing."""
    found = []
    for dim, n, m, factor in resized(sizes, output_size, factors):
        scale = step(n, m, aligned, factor)
        wide = max(scale, 1.0)
        center = scale * (np.arange(m) + 0.5)
        first = np.maximum((center - reach * wide + 0.5).astype(np.int64), 0)
        last = np.minimum((center + reach * wide + 0.5).astype(np.int64), n)
        seen = first[:, None] + np.arange(int((last - first).max(initial=1)))
        inside = seen < last[:, None]
        weight = weigh((seen - center[:, None] + 0.5) / wide) * inside
        found.append((dim, np.where(inside, seen, -1), weight / weight.sum(1, keepdims=True)))
    return tuple(found)


def linear_means(sizes: Sizes, output_size: Sizes, aligned: bool, factors: Factors) -> Parts:
    """Means weighted by a triangle."""
    return means(sizes, output_size, aligned, factors, 1.0, lambda x: np.maximum(1 - np.abs(x), 0))


def cubic_means(sizes: Sizes, output_size: Sizes, aligned: bool, factors: Factors) -> Parts:
    """Means weighted by Keys' cubic with a = -1/2."""
    return means(sizes, output_size, aligned, factors, 2.0, lambda x: cubic(x, -0.5))


def shuffled(x: Any, r: int) -> Any:
    """Rearrange channels as pixels. x: (*, C·r², H, W) -> (*, C, H·r, W·r)."""
    *lead, channels, h, w = size(x)
    c, n = channels // r**2, len(lead)
    x = reshape(x, (*lead, c, r, r, h, w))
    x = permute(x, (*range(n + 1), n + 3, n + 1, n + 4, n + 2))
    return reshape(x, (*lead, c, h * r, w * r))


def unshuffled(x: Any, r: int) -> Any:
    """Rearrange pixels as channels. x: (*, C, H·r, W·r) -> (*, C·r², H, W)."""
    *lead, c, h, w = size(x)
    n = len(lead)
    x = reshape(x, (*lead, c, h // r, r, w // r, r))
    x = permute(x, (*range(n + 1), n + 2, n + 4, n + 1, n + 3))
    return reshape(x, (*lead, c * r**2, h // r, w // r))


def mixed(x: Any, groups: int) -> Any:
    """Take one channel of each group in turn. x: (N, C, *S) -> (N, C, *S)."""
    n, c, *rest = size(x)
    x = reshape(x, (n, groups, c // groups, *rest))
    x = permute(x, (0, 2, 1, *range(3, len(rest) + 3)))
    return reshape(x, (n, c, *rest))


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
    half = (n - 1) / 2 if align_corners else n / 2
    at = (points + 1) * half - (0 if align_corners else 0.5)
    slope = np.full(points.shape, half)
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


def base_grid(size: tuple[int, ...], align_corners: bool, like: Any) -> np.ndarray:
    """The points (x, y, 1) of all pixels; in three dimensions (x, y, z, 1). -> (area(size), d + 1).

    like: an array or a tensor; the points are rounded to its type, exact entries to float64.

    >>> base_grid((1, 2), True, np.zeros(0))
    array([[-1.,  0.,  1.],
           [ 1.,  0.,  1.]])
    """
    given = np.dtype(getattr(like.dtype, "numpy", like.dtype))
    kind = given if given.kind == "f" else np.dtype(float)
    lines = []
    for n in size:
        step = kind.type(2) / kind.type(max(n - 1, 1))
        low = (np.longdouble(step) * np.arange(n) - 1).astype(kind) * (n > 1)
        line = np.where(np.arange(n) < n // 2, low, -low[::-1])
        lines.append(line if align_corners else line * (n - 1) / n)
    mesh = np.meshgrid(*lines, indexing="ij")
    return np.stack([*reversed(mesh), np.ones_like(mesh[0])], -1).reshape(-1, len(size) + 1)


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

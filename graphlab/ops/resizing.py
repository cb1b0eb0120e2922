"""Resize images, by the nearest entry, linearly or by cubics; sample them; exchange their channels.

Every new entry is a weighted mean of old ones, and the gradient goes back with the same weights.

Read next: primitives/numpy_reading/resizing.py
"""

from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.elementary import constant, copy, zeros_like
from graphlab.primitives.numpy_reading.matrices import matmul
from graphlab.primitives.numpy_reading.reductions import sum
from graphlab.primitives.numpy_reading.resizing import (
    base_grid,
    corners,
    cubic_means,
    cubic_parts,
    grid_values,
    linear_means,
    linear_parts,
    mixed,
    nearest_exact_key,
    nearest_key,
    put_grid_values,
    resampled,
    resampled_back,
    shuffled,
    unshuffled,
)
from graphlab.primitives.numpy_reading.scatter_gather import put_at, take
from graphlab.primitives.numpy_reading.shapes import reshape, size, stack, transpose

BACK = (
    "each entry gets the gradients of the new entries that it was used for, with the same weights"
)


def first(factors):
    """Return the scale factor of the first dimension, as PyTorch shows it on the node."""
    return factors[0]


def second(factors):
    """Return the scale factor of the second dimension."""
    return factors[1]


def third(factors):
    """Return the scale factor of the third dimension."""
    return factors[2]


FACTORS = first, second, third


class Resized(Op, abstract=True):
    """An operation that gives an image another size: (N, C, *S) -> (N, C, *output_size)."""

    images = 1
    symbol, types, phrase, hidden = "resize", "keep", BACK, ("factors",)


class UpsampleNearest1d(Resized):
    """Copy the nearest old entry. self: (N, C, L) -> (N, C, *output_size)."""

    node = "UpsampleNearest1DBackward0"

    def forward(self, *, output_size, factors):
        return take(self, nearest_key(size(self), output_size, factors))

    def grad_self(grad, self_sym_sizes, output_size, factors):
        return put_at(grad, self_sym_sizes, nearest_key(self_sym_sizes, output_size, factors))

    show_scales = FACTORS[0]


class UpsampleNearest2d(UpsampleNearest1d):
    """Copy the nearest old entry. self: (N, C, H, W) -> (N, C, *output_size)."""

    node = "UpsampleNearest2DBackward0"

    show_scales_h, show_scales_w = FACTORS[:2]


class UpsampleNearest3d(UpsampleNearest1d):
    """Copy the nearest old entry. self: (N, C, D, H, W) -> (N, C, *output_size)."""

    node = "UpsampleNearest3DBackward0"

    show_scales_d, show_scales_h, show_scales_w = FACTORS


class UpsampleNearestExact1d(Resized):
    """Copy the old entry that contains the centre. (N, C, L) -> (N, C, *output_size)."""

    node = "UpsampleNearestExact1DBackward0"

    def forward(self, *, output_size, factors):
        return take(self, nearest_exact_key(size(self), output_size, factors))

    def grad_self(grad, self_sym_sizes, output_size, factors):
        key = nearest_exact_key(self_sym_sizes, output_size, factors)
        return put_at(grad, self_sym_sizes, key)

    show_scales = FACTORS[0]


class UpsampleNearestExact2d(UpsampleNearestExact1d):
    """Copy the old entry that contains the centre. (N, C, H, W) -> (N, C, OH, OW)."""

    node = "UpsampleNearestExact2DBackward0"

    show_scales_h, show_scales_w = FACTORS[:2]


class UpsampleNearestExact3d(UpsampleNearestExact1d):
    """Copy the old entry that contains the centre, in three dimensions."""

    node = "UpsampleNearestExact3DBackward0"

    show_scales_d, show_scales_h, show_scales_w = FACTORS


class UpsampleLinear1d(Resized):
    """Interpolate linearly. self: (N, C, L) -> (N, C, *output_size)."""

    node, wide = "UpsampleLinear1DBackward0", True

    def forward(self, *, output_size, align_corners, factors):
        return resampled(self, linear_parts(size(self), output_size, align_corners, factors))

    def grad_self(grad, self_sym_sizes, output_size, align_corners, factors):
        parts = linear_parts(self_sym_sizes, output_size, align_corners, factors)
        return resampled_back(grad, self_sym_sizes, parts)

    show_scales = FACTORS[0]


class UpsampleBilinear2d(UpsampleLinear1d):
    """Interpolate linearly in both dimensions. self: (N, C, H, W) -> (N, C, *output_size)."""

    node = "UpsampleBilinear2DBackward0"

    show_scales_h, show_scales_w = FACTORS[:2]


class UpsampleTrilinear3d(UpsampleLinear1d):
    """Interpolate linearly in three dimensions. self: (N, C, D, H, W) -> (N, C, *output_size)."""

    node = "UpsampleTrilinear3DBackward0"

    show_scales_d, show_scales_h, show_scales_w = FACTORS


class UpsampleBicubic2d(Resized):
    """Interpolate by cubics. self: (N, C, H, W) -> (N, C, *output_size)."""

    node, wide = "UpsampleBicubic2DBackward0", True

    def forward(self, *, output_size, align_corners, factors):
        return resampled(self, cubic_parts(size(self), output_size, align_corners, factors))

    def grad_self(grad, self_sym_sizes, output_size, align_corners, factors):
        parts = cubic_parts(self_sym_sizes, output_size, align_corners, factors)
        return resampled_back(grad, self_sym_sizes, parts)

    show_scales_h, show_scales_w = FACTORS[:2]


class UpsampleBilinear2dAa(Resized):
    """Average the covered entries with a triangle filter. (N, C, H, W) -> (N, C, OH, OW)."""

    node, wide = "UpsampleBilinear2DAaBackward0", True

    def forward(self, *, output_size, align_corners, factors):
        return resampled(self, linear_means(size(self), output_size, align_corners, factors))

    def grad_self(grad, self_sym_sizes, output_size, align_corners, factors):
        parts = linear_means(self_sym_sizes, output_size, align_corners, factors)
        return resampled_back(grad, self_sym_sizes, parts)

    show_scales_h, show_scales_w = FACTORS[:2]


class UpsampleBicubic2dAa(Resized):
    """Average the covered entries with a cubic filter. (N, C, H, W) -> (N, C, OH, OW)."""

    node, wide = "UpsampleBicubic2DAaBackward0", True

    def forward(self, *, output_size, align_corners, factors):
        return resampled(self, cubic_means(size(self), output_size, align_corners, factors))

    def grad_self(grad, self_sym_sizes, output_size, align_corners, factors):
        parts = cubic_means(self_sym_sizes, output_size, align_corners, factors)
        return resampled_back(grad, self_sym_sizes, parts)

    show_scales_h, show_scales_w = FACTORS[:2]


class PixelShuffle(Op):
    """Rearrange channels as pixels. self: (*, C·r², H, W) -> (*, C, H·r, W·r)."""

    images = 1
    node, symbol, types = "PixelShuffleBackward0", "shuffle", "keep"
    phrase = "the gradient of each pixel goes back to its channel"

    def forward(self, *, upscale_factor):
        return copy(shuffled(self, upscale_factor))

    def grad_self(grad, upscale_factor):
        return unshuffled(grad, upscale_factor)


class PixelUnshuffle(Op):
    """Rearrange pixels as channels. self: (*, C, H·r, W·r) -> (*, C·r², H, W)."""

    images = 1
    node, symbol, types = "PixelUnshuffleBackward0", "unshuffle", "keep"
    phrase = "the gradient of each channel goes back to its pixels"

    def forward(self, *, downscale_factor):
        return copy(unshuffled(self, downscale_factor))

    def grad_self(grad, downscale_factor):
        return shuffled(grad, downscale_factor)


class ChannelShuffle(Op):
    """Take one channel of each group in turn. self: (N, C, *S) -> (N, C, *S)."""

    images = 1
    node, symbol, types = "ChannelShuffleBackward0", "shuffle", "keep"
    phrase = "the gradient of each channel goes back to where the channel stood"

    def forward(self, *, groups):
        return copy(mixed(self, groups))

    def grad_self(grad, groups):
        return mixed(grad, size(grad)[1] // groups)


class GridSampler2d(Op):
    """Sample images at points. input: (N, C, H, W), grid: (N, OH, OW, 2) -> (N, C, OH, OW)."""

    node, symbol, types = "GridSampler2DBackward0", "sample", "keep"
    wide = True
    phrase_input = (
        "each pixel gets the gradients of the points that read it, times its weight there"
    )
    phrase_grid = "each point gets the gradient times the slope of the image at that point"

    def forward(input, grid, *, interpolation_mode, padding_mode, align_corners):
        n, c, h, w = size(input)
        total = None
        for number, inside, weight, _, _ in corners(
            grid, (h, w), interpolation_mode, padding_mode, align_corners
        ):
            seen = grid_values(input, number, inside)
            seen = seen if weight is None else seen * weight
            total = seen if total is None else total + seen
        return reshape(total, (n, c, *size(grid)[1:3]))

    def grad_input(grad, input, grid, interpolation_mode, padding_mode, align_corners):
        n, c, h, w = size(input)
        grad = reshape(grad, (n, c, size(grid)[1] * size(grid)[2]))
        total = None
        for number, inside, weight, _, _ in corners(
            grid, (h, w), interpolation_mode, padding_mode, align_corners
        ):
            share = grad if weight is None else grad * weight
            back = put_grid_values(share, size(input), number, inside)
            total = back if total is None else total + back
        return total

    def grad_grid(grad, input, grid, interpolation_mode, padding_mode, align_corners):
        n, c, h, w = size(input)
        grad = reshape(grad, (n, c, size(grid)[1] * size(grid)[2]))
        along_x = along_y = None
        for number, inside, weight, slope_x, slope_y in corners(
            grid, (h, w), interpolation_mode, padding_mode, align_corners
        ):
            if weight is None:
                return zeros_like(grid)
            seen = sum(grad * grid_values(input, number, inside), (1,), True)
            along_x = seen * slope_x if along_x is None else along_x + seen * slope_x
            along_y = seen * slope_y if along_y is None else along_y + seen * slope_y
        return reshape(stack((along_x, along_y), 3), size(grid))


class AffineGridGenerator(Op):
    """Return the image of every pixel under an affine map. theta: (N, d, d + 1) -> (N, *S, d)."""

    node, symbol, types = "AffineGridGeneratorBackward0", "grid", "keep"
    phrase = (
        "each entry gets the sum, over all points, of the gradient times the coordinate that the "
        "entry multiplies"
    )

    def forward(theta, *, size, align_corners):
        points = constant(base_grid(size[2:], align_corners, theta), theta)
        return reshape(matmul(points, transpose(theta, 1, 2)), (size[0], *size[2:], len(size) - 2))

    def grad_theta(grad, size, align_corners):
        points = constant(base_grid(size[2:], align_corners, grad), grad)
        rows = reshape(grad, (size[0], len(points), len(size) - 2))
        return matmul(transpose(rows, 1, 2), points)

"""Resize images by the nearest entry, linearly or by cubics; exchange channels and pixels.

Every new entry is a weighted mean of old ones, and the gradient goes back with the same weights.

Read next: primitives/numpy_reading/resizing.py
"""

# pyright: reportSelfClsParameterName=false, reportGeneralTypeIssues=false
from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.elementary import copy, in_order
from graphlab.primitives.numpy_reading.resizing import (
    cubic_means,
    cubic_parts,
    linear_means,
    linear_parts,
    mixed,
    nearest_exact_key,
    nearest_key,
    resample,
    resample_back,
    shuffled,
    unshuffled,
)
from graphlab.primitives.numpy_reading.scatter_gather import put_at, take
from graphlab.primitives.numpy_reading.shapes import size

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


class UpsampleNearest1d(Op):
    """Copy the nearest old entry. self: (N, C, L) -> (N, C, *output_size)."""

    node, symbol, types, phrase = "UpsampleNearest1DBackward0", "resize", "keep", BACK
    hidden = ("factors",)

    def forward(self, *, output_size, factors):
        return take(in_order(self), nearest_key(size(self), output_size, factors))

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


class UpsampleNearestExact1d(Op):
    """Copy the old entry that contains the centre. (N, C, L) -> (N, C, *output_size)."""

    node, symbol, types, phrase = "UpsampleNearestExact1DBackward0", "resize", "keep", BACK
    hidden = ("factors",)

    def forward(self, *, output_size, factors):
        return take(in_order(self), nearest_exact_key(size(self), output_size, factors))

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


class UpsampleLinear1d(Op):
    """Interpolate linearly. self: (N, C, L) -> (N, C, *output_size)."""

    node, symbol, types, phrase = "UpsampleLinear1DBackward0", "resize", "keep", BACK
    wide = True
    hidden = ("factors",)

    def forward(self, *, output_size, align_corners, factors):
        parts = linear_parts(size(self), output_size, align_corners, factors)
        for dim, place, weight in parts:
            self = resample(self, dim, place, weight)
        return self

    def grad_self(grad, self_sym_sizes, output_size, align_corners, factors):
        parts = linear_parts(self_sym_sizes, output_size, align_corners, factors)
        for dim, place, weight in parts:
            grad = resample_back(grad, self_sym_sizes[dim], dim, place, weight)
        return grad

    show_scales = FACTORS[0]


class UpsampleBilinear2d(UpsampleLinear1d):
    """Interpolate linearly in both dimensions. self: (N, C, H, W) -> (N, C, *output_size)."""

    node = "UpsampleBilinear2DBackward0"

    show_scales_h, show_scales_w = FACTORS[:2]


class UpsampleTrilinear3d(UpsampleLinear1d):
    """Interpolate linearly in three dimensions. self: (N, C, D, H, W) -> (N, C, *output_size)."""

    node = "UpsampleTrilinear3DBackward0"

    show_scales_d, show_scales_h, show_scales_w = FACTORS


class UpsampleBicubic2d(Op):
    """Interpolate by cubics. self: (N, C, H, W) -> (N, C, *output_size)."""

    node, symbol, types, phrase = "UpsampleBicubic2DBackward0", "resize", "keep", BACK
    wide = True
    hidden = ("factors",)

    def forward(self, *, output_size, align_corners, factors):
        parts = cubic_parts(size(self), output_size, align_corners, factors)
        for dim, place, weight in parts:
            self = resample(self, dim, place, weight)
        return self

    def grad_self(grad, self_sym_sizes, output_size, align_corners, factors):
        parts = cubic_parts(self_sym_sizes, output_size, align_corners, factors)
        for dim, place, weight in parts:
            grad = resample_back(grad, self_sym_sizes[dim], dim, place, weight)
        return grad

    show_scales_h, show_scales_w = FACTORS[:2]


class UpsampleBilinear2dAa(Op):
    """Average the covered entries with a triangle filter. (N, C, H, W) -> (N, C, OH, OW)."""

    node, symbol, types, phrase = "UpsampleBilinear2DAaBackward0", "resize", "keep", BACK
    wide = True
    hidden = ("factors",)

    def forward(self, *, output_size, align_corners, factors):
        parts = linear_means(size(self), output_size, align_corners, factors)
        for dim, place, weight in parts:
            self = resample(self, dim, place, weight)
        return self

    def grad_self(grad, self_sym_sizes, output_size, align_corners, factors):
        parts = linear_means(self_sym_sizes, output_size, align_corners, factors)
        for dim, place, weight in parts:
            grad = resample_back(grad, self_sym_sizes[dim], dim, place, weight)
        return grad

    show_scales_h, show_scales_w = FACTORS[:2]


class UpsampleBicubic2dAa(Op):
    """Average the covered entries with a cubic filter. (N, C, H, W) -> (N, C, OH, OW)."""

    node, symbol, types, phrase = "UpsampleBicubic2DAaBackward0", "resize", "keep", BACK
    wide = True
    hidden = ("factors",)

    def forward(self, *, output_size, align_corners, factors):
        parts = cubic_means(size(self), output_size, align_corners, factors)
        for dim, place, weight in parts:
            self = resample(self, dim, place, weight)
        return self

    def grad_self(grad, self_sym_sizes, output_size, align_corners, factors):
        parts = cubic_means(self_sym_sizes, output_size, align_corners, factors)
        for dim, place, weight in parts:
            grad = resample_back(grad, self_sym_sizes[dim], dim, place, weight)
        return grad

    show_scales_h, show_scales_w = FACTORS[:2]


class PixelShuffle(Op):
    """Rearrange channels as pixels. self: (*, C·r², H, W) -> (*, C, H·r, W·r)."""

    node, symbol, types = "PixelShuffleBackward0", "shuffle", "keep"
    phrase = "the gradient of each pixel goes back to its channel"

    def forward(self, *, upscale_factor):
        return copy(shuffled(self, upscale_factor))

    def grad_self(grad, upscale_factor):
        return unshuffled(grad, upscale_factor)


class PixelUnshuffle(Op):
    """Rearrange pixels as channels. self: (*, C, H·r, W·r) -> (*, C·r², H, W)."""

    node, symbol, types = "PixelUnshuffleBackward0", "unshuffle", "keep"
    phrase = "the gradient of each channel goes back to its pixels"

    def forward(self, *, downscale_factor):
        return copy(unshuffled(self, downscale_factor))

    def grad_self(grad, downscale_factor):
        return shuffled(grad, downscale_factor)


class ChannelShuffle(Op):
    """Take one channel of each group in turn. self: (N, C, *S) -> (N, C, *S)."""

    node, symbol, types = "ChannelShuffleBackward0", "shuffle", "keep"
    phrase = "the gradient of each channel goes back to where the channel stood"

    def forward(self, *, groups):
        return copy(mixed(self, groups))

    def grad_self(grad, groups):
        return mixed(grad, size(grad)[1] // groups)

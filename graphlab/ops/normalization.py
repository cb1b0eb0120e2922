"""Normalizations: entries minus their mean, divided by their standard deviation.

    x̂ = (x - mean(x)) / √(variance(x) + ε)     ∂/∂x: rstd · (g - mean(g) - x̂ mean(g x̂))

They differ in which entries share a mean: those of a channel in all images (batch norm), of one
sample (layer norm), of a group of channels of one sample (group norm).

Read next: primitives/table.py
"""

from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.elementary import in_order, sqrt
from graphlab.primitives.numpy_reading.reductions import (
    all_but,
    channel_dims,
    last_dims,
    lengths,
    mean_of,
    over_channels,
    rstd_of,
    standardized,
    standardized_back,
    sum,
)
from graphlab.primitives.numpy_reading.scatter_gather import slice_
from graphlab.primitives.numpy_reading.shapes import reshape, size, sum_to


class NativeLayerNorm(Op):
    """Standardize over the last dimensions. input: (*, *S), weight and bias: (*S) -> (*, *S)."""

    node, symbol, types = "NativeLayerNormBackward0", "norm", "keep"
    phrase_input = (
        "(g − mean(g) − x̂ mean(g x̂)) / std, with g = gradient · weight and the normalized input x̂"
    )
    phrase_weight = "the gradient times the normalized input, summed over all rows"
    phrase_bias = "the gradient, summed over all rows"
    wide = True
    also_saved = ("input", "weight", "bias")
    hidden = ("eps",)

    def forward(input, weight, bias, *, normalized_shape, eps):
        dims = last_dims(size(input), normalized_shape)
        out = standardized(in_order(input), dims, eps)
        out = out if weight is None else out * weight
        return out if bias is None else out + bias

    def grad_input(grad, input, weight, normalized_shape, eps):
        dims = last_dims(size(input), normalized_shape)
        grad = grad if weight is None else grad * weight
        return standardized_back(grad, input, dims, eps)

    def grad_weight(grad, input, weight, normalized_shape, eps):
        out = standardized(input, last_dims(size(input), normalized_shape), eps)
        return sum_to(grad * out, size(weight))

    def grad_bias(grad, bias):
        return sum_to(grad, size(bias))

    def show_result1(input, normalized_shape):
        return mean_of(input, last_dims(size(input), normalized_shape))

    def show_result2(input, normalized_shape, eps):
        return rstd_of(input, last_dims(size(input), normalized_shape), eps)


class NativeBatchNorm(Op):
    """Standardize each channel; training: with the mean and variance of this batch.

    input: (N, C, *S), weight, bias, running_mean and running_var: (C,) or None -> (N, C, *S).
    """

    node, symbol, types = "NativeBatchNormBackward0", "norm", "keep"
    phrase_input = (
        "(g − mean(g) − x̂ mean(g x̂)) / std, in evaluation g / std, with g = gradient · weight "
        "and the normalized input x̂"
    )
    phrase_weight = "the gradient times the normalized input, summed over all entries of a channel"
    phrase_bias = "the gradient, summed over all entries of a channel"
    wide = True
    also_saved = ("input", "weight", "running_mean", "running_var")

    def forward(input, weight, bias, running_mean, running_var, *, training, eps):
        input = in_order(input, True)
        if training:
            out = standardized(input, channel_dims(size(input)), eps)
        else:
            rstd = 1 / sqrt(over_channels(running_var, input) + eps)
            out = (input - over_channels(running_mean, input)) * rstd
        out = out if weight is None else out * over_channels(weight, input)
        return out if bias is None else out + over_channels(bias, input)

    def grad_input(grad, input, weight, running_var, training, eps):
        grad = grad if weight is None else grad * over_channels(weight, input)
        if training:
            return standardized_back(grad, input, channel_dims(size(input)), eps)
        return grad * (1 / sqrt(over_channels(running_var, input) + eps))

    def grad_weight(grad, input, running_mean, running_var, training, eps):
        dims = channel_dims(size(input))
        if training:
            return sum(grad * standardized(input, dims, eps), dims)
        rstd = 1 / sqrt(over_channels(running_var, input) + eps)
        return sum(grad * (input - over_channels(running_mean, input)) * rstd, dims)

    def grad_bias(grad):
        return sum(grad, channel_dims(size(grad)))

    def show_result1(input, training):
        mean = reshape(mean_of(input, channel_dims(size(input))), (size(input)[1],))
        return mean if training else slice_(mean, 0, 0, 0, 1)

    def show_result2(input, training, eps):
        rstd = reshape(rstd_of(input, channel_dims(size(input)), eps), (size(input)[1],))
        return rstd if training else slice_(rstd, 0, 0, 0, 1)


class NativeGroupNorm(Op):
    """Standardize each group. input: (N, C, *S), weight and bias: (C,) or None -> same."""

    images = 1
    node, symbol, types = "NativeGroupNormBackward0", "norm", "keep"
    phrase_input = (
        "(g − mean(g) − x̂ mean(g x̂)) / std, with g = gradient · weight and the normalized input x̂"
    )
    phrase_weight = "the gradient times the normalized input, summed over all entries of a channel"
    phrase_bias = "the gradient, summed over all entries of a channel"
    wide = True
    outputs = ("result", "result1", "result2")
    also_saved = ("input", "weight", "result1", "result2")

    def forward(input, weight, bias, *, N, C, HxW, group, eps):
        rows = reshape(in_order(input, True), (N, group, C // group * HxW))
        mean = mean_of(rows, (2,))
        away = rows - mean
        rstd = 1 / sqrt(mean_of(away * away, (2,)) + eps)
        out = reshape(away * rstd, size(input))
        out = out if weight is None else out * over_channels(weight, input)
        out = out if bias is None else out + over_channels(bias, input)
        return out, reshape(mean, (N, group)), reshape(rstd, (N, group))

    def grad_input(grad, input, weight, N, C, HxW, group, eps):
        grad = grad if weight is None else grad * over_channels(weight, input)
        rows = (N, group, C // group * HxW)
        back = standardized_back(reshape(grad, rows), reshape(input, rows), (2,), eps)
        return reshape(back, size(input))

    def grad_weight(grad, input, N, C, HxW, group, eps):
        out = standardized(reshape(input, (N, group, C // group * HxW)), (2,), eps)
        return sum(grad * reshape(out, size(input)), channel_dims(size(input)))

    def grad_bias(grad):
        return sum(grad, channel_dims(size(grad)))


class WeightNormInterface(Op):
    """Give each slice v along `dim` the length g: w = v · g / ‖v‖.

    v: (N, ...), g: (N, 1, ...) -> like v. dim: the first or the last dimension.
    Source: T. Salimans and D. P. Kingma, Weight Normalization, 2016, equation 3.
    """

    node, symbol, types = "WeightNormInterfaceBackward0", "g v/‖v‖", "keep"
    phrase_v = (
        "the part of the gradient that is orthogonal to v, times g/‖v‖: a longer v gives the same "
        "weight"
    )
    phrase_g = "the dot product of the gradient and the direction v/‖v‖"

    def forward(v, g, *, dim):
        return v * (g / lengths(v, dim))

    def grad_v(grad, v, g, dim):
        long = lengths(v, dim)
        along = sum(grad * v, all_but(dim, size(v)), True) / (long * long)
        return (grad - v * along) * (g / long)

    def grad_g(grad, v, dim):
        return sum(grad * v, all_but(dim, size(v)), True) / lengths(v, dim)

    def show_result1(v, dim):
        return lengths(v, dim)

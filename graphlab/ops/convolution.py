"""Windows over an image: convolutions slide a filter over it, poolings reduce each window.

A border around an image, its padding: the gradient of the border returns to its source.

The gradients of a convolution are convolutions again.

    y = convolve(x, w)     ∂/∂x: convolve_transposed(∂y, w)     ∂/∂w: correlate(x, ∂y)

Read next: ops/normalization.py
"""

from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.convolution import (
    add_windows,
    area,
    convolve,
    convolve_transposed,
    correlate,
    transposed_sizes,
    window_places,
    windows,
)
from graphlab.primitives.numpy_reading.elementary import constant, copy
from graphlab.primitives.numpy_reading.pooling import (
    adaptive_parts,
    adaptive_spans,
    add_window_sums,
    constant_pad,
    largest,
    packed_key,
    pick,
    pool_counts,
    pool_places,
    pool_spans,
    put_picked,
    reflected,
    replicated,
    set_picked,
    window_sums,
)
from graphlab.primitives.numpy_reading.reductions import sum
from graphlab.primitives.numpy_reading.resizing import resampled, resampled_back
from graphlab.primitives.numpy_reading.scatter_gather import put_at, take
from graphlab.primitives.numpy_reading.shapes import reshape, size, squeeze, unsqueeze


class Convolution(Op):
    """Apply each filter at each place of the window; transposed: the adjoint operation.

    input: (N, C, *S), weight: (O, C/groups, *K), bias: (O,) or None -> (N, O, *L).
    transposed: input: (N, O, *L), weight: (O, C/groups, *K), bias: (C,) or None -> (N, C, *S).
    """

    images = 2
    node, symbol, types = "ConvolutionBackward0", "∗", "keep"
    phrase_input = (
        "each entry gets the gradients of the outputs that it was used for, each times its "
        "filter entry"
    )
    phrase_weight = (
        "each filter entry gets the gradients of all outputs, each times the input entry that it "
        "met"
    )
    phrase_bias = "each channel's bias gets the sum of the gradients of that channel"
    also_saved = ("bias_sym_sizes_opt", "input", "weight", "output_padding")

    def forward(
        input, weight, bias, *, stride, padding, dilation, transposed, output_padding, groups
    ):
        kernel, sizes = size(weight)[2:], size(input)[2:]
        if transposed:
            made = transposed_sizes(sizes, kernel, stride, padding, dilation, output_padding)
            out = convolve_transposed(input, weight, made, stride, padding, dilation, groups)
        else:
            made = window_places(sizes, kernel, stride, padding, dilation)
            out = convolve(input, weight, made, stride, padding, dilation, groups)
        if bias is None:
            return out
        return out + reshape(bias, (1, *size(bias), *(1,) * len(kernel)))

    def grad_input(grad, input, weight, stride, padding, dilation, transposed, groups):
        return (
            convolve(grad, weight, size(input)[2:], stride, padding, dilation, groups)
            if transposed
            else convolve_transposed(
                grad, weight, size(input)[2:], stride, padding, dilation, groups
            )
        )

    def grad_weight(grad, input, weight, stride, padding, dilation, transposed, groups):
        return (
            correlate(grad, input, size(weight)[2:], stride, padding, dilation, groups)
            if transposed
            else correlate(input, grad, size(weight)[2:], stride, padding, dilation, groups)
        )

    def grad_bias(grad):
        return sum(grad, (0, *range(2, len(size(grad)))))


class Im2col(Op):
    """Return the patch that the window covers at each place, as columns.

    self: (N, C, *S) or (C, *S) -> (N, C·area(kernel_size), L) or (C·area(kernel_size), L).
    """

    node, symbol, types = "Im2ColBackward0", "unfold", "keep"
    phrase = "each entry gets the sum of the gradients of all windows that it lies in"
    also_saved = ("self_sym_argsize_minus_1", "self_sym_argsize_minus_2")
    hidden = ("places", "self_sym_sizes")

    def forward(self, *, kernel_size, dilation, padding, stride, places):
        if len(size(self)) == len(kernel_size) + 2:
            return copy(windows(self, kernel_size, places, stride, padding, dilation), True)
        one = windows(unsqueeze(self, 0), kernel_size, places, stride, padding, dilation)
        return copy(squeeze(one, 0), True)

    def grad_self(grad, self_sym_sizes, kernel_size, dilation, padding, stride, places):
        columns = grad if len(size(grad)) == 3 else unsqueeze(grad, 0)
        sizes = self_sym_sizes[len(self_sym_sizes) - len(kernel_size) :]
        back = add_windows(columns, sizes, kernel_size, places, stride, padding, dilation)
        return reshape(back, self_sym_sizes)


class Col2im(Op):
    """Add columns up at the places of the window: the adjoint of `Im2col`.

    self: (N, C·area(kernel_size), L) or without N -> (N, C, *output_size) or without N.
    """

    node, symbol, types = "Col2ImBackward0", "fold", "keep"
    phrase = "each entry of a window gets the gradient of the place that it was added to"
    hidden = ("places", "self_sym_sizes")

    def forward(self, *, output_size, kernel_size, dilation, padding, stride, places):
        sizes, options = output_size, (kernel_size, places, stride, padding, dilation)
        if len(size(self)) == 3:
            return add_windows(self, sizes, *options)
        return squeeze(add_windows(unsqueeze(self, 0), sizes, *options), 0)

    def grad_self(grad, self_sym_sizes, kernel_size, dilation, padding, stride, places):
        image = grad if len(size(grad)) == len(kernel_size) + 2 else unsqueeze(grad, 0)
        columns = windows(image, kernel_size, places, stride, padding, dilation)
        return reshape(columns, self_sym_sizes)


LARGEST = "the largest entry of each window gets the gradient of that window; the others get 0"
MEAN = "each entry gets an equal share of the gradient of every window that it lies in"


class MaxPool2dWithIndices(Op):
    """Return the largest entry of each window, and its index. self: (*N, H, W) -> (*N, OH, OW)."""

    images = 1
    node, symbol, types, phrase = "MaxPool2DWithIndicesBackward0", "max pool", "keep", LARGEST
    outputs = ("result", "result1")
    also_saved = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")

    def forward(self, *, kernel_size, stride, padding, dilation, ceil_mode):
        image = size(self)[len(size(self)) - len(kernel_size) :]
        stride = stride or kernel_size
        spans = pool_spans(image, kernel_size, stride, padding, dilation, ceil_mode)
        lead = size(self)[: len(size(self)) - len(kernel_size)]
        found = largest(reshape(self, (area(lead), *image)), spans)
        found = reshape(found, (*lead, *size(found)[1:]))
        return pick(self, found, len(kernel_size)), found

    def grad_self(grad, self, result1, kernel_size):
        return put_picked(grad, size(self), result1, len(kernel_size))


class MaxPool3dWithIndices(MaxPool2dWithIndices):
    """Return the largest entry of each window over three dimensions, and its index."""

    node = "MaxPool3DWithIndicesBackward0"


class AdaptiveMaxPool2d(Op):
    """Return the largest entry of each part of the image. (*N, *S) -> (*N, *output_size)."""

    images = 1
    node, symbol, types, phrase = "AdaptiveMaxPool2DBackward0", "max pool", "keep", LARGEST
    outputs = ("result", "result1")
    hidden = ("output_size",)

    def forward(self, *, output_size):
        dims = len(output_size)
        lead, image = size(self)[: len(size(self)) - dims], size(self)[len(size(self)) - dims :]
        spans = tuple(span for span, _ in adaptive_spans(image, output_size))
        found = largest(reshape(self, (area(lead), *image)), spans)
        found = reshape(found, (*lead, *output_size))
        return pick(self, found, dims), found

    def grad_self(grad, self, result1, output_size):
        return put_picked(grad, size(self), result1, len(output_size))


class AdaptiveMaxPool3d(AdaptiveMaxPool2d):
    """Return the largest entry of each part of three dimensions."""

    node, images = "AdaptiveMaxPool3DBackward0", 0


class MaxUnpool2d(Op):
    """Return zeros with the entries at the places of a max pool. (*N, OH, OW) -> (*N, H, W)."""

    images = 1
    node, symbol, types = "MaxUnpool2DBackward0", "unpool", "keep"
    phrase = "each entry gets the gradient of the place that it was put to"
    hidden = ("output_size",)

    def forward(self, indices, *, output_size):
        lead = size(self)[: len(size(self)) - len(output_size)]
        return set_picked(self, (*lead, *output_size), indices, len(output_size))

    def grad_self(grad, indices, output_size):
        return pick(grad, indices, len(output_size))


class MaxUnpool3d(MaxUnpool2d):
    """Return zeros with the entries at the places of a max pool over three dimensions."""

    node, images = "MaxUnpool3DBackward0", 0


class AvgPool2d(Op):
    """Return the mean of each window. self: (*N, H, W) -> (*N, OH, OW)."""

    images = 1
    node, symbol, types, phrase = "AvgPool2DBackward0", "avg pool", "keep", MEAN
    wide = True

    def forward(
        self, *, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    ):
        image = size(self)[len(size(self)) - len(kernel_size) :]
        stride, still = stride or kernel_size, (1,) * len(kernel_size)
        places = pool_places(image, kernel_size, stride, padding, still, ceil_mode)
        sums = window_sums(self, kernel_size, places, stride, padding)
        if divisor_override is not None:
            return sums / divisor_override
        counts = pool_counts(image, kernel_size, places, stride, padding, count_include_pad)
        return sums / constant(counts, self)

    def grad_self(
        grad, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    ):
        dims = len(kernel_size)
        image, places = size(self)[len(size(self)) - dims :], size(grad)[len(size(grad)) - dims :]
        stride = stride or kernel_size
        counts = pool_counts(image, kernel_size, places, stride, padding, count_include_pad)
        share = grad / (constant(counts, grad) if divisor_override is None else divisor_override)
        return add_window_sums(share, size(self), kernel_size, stride, padding)


class AvgPool3d(AvgPool2d):
    """Return the mean of each window over three dimensions."""

    node, images = "AvgPool3DBackward0", 0


class AdaptiveAvgPool2d(Op):
    """Return the mean of each part of the image. (*N, H, W) -> (*N, *output_size)."""

    images = 1
    node, symbol, types, phrase = "AdaptiveAvgPool2DBackward0", "avg pool", "keep", MEAN

    def forward(self, *, output_size):
        return resampled(self, adaptive_parts(size(self), output_size))

    def grad_self(grad, self, output_size):
        return resampled_back(grad, size(self), adaptive_parts(size(self), output_size))

    hidden = ("output_size",)


class AdaptiveAvgPool3d(AdaptiveAvgPool2d):
    """Return the mean of each part of three dimensions."""

    node, images = "AdaptiveAvgPool3DBackward0", 0


BACK = (
    "the gradient without its border; each border entry's gradient is added to the entry that it "
    "copies"
)


class ConstantPadNd(Op):
    """Put a constant border around.

    self: (*S), pad: before and after, from the last dimension on.
    """

    images = 1
    node, symbol, types = "ConstantPadNdBackward0", "pad", "keep"
    phrase = "the gradient without its border"

    def forward(self, *, pad, value=0):
        return constant_pad(self, pad, value)

    def grad_self(grad, pad):
        return constant_pad(grad, tuple(-n for n in pad), 0)


class ReflectionPad1d(Op):
    """Mirror at the edges. self: (*, W), padding: (left, right) -> (*, left + W + right)."""

    images = 1
    node, symbol, types, phrase = "ReflectionPad1DBackward0", "pad", "keep", BACK

    def forward(self, *, padding):
        return take(self, reflected(size(self), padding))

    def grad_self(grad, self, padding):
        return put_at(grad, size(self), reflected(size(self), padding))


class ReflectionPad2d(ReflectionPad1d):
    """Mirror at the edges of the last two dimensions."""

    node = "ReflectionPad2DBackward0"


class ReflectionPad3d(ReflectionPad1d):
    """Mirror at the edges of the last three dimensions."""

    node = "ReflectionPad3DBackward0"


class ReplicationPad1d(Op):
    """Repeat the edges. self: (*, W), padding: (left, right) -> (*, left + W + right)."""

    images = 1
    node, symbol, types, phrase = "ReplicationPad1DBackward0", "pad", "keep", BACK

    def forward(self, *, padding):
        return take(self, replicated(size(self), padding))

    def grad_self(grad, self, padding):
        return put_at(grad, size(self), replicated(size(self), padding))


class ReplicationPad2d(ReplicationPad1d):
    """Repeat the edges of the last two dimensions."""

    node = "ReplicationPad2DBackward0"


class ReplicationPad3d(ReplicationPad1d):
    """Repeat the edges of the last three dimensions."""

    node = "ReplicationPad3DBackward0"


class PackPaddedSequence(Op):
    """Take a padded batch of sequences step by step, without the padding.

    input: (T, B, *) or (B, T, *) -> (sum of batch_sizes, *)
    batch_sizes: (T,), how many sequences reach each step; also result1.
    """

    node, symbol, types = "PackPaddedSequenceBackward0", "pack", "keep"
    phrase = "each entry gets its gradient back; the padding gets 0"
    outputs = ("result", "result1")

    def forward(input, *, batch_sizes, batch_first):
        return take(input, packed_key(batch_sizes, batch_first)), batch_sizes

    def grad_input(grad, input_sym_sizes, result1, batch_first):
        return put_at(grad, input_sym_sizes, packed_key(result1, batch_first))

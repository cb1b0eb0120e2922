"""Convolutions: a filter slides over an image. Their gradients are convolutions again.

    y = convolve(x, w)     ∂/∂x: convolve_transposed(∂y, w)     ∂/∂w: correlate(x, ∂y)

Read next: ops/pooling.py
"""

from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.convolution import (
    add_windows,
    convolve,
    convolve_transposed,
    correlate,
    transposed_sizes,
    window_places,
    windows,
)
from graphlab.primitives.numpy_reading.elementary import copy
from graphlab.primitives.numpy_reading.reductions import sum
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

"""Put a border around an image. The gradient of the border returns to its source.

Read next: primitives/table.py
"""

from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.pooling import (
    constant_pad,
    packed_key,
    reflected,
    replicated,
)
from graphlab.primitives.numpy_reading.scatter_gather import put_at, take
from graphlab.primitives.numpy_reading.shapes import size

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

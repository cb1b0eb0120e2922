"""Samples of convolutions, of windows and of paddings. Read next: ops/convolution.py"""

from __future__ import annotations

from typing import Any

from tests.core.samples.base import Arg, S, Sample

# small: proofs are of at most 64 symbols, inputs and outputs together
ROW, IMAGE = Arg((2, 2, 4)), Arg((1, 2, 3, 3), -1.0, 1.0)
PLANE, SHEET = Arg((1, 1, 4, 4), -1.0, 1.0), Arg((1, 1, 3, 4), -1.0, 1.0)
COLUMNS = Arg((1, 4, 6), -1.0, 1.0)


def conv(name: str, **options: Any) -> Any:
    """A convolution of the library with these options."""
    return lambda t, x, w, *b: getattr(t.nn.functional, name)(x, w, *b, **options)


def F(name: str, *args: Any, **options: Any) -> Any:
    """A function of nn.functional, with these arguments behind the tensor."""
    return lambda t, x: getattr(t.nn.functional, name)(x, *args, **options)


def packed(*arguments: Any) -> Any:
    return lambda t, x: t.nn.utils.rnn.pack_padded_sequence(x, *arguments).data


SAMPLES: list[Sample] = [
    S("convolution", conv("conv1d"), ROW, Arg((3, 2, 2), -1.0, 1.0), Arg((3,))),
    S("convolution", conv("conv2d"), IMAGE, Arg((2, 2, 2, 2)), note="conv2d"),
    S(
        "convolution",
        conv("conv2d", stride=2, padding=1),
        PLANE,
        Arg((2, 1, 3, 2), -1.0, 1.0),
        Arg((2,)),
        note="strided",
    ),
    S(
        "convolution",
        conv("conv2d", dilation=(1, 2), groups=2, padding=(1, 0)),
        IMAGE,
        Arg((4, 1, 2, 2), -1.0, 1.0),
        note="dilated groups",
    ),
    S("convolution", conv("conv1d", padding="same"), ROW, Arg((1, 2, 3)), note="same"),
    S("convolution", conv("conv1d", padding="same"), ROW, Arg((1, 2, 2)), note="same, lopsided"),
    S("convolution", conv("conv3d"), Arg((1, 1, 2, 3, 2)), Arg((1, 1, 2, 2, 1)), note="conv3d"),
    S(
        "convolution",
        conv("conv2d"),
        Arg((0, 2, 3, 3)),
        Arg((1, 2, 2, 2)),
        Arg((1,)),
        note="empty batch",
    ),
    S("convolution", conv("conv_transpose1d"), ROW, Arg((2, 2, 2)), Arg((2,)), note="transposed"),
    S(
        "convolution",
        conv("conv_transpose2d", stride=2, padding=1, output_padding=1, groups=2),
        Arg((1, 2, 2, 2), -1.0, 1.0),
        Arg((2, 1, 3, 2), -1.0, 1.0),
        Arg((2,)),
        note="transposed, strided groups",
    ),
    S(
        "convolution",
        conv("conv_transpose1d", dilation=2, output_padding=1),
        Arg((1, 1, 3)),
        Arg((1, 2, 2)),
        note="transposed, dilated",
    ),
    S("squeeze_dim", conv("conv2d"), Arg((2, 3, 3)), Arg((1, 2, 2, 2)), note="unbatched conv2d"),
    S("im2col", F("unfold", 2), SHEET),
    S("im2col", F("unfold", (1, 2), 2, 1, (2, 3)), SHEET, note="strided"),
    S("im2col", F("unfold", 2), Arg((2, 2, 3)), note="unbatched"),
    S("col2im", F("fold", (3, 4), 2), COLUMNS),
    S("col2im", F("fold", (2, 3), 2), Arg((4, 2)), note="unbatched"),
    S("col2im", F("fold", (2, 2), (1, 2), padding=1, stride=(1, 2)), Arg((2, 2, 8)), note="padded"),
    S("constant_pad_nd", F("pad", (1, 2)), Arg((2, 3))),
    S("pack_padded_sequence", packed([3, 1]), Arg((3, 2, 2))),
    S("pack_padded_sequence", packed([2, 1], True), Arg((2, 3)), note="batch first"),
    S(
        "constant_pad_nd",
        F("pad", (-1, 2, 1, 0), value=2.5),
        Arg((2, 3)),
        note="cropped",
    ),
    S("reflection_pad1d", F("pad", (2, 1), mode="reflect"), Arg((1, 2, 3))),
    S("reflection_pad2d", F("pad", (2, 1, 1, 0), mode="reflect"), SHEET),
    S("reflection_pad3d", F("pad", (1, 0, 0, 1, 1, 1), mode="reflect"), Arg((1, 2, 2, 2))),
    S("replication_pad1d", F("pad", (2, 1), mode="replicate"), Arg((1, 2, 3))),
    S("replication_pad2d", F("pad", (2, -1, 1, 0), mode="replicate"), SHEET),
    S("replication_pad3d", F("pad", (1, 0, 0, 1, 1, 1), mode="replicate"), Arg((1, 2, 2, 2))),
]

EQUIVALENT = {
    ("col2im", "self", "1 in unsqueeze(grad, 0)"): "windows keep channels apart as they do images",
}

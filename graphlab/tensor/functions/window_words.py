"""The words of ops/windows.py for tensors: `windows` and `add_windows` are recorded operations.

Read next: tensor/functions/words.py
"""

from collections.abc import Mapping
from typing import Any

from graphlab.autograd.record import apply
from graphlab.ops import convolution, windows
from graphlab.ops.base import read
from graphlab.tensor.tensor import Tensor

Sizes = tuple[int, ...]


def seen(
    x: Tensor, kernel: Sizes, places: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes
) -> Tensor:
    """What the window covers at each place."""
    return apply(
        convolution.Im2col,
        x,
        kernel_size=kernel,
        dilation=dilation,
        padding=padding,
        stride=stride,
        places=places,
    )


def add_seen(
    columns: Tensor,
    sizes: Sizes,
    kernel: Sizes,
    places: Sizes,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
) -> Tensor:
    """The columns added up where the window was."""
    return apply(
        convolution.Col2im,
        columns,
        output_size=sizes,
        kernel_size=kernel,
        dilation=dilation,
        padding=padding,
        stride=stride,
        places=places,
    )


def window_words(words: Mapping[str, Any]) -> dict[str, Any]:
    """The words, read against those that tensors have already."""
    found: dict[str, Any] = {name: getattr(windows, name) for name in windows.WORDS}
    found |= {"windows": seen, "add_windows": add_seen}
    known = {**words, **found}
    found |= {name: read(getattr(windows, name), known) for name in windows.COMPOSED}
    return found

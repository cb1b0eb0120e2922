"""Padding: `F.pad(x, (1, 1), mode="reflect")` adds entries at both ends of dimensions.

Read next: ops/padding.py
"""

from collections.abc import Sequence

from graphlab.autograd.record import apply
from graphlab.common.dtypes import number_as, too_large
from graphlab.common.errors import ShapeError
from graphlab.ops import padding as p
from graphlab.ops.indexing import Slice
from graphlab.tensor.creation import empty
from graphlab.tensor.functions.checks import need_ints, need_tensor
from graphlab.tensor.tensor import Tensor

MIRRORS = {
    "reflect": (p.ReflectionPad1d, p.ReflectionPad2d, p.ReflectionPad3d),
    "replicate": (p.ReplicationPad1d, p.ReplicationPad2d, p.ReplicationPad3d),
}


def pad(
    input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None
) -> Tensor:
    """Return the input with entries added at both ends of its last dimensions.

    input: (...); except for "constant", the padded dimensions are all 1 to 3 after (N, C) or (C,)
    pad: (left, right, top, bottom, ...), the widths at both ends, of the last dimension first; a
        negative one removes entries
    mode: "constant", "reflect" (the mirror image), "replicate" (the entry at the edge) or
        "circular" (the opposite edge)
    value: float, the constant; 0 by default
    Returns: the shape of the input, with the widths added.
    Raises: RuntimeError or NotImplementedError for widths that do not fit.

    >>> pad(torch.tensor([[[1.0, 2.0, 3.0]]]), (2, 1), mode="reflect")
    tensor([[[3., 2., 1., 2., 3., 2.]]])
    """
    need_tensor("pad", "input", 1, input)
    widths = need_ints("pad", "pad", 2, pad)
    if len(widths) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(widths) > 2 * input.ndim:
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got "
            f"padding length {len(widths)} and input of dimension {input.ndim}"
        )
    if mode == "constant":
        return constant_pad(input, widths, 0 if value is None else value)
    if value is not None and value != 0:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if mode not in (*MIRRORS, "circular"):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    dims = len(widths) // 2
    if dims not in (1, 2, 3) or input.ndim not in (dims + 1, dims + 2):
        raise NotImplementedError(
            f"Padding size {len(widths)} is not supported for {input.ndim}D input tensor."
        )
    if mode == "circular":
        return circular(input, widths)
    check_border(input, widths, mode)
    return apply(MIRRORS[mode][dims - 1], input, padding=widths)


def constant_pad(input: Tensor, widths: tuple[int, ...], value: float) -> Tensor:
    """Return the input with a number added. Raises: ShapeError if too many entries are removed."""
    for d in range(len(widths) // 2):
        n, before, after = input.shape[-1 - d], widths[2 * d], widths[2 * d + 1]
        if n + min(before, 0) + min(after, 0) < 0:
            raise ShapeError("narrow(): length must be non-negative.")
        if n + before + after < 0:
            dim = input.ndim - 1 - d
            raise ShapeError(
                f"The input size {n}, plus negative padding {before} and {after} resulted in a "
                f"negative output size, which is invalid. Check dimension {dim} of your input."
            )
    kind = input._data.dtype
    held = number_as(value, kind)
    if kind.kind == "u" and value < 0:
        raise too_large(value, kind)
    if kind.kind in "iu":
        value = int(held)
    return apply(p.ConstantPadNd, input, pad=widths, value=value)


def check_border(input: Tensor, widths: tuple[int, ...], mode: str) -> None:
    """Raise ShapeError if the input is too small for the widths."""
    names = "WHD"
    for d in range(len(widths) // 2):
        n, pair = input.shape[-1 - d], widths[2 * d : 2 * d + 2]
        if mode == "reflect" and max(pair) >= n:
            argument = (4, 4, 8)[len(widths) // 2 - 1] if d == 0 else 6 if d == 1 else 4
            raise ShapeError(
                f"Argument #{argument}: Padding size should be less than the corresponding input "
                f"dimension, but got: padding {pair} at dimension {input.ndim - 1 - d} of input "
                f"{list(input.shape)}"
            )
        if n + sum(pair) < 1:
            raise ShapeError(
                f"input ({names[d]}: {n}) is too small. Calculated output {names[d]}: "
                f"{n + sum(pair)}"
            )


def circular(input: Tensor, widths: tuple[int, ...]) -> Tensor:
    """Return the input with entries of the opposite edge added in each dimension.

    Raises: ShapeError if a width is larger than its dimension.
    """
    dims = len(widths) // 2
    sizes, lead = list(input.shape), input.ndim - dims
    pairs = [widths[2 * (dims - 1 - d) : 2 * (dims - d)] for d in range(dims)]  # of each dimension
    for d, (before, after) in enumerate(pairs):
        n = input.shape[lead + d]
        if max(before, after) > n:
            raise ShapeError("Padding value causes wrapping around more than once.")
        if n + before + after < 0:
            raise ShapeError("Negative padding value is resulting in an empty dimension")
        sizes[lead + d] = n + before + after
    out = empty(sizes, dtype=input.dtype)
    inner, kept = out, input
    for d, (before, after) in reversed([*enumerate(pairs)]):
        n, m = input.shape[lead + d], sizes[lead + d]
        inner = part(inner, lead + d, max(before, 0), m - max(after, 0))
        kept = part(kept, lead + d, max(-before, 0), n - max(-after, 0))
    inner.copy_(kept)
    for d, (before, after) in reversed([*enumerate(pairs)]):
        m, first = sizes[lead + d], max(before, 0)
        last = m - max(after, 0)
        if before > 0:
            part(out, lead + d, 0, before).copy_(part(out, lead + d, last - before, last))
        if after > 0:
            part(out, lead + d, last, m).copy_(part(out, lead + d, first, first + after))
    return out


def part(x: Tensor, dim: int, start: int, end: int) -> Tensor:
    """Return the view of the entries from `start` up to `end` along `dim`."""
    return apply(Slice, x, dim=dim, start=start, end=end, step=1)

"""Padding: `F.pad(x, (1, 1), mode="reflect")` adds a border.

Read next: ops/padding.py
"""

from collections.abc import Sequence

from graphlab.autograd.record import apply
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
    """Add a border around the last dimensions, or cut one off where a width is negative.

    input: (...); for another mode than "constant": 1 to 3 padded dimensions after (N, C) or (C,)
    pad: (left, right, top, bottom, ...), two ints for each dimension, from the last one on
    mode: "constant", "reflect" (mirror at the edge), "replicate" (repeat the edge) or "circular"
    value: float, the constant; 0 by default
    Returns: the shape of the input, with the widths added.
    Raises: RuntimeError or NotImplementedError where the widths do not fit.

    >>> import graphlab as torch
    >>> pad(torch.tensor([[[1.0, 2.0, 3.0]]]), (2, 1), mode="reflect")
    tensor([[[3., 2., 1., 2., 3., 2.]]])
    """
    need_tensor("pad", "input", 1, input)
    need_ints("pad", "pad", 2, pad)
    widths = tuple(int(n) for n in pad)
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
    """Add a border of one number. Raises: ShapeError where more is cut off than there is."""
    for d in range(len(widths) // 2):
        n, before, behind = input.shape[-1 - d], widths[2 * d], widths[2 * d + 1]
        if n + min(before, 0) + min(behind, 0) < 0:
            raise ShapeError("narrow(): length must be non-negative.")
        if n + before + behind < 0:
            dim = input.ndim - 1 - d
            raise ShapeError(
                f"The input size {n}, plus negative padding {before} and {behind} resulted in a "
                f"negative output size, which is invalid. Check dimension {dim} of your input."
            )
    if input._data.dtype.kind in "iu":
        value = int(value)
    return apply(p.ConstantPadNd, input, pad=widths, value=value)


def check_border(input: Tensor, widths: tuple[int, ...], mode: str) -> None:
    """Raise ShapeError where the image is too small for the border."""
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
    """Add a border that continues at the opposite edge, dimension by dimension."""
    dims = len(widths) // 2
    sizes, lead = list(input.shape), input.ndim - dims
    pairs = [widths[2 * (dims - 1 - d) : 2 * (dims - d)] for d in range(dims)]  # of each dimension
    for d, (before, behind) in enumerate(pairs):
        n = input.shape[lead + d]
        if max(before, behind) > n:
            raise ShapeError("Padding value causes wrapping around more than once.")
        if n + before + behind < 0:
            raise ShapeError("Negative padding value is resulting in an empty dimension")
        sizes[lead + d] = n + before + behind
    out = empty(sizes, dtype=input.dtype)
    inner, kept = out, input
    for d, (before, behind) in reversed([*enumerate(pairs)]):
        n, m = input.shape[lead + d], sizes[lead + d]
        inner = part(inner, lead + d, max(before, 0), m - max(behind, 0))
        kept = part(kept, lead + d, max(-before, 0), n - max(-behind, 0))
    inner.copy_(kept)
    for d, (before, behind) in reversed([*enumerate(pairs)]):
        m, first = sizes[lead + d], max(before, 0)
        last = m - max(behind, 0)
        if before > 0:
            part(out, lead + d, 0, before).copy_(part(out, lead + d, last - before, last))
        if behind > 0:
            part(out, lead + d, last, m).copy_(part(out, lead + d, first, first + behind))
    return out


def part(x: Tensor, dim: int, start: int, end: int) -> Tensor:
    """Return the view of a range along `dim`."""
    return apply(Slice, x, dim=dim, start=start, end=end, step=1)

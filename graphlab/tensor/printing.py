"""Print a tensor digit for digit as PyTorch does.

All entries of a tensor share one format: integers with a point, four decimals, or scientific when
they span more than three orders of magnitude.

Source: PyTorch, torch/_tensor_str.py.

Read next: tensor/creation.py
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from graphlab.common.dtypes import bool_, get_default_dtype, int64
from graphlab.common.public import public
from graphlab.tensor.tensor import Tensor


@dataclass(frozen=True, slots=True)
class PrintOptions:
    """How tensors are printed; `set_printoptions` explains the fields."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


_options = [PrintOptions()]
_PROFILES = {
    "default": PrintOptions(),
    "short": PrintOptions(precision=2, edgeitems=2),
    "full": PrintOptions(threshold=math.inf),
}


@public()
def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Set how tensors are printed from now on; options that are None stay as they are.

    precision: digits after the point. threshold: the number of entries from which on the middle is
    left out. edgeitems: entries shown at each end. linewidth: characters per line.
    profile: "default", "short" or "full". sci_mode: scientific notation; None lets the tensor
    decide.

    >>> torch.set_printoptions(precision=2)
    >>> torch.tensor(torch.pi)
    tensor(3.14)
    >>> torch.set_printoptions(profile="default")
    """
    if profile is not None:
        if profile not in _PROFILES:
            raise ValueError(f"unknown profile {profile!r} (must be one of {sorted(_PROFILES)})")
        _options[0] = _PROFILES[profile]
    given = {
        "precision": precision,
        "threshold": threshold,
        "edgeitems": edgeitems,
        "linewidth": linewidth,
    }
    changed: dict[str, Any] = {k: v for k, v in given.items() if v is not None}
    _options[0] = replace(_options[0], **changed, sci_mode=sci_mode)


class Format:
    """The common format of all entries: their width, and whether it is integer or scientific."""

    def __init__(self, data: np.ndarray, options: PrintOptions) -> None:
        self.options = options
        self.floating = data.dtype.kind == "f"
        self.integers = True
        self.scientific = False
        self.width = 1
        entries = data.reshape(-1)
        if not self.floating:
            self.width = max([1, *(len(str(x)) for x in entries.tolist())])
            return
        finite = entries[np.isfinite(entries) & (entries != 0)].astype(np.float64)
        if not finite.size:
            return
        smallest, largest = np.abs(finite).min(), np.abs(finite).max()
        self.integers = bool((finite == np.ceil(finite)).all())
        wide = largest / smallest > 1000.0 or largest > 1.0e8
        if options.sci_mode is None:
            self.scientific = wide or (smallest < 1.0e-4 and not self.integers)
        else:
            self.scientific = options.sci_mode
        texts = [self._plain(x) for x in finite.tolist()]
        self.width = max(1, *(len(text) for text in texts)) if texts else 1

    def _plain(self, x: float) -> str:
        if self.scientific:
            return f"{x:.{self.options.precision}e}"
        if self.integers:
            return f"{x:.0f}" + ("." if math.isfinite(x) else "")
        return f"{x:.{self.options.precision}f}"

    def __call__(self, x: Any) -> str:
        text = self._plain(x) if self.floating else str(x)
        return text.rjust(self.width)


def tensor_text(tensor: Tensor) -> str:
    """Return what `repr` and `print` show.

    >>> import graphlab as torch
    >>> torch.tensor([1.0, 2.5], requires_grad=True)
    tensor([1.0000, 2.5000], requires_grad=True)
    """
    options = _options[0]
    data = np.asarray(tensor._data)
    made_here = type(tensor).__module__.startswith("graphlab.")
    prefix = "tensor(" if made_here else type(tensor).__name__ + "("  # the user's own class
    suffixes = []
    kind = tensor.dtype
    usual = kind in (get_default_dtype(), int64, bool_)
    if data.size == 0:
        body = "[]"
        if data.ndim != 1:
            suffixes.append(f"size={tuple(data.shape)}")
        if kind is not get_default_dtype():
            suffixes.append(f"dtype={kind}")
    else:
        if not options.edgeitems:
            suffixes.append(f"size={tuple(data.shape)}")
        if not usual:
            suffixes.append(f"dtype={kind}")
        shorten = data.size > options.threshold
        shown = edges(data, options.edgeitems) if shorten else data
        body = nested(data, len(prefix), shorten, Format(shown, options), options)
    name = grad_fn_name(tensor)
    if name is not None:
        suffixes.append(f"grad_fn=<{name}>")
    elif tensor._needs:
        suffixes.append("requires_grad=True")
    return add_suffixes(prefix + body, suffixes, len(prefix), options.linewidth)


def grad_fn_name(tensor: Tensor) -> str | None:
    """Return the name of the node that made a tensor; "Invalid" for a view that may not change."""
    try:
        node = tensor.grad_fn
    except RuntimeError:
        return "Invalid"
    return None if node is None else node.name().rsplit("::")[-1]


def edges(data: np.ndarray, n: int) -> np.ndarray:
    """Return the corners that a shortened tensor shows; they alone decide the format."""
    for axis, size in enumerate(data.shape):
        if size > 2 * n:
            data = np.take(data, [*range(n), *range(size - n, size)], axis=axis)
    return data


def nested(
    data: np.ndarray, indent: int, shorten: bool, show: Format, options: PrintOptions
) -> str:
    """Return the entries in brackets, one level of brackets per dimension."""
    if data.ndim == 0:
        return show(data.item())
    cut = shorten and len(data) > 2 * options.edgeitems
    n = options.edgeitems
    if data.ndim == 1:
        if cut and n:
            texts = [*map(show, data[:n].tolist()), " ...", *map(show, data[-n:].tolist())]
        else:
            texts = ["..."] if cut else [show(x) for x in data.tolist()]
        per_line = max(1, math.floor((options.linewidth - indent) / (show.width + 2)))
        lines = [texts[i : i + per_line] for i in range(0, len(texts), per_line)]
        return "[" + (",\n" + " " * (indent + 1)).join(", ".join(line) for line in lines) + "]"
    below = [nested(data[i], indent + 1, shorten, show, options) for i in shown_rows(data, cut, n)]
    if cut:
        below.insert(n, "...")
    between = "," + "\n" * (data.ndim - 1) + " " * (indent + 1)
    return "[" + between.join(below) + "]"


def shown_rows(data: np.ndarray, cut: bool, n: int) -> list[int]:
    """Return the indices of the rows that are shown."""
    size = len(data)
    return [*range(n), *range(size - n, size)] if cut else list(range(size))


def add_suffixes(text: str, suffixes: list[str], indent: int, linewidth: int) -> str:
    """Append `, suffix` for each, on a new line if the last one is full; close the bracket."""
    length = len(text) - text.rfind("\n") + 1
    parts = [text]
    for suffix in suffixes:
        if length + len(suffix) + 2 > linewidth:
            parts.append(",\n" + " " * indent + suffix)
            length = indent + len(suffix)
        else:
            parts.append(", " + suffix)
            length += len(suffix) + 2
    return "".join(parts) + ")"

"""A histogram of each gradient's entries: a row of shades for each parameter.

Read next: faces/plots/surface.py
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from graphlab.common.errors import described
from graphlab.faces.plots.canvas import fading, prepared, told
from graphlab.graph.array_sample import quick_sample, sample
from graphlab.graph.events import LeafWritten
from graphlab.graph.events.event import in_words
from graphlab.graph.series import number_of
from graphlab.graph.timeline import Timeline
from graphlab.graph.value import summarise

MOST_LAYERS = 24  # the most parameters that have a row
EXAMPLE = '{"w": w.grad}'


@dataclass(frozen=True, slots=True)
class Gradient:
    """What is known about a gradient."""

    sizes: np.ndarray  # log10 of the absolute values of known entries that are finite and not 0
    known: int  # number of entries that are known
    zeros: int  # number of known entries that are 0
    bad: int  # number of entries that are NaN or inf
    count: int  # number of entries; a trace knows only some of a large array's

    @property
    def note(self) -> str:
        """What the shades of its row do not show; "" if they show every entry."""
        if not self.count:
            return "no entries"
        if self.zeros == self.count:
            return "all 0"
        notes = [f"0 in {self.zeros:,} of {self.known:,}"] if self.zeros else []
        return ", ".join([*notes, *([f"{self.bad:,} NaN or inf"] if self.bad else [])])


def gradient_histograms(module: Any, ax: Any = None, theme: str | None = None) -> Any:
    """Draw a histogram of the absolute values in each parameter's gradient, on a log axis.

    Each parameter has a row, the first layer's at the top; a darker shade means more entries of
    that size. If gradients vanish or explode, the dark band moves sideways from row to row.

    module: a GraphLab or PyTorch module after a backward pass; a Timeline, whose leaves have the
    gradients that were written last; or a dict of names to gradients. ax, theme: as for
    saved_memory.
    Returns: the Axes. Raises: TypeError for anything else; ValueError if there is no gradient.

    >>> import graphlab
    >>> axes = graphlab.plots.gradient_histograms({"w": graphlab.tensor([1.0, -10.0, 0.0])})
    >>> axes.graphlab_text
    'The median absolute value in the gradient of w is 10^0.5. Some entries are 0: 1 of 3 in w.'
    """
    found = gradients_of(module)
    shown = thinned(found)
    every = np.concatenate([one.sizes for one in shown.values() if one.sizes.size] or [np.zeros(1)])
    low, high = math.floor(every.min()), math.ceil(every.max())
    edges = np.linspace(low, max(high, low + 1), 41)
    counts = [np.histogram(one.sizes, edges)[0] for one in shown.values()]
    shares = np.array([row / max(row.max(), 1) for row in counts])
    axes, colours = prepared(ax, theme)
    rows = np.arange(len(shown) + 1)
    axes.pcolormesh(edges, rows, shares, cmap=fading(colours.gradient), vmin=0, vmax=1)
    for row in rows[1:-1]:
        axes.axhline(row, color=colours.muted, linewidth=0.3)
    axes.set_yticks(rows[:-1] + 0.5, list(shown), parse_math=False)
    axes.invert_yaxis()
    axes.set(xlabel="absolute value of a gradient's entry, as a power of ten")
    beside = {"transform": axes.get_yaxis_transform(), "va": "center", "fontsize": 8}
    for row, one in enumerate(shown.values()):
        if one.note:
            axes.text(1.01, row + 0.5, one.note, color=colours.ink, parse_math=False, **beside)
    return told(axes, "Gradients by layer", sizes_in_words(found))


def sizes_in_words(found: dict[str, Gradient]) -> str:
    """Say what the histograms show, in sentences."""
    medians = {name: float(np.median(one.sizes)) for name, one in found.items() if one.sizes.size}
    said = []
    if medians:
        first, last = next(iter(medians)), list(medians)[-1]
        median = f"The median absolute value in the gradient of {first} is 10^{medians[first]:.1f}"
        other = f", in that of {last} 10^{medians[last]:.1f}" if first != last else ""
        said.append(f"{median}{other}.")
    every = found.items()
    empty = [name for name, one in every if not one.count]
    zeros = [name for name, one in every if 0 < one.zeros == one.count]
    some = [f"{g.zeros:,} of {g.known:,} in {name}" for name, g in every if 0 < g.zeros < g.count]
    bad = [name for name, one in every if one.bad]
    parts = [f"{g.known:,} of {g.count:,} of {name}" for name, g in every if g.known < g.count]
    for names, sentence in (
        (zeros, f"All entries are 0 in {in_words(zeros)}."),
        (some, f"Some entries are 0: {in_words(some)}."),
        (bad, f"NaN or inf occurs in {in_words(bad)}."),
        (empty, f"There are no entries in {in_words(empty)}."),
        (parts, f"The recording holds only some entries: {in_words(parts)}."),
    ):
        said += [sentence] if names else []
    if len(found) > MOST_LAYERS:
        said.append(f"{MOST_LAYERS} of {len(found)} gradients are shown.")
    return " ".join(said)


def thinned(found: dict[str, Gradient]) -> dict[str, Gradient]:
    """Return at most 24 of the gradients, evenly spaced, with the first and the last."""
    if len(found) <= MOST_LAYERS:
        return found
    names = list(found)
    places = np.unique(np.linspace(0, len(names) - 1, MOST_LAYERS).round().astype(int))
    return {names[place]: found[names[place]] for place in places}


# -- where gradients come from -----------------------------------------------------------------


def gradients_of(thing: Any) -> dict[str, Gradient]:
    """Return the gradients in a module, Timeline or dict. Raises: TypeError, ValueError."""
    if isinstance(thing, Timeline):
        return gradients_recorded(thing)
    if isinstance(thing, dict):
        pairs = list(thing.items())
    elif hasattr(thing, "named_parameters"):
        pairs = [(name, one.grad) for name, one in thing.named_parameters()]
    else:
        raise TypeError(
            "gradient_histograms(module) takes a module, a Timeline or a dict of gradients such as "
            f"{EXAMPLE}, got {described(thing)}"
        )
    found = {str(name): measured(array_of(grad, name)) for name, grad in pairs if grad is not None}
    if not found:
        raise ValueError("no parameter has a gradient yet; call backward() first")
    return found


def gradients_recorded(timeline: Timeline) -> dict[str, Gradient]:
    """Return the last gradient of each leaf of a recording. Raises: ValueError.

    A trace has all entries of a small array, and a corner of a large one. While the tensor exists
    and still has that gradient, all its entries are read from there.
    """
    written = {event.tensor: event for event in timeline.events if isinstance(event, LeafWritten)}
    if not written:
        raise ValueError(
            "no leaf of this Timeline got a gradient; record a block that calls backward()"
        )
    order = [tensor.id for tensor in timeline.graph.tensors if tensor.id in written]
    return {written[id].name: last_gradient(timeline, written[id]) for id in order}


def last_gradient(timeline: Timeline, event: LeafWritten) -> Gradient:
    """Return the gradient that an event wrote."""
    value = event.after
    if value.kept:
        live = timeline.live.get(f"{event.tensor}.grad")
        array = None if live is None else live()
        if isinstance(array, np.ndarray) and is_that(array, event):
            return measured(array)
    known = np.array([number_of(text) for text in value.texts if math.prod(value.shape)])
    found = measured(known)
    counts = value.statistics
    bad = counts.nan + counts.pos_inf + counts.neg_inf if counts else found.bad
    return replace(found, count=math.prod(value.shape), bad=bad)


def is_that(array: np.ndarray, event: LeafWritten) -> bool:
    """Return whether an array has the corner, and the norm or statistics, that an event wrote."""
    seen, value = sample(array), event.after
    now = summarise(seen)
    if (now.shape, now.dtype, now.entries) != (value.shape, value.dtype, value.entries):
        return False
    if value.norm:
        return summarise(quick_sample(array)).norm == value.norm
    return now.statistics == value.statistics


def measured(array: np.ndarray) -> Gradient:
    """Return what the plot needs to know about an array of numbers."""
    flat = np.abs(array).reshape(-1)
    finite = np.isfinite(flat)
    zeros, bad = int((flat == 0).sum()), int(flat.size - finite.sum())
    return Gradient(np.log10(flat[(flat > 0) & finite]), flat.size, zeros, bad, flat.size)


def array_of(grad: Any, name: Any) -> np.ndarray:
    """Return a gradient of either library as an array of numbers. Raises: TypeError."""
    tensor = grad.detach() if hasattr(grad, "detach") else grad
    if "bfloat16" in str(getattr(tensor, "dtype", "")):  # NumPy has no such type
        tensor = tensor.float()
    try:
        array = np.asarray(tensor.numpy(force=True) if hasattr(tensor, "numpy") else tensor)
    except (TypeError, ValueError, RuntimeError) as error:
        raise TypeError(not_numbers(grad, name)) from error
    if array.dtype.kind not in "biufc":
        raise TypeError(not_numbers(grad, name))
    return array if array.dtype.kind in "fc" else array.astype(float)


def not_numbers(grad: Any, name: Any) -> str:
    """Return the error for a gradient that is not an array of numbers."""
    return (
        f"the gradient of {name} must be a tensor or an array of numbers, got {described(grad)}; "
        f"pass a module, a Timeline or a dict such as {EXAMPLE}"
    )

"""Plots where looking beats reading: memory over a pass, gradients by layer, a loss surface.

They are drawn with matplotlib, which is asked for only when one is drawn. Each returns the Axes,
with one sentence about what it shows in `axes.graphlab_text`, for a caption or a screen reader.

Read next: docs/plots.md
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphlab.faces.render.theme import THEMES
from graphlab.graph.timeline import Timeline

__all__ = ["gradient_histograms", "loss_surface", "saved_memory"]

MOST_LAYERS = 24  # parameters that are told apart
GRID = 41  # points of a loss surface along each axis
ARROWS = 9  # arrows along each axis


def saved_memory(timeline: Timeline, ax: Any = None, theme: str = "light") -> Any:
    """Draw the bytes that saved tensors hold, event by event.

    timeline: of a pass; with `forward=True` it shows how they pile up first. ax: matplotlib's Axes,
    default new ones. theme: "light" or "dark".
    Returns: the Axes. Raises: TypeError, ValueError for what is no walk; ImportError without
    matplotlib.

    >>> import graphlab
    >>> x = graphlab.ones(100, requires_grad=True)
    >>> timeline = graphlab.trace(graphlab.exp(x * x).sum(), forward=True)
    >>> bytes_over(timeline)[-1], max(bytes_over(timeline))
    (0, 1200)
    """
    held = bytes_over(timeline)
    axes, colours = prepared(ax, theme)
    axes.step(range(len(held)), held, where="post", color=colours.forward, linewidth=2)
    axes.fill_between(range(len(held)), held, step="post", color=colours.forward, alpha=0.2)
    peak = max(held)
    place = held.index(peak)
    axes.axvline(place, color=colours.gradient, linestyle=":")
    axes.set(xlabel="event", ylabel="bytes held by saved tensors", ylim=(0, max(peak * 1.08, 1)))
    text = (
        f"Saved tensors hold {peak:,} bytes at most, at event {place}, and {held[-1]:,} at the end."
    )
    return told(axes, f"Saved tensors of {timeline.title}", text)


def bytes_over(timeline: Timeline) -> list[int]:
    """The bytes that are held after each event. Raises: TypeError, ValueError."""
    if not isinstance(timeline, Timeline):
        raise TypeError(f"saved_memory(timeline) takes a Timeline, got {type(timeline).__name__}")
    if not len(timeline):
        raise ValueError("nothing was recorded in this Timeline: no backward pass ran in the block")
    return [int(timeline.state_at(k)["held"]) for k in range(len(timeline))]


def gradient_histograms(module: Any, ax: Any = None, theme: str = "light") -> Any:
    """Draw how large the entries of each parameter's gradient are, layer by layer, on a log axis.

    A row for each parameter, the first layer at the top; the darker, the more entries of that
    size. A gradient that vanishes or explodes is a band that wanders to one side.

    module: a module of GraphLab's or of PyTorch's after a backward pass, or a dict of names to
    gradients. ax, theme: as for saved_memory.
    Returns: the Axes. Raises: TypeError for anything else; ValueError if there is no gradient.

    >>> sizes_of({"w": np.array([1.0, -10.0, 0.0])})["w"]
    array([0., 1.])
    """
    sizes = sizes_of(module)
    every = np.concatenate([row for row in sizes.values() if row.size] or [np.zeros(1)])
    low, high = math.floor(every.min()), math.ceil(every.max())
    edges = np.linspace(low, max(high, low + 1), 41)
    names = list(sizes)
    counts = [np.histogram(row, edges)[0] for row in sizes.values()]
    shares = [row / max(row.max(), 1) for row in counts]
    axes, colours = prepared(ax, theme)
    from matplotlib.colors import LinearSegmentedColormap

    shades = LinearSegmentedColormap.from_list("gradient", [colours.paper, colours.gradient])
    axes.pcolormesh(edges, np.arange(len(names) + 1), np.array(shares), cmap=shades)
    axes.set_yticks(np.arange(len(names)) + 0.5, names)
    axes.invert_yaxis()
    axes.set(xlabel="size of an entry of the gradient, as a power of ten")
    return told(axes, "Gradients by layer", sizes_in_words(sizes, troubled(module)))


def sizes_in_words(sizes: dict[str, np.ndarray], bad: Sequence[str]) -> str:
    """What the histograms show, in sentences. bad: the names of gradients with NaN or inf."""
    middles = {name: float(np.median(row)) for name, row in sizes.items() if row.size}
    said = []
    if middles:
        first, last = next(iter(middles)), list(middles)[-1]
        said.append(
            f"The middle entry of the gradient of {first} has the size 10^{middles[first]:.1f}, "
            f"that of {last} 10^{middles[last]:.1f}."
        )
    zeros = [name for name, row in sizes.items() if not row.size and name not in bad]
    if zeros:
        said.append(f"All entries are 0 in {', '.join(zeros)}.")
    if bad:
        said.append(f"NaN or inf stands in {', '.join(bad)}.")
    return " ".join(said)


def gradients_of(module: Any) -> dict[str, np.ndarray]:
    """The gradients of a module by name. Raises: TypeError, ValueError."""
    if isinstance(module, dict):
        pairs = list(module.items())
    elif hasattr(module, "named_parameters"):
        pairs = [(name, one.grad) for name, one in module.named_parameters()]
    else:
        raise TypeError(
            "gradient_histograms(module) takes a module or a dict of gradients, got "
            f"{type(module).__name__}"
        )
    found = {name: np.asarray(array_of(grad), float) for name, grad in pairs if grad is not None}
    if not found:
        raise ValueError("no parameter has a gradient yet; call backward() first")
    return found


def troubled(module: Any) -> list[str]:
    """The names of gradients that hold NaN or inf."""
    return [name for name, grad in gradients_of(module).items() if not np.isfinite(grad).all()]


def sizes_of(module: Any) -> dict[str, np.ndarray]:
    """log10 of the entries of each gradient that are finite and not 0, of at most 24 of them."""
    found = gradients_of(module)
    names = list(found)
    if len(names) > MOST_LAYERS:  # the first, the last, and as many between
        places = np.unique(np.linspace(0, len(names) - 1, MOST_LAYERS).round().astype(int))
        names = [names[place] for place in places]
    flat = {name: np.abs(found[name]).reshape(-1) for name in names}
    return {name: np.log10(row[(row > 0) & np.isfinite(row)]) for name, row in flat.items()}


def array_of(tensor: Any) -> Any:
    """A tensor of either library as an array."""
    return tensor.detach().numpy() if hasattr(tensor, "detach") else tensor


def loss_surface(
    loss: Callable[[float, float], Any],
    path: Sequence[tuple[float, float]],
    ax: Any = None,
    theme: str = "light",
    names: tuple[str, str] = ("w", "b"),
) -> Any:
    """Draw a loss over two numbers as a map, with the path that an optimizer took over it.

    loss: gives the loss at two floats, as a number or a tensor of one entry. path: the points
    that were visited, in order, at least one. names: of the two numbers. ax, theme: as for
    saved_memory.
    Returns: the Axes. Raises: ValueError for a path that is none; TypeError if the loss is no
    single number. Where the loss is not finite, the map has a hole.

    >>> xs, ys, values = surface_of(lambda w, b: w * w + b * b, [(0.0, 1.0), (1.0, 0.0)])
    >>> values.shape == (ys.size, xs.size), float(xs[0]) < 0 < float(xs[-1])
    (True, True)
    """
    xs, ys, values = surface_of(loss, path)
    axes, colours = prepared(ax, theme)
    from matplotlib.colors import LinearSegmentedColormap

    shades = LinearSegmentedColormap.from_list("loss", [colours.forward, colours.paper])
    values = np.where(np.isfinite(values), values, np.nan)
    known = np.ma.masked_invalid(values)
    axes.contourf(xs, ys, known, 24, cmap=shades, alpha=0.3)  # so that the path stands out
    axes.contour(xs, ys, known, 12, colors=colours.muted, linewidths=0.6)
    down_y, down_x = (-part for part in np.gradient(values, ys, xs))
    every = slice(GRID // (2 * ARROWS), None, max(1, GRID // ARROWS))
    arrows = {"color": colours.muted, "alpha": 0.8, "width": 0.003}
    axes.quiver(xs[every], ys[every], down_x[every, every], down_y[every, every], **arrows)
    points = np.asarray(path, float)
    axes.plot(*points.T, "o-", color=colours.gradient, markersize=4, linewidth=1.6)
    axes.set(xlabel=names[0], ylabel=names[1])
    first, last = number_of(loss(*points[0])), number_of(loss(*points[-1]))
    steps = "1 step" if len(points) == 2 else f"{len(points) - 1} steps"
    return told(axes, "The loss and the path over it", f"In {steps} the loss went from "
                f"{first:.4g} to {last:.4g}.")  # fmt: skip


def surface_of(
    loss: Callable[[float, float], Any], path: Sequence[tuple[float, float]]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The loss on a grid around a path. Raises: ValueError, TypeError."""
    points = points_of(path)
    if points.ndim != 2 or points.shape[1] != 2 or not len(points):
        raise ValueError(
            "path is a list of points of two numbers each, such as [(1.0, 2.0), (0.9, 1.8)], got "
            f"{' '.join(repr(path).split())[:60]}"
        )
    points = points[np.isfinite(points).all(axis=1)]
    if not len(points):
        raise ValueError("no point of the path is finite: the descent has diverged")
    low, high = points.min(axis=0), points.max(axis=0)
    margin = 0.25 * np.maximum(high - low, 0.5 * np.maximum(np.abs(high), 1.0))
    xs, ys = (np.linspace(*ends, GRID) for ends in zip(low - margin, high + margin, strict=True))
    values = np.array([[number_of(loss(float(x), float(y))) for x in xs] for y in ys])
    if not np.isfinite(values).any():
        raise ValueError("the loss is finite nowhere around the path: there is nothing to draw")
    return xs, ys, values


def points_of(path: Any) -> np.ndarray:
    """A path as an array; an empty one if it is no list of numbers of one length."""
    try:
        return np.asarray(path, float)
    except (TypeError, ValueError):
        return np.zeros(0)


def number_of(value: Any) -> float:
    """A loss as a number. Raises: TypeError."""
    try:
        return float(value.item() if hasattr(value, "item") else value)
    except (TypeError, ValueError, RuntimeError) as error:
        raise TypeError(
            f"the loss is a single number or a tensor of one entry, got {type(value).__name__}"
        ) from error


# -- matplotlib --------------------------------------------------------------------------------


def prepared(ax: Any, theme: str) -> tuple[Any, Any]:
    """The Axes in the colours of a theme. Raises: ImportError, ValueError."""
    if theme not in THEMES:
        raise ValueError(f"unknown theme {theme!r} (must be one of {list(THEMES)})")
    if ax is None:
        try:
            from matplotlib import pyplot
        except ImportError:
            raise ImportError(
                "graphlab.plots draws with matplotlib, which is not there: pip install matplotlib"
            ) from None
        _, ax = pyplot.subplots(figsize=(6.4, 4.0), layout="constrained")
    colours = THEMES[theme]
    ax.figure.set_facecolor(colours.paper)
    ax.set_facecolor(colours.paper)
    ax.tick_params(colors=colours.ink)
    for spine in ax.spines.values():
        spine.set_color(colours.muted)
    for label in (ax.xaxis.label, ax.yaxis.label, ax.title):
        label.set_color(colours.ink)
    return ax, colours


def told(axes: Any, title: str, text: str) -> Any:
    """Give the Axes a title, and the sentence for those who do not see them."""
    axes.set_title(title, fontsize=11)
    axes.graphlab_text = text
    axes.set_gid(text)  # in an SVG the sentence stands at the drawing
    return axes

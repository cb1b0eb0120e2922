"""A map of a loss that depends on two numbers, with the path that an optimizer took.

Read next: docs/plots.md
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphlab.common.errors import described
from graphlab.faces.plots.canvas import fading, prepared, told

GRID = 41  # points of the map along each axis
ARROWS = 8  # arrows along each axis
DEEPEST = 0.3  # opacity of the darkest shade, low enough for the path to stand out
LEVELS = 12  # approximate number of shades, each with a line at its edge


def loss_surface(
    loss: Callable[[float, float], Any],
    path: Sequence[tuple[float, float]],
    ax: Any = None,
    theme: str | None = None,
    names: tuple[str, str] = ("w", "b"),
) -> Any:
    """Draw a map of a loss that depends on two numbers, with the path that an optimizer took.

    A darker shade means a lower loss; where the loss is not finite, the map has a hole.
    loss: a function of two floats that returns a number or a tensor of one entry. path: the visited
    points in order, at least one. names: of the two numbers. ax, theme: as for saved_memory.
    Returns: the Axes. Raises: ValueError if `path` is not a list of points; TypeError if `loss` is
    not a function or does not return a single number.

    >>> import graphlab
    >>> path = [(0.0, 1.0), (0.0, 0.5)]
    >>> axes = graphlab.plots.loss_surface(lambda w, b: w * w + b * b, path)
    >>> axes.graphlab_text
    'In 1 step the loss went from 1 to 0.25.'
    """
    two_names(names)
    xs, ys, values = surface_of(loss, path)
    points = np.asarray(path, float)
    axes, colours = prepared(ax, theme)
    known = np.ma.masked_invalid(values)
    if known.min() < known.max():
        draw_map(axes, xs, ys, known, colours)
    drawn = np.where(np.isfinite(points).all(axis=1, keepdims=True), points, np.nan)
    axes.plot(*drawn.T, "o-", color=colours.gradient, markersize=4, linewidth=1.6)
    first = drawn[np.isfinite(drawn).all(axis=1)][0]
    ring = {"markersize": 10, "markerfacecolor": "none", "color": colours.gradient}
    axes.plot(*first, "o", **ring)
    beside = {"xytext": (8, 6), "textcoords": "offset points", "fontsize": 9}
    axes.annotate("start", first, color=colours.ink, **beside)
    axes.set(xlim=(xs[0], xs[-1]), ylim=(ys[0], ys[-1]), xlabel=names[0], ylabel=names[1])
    for label in (axes.xaxis.label, axes.yaxis.label):
        label.set_parse_math(False)
    return told(axes, "The loss and the path over it", in_words(loss, points, values))


def draw_map(axes: Any, xs: Any, ys: Any, known: Any, colours: Any) -> None:
    """Draw shades, contour lines, and arrows downhill."""
    low = fading(colours.forward, DEEPEST).reversed()
    shades = axes.contourf(xs, ys, known, LEVELS, cmap=low)
    axes.contour(xs, ys, known, shades.levels, colors=colours.muted, linewidths=0.6)
    with np.errstate(all="ignore"):  # next to a hole the slope is NaN
        down_y, down_x = (-part for part in np.gradient(known.filled(np.nan), ys, xs))
    every = slice(GRID // (2 * ARROWS), None, max(1, GRID // ARROWS))
    # "xy": angles in data coordinates, so arrows are parallel to the steps of gradient descent
    arrows = {"color": colours.muted, "alpha": 0.8, "width": 0.003, "angles": "xy"}
    axes.quiver(xs[every], ys[every], down_x[every, every], down_y[every, every], **arrows)


def in_words(loss: Callable[[float, float], Any], points: Any, values: Any) -> str:
    """Say what the map and the path show."""
    finite = np.isfinite(points).all(axis=1)
    ends = [number_of(loss(*map(float, points[k]))) if finite[k] else np.nan for k in (0, -1)]
    steps = "1 step" if len(points) == 2 else f"{len(points) - 1} steps"
    if finite[0] and finite[-1]:
        said = [f"In {steps} the loss went from {ends[0]:.4g} to {ends[1]:.4g}."]
        if not np.isfinite(ends).all():
            said.append("The loss is not finite: the descent has diverged.")
    else:
        said = [f"The path has {steps}."]
        if finite[0]:
            said.append(f"The loss begins at {ends[0]:.4g}.")
    if not finite.all():
        place = int(np.argmin(finite))
        where = "The first point" if place == 0 else f"The point after step {place}"
        left = int((~finite).sum())
        such = "1 such point is" if left == 1 else f"{left} such points are"
        said.append(f"{where} is not finite; {such} not drawn.")
    known = values[np.isfinite(values)]
    if known.size < values.size:
        holes = values.size - known.size
        said.append(
            f"The map has a hole where the loss is not finite: at {holes:,} of {values.size:,} "
            "points of the grid."
        )
    if known.min() == known.max():
        said.append("The loss is the same everywhere on the map.")
    return " ".join(said)


# -- numbers -----------------------------------------------------------------------------------


def surface_of(
    loss: Callable[[float, float], Any], path: Sequence[tuple[float, float]]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the loss on a grid around a path, NaN where it is not finite.

    Raises: ValueError and TypeError as `loss_surface`.
    """
    if not callable(loss):
        raise TypeError(
            "loss must be a function of two numbers, such as lambda w, b: loss_at(w, b), got "
            f"{described(loss)}"
        )
    points = points_of(path)
    if points.ndim != 2 or points.shape[1] != 2 or not len(points):
        raise ValueError(
            "path must be a list of points of two numbers each, such as [(1.0, 2.0), (0.9, 1.8)], "
            f"got {' '.join(repr(path).split())[:60]}"
        )
    points = points[np.isfinite(points).all(axis=1)]
    if not len(points):
        raise ValueError("no point of the path is finite: the descent has diverged")
    low, high = points.min(axis=0), points.max(axis=0)
    margin = 0.25 * np.maximum(high - low, 0.5 * np.maximum(np.abs(high), 1.0))
    xs, ys = (np.linspace(*ends, GRID) for ends in zip(low - margin, high + margin, strict=True))
    values = np.array([[number_of(loss(float(x), float(y))) for x in xs] for y in ys])
    if not np.isfinite(values).any():
        raise ValueError("the loss is not finite anywhere around the path: nothing can be drawn")
    return xs, ys, np.where(np.isfinite(values), values, np.nan)


def points_of(path: Any) -> np.ndarray:
    """Return a path as an array; an empty array if its points are not numbers of one shape."""
    try:
        return np.asarray(path, float)
    except (TypeError, ValueError):
        return np.zeros(0)


def number_of(value: Any) -> float:
    """Return a loss as a number. Raises: TypeError."""
    shape = getattr(value, "shape", ())
    try:
        return float(value.item() if hasattr(value, "item") else value)
    except (TypeError, ValueError, RuntimeError) as error:
        got = f"{described(value)} of shape {tuple(shape)}" if shape else described(value)
        raise TypeError(
            f"the loss must be a single number or a tensor of one entry, got {got}; return its "
            "mean() or sum()"
        ) from error


def two_names(names: Any) -> None:
    """Check the names of the two numbers. Raises: ValueError."""
    if not isinstance(names, tuple | list) or len(names) != 2:
        raise ValueError(f'names must be two texts, such as ("w", "b"), got {names!r}')

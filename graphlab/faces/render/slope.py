"""Compute the picture of a slope: a curve and its tangent, or the contour lines of two entries.

Read next: faces/render/slope_picture.py
"""

import math
from collections.abc import Sequence
from typing import Any

from graphlab.common.errors import described
from graphlab.faces.render.slope_picture import (
    HIGH,
    WIDE,
    Slope,
    Slopes,
    Window,
    around,
    heights,
    one_sided,
    sampled,
    tick,
    undefined_where,
    written,
)
from graphlab.faces.render.theme import choose_theme
from graphlab.graph.events import PassBegan
from graphlab.graph.model import Graph, TensorInfo
from graphlab.graph.replaying import NO_FORMULAS, ReplayError, found, replay
from graphlab.graph.series import Entry, OneVariable, entry_of, index_of, series
from graphlab.graph.timeline import Timeline

ACROSS, LEVELS = 49, 12  # points of the grid, contour lines
Grid = Sequence[Sequence[float]]  # rows[j][i]
Piece = tuple[float, float, float, float]  # x1, y1, x2, y2, in steps of the grid
OFF = 1e-2  # relative error that finite differences and float32 may have


def slope_of(
    timeline: Timeline,
    name: Any,
    *,
    entry: Any = None,
    of: Any = None,
    other: Any = None,
    theme: str = "light",
) -> Slope:
    """Return the picture of `Timeline.slope`. Raises: as that."""
    choose_theme(theme)
    recorded = any(isinstance(event, PassBegan) for event in timeline.events)
    formulas = timeline.replay
    if formulas is None and not recorded:
        raise ReplayError(NO_FORMULAS)
    name, of = key_of(timeline, name), None if of is None else key_of(timeline, of)
    if formulas is None or recorded:
        return steps(timeline, name, entry, of, other, theme)
    graph = timeline.graph
    leaf = graph.tensor(found(graph, name))
    root = graph.tensor(graph.root if of is None else found(graph, of))
    if math.prod(_shape(root)) != 1:
        raise ValueError(
            f"{root.label} has the shape {_shape(root)}, but only one number has a slope, such as "
            "its sum; name another tensor with of="
        )
    f = OneVariable(graph, formulas, root.id)
    first = (leaf, Entry(leaf.id, index_of(_shape(leaf), entry, leaf.label)))
    if other is None:
        return tangent(timeline, f, root, *first, theme)
    label, place = other if isinstance(other, tuple) else (other, None)
    leaf = graph.tensor(found(graph, key_of(timeline, label)))
    write = f'other=("{leaf.label}", {{}})'
    second = (leaf, Entry(leaf.id, index_of(_shape(leaf), place, leaf.label, write)))
    if first[1] == second[1]:
        raise ValueError(f"other= names the same entry, {_label(*first)}; name another one")
    return downhill(timeline, f, root, first, second, theme)


def key_of(timeline: Timeline, thing: Any) -> str:
    """Return a name as it is, and the id of a tensor. Raises: TypeError for anything else."""
    if isinstance(thing, str):
        return thing
    data = getattr(thing, "_data", timeline)
    for id, array in timeline.live.items():
        if array() is data:
            return id
    said = f"slope takes a tensor of this graph, or its name, slope('a'), got {described(thing)}"
    raise TypeError(said)


def tangent(
    timeline: Timeline, f: OneVariable, root: TensorInfo, leaf: TensorInfo, entry: Entry, theme: str
) -> Slope:
    """Return the curve over one entry, and its tangent."""
    x, label = f.value(entry), _label(leaf, entry)
    view = around(x)

    def over(at: float) -> float:
        return f({entry: at})

    points, borders = sampled(over, view)
    y, sides = over(x), one_sided(over, x)
    (found_slope,) = gradients(timeline, root, [entry]) or (None,)
    slope = sides.mean if found_slope is None else found_slope
    text = sentence(f"{label} = {tick(x)}", slope, sides, found_slope is not None)
    if f.problem:
        text += f" Where the curve ends: {f.problem}"
    return Slope(
        (label, root.label),
        (x, y),
        (slope,),
        text,
        view,
        heights(points, [y]),
        tuple(points),
        sides=(sides.left, sides.right) if sides.kink else (),
        note=undefined_where(borders, label, f.problem),
        theme=theme,
    )


def sentence(where: str, slope: float, sides: Slopes, is_gradient: bool) -> str:
    """Say what the picture of a tangent shows."""
    if sides.kink:
        left, right = tick(sides.left), tick(sides.right)
        uses = f"; autograd uses {tick(slope)}" * is_gradient
        return f"At {where}: a kink. Slope {left} from the left, {right} from the right{uses}."
    if not is_gradient:
        return f"At {where}: slope {tick(slope)}, by differences."
    near = OFF * max(abs(sides.mean), abs(slope))
    if sides.mean != slope and abs(sides.mean - slope) >= near:
        found_it = f"but autograd found {tick(slope)}"
        return f"At {where}: the curve has the slope {tick(sides.mean)}, {found_it}."
    return f"At {where}: slope {tick(slope)}, the gradient that autograd finds."


def downhill(
    timeline: Timeline,
    f: OneVariable,
    root: TensorInfo,
    first: tuple[TensorInfo, Entry],
    second: tuple[TensorInfo, Entry],
    theme: str,
) -> Slope:
    """Return contour lines over two entries, and the arrow of steepest descent."""
    entries = (first[1], second[1])
    x, y = (f.value(entry) for entry in entries)
    # the same scale for both, so that the arrow is perpendicular to the contour lines
    half = max(around(value)[1] - value for value in (x, y))
    wide = half * WIDE / HIGH
    view, side = (x - wide, x + wide), (y - half, y + half)
    down = round(ACROSS * HIGH / WIDE)
    rows = [
        [
            f({entries[0]: _between(view, i, ACROSS), entries[1]: _between(side, j, down)})
            for i in range(ACROSS)
        ]
        for j in range(down)
    ]

    def pixels(i: float, j: float) -> str:
        return f"{written(WIDE * i / (ACROSS - 1))} {written(HIGH - HIGH * j / (down - 1))}"

    lines = tuple(
        (
            1 - 0.75 * k / LEVELS,
            "".join(f"M{pixels(a, b)}L{pixels(c, d)}" for a, b, c, d in contour(rows, level)),
        )
        for k, level in enumerate(levels(rows, LEVELS))
    )
    slopes = gradients(timeline, root, entries) or tuple(
        one_sided(lambda at, entry=entry: f({entry: at}), value).mean
        for entry, value in zip(entries, (x, y), strict=True)
    )
    labels = _label(*first), _label(*second)
    where = f"{labels[0]} = {tick(x)}, {labels[1]} = {tick(y)}"
    arrow = ", ".join(tick(-slope) for slope in slopes)
    text = f"At {where}: steepest descent of {root.label} is ({arrow}), minus the gradient."
    z = f({})
    return Slope(
        (*labels, root.label), (x, y, z), tuple(slopes), text, view, side, lines=lines, theme=theme
    )


def gradients(
    timeline: Timeline, root: TensorInfo, entries: Sequence[Entry]
) -> tuple[float, ...] | None:
    """Return autograd's slopes; None if the pass does not start at `root`."""
    graph, formulas = timeline.graph, timeline.replay
    if root.id != graph.root or formulas is None:
        return None
    run = replay(graph, formulas)
    start = formulas.gradients.get(graph.root)
    seed = 1.0 if start is None else float(start.array().reshape(-1)[0])
    slopes = []
    for entry in entries:
        if entry.tensor not in run.leaves:
            return None
        before = formulas.gradients.get(f"{entry.tensor}.grad")
        grad = float(run.leaves[entry.tensor].reshape(-1)[entry.place])
        if before is not None:
            grad -= float(before.array().reshape(-1)[entry.place])
        slopes.append(grad / seed if seed else math.nan)
    return tuple(slopes)


def steps(
    timeline: Timeline, name: str, entry: Any, of: str | None, other: Any, theme: str
) -> Slope:
    """Return what a recording has seen: an entry of a leaf and the root in each pass."""
    if other is not None:
        raise ReplayError("The steps of a recording are drawn for one entry only; leave out other=")
    curves = series(timeline.graph, timeline.events)
    labels = {one.id: one.label for one in timeline.graph.tensors}
    name, of = labels.get(name, name), of and labels.get(of, of)
    leaves = [one for one in curves if f"{one}.grad" in curves]
    if name not in leaves:
        raise ReplayError(f"no leaf is named {name!r}; the leaves are {', '.join(leaves)}")
    root = next(iter(curves)) if of is None else of
    if root not in curves:
        raise ReplayError(f"unknown curve {root!r} (must be one of {list(curves)})")
    leaf = next(one for one in timeline.graph.tensors if one.is_leaf and one.name == name)
    place = index_of(_shape(leaf), entry, name)
    label = _label(leaf, Entry(leaf.id, place))
    pairs = zip(curves[name], curves[root], strict=True)
    every = [(entry_of(x, place), entry_of(y, 0)) for x, y in pairs]
    dots = [dot for dot in every if all(map(math.isfinite, dot))]
    if not dots:
        raise ReplayError(f"no pass has recorded numbers for both {label} and {root}")
    low, high = min(x for x, _ in dots), max(x for x, _ in dots)
    free = (high - low) * 0.1 or abs(high) or 1.0
    view, points = (low - free, high + free), ()
    if timeline.replay is not None and of is None:  # the formulas of the first pass
        f, moved = (
            OneVariable(timeline.graph, timeline.replay, timeline.graph.root),
            Entry(leaf.id, place),
        )
        if leaf.id in f.data:
            points = tuple(sampled(lambda x: f({moved: x}), view)[0])
    count = "1 pass" if len(dots) == 1 else f"{len(dots)} passes"
    ends = " → ".join(tick(y) for y in (dots[0][1], dots[-1][1]))
    text = f"{count}: {label} {tick(dots[0][0])} → {tick(dots[-1][0])}, {root} {ends}."
    others = [
        one for one in leaves if one != name and len({entry_of(x, 0) for x in curves[one]}) > 1
    ]
    held = ["the other leaves"] if len(others) > 1 else others
    began = [event for event in timeline.events if isinstance(event, PassBegan)]
    first, *later = (constants(timeline.graph, event) for event in began)
    if any(len(first) == len(one) and first != one for one in later):
        held.append("the random numbers and data")
    if points and held:
        text += f" The curve keeps {' and '.join(held)} as in the first pass."
    return Slope(
        (label, root),
        dots[-1],
        (),
        text,
        view,
        heights(points or dots, [y for _, y in dots]),
        points,
        dots=tuple(dots),
        theme=theme,
    )


def constants(graph: Graph, began: PassBegan) -> list[Any]:
    """Return what a pass got besides leaves: drawn numbers, a batch, an index."""
    nodes = [graph.node(node) for node, _ in began.waits]
    options = [one.text for node in nodes for one in node.saved if one.value is None]
    inputs = (graph.tensor(id) for node in nodes for id in node.inputs)
    return [*options, *(one.value for one in inputs if not one.requires_grad)]


def _shape(tensor: TensorInfo) -> tuple[int, ...]:
    return () if tensor.value is None else tensor.value.shape


def _label(tensor: TensorInfo, entry: Entry) -> str:
    """Return "w[0, 1]", or "w" if it is one number."""
    shape, rest, place = _shape(tensor), entry.place, []
    if math.prod(shape) == 1:
        return tensor.label
    for length in reversed(shape):
        rest, k = divmod(rest, length)
        place.insert(0, str(k))
    return f"{tensor.label}[{', '.join(place)}]"


def _between(window: Window, k: int, count: int) -> float:
    return window[0] + (window[1] - window[0]) * k / (count - 1)


# -- contour lines, by marching squares: js/src/contours.ts is the same for the player -----------


def contour(rows: Grid, level: float) -> list[Piece]:
    """Return the pieces of a contour line. A square with a corner that is not finite has none.

    >>> contour([[0.0, 1.0], [0.0, 1.0]], 0.25)
    [(0.25, 0.0, 0.25, 1.0)]
    """
    pieces: list[Piece] = []
    for j in range(len(rows) - 1):
        for i in range(len(rows[j]) - 1):
            places = ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1))
            above = [rows[y][x] - level for x, y in places]
            if not all(map(math.isfinite, above)):
                continue
            crossed: list[tuple[float, float]] = []
            for k, (x, y) in enumerate(places):
                one, other = above[k], above[(k + 1) % 4]
                if (one < 0) != (other < 0):
                    share = one / (one - other)
                    to_x, to_y = places[(k + 1) % 4]
                    crossed.append((x + (to_x - x) * share, y + (to_y - y) * share))
            # at a saddle, the value in the middle decides which corners the line cuts off
            if len(crossed) == 4 and (sum(above) < 0) != (above[0] < 0):
                crossed = [*crossed[1:], crossed[0]]
            pairs = zip(crossed[::2], crossed[1::2], strict=True)
            pieces += [(*one, *other) for one, other in pairs]
    return pieces


def levels(rows: Grid, count: int) -> list[float]:
    """Return evenly spaced levels, from the lowest to near the highest of the finite values.

    >>> levels([[0.0, 1.0, 2.0, 9.0]], 2)
    [0.5, 1.5]
    """
    known = sorted(value for row in rows for value in row if math.isfinite(value))
    if not known:
        return []
    low, high = known[0], known[math.floor(0.92 * (len(known) - 1))]
    return [low + (high - low) * (k + 0.5) / count for k in range(count)] if low < high else []

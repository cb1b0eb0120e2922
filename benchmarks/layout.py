"""Pictures compared with dot's: the same pieces, laid out by GraphLab and by `dot`.

    python benchmarks/layout.py            every graph, both views, and the medians
    python benchmarks/layout.py --brief    the medians alone

The crossings of lines, the width of the picture and the length of all lines are measured on the
curves that are drawn. `dot` gets the same boxes, in points, and is free in everything else: it need
not keep arguments in their order, and leaves no room for the numbers along the lines. It uses its
defaults (nodesep 0.25, ranksep 0.5 inches, from left to right).

Read next: benchmarks/drawing.py
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.graphs import LESSONS, TANGLES, Made
from graphlab.faces.render.scene_builder import build_scene, glyphs_of
from graphlab.graph.model import Graph
from graphlab.graph.scene import Scene, View

Line = np.ndarray  # (points, 2), pixels
SAMPLES = 12  # points that stand for one cubic curve
NEAR = 3.0  # pixels; crossings that close are one to the eye: wires that run together
VIEWS: tuple[View, ...] = ("both", "backward")


@dataclass(frozen=True)
class Figures:
    crossings: int
    width: float  # pixels
    height: float
    length: float  # of all lines together


def graph_of(made: Made) -> Graph:
    from graphlab.adapters.native.graph_copy import graph_of as copied
    from graphlab.adapters.native.variable_names import names_in

    root, variables = made

    class Frame:
        f_locals = variables
        f_globals = variables

    frame: Any = Frame
    return copied(root, names_in(frame))


# -- the two drawings --------------------------------------------------------------------------


def ours(graph: Graph, view: View) -> Figures:
    scene = build_scene(graph, view)
    return figures(wires_of(scene), scene.width, scene.height)


def dots(graph: Graph, view: View) -> Figures:
    """What `dot` makes of the same pieces and wires."""
    pieces, wires = glyphs_of(graph, view)
    number = {id: k for k, id in enumerate(pieces)}
    text = ['digraph {rankdir=LR; edge [dir=none]; node [shape=box fixedsize=true label=""];']
    for id, piece in pieces.items():
        box = piece.box
        size = f"width={box.width / 72:.4f} height={(box.above + box.below) / 72:.4f}"
        text.append(f"{number[id]} [{size}];")
    text += [f"{number[w.link.source]} -> {number[w.link.target]};" for w in wires]
    done = subprocess.run(
        ["dot", "-Tplain"],
        input="\n".join([*text, "}"]),
        text=True,
        capture_output=True,
        check=True,
    )
    lines, width, height = [], 0.0, 0.0
    for row in done.stdout.splitlines():
        words = row.split()
        if words[0] == "graph":
            width, height = 72 * float(words[2]), 72 * float(words[3])
        elif words[0] == "edge":
            count = int(words[3])
            points = 72 * np.array(words[4 : 4 + 2 * count], float).reshape(count, 2)
            curves = [points[k : k + 4] for k in range(0, count - 1, 3)]
            lines.append(np.concatenate([bezier(curve) for curve in curves]))
    return figures(lines, width + 28, height + 28)  # the margin that our pictures have


def bezier(points: np.ndarray) -> Line:
    t = np.linspace(0, 1, SAMPLES)[:, None]
    u = 1 - t
    a, b, c, d = points
    return u**3 * a + 3 * u * u * t * b + 3 * u * t * t * c + t**3 * d


def wires_of(scene: Scene) -> list[Line]:
    """The curves of a scene's wires, read from their path data: M, H and C."""
    return [
        path_points(mark.d)
        for group in scene.groups
        if group.kind == "wire"
        for mark in group.marks
        if mark.c == "wire"
    ]


def path_points(data: str) -> Line:
    here = np.zeros(2)
    points: list[np.ndarray] = []
    for command, rest in re.findall(r"([MHC])([^MHC]*)", data):
        numbers = np.array(rest.split(), float)
        if command == "M":
            here = numbers
            points.append(here[None])
        elif command == "H":
            here = np.array([numbers[0], here[1]])
            points.append(here[None])
        else:
            curve = bezier(np.concatenate([here, numbers]).reshape(4, 2))
            points.append(curve[1:])
            here = curve[-1]
    return np.concatenate(points)


# -- what is counted ---------------------------------------------------------------------------


def figures(lines: list[Line], width: float, height: float) -> Figures:
    length = sum(float(np.hypot(*np.diff(line, axis=0).T).sum()) for line in lines)
    return Figures(crossings(lines), width, height, length)


def crossings(lines: list[Line]) -> int:
    """Places where two lines cross; lines that run together count as one."""
    start = np.concatenate([line[:-1] for line in lines])
    end = np.concatenate([line[1:] for line in lines])
    line_of = np.repeat(np.arange(len(lines)), [len(line) - 1 for line in lines])
    left, right = np.minimum(start, end), np.maximum(start, end)
    order = np.argsort(left[:, 0], kind="stable")
    start, end, line_of = start[order], end[order], line_of[order]
    left, right = left[order], right[order]
    last = np.searchsorted(left[:, 0], right[:, 0], side="right")
    places: set[tuple[int, int]] = set()
    for k in range(len(start)):
        others = slice(k + 1, last[k])
        meet = (
            (left[others, 1] <= right[k, 1])
            & (right[others, 1] >= left[k, 1])
            & (line_of[others] != line_of[k])
        )
        for other in np.flatnonzero(meet) + k + 1:
            at = crossing(start[k], end[k], start[other], end[other])
            if at is not None:
                places.add((round(at[0] / NEAR), round(at[1] / NEAR)))
    return len(places)


def crossing(a: Line, b: Line, c: Line, d: Line) -> tuple[float, float] | None:
    """Where a-b and c-d cross, both ends apart; None where they touch or run along each other."""
    one, other, between = b - a, d - c, c - a
    area = one[0] * other[1] - one[1] * other[0]
    if abs(area) < 1e-9:
        return None
    t = (between[0] * other[1] - between[1] * other[0]) / area
    s = (between[0] * one[1] - between[1] * one[0]) / area
    if not (1e-6 < t < 1 - 1e-6 and 1e-6 < s < 1 - 1e-6):
        return None
    return float(a[0] + t * one[0]), float(a[1] + t * one[1])


# -- the table ---------------------------------------------------------------------------------


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--brief", action="store_true", help="the medians alone")
    options = parser.parse_args(arguments)
    import graphlab

    groups = {"lessons and networks": LESSONS, "random": TANGLES}
    found: dict[str, list[tuple[Figures, Figures]]] = {name: [] for name in groups}
    for kind, makers in groups.items():
        for name, make in makers.items():
            graphlab.manual_seed(0)
            graph = graph_of(make(graphlab))
            for view in VIEWS:
                pair = ours(graph, view), dots(graph, view)
                found[kind].append(pair)
                if not options.brief:
                    print(f"{name:24} {view:9} {len(graph.nodes):4} nodes  {row(*pair)}")
    for kind, pairs in {**found, "all": [*chain(*found.values())]}.items():
        print(f"\n{kind}: median of {len(pairs)} pictures, GraphLab / dot")
        for what in ("crossings", "width", "height", "length"):
            mine = [float(getattr(one, what)) for one, _ in pairs]
            theirs = [float(getattr(other, what)) for _, other in pairs]
            a, b = statistics.median(mine), statistics.median(theirs)
            ratio = statistics.median((x + 1) / (y + 1) for x, y in zip(mine, theirs, strict=True))
            print(
                f"  {what:10} {a:9.0f} / {b:9.0f} = {(a + 1) / (b + 1):4.2f}   "
                f"median of ratios {ratio:4.2f}   "
                f"all together {(sum(mine) + 1) / (sum(theirs) + 1):4.2f}"
            )
    return 0


def row(mine: Figures, theirs: Figures) -> str:
    return "  ".join(
        f"{what} {getattr(mine, what):6.0f} /{getattr(theirs, what):6.0f}"
        for what in ("crossings", "width", "height", "length")
    )


if __name__ == "__main__":
    sys.exit(main())

"""How long chains of operations take: time grows with the nodes, and a dropped graph is gone.

    python benchmarks/chains.py --write docs/images/linear.svg    measure and draw
    python benchmarks/chains.py --library torch --nodes 100000    one measurement, as JSON

Each measurement runs in a process of its own, at Python's usual recursion limit.

Read next: docs/performance.md
"""

from __future__ import annotations

import argparse
import gc
import importlib
import importlib.util
import json
import math
import os
import subprocess
import sys
import time
import weakref
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LENGTHS = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)


def chain(library: str, nodes: int, rounds: int) -> dict[str, Any]:
    """CPU seconds for a chain forward, backward and dropped; what the collector then finds."""
    sys.path.insert(0, str(ROOT))
    lib = importlib.import_module(library)

    def once(n: int) -> float:
        began = time.process_time()
        w = lib.tensor(0.999, requires_grad=True)
        y = lib.tensor(1.0, requires_grad=True)
        for _ in range(n // 2):
            y = y * w + w
        y.backward()
        del y
        return time.process_time() - began

    once(1000)
    seconds = min(once(nodes) for _ in range(rounds))
    gc.collect()
    gc.disable()
    y = lib.tensor(1.0, requires_grad=True) * 2.0
    node = weakref.ref(y.grad_fn) if library == "graphlab" else None
    for _ in range(nodes):
        y = y * 1.0001
    y.backward()
    del y
    return {
        "seconds": seconds,
        "freed_at_once": None if node is None else node() is None,
        "found_by_the_collector": gc.collect(),
    }


def in_process(library: str, nodes: int) -> dict[str, Any]:
    """The same, in a process of its own."""
    command = [sys.executable, __file__, "--library", library, "--nodes", str(nodes)]
    env = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=True)
    return json.loads(done.stdout)


def drawing(measured: dict[str, dict[int, float]]) -> str:
    """Seconds over nodes, both logarithmic; dashed: in exact proportion to the shortest chain."""
    left, top, step = 70, 20, 110  # pixels; step: for a factor of ten
    decades_x, low, high = (3, 6), -4, 2
    bottom, right = top + step * (high - low) // 2, left + step * 3 * 2 // 2

    def x(nodes: float) -> float:
        return left + (math.log10(nodes) - decades_x[0]) * step

    def y(seconds: float) -> float:
        return bottom - (math.log10(seconds) - low) * step / 2

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {right + 120} {bottom + 50}" '
        f'width="{right + 120}" font-family="sans-serif" font-size="12">',
        "<title>Time of a chain, forward and backward, over its number of operations</title>",
        "<style>text{fill:#333} line{stroke:#ccc} .guide{stroke-dasharray:4 4;stroke:#999} "
        "@media (prefers-color-scheme:dark){text{fill:#ddd} line{stroke:#555}}</style>",
    ]
    for decade in range(decades_x[0], decades_x[1] + 1):
        at = x(10**decade)
        lines.append(f'<line x1="{at}" y1="{top}" x2="{at}" y2="{bottom}"/>')
        lines.append(f'<text x="{at}" y="{bottom + 18}" text-anchor="middle">{10**decade:,}</text>')
    for decade in range(low, high + 1):
        at = y(10.0**decade)
        label = f"{10.0**decade:g} s"
        lines.append(f'<line x1="{left}" y1="{at}" x2="{right}" y2="{at}"/>')
        lines.append(f'<text x="{left - 8}" y="{at + 4}" text-anchor="end">{label}</text>')
    lines.append(
        f'<text x="{(left + right) / 2}" y="{bottom + 38}" text-anchor="middle">operations</text>'
    )
    colours = {"graphlab": "#1f77b4", "torch": "#d95f02"}
    titles = {"graphlab": "GraphLab", "torch": "PyTorch"}
    for library, times in measured.items():
        points = sorted(times.items())
        first, each = points[0][0], points[0][1] / points[0][0]
        ends = [(n, each * n) for n in (first, points[-1][0])]
        (x1, y1), (x2, y2) = ((x(n), y(s)) for n, s in ends)
        lines.append(
            f'<line class="guide" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'
        )
        path = " ".join(f"{x(n):.1f},{y(s):.1f}" for n, s in points)
        colour = colours[library]
        lines.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        lines += [
            f'<circle cx="{x(n):.1f}" cy="{y(s):.1f}" r="3" fill="{colour}"/>' for n, s in points
        ]
        end_x, end_y = x(points[-1][0]) + 8, y(points[-1][1]) + 4
        lines.append(f'<text x="{end_x:.1f}" y="{end_y:.1f}">{titles[library]}</text>')
    return "\n".join([*lines, "</svg>\n"])


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", help="measure one chain in this process")
    parser.add_argument("--nodes", type=int, default=LENGTHS[0])
    parser.add_argument("--write", type=Path, metavar="FILE", help="measure all, and draw")
    options = parser.parse_args(arguments)
    if options.library:
        rounds = max(2, min(50, 200_000 // options.nodes))
        print(json.dumps(chain(options.library, options.nodes, rounds)))
        return 0
    measured: dict[str, dict[int, float]] = {}
    for library in ("graphlab", "torch"):
        if importlib.util.find_spec(library) is None and library != "graphlab":
            continue
        for nodes in LENGTHS:
            found = in_process(library, nodes)
            measured.setdefault(library, {})[nodes] = found["seconds"]
            print(library, nodes, found)
    if options.write:
        options.write.write_text(drawing(measured), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

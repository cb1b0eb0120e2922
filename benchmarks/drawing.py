"""From a graph in memory to SVG text: GraphLab's draw() beside torchviz and `dot`, in one run.

    python benchmarks/drawing.py

Each round makes new graphs and draws them with all programs in turn. The medians of the elapsed
time and the minimum CPU times are compared; the process of `dot` is included, and other programs on
the machine do not count. GraphLab is measured with `dot` on the PATH and with `dot` hidden, with a
new layout each time; "again" is a cell that is run once more, whose layout is remembered. The
backward view has the nodes that torchviz draws, and their saved values, which torchviz leaves out;
the view of both has tensors too, twice as many pieces. Needs torch, torchviz and `dot`.

Read next: benchmarks/layout.py
"""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.graphs import Made, lstm, residual, tangle

ROUNDS = 15


def with_graphlab(made: Made, view: Any, path: str) -> int:
    import graphlab

    root, variables = made
    os.environ["PATH"] = path  # in which it does not look for `dot`
    names = {**variables, "root": root, "draw": graphlab.draw, "view": view}
    return len(eval("draw(root, view=view).svg", names))


def with_torchviz(made: Made, path: str) -> int:
    import torchviz

    root, variables = made
    os.environ["PATH"] = path
    params = {name: value for name, value in variables.items() if hasattr(value, "grad_fn")}
    return len(torchviz.make_dot(root, params=params).pipe(format="svg", encoding="utf-8"))


def main() -> int:
    import torch

    import graphlab
    from graphlab.faces.render.layout import arranged

    path = os.environ["PATH"]
    if shutil.which("dot") is None:
        print("this comparison needs dot", file=sys.stderr)
        return 1
    makers: dict[str, Callable[[Any], Made]] = {
        "LSTM of 3 steps": lstm,
        "residual chain": lambda lib: residual(lib, 24),
        "random": lambda lib: tangle(lib, 42, 0),
    }
    for name, make in makers.items():
        nodes = len(graphlab.draw(make(graphlab)[0]).graph.nodes)
        ways: dict[str, Callable[[Made], int]] = {
            "torchviz and dot": lambda made: with_torchviz(made, path),
            "backward, dot there": lambda made: with_graphlab(made, "backward", path),
            "backward, no dot": lambda made: with_graphlab(made, "backward", "/nowhere"),
            "backward, again": lambda made: with_graphlab(made, "backward", "/nowhere"),
            "both, dot there": lambda made: with_graphlab(made, "both", path),
            "both, no dot": lambda made: with_graphlab(made, "both", "/nowhere"),
            "both, again": lambda made: with_graphlab(made, "both", "/nowhere"),
        }
        seconds: dict[str, list[float]] = {way: [] for way in ways}
        worked: dict[str, list[float]] = {way: [] for way in ways}
        for _ in range(ROUNDS):
            for way, draw in ways.items():
                graphlab.manual_seed(0)
                made = make(torch if "torchviz" in way else graphlab)
                if "again" not in way:
                    arranged.cache_clear()
                began, busy = time.perf_counter(), processors()
                draw(made)
                seconds[way].append(time.perf_counter() - began)
                worked[way].append(processors() - busy)
        os.environ["PATH"] = path
        median = {way: statistics.median(times) for way, times in seconds.items()}
        least = {way: min(times) for way, times in worked.items()}
        print(f"{name}, {nodes} nodes; x: as fast as torchviz and dot")
        for way in ways:
            passed, busy = (
                f"{1000 * found[way]:6.1f} ms {found['torchviz and dot'] / found[way]:5.1f} x"
                for found in (median, least)
            )
            print(f"  {way:20} {passed}   processors {busy}")
    return 0


def processors() -> float:
    """CPU seconds of this process and of the programs that it ran."""
    spent = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in spent)


if __name__ == "__main__":
    sys.exit(main())

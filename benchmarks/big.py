"""How the work grows with the graph: from the live graph to its scenes, and to a long walk.

    python benchmarks/big.py                       layout of 2,000, 5,000 and 20,000 nodes
    python benchmarks/big.py --browser             and 5,000 nodes in Chromium: opening, steps, heap

Seconds are CPU time of one core. The last column says how much more one node costs than in the
smallest graph: 1.0 is linear.

Read next: benchmarks/layout.py
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import graphlab as torch
from graphlab.adapters.native.graph_copy import graph_of
from graphlab.faces.render import collapse, layout, scene_builder
from graphlab.faces.render.html import to_html

SIZES = (2_000, 5_000, 20_000)  # nodes
WALKED = 5_000


def chain(nodes: int) -> Any:
    """y = y * w + b, over and over."""
    x, w, b = (torch.tensor(v, requires_grad=True) for v in (1.0, 0.999, 0.001))
    for _ in range(nodes // 2):
        x = x * w + b
    return x


def residual(nodes: int) -> Any:
    """y = y + tanh(y) / 2, over and over."""
    y = torch.tensor(1.0, requires_grad=True)
    for _ in range(nodes // 3):
        y = y + torch.tanh(y) * 0.5
    return y


def layers(nodes: int) -> Any:
    """Linear layers and tanh, each with parameters of its own."""
    h = torch.randn(4, 4)
    for _ in range(nodes // 5):
        w, b = torch.randn(4, 4, requires_grad=True), torch.randn(4, requires_grad=True)
        h = torch.tanh(h @ w + b)
    return h.sum()


def random_graph(nodes: int) -> Any:
    """Sums and products of two of the last 20 results."""
    choose = random.Random(3)
    made = [torch.tensor(1.0, requires_grad=True) for _ in range(8)]
    for k in range(nodes):
        a, b = choose.sample(made[-20:], 2)
        made.append(a * b if k % 2 else a + b)
    total = made[-1]
    for one in made[-20:-1]:
        total = total + one
    return total


GRAPHS = {"chain": chain, "residual": residual, "layers": layers, "random": random_graph}


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds, and what the work gave."""
    began = time.process_time()
    made = work()
    return time.process_time() - began, made


def laid_out(graph: Any) -> tuple[float, float, int]:
    """CPU seconds of the layout alone, and of all scenes of one view; how many scenes there are."""
    spent = 0.0
    place = scene_builder.lay_out

    def timed(*arguments: Any) -> Any:
        nonlocal spent
        took, placed = seconds(lambda: place(*arguments))
        spent += took
        return placed

    layout.remembered.cache_clear()
    scene_builder.lay_out = timed
    try:
        took, scenes = seconds(lambda: collapse.build_scenes_of(graph, ("both",)))
    finally:
        scene_builder.lay_out = place
    return spent, took, len(scenes)


def grow() -> None:
    print(f"{'graph':10}{'nodes':>8}{'copy s':>9}{'layout s':>10}{'scenes s':>10}{'scenes':>8}"
          f"{'per node':>10}")  # fmt: skip
    for name, make in GRAPHS.items():
        first = None
        for size in SIZES:
            copying, graph = seconds(lambda make=make, size=size: graph_of(make(size)))
            placing, whole, count = laid_out(graph)
            nodes = len(graph.nodes)
            first = first or whole / nodes
            ratio = whole / nodes / first
            print(f"{name:10}{nodes:8}{copying:9.2f}{placing:10.2f}{whole:10.2f}{count:8}"
                  f"{ratio:10.2f}", flush=True)  # fmt: skip


def walk() -> None:
    """A walk of 5,000 nodes: recorded, written, opened, stepped."""
    tracing, timeline = seconds(lambda: torch.trace(chain(WALKED)))
    drawing, _ = seconds(lambda: timeline.scenes)
    writing, document = seconds(timeline.to_json)
    paging, html = seconds(lambda: to_html(timeline, standalone=True))
    size = len(json.dumps(document, separators=(",", ":"))) / 1e6
    nodes, events = len(timeline.graph.nodes), len(timeline.events)
    print(f"\n{nodes} nodes, {events} events: trace {tracing:.1f} s, "
          f"scenes {drawing:.1f} s, JSON {writing:.1f} s, {size:.1f} MB, "
          f"page {paging:.1f} s")  # fmt: skip
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        page_file = Path(place) / "walk.html"
        page_file.write_text(html, encoding="utf-8")
        flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        chromium = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=chromium, args=flags)
        page = browser.new_page(viewport={"width": 1366, "height": 768})
        began = time.perf_counter()
        page.goto(page_file.as_uri())
        page.wait_for_selector(".gl-position", timeout=60_000)
        opened = time.perf_counter() - began
        steps = page.evaluate(STEPS)
        session = page.context.new_cdp_session(page)
        session.send("HeapProfiler.collectGarbage")
        heap = session.send("Runtime.getHeapUsage")["usedSize"] / 1e6
        print(f"Chromium: opens in {opened:.2f} s; a step {steps['step']:.1f} ms (median), "
              f"{steps['worst']:.1f} ms (slowest of 200); a jump {steps['jump']:.1f} ms; "
              f"heap {heap:.0f} MB")  # fmt: skip
        browser.close()


STEPS = """() => {
  const root = document.querySelector(".graphlab");
  root.focus();
  const press = (key) => {
    const began = performance.now();
    root.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    root.getBoundingClientRect();
    return performance.now() - began;
  };
  press("ArrowRight");
  const jump = Math.max(press("End"), press("Home"));
  const steps = Array.from({ length: 200 }, () => press("ArrowRight")).sort((a, b) => a - b);
  return { step: steps[100], worst: steps[199], jump };
}"""


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--browser", action="store_true", help="a walk in Chromium, too")
    given = parser.parse_args()
    grow()
    if given.browser:
        walk()

"""How long a step, an edit and the first paint take: medians of a real Chromium, in ms.

    python benchmarks/browser.py                 150 nodes, and the lesson
    python benchmarks/browser.py --nodes 600     another size

A step is everything that the page's main thread does from a key press to the next painted frame:
scripting, style, layout and paint. It is measured as CPU time of that thread, so a busy machine
measures the same. An edit is a press of an arrow key in the field of a leaf: the graph runs again
at the new value, and every text follows. If Python computes a change, its CPU time is printed too.
The first paint lasts from the call that mounts the player to the next frame.

Needs playwright and a Chromium; build the player first: npm --prefix js run build.

Read next: tests/browser/conftest.py
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import graphlab  # noqa: E402
from graphlab.faces.render.bundle import with_scenes  # noqa: E402
from graphlab.faces.render.html import extras_module  # noqa: E402
from graphlab.faces.widgets.stepper import browser_module, sent  # noqa: E402
from tests.browser import chromium  # noqa: E402
from tests.browser.conftest import FLAGS  # noqa: E402

STEPS = 100  # steps per measurement, at most
EDITS = 40  # key presses
ROUNDS = 5  # first paints

MOUNT = """async ([trace, source, extras, told]) => {
  const root = document.createElement("div");
  document.body.replaceChildren(root);
  const url = URL.createObjectURL(new Blob([source], {type: "text/javascript"}));
  const module = await import(url);
  const values = {trace, step: 0, playing: false, granularity: "node", breakpoints: [],
                  predicting: false, score: {right: 0, asked: 0},
                  told: told ?? undefined};
  const listeners = {};
  const model = {
    get: (name) => values[name], set: (name, value) => { values[name] = value; },
    save_changes() {}, on: (name, act) => { listeners[name] = act; }, off() {},
    send: ({ask}) => setTimeout(() => listeners["msg:custom"]({ask, module: extras})),
  };
  window.receive = (sent) => { Object.assign(values, sent); listeners["change:trace"](); };
  window.mount = () => module.default.render({model, el: root});
}"""
FRAME = "() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"
STEP = """() => document.querySelector(".graphlab").dispatchEvent(
  new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true}))"""
EDIT = """() => document.querySelector(".gl-typed").dispatchEvent(
  new KeyboardEvent("keydown", {key: "ArrowUp", bubbles: true}))"""
RECEIVE = f"async (sent) => {{ window.receive(sent); await ({FRAME})(); }}"
OPEN = """() => document.querySelector(".gl-tensors [data-edit]").dispatchEvent(
  new MouseEvent("click", {bubbles: true}))"""


def chain(nodes: int, first: Any = None) -> Any:
    """A result of about `nodes` grad_fn nodes: eight chains that mix, as in a recurrent net."""
    cells = [graphlab.tensor(1.0 + k / 10, requires_grad=True) for k in range(8)]
    cells[0] = cells[0] if first is None else first
    for k in range((nodes - 15) // 2):
        at = k % 8
        cells[at] = cells[at].sin() * cells[(at + 1) % 8]
    total = cells[0]
    for cell in cells[1:]:
        total = total + cell
    return total


def lesson(first: Any = None) -> Any:
    """The lesson's formula, of four operations."""
    a, b, c, d = (graphlab.tensor(x, requires_grad=True) for x in (2.0, 3.0, 5.0, 10.0))
    return (a if first is None else first) * b + c * d.log()


class Meter:
    """CPU time of the page's main thread, from one reading to the next."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.session = page.context.new_cdp_session(page)
        self.session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def read(self) -> tuple[float, float]:
        """ms so far: scripting, and everything."""
        metrics = self.session.send("Performance.getMetrics")["metrics"]
        seconds = {one["name"]: one["value"] for one in metrics}
        return 1000 * seconds["ScriptDuration"], 1000 * seconds["TaskDuration"]

    def cost(self, code: str, about: Any = None) -> tuple[float, float]:
        """What it costs to run `code`, with its argument, and to paint the frame after it."""
        self.page.evaluate(FRAME)
        idle = self._difference("() => undefined", about)
        spent = self._difference(code, about)
        return max(0.0, spent[0] - idle[0]), max(0.0, spent[1] - idle[1])

    def _difference(self, code: str, about: Any) -> tuple[float, float]:
        before = self.read()
        self.page.evaluate(code, about)
        self.page.evaluate(FRAME)
        after = self.read()
        return after[0] - before[0], after[1] - before[1]


def measure(page: Page, timeline: Any) -> dict[str, float]:
    """Mount and walk `timeline`: medians in ms, and the heap in MB."""
    source, extras = browser_module(), extras_module()
    trace = with_scenes(timeline).to_json()
    meter = Meter(page)
    first = []
    for _ in range(ROUNDS):
        page.evaluate(MOUNT, [trace, source, extras, None])
        first.append(meter.cost("() => { window.mount(); }"))
    steps = [meter.cost(STEP) for _ in range(min(STEPS, len(timeline.stops()) - 1))]
    page.evaluate(OPEN)
    page.wait_for_selector(".gl-typed:focus")
    edits = [meter.cost(EDIT) for _ in range(EDITS)]
    assert "is now" in (page.locator(".gl-strip").text_content() or ""), "nothing follows"
    heap = page.evaluate("() => performance.memory.usedJSHeapSize / 1e6")
    return {
        "nodes": len(timeline.graph.nodes),
        "events": len(timeline),
        "first paint, scripting": statistics.median(one for one, _ in first),
        "first paint": statistics.median(two for _, two in first),
        "step, scripting": statistics.median(one for one, _ in steps),
        "step": statistics.median(two for _, two in steps),
        "slowest step": max(two for _, two in steps),
        "edit, scripting": statistics.median(one for one, _ in edits),
        "edit": statistics.median(two for _, two in edits),
        "slowest edit": max(two for _, two in edits),
        "heap MB": heap,
    }


def live(page: Page, make: Any) -> dict[str, float]:
    """A change that Python computes, by the CPU of both sides: medians in ms.

    explore: the function runs anew; rerun: the recorded graph does. What carries the messages, the
    kernel's loop and a socket, is not in it.
    """
    explorer = graphlab.explore(make, first=1.0)
    source, extras = browser_module(), extras_module()
    drawn = explorer.player.drawing
    page.evaluate(MOUNT, [explorer.player.trace, source, extras, {"came": []}])
    page.evaluate("() => { window.mount(); }")
    page.wait_for_selector(".gl-frame")
    root = make(graphlab.tensor(1.0, requires_grad=True))
    timeline = graphlab.trace(root)
    leaf = next(one.id for one in timeline.graph.tensors if one.is_leaf)
    meter, figures = Meter(page), {"explore, Python": [], "explore, page": [], "rerun, Python": []}
    for k in range(EDITS // 2):
        value = 1 + (k + 1) / 100
        before = time.process_time()
        explorer.values = {"first": value}
        figures["explore, Python"].append(1000 * (time.process_time() - before))
        player = explorer.player
        travels = {"trace": player.trace} | (
            {} if player.drawing is drawn else {"drawing": player.drawing}
        )
        drawn = player.drawing
        cost = meter.cost(RECEIVE, travels)
        figures["explore, page"].append(cost[1])
        before = time.process_time()
        sent(timeline.again({leaf: value}))
        figures["rerun, Python"].append(1000 * (time.process_time() - before))
    return {name: statistics.median(numbers) for name, numbers in figures.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=150)
    size = parser.parse_args().nodes
    path = chromium.find() or chromium.find_playwrights(sys.executable)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        page = browser.new_page(viewport={"width": 1366, "height": 768})
        page.set_content("<!doctype html><body></body>")
        made = {"lesson": lesson, f"{size} nodes": lambda first=None: chain(size, first)}
        for name, make in made.items():
            figures = measure(page, graphlab.trace(make())) | live(page, make)
            print(name, *(f"{what} {number:.1f}" for what, number in figures.items()), sep="  ")
        browser.close()


if __name__ == "__main__":
    main()

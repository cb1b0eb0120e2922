"""How long a change takes that a running kernel computes, in JupyterLab: from key press to picture.

    python benchmarks/live.py                the lesson's graph, and 150 nodes
    python benchmarks/live.py --nodes 300    another size

An arrow key is pressed on a slider of `graphlab.explore`, and the clock stops when the frame with
the first change of the drawing is painted. The kernel runs the function again in any case. If only
numbers can change, the page shows them before the kernel answers. If the function reads a number,
the page waits, and ipywidgets, the socket and the kernel count too. Other work of the machine can
only add to a time, so the minimum is printed beside the median, with the CPU time of the kernel and
of the page's main thread.

Read next: benchmarks/browser.py, which measures the page alone
"""

from __future__ import annotations

import argparse
import inspect
import statistics
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks import browser  # noqa: E402
from tests.browser.desktop import desktop  # noqa: E402
from tests.browser.jupyter import Student  # noqa: E402
from tests.browser.notebooks import write_code  # noqa: E402

PRESSES = 40
ANSWER = 500  # milliseconds in which the kernel's answer comes, and is read
PRESS = """async (handle) => {
  const drawing = document.querySelector(".gl-picture");
  const changed = new Promise((done) => {
    const look = new MutationObserver(() => { look.disconnect(); done(); });
    look.observe(drawing, {subtree: true, childList: true, characterData: true});
  });
  const began = performance.now();
  handle.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true}));
  await changed;
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return performance.now() - began;
}"""
CPU = "import time; print(1000 * time.process_time())"


def code(make: str) -> str:
    """A cell that explores the function `make` of benchmarks/browser.py."""
    functions = "\n".join(inspect.getsource(one) for one in (browser.chain, browser.lesson))
    return (
        f"import graphlab\nfrom typing import Any\n{functions}\ngraphlab.explore({make}, first=1.0)"
    )


def measure(student: Student, name: str) -> dict[str, float]:
    """Press the key; medians in ms, and the least wait."""
    student.open_notebook(name)
    student.run_all()
    page = student.page
    page.locator(".gl-frame").wait_for()
    handle = page.locator(".noUi-handle").first
    meter, waits, kernel, thread = browser.Meter(page), [], [], []
    for _ in range(PRESSES):
        page.wait_for_timeout(100)
        began, before = float(student.run_code(CPU)), meter.read()[1]
        waits.append(handle.evaluate(PRESS))
        page.wait_for_timeout(ANSWER)
        thread.append(meter.read()[1] - before)
        kernel.append(float(student.run_code(CPU)) - began)
    student.assert_content()
    student.clear_the_desk()
    return {
        "wait": statistics.median(waits),
        "least wait": min(waits),
        "CPU of the kernel": statistics.median(kernel),
        "least": min(kernel),
        "CPU of the page": statistics.median(thread),
        "least of it": min(thread),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=150)
    size = parser.parse_args().nodes
    made = {"lesson": "lesson(first)", f"{size} nodes": f"chain({size}, first)"}
    made |= {f"{name}, read": f"{what} * (first.item() > 0)" for name, what in made.items()}
    with desktop("01_a_formula_is_a_graph.ipynb") as (server, context):
        for name, make in made.items():
            write_code(server.root / f"{name}.ipynb", code(f"lambda first: {make}"))
        student = Student(server, context)
        student.open_lab()
        student.page.set_viewport_size({"width": 1366, "height": 768})
        for name in made:
            figures = measure(student, f"{name}.ipynb")
            print(name, *(f"{what} {ms:.1f}" for what, ms in figures.items()), sep="  ", flush=True)


if __name__ == "__main__":
    main()

"""How long a teacher's step takes to a learner's screen: `python -m benchmarks.classroom`.

Two browsers on this machine use one JupyterLab with jupyter-collaboration. The program prints the
milliseconds from the key press in one browser to the picture in the other, and how many of them
passed until the teacher's own picture. GRAPHLAB_COLLABORATION names the folder that `dev.py test`
fills.

Read next: tests/browser/school.py
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser import chromium
from tests.browser.conftest import FLAGS
from tests.browser.school import FOLDER, Person, sharing

STEPS = 8
SHOWN = """step => { window.shown = new Promise(resolve => {
    const place = document.querySelector('.gl-position');
    const look = () => place.textContent.startsWith(`step ${step} `)
        ? resolve(performance.timeOrigin + performance.now()) : requestAnimationFrame(look);
    look();
}); }"""
PRESSED = """() => { addEventListener('keydown', () => {
    window.pressed = performance.timeOrigin + performance.now();
}, { capture: true }); }"""


def main() -> int:
    """Walk some steps, and print how long they took."""
    path = chromium.find() or chromium.find_playwrights(sys.executable)
    if not FOLDER or path is None:
        print("GRAPHLAB_COLLABORATION is not set, or there is no browser", file=sys.stderr)
        return 1
    with (
        tempfile.TemporaryDirectory() as home,
        sharing(Path(home)) as school,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        teacher, learner = Person(school, browser), Person(school, browser)
        teacher.lead()
        teacher.go_to(2)
        learner.player().wait_for_step(2)
        teacher.student.page.evaluate(PRESSED)
        own, theirs = [], []
        for step in range(3, 3 + STEPS):
            for person in (teacher, learner):
                person.student.page.evaluate(SHOWN, step)
            teacher.player().press("ArrowRight")
            here, there = (
                person.student.page.evaluate("() => window.shown") for person in (teacher, learner)
            )
            pressed = teacher.student.page.evaluate("() => window.pressed")
            own.append(here - pressed)
            theirs.append(there - pressed)
        browser.close()
    for name, times in (("teacher", own), ("learner", theirs)):
        print(f"{name:<8} median {statistics.median(times):4.0f} ms, most {max(times):4.0f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""A JupyterLab that shares its notebooks, and people who have the same one open.

Read next: docs/classroom.md
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

import graphlab
from tests.browser.jupyter import JupyterLab, Student
from tests.browser.notebooks import write_output
from tests.browser.player import Player

FOLDER = os.environ.get("GRAPHLAB_COLLABORATION", "")
SHARED = "shared.ipynb"
# It does not wait: where nothing is shared, the command opens a dialog, and ends with it.
SWITCH = "() => void window.jupyterapp.commands.execute('graphlab:lead')"


def trace() -> graphlab.Timeline:
    a = graphlab.tensor(2.0, requires_grad=True)
    b = graphlab.tensor(3.0, requires_grad=True)
    return graphlab.trace(a * b + graphlab.log(b))


@contextmanager
def sharing(home: Path) -> Iterator[JupyterLab]:
    """The server, with one notebook that has two players in one cell."""
    root = home / "work"
    root.mkdir()
    bundle = trace()._repr_mimebundle_(None, None)
    write_output(root / SHARED, bundle, bundle)
    overlay = Path(FOLDER).absolute()
    assert overlay.is_dir(), f"{overlay}: `python3 dev.py test --only browser` fetches it"
    more = {
        "PYTHONPATH": str(overlay),
        "JUPYTER_PATH": str(overlay / "share" / "jupyter"),
        "JUPYTER_CONFIG_PATH": str(overlay / "etc" / "jupyter"),
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in more.items():
            patch.setenv(name, os.pathsep.join(filter(None, [value, os.environ.get(name)])))
        server = JupyterLab(root, home)
    try:
        yield server
    finally:
        server.stop()


class Person:
    """Somebody who has the shared notebook open, in a browser of their own."""

    def __init__(self, school: JupyterLab, browser: Browser) -> None:
        self.context = browser.new_context()
        self.student = Student(school, self.context)
        self.enter()

    def enter(self) -> None:
        """Open the notebook, in a new page if there is none."""
        if self.student.page.is_closed():
            self.student = Student(self.student.lab, self.context)
        if self.student.page.url == "about:blank":
            self.student.open_lab()
        self.student.open_notebook(SHARED, kernel=False)
        expect(self.players).to_have_count(2)

    @property
    def players(self) -> Locator:
        return self.student.page.locator(".jp-NotebookPanel .graphlab:has(.gl-foot)")

    def player(self, number: int = 0) -> Player:
        return Player(self.players.nth(number))

    def bar(self, number: int = 0) -> Locator:
        return self.student.page.locator(".gl-classroom").nth(number)

    def press(self, label: str) -> None:
        self.bar().get_by_role("button", name=label).click()

    def lead(self) -> None:
        """Choose the command; who takes over from somebody is asked first."""
        self.student.page.evaluate(SWITCH)

    def answer(self, label: str) -> None:
        """Press a button of JupyterLab's dialog."""
        self.student.page.locator(".jp-Dialog").get_by_role("button", name=label).click()

    def go_to(self, step: int, number: int = 0) -> None:
        """Walk there, with the keys."""
        player = self.player(number)
        player.focus()
        while player.position[0] < step:
            player.press("ArrowRight")
        player.wait_for_step(step)

    def close_the_notebook(self) -> None:
        """Close the notebook; whoever led or followed in it does so no longer."""
        if not self.student.page.is_closed():
            self.student.clear_the_desk()

    def leave(self) -> None:
        self.context.close()

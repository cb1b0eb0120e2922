"""Notebook 7, served beside JupyterLab: saved walks play with our extension, without, and live."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Locator, expect

from graphlab.faces.render.bundle import MIME, timeline_bundle
from graphlab.graph.timeline import Timeline
from tests.browser.jupyter import JupyterLab, Student
from tests.browser.notebooks import lesson, write_code, write_output
from tests.browser.player import BACK, FORWARD, LAST, Player, wait_for
from tests.browser.test_widget import FORMULA, kernels_step

pytestmark = pytest.mark.browser

GRADIENTS = {"a": "3.0", "b": "2.0", "c": "2.3026", "d": "0.5"}


class Notebook7(Student):
    """A page of Notebook 7: one notebook, without JupyterLab around it."""

    def open(self, path: str) -> None:
        """Open a notebook; its kernel is still starting."""
        self.path = path
        self.page.goto(f"{self.lab.url}/notebooks/{path}?token={self.lab.token}")
        self.page.wait_for_function("() => window.jupyterapp?.started")
        self.wait_until("panel => desk.isLoaded(panel)")
        self.page.wait_for_selector(".jp-Notebook .jp-Cell")

    @property
    def players(self) -> Locator:
        return self.page.locator(".jp-Notebook .graphlab:has(.gl-foot)")


@pytest.fixture
def learner(
    context: BrowserContext, jupyterlab: JupyterLab, request: pytest.FixtureRequest
) -> Iterator[Notebook7]:
    """A page on Notebook 7; afterwards nothing may have complained or gone online."""
    learner = Notebook7(jupyterlab, context)
    yield learner
    learner.screenshot(f"notebook7-{request.node.name}")
    learner.page.close(run_before_unload=False)
    jupyterlab.end_kernels()
    learner.forgive("reading 'schema'")  # Notebook 7.6 says so by itself, without our extension
    assert learner.left_the_machine == []
    assert learner.complaints == []


def bundle(*, extension: bool) -> dict[str, Any]:
    """The lesson's output as it is saved; without `extension` as if ours were not installed."""
    whole = timeline_bundle(Timeline.from_json(lesson()))
    return whole if extension else {kind: whole[kind] for kind in whole if kind != MIME}


def test_a_saved_walk_plays_though_nobody_trusts_it(learner: Notebook7, notebook: Path) -> None:
    write_output(notebook / "saved.ipynb", bundle(extension=True))
    learner.open(f"{notebook.name}/saved.ipynb")
    assert not learner.is_trusted()
    player = Player(learner.players.first)
    player.click(LAST)
    assert player.gradients() == GRADIENTS


def test_without_our_extension_a_trusted_walk_plays(
    learner: Notebook7, notebook: Path, jupyterlab: JupyterLab
) -> None:
    write_output(notebook / "bare.ipynb", bundle(extension=False))
    jupyterlab.trust(f"{notebook.name}/bare.ipynb")
    learner.open(f"{notebook.name}/bare.ipynb")
    player = Player(learner.players.first)
    player.click(LAST)
    assert player.gradients() == GRADIENTS


def test_without_our_extension_and_trust_there_is_the_picture(
    learner: Notebook7, notebook: Path
) -> None:
    write_output(notebook / "bare.ipynb", bundle(extension=False))
    learner.open(f"{notebook.name}/bare.ipynb")
    picture = learner.page.locator(".jp-OutputArea-output img")
    expect(picture).to_be_visible()
    assert picture.evaluate("image => image.naturalWidth") > 400
    expect(learner.page.get_by_text("It plays step by step where scripts run")).to_be_visible()
    assert learner.players.count() == 0


def test_the_live_widget_and_the_kernel_walk_together(learner: Notebook7, notebook: Path) -> None:
    write_code(notebook / "live.ipynb", FORMULA)
    learner.open(f"{notebook.name}/live.ipynb")
    learner.wait_idle()
    learner.run_all()
    widget = Player(learner.players.first)
    widget.click(FORWARD)
    wait_for(lambda: kernels_step(learner) > 0)
    widget.focus()
    widget.press("ArrowLeft")  # Notebook's own keys stay away
    wait_for(lambda: kernels_step(learner) == 0)
    widget.press("Control+s")
    learner.wait_until("panel => !panel.context.model.dirty")
    learner.run_code("stepper.last()")
    widget.wait_for_step(widget.position[1])
    assert widget.gradients() == GRADIENTS
    widget.click(BACK)
    wait_for(lambda: kernels_step(learner) < 51)

"""The site in Chromium, every other host out of reach: Python, a lesson, notebooks of one's own.

Skipped unless GRAPHLAB_PYODIDE names the files of Pyodide.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, expect, sync_playwright

from tests.browser import chromium
from tests.browser.conftest import FLAGS
from tests.browser.player import FORWARD, LAST, Player, wait_for
from tests.lite.reader import KERNEL, LESSON, Reader, Served

pytestmark = pytest.mark.browser

ALONE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
GRADIENTS = {"a": "3.0", "b": "2.0", "c": "2.3026", "d": "0.5"}
SITE_LIMIT = 80_000_000  # bytes
MISSING = "#graphlab-missing"


@pytest.fixture(scope="module")
def browser(site: Path) -> Iterator[Browser]:
    """Start a browser that finds no host but this machine."""
    path = chromium.find() or chromium.find_playwrights(sys.executable)
    if path is None:
        pytest.fail(chromium.ADVICE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*FLAGS, ALONE])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def served(site: Path) -> Iterator[Served]:
    """Serve the site."""
    server = Served(site)
    yield server
    server.stop()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """Give a browser profile of its own: nothing is cached or saved in it."""
    context = browser.new_context()
    yield context
    context.close()


@pytest.fixture
def changed(site: Path, tmp_path: Path) -> Iterator[Callable[..., str]]:
    """Serve a copy of the site in which one file is another; give its address."""
    servers = []

    def serve(name: str, content: bytes | None) -> str:
        copy = tmp_path / "site"
        shutil.copytree(site, copy, copy_function=lambda old, new: Path(new).hardlink_to(old))
        (copy / name).unlink()
        if content is not None:
            (copy / name).write_bytes(content)
        servers.append(Served(copy))
        return servers[-1].url

    yield serve
    for server in servers:
        server.stop()


def test_the_first_lesson_runs_and_page_and_python_lead_each_other(served, context):
    reader = Reader(served.url, context)
    reader.visit(LESSON)
    reader.run_all(KERNEL)
    cells = reader.cells()
    errors = [out for cell in cells for out in cell["outputs"] if out["output_type"] == "error"]
    assert errors == []
    assert all(cell["count"] for cell in cells)
    assert any("4 of 4 gradients proved" in json.dumps(cell["outputs"]) for cell in cells)
    expect(reader.cell_with("graphlab.check(e)")).to_contain_text("4 of 4 gradients proved")
    reader.screenshot("lite-proof")
    widget = Player(reader.cell_with("graphlab.step(e)").locator(".graphlab:has(.gl-foot)"))
    _, steps = widget.position
    assert reader.run_code("print(walk.step)") == "0"
    widget.click(FORWARD)
    wait_for(lambda: int(reader.run_code("print(walk.step)")) > 0)
    reader.run_code("walk.step = len(walk.timeline) - 1")
    widget.wait_for_step(steps)
    assert widget.gradients() == GRADIENTS
    for theme in ("light", "dark"):
        reader.theme(theme)
        widget.place.scroll_into_view_if_needed()
        reader.screenshot(f"lite-widget-{theme}")
    assert reader.warning() == ""
    reader.assert_content()


def test_a_notebook_of_ones_own_is_there_after_a_visit_to_another_page(served, context):
    reader = Reader(served.url, context)
    reader.visit(LESSON, kernel=False)
    path = reader.page.evaluate(
        """() => window.jupyterapp.commands
            .execute('notebook:create-new', {kernelName: 'python'})
            .then(panel => panel.context.path)"""
    )
    reader.path = path
    reader.wait_idle(KERNEL)
    code = "import graphlab\nx = graphlab.tensor([3.0], requires_grad=True)\ny = x * x\n"
    code += "y.backward()\nprint('slope', x.grad.item())"
    reader.ask_panel(
        "(panel, code) => panel.content.widgets[0].model.sharedModel.setSource(code)", code
    )
    reader.run_all(KERNEL)
    assert "slope 6.0" in json.dumps(reader.cells())
    # JupyterLab asks for a name when a notebook without one is saved.
    reader.ask_panel("panel => panel.context.rename('my own.ipynb')")
    reader.path = "my own.ipynb"
    reader.save()
    reader.page.goto("about:blank")
    reader.visit(reader.path, kernel=False)
    assert "slope 6.0" in json.dumps(reader.cells())
    assert reader.warning() == ""
    reader.assert_content()


def test_without_webassembly_one_sentence_says_so_and_the_saved_walk_plays(served, context):
    context.add_init_script("delete globalThis.WebAssembly")
    reader = Reader(served.url, context)
    reader.visit(LESSON, kernel=False)
    expect(reader.page.locator(MISSING)).to_contain_text("this browser has no WebAssembly")
    player = Player(reader.cell_with("graphlab.trace(e)").locator(".graphlab:has(.gl-foot)"))
    player.click(LAST)
    assert player.gradients() == GRADIENTS
    reader.screenshot("lite-no-webassembly")


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("sympy", b"PK", "is damaged (its hash is wrong): build the site again."),
        ("pyodide.asm.wasm", None, "is missing on the server."),
    ],
)
def test_a_bad_file_is_named(site, changed, context, name, content, sentence):
    (file,) = (site / "static" / "pyodide").glob(f"{name}*")
    reader = Reader(changed(f"static/pyodide/{file.name}", content), context)
    reader.visit(LESSON, kernel=False)
    shown = reader.page.locator(MISSING)
    expect(shown).to_contain_text(f"Python cannot start: {file.name} {sentence}")


def test_a_site_that_needs_the_network_says_so_when_there_is_none(changed, context):
    away = json.dumps([{"url": "https://cdn.jsdelivr.net/pyodide.mjs", "sha256": "0"}])
    reader = Reader(changed("static/pyodide/at-start.json", away.encode()), context)
    reader.visit(LESSON, kernel=False)
    expect(reader.page.locator(MISSING)).to_contain_text(
        "the files of Pyodide cannot be fetched from cdn.jsdelivr.net: connect to the network."
    )


def test_the_site_is_small(site):
    assert sum(path.stat().st_size for path in site.rglob("*") if path.is_file()) <= SITE_LIMIT

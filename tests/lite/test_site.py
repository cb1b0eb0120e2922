"""The site in Chromium, every other host out of reach: Python, a lesson, notebooks of one's own.

Skipped unless the site was built with the files of Pyodide.

Read next: tests/lite/test_lessons.py
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.player import FORWARD, LAST, Player, wait_for
from tests.lite.reader import FETCHED, KERNEL, LESSON, Reader, Served

pytestmark = pytest.mark.site

GRADIENTS = {"a": "3.0", "b": "2.0", "c": "2.3026", "d": "0.5"}
SITE_LIMIT = 80_000_000  # bytes, of the pages and all that runs in the browser
FIRST_LIMIT = 30_000_000  # bytes that the browser needs until Python has started
MISSING = "#graphlab-missing"


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
        ("sympy", b"PK", "Gradients cannot be proved: {} is damaged (its hash is wrong)"),
        ("graphlab-0", b"PK", "Python cannot start: {} is damaged (its hash is wrong): build"),
        ("pyodide.asm.wasm", None, "Python cannot start: {} is missing on the server."),
    ],
)
def test_a_bad_file_is_named(site, changed, context, name, content, sentence):
    (file,) = site.glob(f"static/pyodide-*/{name}*")
    reader = Reader(changed(file.relative_to(site).as_posix(), content), context)
    reader.visit(LESSON, kernel=False)
    expect(reader.page.locator(MISSING)).to_contain_text(sentence.format(file.name))


def test_a_site_that_needs_the_network_says_so_when_there_is_none(site, changed, context):
    files = json.loads((site / "static" / "files.json").read_text("utf-8"))
    away = files | {"start": [{"url": "https://cdn.jsdelivr.net/pyodide.mjs", "sha256": "0"}]}
    reader = Reader(changed("static/files.json", json.dumps(away).encode()), context)
    reader.visit(LESSON, kernel=False)
    expect(reader.page.locator(MISSING)).to_contain_text(
        "the files of Pyodide cannot be fetched from cdn.jsdelivr.net: connect to the network."
    )


def test_what_python_needs_to_start_is_small_and_sympy_waits(site, changed, context):
    (sympy,) = site.glob("static/pyodide-*/sympy*")
    FETCHED.clear()
    reader = Reader(changed(sympy.relative_to(site).as_posix(), None), context)
    reader.visit(LESSON)
    code = "import graphlab\nx = graphlab.tensor(3.0, requires_grad=True)\n(x * x).backward()\n"
    assert reader.run_code(f"{code}print(x.grad.item(), graphlab.draw(x * x).text[:3])")
    expect(reader.page.locator(MISSING)).to_contain_text(f"{sympy.name} is missing on the server")
    needed = {path for path in FETCHED if path.is_file() and not path.name.startswith("mpmath")}
    assert sum(path.stat().st_size for path in needed) <= FIRST_LIMIT
    said = reader.run_code("graphlab.check(x * x)")
    assert "sympy is needed here, and it cannot be fetched from http" in said
    assert "connect to the network and run the cell again" in said


def test_the_site_is_small(site):
    files = [path for path in site.parent.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= SITE_LIMIT

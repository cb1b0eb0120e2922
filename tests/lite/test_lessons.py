"""All lessons, the magics, the explorer and the side panel, with Python in the browser.

`GRAPHLAB_ALL_LESSONS=1` lets every lesson run from top to bottom, a minute for each; else the first
one does (test_site.py).

Read next: tests/lite/reader.py
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser.player import LAST
from tests.browser.test_panel import Panel
from tests.lite.reader import KERNEL, Reader

pytestmark = pytest.mark.site

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
LESSONS = sorted(path.name for path in NOTEBOOKS.glob("[0-9]*.ipynb"))[1:]
if not os.environ.get("GRAPHLAB_ALL_LESSONS"):
    LESSONS = []

# One cell each. What is not imported by a cell's own text has to be fetched when it is called.
USES = {
    "load": "%load_ext graphlab\nimport graphlab\n"
    "a = graphlab.tensor(2.0, requires_grad=True)\nb = graphlab.tensor(3.0, requires_grad=True)",
    "trace": "%%trace\na * b",
    "check": "%%check\nc = a * b\nc * c",
    "draw": "%%draw\na * b",
    "record": "%%record\n(a * b).backward()",
    "explore": "explorer = graphlab.explore(lambda a, b: a * b + graphlab.log(a), a=2.0, b=3.0)\n"
    "explorer",
    "plot": "from graphlab import plots\n"
    "with graphlab.record() as passes:\n    (a * b).backward()\n"
    "plots.saved_memory(passes)\nplots.show()",
}


@pytest.fixture(scope="module")
def warm(browser) -> Iterator[BrowserContext]:
    """A browser profile for all lessons: only the first one fetches the files."""
    context = browser.new_context()
    yield context
    context.close()


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_runs_from_top_to_bottom_as_it_was_saved(served, warm, name):
    saved = json.loads((NOTEBOOKS / name).read_text("utf-8"))["cells"]
    saved = [cell for cell in saved if cell["cell_type"] == "code"]
    reader = Reader(served.url, warm)
    reader.visit(name)
    reader.run_all(KERNEL)
    cells = reader.cells()
    assert [cell["count"] is not None for cell in cells] == [
        bool("".join(cell["source"]).strip()) for cell in saved
    ]
    for number, (cell, before) in enumerate(zip(cells, saved, strict=True)):
        assert errors(cell) == errors(before), f"code cell {number}: {''.join(before['source'])}"
    assert reader.warning() == ""
    reader.assert_content()
    reader.page.close()


def errors(cell: dict) -> list[str]:
    """The errors that a cell shows. Python in the browser gives the class, not its name alone."""
    return [
        out["ename"].removeprefix("<class '").removesuffix("'>").rpartition(".")[2]
        for out in cell["outputs"]
        if out["output_type"] == "error"
    ]


def test_magics_explorer_plots_and_panel_work_there(served, warm):
    reader = Reader(served.url, warm)
    reader.visit("01_a_formula_is_a_graph.ipynb", kernel=False)
    reader.path = reader.page.evaluate(
        """() => window.jupyterapp.commands
            .execute('notebook:create-new', {kernelName: 'python'})
            .then(panel => panel.context.path)"""
    )
    reader.wait_idle(KERNEL)
    reader.ask_panel(
        """(panel, sources) => {
            const notebook = panel.content.model.sharedModel;
            notebook.deleteCellRange(0, notebook.cells.length);
            notebook.insertCells(0, sources.map(source => ({cell_type: 'code', source})));
        }""",
        list(USES.values()),
    )
    reader.run_all(KERNEL)
    cells = dict(zip(USES, reader.cells(), strict=True))
    assert {name: cell["outputs"] for name, cell in cells.items() if errors(cell)} == {}
    kinds = {
        name: {kind for out in cell["outputs"] for kind in out.get("data", {})}
        for name, cell in cells.items()
    }
    for name in ("trace", "draw", "record"):
        assert "application/vnd.graphlab.v1+json" in kinds[name]
    assert "proved" in json.dumps(cells["check"]["outputs"])
    assert "application/vnd.jupyter.widget-view+json" in kinds["explore"]
    assert "data:image/png" in json.dumps(cells["plot"]["outputs"])

    explorer = reader.cell_with("graphlab.explore")
    expect(explorer.locator(".graphlab").first).to_be_visible()
    reader.run_code("explorer.values = {'a': 5.0, 'b': 3.0}")
    expect(explorer.locator(".graphlab").first).to_contain_text("5.0")
    reader.screenshot("lite-explorer")

    panel = Panel(reader)
    panel.do("open-panel")
    expect(panel.row("a")).to_be_visible()
    panel.choose("c")
    walk = panel.walk()
    walk.click(LAST)
    # the two passes above have added to .grad already: 3 · 3 and 3 · 2
    assert walk.gradients() == {"a": "9.0", "b": "6.0"}
    reader.screenshot("lite-panel")
    assert reader.warning() == ""
    reader.assert_content()
    reader.page.close()

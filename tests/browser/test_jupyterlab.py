"""JupyterLab itself, before anything of ours is asked of it."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbformat import v4

from tests.browser.jupyter import JupyterLab, Student

pytestmark = pytest.mark.browser


def write(path: Path, *cells: str) -> None:
    """Write a notebook of code cells."""
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = v4.new_notebook(metadata={"kernelspec": kernel})
    notebook.cells = [v4.new_code_cell(source) for source in cells]
    nbformat.write(notebook, path)


def test_a_notebook_runs_and_shows_its_result(student: Student, notebook: Path) -> None:
    write(notebook / "sum.ipynb", "1 + 1", "print('done')")
    student.open_notebook(f"{notebook.name}/sum.ipynb")
    student.run_all()
    assert student.output(0) == "2"
    assert student.output(1) == "done"
    assert student.run_code("print(6 * 7)") == "42"


def test_jupyterlab_has_our_extension_and_no_news(student: Student, jupyterlab: JupyterLab) -> None:
    student.open_lab()
    known = jupyterlab.ask("GET", "/lab/api/extensions")
    ours = {entry["name"]: entry for entry in known}["graphlab-jupyter"]
    assert ours["enabled"]
    assert ours["status"] == "ok"
    assert student.page.locator(".jp-Dialog, .Toastify__toast").count() == 0

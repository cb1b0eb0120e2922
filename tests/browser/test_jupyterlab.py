"""JupyterLab itself, before anything of ours is asked of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.jupyter import JupyterLab, Student
from tests.browser.notebooks import write_code

pytestmark = pytest.mark.browser


def test_a_notebook_runs_and_shows_its_result(student: Student, notebook: Path) -> None:
    write_code(notebook / "sum.ipynb", "1 + 1", "print('done')")
    student.open_notebook(f"{notebook.name}/sum.ipynb")
    student.run_all()
    assert student.output(0) == "2"
    assert student.output(1) == "done"
    assert student.run_code("print(6 * 7)") == "42"


def test_jupyterlab_has_our_extension_and_no_news(student: Student, jupyterlab: JupyterLab) -> None:
    known = jupyterlab.ask("GET", "/lab/api/extensions")
    ours = {entry["name"]: entry for entry in known}["graphlab-jupyter"]
    assert ours["enabled"]
    assert ours["status"] == "ok"
    assert student.page.locator(".jp-Dialog, .Toastify__toast").count() == 0

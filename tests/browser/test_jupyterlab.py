"""JupyterLab itself, before anything of ours is asked of it."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

from tests.browser.jupyter import JupyterLab, Student
from tests.browser.notebooks import write_code
from tests.browser.player import FORWARD, Player, players, wait_for

pytestmark = pytest.mark.browser

STEPPED = """\
import graphlab
a = graphlab.tensor(2.0, requires_grad=True)
stepper = graphlab.step(a * a)
stepper"""


def test_a_notebook_runs_and_shows_its_result(student: Student, notebook: Path) -> None:
    write_code(notebook / "sum.ipynb", "1 + 1", "print('done')")
    student.open_notebook(f"{notebook.name}/sum.ipynb")
    student.run_all()
    assert student.output(0) == "2"
    assert student.output(1) == "done"
    assert student.run_code("print(6 * 7)") == "42"


def test_a_kernel_that_is_a_program_of_its_own_walks_with_its_widget(
    student: Student, notebook: Path
) -> None:
    write_code(notebook / "usual.ipynb", STEPPED)
    made = nbformat.read(notebook / "usual.ipynb", as_version=4)
    made.metadata["kernelspec"]["name"] = "usual"
    nbformat.write(made, notebook / "usual.ipynb")
    student.open_notebook(f"{notebook.name}/usual.ipynb")
    # The kernels of the other tests are forked from a process that has SymPy: see kernels.py.
    assert student.run_code("import sys; print('sympy' in sys.modules)") == "False"
    student.run_all()
    step = "print(stepper.step)"
    before = student.run_code(step)
    Player(players(student.page).first).click(FORWARD)
    wait_for(lambda: student.run_code(step) != before)


def test_jupyterlab_has_our_extension_and_no_news(student: Student, jupyterlab: JupyterLab) -> None:
    known = jupyterlab.ask("GET", "/lab/api/extensions")
    ours = {entry["name"]: entry for entry in known}["graphlab-jupyter"]
    assert ours["enabled"]
    assert ours["status"] == "ok"
    assert student.page.locator(".jp-Dialog, .Toastify__toast").count() == 0

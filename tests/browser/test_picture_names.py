"""Pictures in JupyterLab have a text for people who cannot see them.

Read next: tests/render/test_picture_names.py
"""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.jupyter import Student
from tests.browser.notebooks import write_code

pytestmark = pytest.mark.browser

SLOPE = """\
import graphlab
x = graphlab.tensor(3.0, requires_grad=True)
y = x * x + x
graphlab.trace(y).slope("x")"""
PLOT = "graphlab.plots.loss_surface(lambda w, b: w * w + b * b, [(0.0, 1.0), (0.0, 0.5)])"


def test_slopes_plots_and_drawings_say_what_they_show(student: Student, notebook: Path) -> None:
    write_code(notebook / "pictures.ipynb", SLOPE, PLOT, "graphlab.draw(y)")
    student.open_notebook(f"{notebook.name}/pictures.ipynb")
    student.run_all()
    pictures = student.page.locator(".jp-OutputArea").get_by_role("img")
    expect(pictures).to_have_count(3)
    slope, plot, drawing = pictures.all()
    expect(slope).to_have_accessible_name("At x = 3: slope 7, the gradient that autograd finds.")
    expect(plot).to_have_accessible_name("In 1 step the loss went from 1 to 0.25.")
    expect(drawing).to_have_accessible_name("The graph of y: 3 tensors, 2 nodes")
    expect(drawing).to_have_accessible_description(
        "MulBackward0 makes x * x from x and x. AddBackward0 makes y from x * x and x."
    )
    for picture in (slope, plot):
        assert picture.evaluate("img => img.naturalWidth") > 100
    student.screenshot("picture-names")

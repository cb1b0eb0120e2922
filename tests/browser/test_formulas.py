"""Formulas are typeset in JupyterLab, and are MathML where nothing typesets LaTeX."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbconvert import HTMLExporter
from playwright.sync_api import expect

from tests.browser.jupyter import ARTIFACTS, Student
from tests.browser.notebooks import write_code

pytestmark = pytest.mark.browser

CODE = """\
import graphlab as torch
a, b = (torch.tensor(v, requires_grad=True) for v in (2.0, 3.0))
W = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
y = torch.exp(-a**2 / 2) / torch.sqrt(b) + (W @ W).sum() * torch.where(a > 1, a, b)
torch.check(y)"""
LATEX, MATHML = ".graphlab-tex", ".graphlab-tex + span > math"


def test_jupyterlab_typesets_the_formulas_and_hides_the_mathml(
    student: Student, notebook: Path
) -> None:
    write_code(notebook / "check.ipynb", CODE)
    path = f"{notebook.name}/check.ipynb"
    student.open_notebook(path)
    student.run_all()
    output = student.page.locator(".jp-OutputArea-output").first
    expect(output.locator(f"{LATEX} mjx-container").first).to_be_visible()
    expect(output.locator(MATHML).first).to_be_hidden()
    student.screenshot("formulas-lab")
    student.save()
    student.clear_the_desk()

    # as a colleague has sent it: untrusted, so that JupyterLab takes tags and rules away
    student.open_without_a_kernel(path)
    expect(output.locator("mjx-container").first).to_be_visible()
    assert "∂" not in output.locator("td").first.inner_text().replace("∂", "", 1)
    student.screenshot("formulas-untrusted")


def test_a_wide_formula_scrolls_by_itself_and_autograds_value_and_the_verdict_stay_in_sight(
    student: Student, notebook: Path
) -> None:
    code = """\
import graphlab as torch
P = torch.tensor([[0.5, 1.5, 0.25]], requires_grad=True)
x, w = (torch.tensor(k, requires_grad=True) for k in (0.7, 1.3))
torch.check((torch.exp(P * x) * torch.sin(P * w)).sum())"""
    write_code(notebook / "wide.ipynb", code)
    student.page.set_viewport_size({"width": 1366, "height": 768})
    student.open_notebook(f"{notebook.name}/wide.ipynb")
    student.run_all()
    table = student.page.locator(".jp-OutputArea-output table").first
    expect(table.locator("mjx-container").first).to_be_visible()
    table.locator("summary").filter(has_text="written out").first.click()
    width = "(one) => [one.scrollWidth, one.clientWidth]"
    whole, seen = table.locator("xpath=..").evaluate(width)
    assert whole <= seen, "the table has to be scrolled to its verdicts"
    formula, seen = table.locator("tbody td details > div").first.evaluate(width)
    assert formula > seen > 300, "the formula is as wide as before, and its cell narrower"
    student.screenshot("formulas-wide")


def test_a_page_of_nbconvert_shows_the_formulas_without_a_network(
    student: Student, notebook: Path
) -> None:
    write_code(notebook / "check.ipynb", CODE)
    student.open_notebook(f"{notebook.name}/check.ipynb")
    student.run_all()
    student.save()
    saved = nbformat.read(notebook / "check.ipynb", as_version=4)
    ARTIFACTS.mkdir(exist_ok=True)
    path = ARTIFACTS / "formulas.html"
    path.write_text(HTMLExporter().from_notebook_node(saved)[0], "utf-8")
    browser = student.page.context.browser
    assert browser is not None
    offline = browser.new_context(offline=True)  # JupyterLab itself stays connected
    try:
        page = offline.new_page()
        page.goto(path.as_uri(), wait_until="commit")
        formulas = page.locator(MATHML)
        expect(formulas.first).to_be_visible()
        expect(page.locator(LATEX).first).to_be_hidden()
        box = formulas.first.bounding_box()
        assert box
        assert box["width"] > 20
        assert box["height"] > 15
        page.screenshot(path=ARTIFACTS / "formulas-nbconvert.png", full_page=True)

        # on a phone, and on paper, nothing has to be scrolled: a row of the table is a card
        page.set_viewport_size({"width": 390, "height": 844})
        report = page.locator(".graphlab-report")
        expect(report.locator("thead")).to_be_hidden()
        whole, seen = report.evaluate("(one) => [one.scrollWidth, one.clientWidth]")
        assert whole <= seen
        page.screenshot(path=ARTIFACTS / "formulas-phone.png", full_page=True)
    finally:
        offline.close()

"""`hello` shows a result as a graph, a walk and a proof, in a notebook and in a terminal.

Read next: graphlab/faces/hello.py
"""

from __future__ import annotations

from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

import graphlab
from graphlab.faces.hello import EXAMPLE, YOURS


def test_the_example_is_shown_with_its_program_and_three_views():
    text = repr(graphlab.hello())
    places = [text.index(part) for part in (EXAMPLE.strip(), "1. ", "2. ", "3. ", YOURS)]
    assert places == sorted(places)
    assert "z = 5.3863  AddBackward0" in text
    assert "x.grad is 5.6931" in text
    assert "1 of 1 gradient proved" in text


def test_the_program_that_is_shown_gives_what_is_shown():
    names: dict[str, Any] = {}
    exec(EXAMPLE, names)
    shown = graphlab.hello()
    assert f"z = {names['z'].item():.4f}" in shown.drawing.text
    names["z"].backward()
    assert shown.timeline.grad("x") == pytest.approx(names["x"].grad.item(), rel=1e-4)


def test_a_result_of_ones_own_is_called_by_its_name_and_left_as_it_was():
    a = graphlab.tensor([2.0, 3.0], requires_grad=True)
    total = (a * a).sum()
    shown = graphlab.hello(total)
    assert (shown.name, shown.report.ok, shown.example) == ("total", True, False)
    assert EXAMPLE not in repr(shown)
    assert a.grad is None
    total.backward()  # nothing was freed


@pytest.mark.torch
def test_a_result_of_pytorch_is_compared_with_the_rules():
    torch = pytest.importorskip("torch")
    w = torch.tensor([3.0, -1.0], requires_grad=True)
    loss = (w * w).sum()
    shown = graphlab.hello(loss)
    assert (shown.name, shown.report.ok, w.grad) == ("loss", True, None)
    assert "and PyTorch recorded which tensors" in repr(shown)
    assert "Each step of PyTorch's pass beside GraphLab's rule" in repr(shown)
    assert "w.grad is [6.0, -2.0]" in repr(shown)


@pytest.mark.parametrize(
    ("given", "error", "sentence"),
    [
        (3, TypeError, r"graphlab\.hello expects a tensor, got int 3"),
        (graphlab.tensor(3.0), RuntimeError, "does not have a grad_fn"),
    ],
)
def test_what_cannot_be_shown_is_refused(given, error, sentence):
    with pytest.raises(error, match=sentence):
        graphlab.hello(given)


def test_a_notebook_shows_pictures_with_a_sentence_before_each():
    cell = nbformat.v4.new_code_cell("import graphlab\ngraphlab.hello()")
    notebook = nbformat.v4.new_notebook(cells=[cell])
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    shown = [output.data for output in notebook.cells[0].outputs]
    kinds = ["text/markdown" in data for data in shown]
    assert kinds == [True, False, True, False, True, False, True]
    assert all("text/html" in data or "image/svg+xml" in data for data in shown[1::2])
    assert YOURS in shown[-1]["text/markdown"]

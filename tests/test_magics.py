"""`%load_ext graphlab` in a notebook: what its magics run, show, and say.

Read next: graphlab/faces/magics.py
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from IPython.core.interactiveshell import InteractiveShell
from nbclient import NotebookClient
from nbformat import v4

import graphlab
from graphlab.graph.compression import decompressed

SETUP = """
%load_ext graphlab
import graphlab as torch
a, b = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0, requires_grad=True)
x = torch.ones(2, 2, requires_grad=True)
"""
MIME = "application/vnd.graphlab.v1+json"


class Notebook:
    """Runs cells one after another and returns what each shows."""

    def __init__(self, shell: InteractiveShell, capsys: pytest.CaptureFixture[str]) -> None:
        self.shell, self.capsys = shell, capsys
        self.run(SETUP)

    def run(self, cell: str) -> Any:
        """Run a cell and return its value. Raises: its error."""
        result = self.shell.run_cell(cell, store_history=True)
        result.raise_error()
        return result.result

    def said(self, cell: str) -> str:
        """The printed error of a cell, which must raise one."""
        self.capsys.readouterr()
        assert not self.shell.run_cell(cell, store_history=True).success
        shown = self.capsys.readouterr()
        return re.sub(r"\x1b\[[0-9;]*m", "", shown.out + shown.err)


@pytest.fixture
def notebook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Notebook]:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    InteractiveShell.clear_instance()
    shell: Any = InteractiveShell.instance()
    shell.history_manager.enabled = False
    yield Notebook(shell, capsys)
    shell.history_manager.end_session()
    InteractiveShell.clear_instance()


# -- what is shown ------------------------------------------------------------------------------


def test_a_cell_is_traced_with_the_names_of_its_variables(notebook):
    timeline = notebook.run("%%trace\nt = a * b\ne = t + a\n\ne")
    assert timeline.title == "e"
    assert {t.label for t in timeline.graph.tensors} == {"a", "b", "t", "e"}
    assert timeline[-1].kind == "Finished"
    assert notebook.run("a.grad") is None
    assert notebook.run("_oh[2]") is timeline  # the value of the cell, as of any other


def test_lines_and_cells_are_counted_as_the_notebook_counts_them(notebook):
    timeline = notebook.run("%%trace\n\n# a comment\ne = a * b\ne")
    source = timeline.graph.nodes[0].source
    assert (source.label, source.line, source.text[source.start :]) == ("In [2]", 4, "a * b")


def test_a_cell_is_checked(notebook):
    report = notebook.run("%%check\na * b + torch.sin(a)")
    assert report.ok
    assert [row.name for row in report] == ["a", "b"]
    assert str(report["a"].formula) == "b + cos(a)"


def test_a_cell_is_drawn_as_the_options_say(notebook):
    drawing = notebook.run("%%draw -v backward --depth 1 -o picture\ne = a * b\ne")
    assert (drawing.scene.view, drawing.title) == ("backward", "e")
    assert notebook.run("picture") is drawing


def test_tensors_are_chosen_by_their_names(notebook):
    assert [row.name for row in notebook.run("%%check --wrt b\na * b")] == ["b"]
    assert [row.name for row in notebook.run("%%check -w b,a\na * b")] == ["b", "a"]
    timeline = notebook.run("%%trace --gradient x.detach()\nx * 2")
    assert timeline[0].value.shape == (2, 2)


def test_a_check_takes_values_assumptions_and_a_budget(notebook):
    report = notebook.run("%%check --at a=5.0 --assume a=positive --budget 9\ntorch.log(a) * b")
    assert "at a = 5" in report.summary
    assert "a > 0" in report.assumptions
    assert notebook.run("%check a ** 2 --assume a=nonzero")["a"].verdict == "proved"


def test_a_cell_is_recorded_with_its_value_shown_as_usual(notebook):
    notebook.capsys.readouterr()
    timeline = notebook.run("%%record -o two\nfor _ in range(2):\n    (a * b).backward()\na.grad")
    assert "tensor(6.)" in notebook.capsys.readouterr().out
    assert [event.kind for event in timeline].count("PassBegan") == 2
    assert {t.label for t in timeline.graph.tensors} >= {"a", "b"}
    assert notebook.run("two") is timeline
    assert notebook.run("a.grad.item()") == 6.0


def test_the_line_magics_take_an_expression_with_their_options_anywhere(notebook):
    assert notebook.run("%trace a * b").graph.root == "t2"
    assert notebook.run("%draw -v computation a * b").scene.view == "computation"
    assert str(notebook.run("%check a * b - a * -1 --wrt a")["a"].formula) == "b + 1"
    assert notebook.run("%record (a * b).backward()")[-1].kind == "Finished"
    assert notebook.run("report = %check a\nreport") is notebook.run("report")


def test_magics_in_the_cell_run_too(notebook):
    assert notebook.run("%%trace\n%time e = a * b\ne").title == "e"


def test_the_extension_can_be_loaded_again(notebook):
    notebook.run("%reload_ext graphlab")
    assert notebook.run("%trace a * b")[-1].kind == "Finished"


def test_the_help_lists_the_options(notebook):
    text = notebook.shell.find_line_magic("draw").__doc__
    assert "--view" in text
    assert "Run the cell" in text


# -- what goes wrong ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "says"),
    [
        ("%%trace\ne = a * b", "`e = a * b` is a statement, which has no value: end the cell with"),
        ("%%trace\nfor e in [a]:\n    pass", "`for e in [a]:` is a statement"),
        ("%%check\ne = a * b\ndel e", "such as e, on a line of its own"),
        ("%%draw\n# nothing", "this one is empty"),
        ("%trace", "shows the last expression of a line, but this one is empty"),
        ("%%trace\n2 + 2", "a tensor as the last expression of a cell, but `2 + 2` is of type int"),
        ("%%draw\n[a, b]", "is of type list"),
        ("%%trace\n(a * b).backward()", "is None: end the cell"),
        ("%%trace\n%xmode Plain", "`%xmode Plain` is None"),
        ("%%draw -v sideways\na", "invalid choice: 'sideways'"),
        ("%%check -w zz\na * b", "cannot read `zz` (NameError: name 'zz' is not defined)"),
        ("%%check --assume positive\na * b", "--assume takes name=word"),
        ("%%trace --loud\na * b", "unrecognized arguments: --loud"),
        ("%trace -o net.walk a * b", "-o takes the name of a variable, got `net.walk`"),
        ("%%record -o for\n(a * b).backward()", "-o takes the name of a variable, got `for`"),
    ],
)
def test_a_wrong_use_is_one_sentence(notebook, cell, says):
    said = notebook.said(cell)
    assert said.splitlines()[-1].startswith("UsageError: ")
    assert says in said
    assert "Traceback" not in said


def test_nothing_runs_before_a_wrong_last_line_is_refused(notebook):
    notebook.said("%%trace\nran = True\ne = a * b")
    assert "ran" not in notebook.shell.user_ns


def test_the_errors_of_a_cell_are_shown_as_in_any_cell(notebook):
    said = notebook.said("%%trace\ndef f():\n    return 1 / 0\n\nf()\na")
    assert "Cell In[2], line 5\n" in said
    assert "line 3, in f()" in said
    assert "ZeroDivisionError: division by zero" in said
    assert "magics.py" not in said
    assert "run_cell_magic" not in said


def test_a_cell_that_is_no_python_is_shown_as_in_any_cell(notebook):
    said = notebook.said("%%trace\na * (")
    assert "line 2\n    a * (" in said
    assert re.search("SyntaxError|_IncompleteInputError", said)  # the second: Python 3.13
    assert "magics.py" not in said
    said = notebook.said("%%trace\nif a > 0:\n    return\na * b")  # it is found when it is compiled
    assert "SyntaxError: 'return' outside function" in said
    assert "magics.py" not in said


@pytest.mark.parametrize(
    ("cell", "says"),
    [
        ("%%trace\nx * 2", "grad can be implicitly created only for scalar outputs"),
        ("%%check\ntorch.tensor(2.0)", "does not require grad"),
        (
            "%%draw --depth 0\na * b",
            "depth must be a whole number from 1, the level of the scopes",
        ),
    ],
)
def test_what_cannot_be_shown_is_said_in_the_words_of_the_call(notebook, cell, says):
    said = notebook.said(cell)
    assert says in said
    assert "magics.py" not in said


def test_a_recorded_cell_that_fails_is_shown_up_to_there(notebook):
    said = notebook.said("%%record\n(a * b).backward()\n1 / 0")
    assert "MulBackward0" in said
    assert said.index("MulBackward0") < said.index("ZeroDivisionError")
    assert notebook.run("%record (a * b).backward()")[-1].kind == "Finished"  # it has ended


# -- a real notebook ----------------------------------------------------------------------------


def test_a_notebook_keeps_what_the_magics_showed(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(graphlab.__file__).parents[1]))
    cells = [SETUP.strip(), "%%trace\na * b", "%%check\na * b", "%%draw\na * b", "%%trace\n1 / 0"]
    made = v4.new_notebook(cells=[v4.new_code_cell(cell) for cell in cells])
    client = NotebookClient(made, timeout=120, kernel_name="python3", allow_errors=True)
    client.execute(cwd=str(tmp_path))
    nbformat.validate(made)
    _, traced, checked, drawn, failed = (cell.outputs for cell in made.cells)
    assert {MIME, "text/html", "text/plain"} <= set(traced[0].data)
    assert decompressed(traced[0].data[MIME]["gzip"]).count("RuleApplied") > 0
    assert "2 of 2 gradients proved" in checked[0].data["text/html"]
    assert "<svg" in drawn[0].data["image/svg+xml"]
    assert failed[0].ename == "ZeroDivisionError"
    assert "magics.py" not in "".join(failed[0].traceback)

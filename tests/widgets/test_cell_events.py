"""After each cell, a widget shows whether its tensors have changed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

from graphlab.common import notebook
from graphlab.faces.widgets import kernel_values
from graphlab.faces.widgets.stepper import Stepper
from graphlab.graph.timeline import Timeline

LESSON = Path(__file__).parents[1] / "fixtures" / "lesson.json"


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InteractiveShell]:
    """An IPython shell that writes nothing to the home folder."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    InteractiveShell.clear_instance()
    made = InteractiveShell.instance()
    made.history_manager.enabled = False  # type: ignore[union-attr]
    notebook.cells_run.clear()
    notebook.follow_cells()  # as `import graphlab` does
    yield made
    made.history_manager.end_session()  # type: ignore[union-attr]
    InteractiveShell.clear_instance()


@pytest.fixture
def timeline() -> Timeline:
    return Timeline.from_json(LESSON.read_text(encoding="utf-8"))


def test_without_ipython_nothing_is_watched(timeline: Timeline) -> None:
    InteractiveShell.clear_instance()
    stepper = Stepper(timeline, lambda _: "never asked")
    kernel_values.after_cell()
    assert stepper.stale == ""


def test_every_widget_is_told_after_a_cell_by_one_function(shell: Any, timeline: Timeline) -> None:
    said = {"why": ""}
    steppers = [Stepper(timeline, lambda _: said["why"]) for _ in range(10)]
    assert shell.events.callbacks["post_run_cell"].count(kernel_values.after_cell) == 1
    said["why"] = "e was reassigned since this was recorded."
    assert {stepper.stale for stepper in steppers} == {""}
    shell.run_cell("1 + 1")
    assert {stepper.stale for stepper in steppers} == {said["why"]}
    said["why"] = ""
    shell.run_cell("2 + 2", silent=True)  # as the panel asks: no cell of the user's
    assert steppers[0].stale != ""
    shell.run_cell("3 + 3")
    assert steppers[0].stale == ""


def test_a_widget_that_was_closed_is_told_nothing(shell: Any, timeline: Timeline) -> None:
    stepper = Stepper(timeline, lambda _: "asked")
    stepper.close()
    shell.run_cell("1 + 1")
    assert stepper.stale == ""


def test_the_cell_is_run_again_and_the_widget_says_so(shell: Any) -> None:
    shell.run_cell(
        "import graphlab\n"
        "a = graphlab.tensor(2.0, requires_grad=True)\n"
        "e = a * a\n"
        "stepper = graphlab.step(e)"
    )
    stepper = shell.user_ns["stepper"]
    assert stepper.stale == ""
    shell.run_cell("e = a * a")
    assert stepper.stale == "e was reassigned since this was recorded."


CELL = """\
import graphlab
a = graphlab.tensor(2.0, requires_grad=True)
e = a * a
stepper = graphlab.step(e)"""


def test_another_cell_may_use_the_name_again(shell: Any) -> None:
    shell.run_cell(CELL, cell_id="one")
    stepper = shell.user_ns["stepper"]
    shell.run_cell("e = a * 3", cell_id="two")
    assert stepper.stale == ""
    shell.run_cell("graphlab.step(e); a.data.add_(1)", cell_id="two and a half")
    assert stepper.stale == ""
    shell.run_cell("a = graphlab.tensor(5.0)", cell_id="three")
    shell.run_cell("a = graphlab.tensor(6.0)", cell_id="three")
    assert stepper.stale == ""
    shell.run_cell(CELL, cell_id="one")
    assert stepper.stale == "e and a were reassigned since this was recorded."
    shell.run_cell("1 + 1", cell_id="four")
    assert stepper.stale == "e and a were reassigned since this was recorded."


def test_an_input_that_an_earlier_cell_makes_anew_is_named(shell: Any) -> None:
    first, _, second = CELL.partition("e =")
    shell.run_cell(first, cell_id="one")
    shell.run_cell("e =" + second, cell_id="two")
    stepper = shell.user_ns["stepper"]
    assert stepper.stale == ""
    shell.run_cell(first, cell_id="three")
    assert stepper.stale == ""
    shell.run_cell(first, cell_id="one")
    assert stepper.stale == "a was reassigned since this was recorded."

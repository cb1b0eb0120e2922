"""A student's path through each lesson: run it, answer wrongly, read the hint, answer rightly.

What "run all" puts out is what is committed. Everything after it is done with the keys. Which wrong
answer has which hint is read from the exercises, so a new lesson is walked as soon as it is there.

Read next: tests/browser/test_predict.py
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import nbformat
import pytest

from graphlab.faces.exercises.answers import Choice, Exercise, Number, Order
from graphlab.faces.exercises.grading import plain, solution_of
from graphlab.faces.exercises.marking import find
from tests.browser.jupyter import Student
from tests.lessons.test_lessons import LESSONS, assert_fresh, read

pytestmark = pytest.mark.browser

ANSWERED = re.compile(r'exercises\.answer\("([\d.]+)", \.\.\.\)')


def sources(lesson: Path) -> list[str]:
    """The text of every cell."""
    cells = json.loads(lesson.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) if cell["cell_type"] == "code" else "" for cell in cells]


def chosen(lesson: Path) -> tuple[int, Exercise, object, str]:
    """The first exercise without code that knows a wrong answer: cell, answer and hint."""
    for place, source in enumerate(sources(lesson)):
        found = ANSWERED.search(source)
        exercise = find(found[1]) if found else None
        if exercise is None or not isinstance(exercise.answer, Number | Choice | Order):
            continue
        for wrong, hint in exercise.slips.items():
            if isinstance(wrong, int | float | str) and not isinstance(wrong, bool):
                return place, exercise, wrong, hint
    raise AssertionError(f"{lesson.name} has no exercise with a wrong answer that it knows")


def ran(student: Student) -> nbformat.NotebookNode:
    """The notebook as it is open, with what its cells put out."""
    return nbformat.from_dict(student.ask_panel("panel => panel.content.model.toJSON()"))


def answer(student: Student, cell: int, code: str) -> str:
    """Write another answer into a cell and run it, with the keys; what the cell says then."""
    student.ask_panel(
        """async (panel, cell) => {
            panel.content.activeCellIndex = cell;
            await panel.content.scrollToItem(cell).catch(() => null);
            panel.content.mode = 'command';
            panel.content.activate();
        }""",
        cell,
    )
    keyboard = student.page.keyboard
    keyboard.press("Enter")
    student.wait_until(f"panel => panel.content.widgets[{cell}].editor?.hasFocus()")
    keyboard.press("ControlOrMeta+a")
    keyboard.press("Delete")
    for number, line in enumerate(code.splitlines()):
        if number:
            keyboard.press("Enter")
        keyboard.insert_text(line)
    before = runs(student, cell)
    keyboard.press("Control+Enter")
    student.page.wait_for_function(
        """([path, cell, before]) => {
            const model = desk.panel(path).content.widgets[cell].model;
            return model.executionCount !== null && model.executionCount !== before;
        }""",
        arg=[student.path, cell, before],
    )
    student.wait_idle()
    return said(student, cell)


def runs(student: Student, cell: int) -> int | None:
    """The number beside a cell."""
    return student.ask_panel(
        "(panel, cell) => panel.content.widgets[cell].model.executionCount", cell
    )


def said(student: Student, cell: int) -> str:
    """The plain text of a cell's outputs."""
    outputs = student.ask_panel(
        "(panel, cell) => panel.content.widgets[cell].model.outputs.toJSON()", cell
    )
    texts = [out.get("text") or out.get("data", {}).get("text/plain") or "" for out in outputs]
    return "\n".join("".join(text) for text in texts)


STALE = """\
from graphlab.faces.widgets import kernel_values
print([widget.stale for widget in kernel_values._watched if widget.stale])"""


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_a_wrong_answer_gets_its_hint_and_the_right_one_is_taken(
    student: Student, lesson: Path, notebook: Path
) -> None:
    (notebook / lesson.name).write_bytes(lesson.read_bytes())
    student.open_notebook(f"{notebook.name}/{lesson.name}")
    student.run_all()
    failed = student.page.locator("[data-mime-type='application/vnd.jupyter.error']")
    assert failed.count() == 0, failed.all_inner_texts()
    assert student.run_code(STALE) == "[]", "no widget says that a later cell reuses a name"
    assert_fresh(read(lesson), ran(student))
    assert {path.name for path in notebook.iterdir()} <= {lesson.name, ".ipynb_checkpoints"}
    cell, exercise, slip, hint = chosen(lesson)
    begin = "from graphlab import exercises\n"
    wrong = answer(student, cell, f'{begin}exercises.answer("{exercise.id}", {slip!r})')
    assert " ".join(hint.split()) in " ".join(wrong.split())
    right = solution_of(exercise.id, {}).partition(" = ")[2]
    taken = answer(student, cell, f'{begin}exercises.answer("{exercise.id}", {right})')
    assert " ".join(exercise.why.split()) in " ".join(taken.split())
    assert hint not in taken
    assert plain(exercise.answer.expected())
    kept = json.loads(next(notebook.glob("*.json")).read_text(encoding="utf-8"))
    assert exercise.id in json.dumps(kept)  # the learner's own record

"""Every lesson runs from top to bottom, and its committed outputs are those of a run today.

Read next: tests/test_exercises.py
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from graphlab.faces.exercises import marking
from notebooks.execute import LARGEST

ROOT = Path(__file__).parents[2]
LESSONS = sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))
NAMES = [path.stem for path in LESSONS]
ANSWER = re.compile(r'exercises\.answer\("(\d+\.\d+)", \.\.\.\)')
ASKED = re.compile(r"<details>|predict|before you run|before you|write down", re.IGNORECASE)
# a picture's data, a packed player: their bytes hang on the last digits of what they show
PACKED = re.compile(r"<script>.*?</script>|data:[^\"')]+|#[0-9a-f]{6}\b", re.DOTALL)
NUMBER = re.compile(r"[-−]?\d+(?:\.\d*)?(?:e[-+]?\d+)?")
CLOSE = 2e-2  # processors round differently, and a training multiplies the difference

FILES = (  # of each lesson
    "notebooks/{}_*.ipynb",
    "graphlab/faces/exercises/lessons/lesson_{}.py",
    "docs/teaching/lesson_{}.md",
    "tests/lessons/test_lesson_{}.py",
)
BEGUN = sorted(
    {
        re.findall(r"\d\d", path.name)[0]
        for one in FILES
        for path in ROOT.glob(one.format("[0-9][0-9]"))
    }
)
COUNTS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
COUNTS = f"{COUNTS} fifteen sixteen seventeen eighteen nineteen twenty".split()
THAT_COUNT = ("README.md", "docs/teaching/README.md", "docs/browser.md", "paper/paper.md")

every_lesson = pytest.mark.parametrize("path", LESSONS, ids=NAMES)


def number(path: Path) -> str:
    """The number of a lesson: "6"."""
    return str(int(path.stem[:2]))


def read(path: Path) -> nbformat.NotebookNode:
    return nbformat.read(path, as_version=4)


def text(path: Path) -> str:
    """What a reader of the lesson reads: its Markdown."""
    return "\n".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")


def shown(cell: nbformat.NotebookNode) -> list[tuple[str, str]]:
    """What a cell put out: each kind, with the text of those that are read."""
    found: list[tuple[str, str]] = []
    for output in cell.outputs:
        if output.output_type == "stream":  # one text may arrive in several parts
            if found and found[-1][0] == output.name:
                found[-1] = (output.name, found[-1][1] + output.text)
            else:
                found.append((output.name, output.text))
        for kind, data in sorted(output.get("data", {}).items()):
            read = isinstance(data, str) and kind.startswith("text/")
            found.append((kind, PACKED.sub("", data) if read else ""))
    return found


def words(text: str) -> list[str]:
    """A text without its numbers, and without the spaces that a longer number moves."""
    return NUMBER.sub("0", text).split()


def numbers(text: str) -> list[float]:
    return [float(one.replace("−", "-")) for one in NUMBER.findall(text)]


def assert_alike(old: list[tuple[str, str]], new: list[tuple[str, str]], where: str) -> None:
    """Outputs of the same kinds and words, with the same numbers but for rounding."""
    assert [kind for kind, _ in old] == [kind for kind, _ in new], where
    for (kind, before), (_, after) in zip(old, new, strict=True):
        assert words(before) == words(after), where
        if kind != "text/html":  # its numbers are those of the text, and the places of a drawing
            assert numbers(after) == pytest.approx(numbers(before), rel=CLOSE, abs=1e-6), where


def assert_fresh(saved: nbformat.NotebookNode, ran: nbformat.NotebookNode) -> None:
    """Every cell of a lesson put out what is committed; a widget's output is not committed."""
    for k, (old, new) in enumerate(zip(saved.cells, ran.cells, strict=True)):
        if old.cell_type == "code" and "widget" not in old.metadata.get("tags", []):
            assert new.execution_count, f"cell {k} did not run"
            assert_alike(shown(old), shown(new), f"cell {k}: {old.source.splitlines()[0]}")


def test_another_number_or_word_is_seen():
    old = [("stdout", "the slope is 8.0, roughly")]
    assert_alike(old, [("stdout", "the slope is 8.0001, roughly")], "")
    for other in ("the slope is 9.0, roughly", "the rise is 8.0, roughly", "the slope is nan"):
        with pytest.raises(AssertionError):
            assert_alike(old, [("stdout", other)], "")


def test_the_lessons_are_numbered_without_a_gap():
    assert [number(path) for path in LESSONS] == [str(k + 1) for k in range(len(LESSONS))]


@pytest.mark.parametrize("number", BEGUN)
def test_a_lesson_has_its_four_files_and_a_test_of_each_exercise(number):
    missing = [one.format(number) for one in FILES if not [*ROOT.glob(one.format(number))]]
    assert not missing, f"lesson {int(number)} needs {', '.join(missing)} (see CONTRIBUTING.md)"
    test = (ROOT / FILES[-1].format(number)).read_text("utf-8")
    exercises = marking.exercises_of(number)
    untested = [id for id in exercises if test.count(f'"{id}"') < 2]
    assert not untested, f"test_lesson_{number}.py needs right and wrong answers to {untested}"


def test_the_index_of_the_readme_lists_every_lesson():
    page = (ROOT / "README.md").read_text("utf-8")
    listed = re.findall(r"(\d+) \[[^]]+\]\(notebooks/(\S+)\.ipynb\)", page)
    assert listed == [(number(path), path.stem) for path in LESSONS], "README.md, The course"


@pytest.mark.parametrize("page", THAT_COUNT)
def test_a_page_beside_the_index_counts_the_lessons_rightly(page):
    text = (ROOT / page).read_text("utf-8").lower()
    said = re.findall(rf"\b({'|'.join(COUNTS[13:])}) \[?lessons", text)
    assert set(said) == {COUNTS[len(LESSONS)]}, f"how many lessons there are, in {page}"


@every_lesson
@pytest.mark.skipif(sys.platform == "win32", reason="a kernel of its own for each lesson is slow")
@pytest.mark.skipif(
    bool(os.environ.get("GRAPHLAB_LESSONS_IN_BROWSER")),
    reason="tests/browser/test_lesson_paths.py runs the lessons in this run, in JupyterLab",
)
def test_a_lesson_runs_and_its_outputs_are_fresh(path, tmp_path):
    saved, ran = read(path), read(path)
    NotebookClient(ran, timeout=300, kernel_name="python3").execute(cwd=str(tmp_path))
    assert_fresh(saved, ran)
    assert list(tmp_path.iterdir()) == []  # nothing is answered yet, and nothing left behind


@every_lesson
def test_a_lesson_is_small_and_without_errors(path):
    assert path.stat().st_size <= LARGEST
    notebook = read(path)
    nbformat.validate(notebook)
    outputs = [one for cell in notebook.cells if cell.cell_type == "code" for one in cell.outputs]
    assert not [one for one in outputs if one.output_type == "error"]
    assert not [one for one in outputs if one.get("name") == "stderr"]
    assert "widgets" not in notebook.metadata


@every_lesson
def test_a_figure_of_a_lesson_fits_a_light_page_and_a_dark_one(path):
    for cell in read(path).cells:
        for output in cell.outputs if cell.cell_type == "code" else []:
            # JupyterLab lays a dark background below such a figure, on a light page too
            assert "needs_background" not in str(output.get("metadata", {}))


@every_lesson
def test_every_exercise_of_a_lesson_stands_in_it_once_and_unanswered(path):
    code = "\n".join(cell.source for cell in read(path).cells if cell.cell_type == "code")
    exercises = list(marking.exercises_of(number(path)))
    assert ANSWER.findall(code) == exercises, 'one cell with exercises.answer("...", ...) for each'
    for id in marking.exercises_of(number(path)):
        assert f"**{id}" in text(path)


@every_lesson
def test_a_lesson_asks_before_it_shows_and_ends_with_what_can_be_explained(path):
    said = text(path)
    assert said.count("<details>") == said.count("</details>")
    asked = 'it asks for three predictions: <details>, "predict", "before you run", "write down"'
    assert len(ASKED.findall(said)) >= 3, asked
    assert "?" in said.split("\n## ")[0], "it opens with a question, before the first section"
    assert "What you can now explain" in said
    assert "Where it continues" in said
    assert len(marking.exercises_of(number(path))) >= 3, "it ends with three exercises or more"


@every_lesson
def test_the_teacher_has_a_page_for_each_lesson(path):
    page = (ROOT / "docs" / "teaching" / f"lesson_{path.stem[:2]}.md").read_text(encoding="utf-8")
    assert page.startswith(f"# Lesson {number(path)}")
    cited = re.findall(r"exercises? (\d+)\.\d|`notebooks/0?(\d+)_", page, re.IGNORECASE)
    others = {one for pair in cited for one in pair} - {number(path), ""}
    assert others == set(), "it names exercises or the notebook of another lesson"

"""Lessons as assignments for nbgrader and Otter: right answers pass, blank ones do not.

The tools themselves are asked where GRAPHLAB_GRADERS_PYTHON names a Python that has them:

    python3 -m venv graders && graders/bin/pip install nbgrader otter-grader alembic numpy sympy \\
        ipywidgets anywidget graphviz matplotlib
    GRAPHLAB_GRADERS_PYTHON=graders/bin/python python3 dev.py test --only python -- tests/lessons

Read next: graphlab/faces/exercises/grading.py
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import graphlab
from graphlab.faces.exercises.grading import export, parts_of

ROOT = Path(__file__).resolve().parents[2]
LESSONS = sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))
GRADERS = os.environ.get("GRAPHLAB_GRADERS_PYTHON", "")
NBGRADER = re.compile(r"### BEGIN SOLUTION\n.*?### END SOLUTION", re.DOTALL)
OTTER = re.compile(r"# BEGIN SOLUTION\n.*?# END SOLUTION", re.DOTALL)
each = pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
both = pytest.mark.parametrize("to", ["nbgrader", "otter"])
with_graders = pytest.mark.skipif(not GRADERS, reason="GRAPHLAB_GRADERS_PYTHON is not set")


def exercises_in(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    return re.findall(r'^\s*"exercises\.answer\(\\"([\d.]+)\\"', text, re.MULTILINE)


def codes_of(document: dict[str, Any]) -> list[str]:
    """The code of every code cell."""
    return ["".join(c["source"]) for c in document["cells"] if c["cell_type"] == "code"]


def pairs(document: dict[str, Any]) -> list[tuple[str, str]]:
    """The answer cells and the checks of an assignment."""
    codes = codes_of(document)
    checks = [k for k, text in enumerate(codes) if "exercises.passed(" in text]
    return [(codes[k - 1], codes[k]) for k in checks]


def run(answer: str, check: str, before: str = "") -> None:
    names: dict[str, Any] = {"graphlab": graphlab}
    exec(compile(before, "<lesson>", "exec"), names)
    exec(compile(answer, "<answer>", "exec"), names)
    exec(compile(check, "<check>", "exec"), names)


@each
@both
def test_right_answers_pass_and_blank_ones_do_not(lesson, to, tmp_path, capsys):
    target = export(lesson, to, tmp_path / "out")
    document = json.loads(target.read_text(encoding="utf-8"))
    found = pairs(document)
    assert len(found) == len(exercises_in(lesson)) >= 3
    blank = NBGRADER if to == "nbgrader" else OTTER
    # the engine that lesson 16 builds, with which its last exercise goes on
    before = next((text for text in codes_of(document) if text.startswith("class Value")), "")
    for answer, check in found:
        capsys.readouterr()
        run(answer, check, before)
        emptied = blank.sub("...", answer)
        assert emptied != answer
        with pytest.raises((NameError, AssertionError)):
            run(emptied, check, before)
    for cell in document["cells"]:
        assert "three dots" not in "".join(cell["source"]).replace("\n", " ")  # there are none
        assert not cell.get("outputs")
        if cell["cell_type"] == "code" and "exercises.passed(" in "".join(cell["source"]):
            assert "print" not in "".join(cell["source"])
    assert len({cell["id"] for cell in document["cells"]}) == len(document["cells"])


@each
def test_the_metadata_are_those_of_nbgraders_schema_3(lesson, tmp_path):
    document = json.loads(export(lesson, "nbgrader", tmp_path / "out").read_text("utf-8"))
    held = [c["metadata"]["nbgrader"] for c in document["cells"] if "nbgrader" in c["metadata"]]
    keys = {"grade", "solution", "locked", "grade_id", "schema_version", "task"}
    for one in held:
        assert keys <= set(one) <= keys | {"points"}
        assert one["schema_version"] == 3
        assert one["grade"] != one["solution"]
        assert ("points" in one) == one["grade"]
        assert re.fullmatch(r"[\w-]+", one["grade_id"])
    assert len({one["grade_id"] for one in held}) == len(held)


@each
def test_otters_raw_cells_are_balanced(lesson, tmp_path):
    document = json.loads(export(lesson, "otter", tmp_path / "out").read_text("utf-8"))
    lines = [
        "".join(c["source"]).splitlines()[0] for c in document["cells"] if c["cell_type"] == "raw"
    ]
    assert lines[0] == "# ASSIGNMENT CONFIG"
    question = ["# BEGIN QUESTION", "# BEGIN SOLUTION", "# END SOLUTION", "# BEGIN TESTS",
                "# END TESTS", "# END QUESTION"]  # fmt: skip
    assert lines[1:] == question * len(exercises_in(lesson))


def test_each_solution_belongs_to_an_exercise_of_a_lesson():
    known = {id for lesson in LESSONS for id in exercises_in(lesson)}
    parts = parts_of(ROOT / "docs" / "teaching" / "solutions.py")
    assert set(parts) <= known


def test_bad_input_is_refused_and_nothing_is_written(tmp_path):
    lesson, out = LESSONS[0], tmp_path / "out"
    empty = tmp_path / "empty.ipynb"
    empty.write_text('{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}')
    text = tmp_path / "text.ipynb"
    text.write_text("hello")
    for given, to, message in (
        (lesson, "word", "exported to nbgrader or otter, got 'word'"),
        (empty, "otter", "has no exercises"),
        (text, "otter", "cannot be read as a notebook"),
        (tmp_path / "none.ipynb", "otter", "cannot be read as a notebook"),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            export(given, to, out)
    with pytest.raises(ValueError, match="its solution is missing; write it into the file"):
        export(lesson, "otter", out, solutions=text)
    assert not out.exists()
    out.mkdir()
    (out / "mine.txt").write_text("kept")
    with pytest.raises(FileExistsError, match="is not empty"):
        export(lesson, "otter", out)
    assert [path.name for path in out.iterdir()] == ["mine.txt"]


def test_the_command_says_what_is_wrong(tmp_path):
    command = [sys.executable, "-m", "graphlab.faces.exercises", str(LESSONS[0]), "--to", "otter"]
    ran = subprocess.run(
        [*command, "--out", str(tmp_path / "out")], capture_output=True, text=True, check=True
    )
    assert Path(ran.stdout.strip()).is_file()
    ran = subprocess.run([*command, "--out", str(tmp_path / "out")], capture_output=True, text=True)
    assert ran.returncode == 1
    assert "is not empty" in ran.stderr
    assert "Traceback" not in ran.stderr


# -- the tools themselves -----------------------------------------------------------------------


def graders(*command: str, cwd: Path) -> str:
    """Run a module of the graders' Python; what it printed."""
    path = str(Path(GRADERS).absolute().parent)  # not resolved: alembic is beside it
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PATH": f"{path}{os.pathsep}{os.environ['PATH']}"}
    env |= {"JUPYTER_PREFER_ENV_PATH": "1", "JUPYTER_PLATFORM_DIRS": "1"}
    ran = subprocess.run(
        [GRADERS, "-m", *command], cwd=cwd, env=env, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-3000:]
    return ran.stdout + ran.stderr


SCORES = """
import json, sys
from nbgrader.api import Gradebook
with Gradebook("sqlite:///gradebook.db") as book:
    found = {s.student.id: [s.score, s.max_score] for s in book.assignment_submissions("lesson")}
print("SCORES" + json.dumps(found))
"""


@with_graders
@each
def test_nbgrader_gives_all_points_to_the_reference_and_none_to_the_blank(lesson, tmp_path):
    (tmp_path / "nbgrader_config.py").write_text("c = get_config()\n")
    export(lesson, "nbgrader", tmp_path / "source" / "lesson")
    graders("nbgrader", "generate_assignment", "lesson", "--create", cwd=tmp_path)
    released = tmp_path / "release" / "lesson" / lesson.name
    assert "BEGIN SOLUTION" not in released.read_text("utf-8")
    for student, made in (("reference", tmp_path / "source"), ("blank", tmp_path / "release")):
        shutil.copytree(made / "lesson", tmp_path / "submitted" / student / "lesson")
    graders("nbgrader", "autograde", "lesson", "--create", cwd=tmp_path)
    (tmp_path / "scores.py").write_text(SCORES)
    told = graders("scores", cwd=tmp_path)
    scores = json.loads(re.search(r"SCORES(.*)", told)[1])  # type: ignore[index]
    count = len(exercises_in(lesson))
    assert scores == {"reference": [count, count], "blank": [0, count]}


@with_graders
@each
def test_otter_gives_all_points_to_the_reference_and_none_to_the_blank(lesson, tmp_path):
    source = export(lesson, "otter", tmp_path / "source")
    graders("otter", "assign", str(source), str(tmp_path / "made"), "--no-run-tests", cwd=tmp_path)
    student = tmp_path / "made" / "student" / lesson.name
    assert "BEGIN SOLUTION" not in student.read_text("utf-8")
    (archive,) = (tmp_path / "made" / "autograder").glob("*.zip")
    count = len(exercises_in(lesson))
    for name, notebook, points in (
        ("reference", tmp_path / "made" / "autograder" / lesson.name, count),
        ("blank", student, 0),
    ):
        folder = tmp_path / name
        folder.mkdir()
        graders("otter", "run", str(notebook), "-a", str(archive), "-o", str(folder), cwd=folder)
        results = json.loads((folder / "results.json").read_text("utf-8"))
        assert sum(test.get("score", 0) for test in results["tests"]) == points


@pytest.mark.parametrize(
    "code",
    [
        'exercises.answer("6.1", 1)\nexercises.answer("6.5", 2)',
        "exercises.answer('6.1', 1)",
        'feedback = exercises.answer("6.1", 1)',
        'exercises.answer(\n    "6.1", 1\n)',
        'exercises.answer("6.1",\n    40.0)',
        'exercises.answer("6.1", 1); exercises.answer("6.5", 2)',
        'from graphlab.exercises import answer\nanswer("6.1", 1)',
        'note = "#"; exercises.answer("6.1", 1)',
        '%time\nexercises.answer("6.1",\n    40.0)',
        'if True:\n    exercises.answer("6.1", 1)',
    ],
)
def test_an_answer_that_would_not_be_graded_is_refused(code, tmp_path):
    cells = [{"cell_type": "code", "source": code, "metadata": {}, "outputs": []}]
    (tmp_path / "own.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}}), "utf-8")
    with pytest.raises(ValueError, match=r"a cell may have one line `exercises.answer"):
        export(tmp_path / "own.ipynb", "nbgrader", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_exercise_that_is_answered_in_two_cells_is_refused(tmp_path):
    cell = {"cell_type": "code", "source": 'exercises.answer("6.1", 1)', "metadata": {}}
    (tmp_path / "own.ipynb").write_text(json.dumps({"cells": [cell] * 2, "metadata": {}}), "utf-8")
    with pytest.raises(ValueError, match="each exercise one cell"):
        export(tmp_path / "own.ipynb", "otter", tmp_path / "out")

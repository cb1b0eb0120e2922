"""Export a lesson as an assignment for nbgrader or Otter, with right answers, which they take out.

Each cell with `exercises.answer("6.1", ...)` becomes two: one for the answer, which the tool
empties for students, and one that checks it with `exercises.passed`. The exercise itself computes
the right answer; answers that are code come from a file for teachers, docs/teaching/solutions.py.

    python -m graphlab.faces.exercises notebooks/06_….ipynb --to nbgrader --out source/lesson_06

Read next: faces/exercises/__main__.py
"""

import ast
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from graphlab.common.output import write_whole
from graphlab.faces.exercises.answers import Code, Order, SameGraph
from graphlab.faces.exercises.marking import find

Cell = dict[str, Any]
FORMATS = ("nbgrader", "otter")
ANSWERED = re.compile(r"^exercises\.answer\(\"([\d.]+)\".*$", re.MULTILINE)
MAGIC = re.compile(r"^[%!].*$", re.MULTILINE)
PART = re.compile(r"^# %% ([\d.]+)\n", re.MULTILINE)
DOTS = re.compile(r"in the place\s+of the three dots")
POINTS = 1


def export(
    notebook: str | Path, to: str, out: str | Path, solutions: str | Path | None = None
) -> Path:
    """Write a lesson as the source of an assignment.

    notebook: the lesson's .ipynb. to: "nbgrader" or "otter". out: a new or empty folder. solutions:
    a Python file with the answers that are code; default docs/teaching/solutions.py, two folders
    above the notebook.
    Returns: the path of the new notebook, `out/<name of the lesson>.ipynb`.
    Raises: ValueError for an unknown format, a file that is not a notebook, a notebook without
    exercises, an unknown exercise, or one whose solution is missing; FileExistsError if `out` is
    not empty. Nothing is written then.

    >>> from graphlab import exercises
    >>> exercises.export("01_a_formula_is_a_graph.ipynb", "pdf", "assignment")
    Traceback (most recent call last):
    ValueError: a lesson is exported to nbgrader or otter, got 'pdf'
    """
    if to not in FORMATS:
        raise ValueError(f"a lesson is exported to {' or '.join(FORMATS)}, got {to!r}")
    source, folder = Path(notebook), Path(out)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FileExistsError(f"{folder} exists and is not empty; name a new folder")
    document = read_notebook(source)
    known = source.resolve().parents[1] / "docs" / "teaching" / "solutions.py"
    parts = parts_of(Path(solutions) if solutions is not None else known)
    document["cells"] = assigned(document["cells"], to, parts, source)
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / source.name
    write_whole(target, json.dumps(document, indent=1, ensure_ascii=False) + "\n")
    return target


def read_notebook(path: Path) -> dict[str, Any]:
    """Return a notebook as plain data. Raises: ValueError if the file is not a notebook."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"{path} cannot be read as a notebook ({error})") from None
    if not isinstance(document, dict) or not isinstance(document.get("cells"), list):
        raise ValueError(f"{path} is not a notebook: it has no cells")
    return document


def parts_of(path: Path) -> dict[str, str]:
    """Return the solutions in a file, by exercise; {} if there is no such file."""
    if not path.is_file():
        return {}
    pieces = PART.split(path.read_text(encoding="utf-8"))
    return {id: text.strip() for id, text in zip(pieces[1::2], pieces[2::2], strict=True)}


def assigned(cells: list[Cell], to: str, parts: dict[str, str], source: Path) -> list[Cell]:
    """Return the cells of the assignment."""
    make: Callable[..., list[Cell]] = nbgrader_cells if to == "nbgrader" else otter_cells
    found: list[Cell] = (
        [] if to == "nbgrader" else [raw(f"# ASSIGNMENT CONFIG\nname: {source.stem}")]
    )
    seen: set[str] = set()
    for cell in cells:
        text = "".join(cell.get("source", ()))
        calls = answers_in(text) if cell.get("cell_type") == "code" else []
        if not calls:
            found.append(without_outputs(cell))
            continue
        answered = ANSWERED.search(text)
        if len(calls) > 1 or "\n" in calls[0] or answered is None or answered[1] in seen:
            raise ValueError(
                f'{source}: a cell may have one line `exercises.answer("6.1", ...)`, in double '
                f"quotes and not indented, and each exercise one cell, but a cell has:\n{text}"
            )
        id = answered[1]
        seen.add(id)
        stub = ANSWERED.sub("", text).replace("from graphlab import exercises\n", "").strip()
        found += make(id, stub, solution_of(id, parts))
    if not seen:
        raise ValueError(f"{source} has no exercises: no cell calls exercises.answer")
    return [{**cell, "id": f"cell-{place}"} for place, cell in enumerate(found)]


def answers_in(code: str) -> list[str]:
    """Return the calls of `answer` in a cell, as they are written."""
    try:
        tree = ast.parse(MAGIC.sub("", code))
    except SyntaxError:  # as in a cell that shows a mistake
        return ANSWERED.findall(code)
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    found = (one for one in calls if ast.unparse(one.func).split(".")[-1] == "answer")
    return [ast.get_source_segment(code, one) or "" for one in found]


def solution_of(id: str, parts: dict[str, str]) -> str:
    """Return code that assigns a right answer to the answer's variable. Raises: ValueError."""
    exercise = find(id)
    if id in parts:
        return parts[id]
    if isinstance(exercise.answer, Code | SameGraph):
        raise ValueError(
            f"exercise {id} is answered with code, and its solution is missing; write it into "
            f"the file of solutions, below a line `# %% {id}`"
        )
    right = exercise.answer.expected()
    if isinstance(exercise.answer, Order) and not all(isinstance(one, str) for one in right):
        right = right[0]  # of several right orders the first
    return f"{name_of(id)} = {plain(right)!r}"


def plain(right: Any) -> Any:
    """Return a right answer as a number, a text or lists of them."""
    held = getattr(right, "_data", right)
    if isinstance(held, np.ndarray | np.generic):
        return held.tolist()
    if isinstance(held, list | tuple | set | frozenset):
        return [plain(one) for one in (sorted(held) if isinstance(held, set | frozenset) else held)]
    return held


def name_of(id: str) -> str:
    """Return the name of the variable for an answer: answer_6_1."""
    return "answer_" + id.replace(".", "_")


def check_of(id: str) -> str:
    """Return the code that checks an answer; it prints nothing."""
    return f'from graphlab import exercises\n\nexercises.passed("{id}", {name_of(id)})'


# -- the cells for each tool -------------------------------------------------------------------


def nbgrader_cells(id: str, stub: str, solution: str) -> list[Cell]:
    """Return the cells of one exercise as nbgrader reads them: the answer, and the check."""
    place = id.replace(".", "-")
    answer = f"{begun(id, stub)}### BEGIN SOLUTION\n{solution}\n### END SOLUTION"
    held = {"grade": False, "solution": True, "locked": False, "grade_id": f"answer-{place}"}
    check = {"grade": True, "solution": False, "locked": True, "grade_id": f"check-{place}"}
    common = {"schema_version": 3, "task": False}
    return [
        code(answer, nbgrader={**held, **common}),
        code(check_of(id), nbgrader={**check, **common, "points": POINTS}),
    ]


def otter_cells(id: str, stub: str, solution: str) -> list[Cell]:
    """Return the cells of one exercise as `otter assign` reads them."""
    name = "q" + id.replace(".", "_")
    answer = f"{begun(id, stub)}# BEGIN SOLUTION\n{solution}\n# END SOLUTION"
    return [
        raw(f"# BEGIN QUESTION\nname: {name}\npoints: {POINTS}"),
        raw("# BEGIN SOLUTION"),
        code(answer),
        raw("# END SOLUTION"),
        raw("# BEGIN TESTS"),
        code(check_of(id)),
        raw("# END TESTS"),
        raw("# END QUESTION"),
    ]


def begun(id: str, stub: str) -> str:
    """Return what the student begins with: the lesson's code, and where the answer goes."""
    return f"{stub}\n\n\n" * bool(stub) + f"# Your answer goes into the variable {name_of(id)}.\n"


def code(source: str, **metadata: Any) -> Cell:
    """Return a code cell that has not run."""
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": metadata,
        "outputs": [],
        "source": source,
    }


def raw(source: str) -> Cell:
    """Return a raw cell, which tells Otter what the cells around it are."""
    return {"cell_type": "raw", "metadata": {}, "source": source}


def without_outputs(cell: Cell) -> Cell:
    """Return a cell of the lesson without its outputs and metadata, and with no word of dots."""
    text = DOTS.sub("into the variable that the cell names", "".join(cell["source"]))
    kept = {**cell, "metadata": {}, "source": text}
    if cell.get("cell_type") == "code":
        kept |= {"outputs": [], "execution_count": None}
    return kept

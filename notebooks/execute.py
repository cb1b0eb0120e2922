"""Run the lessons and save them as they are committed: with outputs, without widget state.

    .venv/bin/python notebooks/execute.py            every lesson
    .venv/bin/python notebooks/execute.py 01*.ipynb  some

A cell tagged `widget` is saved without its output: JupyterLab shows an error for a widget whose
state is not there. What a lesson's traces show is in their saved outputs.
"""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parent
LARGEST = 375_000  # bytes: a lesson is downloaded over a school's network


def execute(path: Path) -> int:
    """Run one notebook in its folder and write it back; its size in bytes.

    Raises: CellExecutionError when a cell fails; the file is then left as it was.
    """
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(notebook, timeout=300, kernel_name="python3")
    client.execute(cwd=str(path.parent))
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # times: they would differ at every run
        if cell.cell_type == "code":
            cell.outputs = joined(cell.outputs)
        if "widget" in cell.metadata.get("tags", []):
            cell.outputs = []
    notebook.metadata.pop("widgets", None)
    notebook.metadata["language_info"] = {"name": "python"}
    nbformat.write(notebook, path)
    return path.stat().st_size


def joined(outputs: list[nbformat.NotebookNode]) -> list[nbformat.NotebookNode]:
    """Join the parts in which a text arrived: a busy computer sends it in more of them."""
    found: list[nbformat.NotebookNode] = []
    for output in outputs:
        last = found[-1] if found else None
        if output.output_type == "stream" and last is not None and last.get("name") == output.name:
            last.text += output.text
        else:
            found.append(output)
    return found


if __name__ == "__main__":
    patterns = sys.argv[1:] or ["*.ipynb"]
    for lesson in sorted({path for pattern in patterns for path in HERE.glob(pattern)}):
        size = execute(lesson)
        print(f"{lesson.name}  {size:,} bytes")
        if size > LARGEST:
            sys.exit(f"{lesson.name} is larger than {LARGEST:,} bytes: save fewer traces in it")

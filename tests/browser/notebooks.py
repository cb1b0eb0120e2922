"""Notebooks made for a test.

Read next: tests/browser/test_player.py.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nbformat
from nbformat import v4

from graphlab.faces.render.scene_builder import build_scene
from graphlab.graph.timeline import Timeline

KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}
MIME = "application/vnd.graphlab.v1+json"
LESSON = Path(__file__).resolve().parents[1] / "fixtures" / "lesson.json"


def lesson(**renamed: str) -> dict[str, Any]:
    """The trace of `e = a*b + c*log(d)`, drawn; `renamed` gives a tensor another name."""
    document = json.loads(LESSON.read_text("utf-8"))
    for tensor in document["graph"]["tensors"]:
        tensor["name"] = renamed.get(tensor["name"], tensor["name"])
    timeline = Timeline.from_json(document)
    scenes = tuple(build_scene(timeline.graph, view) for view in ("both", "backward"))
    return Timeline(timeline.graph, timeline.events, scenes, timeline.title).to_json()


def write_code(path: Path, *cells: str) -> None:
    """Write a notebook of code cells, not yet run."""
    notebook = v4.new_notebook(metadata={"kernelspec": KERNEL})
    notebook.cells = [v4.new_code_cell(source) for source in cells]
    nbformat.write(notebook, path)


def write_output(path: Path, *bundles: dict[str, Any], source: str = "graphlab.trace(e)") -> None:
    """Write a notebook of one cell, whose saved outputs are MIME bundles."""
    notebook = v4.new_notebook(metadata={"kernelspec": KERNEL})
    outputs = [v4.new_output("display_data", data=bundle) for bundle in bundles]
    notebook.cells = [v4.new_code_cell(source, outputs=outputs, execution_count=1)]
    nbformat.write(notebook, path)

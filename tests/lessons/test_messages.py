"""The page of messages says what GraphLab prints, and what was recorded from PyTorch."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path

import pytest

import graphlab

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "teaching" / "messages.md").read_text("utf-8")
RECORDED = json.loads((ROOT / "tests" / "data" / "errors.json").read_text("utf-8"))["cases"]
ENTRY = re.compile(
    r"### (.+)\n\n```python\n(.+?)```\n\n```text\n(.+?)\n```\n\n(.+\n\n.+)", re.DOTALL
)
ENTRIES = [found.groups() for part in re.split(r"\n(?=### )", PAGE) if (found := ENTRY.match(part))]


def said(code: str) -> str:
    """What a program ends with: its error, or else its first warning."""
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        try:
            exec(code, {"torch": graphlab, "__name__": "page"})
        except Exception as error:
            return f"{type(error).__name__}: {error}".strip()
    return f"{noted[0].category.__name__}: {noted[0].message}".strip()


def texts(recorded: object) -> list[str]:
    """Every text in what was recorded."""
    if isinstance(recorded, str):
        return [recorded.strip()]
    if isinstance(recorded, dict):
        return [text for value in recorded.values() for text in texts(value)]
    if isinstance(recorded, list):
        return [text for value in recorded for text in texts(value)]
    return []


def test_every_heading_of_the_page_has_a_program_and_a_message():
    assert len(ENTRIES) == PAGE.count("\n### ") > 20


@pytest.mark.parametrize(("title", "code", "text"), [one[:3] for one in ENTRIES])
def test_the_page_says_what_graphlab_prints(title, code, text):
    assert said(code) == text


@pytest.mark.parametrize(("title", "code", "text"), [one[:3] for one in ENTRIES])
def test_the_page_says_what_pytorch_printed(title, code, text):
    kind, _, message = text.partition(": ")
    pytorch = texts(RECORDED)
    assert text in pytorch or any(kind in one and message in one for one in pytorch)


@pytest.mark.parametrize(("title", "rest"), [(one[0], one[3]) for one in ENTRIES])
def test_each_message_is_explained_with_a_fix_and_a_lesson(title, rest):
    assert rest.startswith("**It means.** ")
    assert "**To fix it.** " in rest
    assert re.search(r"\*\*Lesson ([1-9]|1[0-2])\.\*\*", rest)


def shown(lesson: str) -> str:
    """Everything that a lesson prints, its names of nodes and its numbers made equal."""
    (path,) = (ROOT / "notebooks").glob(f"{int(lesson):02}_*.ipynb")
    cells = json.loads(path.read_text("utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    return leveled("".join("".join(output.get("text", "")) for output in outputs))


def leveled(message: str) -> str:
    """A message without what differs from program to program: numbers, and the node's name."""
    return re.sub(r"\d+", "0", re.sub(r"\w+Backward0?", "Backward", message))


@pytest.mark.parametrize(("title", "text", "rest"), [one[0:1] + one[2:4] for one in ENTRIES])
def test_the_lesson_that_is_named_prints_the_message(title, text, rest):
    lesson = re.search(r"\*\*Lesson (\d+)\.\*\*", rest).group(1)
    message = text.partition(": ")[2].partition("\n")[0][:60]
    assert leveled(message) in shown(lesson)

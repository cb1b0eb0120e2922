"""The code of docs/pytorch.md runs, from top to bottom.

Read next: tests/pytorch_graphs/pictures.py
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import graphlab
from tests import pages

pytestmark = pytest.mark.torch

PAGE = Path(__file__).resolve().parents[2] / "docs" / "pytorch.md"


def test_the_code_of_the_page_runs_and_says_what_the_page_says(torch, capsys):
    names: dict = {}
    torch.manual_seed(0)
    drawn, walked, recorded, checked, asked = pages.run("docs/pytorch.md", names)
    assert "<svg" in drawn.last.svg
    assert isinstance(walked.last, graphlab.Timeline)
    assert recorded.last is names["timeline"]
    assert checked.code.endswith("print(report)\n")
    assert len(asked.shown) == 7
    assert "7 of 7 steps: PyTorch's number equals the rule's" in capsys.readouterr().out
    assert names["timeline"].first_nonfinite() is None
    assert names["timeline"].unreached(names["net"]) == ()
    assert set(names["timeline"].saved_bytes(depth=1)) <= {"", "net"}
    assert names["timeline"].flow()


def test_the_pictures_of_the_page_are_there():
    images = re.findall(r"\]\((images/[^)]+)\)", PAGE.read_text(encoding="utf-8"))
    assert len(images) == 2
    assert all((PAGE.parent / image).is_file() for image in images)

"""What a trace is read from: a dict, its text, or a file; anything else is told apart at once.

Read next: graph/compression.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from graphlab.common.errors import TraceError, TraceVersionError
from graphlab.graph.timeline import Timeline
from tests.graph.example import lesson

DOCUMENT = lesson().to_json()
TEXT = json.dumps(DOCUMENT)


@pytest.mark.parametrize("before", ["", "\ufeff", "\n\t "])
def test_a_file_is_read_by_its_path(before: str, tmp_path: Path) -> None:
    (tmp_path / "walk.json").write_text(before + TEXT, "utf-8")
    assert Timeline.from_json(tmp_path / "walk.json") == lesson()
    assert Timeline.from_json((tmp_path / "walk.json").read_bytes()) == lesson()
    assert Timeline.from_json((tmp_path / "walk.json").read_text("utf-8")) == lesson()


def test_a_file_of_windows_notepad_is_read(tmp_path: Path) -> None:
    (tmp_path / "walk.json").write_text(TEXT, "utf-16")
    assert Timeline.from_json(tmp_path / "walk.json") == lesson()


@pytest.mark.parametrize(
    "path",
    ["walk.json", "walks/walk.json", r"C:\me\walk.graphlab.json", "walk.html", "a/walk"],
)
def test_a_path_in_a_text_is_called_one_and_never_opened(path: str) -> None:
    with pytest.raises(TraceError, match="is a path, not the text in the file") as caught:
        Timeline.from_json(path)
    assert f"Timeline.from_json(Path({path!r}))" in str(caught.value)


def test_what_is_wrong_in_a_file_is_said_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "cut.json").write_text(TEXT[:100], "utf-8")
    with pytest.raises(TraceError, match=r"The trace in .*cut\.json cannot be read: .* cut off"):
        Timeline.from_json(tmp_path / "cut.json")
    (tmp_path / "new.json").write_text(json.dumps({**DOCUMENT, "version": 99}), "utf-8")
    with pytest.raises(TraceVersionError, match=r"The trace in .*new\.json was written"):
        Timeline.from_json(tmp_path / "new.json")


def test_a_file_that_is_not_there_is_said_with_where_it_was_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError) as caught:
        Timeline.from_json(Path("walk.json"))
    assert f"cannot read walk.json: there is no such file in {tmp_path}" in str(caught.value)
    with pytest.raises(IsADirectoryError, match="it is a folder; name a file in it"):
        Timeline.from_json(tmp_path)


@pytest.mark.parametrize("page", ["<html>", "\n<!doctype html><p>", "<svg></svg>"])
def test_a_page_or_a_picture_is_called_one(page: str) -> None:
    with pytest.raises(TraceError, match=r"it is a page or a picture .* ends in \.json"):
        Timeline.from_json(page)


@pytest.mark.parametrize("nothing", ["", "  \n", b""])
def test_nothing_is_called_nothing(nothing: Any) -> None:
    with pytest.raises(TraceError, match=r"the text is empty, as if cut off .* timeline\.save"):
        Timeline.from_json(nothing)


def test_bytes_that_are_no_text_are_called_so(tmp_path: Path) -> None:
    (tmp_path / "walk.png").write_bytes(b"\x89PNG\r\n\x1a\n\xff\xfe")
    with pytest.raises(TraceError, match=r"walk\.png cannot be read: it is not a text file"):
        Timeline.from_json(tmp_path / "walk.png")


def test_what_is_nearly_right_gets_its_own_advice(tmp_path: Path) -> None:
    (tmp_path / "walk.json").write_text(TEXT, "utf-8")
    said = r"an open file.*pass file\.read\(\), or a Path"
    with (tmp_path / "walk.json").open() as file, pytest.raises(TraceError, match=said):
        Timeline.from_json(file)  # type: ignore[arg-type]
    with pytest.raises(TraceError, match="It is a Timeline already"):
        Timeline.from_json(lesson())  # type: ignore[arg-type]
    with pytest.raises(TraceError, match=r"call it .*: timeline\.to_json\(\)"):
        Timeline.from_json(lesson().to_json)  # type: ignore[arg-type]
    with pytest.raises(TraceError, match="a notebook"):
        Timeline.from_json({"cells": [], "nbformat": 4, "metadata": {}})
    with pytest.raises(TraceError, match=r"holds a trace; pass document\['application/vnd"):
        Timeline.from_json({"text/plain": "e", "application/vnd.graphlab.v1+json": DOCUMENT})
    for nothing in (None, 3, [DOCUMENT]):
        with pytest.raises(TraceError, match=r"expected the dict .* JSON text, or a Path"):
            Timeline.from_json(nothing)  # type: ignore[arg-type]

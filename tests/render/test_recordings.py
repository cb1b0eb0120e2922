"""A recording in every format: the requested pass, a failed pass, and no pass at all."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import graphlab
from graphlab.faces.render.bundle import timeline_bundle, with_scenes
from graphlab.faces.render.drawing import FORMATS
from graphlab.graph.timeline import Timeline

TEXTS = [".dot", ".mmd", ".txt"]


def two_passes() -> Timeline:
    """The square of x, then its logarithm."""
    x = graphlab.tensor(3.0, requires_grad=True)
    with graphlab.record() as timeline:
        (x * x).backward()
        graphlab.log(x).backward()
    return timeline


def failed() -> Timeline:
    """A pass that fails because a saved tensor was changed in place."""
    x = graphlab.tensor([1.0, 2.0], requires_grad=True)
    with graphlab.record() as timeline:
        y = x * 2
        z = (y * y).sum()
        y.add_(1)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            z.backward()
    return timeline


def empty() -> Timeline:
    with graphlab.record() as timeline:
        pass
    return timeline


def words_of(text: str) -> str:
    """The text that a picture or a page shows."""
    return re.sub(r"\s+", " ", re.sub(r"<title>.*?</title>|<[^>]+>", " ", text))


# --- several passes ---


@pytest.mark.parametrize("end", TEXTS)
def test_a_form_of_text_shows_the_pass_of_the_step_and_by_default_the_last(
    end: str, tmp_path: Path
) -> None:
    timeline = two_passes()
    square = timeline.save(tmp_path / f"a{end}", step=3).read_text("utf-8")
    log = timeline.save(tmp_path / f"b{end}").read_text("utf-8")
    assert ("MulBackward0" in square, "LogBackward0" in square) == (True, False)
    assert ("MulBackward0" in log, "LogBackward0" in log) == (False, True)


@pytest.mark.parametrize("end", TEXTS)
def test_a_form_of_text_has_the_gradients_of_its_moment(end: str, tmp_path: Path) -> None:
    timeline = two_passes()
    began = [k for k, event in enumerate(timeline) if event.kind == "PassBegan"]
    said = timeline.save(tmp_path / f"a{end}", step=began[1] - 1).read_text("utf-8")
    assert "grad 6.0" in said
    assert "6.3333" in timeline.save(tmp_path / f"b{end}").read_text("utf-8")


def test_the_text_says_which_pass_it_is(tmp_path: Path) -> None:
    timeline = two_passes()
    assert timeline.save(tmp_path / "a.txt").read_text("utf-8").startswith("Pass 2 of 2: ")
    assert timeline_bundle(timeline)["text/plain"].startswith("Pass 2 of 2: ")
    second = timeline.save(tmp_path / "a.txt", step=3).read_text("utf-8").splitlines()[1]
    assert second.startswith("Pass 1 of 2: ")


def test_a_step_that_does_not_exist_is_refused_by_text_too(tmp_path: Path) -> None:
    for end in TEXTS:
        with pytest.raises(IndexError, match="step 999 does not exist"):
            two_passes().save(tmp_path / f"a{end}", step=999)


def test_what_an_optimizer_changed_is_written_as_it_is_then(tmp_path: Path) -> None:
    w = graphlab.tensor(3.0, requires_grad=True)
    optimizer = graphlab.optim.SGD([w], lr=0.5)
    with graphlab.record() as timeline:
        (w * w).backward()
        optimizer.step()
    assert "w = 3.0" in timeline.save(tmp_path / "a.txt", step=-2).read_text("utf-8")
    for end in TEXTS:
        said = timeline.save(tmp_path / f"a{end}").read_text("utf-8")
        assert re.search(r"w (=|#61;) 0\.0", said)


# --- a pass that failed ---


def test_a_picture_of_a_failed_pass_says_where_it_failed_and_why(tmp_path: Path) -> None:
    timeline = failed()
    for view in ("both", "backward", "computation"):
        text = timeline.save(tmp_path / "g.svg", view=view).read_text("utf-8")
        assert "MulBackward0 failed: " in words_of(text).replace("  ", " ")
        assert "modified by an inplace operation" in words_of(text)
        assert "#b3261e" in text  # the ring around the node
        assert "test_recordings.py, line" in words_of(text)
    page = timeline_bundle(timeline)
    assert "failed" in page["image/svg+xml"]
    assert "until it failed" in page["text/html"]


@pytest.mark.parametrize("end", TEXTS)
def test_text_of_a_failed_pass_says_where_it_failed_and_why(end: str, tmp_path: Path) -> None:
    said = failed().save(tmp_path / f"a{end}").read_text("utf-8")
    if end == ".txt":
        assert "z = (y * y).sum()" in said.splitlines()[1]
        assert said.startswith("MulBackward0 failed: one of the variables needed for gradient")
        assert said.count("MulBackward0  FAILED") == 1
    assert "MulBackward0 failed" in said
    assert "inplace operation" in said


def test_text_of_a_second_pass_through_a_freed_graph_says_what_is_gone() -> None:
    x = graphlab.tensor([2.0, 5.0], requires_grad=True)
    total = (graphlab.log(x) ** 2).sum()
    with graphlab.record(expect=RuntimeError) as timeline:
        total.backward()
        total.backward()
    said = str(timeline)
    assert "PowBackward0  FAILED  saved self=[0.69315, 1.6094] (freed), exponent=2  [" in said
    assert "LogBackward0  saved self=[2.0, 5.0] (freed)" in said


def test_what_failed_is_forgotten_when_another_pass_begins(tmp_path: Path) -> None:
    x = graphlab.tensor([1.0, 2.0], requires_grad=True)
    with graphlab.record() as timeline:
        y = (x * x).sum()
        y.backward()
        with pytest.raises(RuntimeError, match="second time"):
            y.backward()
        (x * x).sum().backward()
    for end in (".svg", *TEXTS):
        assert "failed" not in timeline.save(tmp_path / f"a{end}").read_text("utf-8").lower()


# --- nothing was recorded ---


@pytest.mark.parametrize("end", sorted(set(FORMATS) - {".gif", ".png", ".pdf"}))
def test_a_recording_of_nothing_says_so_in_every_form(end: str, tmp_path: Path) -> None:
    said = words_of(empty().save(tmp_path / f"a{end}").read_text("utf-8"))
    if end == ".mmd":
        said = re.sub(r"#(\d+);", lambda found: chr(int(found[1])), said)
    assert "othing was recorded: no backward pass ran in the block" in said
    assert "Call backward() inside the block" in said


@pytest.mark.parametrize("end", [".png", ".pdf"])
def test_a_picture_of_nothing_has_room_for_the_sentence(end: str, tmp_path: Path) -> None:
    assert empty().save(tmp_path / f"a{end}").stat().st_size > 1500


def test_a_film_of_nothing_says_that_nothing_was_recorded(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="nothing was recorded: no backward pass ran"):
        empty().save(tmp_path / "a.gif")


def test_a_notebook_shows_the_sentence_and_no_player() -> None:
    shown = timeline_bundle(empty())
    assert set(shown) == {"text/html", "text/plain"}
    assert "Nothing was recorded: no backward pass" in shown["text/html"]
    assert "Nothing was recorded: no backward pass" in shown["text/plain"]
    assert "script" not in shown["text/html"]


def test_a_page_of_nothing_has_no_player(tmp_path: Path) -> None:
    page = empty().save(tmp_path / "a.html").read_text("utf-8")
    assert page.startswith("<!doctype html>")
    assert "<script" not in page


# --- time ---


def test_drawing_more_passes_reads_the_events_no_more_often() -> None:
    class Events(tuple[Any, ...]):
        """Events that count how often somebody walks through them."""

        reads = 0

        def __iter__(self) -> Iterator[Any]:
            type(self).reads += 1
            return super().__iter__()

    def reads(passes: int) -> int:
        x = graphlab.tensor(3.0, requires_grad=True)
        with graphlab.record() as timeline:
            for _ in range(passes):
                (x * x).backward()
        bare = replace(timeline, events=Events(timeline.events), scenes=(), passes=())
        Events.reads = 0
        assert len(with_scenes(bare).passes) == passes
        return Events.reads

    assert reads(4) == reads(8) > 0

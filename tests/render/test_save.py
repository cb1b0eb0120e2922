"""`save` of timelines and drawings: the name chooses the format; a file is complete or absent."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import graphlab
from graphlab.faces.render.bundle import timeline_bundle, with_scenes
from graphlab.faces.render.drawing import FORMATS, Drawing, Format
from graphlab.graph.timeline import Timeline
from tests.graph.builder import hostile
from tests.graph.example import lesson, lesson_graph

LESSON = with_scenes(lesson())
TEXTS = [".dot", ".html", ".json", ".mmd", ".svg", ".txt"]


@pytest.mark.parametrize("form", ["svg", "dot", "txt", "html", "json", "mmd", "SVG"])
def test_a_drawing_is_saved_in_the_form_its_name_ends_with(form: str, tmp_path: Path) -> None:
    drawing = Drawing(lesson_graph(), view="backward", theme="dark")
    path = drawing.save(tmp_path / f"g.{form}")
    text = path.read_text(encoding="utf-8")
    property = {"txt": "text", "mmd": "mermaid"}.get(form.lower(), form.lower())
    assert text.rstrip("\n") == getattr(drawing, property).rstrip("\n")


def test_a_drawing_can_be_saved_in_the_other_theme(tmp_path: Path) -> None:
    drawing = Drawing(lesson_graph())
    text = drawing.save(tmp_path / "g.svg", theme="dark").read_text("utf-8")
    assert text == Drawing(lesson_graph(), theme="dark").svg


@pytest.mark.parametrize("end", sorted(FORMATS))
def test_a_timeline_is_saved_in_every_form(end: str, tmp_path: Path) -> None:
    path = LESSON.save(tmp_path / f"walk{end}")
    assert path == tmp_path / f"walk{end}"
    assert path.stat().st_size > 300
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_a_saved_trace_can_be_opened_again(tmp_path: Path) -> None:
    path = lesson().save(tmp_path / "walk.graphlab.json")
    assert Timeline.from_json(path.read_text("utf-8")) == LESSON


def test_the_page_is_whole_forbids_the_network_and_opens_at_the_step(tmp_path: Path) -> None:
    page = LESSON.save(tmp_path / "walk.html", step=-3).read_text("utf-8")
    assert page.startswith("<!doctype html>")
    assert "default-src 'none'" in page
    assert f'data-step="{len(LESSON) - 3}"' in page
    assert "step by step where scripts run" in page


def test_a_moment_has_its_sentence_its_step_and_its_line(tmp_path: Path) -> None:
    text = LESSON.save(tmp_path / "m.svg", step=24).read_text("utf-8")
    words = re.sub(r"<title>.*?</title>|<[^>]+>", "", text)
    assert LESSON[24].sentence.replace("'", "&#39;") in words
    stops = LESSON.stops()
    count = f"tep {sum(k <= 24 for k in stops)} of {len(stops)}"
    assert f"s{count}" in words
    assert f'aria-label="S{count}: ' in text
    assert "The gradient reaches the leaf c" in LESSON[24].sentence


def test_a_moment_shows_what_waits_what_runs_and_what_is_done(tmp_path: Path) -> None:
    def marks(step: int) -> tuple[int, int, int]:
        text = LESSON.save(tmp_path / "m.svg", step=step).read_text("utf-8")
        waiting = text.count('stroke-dasharray="2.5 2.5"')
        running = text.count('stroke-width="3.6"')
        done = len(re.findall(r'<circle [^>]*r="7"', text))
        return waiting, running, done

    first, entered, last = marks(0), marks(1), marks(-1)
    assert first[0] > 0
    assert first[1:] == (0, 0)
    assert entered[1] == 1
    assert last[:2] == (0, 0)
    assert last[2] == 4  # every operation of the lesson


def test_a_negative_step_counts_from_the_end(tmp_path: Path) -> None:
    one = LESSON.save(tmp_path / "a.svg", step=-1).read_text("utf-8")
    other = LESSON.save(tmp_path / "b.svg", step=len(LESSON) - 1).read_text("utf-8")
    assert one == other


def test_without_a_step_the_picture_is_the_notebooks(tmp_path: Path) -> None:
    text = LESSON.save(tmp_path / "g.svg").read_text("utf-8")
    assert text == timeline_bundle(LESSON)["image/svg+xml"]


def test_the_text_of_a_step_has_its_sentence_and_its_gradients(tmp_path: Path) -> None:
    text = LESSON.save(tmp_path / "g.txt", step=24).read_text("utf-8")
    assert text.startswith(LESSON[24].sentence)
    assert "c = 5.0  leaf  grad 2.3026" in text
    assert "d = 10.0  leaf\n" in text + "\n"


def test_each_pass_of_a_recording_is_drawn_by_itself(tmp_path: Path) -> None:
    x = graphlab.tensor(3.0, requires_grad=True)
    with graphlab.record() as timeline:
        (x * x).backward()
        graphlab.log(x).backward()
    square = timeline.save(tmp_path / "a.svg", step=3).read_text("utf-8")
    log = timeline.save(tmp_path / "b.svg", step=-1).read_text("utf-8")
    assert ("MulBackward0" in square, "LogBackward0" in square) == (True, False)
    assert ("MulBackward0" in log, "LogBackward0" in log) == (False, True)


# --- errors: each says what to do and leaves no file ---


@pytest.mark.parametrize("name", ["g.pfd", "g", ".svg", "g.svg.gz", "g."])
@pytest.mark.parametrize("thing", [LESSON, Drawing(lesson_graph())], ids=["timeline", "drawing"])
def test_an_unknown_form_lists_the_choices(
    name: str, thing: Timeline | Drawing, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=r"\['\.dot', '\.gif', '\.html', .*'\.txt'\]"):
        thing.save(tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("end", [".svg", ".png", ".pdf", ".html", ".txt"])
@pytest.mark.parametrize("step", [10**6, -1000, len(LESSON)])
def test_a_step_that_does_not_exist_is_refused(end: str, step: int, tmp_path: Path) -> None:
    with pytest.raises(IndexError, match=rf"step {step} does not exist: .* 0 to 51"):
        LESSON.save(tmp_path / f"g{end}", step=step)
    assert not list(tmp_path.iterdir())


def test_with_a_granularity_a_step_is_the_one_that_the_picture_names(tmp_path: Path) -> None:
    stops = LESSON.stops("node")
    path = LESSON.save(tmp_path / "g.svg", step=7, granularity="node")
    assert f"step 7 of {len(stops)}" in path.read_text("utf-8")
    text = LESSON.save(tmp_path / "g.txt", step=7, granularity="node").read_text("utf-8")
    assert LESSON[stops[6]].sentence in " ".join(text.split())
    with pytest.raises(IndexError, match=rf"the steps are 1 to {len(stops)}, .* events from 0"):
        LESSON.save(tmp_path / "g.svg", step=0, granularity="node")
    with pytest.raises(TypeError, match="a step must be one integer, got str"):
        LESSON.save(tmp_path / "g.svg", step="3", granularity="node")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="granularity= says how step= counts"):
        LESSON.save(tmp_path / "g.svg", granularity="node")


def test_a_step_that_is_no_integer_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="a step must be one integer, got str"):
        LESSON.save(tmp_path / "g.svg", step="3")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("end", "option", "said"),
    [
        (".json", {"step": 3}, r"step= is for \.dot, \.html, .*; a \.json file takes no options"),
        (
            ".svg",
            {"scale": 2.0},
            r"scale= is for \.gif, \.png; a \.svg file takes step=, gran",
        ),
        (".png", {"seconds": 2.0}, r"seconds= is for \.gif; a \.png file takes"),
        (".svg", {"theme": "neon"}, r"unknown theme 'neon' \(must be one of \['dark', 'light'\]\)"),
        (".pdf", {"view": "front"}, r"unknown view 'front' \(must be one of \['backward'"),
        (".gif", {"granularity": "tiny"}, "unknown granularity 'tiny'"),
    ],
)
def test_an_option_that_means_nothing_is_refused(
    end: str, option: dict[str, object], said: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=said):
        LESSON.save(tmp_path / f"g{end}", **option)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*nowhere"):
        LESSON.save(tmp_path / "nowhere" / "g.svg")


@pytest.mark.parametrize("name", [3, None, b"g.svg", ["g.svg"]])
def test_what_is_no_name_of_a_file_is_refused(name: object) -> None:
    kind = type(name).__name__
    with pytest.raises(TypeError, match=rf"the name of a file, such as 'walk\.html', got {kind}"):
        LESSON.save(name)  # type: ignore[arg-type]


def test_an_open_file_is_no_name_of_a_file(tmp_path: Path) -> None:
    said = "an open file; pass its name"
    with (tmp_path / "g.svg").open("w") as file, pytest.raises(TypeError, match=said):
        LESSON.save(file)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "the name is empty"),
        (".", "it is a folder; name a file in it"),
        (".png", r"'\.png' is an ending .* without a name; write 'walk\.png'"),
        ("walk", r"'walk' has no ending .*\['\.dot', '\.gif', .*; write 'walk\.html'"),
        ("walk.jpg", r"no format ends in '\.jpg' \(must be one of \['\.dot', '\.gif'"),
        ("walk.html ", r"no format ends in '\.html ' "),
        (
            "nowhere/",
            r"'nowhere/' is the name of a folder; name a file in it, 'nowhere/walk\.html'",
        ),
    ],
)
def test_a_name_that_says_no_form_is_refused_with_one_that_does(
    name: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises((ValueError, IsADirectoryError), match=f"cannot save to .*{said}"):
        LESSON.save(name)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_not_there_is_found_out_before_anything_is_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[object] = []
    svg = Format("svg", lambda *given: drawn.append(given) or "")
    monkeypatch.setitem(FORMATS, ".svg", svg)
    with pytest.raises(FileNotFoundError, match=r"make it first: Path\(.*nowhere'\)\.mkdir"):
        LESSON.save(tmp_path / "nowhere" / "g.svg")
    assert drawn == []


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "g.svg").mkdir()
    with pytest.raises(IsADirectoryError, match="it is a folder; name a file in it"):
        LESSON.save(tmp_path / "g.svg")


def test_a_disk_that_is_full_leaves_the_old_file_and_no_half_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = LESSON.save(tmp_path / "g.svg")
    before = path.read_bytes()

    def full(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match=r"cannot save to .*g\.svg: No space left on device"):
        LESSON.save(path, theme="dark")
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_picture_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    path = LESSON.save(tmp_path / "g.svg")
    before = path.read_bytes()
    with pytest.raises(IndexError):
        LESSON.save(path, step=999)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_a_link_is_followed_and_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real.svg", tmp_path / "link.svg"
    real.write_text("old")
    link.symlink_to(real)
    LESSON.save(link)
    assert link.is_symlink()
    assert real.read_text("utf-8").startswith("<svg")


@pytest.mark.skipif(sys.platform == "win32", reason="other rights there")
@pytest.mark.parametrize("save", [LESSON.save, lambda path: graphlab.save(1, path)])
def test_a_file_that_is_read_only_stays(
    save: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "walk.txt"
    path.write_text("mine", "utf-8")
    path.chmod(0o444)
    if os.access(path, os.W_OK):  # root may write to any file
        monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(PermissionError, match="read-only"):
        save(path)
    assert path.read_text("utf-8") == "mine"


def test_a_saved_file_may_be_read_by_whom_the_mask_allows(tmp_path: Path) -> None:
    path = LESSON.save(tmp_path / "g.svg")
    other = tmp_path / "other"
    other.touch()
    assert path.stat().st_mode == other.stat().st_mode


def test_a_timeline_read_without_a_renderer_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from graphlab.common import notebook

    monkeypatch.setattr(notebook, "_presenters", {})
    with pytest.raises(RuntimeError, match="import graphlab"):
        LESSON.save(tmp_path / "g.svg")


def test_a_path_may_be_a_text_or_a_pathlike(tmp_path: Path) -> None:
    assert LESSON.save(os.fspath(tmp_path / "a.svg")).exists()


def test_hostile_names_can_be_saved_in_every_form(tmp_path: Path) -> None:
    drawing = Drawing(hostile())
    for end in [*TEXTS, ".png", ".pdf"]:
        assert drawing.save(tmp_path / f"g{end}").stat().st_size > 0
    read = Timeline.from_json((tmp_path / "g.json").read_text("utf-8"))
    assert read.graph == hostile()


# --- what is shown is what is saved ---


PARTS: list[dict[str, object]] = [{"scope": "net.0"}, {"depth": 1}]


@pytest.mark.parametrize("part", PARTS, ids=["a scope", "collapsed"])
@pytest.mark.parametrize("view", ["both", "backward", "computation"])
def test_a_saved_part_is_the_part_that_was_drawn(
    part: dict[str, object], view: str, tmp_path: Path
) -> None:
    net = graphlab.nn.Sequential(graphlab.nn.Linear(2, 3), graphlab.nn.Linear(3, 1))
    drawing = graphlab.draw(net(graphlab.ones(4, 2)).sum(), view=view, **part)  # type: ignore[arg-type]
    svg = drawing.save(tmp_path / "g.svg").read_text("utf-8")
    assert svg == drawing.svg == drawing._repr_mimebundle_()["image/svg+xml"]
    assert "not yet" not in svg
    assert Timeline.from_json(drawing.json).scenes == (drawing.scene,)
    for form in ("dot", "mmd", "txt"):
        text = drawing.save(tmp_path / f"g.{form}").read_text("utf-8")
        assert ("SumBackward0" in text, "MmBackward0" in text or "AddmmBackward0" in text) == (
            "depth" in part,
            "scope" in part,
        )


def test_a_card_is_one_node_in_the_forms_of_text() -> None:
    net = graphlab.nn.Sequential(graphlab.nn.Linear(2, 3), graphlab.nn.Linear(3, 1))
    x = graphlab.ones(4, 2)
    drawing = graphlab.draw(net(x).sum(), depth=2)
    assert drawing.text.splitlines()[1:] == [
        "└─ 0 net(x) = (4, 1) float32  net.1 (Linear, 4 nodes)",
        "     └─ 0 addmm = (4, 3) float32  net.0 (Linear, 4 nodes)",
        "          └─ 0 x = (4, 2) float32",
    ]
    assert '[["net.0<br/>Linear#44; 4 nodes"]]' in drawing.mermaid
    assert '"@net.0" [shape=box3d, label="net.0", xlabel="Linear, 4 nodes"]' in drawing.dot


def test_text_of_a_scope_that_gives_several_results_has_them_all() -> None:
    net = graphlab.nn.LSTM(2, 2, batch_first=True)
    out, (_, cell) = net(graphlab.ones(1, 2, 2))
    tops = [line for line in graphlab.draw(out.sum() + cell.sum(), scope="net").text.splitlines()]
    assert sum(line[0] not in "└├│ " for line in tops) == 2

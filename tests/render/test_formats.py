"""Text, HTML, a Drawing and the bundle of a notebook: the same graph in every format."""

from __future__ import annotations

import base64
import gzip
import json
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest

from graphlab.faces.render import html
from graphlab.faces.render.bundle import MIME, timeline_bundle, with_scenes
from graphlab.faces.render.drawing import Drawing
from graphlab.faces.render.html import still_of, to_html
from graphlab.faces.render.scene_builder import build_scene
from graphlab.faces.render.svg import to_svg
from graphlab.faces.render.text import MOST_LINES, to_text
from graphlab.graph.compression import compressed_text
from graphlab.graph.timeline import Timeline
from tests.golden import Golden
from tests.graph.builder import ALL, chain, diamond, hostile
from tests.graph.example import lesson, lesson_graph

LESSON = lesson()


@pytest.mark.parametrize("name", ALL)
def test_a_graph_as_a_tree_of_text(name: str, golden: Golden) -> None:
    golden(f"{name}.txt", to_text(ALL[name]()) + "\n")


def test_the_lesson_as_text_with_its_gradients(golden: Golden) -> None:
    golden("lesson.txt", to_text(lesson_graph(), LESSON.state_at(-1)) + "\n")


def test_a_tensor_used_twice_is_written_out_once() -> None:
    text = to_text(diamond())
    assert text.count("b = 2.0") == 2
    assert text.count("(see above)") == 1


def test_the_text_of_a_deep_graph_is_short() -> None:
    text = to_text(chain(2000))
    assert len(text.splitlines()) <= MOST_LINES + 1
    assert max(map(len, text.splitlines())) < 300


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.data: dict[str, list[str]] = {}
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        if self.tags:
            self.data.setdefault(self.tags[-1], []).append(data)


def test_html_without_a_built_player_is_the_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html, "player_script", lambda: None)
    page = to_html(LESSON)
    assert still_of(LESSON) == shown(page)
    assert "<script" not in page


def test_html_holds_the_picture_the_trace_and_the_player(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html, "player_script", lambda: "play()")
    tags = Tags()
    tags.feed(to_html(LESSON, standalone=True))
    assert tags.tags.count("img") == 1
    assert tags.tags.count("script") == 2
    trace, script, *_ = tags.data["script"]
    assert Timeline.from_json(unpacked(trace)) == LESSON
    assert script.strip() == "play()"


def test_no_name_ends_the_script_that_carries_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html, "player_script", lambda: "play()")
    tags = Tags()
    tags.feed(to_html(Timeline(hostile(), (), title="<img src=x onerror=y>"), standalone=True))
    assert tags.tags.count("script") == 2
    assert tags.tags.count("img") == 1  # the picture
    assert "onerror" not in {name for name, _ in tags.attributes}


def shown(page: str) -> str:
    """The picture in a page before a script replaces it."""
    found = re.search(r'src="data:image/svg\+xml;base64,([^"]+)"', page)
    assert found is not None
    return base64.b64decode(found[1]).decode("utf-8")


def unpacked(text: str) -> str:
    return gzip.decompress(base64.b64decode(text)).decode("utf-8", "surrogatepass")


def test_json_in_a_script_is_the_same_json() -> None:
    document = {"text": "</script><!-- & \u2028\u2029", "half": "\ud800"}
    text = compressed_text(document)
    assert text.replace("+", "").replace("/", "").rstrip("=").isalnum()
    assert json.loads(unpacked(text)) == document
    assert compressed_text(document) == text  # the same notebook is saved twice as the same file


def test_a_page_fetches_nothing() -> None:
    page = to_html(LESSON, standalone=True)
    assert "default-src 'none'" in page
    assert re.findall(r"\bsrc=.{12}", page) == ['src="data:image/']
    assert "<link" not in page
    assert "@import" not in page


def test_the_bundle_has_a_form_for_every_front_end() -> None:
    bundle = timeline_bundle(LESSON)
    assert list(bundle) == [MIME, "text/html", "image/svg+xml", "text/plain"]
    assert Timeline.from_json(bundle[MIME]) == LESSON
    assert bundle["image/svg+xml"] == shown(bundle["text/html"])
    assert "grad 2.3026" in bundle["text/plain"]


def test_a_timeline_without_scenes_is_given_those_of_the_player() -> None:
    bare = Timeline(lesson_graph(), LESSON.events)
    assert [scene.view for scene in with_scenes(bare).scenes] == ["both", "backward"]
    assert with_scenes(LESSON) is LESSON


def test_a_drawing_shows_itself_as_a_still_picture() -> None:
    bundle = Drawing(lesson_graph())._repr_mimebundle_()
    assert Timeline.from_json(bundle[MIME]).events == ()
    assert Timeline.from_json(bundle[MIME]).title == "e"
    assert bundle["image/svg+xml"].startswith("<svg")
    assert bundle["text/plain"].startswith("e = 17.513")


def test_drawing_loads_no_heavy_library() -> None:
    code = (
        "import sys, graphlab.faces.render.drawing, graphlab.faces.render.bundle\n"
        "heavy = {'sympy', 'ipywidgets', 'anywidget', 'graphviz', 'torch'} & set(sys.modules)\n"
        "heavy |= {'PIL', 'reportlab', 'resvg_py'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_drawing_says_none_where_a_player_says_not_yet() -> None:
    drawing = Drawing(lesson_graph())
    assert ">None<" in drawing.svg
    assert "not yet" not in drawing.svg
    assert "not yet" in to_svg(build_scene(lesson_graph()), lesson_graph())

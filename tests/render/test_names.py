"""Any name in any format is shown as text and never interpreted."""

from __future__ import annotations

import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from unittest import mock

import pypdfium2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphlab.faces.render import html
from graphlab.faces.render.bundle import with_scenes
from graphlab.faces.render.drawing import Drawing
from graphlab.faces.render.metrics import shorten
from graphlab.faces.render.pdf import to_pdf
from graphlab.faces.render.raster import to_png
from graphlab.faces.render.text import to_mermaid
from graphlab.graph.timeline import Timeline
from tests.graph.builder import Builder

NASTY = [
    "<script>alert(1)</script>", "</title><b>", "<!--", "-->", "]]>", "&lt;", "&amp;amp;", "\"'`",
    'a"]; evil --> b', "#quot;", "#35;", "%%{init: {}}%%", "end", "subgraph", "click t0 href", "\\",
    '\\"', "\\N\\G\\E", "$\\frac{a}{b}$", "${x}", "{{7*7}}", "\x00", "\x1b[31m", "\ud800", "\uffff",
    "a\nb", "\r\n", "\u2028", "שלום", "متغير", "\u202eright-to-left", "👩‍👩‍👧", "e\u0301",
    "名前", "  ",
]  # fmt: skip
names = st.one_of(
    st.text(max_size=40),
    st.sampled_from(NASTY),
    st.lists(st.one_of(st.sampled_from(NASTY), st.text(max_size=5)), max_size=4).map("".join),
)


def called(one: str, other: str) -> Drawing:
    """The drawing of a product of two leaves with these names."""
    build = Builder()
    build.apply("mul", "×", [build.leaf(one), build.leaf(other)], f"{one}*{other}", (), ("self",))
    return Drawing(build.graph())


@given(names, names)
def test_the_svg_is_well_formed_and_says_the_name(one: str, other: str) -> None:
    root = ElementTree.fromstring(called(one, other).svg)
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert tags <= {"svg", "g", "title", "desc", "rect", "circle", "path", "text"}
    texts = {element.text for element in root.iter() if element.tag.endswith("text")}
    said = re.sub("[\ud800-\udfff\ufffe\uffff]", "\ufffd", shorten(one))
    assert not said or said in texts


class Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        assert not any(name.startswith("on") for name, _ in attrs)


@given(names, names)
@settings(max_examples=40)
def test_the_html_has_no_element_that_a_name_made(one: str, other: str) -> None:
    timeline = Timeline(called(one, other).graph, (), (), title=one)
    page = Page()
    with mock.patch.object(html, "player_script", return_value="play()"):  # the real one is long
        page.feed(html.to_html(with_scenes(timeline), standalone=True))
    page.close()
    head = ["html", "head", *["meta"] * 4, "title"]
    assert page.tags == [*head, "body", "main", "div", "img", "script", "script"]


LABEL = r"(?:\w|[ .]|#\d+;|<br/>)+"  # letters, digits, entity codes: nothing that Mermaid reads
MERMAID = re.compile(
    rf'flowchart LR|  t\d+\["{LABEL}"\]|  n\d+\(\("{LABEL}"\)\)|  [tn]\d+ -->(?:\|\d+\|)? [tn]\d+'
    r"|  classDef leaf stroke:#0068a8,stroke-width:2px|  class [tn\d,]+ leaf"
)


@given(names, names)
def test_the_mermaid_text_has_only_lines_of_its_grammar(one: str, other: str) -> None:
    lines = to_mermaid(called(one, other).graph).split("\n")
    assert lines.pop() == ""
    assert all(MERMAID.fullmatch(line) for line in lines)
    label = re.search(r't0\["(.*)"\]', lines[1])
    assert label is not None
    shown = re.sub(r"#(\d+);", lambda code: chr(int(code[1])), label[1])
    safe = shorten(one).encode("utf-8", "replace").decode("utf-8")
    assert shown == (f"{safe} = 2.0" if one else "2.0")


STRING = r'"(?:[^"\\\x00-\x1f]|\\.)*"'  # as DOT's grammar has it: \\ and the next character are one
FIELD = rf"\w+=(?:\w+|{STRING})"
DOT = re.compile(
    rf"digraph graphlab {{|}}|  rankdir=LR;|  (?:node|[tn]\d+) \[{FIELD}(?:, {FIELD})*\];"
    rf"|  edge \[{FIELD}(?:, {FIELD})*\];|  [tn]\d+ -> [tn]\d+(?: \[headlabel=\"\d\"\])?;"
)


@given(names, names)
def test_the_dot_text_has_only_lines_of_its_grammar(one: str, other: str) -> None:
    lines = called(one, other).dot.split("\n")
    assert lines.pop() == ""
    assert all(DOT.fullmatch(line) for line in lines)
    label = re.search(rf"  t0 \[.*?label=({STRING})", "\n".join(lines))
    assert label is not None
    shown = re.sub(r"\\(.)", r"\1", label[1][1:-1])
    safe = re.sub(r"[\x00-\x1f]", " ", one).encode("utf-8", "replace").decode("utf-8")
    assert shown == (f"{safe} = 2.0" if one else "2.0")


@pytest.mark.parametrize("name", NASTY, ids=ascii)
def test_each_hostile_name_is_read_back_from_every_format(name: str) -> None:
    for test in (
        test_the_svg_is_well_formed_and_says_the_name,
        test_the_html_has_no_element_that_a_name_made,
        test_the_mermaid_text_has_only_lines_of_its_grammar,
        test_the_dot_text_has_only_lines_of_its_grammar,
    ):
        test.hypothesis.inner_test(name, f"{name}{name}")


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
@given(names, names)
@settings(max_examples=25)
def test_graphviz_reads_the_dot_text(one: str, other: str) -> None:
    text = called(one, other).dot
    done = subprocess.run(["dot", "-Tplain"], input=text.encode(), capture_output=True, check=True)
    assert b"Warning" not in done.stderr
    nodes = [line for line in done.stdout.splitlines() if line.startswith(b"node ")]
    edges = [line for line in done.stdout.splitlines() if line.startswith(b"edge ")]
    assert (len(nodes), len(edges)) == (4, 3)


@given(names, names)
@settings(max_examples=25)
def test_pixels_and_print_can_be_made_of_any_name(one: str, other: str) -> None:
    svg = called(one, other).svg
    assert to_png(svg, 0.5).startswith(b"\x89PNG")
    pdf = pypdfium2.PdfDocument(to_pdf(svg))
    assert len(pdf) == 1
    assert "MulBackward0" in pdf[0].get_textpage().get_text_bounded()


@given(names, names)
def test_the_text_has_one_line_for_each_tensor(one: str, other: str) -> None:
    assert len(called(one, other).text.split("\n")) == 3

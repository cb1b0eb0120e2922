"""Large documents by columns: nothing is lost, nothing hangs, and a page of 1,000 nodes is small.

`python -m tests.graph.test_columns --update` writes tests/fixtures/columns.json, which the player
reads too.
"""

from __future__ import annotations

import json
import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphlab
from graphlab import nn
from graphlab.common.errors import TraceError
from graphlab.faces.render.bundle import with_scenes
from graphlab.faces.render.html import to_html
from graphlab.graph.columns import from_columns, in_columns
from graphlab.graph.compression import (
    LARGE,
    compressed,
    compressed_text,
    decompressed,
    out_of_columns,
)
from graphlab.graph.document import write
from graphlab.graph.timeline import Timeline
from graphlab.graph.value import number_text
from tests.graph.example import lesson

FIXTURE = Path(__file__).parents[1] / "fixtures" / "columns.json"
LARGEST_PAGE = 450_000  # characters of the page of a trace of 1,000 nodes

AGAIN = [
    {"value": [1, 2.5, None, True, 7], "text": "a sentence of some length about n7 and n8"}
] * 3
DOCUMENTS: list[Any] = [
    {},
    [],
    "",
    {"a": [], "b": {}, "c": [[], {}], "d": None},
    {
        "ids": [
            "n1",
            "n2",
            "n10",
            "n010",
            "t3.grad",
            "7",
            "-7",
            "0.5",
            "5e-07",
            "٣",
            "²",
            "1000000000",
        ]
    },
    {"again": AGAIN, "once more": AGAIN, "first": AGAIN[0]},
    {"status": {"n1": "ready", "n2": "done"}, "__proto__": {"__proto__": 1}, "n1": {"t1": AGAIN}},
    ["two  spaces and a blank at the end ", " 12 345 678 90123456789", "x" * 50, "x" * 50],
    [
        "🐍" * 20,
        "🐍1 ",
        "🐍2",
        "🐍" * 20,
        "🐍2🐍",
        "é" * 40,
        "é" * 40,
        "a b é " * 9,
        "a b é " * 9,
        "🐍2🐍",
    ],
    {"numbers": "0.25 -0.125 1.5e-07 0.25 -0.125 1.5e-07", "turned": "0.25 1.5e-07 -0.125 0.25"},
    ["a1b", "a1b2", "a3b", "a4b5", "a6b", "1", "2 3", "4", "(2, 2)", "(3, 3", "(4, 4)"],
    {
        "floats": "1.0 12345.0 -99999.0 0.0001 -9.9999e-05 1e+05 3.4028e+38 -1e-45 5e-324 0.0",
        "others": "-0.0 0.250 00.25 1.23456 123456.0 1e-7 1E-07 +0.25 1_0.25 inf -nan 1e+999 ٣.25",
        "ids": ["w:n7>t3", "w:n9>t4", "w:n9>t4:", "n1.0", "(8, 8)", "M69.5H881.5", "7 7", "7 07"],
    },
]
WITHOUT_LETTERS = {"shapes": [], "columns": [["", [[2, 3]]], [" ", ["-0.25", [0]]]]}
PART = ["", [[1, 1]]]  # a list with one entry, which stands in the column "*"
REFUSED: dict[str, Any] = {
    "no column": {"shapes": [], "columns": []},
    "columns that are a text": {"shapes": [], "columns": "columns"},
    "a column that ends too early": {"shapes": [], "columns": [["", [[3, 1]]], ["*", [1, 2]]]},
    "a name of what is not there": {"shapes": [], "columns": [PART, ["*", [[0]]]]},
    "a name of what comes later": {"shapes": [], "columns": [PART, ["*", [[5]]]]},
    "a name before the first": {"shapes": [], "columns": [PART, ["*", [[-1]]]]},
    "a float without digits": {"shapes": [], "columns": [["", [[0, 4]], "##"]]},
    "a shape that is not there": {"shapes": [["a"]], "columns": [["", [[1, 0]]]]},
    "a list of lists without end": {
        "shapes": [],
        "columns": [["*" * k, [[1, 1]]] for k in range(150)],
    },
}
REFUSED["a small document that stands for a huge one"] = {
    "shapes": [],
    "columns": [  # a list of 9 texts, a list of 9 times the one before, and so on
        ["", [[20, 1]]],
        ["*", [[9, 1]] * 20],
        ["**", [*"123456789", *[one for k in range(19) for one in ([min(k, 1)], *[[0]] * 8)]]],
    ],
}


def fixture_text() -> str:
    pairs = [[one, json.loads(in_columns(one))] for one in (*DOCUMENTS, write_lesson())]
    pairs.insert(0, ["-0.25 -0.25", WITHOUT_LETTERS])
    listed = ",\n".join(json.dumps(pair, ensure_ascii=False) for pair in pairs)
    refused = json.dumps(REFUSED)
    return f'{{"pairs": [\n{listed}\n],\n"refused": {refused}\n}}\n'


def write_lesson() -> dict[str, Any]:
    return {**write(lesson()), "generator": "graphlab"}


@pytest.mark.parametrize("document", [*DOCUMENTS, write_lesson()], ids=lambda one: str(one)[:20])
def test_a_document_comes_back_from_its_columns(document: Any) -> None:
    there = json.loads(in_columns(document))
    assert json.dumps(from_columns(there)) == json.dumps(document)


def test_columns_from_before_floats_had_letters_are_read() -> None:
    assert from_columns(WITHOUT_LETTERS) == "-0.25 -0.25"


FLOATS = st.floats().map(number_text) | st.floats(width=32).map(number_text)


@given(st.lists(st.from_regex(r"a?[0-9]{1,2}b?[0-9]?", fullmatch=True), min_size=2))
def test_any_text_with_integers_comes_back_from_its_columns(texts: list[str]) -> None:
    assert from_columns(json.loads(in_columns(texts))) == texts


@given(st.lists(FLOATS | st.from_regex(r"-?[0-9]{1,6}\.?[0-9]{0,6}(e[-+][0-9]{1,3})?")))
def test_any_number_comes_back_from_its_columns(texts: list[str]) -> None:
    document = [*texts, " ".join(texts), *texts]
    assert from_columns(json.loads(in_columns(document))) == document


TEXTS = st.text(st.sampled_from("an. 019٣²-\n\ud800🐍"), max_size=60)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXTS,
    lambda inner: st.lists(inner, max_size=9) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=60,
)


@given(JSON)
def test_any_json_comes_back_from_its_columns(document: Any) -> None:
    again = [document, document]
    assert json.dumps(from_columns(json.loads(in_columns(again)))) == json.dumps(again)


def test_what_is_written_twice_is_one_object() -> None:
    first, second = from_columns(json.loads(in_columns([AGAIN, AGAIN])))
    assert first is second


def test_the_fixture_that_typescript_reads_is_current() -> None:
    assert FIXTURE.read_text(encoding="utf-8") == fixture_text()


@pytest.mark.parametrize("what", REFUSED)
def test_damaged_columns_are_refused_with_a_sentence(what: str) -> None:
    with pytest.raises(TraceError, match=r"^This trace cannot be read: .*Run the cell"):
        from_columns(REFUSED[what])


@given(st.data())
def test_columns_with_a_changed_token_are_refused_or_make_another_document(
    data: st.DataObject,
) -> None:
    there = json.loads(in_columns(DOCUMENTS[5]))
    columns = [tokens for _, tokens, _ in there["columns"] if tokens]
    tokens = data.draw(st.sampled_from(columns))
    at = data.draw(st.integers(0, len(tokens) - 1))
    tokens[at] = data.draw(JSON | st.lists(st.integers(-9, 9), min_size=1, max_size=3))
    with suppress(TraceError):  # and nothing else
        json.dumps(from_columns(there))


def deep() -> Timeline:
    """The trace of 200 layers of 8 x 8: about 1,000 nodes."""
    graphlab.manual_seed(0)
    net = nn.Sequential(*[layer for _ in range(200) for layer in (nn.Linear(8, 8), nn.Tanh())])
    return graphlab.trace(net(graphlab.randn(4, 8)).square().mean())


def test_the_page_of_a_trace_of_1000_nodes_is_small_and_plays_the_same_trace() -> None:
    timeline = deep()
    assert len(timeline.graph.nodes) > 1_000
    text = json.dumps(with_scenes(timeline).to_json())
    small = compressed(json.loads(text))
    columns = json.loads(decompressed(small["gzip"]))
    assert "columns" in columns
    assert out_of_columns(columns) == json.loads(text)
    assert Timeline.from_json(small) == timeline
    page = to_html(timeline, standalone=True, trace=small["gzip"])
    player = re.search(r"</div><script>.*</script>", page, re.DOTALL)
    without = len(page) - (len(player[0]) if player else 0)
    assert without + 100 * 1024 < LARGEST_PAGE  # 100 KB: what the player may have at most


def drawn_document(timeline: Timeline) -> dict[str, Any]:
    return json.loads(json.dumps(with_scenes(timeline).to_json()))


def test_a_small_document_and_one_that_is_waited_for_are_not_sorted() -> None:
    assert decompressed(compressed_text(write_lesson())).startswith('{"format":')
    large = {"events": ["x" * LARGE]}
    assert decompressed(compressed_text(large, level=1)).startswith('{"events":')
    assert decompressed(compressed_text(large)).startswith('{"shapes":')


if __name__ == "__main__" and "--update" in sys.argv:
    FIXTURE.write_text(fixture_text(), encoding="utf-8")


def test_a_few_characters_cannot_stand_for_a_hundred_million_parts() -> None:
    document = with_scenes(lesson()).to_json()
    document["scenes"] = [{**document["scenes"][0], "more": [[0] * 1000] * 100}] * 100
    columns = in_columns(document)
    assert len(columns) < 100_000
    text = compressed_text(json.loads(columns))
    with pytest.raises(TraceError, match=r"stands for more than 1,[0-9,]+ parts"):
        Timeline.from_json({"format": "graphlab.trace", "version": 3, "gzip": text})

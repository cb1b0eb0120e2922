"""A trace that comes from elsewhere is read with suspicion, and refused with the exact place."""

from __future__ import annotations

import copy
import gc
import json
import random
from dataclasses import fields
from typing import Any

import hypothesis.strategies as st
import jsonschema
import numpy as np
import pytest
from hypothesis import given

import graphlab
from graphlab.common.errors import TraceError, TraceVersionError
from graphlab.faces.render.bundle import with_scenes
from graphlab.graph.codec import encode
from graphlab.graph.compression import compressed, compressed_text, decompressed
from graphlab.graph.document import write
from graphlab.graph.event_log import MOST_EVENTS, capped
from graphlab.graph.events import EVENTS, Failed, Reduced
from graphlab.graph.timeline import Timeline
from graphlab.graph.value import Value, summarise
from tests.graph.builder import ALL, chain, mlp
from tests.graph.example import HOSTILE, lesson, lesson_graph
from tests.graph.schema import PATH, schema_text, trace_schema

DOCUMENT = write(lesson())
TEXT = json.dumps(DOCUMENT, ensure_ascii=False)
# a fixture that the tests in TypeScript refuse too: [what it is, document], ...
REFUSED = json.loads(HOSTILE.read_text(encoding="utf-8"))


def changed(path: str, value: Any) -> dict[str, Any]:
    """The lesson's document with one place changed; path as "graph nodes 0 name"."""
    document = copy.deepcopy(DOCUMENT)
    *way, last = [int(step) if step.isdigit() else step for step in path.split()]
    place: Any = document
    for step in way:
        place = place[step]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return document


def test_reading_gives_back_what_was_written() -> None:
    assert Timeline.from_json(DOCUMENT) == lesson()
    assert Timeline.from_json(TEXT) == lesson()
    assert Timeline.from_json(json.dumps(lesson().to_json())) == lesson()
    assert write(Timeline.from_json(TEXT)) == DOCUMENT


def integers(thing: Any) -> list[int]:
    """All integers anywhere in JSON."""
    parts = list(thing.values()) if isinstance(thing, dict) else thing
    if isinstance(parts, list):
        return [number for part in parts for number in integers(part)]
    return [thing] if type(thing) is int else []


def test_no_integer_of_what_is_displayed_is_too_large_for_a_front_end() -> None:
    # JupyterLab rounds larger ones on saving; JupyterLite and jupyter-collaboration refuse them
    x = graphlab.tensor([2.0, 2**60], requires_grad=True)
    for shown in (graphlab.trace((x * x).sum()), graphlab.draw(x[x > 1].sum(dim=-1))):
        bundle = shown._repr_mimebundle_()["application/vnd.graphlab.v1+json"]
        found = integers([bundle, json.loads(decompressed(bundle["gzip"]))])
        assert max(map(abs, found)) <= 2**53 - 2
    assert encode(Value((2**62, 0), "int64", "huge", nbytes=2**70))["nbytes"] == 2**53 - 2


@pytest.mark.parametrize("name", ALL)
def test_any_graph_survives_the_journey(name: str) -> None:
    still = Timeline(ALL[name](), (), title=name)
    text = json.dumps(still.to_json())
    assert Timeline.from_json(text) == still


def test_events_that_the_lesson_lacks_survive_the_journey() -> None:
    three = summarise(np.array([1.0, 2.0, 3.0], np.float32))
    graph = lesson_graph()
    events = (
        Reduced("n0", "AddBackward0", "n0.0", "t2", "u", (4, 3), three),
        Failed("n0", "AddBackward0", "in-place", graph.nodes[0].source),
    )
    timeline = Timeline(graph, events)
    assert Timeline.from_json(json.dumps(timeline.to_json())) == timeline
    assert timeline.state_at(-1)["error"] == {"message": "in-place", "node": "n0"}


def test_unknown_fields_are_passed_over() -> None:
    assert Timeline.from_json(changed("graph nodes 0 colour", "red")) == lesson()
    assert Timeline.from_json(changed("made_by", "someone")) == lesson()


@pytest.mark.parametrize("document", [[], "[]", None, 3, "3", '"graphlab.trace"'])
def test_what_is_no_object_is_refused(document: Any) -> None:
    with pytest.raises(TraceError, match=r"the document is .* expected the dict"):
        Timeline.from_json(document)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("format", "other", r"format is 'other' \(str\), expected 'graphlab.trace'"),
        ("format", ..., "format is None"),
        ("version", "1", "version is '1'"),
        ("version", True, "version is True"),
        ("version", 0, "version is 0"),
        ("graph", ..., "it has no 'graph'"),
        ("events", ..., "it has no 'events'"),
        ("events", {}, r"events is {} \(dict\), expected a list"),
        ("title", 5, r"title is 5 \(int\), expected a string"),
        ("graph nodes 0 name", ..., r"graph\.nodes\[0\] has no 'name'"),
        ("graph nodes 0 sequence", "3", r"graph\.nodes\[0\]\.sequence is '3' \(str\), .*integer"),
        ("graph nodes 0 sequence", True, r"graph\.nodes\[0\]\.sequence is True"),
        ("graph tensors 2 is_leaf", 1, r"graph\.tensors\[2\]\.is_leaf is 1 .*true or false"),
        (
            "graph tensors 2 value shape 0",
            1.5,
            r"tensors\[2\]\.value\.shape\[0\] is 1\.5 \(float\)",
        ),
        ("graph tensors 2 value", [], r"graph\.tensors\[2\]\.value is \[\] .*fields of Value"),
        ("graph tensors 1 id", "t0", r"graph\.tensors\[1\]\.id is 't0' .*used only once"),
        ("graph nodes 0 inputs 0", "t99", r"graph\.nodes\[0\]\.inputs\[0\] is 't99' .*a tensor in"),
        ("graph edges 0 target", "n99", r"graph\.edges\[0\]\.target is 'n99' .*graph\.nodes"),
        ("graph root", "nowhere", r"graph\.root is 'nowhere'"),
        ("events 0 kind", "Exploded", r"events\[0\]\.kind is 'Exploded' .*one of \['Accumulated'"),
        ("events 0 kind", ["Seeded"], r"events\[0\]\.kind is \['Seeded'\]"),
        ("events 0", "Seeded", r"events\[0\] is 'Seeded' .*an event"),
        ("events 0 tensor", "t99", r"events\[0\]\.tensor is 't99' .*the id of a tensor"),
        ("events 1 queue", ["n99"], r"events\[1\]\.queue\[0\] is 'n99'"),
        ("events 2 edge", "n0.9", r"events\[2\]\.edge is 'n0\.9' .*the id of an edge"),
        (
            "events 2 equation symbols 1",
            ["gradient"],
            r"symbols\[1\] is \['gradient'\] .*2 entries",
        ),
        ("events 2 equation symbols 0", 5, r"symbols\[0\] is 5"),
        ("scenes 0 width", "wide", r"scenes\[0\]\.width is 'wide' .*finite number"),
        ("scenes 0 width", float("nan"), r"scenes\[0\]\.width is nan"),
        ("scenes 0 width", 10**400, r"scenes\[0\]\.width is 1000.*finite number"),
        ("graph edges 0 target", "n0", r"graph\.edges\[0\]\.target is 'n0' .*after its source"),
        ("graph edges 0 index", -5, r"graph\.edges\[0\]\.index is -5 .*number of an input"),
        ("scenes 0 view", "sideways", r"scenes\[0\]\.view is 'sideways' .*'backward', 'both'"),
        ("scenes 0 groups 0 marks 0 m", "script", r"marks\[0\]\.m is 'script'"),
    ],
)
def test_a_wrong_place_is_named_with_what_was_expected(path: str, value: Any, message: str) -> None:
    with pytest.raises(TraceError, match=message):
        Timeline.from_json(changed(path, value))


def test_a_graph_that_runs_in_a_circle_is_refused() -> None:
    made = DOCUMENT["graph"]["nodes"][0]["outputs"][0]
    with pytest.raises(TraceError, match=r"graph\.nodes\[0\]\.inputs\[0\] is .* later node"):
        Timeline.from_json(changed("graph nodes 0 inputs 0", made))


def test_a_drawing_of_something_else_is_refused() -> None:
    groups = DOCUMENT["scenes"][0]["groups"]
    card = next(k for k, group in enumerate(groups) if group["kind"] == "tensor")
    with pytest.raises(TraceError, match=r"scenes\[0\]\.groups\[\d+\]\.id is 't99'"):
        Timeline.from_json(changed(f"scenes 0 groups {card} id", "t99"))


def test_a_newer_version_asks_for_an_update() -> None:
    document = changed("version", 4)
    document["generator"] = "graphlab 9.0"
    with pytest.raises(TraceVersionError, match=r"by graphlab 9\.0 as version 4.*pip install"):
        Timeline.from_json(document)


def test_a_version_from_before_the_first_release_is_refused_with_what_to_do() -> None:
    with pytest.raises(TraceVersionError, match=r"as version 1, before .* Run the cell"):
        Timeline.from_json(changed("version", 1))


def test_a_trace_with_a_million_events_is_cut_to_the_first_and_says_so() -> None:
    graph, event = write(lesson())["graph"], DOCUMENT["events"][0]
    long = Timeline.from_json({**DOCUMENT, "graph": graph, "events": [event] * 1_000_000})
    assert len(long) == MOST_EVENTS
    assert long.notice == capped(1_000_000)
    again = Timeline.from_json(long.to_json())
    assert (len(again), again.notice) == (MOST_EVENTS, long.notice)


@pytest.mark.parametrize(("what", "document"), REFUSED, ids=[what for what, _ in REFUSED])
def test_a_hostile_document_is_refused_with_a_sentence(what: str, document: Any) -> None:
    with pytest.raises(TraceError, match="cannot be read"):
        Timeline.from_json(document)


def test_a_compressed_trace_is_the_same_trace() -> None:
    assert Timeline.from_json(json.dumps(compressed(DOCUMENT))) == lesson()
    assert len(json.dumps(compressed(DOCUMENT))) < len(TEXT) / 4


def test_a_compressed_trace_of_a_newer_version_is_refused_before_it_is_decompressed() -> None:
    document = {**compressed(DOCUMENT), "version": 99, "gzip": 3}
    with pytest.raises(TraceVersionError, match="version 99"):
        Timeline.from_json(document)


def test_a_small_text_that_stands_for_a_huge_one_is_never_decompressed() -> None:
    bomb = compressed_text("0" * 1_000_000)
    assert len(bomb) < 2000
    assert len(decompressed(bomb, 1_000_002)) == 1_000_002
    with pytest.raises(TraceError, match="larger than 1,000,001 bytes"):
        decompressed(bomb, 1_000_001)


@pytest.mark.parametrize("width", [0, -5, 1e9])
def test_a_picture_without_a_size_is_refused(width: float) -> None:
    document = copy.deepcopy(DOCUMENT)
    document["scenes"][0]["width"] = width
    with pytest.raises(TraceError, match=r"above 0|below 1,000,000,000"):
        Timeline.from_json(document)


NOISE = random.Random(0).randbytes(350_000).hex()  # does not compress, as an honest trace


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("0" * 5_000_000, "larger than 4,194,304 bytes"),
        ([NOISE, [[[]] * 4_200_000] * 2], "more than 8,388,608 lists"),
    ],
)
def test_a_compressed_trace_is_refused_before_it_fills_the_memory(
    document: object, message: str
) -> None:
    text = compressed_text(document)
    with pytest.raises(TraceError, match=message):
        decompressed(text)


@given(st.data())
def test_a_compressed_trace_with_a_changed_letter_is_refused_or_the_same(
    data: st.DataObject,
) -> None:
    text = compressed(DOCUMENT)["gzip"]
    at = data.draw(st.integers(0, len(text) - 1))
    other = data.draw(st.sampled_from("A+/=z9"))
    try:
        timeline = Timeline.from_json({**DOCUMENT, "gzip": text[:at] + other + text[at + 1 :]})
    except TraceError:
        return
    assert timeline == lesson()


def test_a_trace_is_written_while_the_garbage_collector_is_off_and_it_is_on_again() -> None:
    seen = []
    trace = Timeline.later(lambda: seen.append(gc.isenabled()) or lesson(), with_scenes)
    Timeline.to_json(trace)
    assert (seen, gc.isenabled()) == ([False], True)


def test_a_trace_with_scenes_is_the_same_timeline_again() -> None:
    drawn = with_scenes(lesson())
    assert Timeline.from_json(json.dumps(drawn.to_json())) == drawn
    still = with_scenes(Timeline(mlp(), ()))
    assert Timeline.from_json(json.dumps(still.to_json())) == still


def test_a_collapsed_trace_is_the_same_timeline_again() -> None:
    drawn = with_scenes(Timeline(chain(200), ()))
    assert any(group.id.startswith("~") for scene in drawn.scenes for group in scene.groups)
    assert Timeline.from_json(compressed(drawn.to_json())) == drawn


def test_errors_are_also_value_errors() -> None:
    assert issubclass(TraceError, ValueError)
    assert issubclass(TraceVersionError, ValueError)


@given(st.integers(0, len(TEXT) - 1))
def test_a_text_that_was_cut_off_says_so(length: int) -> None:
    with pytest.raises(TraceError, match="cut off"):
        Timeline.from_json(TEXT[:length])


def test_text_that_is_no_json_says_where() -> None:
    with pytest.raises(TraceError, match="not JSON at line 1, column 2"):
        Timeline.from_json("{format: 1}  ")


def test_monstrous_json_is_refused_without_a_crash() -> None:
    with pytest.raises(TraceError, match="cannot be read"):
        Timeline.from_json("[" * 200_000)
    with pytest.raises(TraceError, match="cannot be read"):
        Timeline.from_json('{"version": ' + "9" * 10_000 + "}")


@given(st.data())
def test_any_value_anywhere_is_read_or_refused_and_nothing_else(data: st.DataObject) -> None:
    document = copy.deepcopy(DOCUMENT)
    place: Any = document
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = data.draw(st.sampled_from(keys))
        if isinstance(place[key], dict | list) and place[key] and data.draw(st.integers(0, 9)):
            place = place[key]
            continue
        junk = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3)
        place[key] = data.draw(junk | st.just([]) | st.just({}))
        break
    try:
        timeline = Timeline.from_json(document)
    except TraceError:
        return
    timeline.to_json()


def test_the_committed_schema_is_current() -> None:
    # rewritten by: python -m tests.graph.schema --update
    assert PATH.read_text(encoding="utf-8") == schema_text()


def test_what_is_written_fits_the_schema() -> None:
    jsonschema.Draft202012Validator(trace_schema()).validate(json.loads(TEXT))


def test_every_state_of_the_lesson_fits_the_schema() -> None:
    schema = trace_schema()
    state = {"$ref": "#/$defs/State", "$defs": schema["$defs"]}
    validator = jsonschema.Draft202012Validator(state)
    for k in range(len(lesson())):
        validator.validate(lesson().state_at(k))


def test_every_event_kind_stands_in_the_schema() -> None:
    assert set(EVENTS) <= set(trace_schema()["$defs"])


def test_a_record_is_written_without_what_is_default_and_a_value_with_everything() -> None:
    timeline = Timeline(lesson_graph(), ())
    written = write(timeline)["graph"]["tensors"][0]
    assert "grad" not in written
    assert set(written["value"]) == {field.name for field in fields(Value)} - {"norm"}
    assert summarise(2.0).rows == ()

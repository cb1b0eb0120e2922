"""A trace travels small: what comes out of the packed form is what went in, or an error."""

from __future__ import annotations

import copy
import gc
import json
from collections import Counter
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

from graphlab.common.errors import TraceError
from graphlab.faces.render.bundle import with_scenes
from graphlab.graph.document import plain
from graphlab.graph.moulds import RESERVED
from graphlab.graph.pack import ENOUGH, pack
from graphlab.graph.subtrees import Subtrees
from graphlab.graph.timeline import Timeline
from graphlab.graph.unpack import unpack
from tests.graph.builder import ALL, chain, mlp
from tests.graph.example import PACKED, lesson

# a fixture that the tests in TypeScript refuse too: [what it is, document], ...
HOSTILE = json.loads((Path(PACKED).parent / "hostile.json").read_text(encoding="utf-8"))

odd = st.sampled_from([*RESERVED, "n12.0", "M1 2.5h3", "M-0.5", "007", "1e5", "__proto__", "kind"])
texts = st.text(max_size=5) | odd
numbers = st.integers(-30, 30) | st.integers() | st.integers(-99, 99).map(lambda n: n / 10)
leaves = st.none() | st.booleans() | numbers | texts
trees = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=20,
)


def size(document: Any) -> int:
    return len(json.dumps(document, ensure_ascii=False, separators=(",", ":")))


def travelled(document: dict[str, Any]) -> Any:
    return unpack(json.loads(json.dumps(pack(document))))


def same(one: Any, other: Any) -> bool:
    """Equal, and True is not 1."""
    return json.dumps(one) == json.dumps(other)


@given(st.dictionaries(texts.filter(lambda key: key not in ("moulds", "shared")), trees))
def test_whatever_is_packed_comes_out_again(document: dict[str, Any]) -> None:
    assert same(travelled(document), document)


@given(trees, st.lists(st.tuples(texts, st.integers(0, 999), numbers), min_size=2, max_size=30))
def test_records_of_one_form_come_out_again(tree: Any, given: list[tuple[Any, ...]]) -> None:
    records = [
        {"id": f"n{k}", "edge": f"n{k}.0", "say": f"{text} to {text}, n{k + 1}", "d": f"M{x} {k}h5",
         "x": x, "right": k + 40, "kind": "flow", "more": tree, "at": {f"t{k}": text}}
        for text, k, x in given
    ]  # fmt: skip
    assert same(travelled({"events": records}), {"events": records})
    assert same(travelled({"a": {"b": [records[0], {"c": records}]}})["a"]["b"][1]["c"], records)


@pytest.mark.parametrize("name", [*ALL, "chain"])
def test_every_drawn_graph_comes_out_of_less_than_half_its_size(name: str) -> None:
    graph = ALL[name]() if name in ALL else chain(100)
    document = plain(with_scenes(Timeline(graph, ())))
    assert same(travelled(document), json.loads(json.dumps(document)))
    assert size(pack(document)) < 0.7 * size(document)


def test_the_larger_a_trace_the_more_it_shrinks() -> None:
    document = plain(with_scenes(Timeline(chain(150), ())))
    assert size(pack(document)) < size(document) / 4


@given(st.lists(trees, min_size=1, max_size=4))
def test_each_subtree_has_one_number_and_is_counted_as_often_as_it_occurs(roots: list[Any]) -> None:
    tree = Subtrees(roots)
    occurs: Counter[str] = Counter()

    def visit(thing: Any) -> None:
        occurs[json.dumps(thing)] += 1
        inside = [*thing, *thing.values()] if isinstance(thing, dict) else thing
        for part in inside if isinstance(thing, dict | list) else ():
            visit(part)

    for root in roots:
        visit(root)
    assert occurs == dict(zip(map(json.dumps, tree.things), tree.count, strict=True))


def test_a_trace_is_written_while_nobody_looks_for_cycles_and_they_are_looked_for_again() -> None:
    seen = []
    trace = Timeline.later(lambda: seen.append(gc.isenabled()) or lesson(), with_scenes)
    Timeline.to_json(trace)
    assert (seen, gc.isenabled()) == ([False], True)


def test_packing_changes_nothing_in_its_document() -> None:
    document = plain(lesson())
    before = copy.deepcopy(document)
    pack(document)
    assert document == before


def test_what_many_events_hold_stands_only_once() -> None:
    value = {"shape": [9, 9], "dtype": "float32", "entries": "1.25 " * 81}
    events = [{"kind": "Seeded", "node": f"n{k}", "value": value} for k in range(ENOUGH)]
    packed = pack({"events": events, "initial": {"grads": {"t0": value}}})
    assert json.dumps(packed).count("1.25 1.25") == json.dumps(value).count("1.25 1.25")


@pytest.mark.parametrize(("what", "document"), HOSTILE, ids=[what for what, _ in HOSTILE])
def test_a_hostile_document_is_refused_with_a_sentence(what: str, document: Any) -> None:
    with pytest.raises(TraceError, match="cannot be read"):
        Timeline.from_json(document)


@given(st.data())
def test_any_value_anywhere_in_a_packed_trace_is_read_or_refused(data: st.DataObject) -> None:
    document = json.loads(PACKED.read_text(encoding="utf-8"))
    place: Any = document
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = data.draw(st.sampled_from(keys))
        if isinstance(place[key], dict | list) and place[key] and data.draw(st.integers(0, 9)):
            place = place[key]
            continue
        place[key] = data.draw(leaves | st.floats() | st.just([]) | st.just({}))
        break
    try:
        timeline = Timeline.from_json(document)
    except TraceError:
        return
    timeline.to_json()


def test_a_trace_with_scenes_and_values_is_the_same_timeline_again() -> None:
    drawn = with_scenes(lesson())
    assert Timeline.from_json(json.dumps(drawn.to_json())) == drawn
    still = with_scenes(Timeline(mlp(), ()))
    assert Timeline.from_json(json.dumps(still.to_json())) == still

"""A document is a timeline as JSON; this file writes it, and reads it without trusting it.

A document may come from a notebook, a web page or a colleague, so every field and every id is
checked. The patches and captions in it are for players; reading makes them again from the events.

Read next: graph/compression.py
"""

import functools
import gc
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import metadata
from typing import Any, NamedTuple

from graphlab.common.errors import TraceError, TraceVersionError
from graphlab.graph.causes import causes_of
from graphlab.graph.codec import ADVICE, article, decode, encode, fault
from graphlab.graph.compression import WANTED, Source, decompressed, load, out_of_columns, parse
from graphlab.graph.event_log import MOST_EVENTS, ForwardPart, capped, copied
from graphlab.graph.events import EVENTS, Event
from graphlab.graph.events.event import tensor_of
from graphlab.graph.formula_reading import read_replay
from graphlab.graph.formulas import Replay, write_replay
from graphlab.graph.model import Graph
from graphlab.graph.questions import Questions, read_questions, write_questions
from graphlab.graph.scene import Pass, Scene, read_passes, write_passes
from graphlab.graph.states import Opening, read_opening

FORMAT = "graphlab.trace"
VERSION = 3
MOST_ABSENT = 8  # inputs that may be None, such as the lower bound of a clamp; edges count them
A_REFERENCE = 'a reference to a value, such as "after", "slope:named" or "t5" (docs/trace.md)'


class Contents(NamedTuple):
    """The parts of a document that was read, in the order of a Timeline's fields."""

    graph: Graph
    events: tuple[Event, ...]
    scenes: tuple[Scene, ...]
    title: str
    passes: tuple[Pass, ...]
    notice: str
    replay: Replay | None
    forward: tuple[ForwardPart, ...]
    walks_forward: bool  # whether a player shows the forward parts
    opening: Opening | None
    asked: Questions


@contextmanager
def uncollected() -> Iterator[None]:
    """Switch the garbage collector off while a document is made or read.

    A document can have a million small objects and no cycle; searching for cycles would take a
    third of the time.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def write(timeline: Any, copies: bool = True, drawn: bool = True) -> dict[str, Any]:
    """The document of a Timeline: plain JSON, as docs/trace.schema.json describes it.

    copies: whether the caller may change the patches; False is faster. drawn: whether the document
    holds the scenes.
    """
    with uncollected():
        base, parts = timeline.with_forward(False), timeline.forward
        patches, forward = base.shared_patches
        causes = causes_of(timeline.graph)
        if copies:
            patches, forward = copied(patches), copied(forward)
        events = zip(base.events, patches, strict=True)
        document = {
            "format": FORMAT,
            "version": VERSION,
            "generator": generator(),
            "title": timeline.title,
            **({"notice": timeline.notice} if timeline.notice else {}),
            "graph": encode(timeline.graph),
            **({"causes": encode(causes)} if causes else {}),
            "initial": timeline.initial,
            "events": [_write_event(event, patch) for event, patch in events],
            "scenes": encode(timeline.scenes) if drawn else [],
        }
        if base.passes:
            document["passes"] = write_passes(base.passes)
        if parts:
            document["forward"] = [
                {"before": part.before, "events": [*map(_write_event, part.events, patches)]}
                for part, patches in zip(parts, forward, strict=True)
            ]
        if timeline.replay is not None:
            document["replay"] = write_replay(timeline.replay)
        if timeline.opening is not None:
            document["opening"] = encode(timeline.opening)
        if timeline.asked:
            document["questions"] = write_questions(timeline.asked)
        return {**document, "walks_forward": True} if timeline.walks_forward else document


def read(document: Source) -> Contents:
    """The parts of the timeline in `document`, which may be compressed.

    Raises: TraceError or TraceVersionError that says why it cannot be read.
    """
    if not isinstance(document, os.PathLike):
        return _read(load(document))
    try:
        return _read(load(document))
    except TraceError as error:
        where = f"The trace in {os.fspath(document)}"
        raise type(error)(str(error).replace("This trace", where, 1)) from None


def _read(data: Any) -> Contents:
    _check_header(data)
    if "gzip" in data:
        text = decompressed(data["gzip"])
        data = out_of_columns(parse(text), len(text))
        _check_header(data)
    graph = _read_graph(_required(data, "graph"))
    listed = _required(data, "events")
    if not isinstance(listed, list | tuple):
        raise fault("events", listed, "a list")
    title = decode(str, data.get("title", ""), "title")
    notice = decode(str, data.get("notice", ""), "notice")
    if len(listed) > MOST_EVENTS:
        notice = capped(len(listed))
    events = tuple(
        _read_event(graph, one, f"events[{k}]") for k, one in enumerate(listed[:MOST_EVENTS])
    )
    scenes = decode(tuple[Scene, ...], data.get("scenes", ()), "scenes")
    _check_scenes(graph, scenes, "scenes")
    passes = read_passes(data.get("passes", ()), _checker(graph))
    if len(events) == MOST_EVENTS:  # a pass whose events were left out cannot be shown
        passes = tuple(one for one in passes if one.first < MOST_EVENTS)
    _check_passes(graph, passes, len(events))
    replay = None if data.get("replay") is None else read_replay(data["replay"], graph)
    forward = _read_forward(graph, data.get("forward", ()), len(events))
    shown = decode(bool, data.get("walks_forward", False), "walks_forward")
    count = len(events) + sum(len(part.events) for part in forward if shown)
    cut = len(listed) > len(events)
    opening = read_opening(data.get("opening"), count, cut)
    whole = len(events) + sum(len(part.events) for part in forward)
    asked = read_questions(data.get("questions", ()), whole, cut)
    return Contents(
        graph, events, scenes, title, passes, notice, replay, forward, shown, opening, asked
    )


def _read_forward(graph: Graph, listed: Any, count: int) -> tuple[ForwardPart, ...]:
    """The forward parts, in order, without those that come after the last event that was read."""
    if not isinstance(listed, list | tuple):
        raise fault("forward", listed, "a list")
    parts: list[ForwardPart] = []
    least, room = 0, MOST_EVENTS
    for k, one in enumerate(listed):
        path = f"forward[{k}]"
        if not isinstance(one, Mapping) or not isinstance(one.get("events"), list | tuple):
            raise fault(path, one, "an object with a list of 'events'")
        before = decode(int, one.get("before"), f"{path}.before")
        if before < least:
            raise fault(f"{path}.before", before, f"an integer from {least} on")
        least, room = before + 1, room - len(one["events"])
        if before >= count or room < 0:
            break
        events = tuple(
            _read_event(graph, event, f"{path}.events[{i}]")
            for i, event in enumerate(one["events"])
        )
        kinds = [event.kind for event in events]
        inner = {"Computed", "SavedKept"}.issuperset(kinds[1:-1])
        if kinds[:1] + kinds[-1:] != ["ForwardBegan", "ForwardFinished"] or not inner:
            raise fault(f"{path}.events", kinds[:3], "the events of a forward pass")
        parts.append(ForwardPart(before, events))
    return tuple(parts)


@functools.cache
def generator() -> str:
    """The program that writes documents: "graphlab 0.1.0"."""
    try:
        return f"graphlab {metadata.version('graphlab')}"
    except metadata.PackageNotFoundError:
        return "graphlab (not installed)"


def _write_event(event: Event, patch: dict[str, Any]) -> dict[str, Any]:
    head = {"kind": event.kind, "level": event.level, **encode(event)}
    return {**head, "caption": encode(event.caption), "focus": list(event.focus), "patch": patch}


def _check_header(data: Any) -> None:
    if not isinstance(data, Mapping):
        raise fault("the document", data, WANTED)
    if "cells" in data and "nbformat" in data:
        raise TraceError(
            "This trace cannot be read: it is a notebook, which plays its traces when it is "
            "opened. To open a trace in Python, save it first: timeline.save('timeline.json')."
        )
    if data.get("format") == "graphlab.comparison":
        raise TraceError(
            "This trace cannot be read: it is a comparison, which JupyterLab opens. To open one of "
            "its walks in Python, save that: graphlab.trace(e).save('timeline.json')."
        )
    within = [key for key, part in data.items() if is_trace(part)]
    if within and not is_trace(data):
        raise TraceError(
            f"This trace cannot be read: it is an object that holds a trace; pass "
            f"document[{within[0]!r}]."
        )
    if not is_trace(data):
        raise fault("format", data.get("format"), repr(FORMAT))
    version = data.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise fault("version", version, f"an integer from 1 to {VERSION}")
    if version < VERSION:
        raise TraceVersionError(
            f"This trace was written as version {version}, before GraphLab's first release; this "
            f"GraphLab reads version {VERSION}. Run the cell that made the trace again."
        )
    if version > VERSION:
        writer = data.get("generator")
        by = f" by {writer}" if isinstance(writer, str) else ""
        raise TraceVersionError(
            f"This trace was written{by} as version {version}; this GraphLab reads version "
            f"{VERSION}. Update GraphLab (pip install --upgrade graphlab), or make the trace again."
        )


def is_trace(data: Any) -> bool:
    """Whether the header of `data` says that it is a trace."""
    return isinstance(data, Mapping) and data.get("format") == FORMAT


def _required(data: Mapping[str, Any], key: str) -> Any:
    if key not in data:
        found = sorted(map(str, data))
        raise TraceError(f"This trace cannot be read: it has no {key!r}, found {found}. {ADVICE}")
    return data[key]


def _read_graph(data: Any) -> Graph:
    graph: Graph = decode(Graph, data, "graph")
    for what in ("tensors", "nodes", "edges"):
        seen: set[str] = set()
        for k, record in enumerate(getattr(graph, what)):
            if record.id in seen:
                raise fault(f"graph.{what}[{k}].id", record.id, "an id that is used only once")
            seen.add(record.id)
    # decode it a second time, now that all ids are known
    graph = decode(Graph, data, "graph", _checker(graph))
    _check_order(graph)
    return graph


def _check_order(graph: Graph) -> None:
    """Check that each gradient flows to a later node of the list, so that there is no cycle."""
    place = {node.id: k for k, node in enumerate(graph.nodes)}
    made_by = {tensor: node.id for node in graph.nodes for tensor in node.outputs}
    for k, node in enumerate(graph.nodes):
        for i, tensor in enumerate(node.inputs):
            if place.get(made_by.get(tensor, ""), k + 1) <= k:
                path = f"graph.nodes[{k}].inputs[{i}]"
                raise fault(path, tensor, "a tensor that a later node of the list made, or a leaf")
    for k, edge in enumerate(graph.edges):
        if place[edge.target] <= place[edge.source]:
            raise fault(f"graph.edges[{k}].target", edge.target, "a node after its source")
        if not 0 <= edge.index < len(graph.node(edge.source).inputs) + MOST_ABSENT:
            raise fault(f"graph.edges[{k}].index", edge.index, "the number of an input")


def _checker(graph: Graph) -> Any:
    def check(what: str, id: str, path: str) -> None:
        if not graph.tensors and path == "graph.root" and not id:
            return  # a recording in which nothing happened
        if what == "reference":
            named = tensor_of(id)
            if named is None:
                raise fault(path, id, A_REFERENCE)
            if not named:
                return
            what, id = "tensor", named
        if not graph.has(what, id):
            known = [record.id for record in getattr(graph, what + "s")]
            some = ", ".join(known[:6]) + (", …" if len(known) > 6 else "") or "none"
            raise fault(path, id, f"the id of {article(what)} in graph.{what}s ({some})")

    return check


def _read_event(graph: Graph, data: Any, path: str) -> Event:
    if not isinstance(data, Mapping):
        raise fault(path, data, "an event, an object with a 'kind'")
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in EVENTS:
        raise fault(f"{path}.kind", kind, f"one of {sorted(EVENTS)}")
    return decode(EVENTS[kind], data, path, _checker(graph))


def _check_passes(graph: Graph, passes: tuple[Pass, ...], events: int) -> None:
    """Check that the first pass begins at event 0, and every other after the pass before it."""
    least = 0
    for k, one in enumerate(passes):
        _check_scenes(graph, one.scenes, f"passes[{k}].scenes")
        last = events - 1 if k else 0
        if not least <= one.first <= max(last, 0):
            wanted = f"the index of an event, from {least} to {last}" if k else "0"
            raise fault(f"passes[{k}].first", one.first, wanted)
        least = one.first + 1


def _check_scenes(graph: Graph, scenes: tuple[Scene, ...], path: str) -> None:
    for s, scene in enumerate(scenes):
        if min(scene.width, scene.height) <= 0:
            raise fault(f"{path}[{s}]", [scene.width, scene.height], "a width and a height above 0")
        for g, group in enumerate(scene.groups):
            what = {"tensor": "tensor", "op": "node", "flow": "edge"}.get(group.kind)
            if what == "edge" and ("<" in group.id or group.id.startswith("~")):
                continue  # a gradient that enters at a node, or one flow for several edges
            if what is not None and not graph.has(what, group.id):
                raise fault(f"{path}[{s}].groups[{g}].id", group.id, f"the id of {article(what)}")

"""The trace as a document: a timeline written as JSON, and JSON read back with suspicion.

What travels is packed (graph/pack.py); the schema and the player speak of what comes out of it.
A document comes from a notebook, a web page or a colleague. It is checked field by field and id by
id; patches and captions in it are for players, and are made anew here from the events.

Read next: graph/source.py, graph/schema.py
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import metadata
from typing import TYPE_CHECKING, Any

from graphlab.common.errors import TraceError, TraceVersionError
from graphlab.graph.codec import ADVICE, article, decode, encode, fault
from graphlab.graph.events import EVENTS, Event
from graphlab.graph.log import MOST_EVENTS, capped
from graphlab.graph.model import Graph
from graphlab.graph.pack import pack
from graphlab.graph.scene import Scene
from graphlab.graph.source import WANTED, Source, load
from graphlab.graph.unpack import a_list, only_key, unpack

if TYPE_CHECKING:
    from graphlab.graph.timeline import Chapter, Timeline

FORMAT = "graphlab.trace"
VERSION = 2


def write(timeline: Timeline) -> dict[str, Any]:
    """The document of `timeline`, packed: plain dicts, lists, texts and numbers."""
    with uncollected():
        return pack(plain(timeline))


@contextmanager
def uncollected() -> Iterator[None]:
    """Let nobody look for cycles meanwhile: a document is a million small things, none in one.

    To look at all of them, again and again as they become more, takes a third of the time.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def plain(timeline: Timeline) -> dict[str, Any]:
    """The document of `timeline` as graph/trace.schema.json describes it, before it is packed."""
    events = zip(timeline.events, timeline.patches, strict=True)
    notice = {"notice": timeline.notice} if timeline.notice else {}
    document = {
        "format": FORMAT,
        "version": VERSION,
        "generator": f"graphlab {_version()}",
        "title": timeline.title,
        **notice,
        "graph": encode(timeline.graph),
        "initial": timeline.initial,
        "events": [_write_event(event, patch) for event, patch in events],
        "scenes": encode(timeline.scenes),
    }
    return {**document, "chapters": encode(timeline.chapters)} if timeline.chapters else document


def read(document: Source) -> Timeline:
    """The timeline in `document`; TraceError or TraceVersionError says why there is none."""
    if not isinstance(document, os.PathLike):
        return _read(load(document))
    try:
        return _read(load(document))
    except TraceError as error:
        where = f"The trace in {os.fspath(document)}"
        raise type(error)(str(error).replace("This trace", where, 1)) from None


def _read(data: Any) -> Timeline:
    from graphlab.graph.timeline import Chapter, Timeline

    _check_header(data)
    data, notice = first_events(data)
    data = unpack(data)
    graph = _read_graph(_required(data, "graph"))
    events = a_list(_required(data, "events"), "events")
    title = decode(str, data.get("title", ""), "title")
    read_events = tuple(_read_event(graph, one, f"events[{k}]") for k, one in enumerate(events))
    scenes = decode(tuple[Scene, ...], data.get("scenes", ()), "scenes")
    _check_scenes(graph, scenes, "scenes")
    notice = notice or decode(str, data.get("notice", ""), "notice")
    chapters = decode(tuple[Chapter, ...], data.get("chapters", ()), "chapters", _checker(graph))
    if len(read_events) == MOST_EVENTS:  # of what was left out, there is no picture to show
        chapters = tuple(one for one in chapters if one.first < MOST_EVENTS)
    _check_chapters(graph, chapters, len(read_events))
    return Timeline(graph, read_events, scenes, title, chapters, notice)


def first_events(data: Mapping[str, Any]) -> tuple[Mapping[str, Any], str]:
    """The document with no more events than can be played, and the notice that says so."""
    events = data.get("events")
    cast = only_key(events) == "#"
    listed = events["#"] if events is not None and cast else events
    if not isinstance(listed, list | tuple) or len(listed) <= MOST_EVENTS:
        return data, ""
    first = listed[:MOST_EVENTS]
    return {**data, "events": {"#": first} if cast else first}, capped(len(listed))


def _version() -> str:
    try:
        return metadata.version("graphlab")
    except metadata.PackageNotFoundError:
        return "(not installed)"


def _write_event(event: Event, patch: dict[str, Any]) -> dict[str, Any]:
    head = {"kind": event.kind, "level": event.level, **encode(event)}
    return {**head, "caption": encode(event.caption), "focus": list(event.focus), "patch": patch}


def _check_header(data: Any) -> None:
    if not isinstance(data, Mapping):
        raise fault("the document", data, WANTED)
    if "cells" in data and "nbformat" in data:
        raise TraceError(
            "This trace cannot be read: it is a notebook, which plays its traces where it is "
            "opened. To open one of them in Python save it: timeline.save('walk.json')."
        )
    within = [key for key, part in data.items() if is_trace(part)]
    if within and not is_trace(data):
        raise TraceError(
            f"This trace cannot be read: it holds a trace: pass document[{within[0]!r}]."
        )
    if not is_trace(data):
        raise fault("format", data.get("format"), repr(FORMAT))
    version = data.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise fault("version", version, f"an integer from 1 to {VERSION}")
    if version < VERSION:
        raise TraceVersionError(
            f"This trace was written as version {version}, before GraphLab's first release; this "
            f"GraphLab reads version {VERSION}. Write the trace anew: run the cell that made it."
        )
    if version > VERSION:
        writer = data.get("generator")
        by = f" by {writer}" if isinstance(writer, str) else ""
        raise TraceVersionError(
            f"This trace was written{by} as version {version}; this GraphLab reads version "
            f"{VERSION}. Update GraphLab (pip install --upgrade graphlab), or write the trace anew."
        )


def is_trace(data: Any) -> bool:
    """Whether data says that it is a trace."""
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
    # a second reading, now that it is known which ids there are
    graph = decode(Graph, data, "graph", _checker(graph))
    _check_order(graph)
    return graph


def _check_order(graph: Graph) -> None:
    """Gradients flow forwards through the list of nodes, so that there is no cycle."""
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
        if not 0 <= edge.index < len(graph.node(edge.source).inputs):
            raise fault(f"graph.edges[{k}].index", edge.index, "the number of an input")


def _checker(graph: Graph) -> Any:
    def check(what: str, id: str, path: str) -> None:
        if not graph.tensors and path == "graph.root" and not id:
            return  # a recording in which nothing happened
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


def _check_chapters(graph: Graph, chapters: tuple[Chapter, ...], events: int) -> None:
    """Each chapter begins after the one before, the first at the first event."""
    least = 0
    for c, chapter in enumerate(chapters):
        _check_scenes(graph, chapter.scenes, f"chapters[{c}].scenes")
        last = events - 1 if c else 0
        if not least <= chapter.first <= max(last, 0):
            wanted = f"the index of an event, from {least} to {last}" if c else "0"
            raise fault(f"chapters[{c}].first", chapter.first, wanted)
        least = chapter.first + 1


def _check_scenes(graph: Graph, scenes: tuple[Scene, ...], path: str) -> None:
    for s, scene in enumerate(scenes):
        for g, group in enumerate(scene.groups):
            what = {"tensor": "tensor", "op": "node", "flow": "edge"}.get(group.kind)
            if what == "edge" and "<" in group.id:
                continue  # the gradient of an output entering its node is not an edge
            if what is not None and not graph.has(what, group.id):
                raise fault(f"{path}[{s}].groups[{g}].id", group.id, f"the id of {article(what)}")

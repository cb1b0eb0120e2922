"""The trace as a document: a timeline written as JSON, and JSON read back with suspicion.

A document comes from a notebook, a web page or a colleague. It is checked field by field and id by
id; patches and captions in it are for players, and are made anew here from the events.

Read next: graph/schema.py
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import metadata
from typing import TYPE_CHECKING, Any

from graphlab.errors import TraceError, TraceVersionError
from graphlab.graph.codec import ADVICE, article, decode, encode, fault
from graphlab.graph.events import EVENTS, Event
from graphlab.graph.model import Graph
from graphlab.graph.scene import Scene

if TYPE_CHECKING:
    from graphlab.graph.timeline import Timeline

FORMAT = "graphlab.trace"
VERSION = 1


def write(timeline: Timeline) -> dict[str, Any]:
    """The document of `timeline`: plain dicts, lists, texts and numbers."""
    events = zip(timeline.events, timeline.patches, strict=True)
    return {
        "format": FORMAT,
        "version": VERSION,
        "generator": f"graphlab {_version()}",
        "title": timeline.title,
        "graph": encode(timeline.graph),
        "initial": timeline.initial,
        "events": [_write_event(event, patch) for event, patch in events],
        "scenes": encode(timeline.scenes),
    }


def read(document: Mapping[str, Any] | str) -> Timeline:
    """The timeline in `document`; TraceError or TraceVersionError says why there is none."""
    from graphlab.graph.timeline import Timeline

    data = _parse(document) if isinstance(document, str) else document
    _check_header(data)
    graph = _read_graph(_required(data, "graph"))
    events = _required(data, "events")
    if not isinstance(events, list | tuple):
        raise fault("events", events, "a list")
    title = decode(str, data.get("title", ""), "title")
    read_events = tuple(_read_event(graph, one, f"events[{k}]") for k, one in enumerate(events))
    scenes = decode(tuple[Scene, ...], data.get("scenes", ()), "scenes")
    _check_scenes(graph, scenes)
    return Timeline(graph, read_events, scenes, title)


def _version() -> str:
    try:
        return metadata.version("graphlab")
    except metadata.PackageNotFoundError:
        return "(not installed)"


def _write_event(event: Event, patch: dict[str, Any]) -> dict[str, Any]:
    head = {"kind": event.kind, "level": event.level, **encode(event)}
    return {**head, "caption": encode(event.caption), "focus": list(event.focus), "patch": patch}


def _parse(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        ended = not text[error.pos :].strip() or text.lstrip()[:1] + text.rstrip()[-1:] != "{}"
        what = "the text ends too early, as if cut off," if ended else "the text is not JSON"
        raise TraceError(f"This trace cannot be read: {what} at {where} ({error.msg}).") from None
    except (RecursionError, ValueError) as error:  # nested too deeply, or a number without end
        raise TraceError(f"This trace cannot be read: {error}. {ADVICE}") from None


def _check_header(data: Any) -> None:
    if not isinstance(data, Mapping):
        raise fault("the document", data, "an object")
    if data.get("format") != FORMAT:
        raise fault("format", data.get("format"), repr(FORMAT))
    version = data.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise fault("version", version, f"an integer from 1 to {VERSION}")
    if version > VERSION:
        writer = data.get("generator")
        by = f" by {writer}" if isinstance(writer, str) else ""
        raise TraceVersionError(
            f"This trace was written{by} as version {version}; this GraphLab reads versions up to "
            f"{VERSION}. Update GraphLab (pip install --upgrade graphlab), or write the trace anew."
        )


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


def _check_scenes(graph: Graph, scenes: tuple[Scene, ...]) -> None:
    for s, scene in enumerate(scenes):
        for g, group in enumerate(scene.groups):
            what = {"tensor": "tensor", "op": "node", "flow": "edge"}.get(group.kind)
            if what == "edge" and "<" in group.id:
                continue  # the gradient of an output entering its node is not an edge
            if what is not None and not graph.has(what, group.id):
                raise fault(f"scenes[{s}].groups[{g}].id", group.id, f"the id of {article(what)}")

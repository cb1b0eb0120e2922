"""The JSON Schema of a trace is made from the dataclasses, so that other languages can check it.

`python -m graphlab.graph.schema` writes docs/trace.schema.json, from which js/src/schema.ts is
made. A test holds the committed file up to date.

Read next: faces/render/scene_builder.py
"""

import json
from pathlib import Path
from typing import Any

from graphlab.graph.codec import record_schema, schema_of
from graphlab.graph.document import FORMAT, VERSION
from graphlab.graph.events import EVENTS, Event, Span
from graphlab.graph.formula_codec import replay_schema
from graphlab.graph.model import Graph
from graphlab.graph.opening import Opening
from graphlab.graph.questions import question_schema
from graphlab.graph.scene import Pass, Scene
from graphlab.graph.value import Value

OPTIONAL = ("passes", "notice", "replay", "forward", "walks_forward", "opening", "questions")
PATH = Path(__file__).parents[2] / "docs" / "trace.schema.json"  # in a clone of the repository


def trace_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a trace, which is what `Timeline.to_json()` returns."""
    definitions: dict[str, Any] = {}
    document = {
        "format": {"const": FORMAT},
        "version": {"const": VERSION},
        "generator": {"type": "string"},
        "title": {"type": "string"},
        "notice": {"type": "string"},
        "graph": schema_of(Graph, definitions),
        "initial": {"$ref": "#/$defs/State"},
        "events": {"type": "array", "items": {"$ref": "#/$defs/Event"}},
        "scenes": schema_of(tuple[Scene, ...], definitions),
        "passes": schema_of(tuple[Pass, ...], definitions),
        "replay": replay_schema(definitions),
        "forward": {"type": "array", "items": {"$ref": "#/$defs/ForwardPart"}},
        "walks_forward": {"type": "boolean"},
        "opening": schema_of(Opening, definitions),
        "questions": {"type": "array", "items": {"$ref": "#/$defs/AuthoredQuestion"}},
    }
    kinds = [{"$ref": f"#/$defs/{kind}"} for kind in EVENTS]
    for kind, cls in EVENTS.items():
        definitions[kind] = _event_schema(kind, cls, definitions)
    definitions["Event"] = {"anyOf": kinds}
    definitions["State"] = _state_schema(definitions)
    listed = {"type": "array", "items": {"$ref": "#/$defs/Event"}}
    definitions["AuthoredQuestion"] = question_schema()
    definitions["ForwardPart"] = {
        "type": "object",
        "properties": {"before": {"type": "integer"}, "events": listed},
        "required": ["before", "events"],
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "GraphLab trace",
        "type": "object",
        "properties": document,
        "required": [key for key in document if key not in OPTIONAL],
        "$defs": dict(sorted(definitions.items())),
    }


def schema_text() -> str:
    """The text of the committed file."""
    return json.dumps(trace_schema(), indent=2, ensure_ascii=False) + "\n"


def _levels(cls: type[Event]) -> dict[str, Any]:
    several = getattr(cls, "levels", None)  # of an event whose level depends on its fields
    return {"enum": list(several)} if several else {"const": cls.level}


def _event_schema(kind: str, cls: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    schema = record_schema(cls, definitions)
    spans = schema_of(tuple[Span, ...], definitions)
    focus = schema_of(tuple[str, ...], definitions)
    common = {"kind": {"const": kind}, "level": _levels(cls)}
    told = {"caption": spans, "focus": focus, "patch": {"type": "object"}}
    schema["properties"] = {**common, **schema["properties"], **told}
    schema["required"] = [*common, *schema["required"], *told]
    return schema


def _state_schema(definitions: dict[str, Any]) -> dict[str, Any]:
    value = schema_of(Value, definitions)
    text, integer, yes = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
    status = {"enum": ["ready", "current", "done", "failed"]}
    leaf = {
        "type": "object",
        "properties": {"before": value, "added": value, "after": value},
        "required": ["after"],
    }
    error = {"type": "object", "properties": {"message": text, "node": text}}
    error["required"] = ["message", "node"]
    properties = {
        "current": text,
        "status": _mapping(status),
        "deps": _mapping(integer),
        "queue": {"type": "array", "items": text},
        "grads": _mapping(value),
        "edges": _mapping(value),
        "leaves": _mapping(leaf),
        "cleared": _mapping(yes),  # tensors whose `.grad` was set to None
        "values": _mapping(value),
        "versions": _mapping(integer),
        "freed": _mapping(yes),
        "computed": _mapping(yes),  # in a forward pass: tensors that have values
        "kept": _mapping(yes),  # in a forward pass: values that are saved already, "n2.other"
        "held": integer,
        "total": integer,
        "finished": yes,
        "error": error,
    }
    always = ["status", "deps", "queue", "held", "total"]
    return {"type": "object", "properties": properties, "required": always}


def _mapping(entry: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": entry}


if __name__ == "__main__":
    PATH.write_text(schema_text(), encoding="utf-8")

"""The JSON Schema of a trace is made from the dataclasses, so that other languages can check it.

`python -m tests.graph.schema --update` writes docs/trace.schema.json, from which js/src/schema.ts
is made. A test holds the committed file up to date.

Read next: tests/graph/test_document.py
"""

from __future__ import annotations

import dataclasses
import json
import sys
import types
import typing
from pathlib import Path
from typing import Any, Literal, Union

from graphlab.graph.causes import Cause
from graphlab.graph.codec import _described, _fields, _has_default, encode
from graphlab.graph.document import FORMAT, VERSION
from graphlab.graph.events import EVENTS, Event, Span
from graphlab.graph.formulas import INFINITE, Numbers
from graphlab.graph.model import Graph
from graphlab.graph.questions import KINDS
from graphlab.graph.scene import Pass, Scene
from graphlab.graph.states import Opening
from graphlab.graph.value import Value

OPTIONAL = (
    "causes",
    "passes",
    "notice",
    "replay",
    "forward",
    "walks_forward",
    "opening",
    "questions",
)
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
        "causes": schema_of(tuple[Cause, ...], definitions),
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
    _add_redrawing(definitions["Pass"])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "GraphLab trace",
        "type": "object",
        "properties": document,
        "required": [key for key in document if key not in OPTIONAL],
        "$defs": dict(sorted(definitions.items())),
    }


def _add_redrawing(schema: dict[str, Any]) -> None:
    """Add what a pass has in place of scenes where an earlier pass is drawn alike."""
    texts = {"type": "array", "items": {"type": ["integer", "string"]}}
    listed = {"type": "array", "items": {"type": "array", "items": texts}}
    like = {"type": "integer", "minimum": 0}
    schema["properties"] |= {"like": like, "ids": _mapping({"type": "string"}), "texts": listed}


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
        "returned": _mapping(yes),  # tensors whose gradient `autograd.grad` returned in this pass
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


def schema_of(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    """The JSON Schema of `hint`; dataclasses go into `definitions` under their names."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return {
            **schema_of(arguments[0], definitions),
            "description": _described(arguments[1]).removeprefix("the "),
        }
    if origin in (Union, types.UnionType):
        return {"anyOf": [schema_of(choice, definitions) for choice in arguments]}
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
        return {"type": "array", "items": schema_of(arguments[0], definitions)}
    if origin is tuple:
        entries = [schema_of(entry, definitions) for entry in arguments]
        return {"type": "array", "prefixItems": entries, "items": False, "minItems": len(entries)}
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        if hint.__name__ not in definitions:
            definitions[hint.__name__] = {}  # a placeholder, for a record that contains itself
            definitions[hint.__name__] = record_schema(hint, definitions)
        return {"$ref": f"#/$defs/{hint.__name__}"}
    names = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}
    return {"type": names[hint]}


def record_schema(cls: type, definitions: dict[str, Any]) -> dict[str, Any]:
    """The JSON Schema of one dataclass: fields without a default are required."""
    properties: dict[str, Any] = {}
    for field, hint in _fields(cls):
        properties[field.name] = schema_of(hint, definitions)
        if _has_default(field):
            properties[field.name]["default"] = encode(field.default)
    required = [field.name for field, _ in _fields(cls) if not _has_default(field)]
    return {"type": "object", "properties": properties, "required": required}


def replay_schema(definitions: dict[str, Any]) -> dict[str, Any]:
    """The JSON Schema of what `write_replay` in graph/formulas.py returns."""
    numbers = schema_of(Numbers, definitions)
    text, integer, arg = {"type": "string"}, {"type": "integer"}, {"$ref": "#/$defs/Arg"}
    definitions["Arg"] = {
        "anyOf": [
            {"type": "string", "description": "a reference: x0, y0, g0, s0, s0.1"},
            {"type": "number"},
            {"type": "boolean"},
            {"type": "null"},
            {"type": "array", "items": arg},
            object_of(f={"enum": list(INFINITE)}),
            object_of(text=text),
            object_of(dtype=text),
            object_of(slice={"type": "array", "items": {"anyOf": [integer, {"type": "null"}]}}),
            object_of(array=numbers),
            object_of(kw={"type": "object", "additionalProperties": arg}),
        ]
    }
    steps = {"type": "array", "items": {"type": "array", "items": arg}}
    definitions["Program"] = object_of(steps=steps, results={"type": "array", "items": arg})
    program = {"$ref": "#/$defs/Program"}
    definitions["Formula"] = object_of(forward=program, backward=program, domain=program)
    definitions["Formula"]["required"] = ["forward", "backward"]
    results = {"type": "array", "items": arg}
    inputs = {"type": "array", "items": text}
    definitions["Followed"] = object_of(inputs=inputs, steps=steps, results=results)
    outcome = {"anyOf": [{"type": "boolean"}, numbers]}
    definitions["Decided"] = object_of(
        inputs=inputs, steps=steps, results=results, outcome=outcome, sentence=text
    )
    of_numbers = {"type": "object", "additionalProperties": numbers}
    definitions["Replay"] = object_of(
        formulas={"type": "array", "items": {"$ref": "#/$defs/Formula"}},
        nodes={"type": "object", "additionalProperties": integer},
        data=of_numbers,
        cannot={"type": "object", "additionalProperties": text},
        problem=text,
        gradients=of_numbers,
        follows={"type": "object", "additionalProperties": {"$ref": "#/$defs/Followed"}},
        decided={"type": "array", "items": {"$ref": "#/$defs/Decided"}},
    )
    definitions["Replay"]["required"] = ["formulas", "nodes", "data"]
    return {"$ref": "#/$defs/Replay"}


def object_of(**properties: Any) -> dict[str, Any]:
    """The JSON Schema of an object that must have all of these properties."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def question_schema() -> dict[str, Any]:
    """The JSON Schema of a question in a document."""
    text = {"type": "string"}
    return {
        "type": "object",
        "properties": {
            "at": {"type": "integer"},
            "text": text,
            "kind": {"enum": list(KINDS)},
            "choices": {"type": "array", "items": text},
            "sealed": text,
        },
        "required": ["at", "text", "kind", "sealed"],
    }


if __name__ == "__main__":
    if "--update" in sys.argv:
        PATH.write_text(schema_text(), encoding="utf-8")

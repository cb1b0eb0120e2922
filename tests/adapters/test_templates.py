"""Every template of the narration is rendered by a golden file or a fixture that a person reads.

A template is a text in the code that writes captions, notes and reasons. Each must occur in the
committed texts; so whoever adds one also adds a program that shows it.

Read next: tests/adapters/test_explanations.py
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import graphlab
from graphlab.adapters.equations import said
from graphlab.adapters.rule_text import local_factor
from graphlab.ops import load_all
from tests.adapters.narration import narration

TESTS = Path(__file__).parents[1]
PACKAGE = Path(graphlab.__file__).parent
WRITERS = [  # the files whose texts become sentences of a walk
    *sorted({*(PACKAGE / "graph/events").glob("*.py")}),
    *sorted(path for path in (PACKAGE / "adapters").rglob("*.py") if path.stem in (
        "equations", "event_writer", "facts", "forward_pass",
        "branches_taken", "formulas_of_graph", "numbers_read", "proofs", "unreached",
    )),
]  # fmt: skip


def texts_in(data: Any) -> Iterator[str]:
    """All strings in plain JSON."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict | list):
        for one in data.values() if isinstance(data, dict) else data:
            yield from texts_in(one)


@cache
def rendered() -> str:
    """All committed texts of the narration."""
    goldens = [path.read_text("utf-8") for path in sorted(TESTS.glob("*/golden/*.txt"))]
    fixtures = [json.loads(path.read_text("utf-8")) for path in (TESTS / "fixtures").glob("*.json")]
    return "\n".join([*goldens, *(text for one in fixtures for text in set(texts_in(one)))])


def templates_in(path: Path) -> set[str]:
    """The texts of a file that can be a part of a sentence: at least two words."""
    tree = ast.parse(path.read_text("utf-8"))
    skipped: set[int] = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            skipped.add(id(body[0].value))  # a docstring
        if isinstance(node, ast.Assert | ast.Raise):
            skipped.update(map(id, ast.walk(node)))
    return {
        part.strip(" ,.:;")
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if id(node) not in skipped and "\\" not in node.value  # no regular expression
        for part in node.value.split("{}")
        if len(part.split()) > 1 and any(map(str.isalpha, part))
    }


@pytest.mark.parametrize("path", WRITERS, ids=lambda path: path.stem)
def test_every_template_is_rendered_by_a_golden(path: Path) -> None:
    missing = sorted(text for text in templates_in(path) if text not in rendered())
    assert not missing, f"no golden or fixture shows {missing}"


def test_the_rarer_sentences_read_as_committed(golden: Any) -> None:
    golden("narration.txt", narration())


def has_formula(op: Any, word: str) -> bool:
    """Whether a reader sees the rule of an input as a formula, whatever numbers the options are."""
    names = {} if op.variadic else {word: word for word in (*op.inputs, *op.outputs)}
    options = dict.fromkeys((*op.options, *op.derived), 2.0) | dict(op.defaults)
    return op.pointwise and bool(local_factor(op.rules[word], names, options))


def test_every_phrase_of_an_operation_is_rendered_by_a_golden() -> None:
    shown = (TESTS / "adapters/golden/explanations.txt").read_text("utf-8")
    missing = [
        f"{op.name}: {phrase}"
        for op in load_all().values()
        for word, phrase in op.phrases.items()
        if phrase and "has no derivative" not in phrase and not has_formula(op, word)
        if phrase not in shown and said(phrase, dict.fromkeys(op.options, 1)) not in shown
    ]
    assert not missing, f"explanations.txt does not show {missing}"

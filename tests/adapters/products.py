"""Products of arrays, and the pairs of entries that each entry sums: Python and the player agree.

`python -m tests.adapters.products --update` writes tests/fixtures/products.json. The pairs are
found by running the rules themselves: a rule is linear in both factors, so a pair belongs to an
entry if the rule makes that entry from a 1 at each place of the pair and zeros elsewhere.

Read next: tests/adapters/test_products.py
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import graphlab
from graphlab.autograd.node import Node
from graphlab.graph.timeline import Timeline
from graphlab.nn import functional as F

FIXTURE = Path(__file__).parents[1] / "fixtures" / "products.json"
Tensor = graphlab.Tensor


def counted(*shape: int) -> Tensor:
    """Entries of both signs and a zero: -2.0, -1.5, …, 2.0, -2.0, …"""
    numbers = (np.arange(np.prod(shape)) % 9 - 4) / 2
    return graphlab.tensor(numbers.reshape(shape), dtype=graphlab.float32, requires_grad=True)


def layer() -> Tensor:
    X, W = counted(3, 2), counted(2, 4)
    H = X @ W
    return H.tanh()


def biased() -> Tensor:
    x, W, b = counted(2, 3), counted(3, 2), counted(2)
    return graphlab.addmm(b, x, W, alpha=0.5)


def vector() -> Tensor:
    A, v = counted(3, 2), counted(2)
    return A @ v


def dot() -> Tensor:
    v, w = counted(3), counted(3)
    return v @ w


def picture() -> Tensor:
    image, kernel = counted(2, 1, 5, 4), counted(1, 1, 2, 3)
    return F.conv2d(image, kernel, stride=(2, 1), padding=(1, 0))


def widened() -> Tensor:
    image, kernel = counted(1, 1, 2, 3), counted(1, 1, 2, 2)
    return F.conv_transpose2d(image, kernel, stride=2)


def series() -> Tensor:
    sound, kernel = counted(1, 2, 7), counted(1, 2, 3)
    return F.conv1d(sound, kernel, dilation=2)


def masked() -> Tensor:
    x = counted(2, 3)
    return F.relu(x)


def large() -> Tensor:
    X, W = counted(20, 30), counted(30, 12)
    return X @ W


PROGRAMS: dict[str, Callable[[], Tensor]] = {
    program.__name__: program
    for program in (layer, biased, vector, dot, picture, widened, series, masked, large)
}


def walk(name: str) -> tuple[Timeline, Node]:
    """The rehearsal of a program, and the node of its product."""
    result = PROGRAMS[name]()
    node = result.grad_fn
    return graphlab.trace(result, counted(*result.shape).detach()), node


def document() -> dict[str, Any]:
    """Each program's trace without drawings, and the pairs of the rules that multiply."""
    told = {}
    for name in PROGRAMS:
        timeline, node = walk(name)
        trace = {**timeline.to_json(), "scenes": [], "generator": "graphlab"}
        without_sentences(trace)
        told[name] = {"trace": trace, "pairs": {} if name == "large" else pairs_of(timeline, node)}
    return told


def without_sentences(trace: dict[str, Any]) -> None:
    """Leave out what says nothing of products, so that the fixture changes with them alone."""
    for event in trace["events"]:
        event["caption"] = []
        for field in ("phrase", "why", "message"):
            event.pop(field, None)
        if "equation" in event:
            event["equation"]["note"] = ""
    for node in trace["graph"]["nodes"]:
        for field in ("proof", "source"):
            node.pop(field, None)


def pairs_of(timeline: Timeline, node: Node) -> dict[str, Any]:
    """Edge -> "row, column" of the first matrix of the result -> its pairs of places."""
    told = {}
    rules = [
        event for event in timeline if event.kind == "RuleApplied" and event.name == node.name()
    ]
    for event, (word, rule) in zip(rules, node.op.rules.items(), strict=False):
        if event.product is None or event.product.operator == "⊙":
            continue
        told[event.edge] = {"word": word, **found_by(rule, event, node)}
    return told


def found_by(rule: Callable[..., Any], event: Any, node: Node) -> dict[str, Any]:
    """The pairs of one rule, found by running it."""
    wanted = rule.__code__.co_varnames[: rule.__code__.co_argcount]
    words = [event.product.left.saved or "grad", event.product.right.saved or "grad"]
    options = dict(zip((*node.op.options, *node.op.derived), node._options or (), strict=False))
    given = {word: array_of(node, word, options, event) for word in wanted}
    shapes = [given[word].shape for word in words]
    made: dict[str, list[Any]] = {}
    for a in np.ndindex(shapes[0]):
        for b in np.ndindex(shapes[1]):
            units = {word: np.zeros_like(given[word]) for word in words}
            units[words[0]][a] = units[words[1]][b] = 1
            result = rule(*({**given, **units}[word] for word in wanted))
            for place in zip(*np.nonzero(np.atleast_1d(result)), strict=True):
                if not any((*place[:-2], *a[:-2], *b[:-2])):  # the first matrices alone
                    key = ", ".join(map(str, place[-2:]))
                    made.setdefault(key, []).append(
                        [list(map(int, a[-2:])), list(map(int, b[-2:]))]
                    )
    return {"entries": made}


def array_of(node: Node, word: str, options: dict[str, Any], event: Any) -> Any:
    if word == "grad":
        return np.zeros(event.upstream.shape, np.float32)
    if word in options:
        return options[word]
    held = getattr(node, f"_saved_{word}")
    return held.detach().numpy() if isinstance(held, Tensor) else held


def fixture_text() -> str:
    """The fixture as committed: one program a line."""
    lines = [
        f"{json.dumps(name)}: {json.dumps(one, ensure_ascii=False)}"
        for name, one in document().items()
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    if "--update" in sys.argv:
        FIXTURE.write_text(fixture_text(), encoding="utf-8")
    else:
        sys.stdout.buffer.write(fixture_text().encode())

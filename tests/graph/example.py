"""The lesson's graph and its whole backward pass, written by hand from what PyTorch does.

    a, b, c, d = 2., 3., 5., 10.
    u = a*b; t = log(d); t.retain_grad(); v = t*c; e = u + v
    e.backward()                         # a: 3.0  b: 2.0  c: 2.3026  d: 0.5

Nothing here runs the core: the tests of the trace and of its pictures stand on this alone.
`python -m tests.graph.example --update` writes tests/fixtures/lesson.json and values.json.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

from graphlab.faces.render.scene_builder import VIEWS, build_scene
from graphlab.graph.codec import encode
from graphlab.graph.document import write
from graphlab.graph.events import (
    Accumulated,
    DependencyMet,
    Equation,
    Event,
    Finished,
    GradRetained,
    LeafWritten,
    NodeEntered,
    Readied,
    RuleApplied,
    SavedFreed,
    SavedUnpacked,
    Seeded,
    Span,
)
from graphlab.graph.model import EdgeInfo, Graph, NodeInfo, Saved, Source, TensorInfo
from graphlab.graph.timeline import Timeline
from graphlab.graph.value import Value, summarise

FIXTURE = Path(__file__).parents[1] / "fixtures" / "lesson.json"
HOSTILE = FIXTURE.parent / "hostile.json"
ARRAYS = FIXTURE.parent / "values.json"
NAMES = ("a", "b", "u", "d", "t", "c", "v", "e")
VALUES = (2.0, 3.0, 6.0, 10.0, 2.302585, 5.0, 11.512925, 17.512925)
T = {name: f"t{k}" for k, name in enumerate(NAMES)}  # tensor ids
# node ids, in the order in which the engine runs them
ADD, MUL_V, GRAD_C, LOG, GRAD_D, MUL_U, GRAD_A, GRAD_B = (f"n{k}" for k in range(8))
LABEL = {ADD: "AddBackward0", MUL_V: "MulBackward0", LOG: "LogBackward0", MUL_U: "MulBackward0"}


def number(x: float) -> Value:
    return summarise(np.array([x], np.float32))


def lesson_graph() -> Graph:
    producer = {"u": MUL_U, "t": LOG, "v": MUL_V, "e": ADD}
    tensors = tuple(
        TensorInfo(
            T[name],
            name,
            number(value),
            is_leaf=name not in producer,
            requires_grad=True,
            retains_grad=name == "t",
            producer=producer.get(name),
        )
        for name, value in zip(NAMES, VALUES, strict=True)
    )
    nodes = (
        _node(ADD, "add", "+", 3, "uv", "e", (), (8, "e = u + v", "result = self + other")),
        _node(MUL_V, "mul", "×", 2, "tc", "v", ("self", "other"), (7, "v = t*c", "self·other")),
        _accumulate(GRAD_C, "c"),
        _node(LOG, "log", "log", 1, "d", "t", ("self",), (5, "t = log(d)", "log(self)")),
        _accumulate(GRAD_D, "d"),
        _node(MUL_U, "mul", "×", 0, "ab", "u", ("self", "other"), (4, "u = a*b", "self·other")),
        _accumulate(GRAD_A, "a"),
        _accumulate(GRAD_B, "b"),
    )
    ends = (
        (ADD, (MUL_U, MUL_V), "uv"),
        (MUL_V, (LOG, GRAD_C), "tc"),
        (LOG, (GRAD_D,), "d"),
        (MUL_U, (GRAD_A, GRAD_B), "ab"),
    )
    edges = tuple(
        EdgeInfo(f"{source}.{i}", source, target, i, 0, T[name])
        for source, targets, names in ends
        for i, (target, name) in enumerate(zip(targets, names, strict=True))
    )
    return Graph(T["e"], tensors, nodes, edges)


def _node(
    id: str,
    op: str,
    symbol: str,
    sequence: int,
    inputs: str,
    output: str,
    saved: tuple[str, ...],
    line: tuple[int, str, str],
) -> NodeInfo:
    where: dict[str, str] = dict(zip(("self", "other"), inputs, strict=False))
    kept = tuple(
        Saved(name, number(VALUES[NAMES.index(where[name])]), tensor=T[where[name]], nbytes=4)
        for name in saved
    )
    source = Source("In [1]", line[0], line[1], start=4, end=len(line[1]))
    taken = tuple(T[name] for name in inputs)
    name = f"{op.capitalize()}Backward0"
    return NodeInfo(
        id, name, op, symbol, sequence, taken, (T[output],), kept, source, formula=line[2]
    )


def _accumulate(id: str, leaf: str) -> NodeInfo:
    highest = 2**53 - 2  # it runs as soon as it is ready
    tensor = T[leaf]
    return NodeInfo(
        id, "AccumulateGrad", "accumulate", "+=", highest, (tensor,), (), variable=tensor
    )


def lesson_events() -> tuple[Event, ...]:
    one = number(1.0)
    return (
        Seeded(T["e"], ADD, "e", one),
        *_run(ADD, one, (), "It is the node that made e.", (), (
            ("u", MUL_U, one, (), (MUL_U,)),
            ("v", MUL_V, one, (), (MUL_V, MUL_U)),
        )),
        SavedFreed(ADD, LABEL[ADD], 0),
        *_run(MUL_V, one, (MUL_U,), "The only user of v is done, and it was made after the other.",
              (("other", "5.0"), ("self", "2.3026")), (
            ("t", LOG, number(5.0), ("times ", ("value", "c = 5.0")), (LOG, MUL_U)),
            ("c", GRAD_C, number(2.302585), ("times ", ("value", "t = 2.3026")),
             (GRAD_C, LOG, MUL_U)),
        )),
        SavedFreed(MUL_V, LABEL[MUL_V], 8),
        *_write(GRAD_C, "c", number(2.302585), (LOG, MUL_U)),
        NodeEntered(LOG, LABEL[LOG], number(5.0), (MUL_U,), "Its sequence number is the highest."),
        GradRetained(T["t"], "t", number(5.0)),
        *_run(LOG, number(5.0), None, "", (("self", "10.0"),), (
            ("d", GRAD_D, number(0.5), ("divided by ", ("value", "d = 10.0")), (GRAD_D, MUL_U)),
        )),
        SavedFreed(LOG, LABEL[LOG], 4),
        *_write(GRAD_D, "d", number(0.5), (MUL_U,)),
        *_run(MUL_U, one, (), "It is the last in the queue.",
              (("other", "3.0"), ("self", "2.0")), (
            ("a", GRAD_A, number(3.0), ("times ", ("value", "b = 3.0")), (GRAD_A,)),
            ("b", GRAD_B, number(2.0), ("times ", ("value", "a = 2.0")), (GRAD_A, GRAD_B)),
        )),
        SavedFreed(MUL_U, LABEL[MUL_U], 8),
        *_write(GRAD_A, "a", number(3.0), (GRAD_B,)),
        *_write(GRAD_B, "b", number(2.0), ()),
        Finished(4, "Done: 4 leaves have their gradients."),
    )  # fmt: skip


_Sent = tuple[str, str, Value, tuple[Span, ...], tuple[str, ...]]


def _run(
    node: str,
    upstream: Value,
    queue: tuple[str, ...] | None,
    why: str,
    saved: tuple[tuple[str, str], ...],
    sent: tuple[_Sent, ...],
) -> list[Event]:
    """One node's turn; queue None: it was entered already."""
    told: list[Event] = []
    if queue is not None:
        told.append(NodeEntered(node, LABEL[node], upstream, queue, why))
    for i, (to, target, contribution, phrase, queue_after) in enumerate(sent):
        if i < len(saved):
            told.append(SavedUnpacked(node, LABEL[node], *saved[i]))
        edge, tensor, name = f"{node}.{i}", T[to], LABEL.get(target, "AccumulateGrad")
        equation = _equation(node, to, upstream, contribution, phrase)
        told += [
            RuleApplied(
                node, LABEL[node], edge, tensor, to, upstream, contribution, equation, phrase
            ),
            Accumulated(target, edge, tensor, to, None, contribution, contribution),
            DependencyMet(target, name, 0),
            Readied(target, name, queue_after),
        ]
    return told


def _equation(
    node: str, to: str, upstream: Value, contribution: Value, phrase: tuple[Span, ...]
) -> Equation:
    out = {ADD: "e", MUL_V: "v", LOG: "t", MUL_U: "u"}[node]
    symbols: tuple[Span, ...] = (
        f"∂e/∂{to} = ", ("gradient", f"∂e/∂{out}"), " · ", ("value", f"∂{out}/∂{to}"),
    )  # fmt: skip
    local = phrase[1][1].split(" = ")[1] if phrase else "1.0"
    sign = " ÷ " if phrase and phrase[0] == "divided by " else " × "
    numbers: tuple[Span, ...] = (
        ("gradient", upstream.text), sign, ("value", local), " = ", ("gradient", contribution.text),
    )  # fmt: skip
    return Equation(symbols, numbers)


def _write(node: str, leaf: str, value: Value, queue: tuple[str, ...]) -> list[Event]:
    why = "AccumulateGrad nodes run as soon as they are ready."
    return [
        NodeEntered(node, "AccumulateGrad", value, queue, why),
        LeafWritten(node, T[leaf], leaf, None, value, value),
    ]


def lesson() -> Timeline:
    """The lesson's timeline, with all three views."""
    graph = lesson_graph()
    scenes = tuple(build_scene(graph, view) for view in VIEWS)
    return Timeline(graph, lesson_events(), scenes, "e")


def fixture_text() -> str:
    """The fixture as committed: one event a line, so that its diffs can be read."""
    document = {**write(lesson()), "generator": "graphlab"}
    events = ",\n  ".join(json.dumps(one, ensure_ascii=False) for one in document["events"])
    parts = [
        f'"{key}": [\n  {events}\n]'
        if key == "events"
        else f'"{key}": {json.dumps(part, ensure_ascii=False)}'
        for key, part in document.items()
    ]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def values_text() -> str:
    """Values of every sort, for the tests of how arrays are shown."""
    weights = np.linspace(-2.5, 2.5, 300, dtype=np.float32).reshape(30, 10)
    weights[0, :4] = [np.nan, np.inf, -1.5, 1.5]
    weights[7, 7] = np.nan
    arrays = {
        "weights": weights,
        "mask": np.arange(12).reshape(3, 4) % 5 % 2 == 1,
        "kernels": np.arange(36).reshape(2, 2, 3, 3),
        "vector": np.arange(8),
        "large": np.ones((300, 400), np.float32),
        "empty": np.zeros((0, 3), np.float32),
        "empty vector": np.zeros(0, np.float32),
        "all NaN": np.full((2, 3), np.nan),
    }
    values = {name: encode(summarise(array)) for name, array in arrays.items()}
    return json.dumps(values, indent=1) + "\n"


if __name__ == "__main__" and "--update" in sys.argv:
    FIXTURE.write_text(fixture_text(), encoding="utf-8")
    ARRAYS.write_text(values_text(), encoding="utf-8")

"""How large traces are, plain and compressed, and how long writing and opening them takes.

`python -m benchmarks.trace_size`. KB are those of compact JSON in UTF-8.
The last two columns say how much of that the formulas are, by which values can be changed.

Read next: docs/trace.md
"""

from __future__ import annotations

import json
from collections.abc import Callable
from time import perf_counter
from typing import Any

import graphlab as torch
from graphlab.graph.compression import compressed
from graphlab.graph.timeline import Timeline


def size(document: Any) -> int:
    """Bytes of compact JSON."""
    return len(json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode())


def first_lesson() -> Timeline:
    a, b, c, d = (torch.tensor(x, requires_grad=True) for x in (2.0, 3.0, 5.0, 10.0))
    u = a * b
    t = torch.log(d)
    t.retain_grad()
    v = t * c
    e = u + v
    return torch.trace(e)


def diamond() -> Timeline:
    a = torch.tensor(3.0, requires_grad=True)
    b = 2 * a
    y = (b + 1) + (b + 2)
    return torch.trace(y)


def linear_layer() -> Timeline:
    torch.manual_seed(0)
    x, y = torch.randn(8, 4), torch.randn(8, 3)
    w, b = torch.randn(4, 3, requires_grad=True), torch.zeros(3, requires_grad=True)
    loss = ((x @ w + b - y) ** 2).mean()
    return torch.trace(loss)


def classifier() -> Timeline:
    torch.manual_seed(0)
    net = torch.nn.Sequential(
        torch.nn.Linear(784, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10)
    )  # fmt: skip
    loss = torch.nn.functional.cross_entropy(net(torch.randn(64, 784)), torch.arange(64) % 10)
    return torch.trace(loss)


def scalar_chain(times: int) -> Callable[[], Timeline]:
    """y = y * w + b, again and again: two nodes each."""

    def program() -> Timeline:
        x, w, b = (torch.tensor(k, requires_grad=True) for k in (1.0, 0.99, 0.01))
        y = x
        for _ in range(times):
            y = y * w + b
        return torch.trace(y)

    return program


def layers(width: int, batch: int) -> Callable[[], Timeline]:
    """150 nodes: 30 layers of x @ w + b and tanh."""

    def program() -> Timeline:
        torch.manual_seed(0)
        x = torch.randn(batch, width)
        for _ in range(29):
            w = torch.randn(width, width, requires_grad=True)
            b = torch.randn(width, requires_grad=True)
            x = torch.tanh(x @ w + b)
        loss = (x * x).mean()
        return torch.trace(loss)

    return program


def small_classifier() -> Timeline:
    torch.manual_seed(0)
    net = torch.nn.Sequential(
        torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 10)
    )  # fmt: skip
    loss = torch.nn.functional.cross_entropy(net(torch.randn(32, 16)), torch.arange(32) % 10)
    return torch.trace(loss)


def transformer_layer() -> Timeline:
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
    return torch.trace(layer(torch.randn(2, 4, 8)).sum())


PROGRAMS: dict[str, Callable[[], Timeline]] = {
    "lesson: a*b + c*log(d)": first_lesson,
    "lesson: (b+1) + (b+2)": diamond,
    "lesson: linear layer, 8×4": linear_layer,
    "lesson: MLP 784-128-10": classifier,
    "MLP 16-32-10, batch of 32": small_classifier,
    "transformer layer, 2×4×8": transformer_layer,
    "150 nodes: scalar chain": scalar_chain(73),
    "1,000 nodes: scalar chain": scalar_chain(500),
    "150 nodes: layers of 32×32": layers(32, 32),
    "150 nodes: layers of 8×8 (every array whole)": layers(8, 8),
}


def best(call: Callable[[], Any]) -> float:
    """Milliseconds of the fastest of three calls."""
    times = []
    for _ in range(3):
        start = perf_counter()
        call()
        times.append(perf_counter() - start)
    return 1000 * min(times)


def grown(document: dict[str, Any]) -> str:
    """How much larger the formulas make a trace, plain and compressed."""
    bare = {key: part for key, part in document.items() if key != "replay"}
    plain = size(document) / size(bare) - 1
    small = size(compressed(document)) / size(compressed(bare)) - 1
    return f"{plain:9.1%}{small:9.1%}"


def main() -> None:
    heads = ("nodes", "events", "plain", "gzip", "write ms", "open ms", "formulas", "in gzip")
    print(f"{'':46}" + "".join(f"{head:>9}" for head in heads))
    for name, program in PROGRAMS.items():
        timeline = program()
        _ = timeline.scenes  # drawn before the clock starts
        document = timeline.to_json()
        small = compressed(document)
        sizes = f"{size(document) / 1000:9.0f}{size(small) / 1000:9.1f}"
        written = best(lambda timeline=timeline: compressed(timeline.to_json()))
        opened = best(lambda small=small: Timeline.from_json(small))
        print(f"{name:46}{len(timeline.graph.nodes):9}{len(timeline):9}{sizes}", end="")
        print(f"{written:9.0f}{opened:9.0f}{grown(document)}")


if __name__ == "__main__":
    main()

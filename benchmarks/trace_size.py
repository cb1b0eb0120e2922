"""How large traces are as they travel: bytes per event, of a whole, and of its parts.

`python -m benchmarks.trace_size`. Bytes are those of compact JSON in UTF-8. An event alone is
weighed twice: as it stands in the packed document, and with its share of all else (the graph, the
scenes, the moulds).

Read next: docs/trace.md
"""

from __future__ import annotations

import json
from collections.abc import Callable
from statistics import median
from typing import Any

from graphlab.graph.pack import pack
from graphlab.graph.unpack import unpack

import graphlab as torch
from graphlab.graph.document import write
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


def scalar_chain() -> Timeline:
    """150 nodes: y = y * w + b, 73 times."""
    x, w, b = (torch.tensor(k, requires_grad=True) for k in (1.0, 0.99, 0.01))
    y = x
    for _ in range(73):
        y = y * w + b
    return torch.trace(y)


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


PROGRAMS: dict[str, Callable[[], Timeline]] = {
    "lesson: a*b + c*log(d)": first_lesson,
    "lesson: (b+1) + (b+2)": diamond,
    "lesson: linear layer, 8×4": linear_layer,
    "lesson: MLP 784-128-10": classifier,
    "150 nodes: scalar chain": scalar_chain,
    "150 nodes: layers of 32×32": layers(32, 32),
    "150 nodes: layers of 8×8 (every array whole)": layers(8, 8),
}


def main() -> None:
    print(f"{'':46}{'nodes':>6}{'events':>7}{'KB':>8}{'plain':>8}{'event':>7}{'share':>7}")
    for name, program in PROGRAMS.items():
        timeline = program()
        document = write(timeline)
        packed = pack(document)
        assert unpack(packed) == json.loads(json.dumps(document)), "the packed form lost something"
        whole, events = size(packed), packed["events"]["#"]
        counts = f"{len(timeline.graph.nodes):6}{len(timeline):7}"
        kilobytes = f"{whole / 1000:8.1f}{size(document) / 1000:8.0f}"
        print(f"{name:46}{counts}{kilobytes}", end="")
        print(f"{median(map(size, events)):7.0f}{whole / len(events):7.0f}")
        parts = {key: size(part) / 1000 for key, part in packed.items()}
        large = {key: kb for key, kb in parts.items() if kb > 0.3}
        print("    " + ", ".join(f"{key} {kb:.1f}" for key, kb in large.items()))


if __name__ == "__main__":
    main()

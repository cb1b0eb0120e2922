"""Small programs with a NaN or an infinity, and what is said of the first one in Python and JS.

`python -m tests.graph.nonfinite --update` writes tests/fixtures/nonfinite.json, in a process of its
own: nothing that ran before has a say in it.

Read next: tests/graph/test_first_nonfinite.py
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import graphlab
from graphlab import nn
from graphlab.graph.document import write
from graphlab.graph.timeline import Timeline

FIXTURE = Path(__file__).parents[1] / "fixtures" / "nonfinite.json"


def leaf(*numbers: float) -> Any:
    return graphlab.tensor(list(numbers), requires_grad=True)


def data() -> Timeline:
    """The NaN is in the data, and the loss saves a result that holds it."""
    graphlab.manual_seed(0)
    net = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1))
    X = graphlab.tensor([[1.0, math.nan]])
    with graphlab.record() as timeline:
        net(X).square().mean().backward()
    return timeline


def weights() -> Timeline:
    w = leaf(1.0, math.inf)
    return graphlab.trace((w * 2).square().sum())


def number() -> Timeline:
    """A number of the program has no name."""
    x = leaf(1.0, 2.0)
    return graphlab.trace((x + math.nan).sum())


def option() -> Timeline:
    x = leaf(1.0, 2.0)
    return graphlab.trace((x**math.nan).sum())


def operation() -> Timeline:
    x = leaf(1.0, 2.0)
    return graphlab.trace(graphlab.exp(graphlab.sqrt(x - 2)).sum())


def walked() -> Timeline:
    return operation().with_forward()


def filled() -> Timeline:
    """The number that is written is no value of the trace."""
    x = leaf(1.0, 2.0)
    return graphlab.trace((x.masked_fill(x > 1, math.nan) * 2).sum())


def mask() -> Timeline:
    x = leaf(1.0, 2.0)
    return graphlab.trace((x.masked_fill(x > 1, -math.inf) * 1).softmax(-1)[0])


def full_mask() -> Timeline:
    x = leaf(1.0, 2.0)
    bias = graphlab.full((2,), -math.inf)
    return graphlab.trace((x + bias).softmax(-1)[0])


def overcome() -> Timeline:
    x, data = leaf(1.0, 2.0), graphlab.tensor([math.nan, 4.0])
    return graphlab.trace(graphlab.where(graphlab.isnan(data), x, data).sum())


def rule() -> Timeline:
    x = leaf(0.0, 4.0)
    return graphlab.trace(graphlab.where(x > 0, graphlab.sqrt(x), x).sum())


def seed() -> Timeline:
    x = leaf(1.0, 2.0)
    with graphlab.record() as timeline:
        (x * 2).backward(graphlab.tensor([1.0, math.nan]))
    return timeline


def third_pass() -> Timeline:
    w = leaf(2.0)
    with graphlab.record() as timeline:
        for k in range(4):
            graphlab.log(w * (2 - k)).sum().backward()
    return timeline


def step() -> Timeline:
    w = graphlab.tensor([1.0], requires_grad=True)
    optimizer = graphlab.optim.SGD([w], lr=1e38)
    with graphlab.record() as timeline:
        for _ in range(2):
            (w * 1e20).sum().backward()
            optimizer.step()
    return timeline


def change() -> Timeline:
    w, X = leaf(2.0, 3.0), graphlab.tensor([1.0, 1.0])
    with graphlab.record() as timeline:
        (w * X).sum().backward()
        X[1] = math.nan
        (w * X).sum().backward()
    return timeline


def hook() -> Timeline:
    w = leaf(1.0, 2.0)
    w.register_hook(lambda grad: grad / 0)
    with graphlab.record() as timeline:
        (w * 2).sum().backward()
    return timeline


def clipped() -> Timeline:
    """The norm of the gradient is 0."""
    w = leaf(1.0, 2.0)
    with graphlab.record() as timeline:
        (w * 0).sum().backward()
        w.grad /= w.grad.norm()
    return timeline


def summed() -> Timeline:
    """The gradients of two passes overflow when they are added."""
    w = leaf(0.1, 0.2)
    with graphlab.record() as timeline:
        for _ in range(2):
            (w * 3e38).sum().backward()
    return timeline


def by_hand() -> Timeline:
    w = leaf(1.0, 2.0)
    with graphlab.record() as timeline:
        (w * 10).sum().backward()
        with graphlab.no_grad():
            w -= 1e38 * w.grad
    return timeline


def before_the_change() -> Timeline:
    """The operation ran before its input was made finite."""
    w = leaf(math.nan, 3.0)
    with graphlab.record() as timeline:
        y = w + 1
        with graphlab.no_grad():
            w[0] = 1.0
        y.sum().backward()
    return timeline


def unknown() -> Timeline:
    """The values of all results but the last are not known, as often with PyTorch."""
    timeline = graphlab.trace((graphlab.log(leaf(-1.0, 2.0) * 2) + 1).mean())
    graph = timeline.graph
    tensors = tuple(
        replace(one, value=None) if one.producer and one.id != graph.root else one
        for one in graph.tensors
    )
    nodes = tuple(replace(node, saved=()) for node in graph.nodes)
    return replace(timeline, graph=replace(graph, tensors=tensors, nodes=nodes))


def failed() -> Timeline:
    """The second pass fails in a module, and the first module never runs backward."""
    graphlab.manual_seed(0)
    net = nn.Sequential(nn.Linear(2, 2), nn.Sigmoid(), nn.ReLU(inplace=True), nn.Linear(2, 1))
    x = leaf(1.0, 2.0)
    with graphlab.record(expect=RuntimeError) as timeline:
        (x * 2).sum().backward()
        net(x).sum().backward()
    return timeline


def layers() -> Timeline:
    """Two layers without a module: their weights are transposed."""
    v, w = leaf(0.5, -1.0), leaf(2.0, -3.0)
    h = graphlab.tanh(graphlab.nn.functional.linear(graphlab.tensor([[1.0, 2.0]]), v[None]))
    return graphlab.trace(graphlab.nn.functional.linear(h, w.reshape(2, 1)).sum())


def one_part_stepped() -> Timeline:
    """The optimizer has only the parameters of the second layer."""
    graphlab.manual_seed(0)
    body, head = nn.Linear(2, 2), nn.Linear(2, 1)
    optimizer = graphlab.optim.SGD(head.parameters(), lr=0.1)
    with graphlab.record() as timeline:
        head(body(graphlab.ones(2))).sum().backward()
        optimizer.step()
    return timeline


def finite() -> Timeline:
    return graphlab.trace((leaf(1.0, 2.0) * 2).sum())


CASES: dict[str, Callable[[], Timeline]] = {
    one.__name__: one
    for one in (
        data, weights, number, option, operation, walked, filled, mask, full_mask, overcome, rule,
        seed, third_pass, step, change, hook, clipped, summed, by_hand, before_the_change, unknown,
        failed, layers, one_part_stepped, finite,
    )
}  # fmt: skip


def digits(norm: float) -> str | None:
    return f"{norm:#.3g}" if norm else None


def fixture_text() -> str:
    """The fixture as committed: one case a line."""
    lines = []
    for name, make in CASES.items():
        timeline = make()
        found = timeline.first_nonfinite()
        trace = write(replace(timeline, scenes=(), passes=tuple(
            replace(one, scenes=()) for one in timeline.passes
        )))  # fmt: skip
        said = None if found is None else [str(found), found.event]
        flow = [[one.name, digits(one.sent), digits(one.leaves)] for one in timeline.flow()]
        told = {
            "said": said,
            **({"flow": flow} if make is layers else {}),
            "trace": {**trace, "generator": "graphlab"},
        }
        lines.append(f"{json.dumps(name)}: {json.dumps(told, ensure_ascii=False)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    if "--update" in sys.argv:
        FIXTURE.write_text(fixture_text(), encoding="utf-8")
    else:
        sys.stdout.buffer.write(fixture_text().encode())

"""Programs that are traced at two sets of values, with all numbers of the second: what a player
retells of the first trace with these numbers must be the second.

`python -m tests.adapters.retelling --update` writes tests/fixtures/retold.json.

Read next: tests/adapters/test_retelling.py
"""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import graphlab as torch
from graphlab.adapters.native import rehearsal
from graphlab.adapters.native.facts import Watch
from graphlab.adapters.native.graph_copy import Copied, copy_of
from graphlab.graph.array_sample import ArraySample, sample
from graphlab.graph.compression import compressed_text
from graphlab.graph.timeline import Timeline

FIXTURE = Path(__file__).parents[1] / "fixtures" / "retold.json"


@dataclass
class Kept:
    """What a rehearsal saw: the copied graph, its facts, and the whole arrays of its samples."""

    copied: list[Copied] = field(default_factory=list[Copied])
    watches: list[Watch] = field(default_factory=list[Watch])
    arrays: list[tuple[ArraySample, np.ndarray]] = field(
        default_factory=list[tuple[ArraySample, np.ndarray]]
    )

    def of(self, seen: ArraySample) -> np.ndarray:
        return next(array for one, array in self.arrays if one is seen)


def watched(trace: Callable[[], Timeline]) -> tuple[Timeline, Kept]:
    """The timeline that `trace` makes, and the arrays behind it."""
    kept = Kept()

    def keeping(array: Any) -> ArraySample:
        seen = sample(array)
        kept.arrays.append((seen, np.array(array)))
        return seen

    class Keeping(Watch):
        sample = staticmethod(keeping)

        def __init__(self) -> None:
            super().__init__()
            kept.watches.append(self)

    def copying(*given: Any) -> Copied:
        kept.copied.append(copy_of(*given))
        return kept.copied[-1]

    with mock.patch.multiple(rehearsal, Watch=Keeping, copy_of=copying):
        timeline = trace()
        _ = timeline.events
    return timeline, kept


def written(array: Any) -> dict[str, Any]:
    """An array as a trace writes it: its type, its shape and its bytes."""
    held = np.asarray(array)
    data = base64.b64encode(np.ascontiguousarray(held).tobytes()).decode()
    return {"dtype": held.dtype.name, "shape": list(held.shape), "data": data}


def numbers_of(timeline: Timeline, kept: Kept) -> dict[str, Any]:
    """All numbers of a trace, in the form of js/src/replay/numbers.ts."""
    copied = kept.copied[-1]
    parts = ("tensors", "came", "made", "sent", "slopes", "gathered", "leaves")
    found: dict[str, Any] = {part: {} for part in parts}
    found["tensors"] = {id: written(raw) for id, raw in copied.raw.items() if raw is not None}
    sums = iter([k for k, event in enumerate(timeline.events) if event.kind == "Accumulated"])

    def array(seen: ArraySample | None) -> dict[str, Any] | None:
        return None if seen is None else written(kept.of(seen))

    for what, *about in kept.watches[-1].facts:
        if what == "entered":
            node, grads = about
            all_of_them = grads if isinstance(grads, tuple) else (grads,)
            found["came"][copied.node_ids[node]] = [*map(array, all_of_them)]
        elif what == "applied":
            node, shares, _ = about
            for k, share in enumerate(shares):
                if share is None:
                    continue
                edge = f"{copied.node_ids[node]}.{k}"
                found["made"][edge], found["sent"][edge] = array(share[0]), array(share[2])
                found["gathered"][str(next(sums))] = array(share[4])
                if share[5] is not None:
                    found["slopes"][edge] = array(share[5])
        elif what == "wrote":
            key, _, _, now = about
            found["leaves"][copied.tensors[key]] = array(now)
    return found


# -- programs: each is called with arrays of two seeds ------------------------------------------

Maker = Callable[..., Any]


def leaf(array: Any, dtype: Any = np.float32) -> Any:
    return torch.tensor(np.asarray(array, dtype), requires_grad=True)


def lesson(v: Maker) -> Timeline:
    a, b, c, d = leaf(v()), leaf(v()), leaf(v()), leaf(abs(v()))
    u = a * b
    return torch.trace(u + c * torch.log(d))


def undefined(v: Maker) -> Timeline:
    d = leaf(v.sign * 2.5)  # type: ignore[attr-defined]
    return torch.trace(torch.log(d) * torch.sqrt(d) + 1 / (d - d * 1.0))


def reused(v: Maker) -> Timeline:
    x = leaf(v())
    return torch.trace(x * x + torch.sin(x) * x - x**3 / 2)


def vectors(v: Maker) -> Timeline:
    w, x, b = leaf(v(3)), torch.tensor(np.asarray(v(3), np.float32)), leaf(v())
    s = torch.tanh(w * x + b)
    return torch.trace((s * s).sum())


def long_texts(v: Maker) -> Timeline:
    w = leaf(v(2) * 10.0 ** (7 * v.sign))  # type: ignore[attr-defined]
    return torch.trace((w * w * w).sum())


def network(v: Maker) -> Timeline:
    x, y = torch.tensor(np.asarray(v(4, 3), np.float32)), torch.tensor([0, 2, 1, 1])
    w1, b1, w2 = leaf(v(3, 5)), leaf(v(5)), leaf(v(5, 3))
    h = torch.relu(x @ w1 + b1)
    return torch.trace(torch.nn.functional.cross_entropy(h @ w2, y))


def mean_squares(v: Maker) -> Timeline:
    X, w, y = (np.asarray(v(*shape), np.float32) for shape in ((6, 2), (2, 1), (6, 1)))
    X, y, w = torch.tensor(X), torch.tensor(y), leaf(w)
    error = X @ w - y
    return torch.trace((error**2).mean())


def dead(v: Maker) -> Timeline:
    w = leaf(abs(v(4, 5)) * v.sign)  # type: ignore[attr-defined]
    return torch.trace(torch.relu(w).sum())


def added_to(v: Maker) -> Timeline:
    w, m, s = leaf([1.5, -2.25]), leaf(np.ones((3, 4))), leaf(2.0)
    (w.sum() * s + m.sum()).backward()
    for one, like in ((w, v(2)), (m, v(3, 4)), (s, v())):
        one.data = torch.tensor(np.asarray(like, np.float32))
    return torch.trace((w * w).sum() * s + (m * m).sum())


def retained(v: Maker) -> Timeline:
    x = leaf(v(2))
    h = x * 3.0
    h.retain_grad()
    return torch.trace((h * h).sum())


def hooked(v: Maker) -> Timeline:
    x = leaf(v())
    x.register_hook(lambda grad: None)
    return torch.trace(torch.exp(x) * x)


def several(v: Maker) -> Timeline:
    x = leaf(v(3, 2))
    first, second, third = torch.unbind(x)
    return torch.trace((first * second + torch.sigmoid(third) * first).sum())


def large(v: Maker) -> Timeline:
    w, x = leaf(v(30, 20)), torch.tensor(np.asarray(v(8, 30), np.float32))
    return torch.trace(torch.nn.functional.softmax(x @ w, dim=1)[:, 3].sum())


def double(v: Maker) -> Timeline:
    x = leaf(v(), np.float64)
    y = leaf(v(2, 2), np.float64)
    return torch.trace((torch.maximum(x, y) / (x * y + 5)).mean())


PROGRAMS = (
    lesson, undefined, reused, vectors, long_texts, network, mean_squares, dead, added_to,
    retained, hooked, several, large, double,
)  # fmt: skip
DRAWN = (lesson, network)  # with their pictures


class Values:
    """Numbers of a seed: `v(2, 3)` is an array, `v()` a single one, `v.sign` 1 or -1."""

    def __init__(self, seed: int) -> None:
        self.drawn = np.random.default_rng(seed)
        self.sign = 1 if seed % 2 else -1

    def __call__(self, *shape: int) -> Any:
        return self.drawn.normal(0.3, 1.7, shape or None)


def pairs(seeds: tuple[int, int] = (1, 2)) -> Iterator[dict[str, Any]]:
    """For each program: the two traces, and the numbers of the second."""
    for program in PROGRAMS:
        traces = []
        kept = Kept()
        for seed in seeds:
            with np.errstate(all="ignore"):
                timeline, kept = watched(lambda seed=seed, run=program: run(Values(seed)))
            traces.append(timeline)
        one, other = (timeline.to_json() for timeline in traces)
        other["scenes"] = []
        if program not in DRAWN:
            one["scenes"] = []
        numbers = numbers_of(traces[1], kept)
        yield {"name": program.__name__, "one": one, "other": other, "numbers": numbers}


def fixture_text() -> str:
    """What is committed: all pairs, there and back, compressed, because they repeat themselves."""
    back = ({**one, "name": f"{one['name']}, back"} for one in pairs((2, 1)))
    return json.dumps({"gzip": compressed_text([*pairs(), *back])}) + "\n"


if __name__ == "__main__":
    if "--update" in sys.argv:
        FIXTURE.write_text(fixture_text(), encoding="utf-8")
        print(FIXTURE, FIXTURE.stat().st_size)

"""Graphs run again at other values: what Python and the player must both give.

`python -m tests.adapters.replays --update` writes tests/fixtures/replay.json;
`--random 500 --seed 1` writes random programs of up to 60 nodes to the standard output instead.
A case has a trace without sentences, and runs: the entries that were changed, and what follows from
them, as little-endian doubles in base64. `sent` holds only what differs from `made`.

Read next: tests/adapters/test_replays.py
"""

from __future__ import annotations

import argparse
import base64
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import graphlab
import graphlab as torch
from graphlab.graph.formulas import numbers_of, write_numbers
from graphlab.graph.replaying import ReplayError, replay_of
from graphlab.graph.timeline import Timeline
from graphlab.nn import functional as F

FIXTURE = Path(__file__).parents[1] / "fixtures" / "replay.json"
Tensor = graphlab.Tensor
SPECIAL = (0.0, -1.0, float("nan"), float("inf"), -float("inf"))


def leaf(data: Any, dtype: Any = torch.float32) -> Tensor:
    return torch.tensor(np.asarray(data, float), dtype=dtype, requires_grad=True)


def counted(*shape: int, dtype: Any = torch.float64) -> Tensor:
    """Different entries of both signs: none is 0."""
    many = int(np.prod(shape))
    return leaf((np.arange(many) * 7 % many - many / 2 + 0.25).reshape(shape) / 2, dtype)


def walked(result: Tensor) -> Timeline:
    """The rehearsal of a tensor of any shape."""
    return torch.trace(result, torch.ones_like(result.detach()) * 0.5 if result.ndim else None)


# -- programs -----------------------------------------------------------------------------------


def lesson() -> Timeline:
    a, b, c, d = (leaf(x) for x in (2.0, 3.0, 5.0, 10.0))
    e = a * b + c * torch.log(d)
    return torch.trace(e)


def mlp() -> Timeline:
    X = counted(4, 3, dtype=torch.float32).detach()
    W1, b1 = counted(3, 5, dtype=torch.float32), leaf(np.arange(5) / 4)
    W2, b2 = counted(5, 3, dtype=torch.float32), leaf([0.1, -0.2, 0.3])
    h = F.relu(X @ W1 + b1)
    loss = F.cross_entropy(h @ W2 + b2, torch.tensor([0, 2, 1, 1]))
    return torch.trace(loss)


def reductions() -> Timeline:
    x = counted(3, 4)
    y = x.sum(0) + x.mean(0) * x.max() + x.amax(1).sum()
    return walked(y * x.var(0) + x.prod(1).sum() + x.std())


def softmaxes() -> Timeline:
    x = counted(2, 3)
    return walked(F.softmax(x, 1) * F.log_softmax(x, 0) + torch.logsumexp(x, 1).sum())


def choosing() -> Timeline:
    x, y = counted(3, 2), counted(2)
    z = torch.where(x > 0, x * x, y) * (x > y).double() + torch.maximum(x, y) + x.clamp(-1, 1)
    return walked(z)


def indexing() -> Timeline:
    x = counted(4, 3)
    rows = x[torch.tensor([0, 2, 2])] * x[1:4] + x[:, 1].sum() + x[2, 0]
    return walked(torch.cat([rows, x[::2]]) @ torch.stack([x[0], x[3]]).T)


def matrices() -> Timeline:
    A, B, v = counted(2, 3), counted(3, 2), counted(2)
    return walked((A @ B).T @ v + B.transpose(0, 1).reshape(3, 2)[0] + torch.outer(v, v) @ v)


def layer_norm() -> Timeline:
    x, w, b = counted(2, 4, dtype=torch.float32), leaf([1.0, 2, 3, 4]), leaf([0.0, 1, 0, 1])
    return walked(F.layer_norm(x, (4,), w, b))


def embedding() -> Timeline:
    table = counted(5, 3)
    return walked(F.embedding(torch.tensor([[0, 4], [4, 2]]), table).tanh())


def convolution() -> Timeline:
    image, kernel, bias = counted(1, 2, 4, 3), counted(2, 2, 2, 2), leaf([0.5, -1], torch.float64)
    return walked(F.max_pool2d(F.conv2d(image, kernel, bias, padding=1), 2))


def broadcast() -> Timeline:
    x, row, column, s = counted(2, 3), counted(3), counted(2, 1), leaf(1.5, torch.float64)
    return walked((x * row + column) / s - row * s)


def reuse() -> Timeline:
    x = leaf(3.0)
    b = 2 * x
    y = (b + 1) * (b + 2) / x - x**2 + x**0.5
    return torch.trace(y)


def written_over() -> Timeline:
    x, y = counted(3), leaf(2.0, torch.float64)
    z = x * 1
    z[1] = y * y
    z[0] *= 3
    return walked(z * z)


def grad_before() -> Timeline:
    x = leaf([1.0, 2.0])
    (x * x).sum().backward()
    return torch.trace((x.exp() / x).sum())


def saturated() -> Timeline:
    x = leaf(7.25, torch.float64)
    return torch.trace(torch.expm1(7 * torch.tanh(x)) * x)


def numbers_read() -> Timeline:
    x, w, b, c = leaf([1.0, 3.0, 2.0]), leaf(2.5), leaf(0.5), leaf(1.5)
    h = torch.tanh(x * w)
    scale, place = w.item(), x.argmax().item()
    with torch.no_grad():
        middle = h.mean()
    last = b * b if (h * h).sum().item() > 1 else b
    last = last + c * c.detach().exp()
    return torch.trace(((h - middle) * scale * x[place] + last).sum())


def numbers_chosen() -> Timeline:
    small, large = sorted([leaf(2.0), leaf(1.0)], key=lambda value: value.item())
    return torch.trace(small - large * small)


def text_unknown() -> Timeline:
    made: dict[str, Any] = {"w": leaf(2.5), "x": leaf(3.0)}
    exec("h = w * x\ny = h * (w.item() / 2)", made)
    return torch.trace(made["y"])


def gradient_used() -> Timeline:
    x = leaf(2.0)
    (x * x).backward()
    return torch.trace(x * x.grad)


def mixed_types() -> Timeline:
    x, y = leaf([1.25, -2.5]), leaf([3.0, 0.1], torch.float64)
    return walked((x * y).float() * 0.1 + x.double().exp())


def several_outputs() -> Timeline:
    x = counted(4, 3)
    first, _, last = x.unbind(1)
    values, _ = x.max(1)
    sorted_, _ = x.sort(0)
    a, b = x.split(2)
    return walked(first * last + values + sorted_.sum(1) + (a * b).sum())


def deciding() -> Timeline:
    x, y = counted(4), leaf(0.5, torch.float64)
    mask = torch.logical_and(x > y, x < 1)
    kept = torch.where(mask, x * x, -x) * (torch.sigmoid(x) > 0.5).double()
    return walked(kept + x.masked_fill(x < 0, 0.25) * x.detach())


def branching() -> Timeline:
    x, y = leaf(2.0), leaf(3.0)
    z = x * y
    while z < 100 and y > 0:
        z = z * x
    return torch.trace(z)


def picking() -> Timeline:
    x = counted(5)
    return walked(x[x > 0].sum() * torch.masked_select(x, x < 0).sum())


def dropped() -> Timeline:
    x = counted(6, dtype=torch.float32)
    torch.manual_seed(3)
    return walked(F.dropout(x * x, 0.5))


PROGRAMS: dict[str, Callable[[], Timeline]] = {
    program.__name__: program
    for program in (
        lesson, mlp, reductions, softmaxes, choosing, indexing, matrices, layer_norm, embedding,
        convolution, broadcast, reuse, written_over, grad_before, mixed_types, several_outputs,
        deciding, branching, picking, dropped, numbers_read, numbers_chosen, text_unknown,
        gradient_used, saturated,
    )
}  # fmt: skip


# -- random programs ----------------------------------------------------------------------------

UNARY: list[Callable[[Tensor], Tensor]] = [
    torch.exp, torch.tanh, torch.sin, torch.cos, torch.sigmoid, torch.relu, torch.abs, torch.neg,
    lambda x: torch.log(x * x + 0.5), lambda x: torch.sqrt(x.abs() + 0.1), lambda x: x**2,
    lambda x: x**3, lambda x: torch.reciprocal(x * x + 1), F.softplus, lambda x: x.clamp(-0.5, 0.5),
    lambda x: 2 - x, lambda x: x * 0.3, lambda x: x / 3, F.gelu, F.silu, torch.erf,
    lambda x: torch.where(x > 0.1, x, x * 0.5), F.leaky_relu, lambda x: x.expm1(), torch.atan,
]  # fmt: skip
BINARY: list[Callable[[Tensor, Tensor], Tensor]] = [
    torch.add, torch.sub, torch.mul, lambda x, y: x / (y * y + 1), torch.maximum, torch.minimum,
    lambda x, y: torch.where(x > y, x, y * 2), lambda x, y: torch.lerp(x, y, 0.3), torch.hypot,
]  # fmt: skip
OF_ARRAYS: list[Callable[[Tensor], Tensor]] = [
    lambda x: x.sum(0), lambda x: x.mean(-1, keepdim=True), lambda x: x.amax(0), lambda x: x[0],
    lambda x: F.softmax(x, -1), lambda x: F.log_softmax(x, 0), lambda x: x.cumsum(0),
    lambda x: torch.cat([x, x], 0)[1:], lambda x: x.flip(0), torch.max,
    lambda x: x.transpose(0, -1), lambda x: x.reshape(-1), lambda x: torch.logsumexp(x, 0),
    lambda x: x.norm(), lambda x: torch.stack([x, x * 2]).sum(0),
    lambda x: x.unsqueeze(0), lambda x: x.prod(0), lambda x: x.std(),
]  # fmt: skip
SHAPES = ((), (), (), (3,), (2, 3), (2, 1), (3, 3))


def random_program(seed: int) -> Timeline:
    """A graph of up to 60 nodes from a seed: scalars and small arrays of one type."""
    result = random_result(seed)[0]
    return torch.trace(result) if count(result) <= 60 else random_program(seed + 1_000_000)


def random_result(
    seed: int, given: dict[int, Any] | None = None, calmed: list[bool] | None = None
) -> tuple[Tensor, list[Tensor], list[bool]]:
    """A random program's result, its leaves, and which results it calmed down.

    given: entries of some leaves instead of random ones. calmed: what another run calmed.
    """
    dice = np.random.default_rng(seed)
    dtype = torch.float32 if seed % 2 else torch.float64
    there, calm = [], []
    for k in range(dice.integers(2, 6)):
        drawn = dice.uniform(-2, 2, SHAPES[dice.integers(len(SHAPES))])
        there.append(leaf((given or {}).get(k, drawn), dtype))
    leaves = list(there)
    most = dice.integers(4, 45)  # some calls leave several nodes, some results lead nowhere
    while len(there) < most:
        made = random_call(dice, there)
        # entries so large that the rounding of a sum shows are made small, unknown to the graph
        calm.append(calmed[len(calm)] if calmed else np.abs(made._data).max() >= 20)
        there.append(torch.tanh(made * 0.01) if calm[-1] else made)
    first, *parts = [x.sum() for x in there[-6:]]
    result = first
    for part in parts:
        result = result * 0.5 + part
    return result, leaves, calm


def count(root: Tensor) -> int:
    """The nodes behind a tensor."""
    seen, waiting = set(), [root.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in seen:
            seen.add(node)
            waiting += [edge for edge, _ in node.next_functions]
    return len(seen)


def random_call(dice: np.random.Generator, there: list[Tensor]) -> Tensor:
    x = there[dice.integers(len(there))]
    kind = dice.integers(10)
    if kind < 4:
        others = [y for y in there if fits(x.shape, y.shape)]
        return BINARY[dice.integers(len(BINARY))](x, others[dice.integers(len(others))])
    if kind == 4 and x.ndim == 2:
        factors = [y for y in there if y.ndim in (1, 2) and y.shape[0] == x.shape[1]]
        if factors:
            return x @ factors[dice.integers(len(factors))]
    if kind < 7 and x.ndim and x.numel() > 1:
        return OF_ARRAYS[dice.integers(len(OF_ARRAYS))](x)
    return UNARY[dice.integers(len(UNARY))](x)


def fits(one: Any, other: Any) -> bool:
    return all(a == b or 1 in (a, b) for a, b in zip(one[::-1], other[::-1], strict=False))


# -- cases --------------------------------------------------------------------------------------


def case_of(timeline: Timeline, seed: int, times: int) -> dict[str, Any]:
    """The trace of a program, and its numbers at the recorded and at other values."""
    dice = np.random.default_rng(seed)
    leaves = [one.id for one in timeline.graph.tensors if one.is_leaf and one.requires_grad]
    leaves = [one for one in leaves if timeline.replay and one in timeline.replay.data]
    runs = [run_of(timeline, {})]
    for k in range(times):
        name = leaves[(seed + k) % len(leaves)]
        assert timeline.replay is not None
        entries = timeline.replay.data[name].array().astype(float)
        entries = entries + dice.uniform(-1, 1, entries.shape)
        if k == times - 1:  # the last run meets what a learner types by mistake
            entries.flat[dice.integers(entries.size)] = SPECIAL[seed % len(SPECIAL)]
        runs.append(run_of(timeline, {name: entries}))
    return {"trace": bare_trace(timeline), "runs": runs}


def run_of(timeline: Timeline, edits: dict[str, Any]) -> dict[str, Any]:
    told: dict[str, Any] = {"edits": {k: write_numbers(numbers_of(x)) for k, x in edits.items()}}
    try:
        run = replay_of(timeline, edits)
    except ReplayError as error:
        return {**told, "problem": str(error), "node": error.node}
    for part in ("tensors", "made", "gathered", "leaves"):
        told[part] = {name: packed(x) for name, x in getattr(run, part).items()}
    told["sent"] = {k: packed(x) for k, x in run.sent.items() if packed(x) != told["made"][k]}
    told["gathered"] = {
        k: x for k, x in told["gathered"].items() if x != told["sent"].get(k, told["made"][k])
    }
    return told


def packed(entries: Any) -> str:
    return base64.b64encode(np.asarray(entries, "<f8").tobytes()).decode()


def unpacked(text: str, like: Any) -> Any:
    return np.frombuffer(base64.b64decode(text), "<f8").reshape(np.shape(like))


def bare_trace(timeline: Timeline) -> dict[str, Any]:
    """A trace of a graph and its formulas alone."""
    drawn = Timeline(timeline.graph, (), title=timeline.title, replay=timeline.replay)
    trace = {**drawn.to_json(), "generator": "graphlab"}
    for tensor in trace["graph"]["tensors"]:
        for name in ("value", "grad"):
            if tensor.get(name):
                tensor[name].update(text="", entries="", kept=[], statistics=None)
    for node in trace["graph"]["nodes"]:
        for field in ("proof", "source", "formula", "saved"):
            node.pop(field, None)
    return trace


def programs(randoms: int, seed: int) -> Iterator[tuple[str, Timeline, int]]:
    """Names, walks, and a seed for the edits of each."""
    for k, (name, program) in enumerate(PROGRAMS.items()):
        yield name, program(), k
    yield from random_programs(randoms, seed)


def random_programs(randoms: int, seed: int) -> Iterator[tuple[str, Timeline, int]]:
    for k in range(seed, seed + randoms):
        yield f"random {k}", random_program(k), k


def fixture_text(cases: Iterator[tuple[str, Timeline, int]], times: int = 3) -> str:
    """The fixture as committed: one program a line."""
    lines = [
        f"{json.dumps(name)}: {json.dumps(case_of(walk, seed, times), separators=(',', ':'))}"
        for name, walk, seed in cases
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main() -> None:
    parser = argparse.ArgumentParser(description="Write graphs with their numbers.")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if given.update:
        FIXTURE.write_text(fixture_text(programs(32, 1)), encoding="utf-8")
    else:
        cases = random_programs(given.random, given.seed)
        sys.stdout.buffer.write(fixture_text(cases).encode())


if __name__ == "__main__":
    main()

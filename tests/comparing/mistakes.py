"""What students get wrong, beside the solution: each pair of programs ends with `walk`.

Read next: tests/comparing/test_mistakes.py
"""

from __future__ import annotations

import linecache
import warnings
from typing import Any

import graphlab
from graphlab.graph.timeline import Timeline

SET_UP = """\
W = torch.tensor([[0.5, -1.0], [1.5, 0.25]], requires_grad=True)
w = torch.tensor([2.0, 1.0], requires_grad=True)
x, y = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 3.0])
"""
MODEL = (
    SET_UP + "h = torch.relu(W @ x)\nloss = ((h * w - y) ** 2).mean()\nwalk = torch.trace(loss)\n"
)
TRAINING = """\
w, x = torch.tensor(3.0, requires_grad=True), torch.tensor(2.0)
optimizer = torch.optim.SGD([w], lr=0.1)
with torch.record() as walk:
    for _ in range(3):
        optimizer.zero_grad()
        loss = (w * x - 5) ** 2
        loss.backward()
        optimizer.step()
"""
STEP = "optimizer.step()\n"
IN_PLACE = """\
w = torch.tensor(3.0, requires_grad=True)
with torch.record() as walk:
    y = w.exp()
    z = y * w
    y = y + 1
    z.backward()
"""
TWICE = "x = torch.tensor(3.0, requires_grad=True)\ny = x * x + 2 * x\nwalk = torch.trace(y)\n"


def changed(program: str, old: str, new: str) -> str:
    assert old in program
    return program.replace(old, new)


SOFTMAX = """\
z = torch.tensor([0.0, 100.0], requires_grad=True)
loss = z.exp().sum().log()
walk = torch.trace(loss)
"""

MISTAKES: dict[str, tuple[str, str]] = {
    "zero_grad was forgotten": (TRAINING, changed(TRAINING, "        optimizer.zero_grad()\n", "")),
    "grad was not empty": (
        TWICE,
        changed(TWICE, "walk", "x.grad = torch.tensor(5.0)\nwalk"),
    ),
    "not shifted before the exponential, and back after the logarithm": (
        changed(SOFTMAX, "z.exp().sum().log()", "100 + (z - 100).exp().sum().log()"),
        SOFTMAX,
    ),
    "detach in the middle": (MODEL, changed(MODEL, "relu(W @ x)", "relu(W @ x).detach()")),
    "detach in the line": (MODEL, changed(MODEL, "h * w", "h.detach() * w")),
    "no_grad in the middle": (
        MODEL,
        changed(MODEL, "h = torch", "with torch.no_grad():\n    h = torch"),
    ),
    "one use of a leaf was cut": (TWICE, changed(TWICE, "2 * x", "2 * x.detach()")),
    "a number was taken out": (TWICE, changed(TWICE, "x * x", "x.item() * x")),
    "requires_grad was forgotten": (
        MODEL,
        changed(MODEL, "([2.0, 1.0], requires_grad=True)", "([2.0, 1.0])"),
    ),
    "sum instead of mean": (MODEL, changed(MODEL, "mean()", "sum()")),
    "mean written in another way": (MODEL, changed(MODEL, ".mean()", ".sum() / 2")),
    "changed in place, which fails": (IN_PLACE, changed(IN_PLACE, "y = y + 1", "y += 1")),
    "changed in place, which works": (
        MODEL,
        changed(MODEL, "h = torch.relu(W @ x)", "h = W @ x\nh.relu_()"),
    ),
    "used once": (TWICE, changed(TWICE, "x * x + 2 * x", "x * x")),
    "another leaf": (MODEL, changed(MODEL, "(W @ x)\n", "(W @ x + w)\n")),
    "transposed": (MODEL, changed(MODEL, "W @ x", "W.T @ x")),
    "relu is missing": (MODEL, changed(MODEL, "torch.relu(W @ x)", "W @ x")),
    "sigmoid for relu": (MODEL, changed(MODEL, "torch.relu", "torch.sigmoid")),
    "another exponent": (MODEL, changed(MODEL, "** 2", "** 3")),
    "inputs in the other order": (MODEL, changed(MODEL, "h * w - y", "y - h * w")),
    "factors in the other order": (MODEL, changed(MODEL, "h * w", "w * h")),
    "other data": (MODEL, changed(MODEL, "[2.0, 1.0]", "[2.0, 4.0]")),
    "fewer steps": (TRAINING, changed(TRAINING, "range(3)", "range(1)")),
    "the leaf is lost": (
        changed(TRAINING, STEP, "with torch.no_grad():\n            w -= 0.1 * w.grad\n"),
        changed(TRAINING, STEP, "w = w - 0.1 * w.grad if w.grad is not None else w\n"),
    ),
    "nothing": (MODEL, MODEL),
}  # fmt: skip


def walk_of(program: str, name: str) -> Timeline:
    """Run a program as the cell `name`, and return its `walk`."""
    linecache.cache[name] = (len(program), None, program.splitlines(keepends=True), name)
    variables: dict[str, Any] = {"torch": graphlab}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a .grad that is not a leaf's
        try:
            exec(compile(program, name, "exec"), variables)
        except RuntimeError:
            assert "walk" in variables
    return variables["walk"]


def walks_of(case: str) -> tuple[Timeline, Timeline]:
    """The solution and the mistake."""
    solution, mistake = MISTAKES[case]
    return walk_of(solution, f"<solution of {case}>"), walk_of(mistake, f"<{case}>")

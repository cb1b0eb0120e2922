"""Random small programs: views, changes in place and a backward pass, step by step.

Each step makes a new tensor of earlier ones, or changes one in place. A step that is refused is
left out, if both libraries refuse it with the same class of error.

Read next: tests/fuzz/test_fuzz.py
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from tests.fuzz.outcomes import is_raw, kin, numbers, said, same, shown

Step = Callable[..., Any]

VIEWS: dict[str, Step] = {
    "t": lambda t, x, y, n: x.t() if x.ndim == 2 else x.transpose(0, -1),
    "row": lambda t, x, y, n: x[n % x.shape[0]],
    "column": lambda t, x, y, n: x[..., n % x.shape[-1]],
    "rows": lambda t, x, y, n: x[n % 2 :],
    "every other": lambda t, x, y, n: x[..., ::2],
    "narrow": lambda t, x, y, n: x.narrow(-1, n % x.shape[-1], 1),
    "view": lambda t, x, y, n: x.view(-1),
    "view as": lambda t, x, y, n: x.view(y.shape),
    "reshape": lambda t, x, y, n: x.reshape(-1),
    "unsqueeze": lambda t, x, y, n: x.unsqueeze(n % 2),
    "squeeze": lambda t, x, y, n: x.squeeze(),
    "expand": lambda t, x, y, n: x.expand(2, *x.shape),
    "diagonal": lambda t, x, y, n: x.diagonal(),
    "detach": lambda t, x, y, n: x.detach(),
    "unbind": lambda t, x, y, n: x.unbind(0)[n % x.shape[0]],
    "split": lambda t, x, y, n: x.split(1)[n % x.shape[0]],
    "chunk": lambda t, x, y, n: x.chunk(2, -1)[0],
    "as_strided": lambda t, x, y, n: x.as_strided((2,), (1,), n % 2),
    "unfold": lambda t, x, y, n: x.unfold(-1, 2, 1),
    "movedim": lambda t, x, y, n: x.movedim(0, -1),
    "without recording": lambda t, x, y, n: silent(t, lambda: x[0]),
    "view_as": lambda t, x, y, n: x.view_as(x),
    "permute": lambda t, x, y, n: x.permute(*reversed(range(x.ndim))),
    "flatten": lambda t, x, y, n: x.flatten(),
}
VALUES: dict[str, Step] = {
    "add": lambda t, x, y, n: x + y,
    "mul": lambda t, x, y, n: x * y,
    "sub": lambda t, x, y, n: x - y * 0.5,
    "matmul": lambda t, x, y, n: x @ y,
    "sin": lambda t, x, y, n: x.sin(),
    "tanh": lambda t, x, y, n: x.tanh(),
    "relu": lambda t, x, y, n: x.relu(),
    "square": lambda t, x, y, n: x**2,
    "sum": lambda t, x, y, n: x.sum(-1, keepdim=True),
    "mean": lambda t, x, y, n: x.mean(0),
    "max": lambda t, x, y, n: x.max(0)[0],
    "softmax": lambda t, x, y, n: t.softmax(x, -1),
    "cat": lambda t, x, y, n: t.cat([x, y]),
    "stack": lambda t, x, y, n: t.stack([x, y]),
    "where": lambda t, x, y, n: t.where(x > 0, x, y),
    "clone": lambda t, x, y, n: x.clone(),
    "flip": lambda t, x, y, n: x.flip(0),
    "roll": lambda t, x, y, n: x.roll(1, 0),
    "index": lambda t, x, y, n: x[[0, -1]],
    "mask": lambda t, x, y, n: x[x > 0],
    "cumsum": lambda t, x, y, n: x.cumsum(0),
    "contiguous": lambda t, x, y, n: x.contiguous(),
    "gather": lambda t, x, y, n: x.gather(-1, t.zeros_like(x, dtype=t.int64)),
    "no gradient": lambda t, x, y, n: silent(t, lambda: x * 2),
}
CHANGES: dict[str, Step] = {
    "add_": lambda t, x, y, n: x.add_(y),
    "mul_": lambda t, x, y, n: x.mul_(y),
    "mul_ 3": lambda t, x, y, n: x.mul_(3.0),
    "zero_": lambda t, x, y, n: x.zero_(),
    "fill_": lambda t, x, y, n: x.fill_(0.5),
    "copy_": lambda t, x, y, n: x.copy_(y),
    "sin_": lambda t, x, y, n: x.sin_(),
    "relu_": lambda t, x, y, n: x.relu_(),
    "exp_": lambda t, x, y, n: x.mul_(0.1).exp_(),
    "clamp_": lambda t, x, y, n: x.clamp_(-0.5, 0.5),
    "set row": lambda t, x, y, n: x.__setitem__(0, y),
    "set number": lambda t, x, y, n: x.__setitem__((..., n % 2), 0.25),
    "set mask": lambda t, x, y, n: x.__setitem__(x > 0, 0.5),
    "masked_fill_": lambda t, x, y, n: x.masked_fill_(x > 0, -1.0),
    "t_": lambda t, x, y, n: x.t_(),
    "unsqueeze_": lambda t, x, y, n: x.unsqueeze_(0),
    "squeeze_": lambda t, x, y, n: x.squeeze_(),
    "detach_": lambda t, x, y, n: x.detach_(),
    "requires_grad_": lambda t, x, y, n: x.requires_grad_(),
    "silent mul_": lambda t, x, y, n: silent(t, lambda: x.mul_(2.0)),
    "silent add_": lambda t, x, y, n: silent(t, lambda: x.add_(y)),
    "iadd": lambda t, x, y, n: x.__iadd__(y),
    "index_add_": lambda t, x, y, n: x.index_add_(0, t.tensor([0]), y[:1]),
    "retain_grad": lambda t, x, y, n: x.retain_grad(),
    "data": lambda t, x, y, n: x.data.mul_(1.5),
}
GROUPS = ((VIEWS, 0.34), (VALUES, 0.33), (CHANGES, 0.33))


def silent(t: ModuleType, call: Callable[[], Any]) -> Any:
    with t.no_grad():
        return call()


Line = tuple[str, int, int, int]


def program_of(seed: int) -> tuple[list[Any], list[Line]]:
    """The leaves and the steps of a number."""
    rng = np.random.default_rng([7, seed])
    shapes = [(2, 3), (3,), (2, 2), (3, 2), (1, 3)]
    leaves = [
        (rng.standard_normal(shapes[rng.integers(len(shapes))]), bool(rng.random() < 0.75))
        for _ in range(rng.integers(1, 4))
    ]
    steps = []
    for _ in range(rng.integers(3, 11)):
        group = GROUPS[rng.choice(3, p=[share for _, share in GROUPS])][0]
        name = list(group)[rng.integers(len(group))]
        steps.append((name, *(int(k) for k in rng.integers(0, 1000, 3))))
    return leaves, steps


def source_of(seed: int) -> str:
    """A program as text, for a report."""
    leaves, steps = program_of(seed)
    said_of = [f"leaf {i}: {x.shape}{' grad' * grad}" for i, (x, grad) in enumerate(leaves)]
    return "; ".join([*said_of, *(f"{name} {a} {b} {n}" for name, a, b, n in steps)])


def step_of(name: str) -> Step:
    return next(group[name] for group, _ in GROUPS if name in group)


def difference_of(torch: ModuleType, seed: int) -> tuple[str, str] | None:
    """What differs when a program is run with both libraries; None when nothing does."""
    import graphlab

    leaves, steps = program_of(seed)
    both: list[list[Any]] = []
    for lib in (graphlab, torch):
        pool = []
        for entries, grad in leaves:
            leaf = lib.tensor(entries.copy())
            pool.append(leaf.requires_grad_() if grad else leaf)
        both.append(pool)
    ours, theirs = both
    for name, a, b, n in steps:
        mine = tried(graphlab, ours, name, a, b, n)
        yours = tried(torch, theirs, name, a, b, n)
        if isinstance(mine, Exception) or isinstance(yours, Exception):
            refused = isinstance(mine, Exception) and isinstance(yours, Exception)
            if refused and kin(mine, yours) and (not is_raw(mine) or str(mine) == str(yours)):
                continue
            if isinstance(mine, Exception) and is_raw(mine):
                return "raw error", f"{name}: {said(mine)}"
            say = [said(x) if isinstance(x, Exception) else "no error" for x in (mine, yours)]
            return "other error", f"{name}: {say[0]} | {say[1]}"
        if mine is not None:
            ours.append(mine)
            theirs.append(yours)
    return states_differ(ours, theirs) or passes_differ(graphlab, torch, ours, theirs)


def tried(lib: ModuleType, pool: list[Any], name: str, a: int, b: int, n: int) -> Any:
    """The new tensor of a step, None where there is none, or the error."""
    try:
        made = step_of(name)(lib, pool[a % len(pool)], pool[b % len(pool)], n)
    except Exception as error:
        return error
    return made if name not in CHANGES else None


def states_differ(ours: list[Any], theirs: list[Any]) -> tuple[str, str] | None:
    """Compare entries, and what every tensor says of itself."""
    for i, (x, y) in enumerate(zip(ours, theirs, strict=True)):
        if not same(numbers(x), numbers(y), 1e-9):
            return "wrong value", f"tensor {i}: {shown(numbers(x))}, not {shown(numbers(y))}"
        mine, yours = state_of(x), state_of(y)
        if mine != yours:
            return "other state", f"tensor {i}: {mine}, not {yours} (grad, leaf, version)"
    return None


def state_of(x: Any) -> tuple[Any, ...]:
    """What a tensor says of itself, or that it refuses to."""
    try:
        return x.requires_grad, x.is_leaf, x._version
    except RuntimeError:  # a view that was changed where that is not allowed
        return ("refused",)


def weighted(lib: ModuleType, x: Any) -> Any:
    """The sum of all entries, each times its number: turned around, they get other gradients."""
    return (x * lib.arange(1.0, x.numel() + 1.0).view(x.shape)).sum()


def passes_differ(
    graphlab: ModuleType, torch: ModuleType, ours: list[Any], theirs: list[Any]
) -> tuple[str, str] | None:
    """Send gradients back from a sum of all tensors, and compare those of the leaves."""
    errors: list[Exception | None] = []
    for lib, pool in ((graphlab, ours), (torch, theirs)):
        try:
            total = sum((weighted(lib, x) * (i + 1) for i, x in enumerate(pool)), lib.zeros(()))
            if total.requires_grad:
                total.backward()
            errors.append(None)
        except Exception as error:
            errors.append(error)
    mine, yours = errors
    if mine is not None and is_raw(mine):
        return "raw error", f"backward: {said(mine)}"
    if mine is not None or yours is not None:
        if mine is not None and yours is not None and kin(mine, yours):
            return None
        return "wrong gradient", f"backward: {said(mine)} | {said(yours)}"
    for i, (x, y) in enumerate(zip(ours, theirs, strict=True)):
        if state_of(x) == ("refused",) or not x.is_leaf:
            continue
        a, b = (None if t.grad is None else numbers(t.grad) for t in (x, y))
        if not same(a, b, 1e-8):
            return "wrong gradient", f"tensor {i}: {shown(a)}, not {shown(b)}"
    return None

"""Random small programs of several backward passes: hooks, Functions, checkpoints, an optimizer.

Each step makes a new tensor of earlier ones, or does something: it registers a hook, runs a pass,
changes a tensor in place. After each step all tensors, their gradients and what the hooks saw are
compared. A program ends with the first pass that both libraries refuse, as PyTorch writes some
gradients before it raises the error.

Read next: tests/fuzz/programs.py
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

from tests.fuzz.outcomes import is_raw, kin, numbers, said, same, shown
from tests.fuzz.programs import silent, state_of

PASSES = ("backward", "grad")  # what the names of the steps that run a pass begin with


class Run:
    """One library in the middle of a program: its tensors, its hooks, and what they saw."""

    def __init__(self, lib: ModuleType, leaves: list[tuple[np.ndarray, bool]]) -> None:
        self.lib = lib
        self.pool = [lib.tensor(x.copy()).requires_grad_(needs) for x, needs in leaves]
        self.seen: list[Any] = []
        self.handles: list[Any] = []
        wanted = [x for x in self.pool if x.requires_grad]
        self.optimizer = lib.optim.SGD(wanted or [lib.ones(1)], lr=0.1, momentum=0.5)
        self.square, self.both, self.double = functions_of(lib)
        self.checkpoint = import_module(f"{lib.__name__}.utils.checkpoint").checkpoint

    def see(self, *values: Any) -> None:
        """Write down what a hook saw."""
        self.seen += [None if value is None else numbers(value) for value in values]


def functions_of(lib: ModuleType) -> tuple[Any, Any, Any]:
    """Three custom Functions: of one input, of two with two outputs, and one in place."""

    class Square(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return 2 * ctx.saved_tensors[0] * grad

    class Both(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            ctx.save_for_backward(x, y)
            return x * y, x + y

        @staticmethod
        def backward(ctx: Any, product: Any, total: Any) -> Any:
            x, y = ctx.saved_tensors
            return product * y + total, product * x + total

    class Double(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.mark_dirty(x)
            return x.mul_(2)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 2

    return Square.apply, Both.apply, Double.apply


def hook(run: Run, x: Any, n: int) -> None:
    """Register a hook that looks, or one that changes the gradient."""
    kinds = [lambda g: run.see(g), lambda g: g * 2, lambda g: run.see(g) or g + 1]
    run.handles.append(x.register_hook(kinds[n % 3]))


def node_hook(run: Run, x: Any, n: int) -> None:
    """Register a hook at the node of a tensor, before it or after it."""
    if x.grad_fn is None:
        return
    if n % 2:
        run.handles.append(x.grad_fn.register_prehook(lambda grads: run.see(*grads)))
    else:
        run.handles.append(x.grad_fn.register_hook(lambda sent, grads: run.see(*grads)))


def packed(run: Run, x: Any, y: Any) -> Any:
    """Compute with hooks that see each saved tensor come and go."""
    hooks = run.lib.autograd.graph.saved_tensors_hooks
    with hooks(lambda t: run.see(t) or t, lambda t: run.see(t) or t):
        return (x * y).sin()


Step = Callable[[Run, Any, Any, int], Any]
VALUES: dict[str, Step] = {
    "add": lambda run, x, y, n: x + y,
    "mul": lambda run, x, y, n: x * y,
    "exp": lambda run, x, y, n: (x * 0.1).exp(),
    "tanh": lambda run, x, y, n: x.tanh(),
    "matmul": lambda run, x, y, n: x @ y,
    "sum": lambda run, x, y, n: x.sum(),
    "rows": lambda run, x, y, n: x[n % 2 :],
    "where": lambda run, x, y, n: run.lib.where(x > 0, x, y),
    "detach": lambda run, x, y, n: x.detach(),
    "no gradient": lambda run, x, y, n: silent(run.lib, lambda: x * 2),
    "square": lambda run, x, y, n: run.square(x),
    "both": lambda run, x, y, n: run.both(x, y)[n % 2],
    "double": lambda run, x, y, n: run.double(x * 1),
    "checkpoint": lambda run, x, y, n: run.checkpoint(
        lambda x, y: (x * y).sin(), x, y, use_reentrant=bool(n % 2)
    ),
    "packed": lambda run, x, y, n: packed(run, x, y),
    "grad": lambda run, x, y, n: run.lib.autograd.grad(
        x.sum(), y, create_graph=n % 2 == 0, retain_graph=True
    )[0] * 1,
}  # fmt: skip
ACTIONS: dict[str, Step] = {
    "hook": lambda run, x, y, n: hook(run, x, n),
    "node hook": lambda run, x, y, n: node_hook(run, x, n),
    "post hook": lambda run, x, y, n: run.handles.append(
        x.register_post_accumulate_grad_hook(lambda x: run.see(x.grad))
    ),
    "remove": lambda run, x, y, n: [h.remove() for h in run.handles[n % 3 : n % 3 + 1]],
    "retain_grad": lambda run, x, y, n: x.retain_grad(),
    "backward": lambda run, x, y, n: x.sum().backward(),
    "backward again": lambda run, x, y, n: x.sum().backward(retain_graph=True),
    "backward recorded": lambda run, x, y, n: x.sum().backward(create_graph=True),
    "backward to": lambda run, x, y, n: x.sum().backward(inputs=[y], retain_graph=True),
    "backward of two": lambda run, x, y, n: run.lib.autograd.backward(
        [x.sum(), y.sum()], retain_graph=True
    ),
    "zero_grad": lambda run, x, y, n: run.optimizer.zero_grad(set_to_none=bool(n % 2)),
    "step": lambda run, x, y, n: run.optimizer.step(),
    "mul_": lambda run, x, y, n: x.mul_(1.5),
    "add_": lambda run, x, y, n: x.add_(y),
    "silent mul_": lambda run, x, y, n: silent(run.lib, lambda: x.mul_(0.5)),
    "set row": lambda run, x, y, n: x.__setitem__(0, y[0]),
    "requires_grad_": lambda run, x, y, n: x.requires_grad_(bool(n % 2)),
    "detach_": lambda run, x, y, n: x.detach_(),
}


def program_of(seed: int) -> tuple[list[Any], list[tuple[str, int, int, int]]]:
    """The leaves and the steps of a number."""
    rng = np.random.default_rng([11, seed])
    leaves = [
        (rng.standard_normal((2, 2)), bool(rng.random() < 0.8)) for _ in range(rng.integers(1, 4))
    ]
    steps = []
    for _ in range(rng.integers(4, 16)):
        names = list(VALUES if rng.random() < 0.5 else ACTIONS)
        name = names[rng.integers(len(names))]
        steps.append((name, *(int(k) for k in rng.integers(0, 1000, 3))))
    return leaves, steps


def source_of(seed: int) -> str:
    """A program as text, for a report."""
    leaves, steps = program_of(seed)
    said_of = [f"leaf {i}{' grad' * needs}" for i, (_, needs) in enumerate(leaves)]
    return "; ".join([*said_of, *(f"{name} {a} {b} {n}" for name, a, b, n in steps)])


def difference_of(torch: ModuleType, seed: int) -> tuple[str, str] | None:
    """What differs when a program is run with both libraries; None when nothing does."""
    import graphlab

    leaves, steps = program_of(seed)
    ours, theirs = (Run(lib, leaves) for lib in (graphlab, torch))
    for name, a, b, n in steps:
        mine, yours = (tried(run, name, a, b, n) for run in (ours, theirs))
        if isinstance(mine, Exception) or isinstance(yours, Exception):
            refused = isinstance(mine, Exception) and isinstance(yours, Exception)
            if not refused or not kin(mine, yours):
                say = [said(x) if isinstance(x, Exception) else "no error" for x in (mine, yours)]
                return "other error", f"{name}: {say[0]} | {say[1]}"
            if is_raw(mine) and str(mine) != str(yours):
                return "raw error", f"{name}: {said(mine)}"
            if name.startswith(PASSES):
                return None
        elif name in VALUES:
            ours.pool.append(mine)
            theirs.pool.append(yours)
        if found := runs_differ(ours, theirs):
            return found[0], f"{name}: {found[1]}"
    return None


def tried(run: Run, name: str, a: int, b: int, n: int) -> Any:
    """What a step gives, or the error."""
    x, y = run.pool[a % len(run.pool)], run.pool[b % len(run.pool)]
    try:
        return (VALUES[name] if name in VALUES else ACTIONS[name])(run, x, y, n)
    except Exception as error:
        return error


def runs_differ(ours: Run, theirs: Run) -> tuple[str, str] | None:
    """Compare what hooks saw, and the entries, the gradient and the state of every tensor."""
    pairs = list(zip(ours.seen, theirs.seen, strict=False))
    if len(ours.seen) != len(theirs.seen) or not all(alike(x, y) for x, y in pairs):
        return "other hooks", f"{ours.seen[-3:]}, not {theirs.seen[-3:]}"
    for i, (x, y) in enumerate(zip(ours.pool, theirs.pool, strict=True)):
        if not alike(numbers(x), numbers(y)):
            return "wrong value", f"tensor {i}: {shown(numbers(x))}, not {shown(numbers(y))}"
        if state_of(x) != state_of(y):
            return "other state", f"tensor {i}: {state_of(x)}, not {state_of(y)}"
        if state_of(x) == ("refused",):
            continue
        a, b = (None if t.grad is None else numbers(t.grad) for t in (x, y))
        if not alike(a, b):
            return "wrong gradient", f"tensor {i}: {shown(a)}, not {shown(b)}"
    return None


def alike(x: Any, y: Any) -> bool:
    """Return whether two arrays are equal but for rounding, or both None."""
    return same(x, y, 1e-7)

"""What a call did: its values, its gradients, its error; and how two outcomes differ.

Read next: tests/fuzz/programs.py
"""

from __future__ import annotations

import linecache
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import graphlab

HOME = str(Path(graphlab.__file__).parent)
# float16 has 3 digits, float32 7, float64 16; sums and functions of several steps lose some
CLOSE = {"float16": 1e-2, "float32": 2e-4, "float64": 1e-7}
KINDS = (
    "wrong value", "wrong type or shape", "wrong gradient", "input changed", "shared memory",
    "raw error", "other error", "refused", "accepted", "hang", "crash",
)  # fmt: skip


@dataclass
class Outcome:
    """What one library did with a call."""

    values: list[Any] = field(default_factory=list)
    grads: list[Any] = field(default_factory=list)
    changed: list[int] = field(default_factory=list)  # which inputs
    shares: list[bool] = field(default_factory=list)  # whether results share memory with inputs
    error: Exception | None = None
    grad_error: Exception | None = None


def numbers(t: Any) -> Any:
    """The entries of a tensor; its text for anything else."""
    if not hasattr(t, "detach"):
        return f"{type(t).__name__} {t}".replace("graphlab", "torch")
    if getattr(t, "_is_zerotensor", lambda: False)():
        return np.zeros(tuple(t.shape), str(t.dtype).removeprefix("torch."))
    with_data = t.detach()
    return np.array(with_data.numpy() if with_data.ndim else with_data.item(), dtype_of(t))


def dtype_of(t: Any) -> str:
    return str(t.dtype).removeprefix("torch.")


def flat(result: Any) -> list[Any]:
    """The tensors and values in a result."""
    if isinstance(result, tuple | list) and type(result).__name__ != "Size":
        return [one for part in result for one in flat(part)]
    return [result]


def pointer(t: Any) -> tuple[int, int]:
    """Where the memory of a tensor begins, and its bytes."""
    if t.__class__.__module__.startswith("torch") and not hasattr(t, "_data"):
        storage = t.untyped_storage()
        return storage.data_ptr(), storage.nbytes()
    data = t._data
    if not isinstance(data, np.ndarray):
        return 0, 0
    low, high = np.lib.array_utils.byte_bounds(data)
    return low, high - low


def overlap(a: Any, b: Any) -> bool:
    (first, n), (second, m) = pointer(a), pointer(b)
    return bool(n and m) and first < second + m and second < first + n


def run(
    lib: ModuleType,
    specs: list[Any],
    call: Callable[[ModuleType, list[Any]], Any],
    in_place: bool = False,
) -> Outcome:
    """Make the tensors, call, and send gradients back."""
    lib.manual_seed(0)
    made = [one.make(lib) for one in specs]
    leaves, seen = [leaf for leaf, _ in made], [tensor for _, tensor in made]
    if in_place and seen and specs[0].grad:
        seen[0] = seen[0].clone()
    outcome = Outcome()
    before = [numbers(leaf) for leaf in leaves]
    try:
        result = flat(call(lib, seen))
    except Exception as error:
        outcome.error = error
        result = []
    for i, (leaf, old) in enumerate(zip(leaves, before, strict=True)):
        if not (in_place and i == 0) and not same(numbers(leaf), old, 0.0):
            outcome.changed.append(i)
    if outcome.error is not None:
        return outcome
    try:
        outcome.values = [numbers(one) for one in result]
    except Exception as error:  # entries that are no numbers
        outcome.error = error
        return outcome
    tensors = [t for t in result if hasattr(t, "detach")]
    outcome.shares = [overlap(t, leaf) for t in tensors for leaf in leaves if t.numel()]
    roots = [t for t in tensors if t.requires_grad]
    if roots:
        try:
            ramps = [(lib.arange(t.numel()) % 7 + 1).reshape(t.shape).to(t.dtype) for t in roots]
            lib.autograd.backward(roots, ramps)
            outcome.grads = [
                None if leaf.grad is None else numbers(leaf.grad)
                for leaf, one in zip(leaves, specs, strict=True)
                if one.grad
            ]
        except Exception as error:
            outcome.grad_error = error
    return outcome


def same(a: Any, b: Any, close: float) -> bool:
    """Whether two arrays agree; nan agrees with nan."""
    if not isinstance(a, np.ndarray) or not isinstance(b, np.ndarray):
        return type(a) is type(b) and (a == b if isinstance(a, str) else a is b)
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if a.dtype.kind != "f":
        return bool(np.array_equal(a, b))
    if close == 0:
        return bool(np.array_equal(a, b, equal_nan=True))
    with np.errstate(all="ignore"):
        scale = float(np.abs(b[np.isfinite(b)]).max(initial=1.0))  # what cancels is as inexact
        return bool(np.allclose(a, b, close, close * min(scale, 1e3) / 20, equal_nan=True))


def is_raw(error: BaseException) -> bool:
    """Whether an error came up from inside, without one of GraphLab's own sentences."""
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame for frame in frames if frame.filename.startswith(HOME)]
    if not inside:
        return False  # Python's own sentence about the arguments
    last = frames[-1]
    if not last.filename.startswith(HOME):
        return True
    first, end = last.lineno or 0, getattr(last, "end_lineno", None) or last.lineno or 0
    lines = "".join(linecache.getline(last.filename, n) for n in range(first, end + 1))
    return not lines.lstrip().startswith("raise")


def difference(
    ours: Outcome, theirs: Outcome, loose: bool = False, no_gradients: bool = False
) -> tuple[str, str] | None:
    """The kind of a difference and what it is; None where the outcomes agree.

    loose: the entries mean nothing, or are one choice of several. no_gradients: those of the
    gradients alone.
    """
    if ours.changed and ours.changed != theirs.changed:
        return "input changed", f"inputs {ours.changed}"
    if ours.error is not None and is_raw(ours.error) and said(ours.error) != said(theirs.error):
        return "raw error", said(ours.error) + " | " + said(theirs.error)
    if ours.error is not None or theirs.error is not None:
        if theirs.error is None:
            return "refused", said(ours.error)
        if ours.error is None:
            return "accepted", said(theirs.error)
        if kin(ours.error, theirs.error):
            return None
        return "other error", f"{said(ours.error)} | {said(theirs.error)}"
    if len(ours.values) != len(theirs.values):
        return "wrong value", f"{len(ours.values)} results, not {len(theirs.values)}"
    for a, b in zip(ours.values, theirs.values, strict=True):
        arrays = isinstance(a, np.ndarray) and isinstance(b, np.ndarray)
        if arrays and (a.shape, a.dtype) != (b.shape, b.dtype):
            return "wrong type or shape", f"{a.dtype} {a.shape}, not {b.dtype} {b.shape}"
        if not loose and not same(a, b, CLOSE.get(str(getattr(b, "dtype", "")), 1.0)):
            return "wrong value", f"{shown(a)}, not {shown(b)}"
    if any(a and not b for a, b in zip(ours.shares, theirs.shares, strict=False)):
        return "shared memory", "the result shares memory with an input"
    if loose or no_gradients:
        return None
    return gradients_differ(ours, theirs)


def gradients_differ(ours: Outcome, theirs: Outcome) -> tuple[str, str] | None:
    """The difference of two backward passes."""
    if ours.grad_error is not None and is_raw(ours.grad_error):
        return "raw error", "backward: " + said(ours.grad_error) + " | " + said(theirs.grad_error)
    if ours.grad_error is not None or theirs.grad_error is not None:
        if ours.grad_error and theirs.grad_error:
            return None
        if theirs.grad_error:
            return "accepted", "backward: " + said(theirs.grad_error)
        return "wrong gradient", f"{said(ours.grad_error)}, not {said(theirs.grad_error)}"
    if len(ours.grads) != len(theirs.grads):
        return "wrong gradient", f"{len(ours.grads)} gradients, not {len(theirs.grads)}"
    for a, b in zip(ours.grads, theirs.grads, strict=True):
        if not same(a, b, 10 * CLOSE.get(str(getattr(b, "dtype", "")), 0.1)):
            return "wrong gradient", f"{shown(a)}, not {shown(b)}"
    return None


def kin(ours: Exception, theirs: Exception) -> bool:
    """Whether an error of ours is caught where PyTorch's would be."""
    names = {kind.__name__ for kind in type(ours).__mro__}
    return type(theirs).__name__ in names


def said(error: Exception | None) -> str:
    return "no error" if error is None else f"{type(error).__name__}: {str(error)[:110]}"


def shown(x: Any) -> str:
    return (repr(x.tolist()) if isinstance(x, np.ndarray) else repr(x))[:110]

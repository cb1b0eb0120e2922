"""Compare one program, step by step, in PyTorch and in GraphLab.

    python -m tests.beside_pytorch.compare            every program that differs, and how

Read next: tests/beside_pytorch/programs.py
"""

from __future__ import annotations

import ast
import math
import re
import sys
import warnings
from contextlib import suppress
from itertools import zip_longest
from types import ModuleType
from typing import Any

import graphlab
from graphlab.graph.value import Value
from tests.beside_pytorch.programs import PROGRAMS, given
from tests.beside_pytorch.steps import (
    LEAF,
    Step,
    steps_of_graphlab,
    steps_of_pytorch,
    watched,
)
from tests.core.samples import Sample
from tests.courses.test_programs import printed

# float32 has 7 digits, the summary 5; a step of an optimizer may leave the last digits apart
CLOSE = {"rel_tol": 2e-4, "abs_tol": 1e-5}


def roots(lib: ModuleType, program: str) -> tuple[Any, Any]:
    """What a program gives: the tensor that the pass starts at, and its gradient."""
    names = given(lib)
    tree = ast.parse(program)
    last = tree.body.pop()
    assert isinstance(last, ast.Expr)
    lib.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(tree, "<program>", "exec"), names)
        made = eval(compile(ast.Expression(last.value), "<program>", "eval"), names)
        return root_of(lib, made)


def root_of(lib: ModuleType, made: Any) -> tuple[Any, Any]:
    """One tensor and its gradient 1, 2, 3, ..., or the sum of several tensors."""
    found = [t for t in flat(made) if t.requires_grad]
    if len(found) > 1:
        return sum(t.sum() for t in found[1:]) + found[0].sum(), None
    (only,) = found
    grad = (lib.arange(only.numel()) + 1.0).reshape(only.shape).to(only.dtype)
    return only, grad / max(only.numel(), 1)


def flat(made: Any) -> list[Any]:
    several = isinstance(made, tuple | list)
    return [t for part in made for t in flat(part)] if several else [made]


def differences(torch: ModuleType, program: str) -> tuple[int, list[str]]:
    """How many steps PyTorch takes, and how what GraphLab shows differs from them."""
    theirs = steps_of_pytorch(*roots(torch, program))
    return len(theirs), unlike_steps(theirs, steps_of_graphlab(*roots(graphlab, program)))


def unlike_steps(theirs: list[Step], ours: list[Step]) -> list[str]:
    """How the steps of a pass differ, up to the first node that is another."""
    found: list[str] = []
    for k, (a, b) in enumerate(zip_longest(theirs, ours)):
        if a is None or b is None or a.name != b.name:
            rest = (", ".join(step.name for step in steps[k : k + 4]) for steps in (theirs, ours))
            found.append("order: {} is shown as {}".format(*(names or "the end" for names in rest)))
            break
        found += unlike(a, b)
    return found


def unlike_sample(torch: ModuleType, sample: Sample) -> list[str]:
    """How the steps of a sample of tests/core differ."""
    passes = []
    for lib in (torch, graphlab):
        lib.manual_seed(0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            root, gradient = root_of(lib, sample.call(lib, *sample.tensors(lib, "float32")))
        passes.append((root, gradient))
    theirs, ours = passes
    if theirs[0].grad_fn is None:  # the call gave back its input
        return []
    return unlike_steps(steps_of_pytorch(*theirs), steps_of_graphlab(*ours))


# -- courses: the first backward passes of each program ------------------------------------------


def first_passes(lib: ModuleType, name: str, most: int) -> list[list[Step] | None]:
    """The steps of the first backward passes of a program of tests/courses; None for a failure."""
    found: list[list[Step] | None] = []
    real = lib.Tensor.backward

    def backward(root: Any, gradient: Any = None, **options: Any) -> Any:
        plain = not options.get("create_graph") and options.get("inputs") is None
        if len(found) >= most or not plain:
            return real(root, gradient, **options)
        place = len(found)
        found.append(None)
        if lib is graphlab:
            with suppress(RuntimeError):  # the pass itself will fail, too
                found[place] = steps_of_graphlab(root, gradient)
            return real(root, gradient, **options)
        with watched(root) as steps:
            result = real(root, gradient, **options)
        found[place] = steps
        return result

    lib.Tensor.backward = backward
    try:
        printed(lib, name)
    finally:
        lib.Tensor.backward = real
    return found


def unlike_passes(torch: ModuleType, name: str, most: int = 3) -> list[str]:
    """How the first passes of a program differ; passes that fail are left out."""
    pairs = zip(first_passes(torch, name, most), first_passes(graphlab, name, most), strict=True)
    return [d for a, b in pairs if a is not None and b is not None for d in unlike_steps(a, b)]


def unlike(theirs: Step, ours: Step) -> list[str]:
    """How a step differs."""
    name, found = theirs.name, []
    came = [grad for grad in theirs.came if grad is not None]
    if len(came) < 2 and not same(came[0] if came else None, ours.came[0]):
        found.append(f"{name} receives {said(came)}, shown {said(ours.came)}")
    if name == LEAF:
        return found
    for k, (a, b) in enumerate(zip_longest(theirs.sent, ours.sent)):
        if not same(a, b):
            found.append(f"{name} sends {said(a)} to input {k}, shown {said(b)}")
    return found + unlike_saved(theirs, ours)


def unlike_saved(theirs: Step, ours: Step) -> list[str]:
    """How what a node saved differs: in the timeline, and in the core."""
    name, found = theirs.name, []
    shown = one_name_each(ours.saved)
    for word in sorted({*theirs.saved, *shown, *ours.core}):
        a, b, core = (held.get(word, "(nothing)") for held in (theirs.saved, shown, ours.core))
        if not same(a, core):
            found.append(f"{name}._saved_{word} is {said(a)}, of the core {said(core)}")
        is_tensor = isinstance(a, Value | tuple)
        if b == "(nothing)" and (not is_tensor or not {*flat(a)} - {"None"}):
            continue  # an option with its default would only fill the picture
        if not same(signed(a) if isinstance(a, str) else a, b):
            found.append(f"{name}._saved_{word} is {said(a)}, shown {said(b)}")
    return found


def one_name_each(shown: dict[str, Any]) -> dict[str, Any]:
    """Put the parts of a tuple, "indices[0]" and "indices[2]", together under one name."""
    found: dict[str, Any] = {}
    for name, value in shown.items():
        word, bracket, number = name.partition("[")
        if bracket:
            parts = [*found.get(word, ())]
            found[word] = (*parts, *["None"] * (int(number[:-1]) - len(parts)), value)
        else:
            found[word] = value
    return found


def signed(text: str) -> str:
    """A dimension that PyTorch shows unsigned, as the user counts it: -1 for 2⁶⁴ - 1."""
    return re.sub(r"\b1844674407370955\d{4}\b", lambda m: str(int(m[0]) - 2**64), text)


def said(value: Any) -> str:
    """A value on one short line."""
    if isinstance(value, Value):
        entries = f" of {value.entries}" if value.entries and value.text[0] != "[" else ""
        return f"{value.text}{entries}"[:60]
    return f"({', '.join(map(said, value))})" if isinstance(value, tuple | list) else str(value)


def same(a: Any, b: Any) -> bool:
    """Whether two values are the same, but for roundings."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if not isinstance(a, Value) or not isinstance(b, Value):
        return a == b
    if (a.shape, a.dtype) != (b.shape, b.dtype):
        return False
    one, other = ((v.entries or v.text).split() for v in (a, b))
    return len(one) == len(other) and all(map(same_entry, one, other))


def same_entry(a: str, b: str) -> bool:
    try:
        x, y = float(a), float(b)
    except ValueError:
        return a == b
    return math.isclose(x, y, **CLOSE) or (math.isnan(x) and math.isnan(y))


if __name__ == "__main__":
    import torch

    torch.set_num_threads(1)
    wrong = 0
    chosen = [p for p in PROGRAMS if not sys.argv[1:] or sys.argv[1] in p]
    for program in chosen:
        try:
            _, found = differences(torch, program)
        except Exception as error:
            found = [f"{type(error).__name__}: {error}"]
        wrong += bool(found)
        if found:
            print(program)
            for one in dict.fromkeys(found):
                print("   ", one[:300])
    print(f"{len(chosen) - wrong} of {len(chosen)} programs are shown as PyTorch runs them")

"""Describe what a library did: PyTorch when recording, GraphLab when comparing, in one way.

`lib` is the library module; a description is plain JSON. Nothing here knows which one it is.

Read next: tests/parity/record.py
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import io
import math
import re
import sys
import warnings
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?)")
SUBMODULES = (
    "nn", "nn.functional", "nn.utils", "nn.utils.rnn", "nn.utils.parametrize", "autograd",
    "autograd.function", "autograd.functional", "autograd.graph", "autograd.forward_ad", "optim",
    "optim.lr_scheduler", "optim.swa_utils", "func", "utils", "utils.data", "distributions",
)  # fmt: skip


def steady(text: str) -> str:
    """The text without what differs from run to run: addresses, places in PyTorch's sources."""
    text = re.sub(r"0x[0-9a-fA-F]+", "0xADDR", text)
    text = re.sub(r"\s*\(Triggered internally at [^)]*\)\.?", "", text)
    return re.sub(r"(Traceback of forward call that caused the error:).*", r"\1", text, flags=re.S)


def same_text(a: str, b: str, rel: float = 1e-4, abs_: float = 1e-6) -> bool:
    """Equal, or equal but for roundings in numbers.

    rel: the last of the four decimals shown may differ by one, with another BLAS or libm.
    abs_: 1e-6, what is left of a cancellation in float32.
    """
    if a == b:
        return True
    if re.sub(r"\s+", "", NUMBER.sub("#", a)) != re.sub(r"\s+", "", NUMBER.sub("#", b)):
        return False  # (how wide a column is depends on its numbers)
    pairs = zip(NUMBER.findall(a), NUMBER.findall(b), strict=True)
    return all(math.isclose(float(x), float(y), rel_tol=rel, abs_tol=abs_) for x, y in pairs)


@contextlib.contextmanager
def called_torch(lib: ModuleType) -> Iterator[None]:
    """Inside, `import torch` gives `lib`, as in a notebook that says `import graphlab as torch`."""
    before = {n: m for n, m in sys.modules.items() if n == "torch" or n.startswith("torch.")}
    if lib.__name__ != "torch":
        for name in before:
            del sys.modules[name]
        sys.modules["torch"] = lib
        for name in SUBMODULES:
            with contextlib.suppress(ModuleNotFoundError):
                sys.modules[f"torch.{name}"] = importlib.import_module(f"{lib.__name__}.{name}")
    try:
        yield
    finally:
        if lib.__name__ != "torch":
            for name in [n for n in sys.modules if n == "torch" or n.startswith("torch.")]:
                del sys.modules[name]
            sys.modules.update(before)


def words(lib: ModuleType) -> dict[str, Any]:
    """What a recorded snippet may name."""
    return {"torch": lib, "F": lib.nn.functional, "np": np, "__name__": "__main__"}


def run(code: str, names: dict[str, Any]) -> Any:
    """Run statements and give the value of the last expression."""
    tree = ast.parse(code.strip())
    last = tree.body.pop()
    assert isinstance(last, ast.Expr)
    exec(compile(tree, "<fact>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<fact>", "eval"), names)


# -- facts: what an expression makes -----------------------------------------------------------


def fact(lib: ModuleType, setup: str, code: str) -> dict[str, Any]:
    """What `code` gives: its repr, its types, its graph, and the gradients of the leaves.

    A result that cannot be computed is described by its error.
    """
    names = words(lib)
    with called_torch(lib), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(setup, names)
        lib.manual_seed(0)
        try:
            result = run(code, names)
        except Exception as error:
            return {"error": f"{type(error).__name__}: {steady(str(error))}"}
        found: dict[str, Any] = {"repr": steady(repr(result))}
        tensors = [t for t in flat(result) if isinstance(t, lib.Tensor)]
        if tensors:
            found["tensors"] = [about(t) for t in tensors]
        roots = [t for t in tensors if t.grad_fn is not None]
        if roots:
            labels = {id(v): k for k, v in names.items() if isinstance(v, lib.Tensor)}
            seen: dict[int, int] = {}
            keep: list[Any] = []  # ids are compared: nothing may be freed meanwhile
            found["graph"] = [graph(t.grad_fn, labels, seen, keep) for t in roots]
            try:
                lib.autograd.backward(roots, [lib.ones_like(t) for t in roots])
            except Exception as error:
                found["grads"] = f"{type(error).__name__}: {steady(str(error))}"
            else:
                found["grads"] = gradients(lib, names)
    return found


def flat(result: Any) -> list[Any]:
    return [x for part in result for x in flat(part)] if isinstance(result, tuple) else [result]


def about(t: Any) -> list[Any]:
    """[type, leaf?, requires a gradient?, view?, version, output number]."""
    return [repr(t.dtype), t.is_leaf, t.requires_grad, t._is_view(), t._version, t.output_nr]


def gradients(lib: ModuleType, names: dict[str, Any]) -> dict[str, str]:
    leaves = {k: v for k, v in names.items() if isinstance(v, lib.Tensor) and v.is_leaf}
    return {k: repr(v.grad) for k, v in sorted(leaves.items()) if v.grad is not None}


def graph(fn: Any, labels: dict[int, str], seen: dict[int, int], keep: list[Any]) -> Any:
    """A grad_fn as [name, saved, next]; a leaf's as its label; one met before as its number."""
    if fn is None:
        return None
    if hasattr(fn, "variable"):
        return labels.get(id(fn.variable), "?")
    if id(fn) in seen:
        return seen[id(fn)]
    seen[id(fn)] = len(seen)
    keep.append(fn)
    return [fn.name(), saved(fn), [[graph(g, labels, seen, keep), k] for g, k in fn.next_functions]]


def saved(fn: Any) -> dict[str, str]:
    names = sorted(name for name in dir(fn) if name.startswith("_saved_"))
    return {name: shorten(steady(repr(getattr(fn, name)))) for name in names}


def shorten(text: str, most: int = 160) -> str:
    return text if len(text) <= most else text[:most] + "..."


# -- snippets: what they print, raise and warn -------------------------------------------------


def snippet(lib: ModuleType, code: str) -> dict[str, Any]:
    """What a snippet prints, the error that it ends with, and the warnings that it gives."""
    out = io.StringIO()
    found: dict[str, Any] = {}
    with (
        called_torch(lib),
        warnings.catch_warnings(record=True) as given,
        contextlib.redirect_stdout(out),
    ):
        warnings.simplefilter("always")
        lib.manual_seed(0)
        try:
            exec(compile(code, "<snippet>", "exec"), words(lib))
        except Exception as error:
            found["raises"] = f"{type(error).__name__}: {steady(str(error))}"
    if out.getvalue():
        found["prints"] = steady(out.getvalue())
    if given:
        found["warns"] = [f"{w.category.__name__}: {steady(str(w.message))}" for w in given]
    return found


def shown(lib: ModuleType, code: str) -> dict[str, str]:
    """repr and str of an expression; str only where it differs."""
    with called_torch(lib):
        try:
            value = run(code, words(lib))
        except Exception as error:
            return {"error": f"{type(error).__name__}: {steady(str(error))}"}
        text = steady(repr(value))
        plain = steady(str(value))
    return {"repr": text} if plain == text else {"repr": text, "str": plain}


def shown_with(lib: ModuleType, options: dict[str, Any], code: str) -> list[str]:
    """The reprs of `a ; b ; c` under print options."""
    lib.set_printoptions(profile="default")
    try:
        lib.set_printoptions(**options)
        return [shown(lib, part).get("repr", "") for part in code.split(" ; ")]
    finally:
        lib.set_printoptions(profile="default")

"""Run a script of cells as a notebook would, with the library behind the name `torch`.

A script is Python with a line `# %% title` before each cell. What a cell shows is what it prints,
the warnings that it gives (each once), the value of its last expression, and its error.

Read next: tests/seeds/test_seeds.py
"""

from __future__ import annotations

import ast
import contextlib
import io
import re
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.parity.describe import called_torch, steady

FOLDER = Path(__file__).resolve().parent.parent / "data" / "seeds"


def cells(script: str) -> list[tuple[str, str]]:
    """The cells of a script: (title, code)."""
    parts = re.split(r"^# %% (.*)$", script, flags=re.M)
    return list(zip(parts[1::2], parts[2::2], strict=True))


def transcript(lib: ModuleType, script: str) -> str:
    """All that a notebook would show for the script."""
    names: dict[str, Any] = {"__name__": "__main__"}
    shown: list[str] = []
    with called_torch(lib):
        lib.manual_seed(0)
        for title, code in cells(script):
            shown += [f"### {title}\n", shows(code, title, names)]
    return "".join(shown)


def shows(code: str, title: str, names: dict[str, Any]) -> str:
    """What one cell shows; it goes on with, and adds to, `names`."""
    from IPython.lib.pretty import pretty  # Out[] looks as in Jupyter

    printed, after = io.StringIO(), []
    value = None
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with warnings.catch_warnings(record=True) as given, contextlib.redirect_stdout(printed):
        warnings.simplefilter("always")
        try:
            exec(compile(tree, title, "exec"), names)
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), title, "eval"), names)
        except Exception as error:
            after.append(f"{type(error).__name__}: {error}")
    if value is not None:
        after.insert(0, f"Out: {pretty(value)}")
    said = dict.fromkeys(f"[{w.category.__name__}] {steady(str(w.message))}" for w in given)
    lines = "".join(f"{line}\n" for line in [*said, *after])
    text = steady(printed.getvalue()) + steady(lines)
    return re.sub(r"(_autograd_function_id\s*:)\d+", r"\1N", text)

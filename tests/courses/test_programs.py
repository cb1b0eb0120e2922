"""Programs as courses on autograd have them print with GraphLab what they print with PyTorch.

    python -m tests.courses.test_programs     record anew what PyTorch prints

Read next: tests/courses/programs/autograd_basics.py
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import sys
import warnings
from pathlib import Path
from types import ModuleType

import pytest

import graphlab
from tests.parity.describe import called_torch, same_text, steady

HERE = Path(__file__).parent
PROGRAMS = sorted(path.stem for path in (HERE / "programs").glob("*.py"))
each_program = pytest.mark.parametrize("name", PROGRAMS)


def printed(lib: ModuleType, name: str) -> str:
    """What a program prints when `import torch` gives `lib`."""
    path = HERE / "programs" / f"{name}.py"
    out = io.StringIO()
    with called_torch(lib), contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        names = {"__name__": "__main__", "__file__": str(path)}
        exec(compile(path.read_text("utf-8"), str(path), "exec"), names)
    return steady(out.getvalue())


def expected(name: str) -> str:
    return (HERE / "expected" / f"{name}.txt").read_text("utf-8")


def first_difference(ours: str, theirs: str) -> str:
    """The first line that is not the same, within the rounding of what is shown."""
    a, b = ours.splitlines(), theirs.splitlines()
    for i, (x, y) in enumerate(zip(a, b, strict=False)):
        if not same_text(x, y, rel=2e-4, abs_=2e-4):  # one unit of the last of four decimals
            return f"line {i + 1}\n  ours:   {x}\n  theirs: {y}"
    return "" if len(a) == len(b) else f"{len(a)} lines instead of {len(b)}"


@each_program
def test_a_program_prints_what_it_prints_with_pytorch(name):
    assert first_difference(printed(graphlab, name), expected(name)) == ""


@each_program
@pytest.mark.skipif(not importlib.util.find_spec("torch"), reason="PyTorch is not installed")
def test_what_was_recorded_is_what_pytorch_prints(name):
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # small tensors: several threads would only wait for each other
    try:
        assert first_difference(printed(torch, name), expected(name)) == ""
    finally:
        torch.set_num_threads(threads)


if __name__ == "__main__":
    import torch

    for program in PROGRAMS:
        text = printed(torch, program)
        (HERE / "expected").mkdir(exist_ok=True)
        (HERE / "expected" / f"{program}.txt").write_text(text, "utf-8")
        print(f"{program}: {len(text.splitlines())} lines", file=sys.stderr)

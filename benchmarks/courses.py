"""The programs of tests/courses, compared with PyTorch cell by cell, and the time they take.

    python benchmarks/courses.py                 all of them
    python benchmarks/courses.py mini_gpt moons  some
    python benchmarks/courses.py --rounds 0      without the time

A cell is a statement that prints, with the statements before it that do not. Times are CPU seconds
of the whole program: the minimum of several rounds that alternate between the libraries, each with
one thread.

Read next: tests/courses/test_programs.py
"""

# ruff: noqa: E402  (the number of threads is set before NumPy is imported)
from __future__ import annotations

import argparse
import ast
import contextlib
import importlib
import io
import statistics
import sys
import time
import warnings
from pathlib import Path
from types import ModuleType

import blas  # noqa: F401  (before NumPy)

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]

from tests.courses.test_programs import HERE, PROGRAMS, first_difference
from tests.parity.describe import called_torch, steady

MEDIAN, WORST = 1.2, 4.0  # of the ratios of time


def cells(lib: ModuleType, name: str) -> list[str]:
    """What each cell of a program prints with `lib`; an error is the last."""
    path = HERE / "programs" / f"{name}.py"
    names = {"__name__": "__main__", "__file__": str(path)}
    printed: list[str] = []
    with called_torch(lib), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for statement in ast.parse(path.read_text("utf-8")).body:
            out = io.StringIO()
            code = compile(ast.Module([statement], []), str(path), "exec")
            try:
                with contextlib.redirect_stdout(out):
                    exec(code, names)
            except Exception as error:
                return [*printed, f"{type(error).__name__}: {error}"]
            if out.getvalue():
                printed.append(steady(out.getvalue()))
    return printed


def seconds(lib: ModuleType, name: str) -> float:
    began = time.process_time()
    cells(lib, name)
    return time.process_time() - began


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help="all when left out")
    parser.add_argument("--rounds", type=int, default=3, help="of the time of each program")
    chosen = parser.parse_args(arguments)
    graphlab, torch = importlib.import_module("graphlab"), importlib.import_module("torch")
    torch.set_num_threads(1)
    libs = (graphlab, torch)
    whole, same, count, ratios = 0, 0, 0, []
    names = chosen.programs or PROGRAMS
    for name in names:
        ours, theirs = (cells(lib, name) for lib in libs)
        ours += ["(missing)"] * (len(theirs) - len(ours))
        apart = [d for a, b in zip(ours, theirs, strict=False) if (d := first_difference(a, b))]
        same, count = same + len(theirs) - len(apart), count + len(theirs)
        whole += not apart
        print(*(f"{name}: {difference}" for difference in apart), sep="\n", end="\n" * bool(apart))
        taken = [[seconds(lib, name) for lib in libs] for _ in range(chosen.rounds)]
        if taken:
            one, other = (min(column) for column in zip(*taken, strict=True))
            ratios.append((one / other, name))
            print(f"{name}: {one / other:.2f} of the time ({other:.2f} s)", flush=True)
    print(
        f"{same} of {count} cells give what PyTorch gives ({same / count:.1%}); "
        f"{whole} of {len(names)} programs whole"
    )
    if not ratios:
        return 0 if same == count else 1
    median, worst = statistics.median(ratio for ratio, _ in ratios), max(ratios)
    print(
        f"time / PyTorch's: median {median:.2f} (goal: {MEDIAN}), worst {worst[0]:.2f}, {worst[1]} "
        f"(goal: {WORST:g})"
    )
    return 0 if same == count and median <= MEDIAN and worst[0] <= WORST else 1


if __name__ == "__main__":
    sys.exit(main())

"""How long the core takes beside its peers: interleaved, in one run, as ratios.

    python benchmarks/core.py                              print the tables
    python benchmarks/core.py --write docs/performance.md  and write the page

Seconds on one machine say little about another; the ratio of two programs that took turns on the
same core says more. The minimum of a program's process-CPU times counts, because noise can only add
to a time. BLAS has one thread, and the garbage collector stays on, as it is for users.

Read next: benchmarks/tasks.py
"""

# ruff: noqa: E402  (BLAS must be told before NumPy is imported)
from __future__ import annotations

import argparse
import gc
import importlib
import importlib.metadata
import json
import math
import os
import platform
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import blas  # before NumPy

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(Path(__file__).resolve().parent)]

import arrays
import chains
import numpy as np
import tasks

TASKS = {**tasks.TASKS, **arrays.TASKS}

MODULES = {"graphlab": "graphlab", "torch": "torch", "autograd": "autograd",
           "mygrad": "mygrad", "micrograd": "micrograd.engine", "numpy": "numpy"}  # fmt: skip
TITLES = {"graphlab": "GraphLab", "torch": "PyTorch", "autograd": "HIPS autograd",
          "mygrad": "mygrad", "micrograd": "micrograd", "numpy": "NumPy by hand"}  # fmt: skip
SAMPLE_S = 0.05  # CPU seconds that one sample should take, at least: full collections included
CHAIN = 100_000  # nodes of the chain whose memory is measured
MILLION = 1_000_000  # nodes of a chain that --long measures besides
COMPILED = Path(tempfile.gettempdir()) / "graphlab-benchmark-pycache"  # outside of the clone


def libraries() -> dict[str, ModuleType]:
    """The peers that are installed."""
    found = {}
    for name, module in MODULES.items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found[name] = importlib.import_module(module)
        except ModuleNotFoundError:
            continue
    if "torch" in found:
        found["torch"].set_num_threads(1)
    return found


def calls_per_sample(program: Callable[[], Any]) -> int:
    """How many calls fill a sample; the calls warm the program up as well."""
    program()
    calls = 1
    while (spent := seconds(program, calls)) < SAMPLE_S:
        calls = max(calls + 1, math.ceil(calls * min(10.0, 1.2 * SAMPLE_S / max(spent, 1e-6))))
    return calls


def seconds(program: Callable[[], Any], calls: int) -> float:
    """CPU seconds of this process for `calls` calls."""
    began = time.process_time()
    for _ in range(calls):
        program()
    return time.process_time() - began


def measure(programs: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """The minimum CPU seconds of a call of each program; they take turns, in changing order."""
    calls = {name: calls_per_sample(program) for name, program in programs.items()}
    best = dict.fromkeys(programs, math.inf)
    names = list(programs)
    gc.collect()
    gc.freeze()  # or each program's collections would walk the modules of all its peers
    for k in range(rounds):
        for name in names[k % len(names) :] + names[: k % len(names)]:
            gc.collect()
            best[name] = min(best[name], seconds(programs[name], calls[name]) / calls[name])
    gc.unfreeze()
    return best


def check_agreement(task: str, programs: dict[str, Callable[[], Any]]) -> None:
    """Programs that are compared must compute the same: stop when they do not."""
    first = {name: float(program()) for name, program in programs.items()}
    ours = first["graphlab"]
    for name, value in first.items():
        if not math.isclose(value, ours, rel_tol=1e-3):  # float32 beside float64, 1,000 roundings
            sys.exit(f"{task}: {name} gives {value!r}, GraphLab {ours!r}; they must agree")


# -- import and memory, each in a process of its own ------------------------------------------

IMPORT = """
import json, sys, time
began = time.process_time(); import numpy
between = time.process_time(); before = set(sys.modules); import {name}
done = time.process_time(); new = set(sys.modules) - before
heavy = {{"sympy", "ipywidgets", "anywidget", "graphviz", "torch"}}
tops = sorted({{m.split(".")[0] for m in new}} & heavy)
print(json.dumps([between - began, done - between, len(new), tops]))
"""

MEMORY = """
import gc, json, os, sys, tracemalloc
import numpy, {name} as lib
def resident():
    with open("/proc/self/statm") as f: return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
def build(n):
    y = lib.tensor(1.0, requires_grad=True)
    for _ in range(n): y = y * 1.0001
    return y
build(100); gc.collect(); n = {nodes}
traced = None
if {trace}:
    tracemalloc.start(); y = build(n); traced = tracemalloc.get_traced_memory()[0] / n
else:
    before = resident(); y = build(n); traced = (resident() - before) / n
print(json.dumps(traced))
sys.stdout.flush(); os._exit(0)
"""


def in_process(code: str) -> Any:
    """What a fresh Python prints, as JSON; None when it fails."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": str(COMPILED)}
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # users' modules are compiled once, not every time
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)
    return json.loads(done.stdout) if done.returncode == 0 else None


def measure_import(name: str, rounds: int) -> dict[str, Any] | None:
    """Seconds that `import name` takes after NumPy's, NumPy's own, and what it loads."""
    runs = [in_process(IMPORT.format(name=name)) for _ in range(rounds)]
    if None in runs:
        return None
    return {
        "numpy_s": min(run[0] for run in runs),
        "more_s": min(run[1] for run in runs),
        "modules": runs[0][2],
        "heavy": runs[0][3],
    }


def measure_memory(name: str, trace: bool) -> float | None:
    """Bytes per node of a chain: what Python allocated (trace), or growth of the process."""
    if not trace and not Path("/proc/self/statm").exists():
        return None
    return in_process(MEMORY.format(name=name, nodes=CHAIN, trace=trace))


def chain_seconds(name: str, nodes: int, found: dict[str, ModuleType]) -> float | None:
    """CPU seconds of a long chain; stops when GraphLab does not free it at once."""
    if name not in found:
        return None
    row = chains.in_process(name, nodes)
    if name == "graphlab" and (not row["freed_at_once"] or row["found_by_the_collector"]):
        sys.exit(f"a chain of {nodes:,} is not freed at once: {row}")
    return row["seconds"]


# -- the page ---------------------------------------------------------------------------------


def machine(found: dict[str, ModuleType]) -> str:
    """The kind of machine, and the versions of what ran."""
    container = Path("/.dockerenv").exists() or Path("/run/.containerenv").exists()
    kind = f"{os.cpu_count()}-core {platform.machine()} {platform.system()}"
    kind += " container" if container or platform.system() == "Linux" else ""
    parts = [kind, f"CPython {platform.python_version()}", f"NumPy {np.__version__}"]
    if core := blas.core_name():
        parts[-1] += f" with OpenBLAS's code for {core}"
    if "torch" in found:
        parts.append(f"torch {found['torch'].__version__.split('+')[0]} CPU")
    for name in ("autograd", "mygrad", "micrograd"):
        if name in found:
            parts.append(f"{name} {importlib.metadata.version(name)}")
    return ", ".join(parts)


def duration(s: float) -> str:
    return f"{s * 1e6:.1f} µs" if s < 1e-3 else f"{s * 1e3:.2f} ms"


def time_table(results: dict[str, dict[str, float]], found: dict[str, ModuleType]) -> list[str]:
    peers = [name for name in MODULES if name in found and name != "graphlab"]
    head = ["task", "GraphLab", *(f"/ {TITLES[name]}" for name in peers)]
    rows = [head, ["---"] + ["---:"] * (len(head) - 1)]
    for task, best in results.items():
        ours = best["graphlab"]
        ratios = [f"{ours / best[name]:.2f}" if name in best else "–" for name in peers]
        rows.append([task, duration(ours), *ratios])
    return [f"| {' | '.join(row)} |" for row in rows]


def floor_lines(results: dict[str, dict[str, float]]) -> list[str]:
    """The table of the parts of a task that every implementation has to run."""
    lines = []
    for task, floors in tasks.FLOORS.items():
        best = results.get(task, {})
        measured = [name for name in floors if name in best]
        if not measured:
            continue
        lines += ["", f"| of the {task} | time | / PyTorch's whole step |", "|---|---:|---:|"]
        for name in measured:
            ratio = f"{best[name] / best['torch']:.2f}" if "torch" in best else "–"
            lines.append(f"| {name} | {duration(best[name])} | {ratio} |")
    return lines


def cost_table(costs: dict[str, Any]) -> list[str]:
    imported, memory = costs["import"], costs["memory"]
    rows = ["| cost | GraphLab | PyTorch |", "|---|---:|---:|"]
    ours, theirs = imported["graphlab"], imported.get("torch")

    def cell(value: float | None, scale: float, unit: str) -> str:
        return "–" if value is None else f"{value * scale:.0f} {unit}"

    def of(row: dict[str, Any] | None, key: str) -> Any:
        return None if row is None else row[key]

    for label, key, scale, unit in (
        ("`import`, beyond NumPy's (CPU)", "more_s", 1e3, "ms"),
        ("NumPy's own import, beside it", "numpy_s", 1e3, "ms"),
        ("modules loaded, beyond NumPy's", "modules", 1, ""),
    ):
        cells = [cell(of(row, key), scale, unit).strip() for row in (ours, theirs)]
        rows.append(f"| {label} | {' | '.join(cells)} |")
    heavy = ", ".join(ours["heavy"]) or "none"
    rows.append(f"| of sympy, ipywidgets, anywidget, graphviz, torch | {heavy} | |")
    for nodes, seconds in costs["chains"].items():
        cells = [cell(seconds[name], 1e3, "ms") for name in ("graphlab", "torch")]
        rows.append(f"| chain of {nodes:,}, forward and backward | {' | '.join(cells)} |")
    for label, key in (
        (f"memory of a node in a chain of {CHAIN:,} (tracemalloc)", "traced"),
        (f"memory of a node in a chain of {CHAIN:,} (resident)", "resident"),
    ):
        cells = [cell(memory[name].get(key), 1, "B") for name in ("graphlab", "torch")]
        rows.append(f"| {label} | {' | '.join(cells)} |")
    return rows


def page(tables: list[str], machine_: str, absent: list[str]) -> str:
    missing = f"Not installed, so left out: {', '.join(absent)}.\n\n" if absent else ""
    return f"""# Performance

A column such as `/ PyTorch` gives the ratio of GraphLab's process-CPU time to PyTorch's: below 1,
GraphLab is faster. The programs took turns in one run (`python benchmarks/core.py`), and the
minimum times are compared. BLAS used one thread. The garbage collector was on, but did not scan
the objects that the imports had made. All programs compute the same values; the benchmark stops
if they do not.

Machine: {machine_}.

{missing}{chr(10).join(tables)}

- *Chain*: `y = y * w + b` 500 times on 0-d tensors, then `backward()`.
- *The lesson's graph*: `u = a*b; t = log(d); v = t*c; e = u + v; e.backward()`, each tensor with
  one entry and made anew every time.
- *Network*: forward, cross entropy, backward and the update of the weights.
- *NumPy by hand* is the lower limit: the same arithmetic, derivatives worked out by hand, no graph.
- micrograd has only single numbers and no logarithm, so it runs the chain only.
- *Two moons*: micrograd's demo as tensors: 100 points, hinge loss, decay, one step of descent.
- *Entry by entry*: `y = (x * w + b).tanh(); (y * y).sum().backward()` for x, w, b of a million.
- *Matrix product*: `(x @ w).sum().backward()`; *convolution*: 8 pictures of 28 x 28, with padding.
- PyTorch's nodes live in C++, where tracemalloc does not look; the resident size shows both.

![Seconds over operations: the times lie along a straight line](images/linear.svg)

*Time grows as the graph does (dashed: in exact proportion): `y = y * w + w`, forward, backward and
dropped (`python benchmarks/chains.py --write docs/images/linear.svg`).*
"""


def others(path: Path) -> str:
    """What other benchmarks wrote on the page: everything from the first heading of a part on."""
    _, heading, rest = path.read_text("utf-8").partition("\n## ") if path.exists() else [""] * 3
    return heading + rest


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=25, metavar="N", help="turns of each program")
    parser.add_argument("--only", metavar="WORD", help="only tasks whose name holds WORD")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the page, too")
    parser.add_argument("--long", action="store_true", help="a chain of a million nodes, too")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the seconds, too")
    options = parser.parse_args(arguments)
    if options.rounds < 1:
        parser.error(f"--rounds must be at least 1, got {options.rounds}")
    found = libraries()
    absent = [TITLES[name] for name in MODULES if name not in found]
    results: dict[str, dict[str, float]] = {}
    for task, makers in TASKS.items():
        if options.only and options.only not in task:
            continue
        programs = {name: make(found[name]) for name, make in makers.items() if name in found}
        print(task, flush=True)
        check_agreement(task, programs)
        floors = {name: make(np) for name, make in tasks.FLOORS.get(task, {}).items()}
        results[task] = measure({**programs, **floors}, options.rounds)
    if not results:
        parser.error(f"no task holds {options.only!r}; there are: {'; '.join(TASKS)}")
    tables = [*time_table(results, found), *floor_lines(results)]
    if not options.only:
        peers = [name for name in ("graphlab", "torch") if name in found]
        costs = {
            "import": {
                name: measure_import(name, 7 if name == "graphlab" else 2) for name in peers
            },
            "memory": {
                name: {
                    "traced": measure_memory(name, True) if name == "graphlab" else None,
                    "resident": measure_memory(name, False),
                }
                for name in ("graphlab", "torch")
            },
            "chains": {
                nodes: {name: chain_seconds(name, nodes, found) for name in ("graphlab", "torch")}
                for nodes in ((CHAIN, MILLION) if options.long else (CHAIN,))
            },
        }
        tables += ["", *cost_table(costs)]
    if absent:
        print(f"not installed, left out: {', '.join(absent)}")
    print(machine(found), *tables, sep="\n")
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n", "utf-8")
    if options.write:
        text = page(tables, machine(found), absent) + others(options.write)
        options.write.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

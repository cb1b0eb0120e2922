"""Random calls and programs beside PyTorch: how many differ, by kind, with the first examples.

    python benchmarks/fuzz.py --calls 220000 --programs 5000 --passes 5000 --faces 1000
    python benchmarks/fuzz.py --call 4711           # one of them, with the traceback
    python benchmarks/fuzz.py --program 12

A case is a number, so a run can be repeated. The work is done in another process. If a case takes
longer than a minute, that process is ended, the case counts as hanging, and the next one follows.

Read next: tests/fuzz/calls.py
"""

from __future__ import annotations

import argparse
import json
import queue
import subprocess
import sys
import threading
import traceback
import warnings
from collections import Counter, defaultdict
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

PATIENCE = 60.0  # seconds for one case
EXAMPLES = 6  # of one kind


def work(kind: str, begin: int, end: int) -> None:
    """Run cases, and write a line of JSON before each and after each that differs."""
    import torch

    from tests.fuzz import calls

    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    for seed in range(begin, end):
        print(seed, flush=True)
        if kind != "calls":
            module = import_module(f"tests.fuzz.{kind}")
            found, said = module.difference_of(torch, seed), module.source_of(seed)
            name = ""
        else:
            call = calls.call_of(seed)
            found, said = calls.difference(call, torch), str(call)
            name = call.name
        if found is not None:
            kind_of, what = found
            print(json.dumps([seed, kind_of, name, what, said]), flush=True)


def lines_of(kind: str, begin: int, end: int) -> Any:
    """Yield what the workers write; ("hang", seed) where one ends without its last line."""
    while begin < end:
        command = [sys.executable, __file__, "--work", kind, str(begin), str(end)]
        worker = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        lines: queue.Queue[str | None] = queue.Queue()

        def read(worker: Any = worker, lines: Any = lines) -> None:
            for line in worker.stdout:
                lines.put(line)
            lines.put(None)

        threading.Thread(target=read, daemon=True).start()
        hangs = False
        while True:
            try:
                line = lines.get(timeout=PATIENCE)
            except queue.Empty:
                hangs = True
                worker.kill()
                line = None
            if line is None:
                break
            if line.startswith("["):
                yield json.loads(line)
            elif line.strip().isdigit():
                begin = int(line) + 1
        if worker.wait() != 0:  # a signal is PyTorch's: GraphLab runs no code of its own in C
            kind_of = "hang" if hangs else "crash"
            yield [begin - 1, kind_of, "", f"the process ended with {worker.returncode}", ""]


def table(kind: str, begin: int, count: int, examples: int, by_name: bool) -> Counter[str]:
    """Run the cases and print how many differ, by kind."""
    kinds: Counter[str] = Counter()
    names: dict[str, Counter[str]] = defaultdict(Counter)
    first: dict[str, list[str]] = defaultdict(list)
    for seed, kind_of, name, what, said in lines_of(kind, begin, begin + count):
        kinds[kind_of] += 1
        names[kind_of][name] += 1
        if names[kind_of][name] <= 2 and len(first[kind_of]) < examples:
            first[kind_of].append(f"  {seed}: {what}\n      {said[:300]}")
    print(f"\n{count:,} {kind}, from {begin}")
    for kind_of, many in kinds.most_common():
        print(f"{kind_of:22}{many:8,}")
        if by_name and kind == "calls":
            print("  " + ", ".join(f"{n} {k}" for n, k in names[kind_of].most_common(60)))
        print("\n".join(first[kind_of]))
    return kinds


def show(kind: str, seed: int) -> None:
    """Print one case and what differs, with the tracebacks."""
    import torch

    import graphlab
    from tests.fuzz import calls, outcomes

    warnings.simplefilter("ignore")
    if kind != "calls":
        module = import_module(f"tests.fuzz.{kind}")
        print(module.source_of(seed).replace("; ", "\n"))
        print(module.difference_of(torch, seed))
        return
    call = calls.call_of(seed)
    print(call)
    print(calls.difference(call, torch))
    for lib in (graphlab, torch):
        outcome = outcomes.run(lib, call.specs, call.run, call.in_place)
        print(f"--- {lib.__name__}\n{outcome.values}\n{outcome.grads}")
        for error in (outcome.error, outcome.grad_error):
            if error is not None:
                traceback.print_exception(error)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=0)
    parser.add_argument("--programs", type=int, default=0)
    parser.add_argument("--passes", type=int, default=0, help="programs of several passes")
    parser.add_argument("--faces", type=int, default=0, help="pictures, walks and reports")
    parser.add_argument("--begin", type=int, default=0)
    parser.add_argument("--examples", type=int, default=EXAMPLES)
    parser.add_argument("--names", action="store_true", help="count by function as well")
    parser.add_argument("--call", type=int)
    parser.add_argument("--program", type=int)
    parser.add_argument("--pass", type=int, dest="of_passes")
    parser.add_argument("--of-faces", type=int)
    parser.add_argument("--work", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        work(given.work[0], int(given.work[1]), int(given.work[2]))
        return
    kinds = {
        "calls": (given.call, given.calls),
        "programs": (given.program, given.programs),
        "passes": (given.of_passes, given.passes),
        "faces": (given.of_faces, given.faces),
    }
    for kind, (seed, count) in kinds.items():
        if seed is not None:
            show(kind, seed)
        elif count:
            table(kind, given.begin, count, given.examples, given.names)


if __name__ == "__main__":
    main()

"""What `graphlab.check` proves, how long it takes, and what other checkers find, beside the goals.

    python benchmarks/check.py                              all of it
    python benchmarks/check.py --only graphs peers          some parts: rules, bugs, graphs, peers
    python benchmarks/check.py --write docs/performance.md  and write its part of the page

Each graph is checked in a fresh process, whose CPU seconds and peak memory are measured. The rules
and the planted bugs use all cores, as `python -m tests.symbolic.rules` does; the CPU time for each
core counts, which is the elapsed time on an idle machine. Only the checker looks for the bugs: no
other test helps it.

Read next: benchmarks/planted.py
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(Path(__file__).resolve().parent)]

TITLE = "## What a check proves"

Line = tuple[str, str, str, bool]  # what, measured, goal, whether it is met


# -- single graphs, each in a process of its own ------------------------------------------------

GRAPHS = {  # of benchmarks/checked.py: title, the verdict to be reached, seconds that it may take
    "lesson": ("the lesson's graph, `import sympy` included", "proved", 1.0),
    "network": ("2-3-1 network with tanh, 12 gradients", "proved", 3.0),
    "nested": ("chain of 1,000 nested operations", "agrees", 10.0),
    "large": ("graph of 10,000 nodes", "agrees", 10.0),
}
COMPILED = Path(tempfile.gettempdir()) / "graphlab-benchmark-pycache"  # outside of the clone
MEGABYTES = 500  # that a process may use, Python and all libraries included
TURNS = 5  # the quickest counts: others use the computer too


def graphs() -> list[Line]:
    """Whole graphs: verdict, time and memory."""
    env = {**os.environ, "PYTHONPYCACHEPREFIX": str(COMPILED)}
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # users' modules are compiled once, not every time
    lines: list[Line] = []
    for name, (title, verdict, seconds) in GRAPHS.items():
        command = [sys.executable, str(Path(__file__).with_name("checked.py")), name]
        turns = [
            json.loads(subprocess.run(command, capture_output=True, check=True, env=env).stdout)
            for _ in range(TURNS)
        ]
        best = min(turns, key=lambda turn: turn["seconds"])
        took, used = best["seconds"], max(turn["megabytes"] for turn in turns)
        ok = best["verdicts"] == [verdict] and took < seconds and used < MEGABYTES
        measured = f"{best['summary']}; {took:.2f} s, {used:.0f} MB"
        lines.append((title, measured, f"{verdict}, < {seconds:g} s, < {MEGABYTES} MB", ok))
        if best["again"] is not None:
            again = min(turn["again"] for turn in turns)
            lines.append(
                ("the same, once loaded", f"{again * 1e3:.0f} ms", "< 100 ms", again < 0.1)
            )
    return lines


# -- every rule, right and wrong ----------------------------------------------------------------


CORES = os.cpu_count() or 1


def cpu_of_children() -> float:
    """CPU seconds of the processes that were started here and have ended."""
    used = os.times()
    return used.children_user + used.children_system


def rules() -> list[Line]:
    """Every call of the sweep before SymPy."""
    from tests.symbolic.rules import lines_of

    began = time.perf_counter(), cpu_of_children()
    found = lines_of([])
    wall, seconds = time.perf_counter() - began[0], (cpu_of_children() - began[1]) / CORES
    verdicts = Counter(line.verdict for line in found)
    explained = sum(line.ok for line in found)
    share = 100 * explained / len(found)
    measured = (
        f"{verdicts['proved']} of {len(found)} calls proved, {explained - verdicts['proved']} "
        f"listed with a reason: together {share:.1f} %"
    )
    wrong = verdicts["disagrees"]
    return [
        ("every rule of the registry", measured, "≥ 95 %", share >= 95),
        (
            f"the whole run, on {CORES} cores",
            f"{seconds:.0f} s of CPU on each ({wall:.0f} s on the wall)",
            "< 60 s",
            seconds < 60,
        ),
        ("right rules that are reported wrong", f"{wrong}", "0", wrong == 0),
    ]


KINDS = {  # what a label of tests/symbolic/mutants.py begins with
    "sign": ("sign", "no minus"),
    "factor": ("factor",),
    "swapped input": ("the rule of",),
    "dropped term": ("only the left", "only the right"),
    "wrong axis": ("dim", "axis", "no transpose", "no permute", "no unsqueeze"),
    "another exponent or number": tuple(map(str, range(10))),
}


def kind_of(label: str) -> str:
    """Which kind of mistake a label of a mutant names.

    >>> kind_of("no transpose in transpose(x, 0, 1)"), kind_of("cos in sin(x)")
    ('wrong axis', 'another operation')
    """
    return next((k for k, starts in KINDS.items() if label.startswith(starts)), "another operation")


def bugs_of(name: str) -> Counter[tuple[str, str]]:
    """The mutants of one operation's rules by their kind, and what the checker says of them."""
    from tests.symbolic.hunt import PROVABLE, all_mutants, is_caught
    from tests.symbolic.mutants import planted
    from tests.symbolic.reasons import EQUIVALENT, ON_KINKS

    samples = [sample for sample in (*PROVABLE, *ON_KINKS) if sample.op == name]
    counted: Counter[tuple[str, str]] = Counter()
    for mutant in all_mutants(name):
        with planted(mutant.op, mutant.given, mutant.rule):
            caught = any(is_caught(sample) for sample in samples)
        missed = "equivalent" if mutant.key in EQUIVALENT else "missed"
        counted[kind_of(mutant.label), "caught" if caught else missed] += 1
        if not caught and missed == "missed":
            print("missed:", *mutant.key, file=sys.stderr)
    return counted


def bugs() -> list[Line]:
    """Every rule with each mistake planted in it."""
    from tests.symbolic.hunt import HUNTED

    began = cpu_of_children()
    counted: Counter[tuple[str, str]] = Counter()
    with ProcessPoolExecutor() as pool:
        for found in pool.map(bugs_of, HUNTED):
            counted.update(found)
    lines, seconds = [], (cpu_of_children() - began) / CORES
    for kind in (*KINDS, "another operation", ""):
        caught, missed, same = (
            sum(n for (of, what), n in counted.items() if kind in ("", of) and what == word)
            for word in ("caught", "missed", "equivalent")
        )
        measured = f"{caught} of {caught + missed} reported; {same} make no difference"
        title = (
            f"planted: {kind}"
            if kind
            else f"all planted mistakes ({seconds:.0f} s of CPU on each core)"
        )
        lines.append((title, measured, "100 %", not missed))
    return lines


# -- peers --------------------------------------------------------------------------------------


def peers() -> tuple[list[str], list[Line]]:
    """Who finds the same mistakes; as a table, and beside the goal."""
    import planted

    found = planted.verdicts()
    titles = list(found[0][1])
    table = [f"| mistake | {' | '.join(titles)} |", "|---" + "|:---:" * len(titles) + "|"]
    for name, by in found:
        table.append(f"| {name} | {' | '.join('found' if by[t][0] else '–' for t in titles)} |")
    ours = [by[titles[0]][0] for _, by in found]
    theirs = [any(by[t][0] for t in titles[1:]) for _, by in found]
    false = sum(by[titles[0]][1] for _, by in found)
    both = sum(a and b for a, b in zip(ours, theirs, strict=True))
    line = (
        "mistakes that another library finds",
        f"{both} of {sum(theirs)} found, and {sum(ours) - both} that none of them finds; "
        f"{false} right ones reported",
        "all; 0 right ones",
        both == sum(theirs) and not false,
    )
    return table, [line]


# -- what is said -------------------------------------------------------------------------------

MEANINGS = """\
`python benchmarks/check.py` plants the mistakes and measures, in CPU seconds. *Found*: the library
refuses the wrong backward pass, written as a `Function` of one's own (a `primitive` in HIPS
autograd), in float64, with its own tolerances; none of them refuses a right one.
`tests/symbolic/reasons.py` says why a mistake makes no difference, and [checking.md](checking.md)
says what a verdict claims.
"""


def section(lines: list[Line], table: list[str]) -> str:
    """The part of the page that says all this."""
    rows = [f"| {what} | {measured} | {goal} |" for what, measured, goal, _ in lines]
    head = ["| | measured | goal |", "|---|---|---|"]
    return "\n".join([TITLE, "", *head, *rows, "", *table, "", MEANINGS])


def put_into(page: Path, text: str) -> None:
    """Replace the part of the page, or add it at its end."""
    old = page.read_text("utf-8") if page.exists() else ""
    parts = re.split(r"^(?=## )", old, flags=re.MULTILINE)
    kept = [part.strip() for part in parts if not part.startswith(TITLE)]
    page.write_text("\n\n".join([*kept, text]), "utf-8")


PARTS: dict[str, Callable[[], list[Line]]] = {
    "rules": rules,
    "bugs": bugs,
    "graphs": graphs,
}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=[*PARTS, "peers"], help="some parts")
    parser.add_argument(
        "--write", type=Path, metavar="PAGE", help="write the part of the page, too"
    )
    chosen = parser.parse_args(arguments)
    if chosen.write and chosen.only:
        parser.error("--write needs all parts: leave --only out")
    lines: list[Line] = []
    table: list[str] = []
    print(f"{platform.system()} {platform.machine()}, Python {platform.python_version()}")
    for part in chosen.only or [*PARTS, "peers"]:
        if part == "peers":
            table, found = peers()
            print(*table, sep="\n")
        else:
            found = PARTS[part]()
        for what, measured, goal, ok in found:
            print(f"{'ok    ' if ok else 'MISSED'} {what}: {measured} (goal: {goal})", flush=True)
        lines += found
    if chosen.write:
        put_into(chosen.write, section(lines, table))
    return 0 if all(ok for *_, ok in lines) else 1


if __name__ == "__main__":
    sys.exit(main())

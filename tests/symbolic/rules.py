"""Check every rule with SymPy: `python -m tests.symbolic.rules`, and `--write docs/rules.md`.

`python -m tests.symbolic.rules exp sin` checks the rules of two operations, within seconds. Below a
line that has neither a proof nor a reason stands what the checker says of each input.

One line for each sample: the operation, its inputs, the verdict, what settled it, and, printed but
not written, the time. The samples are those of the operations and those of the sweep over shapes
and options.

Read next: tests/symbolic/sweep.py
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent

import graphlab
from graphlab.faces.symbolic.report import worst
from graphlab.ops import registry
from tests.core.samples import REFUSED, Sample
from tests.symbolic.hunt import PROVABLE, proof
from tests.symbolic.reasons import NOT_PROVED
from tests.symbolic.sweep import NOT_PROVED_HERE, SWEEP, base_of

EVERY = sorted([*PROVABLE, *SWEEP], key=lambda sample: sample.op)


@dataclass(frozen=True, slots=True)
class Line:
    """The result for one sample."""

    op: str
    inputs: str
    verdict: str
    settled_by: str
    reason: str  # why it is not proved, where it is not
    seconds: float
    report: str  # what the checker says

    @property
    def ok(self) -> bool:
        """Whether it is proved, or agrees in numbers for a reason that is stated."""
        return self.verdict == "proved" or (self.verdict == "agrees" and bool(self.reason))


def inputs_of(sample: Sample) -> str:
    """The shapes of the tensors that are passed, and what is special: "(2,3) (3,), kept"."""
    shapes = [str(tuple(t.shape)).replace(" ", "") for t in sample.tensors(graphlab)]
    note = " ".join(part for part in sample.note.split() if part not in shapes)
    return " ".join(shapes) + (f", {note}" if note else "")


def line_of(place: int) -> Line:
    """Check one sample."""
    sample = EVERY[place]
    began = time.perf_counter()
    report = proof(sample)
    seconds = time.perf_counter() - began
    weakest = worst([row.verdict for row in report])
    settled = [row.settled_by for row in report if row.verdict == weakest]
    base = base_of(sample)
    reason = "" if weakest == "proved" else NOT_PROVED.get(base) or NOT_PROVED_HERE.get(base, "")
    return Line(
        sample.op,
        inputs_of(sample),
        weakest,
        ", ".join(dict.fromkeys(settled)),
        reason,
        seconds,
        str(report),
    )


def lines_of(ops: list[str]) -> list[Line]:
    """The lines of these operations, or of all; worked out on all cores."""
    chosen = [i for i, sample in enumerate(EVERY) if not ops or sample.op in ops]
    with ProcessPoolExecutor() as pool:
        return list(pool.map(line_of, chosen, chunksize=8))


# -- what is said -------------------------------------------------------------------------------

INTRODUCTION = """\
# Every rule, over shapes and options

Each line is one call of an operation whose inputs are symbols. The rules run on them, and SymPy
decides for every entry whether the result is `diff(sum(g * forward(x)))`, the definition of a
vector-Jacobian product. The methods *identical*, *expand* and *together* are proofs by SymPy;
digits and differences are not, and each of those lines says why no proof was found.

`python -m tests.symbolic.rules --write docs/rules.md` writes this page. [proofs.md](proofs.md)
shows how the checker fares with deliberate mistakes.
"""


def summary(lines: list[Line]) -> str:
    """The figures in one sentence."""
    verdicts = Counter(line.verdict for line in lines)
    ops = {line.op for line in lines}
    entire = ops - {line.op for line in lines if line.verdict != "proved"}
    unexplained = sum(not line.ok for line in lines)
    return (
        f"{len(lines)} calls of {len(ops)} operations: {verdicts['proved']} proved, "
        f"{verdicts['agrees']} agree in numbers for a stated reason; {len(entire)} operations are "
        f"proved in every call, {unexplained} calls have neither a proof nor a reason."
    )


def page(lines: list[Line]) -> str:
    """The table in Markdown."""
    refused = sorted({sample.op for sample in REFUSED} & set(registry))
    rows = [f"| `{x.op}` | {x.inputs} | {x.verdict} | {x.settled_by} | {x.reason} |" for x in lines]
    head = "| operation | inputs | verdict | settled by | why not proved |"
    none = ", ".join(f"`{name}`" for name in refused)
    return "\n".join(
        [INTRODUCTION, summary(lines), "", f"No derivative, in PyTorch neither: {none}.", "",
         head, "|---|---|---|---|---|", *rows, ""]
    )  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    """Print a line for each sample; 1 when one has neither a proof nor a reason."""
    parser = argparse.ArgumentParser(prog="python -m tests.symbolic.rules", description=__doc__)
    parser.add_argument("ops", nargs="*", help="operations, by name; all when left out")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="write the page too")
    chosen = parser.parse_args(arguments)
    if chosen.ops and chosen.write:
        parser.error("--write needs the lines of all operations: name none")
    if unknown := sorted(set(chosen.ops) - {sample.op for sample in EVERY}):
        parser.error(f"no operation with a derivative is called {unknown[0]!r}")
    began = time.perf_counter()
    lines = lines_of(chosen.ops)
    for x in lines:
        why = f"  ({x.reason})" if x.reason else ""
        print(
            f"{x.op:<28} {x.inputs:<44} {x.verdict:<8} {x.settled_by:<24}"
            f"{x.seconds * 1000:7.0f} ms{why}"
        )
        if not x.ok:
            print(indent(x.report, "    "), end="\n\n")
    print(f"{summary(lines)} {time.perf_counter() - began:.1f} s")
    if chosen.write:
        chosen.write.write_text(page(lines), encoding="utf-8")
    return 0 if all(line.ok for line in lines) else 1


if __name__ == "__main__":
    sys.exit(main())

"""The figures of the proofs: `python -m tests.symbolic.proofs`, and `--write docs/proofs.md`.

SymPy checks every rule, and every mutant of every rule is hunted, one operation after another on
all cores. The results are counted here by the family of the operation.

Read next: tests/symbolic/hunt.py
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, fields
from pathlib import Path

from graphlab.faces.symbolic.report import Report
from graphlab.ops import registry
from tests.core.samples import name_of
from tests.symbolic.hunt import HUNTED, PROVABLE, all_mutants, fate, proof
from tests.symbolic.reasons import EQUIVALENT, NOT_PROVED

PROVED, IN_PART, DIGITS, FLOATS, NONE = (
    "proved", "proved in part", "to 50 digits", "in float64", "no derivative",
)  # fmt: skip


@dataclass(slots=True)
class Figures:
    """What is counted, for one operation or for several."""

    ops: int = 0
    settled: dict[str, int] = field(default_factory=dict)  # PROVED: how many operations
    rules: int = 0
    mutants: int = 0
    by_number: int = 0  # killed: another gradient than the rule's
    by_checker: int = 0  # killed: `check` tells it apart
    equivalent: int = 0
    survivors: list[str] = field(default_factory=list)
    unproved: list[str] = field(default_factory=list)  # neither a proof nor a reason

    @property
    def killed(self) -> int:
        return self.by_number + self.by_checker

    def add(self, other: Figures) -> None:
        """Count the other's too."""
        for part in fields(self):
            mine, theirs = getattr(self, part.name), getattr(other, part.name)
            if isinstance(mine, dict):
                mine.update({k: mine.get(k, 0) + n for k, n in theirs.items()})
            else:
                setattr(self, part.name, mine + theirs)


def how(report: Report) -> str:
    """What settles the rows of a sample: the weakest of them counts."""
    if all(row.verdict == "proved" for row in report):
        return PROVED
    if any(row.settled_by.startswith("central") for row in report):
        return FLOATS
    return DIGITS if all(row.verdict in ("proved", "agrees") for row in report) else ""


def figures_of(name: str) -> Figures:
    """Prove the rules of one operation and hunt their mutants."""
    counted = Figures(ops=1, rules=len(registry[name].rules))
    own = [sample for sample in PROVABLE if sample.op == name]
    ways = [how(proof(sample)) for sample in own]
    counted.unproved = [
        name_of(sample)
        for sample, way in zip(own, ways, strict=True)
        if not way or (way != PROVED and name_of(sample) not in NOT_PROVED)
    ]
    weakest = NONE if not own else PROVED if set(ways) == {PROVED} else ""
    if not weakest:
        weakest = IN_PART if PROVED in ways else FLOATS if FLOATS in ways else DIGITS
    counted.settled = {weakest: 1}
    for mutant in all_mutants(name) if name in HUNTED else ():
        counted.mutants += 1
        what = fate(mutant)
        counted.by_number += what == "another gradient"
        counted.by_checker += what == "the checker disagrees"
        if what == "alive" and mutant.key in EQUIVALENT:
            counted.equivalent += 1
        elif what == "alive":
            counted.survivors.append(": ".join(mutant.key))
    return counted


def family(name: str) -> str:
    """The module that an operation stands in: special, normalization."""
    return registry[name].__module__.rpartition(".")[2]


def by_family(names: list[str]) -> dict[str, Figures]:
    """The figures of every family, worked out on all cores."""
    found: dict[str, Figures] = {}
    with ProcessPoolExecutor() as pool:
        for name, figures in zip(names, pool.map(figures_of, names), strict=True):
            found.setdefault(family(name), Figures()).add(figures)
    return dict(sorted(found.items()))


# -- what is said -------------------------------------------------------------------------------

INTRODUCTION = """\
# What is proved

SymPy checks every derivative rule: is it the derivative of what the operation computes, when the
incoming gradient consists of symbols too? To test the checker, every rule is also made wrong on
purpose, one change at a time (a sign, a factor, a dropped term, another function, the rule of
another input). A mutant that no test distinguishes from the rule would be a mistake that nobody
finds.

`python -m tests.symbolic.proofs --write docs/proofs.md` writes this page, and the tests in
`tests/symbolic` check its claims.
"""
MEANINGS = """\
- *proved*: in every sample SymPy shows that the formula of the rule equals its own derivative.
- *proved in part*: proved in some samples; in the others numbers decide, as below.
- *to 50 digits*: no proof was found or there is no formula; the rule and the slope agree to many
  digits at several points.
- *in float64*: the operation runs on floats only, and the rule agrees with central differences.
- *no derivative*: the operation cannot be differentiated, in PyTorch neither.
- *equivalent*: the change makes no difference, for a stated reason.

The reasons are in `tests/symbolic/reasons.py` and beside the samples in `tests/core/samples`.
"""


def sentences(whole: Figures) -> list[str]:
    """The figures of all operations in a few lines."""
    settled = ", ".join(f"{whole.settled.get(way, 0)} {way}" for way in WAYS)
    return [
        f"{whole.ops} operations: {settled}.",
        f"{len(NOT_PROVED)} samples of {len(PROVABLE)} are not proved; each has its reason.",
        f"{whole.rules} rules, {whole.mutants} mutants: {whole.killed} killed "
        f"({whole.by_number} by a number, {whole.by_checker} by the checker), "
        f"{whole.equivalent} equivalent for a stated reason, {len(whole.survivors)} survivors.",
    ]


WAYS = (PROVED, IN_PART, DIGITS, FLOATS, NONE)


def table(families: dict[str, Figures], whole: Figures) -> list[str]:
    """The figures by family, in Markdown."""
    heads = ["family", "operations", *WAYS, "rules", "mutants", "killed", "equivalent", "survivors"]
    lines = ["| " + " | ".join(heads) + " |", "|---" + "|---:" * (len(heads) - 1) + "|"]
    for title, f in (*families.items(), ("**all**", whole)):
        counts = [f.ops, *(f.settled.get(way, 0) for way in WAYS)]
        counts += [f.rules, f.mutants, f.killed, f.equivalent, len(f.survivors)]
        lines.append(f"| {title} | " + " | ".join(str(n or "") for n in counts) + " |")
    return lines


def main(arguments: list[str] | None = None) -> int:
    """Print the figures; 1 when something is neither proved nor explained, or survives."""
    parser = argparse.ArgumentParser(prog="python -m tests.symbolic.proofs", description=__doc__)
    parser.add_argument("ops", nargs="*", help="operations, by name; all when left out")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="write the page too")
    chosen = parser.parse_args(arguments)
    families = by_family(chosen.ops or sorted(registry))
    whole = Figures()
    for figures in families.values():
        whole.add(figures)
    print(*table(families, whole), "", *sentences(whole), sep="\n")
    for label in whole.survivors:
        print(f"survives: {label}")
    for label in whole.unproved:
        print(f"not proved, and no reason: {label}")
    if chosen.write:
        said = [f"- {sentence}" for sentence in sentences(whole)]
        body = "\n".join([INTRODUCTION, *said, "", *table(families, whole), "", MEANINGS])
        chosen.write.write_text(body, encoding="utf-8")
    return 1 if whole.survivors or whole.unproved else 0


if __name__ == "__main__":
    sys.exit(main())

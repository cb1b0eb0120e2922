"""The verdicts of `graphlab.check` on hundreds of right programs and of planted mistakes.

    python benchmarks/corpus.py                   all; the names of what is missed, and the counts
    python benchmarks/corpus.py right --every 5   every fifth right program
    python benchmarks/corpus.py wrong --show      with the reports

A right program must not be called wrong, and a mistake must not be called right. The programs are
those of tests/symbolic/corpus.py; a small part of them is among the tests.

Read next: benchmarks/planted.py
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]

SLOWEST = 6.0  # CPU seconds that one check may take
MISSED = 5  # mistakes that may be missed, each with its reason


def judged(make: Callable[[], Any], show: bool) -> tuple[str, float, str]:
    """The verdict on a program, the CPU seconds that it took, and the report when it is wanted."""
    import graphlab

    graphlab.manual_seed(0)
    root = make()
    began = time.process_time()
    try:
        report = graphlab.check(root, gradient=None)
        verdict = "right" if report.ok else report.verdict
        text = str(report) if show else ""
        report._repr_html_()
    except Exception as error:
        verdict, text = f"raised {type(error).__name__}", str(error)
    return verdict, time.process_time() - began, text


def run(kind: str, every: int, show: bool, only: str) -> bool:
    """Run one half of the corpus, print what is missed, and return whether the goal is met."""
    from tests.symbolic import corpus, corpus_mistakes

    cases = list(corpus.right() if kind == "right" else corpus_mistakes.wrong())[::every]
    bad = ("disagrees",) if kind == "right" else ("right",)
    verdicts: Counter[str] = Counter()
    slowest = (0.0, "")
    for name, make in cases:
        if only not in name:
            continue
        verdict, seconds, text = judged(make, show)
        verdicts[verdict] += 1
        slowest = max(slowest, (seconds, name))
        if verdict in bad or verdict.startswith("raised") or verdict == "undecided":
            print(f"{kind} program, {verdict}: {name}", text, sep="\n" if text else " ", flush=True)
    missed = sum(n for v, n in verdicts.items() if v in bad or v.startswith("raised"))
    goal = 0 if kind == "right" else MISSED
    print(
        f"{kind}: {sum(verdicts.values())} programs, {dict(verdicts)}; {missed} missed (goal: "
        f"{goal}); the slowest took {slowest[0]:.1f} s, {slowest[1]} (goal: {SLOWEST:g} s)"
    )
    return missed <= goal


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kinds", nargs="*", choices=["right", "wrong", []], help="which half")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every Nth program only")
    parser.add_argument("--show", action="store_true", help="print the reports")
    parser.add_argument("--only", default="", metavar="TEXT", help="programs with this in the name")
    chosen = parser.parse_args(arguments)
    kinds = chosen.kinds or ["right", "wrong"]
    return 0 if all([run(k, chosen.every, chosen.show, chosen.only) for k in kinds]) else 1


if __name__ == "__main__":
    sys.exit(main())

"""One graph, checked in a process of its own: `python benchmarks/checked.py lesson`.

Prints JSON: the verdict, the CPU seconds, and the peak memory of the process. For the lesson's
graph the time includes every import; for the others it begins when everything is loaded. BLAS has
one thread, so a CPU second is an elapsed second on an idle machine.

Read next: benchmarks/check.py
"""

# ruff: noqa: E402  (the clock runs before anything is imported)
from __future__ import annotations

import time

BEGAN = time.process_time()

import sys
from pathlib import Path

import blas  # noqa: F401  (before NumPy)

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import graphlab as torch

AGAIN = 5  # times that the lesson's graph is checked once all is loaded


def lesson() -> torch.Tensor:
    """e = a*b + c*log(d)"""
    a, b, c, d = (torch.tensor(v, requires_grad=True) for v in (2.0, 3.0, 5.0, 10.0))
    return a * b + c * torch.log(d)


def network() -> torch.Tensor:
    """A 2-3-1 network with tanh: 12 parameters."""
    torch.manual_seed(0)
    w1, b1, w2 = (torch.randn(*shape, requires_grad=True) for shape in ((3, 2), (3,), (1, 3)))
    return (w2 @ torch.tanh(w1 @ torch.tensor([0.5, -1.5]) + b1)).sum()


def nested() -> torch.Tensor:
    """sin(sin(... sin(x))): 1,000 operations."""
    y = torch.tensor(0.7, requires_grad=True)
    for _ in range(1_000):
        y = torch.sin(y)
    return y


def large() -> torch.Tensor:
    """tanh(y * w) + b, over and over: 10,000 nodes."""
    y, w, b = (torch.tensor(v, requires_grad=True) for v in (0.7, 1.1, 0.1))
    for _ in range(3_333):
        y = torch.tanh(y * w) + b
    return y + w


def seconds_of(root: torch.Tensor, began: float) -> tuple[torch.Report, float]:
    """The report, and how long it took since then."""
    report = torch.check(root)
    return report, time.process_time() - began


def main(name: str) -> None:
    make = {"lesson": lesson, "network": network, "nested": nested, "large": large}[name]
    began = BEGAN
    if make is not lesson:
        torch.check(lesson())
        began = time.process_time()
    report, first = seconds_of(make(), began)
    again = []
    for _ in range(AGAIN if make is lesson else 0):
        began = time.process_time()
        again.append(seconds_of(make(), began)[1])

    import json
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        json.dumps(
            {
                "verdicts": sorted({row.verdict for row in report}),
                "summary": report.summary,
                "seconds": first,
                "again": min(again, default=None),
                "megabytes": peak / (2**20 if sys.platform == "darwin" else 2**10),
            }
        )
    )


if __name__ == "__main__":
    main(sys.argv[1])

"""`import graphlab` is cheap: a student who only wants a tensor waits for NumPy and little more."""

from __future__ import annotations

import subprocess
import sys

RUNS = 7  # the least of several: other programs on the machine only ever add
LIMIT = 0.060  # seconds of processor time beyond NumPy's


def processor_seconds(code: str) -> float:
    """Give the processor time of a fresh Python that runs `code`."""
    timed = f"import time\nbegan = time.process_time()\n{code}\nprint(time.process_time() - began)"
    done = subprocess.run([sys.executable, "-c", timed], capture_output=True, text=True, check=True)
    return float(done.stdout)


def test_import_costs_at_most_60_ms_more_than_numpy() -> None:
    # Interleaved, so that a slow moment of the machine falls on both.
    pairs = [
        (processor_seconds("import numpy"), processor_seconds("import numpy, graphlab"))
        for _ in range(RUNS)
    ]
    numpy, both = (min(times) for times in zip(*pairs, strict=True))
    assert both - numpy <= LIMIT, f"NumPy {numpy:.3f} s, with GraphLab {both:.3f} s"

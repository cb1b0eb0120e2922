"""Graphs at other values, run by Python and by the player: every number must be the same to 1e-12.

    python benchmarks/replay.py                     the fixture, and 500 random graphs
    python benchmarks/replay.py --random 2000 --seed 1000

The random graphs have up to 60 nodes; each is run at its recorded values and at three others, with
zeros, NaN and infinities among them. The default tests compare the fixture, with 32 of these.

The two languages differ in the last digit of a function such as exp. If a graph subtracts results
that are nearly equal, the difference can grow; the rule of tanh does so, and both compute its last
digit alike (graph/replaying.py).

Read next: tests/adapters/replays.py, js/test/replayfixture.test.ts
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.adapters.replays import fixture_text, random_programs  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--random", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        cases = Path(folder, "cases.json")
        cases.write_text(fixture_text(random_programs(given.random, given.seed)), "utf-8")
        return subprocess.run(
            ["node", "scripts/test.mjs", "replayfixture"],
            cwd=ROOT / "js",
            env={**os.environ, "GRAPHLAB_REPLAYS": str(cases)},
            check=False,
        ).returncode


if __name__ == "__main__":
    sys.exit(main())

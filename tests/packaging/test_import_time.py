"""`import graphlab` is cheap: a student who only wants a tensor waits for NumPy and little more.

The time itself is measured in benchmarks/core.py; here stands what it depends on.
"""

from __future__ import annotations

import json
import subprocess
import sys

MOST_MODULES = 60  # beyond NumPy's; 42 of them, ours included, when this was written
LATER = {"sympy", "ipywidgets", "anywidget", "graphviz", "torch", "inspect", "numpy.random"}


def modules_after(code: str) -> set[str]:
    """The modules that a fresh Python has loaded after `code`."""
    shown = f"import json, sys\n{code}\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", shown], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


def test_import_loads_little_beyond_numpy() -> None:
    numpy = modules_after("import numpy")
    both = modules_after("import numpy, graphlab")
    assert not LATER & (both - numpy)
    assert len(both - numpy) <= MOST_MODULES, sorted(both - numpy)

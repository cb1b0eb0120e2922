"""`import graphlab` is cheap: a student who only wants a tensor waits for NumPy and little more.

The time itself is measured in benchmarks/core.py; here stands what it depends on.
"""

from __future__ import annotations

import json
import subprocess
import sys

# beyond NumPy's, ours included: 56 short files of one idea load in about the time of the 40 longer
# ones before them (14 ms beside 11 ms; the goal is 30 ms)
MOST_MODULES = 59
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


def test_views_learn_of_a_change_that_came_before_the_rules_of_views_were_loaded() -> None:
    grew = """
import graphlab
x = graphlab.ones(2, requires_grad=True)
x.sum().backward()
seen = x.grad.view(-1)
x.sum().backward()
assert seen.tolist() == [2, 2] and seen._version == x.grad._version == 1
"""
    assert "graphlab.autograd.views" in modules_after(grew)

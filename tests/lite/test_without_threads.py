"""GraphLab does without what a browser lacks: threads, processes, signals."""

from __future__ import annotations

import subprocess
import sys

import pytest

FORBID = """
import os, signal, subprocess, sys, threading, _thread

def absent(*arguments, **options):
    raise RuntimeError("not in a browser")

import IPython.core.interactiveshell  # a notebook has it; it looks at the terminal once
threading.Thread.start = _thread.start_new_thread = absent
subprocess.Popen.__init__ = subprocess.run = subprocess.check_output = absent
signal.signal = signal.alarm = signal.setitimer = signal.raise_signal = absent
os.fork = os.system = os.popen = os.posix_spawn = os.kill = absent
sys.modules["multiprocessing"] = sys.modules["concurrent.futures.process"] = None
"""

SETUP = """
import graphlab
a = graphlab.tensor([2.0], requires_grad=True)
b = graphlab.tensor([3.0], requires_grad=True)
e = a * b + graphlab.log(a)
"""

USES = {
    "draw": "picture = graphlab.draw(e); picture._repr_mimebundle_(); picture.text",
    "trace": "graphlab.trace(e)._repr_mimebundle_(); graphlab.trace(e, forward=True)",
    "step": "walk = graphlab.step(e); walk.step = 3; walk._repr_mimebundle_()",
    "check": "assert '2 of 2 gradients proved' in str(graphlab.check(e))",
    "record": "with graphlab.record() as timeline:\n    (a * b).backward()\nlen(timeline)",
    "explore": "graphlab.explore(lambda a: a * a + a, a=2.0)",
    "loader": "from graphlab.utils.data import DataLoader\nlist(DataLoader([1, 2, 3], 2))",
    "save": "import tempfile, pathlib\n"
    "graphlab.draw(e).save(pathlib.Path(tempfile.mkdtemp(), 'e.html'))",
    "exercises": "from graphlab import exercises\nexercises.answer('1.1', ...)",
}


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


@pytest.mark.parametrize("use", USES)
def test_without_threads_processes_and_signals(use, tmp_path):
    done = run(f"import os; os.chdir({str(tmp_path)!r})\n{FORBID}{SETUP}{USES[use]}")
    assert done.returncode == 0, done.stderr[-2000:]


def test_they_are_really_absent_there():
    for code in ("import threading; threading.Thread(target=print).start()", "os.system('true')"):
        assert "not in a browser" in run(FORBID + code).stderr


def test_no_module_imports_what_starts_processes():
    code = f"{SETUP}graphlab.draw(e); graphlab.trace(e); import sys\n"
    code += "print({'multiprocessing', 'concurrent.futures'} & set(sys.modules))"
    assert run(code).stdout.strip() == "set()"

"""The memory of freed arrays stays with the process: later passes need no new pages."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

PASSES = """
import resource
import numpy as np
import graphlab

ones = np.ones((1000, 1000), np.float32)
x, w, b = (graphlab.tensor(ones, requires_grad=True) for _ in "xwb")

def once():
    y = (x * w + b).tanh()
    (y * y).sum().backward()

for _ in range(3):
    once()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(5):
    once()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="it is glibc that learns the limit")
def test_a_pass_over_large_arrays_needs_no_new_pages():
    done = subprocess.run([sys.executable, "-c", PASSES], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 500  # an array of 4 MB has 1,000 pages

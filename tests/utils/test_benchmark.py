"""`utils.benchmark.Timer` measures, and shows its measurements as PyTorch's does.

Read next: graphlab/utils/benchmark.py
"""

from __future__ import annotations

import re

import pytest

from graphlab.utils.benchmark import Measurement, Timer


def test_a_statement_is_measured():
    timer = Timer("f(x)", "x = 2", globals={"f": abs}, label="abs", sub_label="of 2")
    one = timer.timeit(20)
    assert one.number_per_run == 20
    assert len(one.times) == 1
    assert one.median == one.mean == one.times[0] > 0
    assert re.search(r"abs: of 2\nsetup: x = 2\n  [\d.]+ \ws\n  1 measurement, 20 runs", repr(one))
    many = timer.blocked_autorange(min_run_time=0.001)
    assert sum(many.raw_times) >= 0.001


def test_the_quartiles_of_several_measurements_are_shown():
    found = Measurement(10, [0.1, 0.2, 0.4], Timer("pass"))
    assert (found.median, found.iqr) == (0.02, pytest.approx(0.015))
    assert "Median: 20.00 ms\n  IQR:    15.00 ms" in repr(found)


def test_another_language_is_refused():
    with pytest.raises(ValueError, match="only Python"):
        Timer("1", language="c++")


def test_repeat_is_refused_as_by_pytorch():
    with pytest.raises(NotImplementedError, match=r"See `Timer\.blocked_autorange\.`"):
        Timer("pass").repeat(2, 3)

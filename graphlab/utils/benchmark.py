"""`torch.utils.benchmark.Timer` measures how long a statement takes.

Read next: utils/data/__init__.py
"""

import timeit
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

__all__ = ["Measurement", "Timer"]
UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))


class Measurement:
    """The times that a Timer measured.

    number_per_run: int, the number of runs of the statement in each measurement
    raw_times: list of floats, the seconds of each measurement
    task_spec: the Timer

    >>> from graphlab.utils.benchmark import Measurement, Timer
    >>> Measurement(4, [0.5, 1.0, 2.0], Timer("pass")).median
    0.25
    """

    def __init__(self, number_per_run: int, raw_times: list[float], task_spec: "Timer") -> None:
        self.number_per_run = number_per_run
        self.raw_times = raw_times
        self.task_spec = task_spec

    @property
    def times(self) -> list[float]:
        """The seconds that one run takes, for each measurement."""
        return [seconds / self.number_per_run for seconds in self.raw_times]

    @property
    def median(self) -> float:
        return median(self.times)

    @property
    def mean(self) -> float:
        return sum(self.times) / len(self.times)

    @property
    def iqr(self) -> float:
        """The distance between the first and the third quartile of the times, in seconds."""
        first, third = np.percentile(self.times, (25, 75))
        return float(third - first)

    def __repr__(self) -> str:
        spec, count = self.task_spec, len(self.times)
        title = ": ".join(part for part in (spec.label, spec.sub_label) if part) or spec.stmt
        lines = [f"<{type(self).__module__}.{type(self).__name__} object at {id(self):#x}>", title]
        lines += [spec.description] if spec.description else []
        lines += [f"setup: {spec.setup}"] if spec.setup != "pass" else []
        scale, unit = next((s, u) for s, u in UNITS if self.median >= s or u == "ns")
        if count == 1:
            lines.append(f"  {self.median / scale:.2f} {unit}")
        else:
            lines.append(f"  Median: {self.median / scale:.2f} {unit}")
            lines.append(f"  IQR:    {self.iqr / scale:.2f} {unit}")
        many = "measurement" if count == 1 else "measurements"
        runs = f"{self.number_per_run} runs {'' if count == 1 else 'per measurement'}"
        return "\n".join([*lines, f"  {count} {many}, {runs}, 1 thread"])


class Timer:
    """Measure how long a statement takes.

    stmt, setup: str, the code to measure, and the code that runs once before it
    global_setup: str, for C++ in PyTorch; without effect here
    timer: function that returns the time in seconds
    globals: dict from the names that the code may use to their values
    label, sub_label, description, env: text that repr() shows beside the times
    num_threads: int, without effect on NumPy's threads
    language: only "python"
    Raises: ValueError for another language.

    >>> from graphlab.utils.benchmark import Timer
    >>> Timer("x + 1", globals={"x": 1}).timeit(10).number_per_run
    10
    """

    def __init__(
        self,
        stmt: str = "pass",
        setup: str = "pass",
        global_setup: str = "",
        timer: Callable[[], float] = timeit.default_timer,
        globals: dict[str, Any] | None = None,
        label: str | None = None,
        sub_label: str | None = None,
        description: str | None = None,
        env: str | None = None,
        num_threads: int = 1,
        language: Any = "python",
    ) -> None:
        if str(language).lower() not in ("python", "py"):
            raise ValueError(f"only Python can be measured, got language={language!r}")
        self.stmt, self.setup = stmt, setup
        self.label, self.sub_label, self.description = label, sub_label, description
        self.env, self.num_threads = env, num_threads
        self._timer = timeit.Timer(stmt, setup, timer, globals)

    def timeit(self, number: int = 1000000) -> Measurement:
        """Run the statement `number` times and return one measurement."""
        self._timer.timeit(max(number // 100, 2))  # warm-up: the first runs are slower
        return Measurement(number, [self._timer.timeit(number)], self)

    def blocked_autorange(
        self, callback: Callable[[int, float], Any] | None = None, min_run_time: float = 0.2
    ) -> Measurement:
        """Measure blocks of runs until they have taken `min_run_time` seconds.

        callback: function (number of runs, seconds), called after each block; or None
        """
        number = 1
        while self._timer.timeit(number) < min(min_run_time / 1000, 1e-3) and number < 10**9:
            number *= 10
        found: list[float] = []
        while sum(found) < min_run_time:
            found.append(self._timer.timeit(number))
            if callback is not None:
                callback(number, found[-1])
        return Measurement(number, found, self)

    def repeat(self, repeat: int = -1, number: int = -1) -> list[Measurement]:
        """Raise NotImplementedError, as PyTorch does; use `blocked_autorange`."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def adaptive_autorange(
        self, threshold: float = 0.1, *, min_run_time: float = 0.01, max_run_time: float = 10.0
    ) -> Measurement:
        """Measure until iqr ≤ threshold · median, or until `max_run_time` seconds are over."""
        found = self.blocked_autorange(min_run_time=min_run_time)
        while found.iqr > threshold * found.median and sum(found.raw_times) < max_run_time:
            found.raw_times.append(self._timer.timeit(found.number_per_run))
        return found

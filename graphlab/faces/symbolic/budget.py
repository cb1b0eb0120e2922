"""How much work a check may do.

Work is counted, not timed: the same graph gets the same verdict on a fast computer, on a slow one
and on a busy one. Before each expensive step the size of its input is known, and the step is
refused if too little of the budget is left. For work that the count does not foresee there is also
a limit of CPU time: it stops a check after a minute, and the report says so.

Read next: faces/symbolic/check.py
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from typing import Any

from graphlab.primitives.sympy_reading.object_arrays import Unsupported

DEFAULT = 5.0  # the limits in this folder are for this budget
PATIENCE = 12.0  # seconds of CPU time for each unit of the budget; a small budget counts as 1
TOO_MUCH = "the graph is too large for the work that a check may do"
cpu_time = getattr(time, "thread_time", time.process_time)  # thread_time is missing on some systems


class ShapeMismatch(Unsupported):
    """A rule returns a gradient that does not have the shape of its input."""

    def __init__(self, node: Any, input: int, shape: Any, expected: Any) -> None:
        super().__init__(
            f"a rule of {node.name()} returns shape {shape} for an input of {expected}"
        )
        self.node, self.input = node, input


@contextmanager
def guarded(what: str) -> Iterator[None]:
    """Turn any error inside into Unsupported, after which the next method is tried.

    SymPy and mpmath raise many kinds of errors for formulas that they cannot handle. what: the
    method, for the note in the report. Raises: Unsupported.

    >>> with guarded("the proof"):
    ...     1 / 0
    Traceback (most recent call last):
    graphlab.primitives.sympy_reading.object_arrays.Unsupported: the proof ended in ...
    """
    try:
        yield
    except Unsupported:
        raise
    except RecursionError:
        raise Unsupported("the formula is nested too deeply for SymPy") from None
    except Exception as error:
        said = " ".join(str(error).split())[:80]
        raise Unsupported(f"{what} ended in {type(error).__name__}: {said}") from error


@dataclass(slots=True)
class Budget:
    """How much of one kind of work is left, for instance entries to calculate.

    overhead: an extra cost of each call of `take`. ends: the `cpu_time` at which the check is
    stopped. refused: whether a step was left out because it did not fit.
    """

    left: int
    spent: int = 0
    overhead: int = 0
    ends: float = inf
    reason: str = TOO_MUCH
    refused: bool = False

    def take(self, amount: int) -> None:
        """Subtract `amount` from what is left. Raises: Unsupported if too little is left.

        >>> budget = Budget(10)
        >>> budget.take(8)
        >>> budget.take(3)
        Traceback (most recent call last):
        graphlab.primitives.sympy_reading.object_arrays.Unsupported: the graph is too large ...
        """
        self.spent += amount
        self.left -= amount + self.overhead
        if self.left < 0:
            raise Unsupported(self.reason)
        if cpu_time() > self.ends:
            raise Unsupported("the check took too long and was stopped by the clock")

    def fits(self, amount: float) -> bool:
        """Return whether an optional step fits; if so, subtract its work.

        >>> budget = Budget(10)
        >>> budget.fits(20), budget.fits(8), budget.left
        (False, True, 2)
        """
        if not amount + self.overhead <= self.left or cpu_time() > self.ends:
            self.refused = True
            return False
        self.take(int(amount))
        return True


class Allowance:
    """How much work a check may do. budget: roughly in seconds on an ordinary computer, > 0."""

    def __init__(self, budget: float = DEFAULT) -> None:
        self.share = budget / DEFAULT
        self.ends = cpu_time() + PATIENCE * max(budget, 1.0)
        self.reason = f"{TOO_MUCH} with the budget {budget:g}"

    def budget(self, limit: int, overhead: int = 0, least: float = 0.0) -> Budget:
        """Return a budget for one kind of work. limit: the amount for the default budget.

        least: the share of `limit` that is allowed even if the budget of the check is smaller.
        """
        allowed = int(limit * max(self.share, least))
        return Budget(allowed, overhead=overhead, ends=self.ends, reason=self.reason)

"""How much work a check may do.

Work is counted, not timed: the same graph gets the same verdict on a fast computer, on a slow one
and on a busy one. Before each expensive step the size of what goes in is known, and the step is
refused when too little of its budget is left. A clock runs beside the count for what no count
foresees. It ends a check that computes for a minute, and the report says so; it does not run while
other programs have the processor.

Read next: faces/symbolic/check.py
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from typing import Any

from graphlab.primitives.sympy_reading.object_arrays import Unsupported

DEFAULT = 5.0  # the budget that the limits in this folder are meant for
PATIENCE = 12.0  # seconds of CPU time for each unit of the budget, and at least for one
TOO_MUCH = "the graph is too large for the work that a check may do"
cpu_time = getattr(time, "thread_time", time.process_time)  # no system is without the second


class ShapeMismatch(Unsupported):
    """A rule returns a gradient that does not have the shape of its input."""

    def __init__(self, node: Any, input: int, shape: Any, expected: Any) -> None:
        super().__init__(f"a rule of {node.name()} gives {shape} for an input of {expected}")
        self.node, self.input = node, input


@contextmanager
def guarded(what: str) -> Iterator[None]:
    """Make any error inside a reason to go on with the next method.

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

    overhead: what each call of `take` costs on top. ends: when the check is stopped, by the clock
    `cpu_time`. refused: whether a step was left out because it did not fit.
    """

    left: int
    spent: int = 0
    overhead: int = 0
    ends: float = inf
    reason: str = TOO_MUCH
    refused: bool = False

    def take(self, amount: int) -> None:
        """Count `amount` of work before or after it is done. Raises: Unsupported.

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
        """Whether there is room for a step that can be left out; if so, its work is counted.

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
    """What a whole check may do. budget: about how many seconds an ordinary computer needs, > 0."""

    def __init__(self, budget: float = DEFAULT) -> None:
        self.share = budget / DEFAULT
        self.ends = cpu_time() + PATIENCE * max(budget, 1.0)
        self.reason = f"{TOO_MUCH} with the budget {budget:g}"

    def budget(self, limit: int, overhead: int = 0, least: float = 0.0) -> Budget:
        """A budget for one kind of work. limit: what is allowed with the default budget.

        least: the share of `limit` that is allowed however small the budget of the check is.
        """
        allowed = int(limit * max(self.share, least))
        return Budget(allowed, overhead=overhead, ends=self.ends, reason=self.reason)

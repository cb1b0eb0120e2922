"""How much a check may do: work is counted, and a clock runs beside it.

What is counted is the same everywhere and bounds every step; the clock bounds the whole, on a
slow computer too. A call into SymPy cannot look at the clock, so an alarm interrupts it, as Ctrl-C
would.

Read next: faces/symbolic/exact_primitives.py
"""

import ctypes
import threading
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any, TypeVar

T = TypeVar("T")


class Unsupported(Exception):
    """A reason for which a graph has no formula; the checker then compares numbers instead."""


class ShapeMismatch(Unsupported):
    """A rule gives a gradient that has not the shape of its input."""

    def __init__(self, node: Any, input: int, shape: Any, fits: Any) -> None:
        super().__init__(f"a rule of {node.name()} gives {shape} for an input of {fits}")
        self.node, self.input = node, input


class TimeIsUp(Unsupported):
    """The time that a part of a check has is used up."""


class Alarm(BaseException):
    """Raised in the middle of a call that takes too long; it is no Exception, as Ctrl-C is none."""


class Clock:
    """A time limit, for a whole check or for a part of it.

    seconds: from now on, > 0.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.started = monotonic()
        self.ends = self.started + seconds

    def part(self, share: float) -> "Clock":
        """A clock that stops when `share` of the whole time is over."""
        clock = Clock(self.seconds)
        clock.started, clock.ends = self.started, self.started + share * self.seconds
        return clock

    @property
    def left(self) -> float:
        """Seconds that are left; 0 when there are none."""
        return max(0.0, self.ends - monotonic())

    def look(self) -> None:
        """Raises: TimeIsUp."""
        if monotonic() > self.ends:
            raise TimeIsUp(self.sentence)

    @property
    def sentence(self) -> str:
        return f"the time was used up: the budget is {self.seconds:g} s"


@dataclass(slots=True)
class Budget:
    """How much work may be done, in entries that are calculated, and until when."""

    left: int
    spent: int = 0
    clock: Clock | None = None

    def take(self, entries: int) -> None:
        """Raises Unsupported when nothing is left."""
        self.spent += entries
        self.left -= entries
        if self.left < 0:
            raise Unsupported("the graph is too large for the work that a check may do")
        if self.clock is not None:
            self.clock.look()


EVERY = 0.05  # seconds between two rings, should the first have been caught by a bare `except:`


class Bell:
    """A thread that waits for a time to pass, and then interrupts the one that made it."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.thread = threading.get_ident()
        self.armed = self.rang = False
        self.lock, self.over = threading.Lock(), threading.Event()
        self.waiter = threading.Thread(target=self.wait, name="graphlab-alarm", daemon=True)

    def wait(self) -> None:
        pause = self.clock.left
        while not self.over.wait(pause):
            with self.lock:
                if self.armed:
                    self.rang = True
                    interrupt(self.thread, Alarm)
            pause = EVERY

    def stop(self) -> None:
        """No ring arrives after this, and the thread is gone."""
        self.armed = False
        try:
            with self.lock:
                rang = self.rang
            for _ in range(3 * rang):  # one that is on its way arrives at the next jump back
                pass
        except Alarm:
            pass
        finally:  # Ctrl-C may come here too
            self.over.set()
            if self.waiter.ident is not None:
                self.waiter.join()


def within(clock: Clock | None, work: Callable[[], T]) -> T:
    """What `work()` gives, if it is done in time. Raises: TimeIsUp.

    Where there are no threads, only what is counted bounds the work.

    >>> within(Clock(60), lambda: 2 + 2)
    4
    """
    if clock is None:
        return work()
    clock.look()
    bell = Bell(clock)
    try:
        try:
            bell.armed = start(bell.waiter)
            return work()
        finally:
            bell.stop()
    except Alarm:  # it may also have come while the bell was being stopped
        bell.stop()
        raise TimeIsUp(clock.sentence) from None


def start(thread: threading.Thread) -> bool:
    """Start a thread; False where there are none."""
    try:
        thread.start()
    except RuntimeError:
        return False
    return True


def interrupt(thread: int, error: type[BaseException]) -> None:
    """Raise an error in a thread at its next call or jump.

    (It is never taken back: CPython 3.11 would go on looking for it, and hang in a profiler.)
    """
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))

"""Ctrl-C waits while GraphLab adds hooks to the user's program or removes them.

Read next: adapters/native/recording.py
"""

import signal
import threading
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def uninterrupted(function: Callable[P, R]) -> Callable[P, R]:
    """Let Ctrl-C wait until a function has ended; Python interrupts only the main thread.

    >>> @uninterrupted
    ... def double(x):
    ...     return 2 * x
    >>> double(3)
    6
    """

    @wraps(function)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        handler = signal.getsignal(signal.SIGINT)
        if not callable(handler) or threading.current_thread() is not threading.main_thread():
            return function(*args, **kwargs)
        waiting: list[Any] = []
        signal.signal(signal.SIGINT, lambda *given: waiting.append(given))
        try:
            return function(*args, **kwargs)
        finally:
            signal.signal(signal.SIGINT, handler)
            if waiting:
                handler(*waiting[0])

    return guarded

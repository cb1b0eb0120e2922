"""The line of the user's program that runs now: the nearest caller outside GraphLab.

A node stores the code object and the instruction; its line is looked up on request. Ctrl-C can wait
while GraphLab adds hooks to the program or removes them.

Read next: autograd/record.py
"""

import sys
import threading
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from graphlab.common.errors import HERE

P = ParamSpec("P")
R = TypeVar("R")


class Files(dict[str, bool]):
    """Whether a file is GraphLab's own, looked up once for each name."""

    def __missing__(self, name: str) -> bool:
        self[name] = found = name.startswith(HERE)
        return found


own_files = Files()
getframe = sys._getframe


def users_frame(frame: Any) -> Any:
    """Return the nearest frame, from `frame` outwards, that runs the user's code."""
    while own_files[frame.f_code.co_filename] and (outer := frame.f_back) is not None:
        frame = outer
    return frame


Place = tuple[Any, int]  # a code object and an instruction in it


def place(up: int = 1) -> Place:
    """Return where the user's code stands now; its line is looked up when somebody asks.

    up: how many calls away it is at least.
    """
    try:
        frame = users_frame(getframe(up))
    except ValueError:  # no caller: a thread runs this call alone
        frame = getframe()
    return frame.f_code, frame.f_lasti


def place_node(node: Any) -> None:
    """Store in a new node the instruction of the user's program that made it."""
    try:
        frame = getframe(2)
    except ValueError:  # a thread runs the recorder alone
        frame = getframe(1)
    code = frame.f_code
    if own_files[code.co_filename]:
        frame = users_frame(frame.f_back or frame)
        code = frame.f_code
    node._code, node._at = code, frame.f_lasti


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
        import signal

        handler = signal.getsignal(signal.SIGINT)
        if not callable(handler) or threading.current_thread() is not threading.main_thread():
            return function(*args, **kwargs)
        waiting: list[Any] = []
        try:
            signal.signal(signal.SIGINT, lambda *given: waiting.append(given))
        except (RuntimeError, ValueError):  # no signals: a browser
            return function(*args, **kwargs)
        try:
            return function(*args, **kwargs)
        finally:
            signal.signal(signal.SIGINT, handler)
            if waiting:
                handler(*waiting[0])

    return guarded

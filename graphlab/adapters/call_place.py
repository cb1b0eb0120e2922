"""The call place is the line of the user's code that called GraphLab, such as `backward()`.

A recording notes it at each event, and reads the line only when the timeline is used.

Read next: adapters/native/source_lines.py
"""

import sys
from typing import Any

from graphlab.autograd.users_code import users_frame

Place = tuple[Any, int]  # a code object and an instruction in it


def place() -> Place | None:
    """The instruction of the user's code that is running now."""
    frame = users_frame(sys._getframe(1))
    return None if frame is None else (frame.f_code, frame.f_lasti)

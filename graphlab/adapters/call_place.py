"""Where the user's code stands while GraphLab runs: the line that called `backward()`.

It is noted at each event of a recording, and read only when somebody looks at the timeline.

Read next: adapters/native/source_lines.py
"""

import sys
from typing import Any

from graphlab.autograd.users_code import users_frame

Place = tuple[Any, int]  # a code object and an instruction in it


def place() -> Place | None:
    """Where the user's code stands now."""
    frame = users_frame(sys._getframe(1))
    return None if frame is None else (frame.f_code, frame.f_lasti)

"""The variables of a frame are read in such a way that the frame keeps no tensor alive.

Until Python 3.12, `frame.f_locals` of a function is a dictionary that the frame holds until the
function returns, so every tensor in it would stay alive after `del`. Therefore it is copied and
then emptied. The variables themselves do not change, except inside a function of `sys.setprofile`
or `sys.settrace`: after such a function, Python copies the dictionary back into the variables.

Read next: adapters/native/variable_names.py
"""

import inspect
import sys
from types import FrameType
from typing import Any

KEPT_BY_THE_FRAME = sys.version_info < (3, 13)


def local_variables(frame: FrameType) -> dict[str, Any]:
    """The local variables of a frame; for a module or a cell, the global ones.

    >>> def area():
    ...     width, height = 2, 3
    ...     return local_variables(sys._getframe())
    >>> area()
    {'width': 2, 'height': 3}
    """
    variables = frame.f_locals
    found = dict(variables)
    if KEPT_BY_THE_FRAME and is_function(frame):
        variables.clear()
    return found


def is_function(frame: FrameType) -> bool:
    """Whether a frame runs a function, not a module, a class or a cell."""
    return bool(frame.f_code.co_flags & inspect.CO_OPTIMIZED)


def scopes_of(*frames: FrameType | None) -> list[dict[str, Any]]:
    """The variables of each frame: the local ones, and then the global ones if they differ."""
    scopes = []
    for frame in dict.fromkeys(frames):
        if frame is None:
            continue
        if is_function(frame) or frame.f_locals is not frame.f_globals:
            scopes.append(local_variables(frame))
        scopes.append(dict(frame.f_globals))
    return scopes

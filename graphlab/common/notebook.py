"""The notebook that the program runs in, if there is one.

Read next: faces/widgets/cell_events.py
"""

import sys
from typing import Any


def shell() -> Any:
    """Return IPython's shell; None if the program runs without IPython."""
    ipython = sys.modules.get("IPython")
    return None if ipython is None else ipython.get_ipython()


def has_kernel() -> bool:
    """Return whether a kernel runs the program, so that outputs may be pictures."""
    return hasattr(shell(), "kernel")

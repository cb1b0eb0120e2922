"""The errors that GraphLab raises: each is also the built-in error that PyTorch raises there.

Read next: ops/base.py
"""

import os
import sys
from collections.abc import Callable
from typing import Any, TypeVar

__all__ = [
    "GradcheckError",
    "GraphFreedError",
    "GraphLabError",
    "LinAlgError",
    "ModifiedInPlaceError",
    "ShapeError",
    "TraceError",
    "TraceVersionError",
]

GRAPH_FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after "
    "they have already been freed). Saved intermediate values of the graph are freed when you "
    "call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward "
    "through the graph a second time or if you need to access saved tensors after calling backward."
)


# where GraphLab's own files are
HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep

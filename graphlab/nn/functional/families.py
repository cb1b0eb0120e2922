"""Families: functions that differ only in the number of dimensions, such as conv1d and conv2d.

A factory makes each function from `dims`; `named` gives it its name and its docstring.

Read next: nn/functional/convolution.py
"""

from collections.abc import Callable
from typing import Any

KINDS = {1: "a sequence", 2: "an image", 3: "a volume"}
IMAGES = {
    1: "(N, C, L) or (C, L)",
    2: "(N, C, H, W) or (C, H, W)",
    3: "(N, C, D, H, W) or (C, D, H, W)",
}


def named(name: str, docstring: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with a name and a docstring of its own."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = docstring
    return function

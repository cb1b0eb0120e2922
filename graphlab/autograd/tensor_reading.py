"""The primitives of the rules, read for tensors: what runs when a backward pass is recorded.

They are functions of tensors, which need autograd themselves; so they are loaded when the first
such pass begins.

Read next: autograd/engine.py
"""

from collections.abc import Callable
from typing import Any

tensor_primitives: dict[str, Any] = {}  # by name, once `tensor_reading` was called
loaders: list[Callable[[], Any]] = []  # tensor/functions says here how they are loaded


def tensor_reading() -> dict[str, Any]:
    """Return the namespace in which a rule runs on tensors."""
    while loaders:
        loaders.pop()()
    return tensor_primitives

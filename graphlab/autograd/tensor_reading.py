"""The primitives for tensors, which rules call when the backward pass itself is recorded.

They are functions of tensors that use autograd, so they are loaded when the first such pass begins.

Read next: autograd/engine.py
"""

from collections.abc import Callable
from typing import Any

tensor_primitives: dict[str, Any] = {}  # by name, once `tensor_reading` was called
loaders: list[Callable[[], Any]] = []  # the package adds what loads them


def tensor_reading() -> dict[str, Any]:
    """Return the namespace in which a rule runs on tensors."""
    while loaders:
        loaders.pop()()
    return tensor_primitives

"""`torch.functional`: PyTorch's second import path for functions of tensors.

Read next: tensor/functions/__init__.py
"""

from typing import Any

from graphlab.tensor import functions


def __getattr__(name: str) -> Any:
    return getattr(functions, name)


def __dir__() -> list[str]:
    return dir(functions)

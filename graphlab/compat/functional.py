"""`torch.functional`: functions of tensors, under their second path in PyTorch.

Read next: tensor/functions/__init__.py
"""

from typing import Any

from graphlab.tensor import functions


def __getattr__(name: str) -> Any:
    return getattr(functions, name)


def __dir__() -> list[str]:
    return dir(functions)

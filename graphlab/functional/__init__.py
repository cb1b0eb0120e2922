"""The operations as functions of tensors, and the words in which rules are read for tensors.

Here dims are counted, defaults filled in and overloads chosen; the mathematics is in ops/, the
recording in autograd/record.py. A module is loaded when one of its functions is first used.

Read next: functional/pointwise.py
"""

from importlib import import_module
from typing import Any

from graphlab.contents import BOTH, FUNCTIONS, METHODS, homes

HOMES = {
    name: module
    for name, module in homes(BOTH, FUNCTIONS, METHODS).items()
    if module.startswith("functional.")
}


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module 'graphlab.functional' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"graphlab.{HOMES[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted(HOMES)

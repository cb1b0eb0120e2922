"""Modules that only call a function of nn.functional, with options that they keep.

Read next: nn/activation.py
"""

from collections.abc import Iterable
from typing import Any

from graphlab.nn import functional as F
from graphlab.nn.module import Module


class Calling(Module):
    """Calls `F.<function>` with its inputs, and with the module's `options` by name.

    shown: the options that the module's own line shows, as "name=value".
    """

    function = ""
    options: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()

    def forward(self, *inputs: Any) -> Any:
        given = {name: getattr(self, name) for name in self.options}
        return getattr(F, self.function)(*inputs, **given)

    def extra_repr(self) -> str:
        return ", ".join(f"{name}={getattr(self, name)}" for name in self.shown)


def repeated(value: Any, n: int) -> tuple[Any, ...]:
    """One size for each of n dims: `3` means (3, 3), a tuple stays what it is."""
    return tuple(value) if isinstance(value, Iterable) else (value,) * n

"""Modules that hold modules: in a row, in a list, in a dict.

Read next: nn/parameter_containers.py
"""

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Self

from graphlab.nn.module import Module, indented


class Numbered(Module):
    """Modules under the names "0", "1", "2" and so on."""

    def _name_at(self, index: Any) -> str:
        """The name of the module at an index, which may count from the end."""
        index = operator.index(index)
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} is out of range")
        return list(self._modules)[index]

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, self._name_at(index), module)

    def __delitem__(self, index: int | slice) -> None:
        names = list(self._modules)
        for name in names[index] if isinstance(index, slice) else [self._name_at(index)]:
            delattr(self, name)
        left = list(self._modules.values())
        object.__setattr__(self, "_modules", {str(i): module for i, module in enumerate(left)})

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def append(self, module: Module) -> Self:
        """Put a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> Self:
        """Put modules at the end."""
        if not isinstance(modules, Iterable):
            raise TypeError(
                f"{self._get_name()}.extend should be called with an iterable, but got "
                + type(modules).__name__
            )
        for module in list(modules):
            self.append(module)
        return self

    def pop(self, key: int | slice) -> Any:
        """Take a module out, and give it."""
        found = self[key]  # type: ignore[index]
        del self[key]
        return found

    def _insert(self, index: int, module: Module) -> None:
        held = list(self._modules.values())
        held.insert(index, module)
        self._modules.update({str(i): one for i, one in enumerate(held)})


class Sequential(Numbered):
    """Modules in a row: each is given what the one before returned.

    >>> import graphlab as torch
    >>> torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh())
    Sequential(
      (0): Linear(in_features=2, out_features=3, bias=True)
      (1): Tanh()
    )
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        named = len(args) == 1 and isinstance(args[0], OrderedDict)
        given = args[0] if named else {str(i): module for i, module in enumerate(args)}
        for name, module in given.items():
            self.add_module(name, module)

    def forward(self, input: Any) -> Any:
        for module in self:
            input = module(input)
        return input

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(OrderedDict(list(self._modules.items())[index]))
        return self._modules[self._name_at(index)]

    def insert(self, index: int, module: Module) -> Self:
        """Put a module before the one at `index`."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        if not -len(self) <= index <= len(self):
            raise IndexError(f"Index out of range: {index}")
        self._insert(index + len(self) if index < 0 else index, module)
        return self

    def __add__(self, other: Any) -> "Sequential":
        check_sequential(other)
        return Sequential(*self, *other)

    def __iadd__(self, other: Any) -> Self:
        check_sequential(other)
        return self.extend(other)

    def __mul__(self, other: Any) -> "Sequential":
        check_times(self, other)
        return Sequential(*list(self) * other)

    __rmul__ = __mul__

    def __imul__(self, other: Any) -> Self:
        check_times(self, other)
        return self.extend(list(self) * (other - 1))


def check_sequential(other: Any) -> None:
    """Raises: ValueError for what is no Sequential."""
    if not isinstance(other, Sequential):
        raise ValueError(
            f"add operator supports only objects of Sequential class, but {type(other)} is given."
        )


def check_times(self: Sequential, times: Any) -> None:
    """Raises: TypeError, or ValueError, for what is no positive number."""
    if not isinstance(times, int):
        raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(times)}")
    if times <= 0:
        raise ValueError(f"Non-positive multiplication factor {times} for {type(self)}")


class ModuleList(Numbered):
    """Modules in a list; the model's own forward says in which order they are called."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(list(self._modules.values())[index])
        return self._modules[self._name_at(index)]

    def insert(self, index: int, module: Module) -> None:
        """Put a module before the one at `index`."""
        self._insert(index, module)

    def __iadd__(self, modules: Iterable[Module]) -> Self:
        return self.extend(modules)

    def __add__(self, other: Iterable[Module]) -> "ModuleList":
        return ModuleList(chain(self, other))

    def __repr__(self) -> str:
        """Modules that look alike and follow each other share a line: (0-2): 3 x Linear(...)."""
        blocks: list[list[Any]] = []  # first, last, text
        for i, module in enumerate(self):
            text = repr(module)
            if blocks and blocks[-1][2] == text:
                blocks[-1][1] = i
            else:
                blocks.append([i, i, text])
        if not blocks:
            return self._get_name() + "()"
        lines = [
            f"({first}): {text}"
            if first == last
            else f"({first}-{last}): {last - first + 1} x {text}"
            for first, last, text in blocks
        ]
        return self._get_name() + "(\n  " + "\n  ".join(map(indented, lines)) + "\n)"


class ModuleDict(Module):
    """Modules by name."""

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Take all modules out."""
        self._modules.clear()

    def pop(self, key: str) -> Any:
        """Take a module out, and give it."""
        return self._modules.pop(key)

    def keys(self) -> Any:
        """The names."""
        return self._modules.keys()

    def values(self) -> Any:
        """The modules."""
        return self._modules.values()

    def items(self) -> Any:
        """The names with their modules."""
        return self._modules.items()

    def update(self, modules: Any) -> None:
        """Enter the modules of a mapping, or of pairs (name, module)."""
        for key, module in pairs_of(modules, "ModuleDict", "ModuleDict"):
            self[key] = module


def pairs_of(given: Any, owner: str, plural: str) -> list[tuple[str, Any]]:
    """What an update is given, as pairs. Raises: TypeError or ValueError for what is none."""
    if not isinstance(given, Iterable):
        raise TypeError(
            f"{plural}.update should be called with an iterable of key/value pairs, but got "
            + type(given).__name__
        )
    if isinstance(given, Mapping) or hasattr(given, "items"):
        return list(given.items())  # type: ignore[union-attr]
    pairs = list(given)
    for i, pair in enumerate(pairs):
        if not isinstance(pair, Iterable):
            raise TypeError(
                f"{owner} update sequence element #{i} should be Iterable; is{type(pair).__name__}"
            )
        if len(pair) != 2:  # type: ignore[arg-type]
            raise ValueError(
                f"{owner} update sequence element #{i} has length {len(pair)}; 2 is required"  # type: ignore[arg-type]
            )
    return pairs  # type: ignore[return-value]

"""Containers of modules: a sequence, a list, a dictionary.

Read next: nn/parameter_containers.py
"""

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Self

from graphlab.nn.module import Module, indented


def place_at(index: Any, n: int) -> int:
    """Return the place of an index among n entries; a negative one counts from the end."""
    index = operator.index(index)
    if not -n <= index < n:
        raise IndexError(f"index {index} is out of range")
    return index % n


class Numbered(Module):
    """The base of Sequential and ModuleList, whose modules are named "0", "1", "2" and so on."""

    def _name_at(self, index: Any) -> str:
        """Return the name of the module at an index; a negative index counts from the end."""
        return list(self._modules)[place_at(index, len(self))]

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, self._name_at(index), module)

    def __delitem__(self, index: int | slice) -> None:
        names = list(self._modules)
        for name in names[index] if isinstance(index, slice) else [self._name_at(index)]:
            delattr(self, name)
        object.__setattr__(self, "_modules", {str(i): module for i, module in enumerate(self)})

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def append(self, module: Module) -> Self:
        """Add a module at the end, and return the container. module: Module.

        >>> import graphlab as torch
        >>> layers = torch.nn.ModuleList([torch.nn.ReLU()])
        >>> len(layers.append(torch.nn.Tanh()))
        2
        """
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> Self:
        """Add modules at the end, and return the container.

        modules: iterable of Module. Raises: TypeError if it is not iterable.

        >>> import graphlab as torch
        >>> layers = torch.nn.ModuleList([torch.nn.ReLU()])
        >>> len(layers.extend([torch.nn.Tanh(), torch.nn.ReLU()]))
        3
        """
        if not isinstance(modules, Iterable):
            raise TypeError(
                f"{self._get_name()}.extend should be called with an iterable, but got "
                + type(modules).__name__
            )
        for module in list(modules):
            self.append(module)
        return self

    def pop(self, key: int | slice) -> Any:
        """Remove a module and return it. key: int or slice.

        >>> import graphlab as torch
        >>> layers = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Tanh())
        >>> layers.pop(0), len(layers)
        (ReLU(), 1)
        """
        found = self[key]  # type: ignore[index]
        del self[key]
        return found

    def _insert(self, index: int, module: Module) -> None:
        modules = list(self)
        modules.insert(index, module)
        numbered = {str(i): one for i, one in enumerate(modules)}
        if not self._modules.keys() <= numbered.keys():
            raise KeyError(f"insert needs modules with the names 0, 1, ..., got {[*self._modules]}")
        self._modules.update(numbered)


class Sequential(Numbered):
    """Call modules one after the other, each with the output of the one before.

    args: modules, which get the names "0", "1" and so on; or one OrderedDict of names and modules.

    Shapes: that of the first module's input -> that of the last module's output.

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
        """Add a module before the one at an index, and return the container.

        index: int, in [-len, len]. module: Module.
        Raises: AssertionError if `module` is not a Module, IndexError for another index, KeyError
            if the modules have names instead of numbers.

        >>> import graphlab as torch
        >>> layers = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Tanh())
        >>> layers.insert(0, torch.nn.Sigmoid())[0]
        Sigmoid()
        """
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
    """Raise ValueError if `other` is not a Sequential."""
    if not isinstance(other, Sequential):
        raise ValueError(
            f"add operator supports only objects of Sequential class, but {type(other)} is given."
        )


def check_times(self: Sequential, times: Any) -> None:
    """Raise TypeError if `times` is not an int, ValueError if it is not positive."""
    if not isinstance(times, int):
        raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(times)}")
    if times <= 0:
        raise ValueError(f"Non-positive multiplication factor {times} for {type(self)}")


class ModuleList(Numbered):
    """A list of modules, which belong with their parameters to the model that has the list.

    The list cannot be called: the model's own `forward` calls the modules.

    modules: iterable of Module; default None, for an empty list.

    >>> import graphlab as torch
    >>> layers = torch.nn.ModuleList([torch.nn.Linear(2, 2) for _ in range(3)])
    >>> layers
    ModuleList(
      (0-2): 3 x Linear(in_features=2, out_features=2, bias=True)
    )
    >>> len(list(layers.parameters()))
    6
    """

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(list(self._modules.values())[index])
        return self._modules[self._name_at(index)]

    def insert(self, index: int, module: Module) -> None:
        """Add a module before the one at an index. index: int. module: Module.

        >>> import graphlab as torch
        >>> layers = torch.nn.ModuleList([torch.nn.ReLU()])
        >>> layers.insert(0, torch.nn.Tanh())
        >>> layers[0]
        Tanh()
        """
        self._insert(index, module)

    def __iadd__(self, modules: Iterable[Module]) -> Self:
        return self.extend(modules)

    def __add__(self, other: Iterable[Module]) -> "ModuleList":
        return ModuleList(chain(self, other))

    def __repr__(self) -> str:
        """Show equal modules that follow each other as one: (0-2): 3 x Linear(...)."""
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


class Keyed(Module):
    """The base of ModuleDict and ParameterDict: the methods of a dictionary, on `_table`."""

    _table: dict[str, Any]

    def __len__(self) -> int:
        return len(self._table)

    def __iter__(self) -> Iterator[str]:
        return iter(self._table)

    def __contains__(self, key: str) -> bool:
        return key in self._table

    def keys(self) -> Any:
        """Return the keys.

        >>> import graphlab as torch
        >>> layers = torch.nn.ModuleDict({"relu": torch.nn.ReLU()})
        >>> list(layers.keys())
        ['relu']
        """
        return self._table.keys()

    def clear(self) -> None:
        """Remove all entries.

        >>> import graphlab as torch
        >>> layers = torch.nn.ModuleDict({"relu": torch.nn.ReLU()})
        >>> layers.clear()
        >>> len(layers)
        0
        """
        for key in list(self._table):
            del self[key]  # type: ignore[attr-defined]

    def pop(self, key: str) -> Any:
        """Remove an entry and return its value. Raises: KeyError if there is none.

        >>> import graphlab as torch
        >>> layers = torch.nn.ModuleDict({"relu": torch.nn.ReLU()})
        >>> layers.pop("relu"), len(layers)
        (ReLU(), 0)
        """
        value = self[key]  # type: ignore[index]
        del self[key]  # type: ignore[attr-defined]
        return value


class ModuleDict(Keyed):
    """A dictionary of modules, which belong with their parameters to the model that has it.

    The dictionary cannot be called: the model's own `forward` calls the modules.

    modules: mapping, or iterable of pairs, of names and modules; default None, for an empty one.

    >>> import graphlab as torch
    >>> torch.nn.ModuleDict({"relu": torch.nn.ReLU(), "tanh": torch.nn.Tanh()})
    ModuleDict(
      (relu): ReLU()
      (tanh): Tanh()
    )
    """

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    @property
    def _table(self) -> dict[str, Any]:  # type: ignore[override]
        return self._modules

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def values(self) -> Any:
        """Return the modules.

        >>> import graphlab as torch
        >>> layers = torch.nn.ModuleDict({"relu": torch.nn.ReLU()})
        >>> list(layers.values())
        [ReLU()]
        """
        return self._modules.values()

    def items(self) -> Any:
        """Return the pairs (name, module).

        >>> import graphlab as torch
        >>> layers = torch.nn.ModuleDict({"relu": torch.nn.ReLU()})
        >>> list(layers.items())
        [('relu', ReLU())]
        """
        return self._modules.items()

    def update(self, modules: Any) -> None:
        """Add modules. modules: mapping, or iterable of pairs, of names and modules.

        >>> import graphlab as torch
        >>> layers = torch.nn.ModuleDict({"relu": torch.nn.ReLU()})
        >>> layers.update({"tanh": torch.nn.Tanh()})
        >>> list(layers)
        ['relu', 'tanh']
        """
        for key, module in pairs_of(modules, "ModuleDict", "ModuleDict"):
            self[key] = module


def pairs_of(given: Any, owner: str, plural: str) -> list[tuple[str, Any]]:
    """Return the argument of `update` as pairs. Raises: TypeError or ValueError for others."""
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
    return pairs

"""Containers of parameters: a list and a dictionary.

Read next: nn/init.py
"""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

from graphlab.nn.containers import Keyed, pairs_of, place_at
from graphlab.nn.module import Module
from graphlab.nn.parameter import Parameter
from graphlab.tensor.tensor import Tensor


def as_parameter(value: Any) -> Any:
    """Turn a tensor into a parameter; return anything else unchanged."""
    plain = isinstance(value, Tensor) and not isinstance(value, Parameter)
    return Parameter(value) if plain else value


def lines_of(pairs: Iterable[tuple[Any, Any]], typed: bool) -> str:
    """Return a line for each value: `  (0): Parameter containing: [torch.float32 of size 2x3]`."""
    lines = []
    for key, value in pairs:
        if isinstance(value, Tensor):
            kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
            size = "x".join(str(n) for n in value.shape)
            what = "torch." + value.dtype.legacy if typed else str(value.dtype)
            lines.append(f"  ({key}): {kind} containing: [{what} of size {size}]")
        else:
            lines.append(f"  ({key}): Object of type: {type(value).__name__}")
    return "\n".join(lines)


class ParameterList(Module):
    """A list of parameters, which belong to the model that has the list.

    A tensor becomes a parameter; any other value stays as it is.

    values: iterable of tensors or other values; default None, for an empty list.

    >>> import graphlab as torch
    >>> torch.nn.ParameterList([torch.ones(2), torch.zeros(3, 4)])
    ParameterList(
        (0): Parameter containing: [torch.float32 of size 2]
        (1): Parameter containing: [torch.float32 of size 3x4]
    )
    """

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def _name_at(self, index: Any) -> str:
        return str(place_at(index, len(self)))

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            chosen = type(self)()
            for i in range(*index.indices(len(self))):
                chosen.append(self[i])
            return chosen
        return getattr(self, self._name_at(index))

    def __setitem__(self, index: int, value: Any) -> None:
        setattr(self, self._name_at(index), as_parameter(value))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter([self[i] for i in range(len(self))])

    def __iadd__(self, values: Iterable[Any]) -> Self:
        return self.extend(values)

    def append(self, value: Any) -> Self:
        """Add a value at the end, and return the list.

        >>> import graphlab as torch
        >>> weights = torch.nn.ParameterList([torch.ones(1)])
        >>> len(weights.append(torch.zeros(1)))
        2
        """
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values: Iterable[Any]) -> Self:
        """Add values at the end. Raises: TypeError for a tensor, or if it is not iterable.

        >>> import graphlab as torch
        >>> weights = torch.nn.ParameterList([torch.ones(1)])
        >>> len(weights.extend([torch.zeros(1), torch.zeros(1)]))
        3
        """
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(
                "ParameterList.extend should be called with an iterable, but got "
                + type(values).__name__
            )
        for value in values:
            self.append(value)
        return self

    def extra_repr(self) -> str:
        return lines_of(enumerate(self), typed=False)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Keyed):
    """A dictionary of parameters, which belong to the model that has the dictionary.

    A tensor becomes a parameter; any other value stays as it is.

    parameters: mapping, or iterable of pairs, of names and tensors or other values; default None,
        for an empty one.

    >>> import graphlab as torch
    >>> torch.nn.ParameterDict({"scale": torch.ones(2), "shift": torch.zeros(2)})
    ParameterDict(
        (scale): Parameter containing: [torch.FloatTensor of size 2]
        (shift): Parameter containing: [torch.FloatTensor of size 2]
    )
    """

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._table = {}  # the keys, in order
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key: str) -> Any:
        return getattr(self, checked(key))

    def __setitem__(self, key: str, value: Any) -> None:
        checked(key)
        self._table[key] = None
        setattr(self, key, as_parameter(value))

    def __delitem__(self, key: str) -> None:
        del self._table[key]
        delattr(self, checked(key))

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._table)

    def copy(self) -> "ParameterDict":
        """Return a new dictionary with the same parameters.

        >>> import graphlab as torch
        >>> weights = torch.nn.ParameterDict({"gain": torch.ones(1)})
        >>> weights.copy()["gain"] is weights["gain"]
        True
        """
        return ParameterDict(OrderedDict(self.items()))

    def setdefault(self, key: str, default: Any = None) -> Any:
        """Return the value of a key; a key that is missing is added with the value `default`.

        >>> import graphlab as torch
        >>> weights = torch.nn.ParameterDict({"gain": torch.ones(1)})
        >>> weights.setdefault("rate", 0.5), "rate" in weights
        (0.5, True)
        """
        if key not in self:
            self[key] = default
        return self[key]

    def popitem(self) -> tuple[str, Any]:
        """Remove the last entry and return its key and value.

        >>> import graphlab as torch
        >>> weights = torch.nn.ParameterDict({"gain": torch.ones(1)})
        >>> weights.popitem()[0], len(weights)
        ('gain', 0)
        """
        key = next(reversed(self._table))
        return key, self.pop(key)

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value of a key, or `default` if there is none.

        >>> import graphlab as torch
        >>> weights = torch.nn.ParameterDict({"gain": torch.ones(1)})
        >>> weights.get("bias", "none")
        'none'
        """
        return getattr(self, key, default) if key in self._table else default

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> "ParameterDict":
        """Return a new dictionary with one value for all keys.

        >>> import graphlab as torch
        >>> weights = torch.nn.ParameterDict({"gain": torch.ones(1)})
        >>> list(weights.fromkeys(["a", "b"], torch.zeros(1)))
        ['a', 'b']
        """
        return ParameterDict((key, default) for key in keys)

    def values(self) -> Iterable[Any]:
        """Return the values.

        >>> import graphlab as torch
        >>> weights = torch.nn.ParameterDict({"gain": torch.ones(1)})
        >>> [value.shape for value in weights.values()]
        [torch.Size([1])]
        """
        return [self[key] for key in self._table]

    def items(self) -> Iterable[tuple[str, Any]]:
        """Return the pairs (key, value).

        >>> import graphlab as torch
        >>> weights = torch.nn.ParameterDict({"gain": torch.ones(1)})
        >>> [(key, value.shape) for key, value in weights.items()]
        [('gain', torch.Size([1]))]
        """
        return [(key, self[key]) for key in self._table]

    def update(self, parameters: Any) -> None:
        """Add values, as PyTorch does in the order of their keys unless it is an OrderedDict.

        parameters: mapping from names to values; or iterable of pairs, which stay in their order.

        >>> import graphlab as torch
        >>> weights = torch.nn.ParameterDict()
        >>> weights.update({"gain": torch.ones(1)})
        >>> list(weights)
        ['gain']
        """
        pairs = pairs_of(parameters, "ParameterDict", "ParametersDict")
        if isinstance(parameters, Mapping) and not isinstance(parameters, OrderedDict):
            pairs = sorted(pairs, key=lambda pair: pair[0])
        for key, value in pairs:
            self[key] = value

    def extra_repr(self) -> str:
        return lines_of(self.items(), typed=True)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("ParameterDict should not be called.")

    def __or__(self, other: "ParameterDict") -> "ParameterDict":
        both = self.copy()
        both.update(other)
        return both

    def __ior__(self, other: "ParameterDict") -> Self:
        self.update(other)
        return self


def checked(key: Any) -> str:
    """Return the key. Raises: TypeError if it is not a string."""
    if not isinstance(key, str):
        raise TypeError(
            "Index given to ParameterDict cannot be used as a key as it is not a string (type is "
            f"'{type(key).__name__}'). Open an issue on github if you need non-string keys."
        )
    return key

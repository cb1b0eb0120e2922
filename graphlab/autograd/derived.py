"""Names in a rule that stand for the shape of an input: `self_sym_sizes`, `self_sym_strides` ...

Their values are saved beside the options of a node, as in PyTorch.

Read next: autograd/record.py
"""

from collections.abc import Callable
from typing import Any

from graphlab.ops.base import Op


def derived_values(op: type[Op]) -> list[tuple[Any, Callable[[Any], Any]]]:
    """Return, for each derived name of an operation, an input's index and a function to read it."""
    if op.variadic:
        return [(slice(None), shapes)] * len(op.derived)
    return [derived_value(op, name) for name in op.derived]


def derived_value(op: type[Op], name: str) -> tuple[int, Callable[[Any], Any]]:
    """Return the index of an input, and the function that reads such a name from the input."""
    of, _, what = name.rpartition("_sym_")
    place = op.inputs.index(of)
    if what.startswith("argsize_"):  # the size of one dimension: argsize_0, argsize_minus_1
        axis = int(what.removeprefix("argsize_").replace("minus_", "-"))
        return place, lambda x: x._data.shape[axis]
    return place, READERS[what]


def shapes(inputs: tuple[Any, ...]) -> tuple[tuple[int, ...], ...]:
    """Return the shapes of all inputs."""
    return tuple([x._data.shape for x in inputs])


def sizes(x: Any) -> tuple[int, ...]:
    """Return the shape; (0,) for a missing bias, as PyTorch shows it."""
    return (0,) if x is None else x._data.shape


def numel(x: Any) -> int:
    """Return the number of entries."""
    return int(x._data.size)


def strides(x: Any) -> tuple[int, ...]:
    """Return the strides, in entries; () for an input that needs no gradient, as in PyTorch."""
    if not x._needs:
        return ()
    data = x._data
    n = data.itemsize
    if data.ndim == 2:
        rows, columns = data.strides
        return (rows // n, columns // n)
    return tuple([step // n for step in data.strides])


READERS: dict[str, Callable[[Any], Any]] = {
    "sizes": sizes, "sizes_opt": sizes, "numel": numel, "strides": strides,
}  # fmt: skip

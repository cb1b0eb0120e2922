"""What a rule reads of the shape of an input: `self_sym_sizes`, `self_sym_strides` and others.

PyTorch keeps these names beside the options of a node.

Read next: autograd/record.py
"""

from collections.abc import Callable
from typing import Any

from graphlab.ops.base import Op


def derived_values(op: type[Op]) -> list[Callable[[tuple[Any, ...]], Any]]:
    """Return, for each derived name of an operation, the function of its inputs."""
    return [derived_value(op, name) for name in op.derived]


def derived_value(op: type[Op], name: str) -> Callable[[tuple[Any, ...]], Any]:
    """Return the function (inputs) -> value of a name such as `self_sym_sizes`."""
    of, _, what = name.rpartition("_sym_")
    if op.variadic:
        return lambda inputs: tuple([x._data.shape for x in inputs])
    place = op.inputs.index(of)
    axis = 0
    if what.startswith("argsize_"):  # the size of one dimension: argsize_0, argsize_minus_1
        axis, what = int(what.removeprefix("argsize_").replace("minus_", "-")), "argsize"

    def value(inputs: tuple[Any, ...]) -> Any:
        given = inputs[place]
        if given is None:
            return (0,)  # what PyTorch shows for the sizes of a bias that is not there
        x = given._data
        if what == "strides":  # PyTorch keeps them for the rule of this input only
            return strides_of(x) if given._needs else ()
        if what == "argsize":
            return x.shape[axis]
        return int(x.size) if what == "numel" else x.shape

    return value


def strides_of(x: Any) -> tuple[int, ...]:
    """Return the distance between neighbours along each dimension, in entries."""
    n = x.itemsize
    if x.ndim == 2:
        rows, columns = x.strides
        return (rows // n, columns // n)
    return tuple([step // n for step in x.strides])

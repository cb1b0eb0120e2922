"""Checks of arguments, with PyTorch's error messages.

Read next: tensor/functions/dims.py
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from graphlab.common.dtypes import find
from graphlab.common.errors import named_kind
from graphlab.tensor.functions.refusals import MOST, reordered, sentence
from graphlab.tensor.tensor import Tensor

C_NAMES = {
    "bool": "Bool", "uint8": "Byte", "int8": "Char", "int16": "Short", "int32": "Int",
    "int64": "Long", "float16": "Half", "float32": "Float", "float64": "Double",
}  # fmt: skip


C_TYPES = {
    "bool": "bool", "uint8": "unsigned char", "int8": "signed char", "int16": "short int",
    "int32": "int", "int64": "long int", "float16": "c10::Half", "float32": "float",
    "float64": "double",
}  # fmt: skip


def c_name(tensor: Tensor) -> str:
    """Return the type of the entries as C++ calls it: "long int"."""
    return C_TYPES[tensor.dtype.name]


def type_name(data: Any) -> str:
    """Return the type of raw data or of a tensor as PyTorch's C++ calls it: "Float", "Long"."""
    kind = data._data.dtype if isinstance(data, Tensor) else np.asarray(data).dtype
    return C_NAMES[find(kind).name]


def no_cast(source: Tensor, target: Tensor) -> RuntimeError:
    """Return the error for entries of a type that another tensor cannot hold."""
    return RuntimeError(
        f"result type {type_name(source)} can't be cast to the desired output type "
        f"{type_name(target)}"
    )


def need_tensor(function: str, argument: str, position: int, x: Any) -> None:
    """Raise TypeError unless `x` is a tensor."""
    if not isinstance(x, Tensor):
        raise TypeError(
            f"{function}(): argument '{argument}' (position {position}) must be Tensor, not "
            f"{named_kind(x)}"
        )


def only_tensors(given: Any) -> None:
    """Raise TypeError unless all elements of a first argument are tensors."""
    for i, x in enumerate(given):
        if not isinstance(x, Tensor):
            raise TypeError(
                f"expected Tensor as element {i} in argument 0, but got {named_kind(x)}"
            )


def need_ints(
    function: str, argument: str, position: int, given: Any, one: bool = False
) -> tuple[int, ...]:
    """Return a sequence of ints or, with `one`, a single int. Raises: TypeError for others."""
    if one and isinstance(given, int | np.integer) and not isinstance(given, bool):
        return (int(given),)
    said = f"{function}(): argument '{argument}' (position {position}) must be tuple of ints"
    if not isinstance(given, tuple | list):
        raise TypeError(f"{said}, not {type(given).__name__}")
    for place, each in enumerate(given):
        if not isinstance(each, int | np.integer):
            kind = type(each).__name__
            raise TypeError(f"{said}, but found element of type {kind} at pos {place}")
    return tuple(map(int, given))


def answered(function: Callable[..., Any], first: int = 1) -> Callable[..., Any]:
    """Return the public form of an operator's function: it raises TypeError for NotImplemented.

    Other errors become those of `in_words`. first: the position of the first argument.
    """
    most = MOST.get(function.__name__)

    @wraps(function)
    def call(*operands: Any, **options: Any) -> Any:
        if most is not None and len(operands) > most:
            operands, options = reordered(function.__name__, operands, options)
        try:
            result = function(*operands, **options)
        except Exception as error:
            found = sentence(function, operands, options, error, first)
            if found is None:
                raise
            raise found from None
        if result is NotImplemented:
            raise TypeError(
                f"{function.__name__}(): argument 'other' (position {first + 1}) must be Tensor, "
                f"not {named_kind(operands[-1])}"
            )
        return result

    call.in_words = True  # type: ignore[attr-defined]
    return call


def of_tensors(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that takes only tensors, no number as its second argument."""

    @wraps(function)
    def call(input: Tensor, other: Tensor) -> Tensor:
        if not isinstance(other, Tensor):
            need_tensor(function.__name__, "other", 2, other)
        return function(input, other)

    return call


def need_floats(kernel: str, x: Tensor) -> None:
    """Raise NotImplementedError, with the name of PyTorch's kernel, for a tensor of other types."""
    if x._data.dtype.kind != "f":
        raise not_for(kernel, x)


def check_vector(function: str, argument: str, x: Tensor) -> None:
    """Raise RuntimeError unless a tensor has one dimension."""
    if x.ndim != 1:
        raise RuntimeError(f"{function}: Expected 1-D argument {argument}, but got {x.ndim}-D")


def check_types(a: Tensor, b: Tensor) -> None:
    """Raise RuntimeError for two types."""
    if a._data.dtype != b._data.dtype:
        raise RuntimeError(f"expected scalar type {type_name(a)} but found {type_name(b)}")


def check_long(x: Tensor) -> None:
    """Raise RuntimeError unless the entries, such as numbers of classes, are int64."""
    if x._data.dtype != np.int64:
        raise RuntimeError(f"expected scalar type Long but found {type_name(x)}")


def check_long_index(function: str, index: Tensor) -> None:
    """Raise RuntimeError unless an index is int64."""
    if index._data.dtype != np.int64:
        raise RuntimeError(
            f"{function}(): Expected a long tensor for index, but got {type_name(index)}"
        )


def not_for(kernel: str, data: Any) -> NotImplementedError:
    """Return the error for a type of entries that a function cannot work on."""
    return NotImplementedError(f"\"{kernel}\" not implemented for '{type_name(data)}'")

"""Checks of arguments and of dimensions, with PyTorch's error messages.

Read next: tensor/functions/refusals.py
"""

import operator
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import numpy as np

from graphlab.autograd.operands import broadcast_error
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


Dim = int | Sequence[int] | None


def one_dim(dim: int, ndim: int) -> int:
    """Return a dimension counted from the front. Raises: IndexError when out of range."""
    if type(dim) is not int:
        dim = as_int(dim)
    size = ndim or 1  # a 0-d tensor may be reduced over dim 0
    low, high = -size, size - 1
    if not low <= dim <= high:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{low}, {high}], but got {dim})"
        )
    return dim % size


def some_dim(dim: int, ndim: int) -> int:
    """Return a dimension counted from the front. Raises: IndexError also when there is none."""
    if ndim == 0:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return one_dim(dim, ndim)


def as_int(dim: Any) -> int:
    """Return a dimension given as a 0-d tensor or NumPy number. Raises: TypeError for others."""
    if isinstance(dim, bool) or not hasattr(dim, "__index__"):
        raise TypeError(f"argument 'dim' must be int, not {type(dim).__name__}")
    return operator.index(dim)


def given_dim(dim: int, ndim: int) -> int:
    """Check a dimension and return it as it was given, in which form the node saves it."""
    one_dim(dim, ndim)
    return dim if type(dim) is int else as_int(dim)


def given_dims(dim: Dim, ndim: int) -> tuple[int, ...]:
    """Check the dimensions of a reduction and return them as given; None means all."""
    if dim is None:
        return tuple(range(ndim))
    if type(dim) is int:
        given = (dim,)
    else:
        given = tuple(dim) if isinstance(dim, tuple | list) else (as_int(dim),)
    seen = [one_dim(d, ndim) for d in given]
    if len(set(seen)) < len(seen):
        twice = next(d for i, d in enumerate(seen) if d in seen[:i])
        raise RuntimeError(f"dim {twice} appears multiple times in the list of dims")
    return given


def all_or_given(dim: Dim, ndim: int) -> tuple[int, ...]:
    """Return the dimensions of a reduction; an empty tuple means all."""
    return given_dims(dim, ndim) or tuple(range(ndim))


NO_DIM: Any = ...  # no dim was given; an explicit None means all
OF_TYPE, OUT = "*, torch.dtype dtype = None", "Tensor out = None"
DIMS = "Tensor input, tuple of ints dim, bool keepdim = False"
DIM = "Tensor input, int dim, bool keepdim = False"
EXTREME = (
    f"Tensor input, *, {OUT}",
    f"Tensor input, Tensor other, *, {OUT}",
    f"{DIM}, *, tuple of Tensors out = None",
)
FORMS = {  # the types of a reduction's `dim`
    "sum": (f"Tensor input, {OF_TYPE}", f"{DIMS}, {OF_TYPE}, {OUT}"),
    "mean": (f"Tensor input, {OF_TYPE}, {OUT}", f"{DIMS}, {OF_TYPE}, {OUT}"),
    "prod": (f"Tensor input, {OF_TYPE}", f"{DIM}, {OF_TYPE}, {OUT}"),
    "max": EXTREME,
    "min": EXTREME,
}


def need_flag(name: str, keepdim: Any) -> None:
    """Raise TypeError unless `keepdim` is a bool: sum(0, 1) does not mean two dimensions."""
    if not isinstance(keepdim, bool | np.bool_):
        kind = named_kind(keepdim)
        raise TypeError(f"{name}(): argument 'keepdim' (position 2) must be bool, not {kind}")


def without_dim(name: str, keepdim: bool) -> None:
    """Raise TypeError for keepdim=True where no dim is given."""
    if not keepdim:
        return
    if name not in FORMS:
        raise TypeError(f'{name}() missing 1 required positional arguments: "dim"')
    forms = "".join(f" * ({form})\n" for form in FORMS[name])
    raise TypeError(
        f"{name}() received an invalid combination of arguments - got (Tensor, keepdim=bool), but "
        f"expected one of:\n{forms}"
    )


def outside(indices: Any, low: int, size: int) -> np.ndarray:
    """Return the indices that are below `low` (0 or -size) or not below `size`."""
    array = np.asarray(getattr(indices, "every", indices))  # vmap: of all examples
    largest = size
    if array.dtype.kind == "i" and array.itemsize == 8 and array.size:
        largest = np.maximum.reduce(array.view(np.uint64), None)  # negative numbers become large
    return np.empty(0) if largest < size else array[(array < low) | (array >= size)]


def size_along(x: Any, dim: int) -> int:
    """Return the size of one dimension, 1 for a 0-d tensor."""
    return x.shape[dim] if x.ndim else 1


def dims_of(dim: Dim, ndim: int) -> tuple[int, ...]:
    """Return the dimensions of a reduction, counted from the front; None means all."""
    if dim is None:
        return tuple(range(ndim))
    found = tuple(one_dim(d, ndim) for d in given_dims(dim, ndim))
    return found if ndim else ()


def joined_shape(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape that shapes broadcast to. Raises: ShapeError if there is none.

    >>> joined_shape((2, 1), (3,))
    (2, 3)
    """
    whole: tuple[int, ...] = ()
    for shape in map(tuple, shapes):
        if not whole or shape == whole:  # the usual case
            whole = shape
            continue
        if error := broadcast_error(whole, shape):
            raise error
        whole = np.broadcast_shapes(whole, shape)
    return whole


def can_fit(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    """Return whether a shape can be broadcast to another."""
    try:
        return np.broadcast_shapes(shape, target) == target
    except ValueError:
        return False

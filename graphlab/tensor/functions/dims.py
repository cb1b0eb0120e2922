"""Count dimensions from the front, and check them, with PyTorch's error messages.

Read next: tensor/functions/pointwise.py
"""

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from graphlab.autograd.operands import broadcast_error
from graphlab.common.errors import named_kind

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

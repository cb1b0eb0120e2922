"""What an operation accepts and how its forward runs: types, shapes and PyTorch's errors.

Inputs of several types are promoted to their common type, as PyTorch does it: a Python number
takes the kind of the tensor beside it.

A rule may name the shape of an input: `self_sym_sizes`, `self_sym_strides` ... The values of such
names are saved beside the options of a node, as in PyTorch.

The forward of an operation is `Op.forward` itself, or that with a step around it, as in PyTorch:

- `wide = True`: float16 is computed in float32. A formula of several steps may overflow in between,
  or lose all digits, although its result fits: the largest float16 is 65504.
- `images = 1`: a result lies in memory as the images that it is made of do.

Read next: autograd/engine.py
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from graphlab.common.dtypes import NO_COMPLEX, common, find, get_default_dtype, is_array, too_large
from graphlab.common.errors import ONE_LIBRARY, ShapeError, named_kind
from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.elementary import channels_last
from graphlab.tensor.tensor import Tensor, wrap


def is_operand(x: Any) -> bool:
    """Return whether `x` may stand beside a tensor: a number, or a NumPy scalar or array.

    Raises: TypeError for complex numbers, and for tensors of PyTorch's.
    """
    if type(x) in (Tensor, float, int):
        return True
    if isinstance(x, complex):
        raise TypeError(NO_COMPLEX)
    if isinstance(x, Tensor | int | float | np.generic | np.ndarray):
        return True
    if ONE_LIBRARY in (kind := named_kind(x)):
        raise TypeError(f"GraphLab's operators do not take a {kind}")
    return False


def operand(x: Any) -> Any:
    """Return an operand: NumPy's scalars become Python numbers, arrays become tensors."""
    if isinstance(x, np.generic):
        return x.item()
    return wrap(x, False, None) if isinstance(x, np.ndarray) else x


def check_first(op: type[Op], inputs: tuple[Any, ...]) -> None:
    """Raise TypeError unless the first input is a tensor; in arithmetic it may be a number."""
    first = inputs[0]
    if op.name in ("add", "sub", "mul", "div") and isinstance(first, int | float):
        return
    raise TypeError(
        f"{op.name}(): argument 'input' (position 1) must be Tensor, not {named_kind(first)}"
    )


def check_types(op: type[Op], data: list[Any]) -> None:
    """Raise RuntimeError where bools are refused; NotImplementedError for other kinds."""
    if op.no_bool:
        bools = [type(x) is bool or getattr(x, "dtype", None) == np.bool_ for x in data]
        if any(bools):
            raise RuntimeError((all(bools) and op.no_bools) or op.no_bool)
    if op.kernel:
        check_kind(op, data)


def check_kind(op: type[Op], data: list[Any]) -> None:
    """Raise NotImplementedError, in PyTorch's words, for entries of another kind."""
    kernel, _, kinds = op.kernel.partition(":")
    kind = common([x for x in data if x is not None])
    if kind.kind not in kinds:
        name = find(kind).legacy.removesuffix("Tensor")
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{name}'")


def promote(op: type[Op], data: list[Any]) -> list[Any]:
    """Convert the inputs to one type, numbers too, but for those that float16 would round."""
    mask = data[0] if op.inputs[0] == "condition" else None  # of any type
    kinds = {getattr(x, "dtype", None) for x in (data if mask is None else data[1:])}
    if len(kinds) == 1 and op.types == "promote" and None not in kinds:
        return data
    present = [x for x in data if not (x is None or type(x) is bool or x is mask)]
    if not present:
        return data
    target = common(present)
    if op.types == "float" and target.kind != "f":
        target = get_default_dtype().numpy
    stay = (bool, int, float) if op.wide and target.itemsize == 2 else (bool,)
    return [x if x is None or type(x) in stay or x is mask else _cast(x, target) for x in data]


def _cast(x: Any, target: np.dtype) -> Any:
    if is_array(x):
        return x if x.dtype == target else x.astype(target)
    if not isinstance(x, int | float):
        raise TypeError(f"a formula of GraphLab's does not take a {named_kind(x)}")
    if target.kind in "iu":
        return wrapped(int(x)).astype(target)  # an int: a float would make floats of them
    if target.itemsize == 2 and not -6e4 < x < 6e4:
        with np.errstate(over="ignore"):
            return target.type(x)
    return target.type(x)


def wrapped(number: int) -> np.int64:
    """Return an integer as int64, to be cast further. Raises: `too_large` beyond 64 bits."""
    if not -(1 << 63) <= number < 1 << 63:
        raise too_large(number, np.dtype(np.int64))
    return np.int64(number)


def shape_error(op: type[Op], data: Sequence[Any], error: ValueError) -> Exception:
    """Return PyTorch's error for shapes that do not fit, or NumPy's where PyTorch has none."""
    shapes = [np.shape(x) for x in data if x is not None]
    if op.pointwise and len(shapes) > 1:
        for a, b in combinations(shapes, 2):
            if found := broadcast_error(a, b):
                return found
    return ShapeError(f"{op.name}: {error} (shapes {', '.join(str(list(s)) for s in shapes)})")


def broadcast_error(a: tuple[int, ...], b: tuple[int, ...]) -> ShapeError | None:
    """Return PyTorch's error for two shapes that do not fit; None when they do."""
    for back in range(1, min(len(a), len(b)) + 1):
        if a[-back] != b[-back] and 1 not in (a[-back], b[-back]):
            return ShapeError(
                f"The size of tensor a ({a[-back]}) must match the size of tensor b "
                f"({b[-back]}) at non-singleton dimension {max(len(a), len(b)) - back}"
            )
    return None


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

HALF, SINGLE = np.dtype(np.float16), np.dtype(np.float32)


def forward_of(op: type[Op]) -> Callable[..., Any]:
    """Return the forward of an operation, which takes and gives raw data."""
    forward = in_single(op.forward) if op.wide else op.forward
    return laid_out(forward, op.images) if op.images else forward


def laid_out(forward: Callable[..., Any], images: int) -> Callable[..., Any]:
    """Return the function whose results have their channels last in memory if an image has."""

    def call(*data: Any, **options: Any) -> Any:
        found = forward(*data, **options)
        last = any(map(channels_last, data[:images]))
        results = tuple(rows(x, last) for x in (found if type(found) is tuple else (found,)))
        return results if type(found) is tuple else results[0]

    return call


def rows(x: Any, last: bool) -> Any:
    """Return an array that lies row by row in memory, images with their channels `last` if so."""
    if last and x.ndim > 3:
        return np.moveaxis(rows(np.moveaxis(x, 1, -1), False), -1, 1)
    return x if x.flags.c_contiguous else x.copy()


def in_single(forward: Callable[..., Any]) -> Callable[..., Any]:
    """Return the forward that computes in float32 what it gets in float16."""

    def call(*data: Any, **options: Any) -> Any:
        if getattr(data[0], "dtype", None) is SINGLE:  # the usual case
            return forward(*data, **options)
        kinds = {x.dtype for x in data if getattr(getattr(x, "dtype", None), "kind", "") == "f"}
        if kinds != {HALF}:
            return forward(*data, **options)
        result = forward(*widened(data), **options)
        return narrowed(result) if isinstance(result, tuple) else narrowed((result,))[0]

    return call


def widened(values: Iterable[Any]) -> tuple[Any, ...]:
    """Return the values with float16 as float32."""
    return tuple([x.astype(SINGLE) if getattr(x, "dtype", None) == HALF else x for x in values])


def narrowed(values: Iterable[Any]) -> tuple[Any, ...]:
    """Return the values with float32 as float16."""
    return tuple([x.astype(HALF) if getattr(x, "dtype", None) == SINGLE else x for x in values])

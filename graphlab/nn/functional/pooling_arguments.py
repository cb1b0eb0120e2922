"""Checks of the arguments of poolings: the sizes of the windows, and whether they fit the input.

Families are functions that differ only in the number of dimensions, such as conv1d and conv2d. A
factory makes each of them from `dims`; `named` gives it its name and its docstring.

Read next: nn/functional/pooling.py
"""

from collections.abc import Callable, Sequence
from typing import Any

from graphlab.common.errors import ShapeError
from graphlab.primitives.numpy_reading.pooling import pool_places
from graphlab.tensor.functions.checks import need_ints, need_tensor
from graphlab.tensor.tensor import Tensor

Sizes = tuple[int, ...]
Given = int | Sequence[int]

POSITIONS = {"kernel_size": 2, "stride": 3, "padding": 4, "dilation": 5}
COUNT = {1: "one", 2: "two", 3: "three"}


def sizes_of(function: str, name: str, given: Any, dims: int) -> Sizes:
    """Return one number for each dimension; an int stands for all, and () means no stride.

    Raises: RuntimeError for another count.
    """
    if name == "stride" and not given and given != 0:  # None or ()
        return ()
    each = need_ints(function, name, POSITIONS[name], given, one=True)
    if len(each) not in (1, dims):
        either = "" if function == "avg_pool3d" else "either "
        omitted = "omitted, " if name == "stride" else ""
        ints = f"a single int, or a tuple of {COUNT[dims]} ints"
        raise RuntimeError(f"{function}: {name} must {either}be {omitted}{ints}")
    return each * dims if len(each) == 1 else each


def single_int(function: str, name: str, given: Any) -> int:
    """Return an option of a pooling over one dimension. Raises: RuntimeError for several ints."""
    each = need_ints(function, name, POSITIONS.get(name, 2), given, one=True)
    if len(each) != 1:
        raise RuntimeError(
            f"{function}() argument '{name}' should contain one int (got {len(each)})"
        )
    return each[0]


def step_of(function: str, stride: Any, kernel: int) -> int:
    """Return the stride of a pooling over one dimension: the size of the window for None or ()."""
    given = stride or stride == 0
    return single_int(function, "stride", stride) if given else kernel


def check_fits(input: Tensor, kernel: Sizes) -> None:
    """Raise ShapeError for a window that is larger than the volume, whatever the padding."""
    volume = input.shape[-3:]
    if any(n < k for n, k in zip(volume, kernel, strict=True)):
        raise ShapeError(
            f"input image ({lettered('', volume)}) smaller than kernel size "
            f"({lettered('k', kernel)})"
        )


def lettered(prefix: str, sizes: Sizes) -> str:
    """Return the sizes behind their letters: "kH: 2 kW: 3"."""
    pairs = zip("THW"[-len(sizes) :], sizes, strict=True)
    return " ".join(f"{prefix}{letter}: {n}" for letter, n in pairs)


def check_image(input: Tensor, dims: int) -> None:
    """Raise ShapeError unless the input is (N, C, *S) or (C, *S), with `dims` sizes S > 0."""
    shape = list(input.shape)
    if input.ndim not in (dims + 1, dims + 2):
        raise ShapeError(
            f"non-empty {dims + 1}D or {dims + 2}D (batch mode) tensor expected for input"
        )
    if 0 in shape[input.ndim == dims + 2 :]:
        raise ShapeError(
            f"Expected {dims + 1}D or {dims + 2}D (batch mode) tensor with optional 0 dim batch "
            f"size for input, but got:{shape}"
        )


def check_window(
    input: Tensor, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: bool
) -> None:
    """Raise RuntimeError for options out of their range, ShapeError if no window fits."""
    if 0 in stride:
        raise RuntimeError("stride should not be zero")
    for name, given in {"dilation": dilation, "kernel size": kernel, "stride": stride}.items():
        if min(given) <= 0:
            values = lettered({"kernel size": "k", "stride": "d"}.get(name, name), given)
            raise RuntimeError(f"{name} should be greater than zero, but got {values}")
    for p, k, d in zip(padding, kernel, dilation, strict=True):
        if p < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {p}")
        if p > (d * (k - 1) + 1) // 2:
            raise RuntimeError(
                f"pad should be at most half of effective kernel size, but got pad={p}, "
                f"kernel_size={k} and dilation={d}"
            )
    dims = len(kernel)
    image = tuple(input.shape[-dims:])
    places = pool_places(image, kernel, stride, padding, dilation, ceil_mode)
    if min(places) < 1:
        channels = input.shape[-dims - 1]
        sizes = "x".join(map(str, (channels, *image)))
        result = "x".join(map(str, (channels, *(max(m, 0) for m in places))))
        raise ShapeError(
            f"Given input size: ({sizes}). Calculated output size: ({result}). Output size is too "
            "small"
        )


def check_row(input: Tensor, name: str) -> None:
    """Raise ShapeError unless the input is (N, C, L) or (C, L)."""
    need_tensor(name, "input", 1, input)
    shape = list(input.shape)
    if input.ndim not in (2, 3) or 0 in shape[input.ndim == 3 :]:
        raise ShapeError(
            f"{name}: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for "
            f"input, but got:{shape}"
        )


def check_dims(input: Tensor, name: str) -> None:
    """Raise RuntimeError unless the input has two or three dimensions."""
    need_tensor(name, "input", 1, input)
    if input.ndim not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {input.ndim}-dimensional tensor for argument #1 "
            f"'self' (while checking arguments for {name})"
        )


KINDS = {1: "a sequence", 2: "an image", 3: "a volume"}
IMAGES = {
    1: "(N, C, L) or (C, L)",
    2: "(N, C, H, W) or (C, H, W)",
    3: "(N, C, D, H, W) or (C, D, H, W)",
}


def named(name: str, docstring: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with a name and a docstring of its own."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = docstring
    return function

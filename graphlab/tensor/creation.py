"""Make tensors from numbers, lists and arrays, or from a shape alone.

Read next: tensor/functions/__init__.py
"""

import warnings
from typing import Any

import numpy as np
from numpy import array

from graphlab.autograd.decisions import came_from
from graphlab.common.devices import check_device, contiguous_format, preserve_format
from graphlab.common.dtypes import (
    NO_COMPLEX,
    bool_,
    dtype,
    get_default_dtype,
    int64,
    named,
    number_as,
)
from graphlab.common.dtypes import _default as default
from graphlab.common.errors import named_kind, users_level
from graphlab.common.public import public
from graphlab.tensor.tensor import Tensor, wrap

COPY = (
    "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
    "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor)."
)
READ_ONLY = (
    "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. "
    "This means writing to this tensor will result in undefined behavior. You may want to copy the "
    "array to protect its data or make it writable before converting it to a tensor. This type of "
    "warning will be suppressed for the rest of this program."
)


def check_requires_grad(given: Any) -> None:
    """Raise TypeError unless `given` is True, False or None."""
    if given is not None and not isinstance(given, bool):
        raise TypeError(f"argument 'requires_grad' must be bool, not {type(given).__name__}")


def make(data: Any, requires_grad: bool) -> Tensor:
    """Return a leaf around an array; 0-d data becomes a scalar."""
    check_requires_grad(requires_grad)
    if requires_grad and data.dtype.kind != "f":
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    return wrap(data if data.ndim else data[()], requires_grad, None)


@public()
def tensor(
    data: Any,
    *,
    dtype: dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Return a tensor with a copy of `data`: a number, nested lists or an array.

    dtype: the type, inferred when None. requires_grad: whether operations on it are recorded.
    device: "cpu" or None; GraphLab computes on the CPU only. pin_memory: without effect.
    Raises: ValueError for ragged lists, TypeError or RuntimeError for entries that are not numbers,
    AssertionError or RuntimeError for another device.

    >>> torch.tensor([[1, 2], [3, 4]])
    tensor([[1, 2],
            [3, 4]])
    """
    if dtype is None and device is None and (requires_grad is True or requires_grad is False):
        if type(data) is list:  # the usual case in lessons
            for x in data:
                if type(x) is not float or not -3e38 < x < 3e38:
                    break
            else:
                if data:
                    return wrap(array(data, default[0].numpy), requires_grad, None)
        elif type(data) is float and -6e4 < data < 6e4:
            return wrap(default[0].one * data, requires_grad, None)
    check_device(device)
    if not isinstance(requires_grad, bool):
        kind = type(requires_grad).__name__
        raise TypeError(f"tensor(): argument 'requires_grad' must be bool, not {kind}")
    if isinstance(data, Tensor):
        warnings.warn(COPY, UserWarning, stacklevel=users_level())
        return came_from(make(to_array(np.array(data._data), dtype), requires_grad), (data,))
    return make(to_array(data, dtype), requires_grad)


HARMLESS = {"layout", "pin_memory", "memory_format", "device", "dtype"}


def harmless(name: str, given: dict[str, Any]) -> None:
    """Accept options that have no effect here. Raises: TypeError for any others."""
    for option in given:
        if option not in HARMLESS:
            raise TypeError(f"{name}() got an unexpected keyword argument '{option}'")
    check_device(given.get("device"))
    if given.get("dtype") is not None:
        named(name, given["dtype"])


def to_array(data: Any, kind: Any) -> np.ndarray:
    """Return a new array of `data`, of the type that PyTorch would infer unless `kind` is given."""
    kind = None if kind is None else named("tensor", kind)
    from graphlab.tensor.nested import check_array, from_lists  # not needed for plain numbers

    if isinstance(data, np.ndarray):
        check_array(data)
        return data.copy() if kind is None else data.astype(kind.numpy)
    return from_lists(data, None if kind is None else kind.numpy)


@public()
def as_tensor(data: Any, dtype: dtype | None = None, device: Any = None) -> Tensor:
    """Return a tensor that shares the memory of `data` if possible, else a copy.

    data: a tensor, an array, a number or nested lists. dtype: the type, inferred when None.

    >>> torch.as_tensor([1, 2])
    tensor([1, 2])
    """
    check_device(device)
    if isinstance(data, Tensor):
        return data if dtype is None else data.to(dtype)
    if isinstance(data, np.ndarray) and (dtype is None or dtype.numpy == data.dtype):
        return from_numpy(data)
    return tensor(data, dtype=dtype)


@public()
def asarray(
    obj: Any,
    *,
    dtype: dtype | None = None,
    device: Any = None,
    copy: bool | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return `obj` as a tensor, in the memory of `obj` if possible.

    obj: a tensor, an array, a number or nested lists. dtype: the type, inferred when None.
    copy: True always copies, False never does, None copies only if needed.
    requires_grad: whether operations on the result are recorded.
    Raises: ValueError when `copy` is False and a copy is needed.

    >>> torch.asarray([1.0, 2.0])
    tensor([1., 2.])
    """
    check_requires_grad(requires_grad)
    made = as_tensor(obj, dtype, device)
    shared = made is obj or (isinstance(obj, np.ndarray) and made._data is obj)
    if copy is False and not shared:
        raise ValueError("can't alias arbitrary sequence into a tensor.")
    if copy and shared:
        made = made.clone()
    return made.requires_grad_() if requires_grad else made


@public()
def from_numpy(ndarray: np.ndarray) -> Tensor:
    """Return a tensor that shares the memory of an array. ndarray: (...) -> (...).

    Raises: TypeError for anything but an array and for types that PyTorch lacks; ValueError for
    negative strides and for foreign byte order.

    >>> import numpy as np
    >>> torch.from_numpy(np.array([1, 2]))
    tensor([1, 2])
    """
    if not isinstance(ndarray, np.ndarray):
        kind = type(ndarray)
        home = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
        raise TypeError(f"expected np.ndarray (got {home}{kind.__name__})")
    from graphlab.tensor.nested import check_array

    check_array(ndarray)
    if not ndarray.flags.writeable:
        warnings.warn(READ_ONLY, UserWarning, stacklevel=users_level())
    if ndarray.base is not None:  # the tensor's memory begins where the array begins
        ndarray = np.asarray(ndarray.data)
    return wrap(ndarray, False, None)


def size_from(
    given: tuple[Any, ...], named: Any = None, of: tuple[str, str] = ("view", "size")
) -> tuple[int, ...]:
    """Return the size of `view(2, 3)`, `view((2, 3))` or `view(size=(2, 3))`.

    of: the function and its argument, for the error. Raises: TypeError for anything but ints.
    """
    if named is not None:
        given = (named,)
    if not given:
        raise TypeError(f'{of[0]}() missing 1 required positional arguments: "{of[1]}"')
    if len(given) == 1 and isinstance(given[0], list | tuple):
        given = tuple(given[0])
    if all([type(n) is int for n in given]):  # the usual case
        return given
    for n in given:
        if isinstance(n, bool) or not hasattr(n, "__index__"):
            raise TypeError(
                f"{of[0]}(): argument '{of[1]}' (position 1) must be tuple of ints, not "
                f"{type(n).__name__}"
            )
    return tuple(map(int, given))


def shape_of(size: tuple[Any, ...], name: str = "zeros") -> tuple[int, ...]:
    """Return a shape given as ints, `zeros(2, 3)`, or as one tuple, `zeros((2, 3))`.

    Raises: TypeError when an entry is not an integer, RuntimeError when it is negative.
    """
    shape = size_from(size, None, (name, "size"))
    for n in shape:
        if n < 0:
            raise RuntimeError(
                "zeros: Dimension size must be non-negative."
                if name == "zeros"
                else f"Trying to create tensor with negative dimension {n}: {list(shape)}"
            )
    return shape


@public(out=True)
def full(
    size: Any,
    fill_value: Any,
    *,
    dtype: dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
    **ignored: Any,
) -> Tensor:
    """Return a tensor of shape `size` filled with `fill_value`.

    size: a tuple of ints. dtype: the type, that of `fill_value` when None.
    requires_grad: whether to record operations on it. ignored: options without effect, e.g. layout.

    >>> torch.full((2,), 7.0)
    tensor([7., 7.])
    """
    harmless("full", {**ignored, "device": device, "dtype": dtype})
    if isinstance(size, int):
        raise TypeError("full(): argument 'size' (position 1) must be tuple of ints, not int")
    if isinstance(fill_value, Tensor):
        dtype, fill_value = dtype or fill_value.dtype, fill_value.item()
    if isinstance(fill_value, complex):
        raise TypeError(NO_COMPLEX)
    if not isinstance(fill_value, int | float | np.generic):
        raise TypeError(
            "full(): argument 'fill_value' (position 2) must be Number, not "
            f"{type(fill_value).__name__}"
        )
    if dtype is None:
        is_bool, is_int = isinstance(fill_value, bool), isinstance(fill_value, int)
        dtype = bool_ if is_bool else int64 if is_int else get_default_dtype()
    kind = named("full", dtype).numpy
    shape = shape_of((size,), "full")
    return make(np.full(shape, number_as(fill_value, kind), kind), requires_grad)


@public()
def scalar_tensor(s: Any, *, dtype: dtype | None = None, **options: Any) -> Tensor:
    """Return the number `s` as a 0-d tensor.

    dtype: the type, the default one when None. options: as for `full`.

    >>> torch.scalar_tensor(3)
    tensor(3.)
    """
    return full((), s, dtype=get_default_dtype() if dtype is None else dtype, **options)


def _filled(
    name: str, value: int, sizes: tuple[Any, ...], dtype: dtype | None, options: dict[str, Any]
) -> Tensor:
    requires_grad, size = options.pop("requires_grad", False), options.pop("size", None)
    if options:
        harmless(name, options)
    kind = get_default_dtype().numpy if dtype is None else named(name, dtype).numpy
    shape = shape_of(sizes if size is None else (size,), name)
    data = np.zeros(shape, kind)
    if value:
        data.fill(value)
    return make(data, requires_grad)


@public(out=True)
def zeros(*sizes: Any, dtype: dtype | None = None, **options: Any) -> Tensor:
    """Return a tensor of zeros: `zeros(2, 3)` or `zeros((2, 3))`.

    sizes: the shape, as ints or one tuple. dtype: the type, the default one when None.
    options: `requires_grad` and, without effect, `device` and `layout`.

    >>> torch.zeros(2, 2)
    tensor([[0., 0.],
            [0., 0.]])
    """
    return _filled("zeros", 0, sizes, dtype, options)


@public(out=True)
def ones(*sizes: Any, dtype: dtype | None = None, **options: Any) -> Tensor:
    """Return a tensor of ones: `ones(2, 3)` or `ones((2, 3))`.

    sizes: the shape, as ints or one tuple. dtype: the type, the default one when None.
    options: `requires_grad` and, without effect, `device` and `layout`.

    >>> torch.ones(3, dtype=torch.int64)
    tensor([1, 1, 1])
    """
    return _filled("ones", 1, sizes, dtype, options)


@public(out=True)
def empty(*sizes: Any, dtype: dtype | None = None, **options: Any) -> Tensor:
    """Return a tensor to be filled later; its entries are zeros here, arbitrary in PyTorch.

    sizes: the shape, as ints or one tuple. dtype: the type, the default one when None.
    options: `requires_grad` and, without effect, `device` and `layout`.

    >>> torch.empty(2, 3).shape
    torch.Size([2, 3])
    """
    return laid_out(_filled("empty", 0, sizes, dtype, options), options.get("memory_format"))


def like(input: Any, name: str) -> tuple[int, ...]:
    """Return the shape of a tensor. Raises: TypeError for anything else."""
    if not isinstance(input, Tensor):
        raise TypeError(
            f"{name}(): argument 'input' (position 1) must be Tensor, not {named_kind(input)}"
        )
    return tuple(input.shape)


def beside(input: Tensor, made: Tensor) -> Tensor:
    """Return a new tensor; inside `vmap` each example has its own, if each has its own `input`."""
    if hasattr(input._data, "level"):  # a batch
        data = np.zeros_like(input._data, made._data.dtype, shape=made._data.shape)
        data[...] = made._data
        made._data = data
    return made


def stored_as(
    input: Tensor, made: Tensor, memory_format: Any = preserve_format, **options: Any
) -> Tensor:
    """Return a new tensor, with its entries in memory as those of `input`, or in another format."""
    made = beside(input, made)
    if memory_format is preserve_format:
        if not input._data.flags.c_contiguous:
            data = np.empty_like(input._data, made._data.dtype)
            data[...] = made._data
            made._data = data
        return made
    return laid_out(made, memory_format)


def laid_out(made: Tensor, memory_format: Any) -> Tensor:
    """Return a new tensor, with its entries reordered in memory for a memory format."""
    if memory_format is contiguous_format and made._data.ndim > 1:
        made._data = np.asarray(made._data, order="C")
    elif memory_format is not None:
        from graphlab.tensor.functions.shared_memory import laid_out

        laid_out(made, memory_format)
    return made


@public()
def zeros_like(input: Tensor, *, dtype: dtype | None = None, **options: Any) -> Tensor:
    """Return zeros in the shape of `input`. input: (...) -> (...).

    dtype: the type, that of `input` when None. options: as for `zeros`.

    >>> torch.zeros_like(torch.tensor([1.0, 2.0]))
    tensor([0., 0.])
    """
    shape, kind = like(input, "zeros_like"), input.dtype if dtype is None else dtype
    return stored_as(input, _filled("zeros", 0, (shape,), kind, options), **options)


@public()
def ones_like(input: Tensor, *, dtype: dtype | None = None, **options: Any) -> Tensor:
    """Return ones in the shape of `input`. input: (...) -> (...).

    dtype: the type, that of `input` when None. options: as for `ones`.

    >>> torch.ones_like(torch.tensor([1.0, 2.0]))
    tensor([1., 1.])
    """
    shape, kind = like(input, "ones_like"), input.dtype if dtype is None else dtype
    return stored_as(input, _filled("ones", 1, (shape,), kind, options), **options)

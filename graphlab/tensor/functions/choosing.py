"""Maxima, minima, signs, steps, parts of numbers; tests for close, infinite or negative entries.

Read next: tensor/functions/transcendental.py
"""

from numbers import Number
from typing import Any

import numpy as np

from graphlab.autograd.decisions import came_from, note_readings
from graphlab.autograd.operands import operand
from graphlab.autograd.record import apply, recorder
from graphlab.common.public import public
from graphlab.ops import choosing as c
from graphlab.ops import division as d
from graphlab.tensor.functions.checks import need_tensor, type_name
from graphlab.tensor.functions.pointwise import of_two, sign
from graphlab.tensor.functions.results import result_type
from graphlab.tensor.tensor import Tensor, wrap

_fmax, _fmin, _copysign, _sgn = (
    recorder(c.Fmax, operator=True),
    recorder(c.Fmin, operator=True),
    recorder(c.Copysign, operator=True),
    recorder(c.Sgn),
)


@public(method=True, out=True)
def fmax(input: Tensor, other: Tensor) -> Tensor:
    """Return the larger entry; of a number and nan, the number. input, other: (...) -> (...).

    >>> fmax(torch.tensor([1.0, 4.0]), torch.tensor([3.0, torch.nan]))
    tensor([3., 4.])
    """
    need_tensor("fmax", "other", 2, other)
    return _fmax(input, other)


@public(method=True, out=True)
def fmin(input: Tensor, other: Tensor) -> Tensor:
    """Return the smaller entry; of a number and nan, the number. input, other: (...) -> (...).

    >>> torch.fmin(torch.tensor([1.0, torch.nan]), torch.tensor([3.0, 2.0]))
    tensor([1., 2.])
    """
    need_tensor("fmin", "other", 2, other)
    return _fmin(input, other)


@public(method=True, in_place=True, out=True)
def copysign(input: Tensor, other: Any) -> Tensor:
    """Return |input| with the sign of `other`. input: (...), other: (...) or a number -> (...).

    >>> torch.copysign(torch.tensor([1.0, -2.0]), torch.tensor([-1.0, 1.0]))
    tensor([-1.,  2.])
    """
    if isinstance(other, Tensor):
        return _copysign(input, other)
    return apply(c.CopysignNumber, input, other=operand(other))


@public(method=True, in_place=True, out=True)
def heaviside(input: Tensor, values: Tensor) -> Tensor:
    """Return 0 below 0, 1 above 0 and `values` at 0. input, values: (...) -> (...).

    A backward pass refuses it, as in PyTorch.

    >>> torch.heaviside(torch.tensor([-1.0, 0.0, 2.0]), torch.tensor(0.5))
    tensor([0.0000, 0.5000, 1.0000])
    """
    need_tensor("heaviside", "input", 1, input)
    need_tensor("heaviside", "values", 2, values)
    if input._data.dtype != values._data.dtype:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")
    return apply(d.Heaviside, input, values)


@public(method=True, in_place=True, out=True)
def sgn(input: Tensor) -> Tensor:
    """Return -1, 0 or 1 for each entry, as `sign` does. input: (...) -> (...).

    >>> torch.sgn(torch.tensor([-2.0, 0.0]))
    tensor([-1.,  0.])
    """
    return sign(input) if input._data.dtype.kind == "b" else _sgn(input)


@public(method=True, out=True)
def signbit(input: Tensor) -> Tensor:
    """Return where the sign is a minus, that of -0.0 included. input: (...) -> (...) of bool.

    >>> torch.signbit(torch.tensor([-1.0, 2.0, -0.0]))
    tensor([ True, False,  True])
    """
    data = input._data
    found = np.signbit(data) if data.dtype.kind == "f" else np.less(data, 0)
    return wrap(found, False, None)


@public(method=True, out=True)
def isposinf(input: Tensor) -> Tensor:
    """Return where an entry is +∞. input: (...) -> (...) of bool.

    >>> torch.isposinf(torch.tensor([torch.inf, 1.0]))
    tensor([ True, False])
    """
    return wrap(np.equal(input._data, np.inf), False, None)


@public(method=True, out=True)
def isneginf(input: Tensor) -> Tensor:
    """Return where an entry is -∞. input: (...) -> (...) of bool.

    >>> torch.isneginf(torch.tensor([-torch.inf, 1.0]))
    tensor([ True, False])
    """
    return wrap(np.equal(input._data, -np.inf), False, None)


@public(method=True)
def isreal(input: Tensor) -> Tensor:
    """Return True everywhere: GraphLab has no complex entries. input: (...) -> (...) of bool.

    >>> torch.isreal(torch.tensor([1.0]))
    tensor([True])
    """
    return wrap(np.ones_like(input._data, bool)[()], False, None)


@public()
def real(input: Tensor) -> Tensor:
    """Return the tensor itself: GraphLab has no complex entries. input: (...) -> (...).

    >>> torch.real(torch.tensor([1.0]))
    tensor([1.])
    """
    need_tensor("real", "input", 1, input)
    return input


@public(method=True)
def conj(input: Tensor) -> Tensor:
    """Return the tensor itself: GraphLab has no complex entries. input: (...) -> (...).

    >>> torch.conj(torch.tensor([1.0]))
    tensor([1.])
    """
    need_tensor("conj", "input", 1, input)
    return input


@public(method=True)
def isclose(
    input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Tensor:
    """Return where |input - other| <= atol + rtol |other|. input, other: (...) -> (...) of bool.

    equal_nan: whether nan equals nan, False by default.
    Raises: RuntimeError when the types differ or a tolerance is negative.

    >>> torch.isclose(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.1]))
    tensor([ True, False])
    """
    found = wrap(_close("isclose", input, other, rtol, atol, equal_nan), False, None)
    return came_from(found, (input, other))


@public(method=True)
def allclose(
    input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> bool:
    """Return whether |input - other| <= atol + rtol |other| everywhere. input, other: (...).

    equal_nan: whether nan equals nan, False by default.
    Raises: RuntimeError when the types differ or a tolerance is negative.

    >>> torch.allclose(torch.tensor([1.0]), torch.tensor([1.0 + 1e-9]))
    True
    """
    note_readings(input, other)
    return bool(np.all(_close("allclose", input, other, rtol, atol, equal_nan)))


def _close(name: str, a: Tensor, b: Any, rtol: float, atol: float, equal_nan: bool) -> Any:
    need_tensor(name, "other", 2, b)
    if a._data.dtype != b._data.dtype:
        raise RuntimeError(f"{type_name(a)} did not match {type_name(b)}")
    rtol, atol = float(rtol), float(atol)
    for tolerance, value in (("rtol", rtol), ("atol", atol)):
        if value < 0:
            raise RuntimeError(
                f"{tolerance} must be greater than or equal to zero, but got {value}"
            )
    x, y = a._data.astype(np.float64), b._data.astype(np.float64)
    same = of_two(np.equal, a, b)._data
    with np.errstate(all="ignore"):
        near = np.isfinite(x) & np.isfinite(y) & (np.abs(x - y) <= atol + rtol * np.abs(y))
    return same | near | (np.isnan(x) & np.isnan(y)) if equal_nan else same | near


@public(out=True)
def isin(
    elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False
) -> Tensor:
    """Return where an entry is among `test_elements`. elements: (...) -> (...) of bool.

    elements, test_elements: tensors of any shapes; one may be a number. invert: return the
    opposite. assume_unique: without effect.

    >>> torch.isin(torch.tensor([1, 2, 3]), torch.tensor([2, 5]))
    tensor([False,  True, False])
    """
    data = [x._data if isinstance(x, Tensor) else np.asarray(x) for x in (elements, test_elements)]
    return wrap(np.isin(data[0], data[1], invert=invert)[()], False, None)


@public(method=True, in_place=True, out=True)
def nextafter(input: Tensor, other: Tensor) -> Tensor:
    """Return the next number that the type can hold from `input` towards `other`.

    input, other: (...) -> (...).

    >>> torch.nextafter(torch.tensor([1.0]), torch.tensor([2.0])) - 1
    tensor([1.1921e-07])
    """
    need_tensor("nextafter", "input", 1, input)
    need_tensor("nextafter", "other", 2, other)
    found = of_two(np.nextafter, input, other)
    if not (input._needs or other._needs):
        return found
    with np.errstate(all="ignore"):
        made = apply(c.Nextafter, input, other, step=np.asarray(found._data - input._data))
    made._data = found._data  # there is no step from an infinity
    return made


@public(method=True)
def is_nonzero(input: Tensor) -> bool:
    """Return whether the only entry of `input` is not 0. Raises: RuntimeError for several entries.

    >>> torch.is_nonzero(torch.tensor([2.0]))
    True
    """
    need_tensor("is_nonzero", "input", 1, input)
    return bool(input)


def contains(self: Tensor, element: Any) -> bool:
    """Return whether an entry is `element`: `3 in x`. A tensor is broadcast as for `==`.

    Raises: RuntimeError for anything but a tensor or a number.
    """
    if not isinstance(element, Tensor | Number):
        raise RuntimeError(
            "Tensor.__contains__ only supports Tensor or scalar, but you passed in a "
            f"{type(element)}."
        )
    return bool(np.any(self.eq(element)._data))


# -- parts of numbers, names of types -----------------------------------------------------------

FREXP = result_type("frexp", "mantissa", "exponent")
NO_IMAG = "imag is not implemented for tensors with non-complex dtypes."


@public(method=True, out=True)
def frexp(input: Tensor) -> Any:
    """Return the parts of x = mantissa · 2^exponent, |mantissa| in [1/2, 1). input: (...), floats.

    Raises: RuntimeError for integers.

    >>> torch.frexp(torch.tensor([8.0])).exponent
    tensor([4], dtype=torch.int32)
    """
    if input._data.dtype.kind != "f":
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    exponent = np.asarray(np.frexp(input._data)[1], np.int32)[()]
    half = np.full_like(input._data, 0.5)  # 2^exponent itself may be too large for the type
    scale = wrap(np.ldexp(half, exponent)[()], False, None)
    return FREXP(input / scale * 0.5, wrap(exponent, False, None))


@public()
def imag(input: Tensor) -> Tensor:
    """Raise RuntimeError, as PyTorch does for real tensors. input: (...).

    >>> torch.imag(torch.ones(1))
    Traceback (most recent call last):
    RuntimeError: imag is not implemented for tensors with non-complex dtypes.
    """
    raise RuntimeError(NO_IMAG)


@public()
def is_signed(input: Tensor) -> bool:
    """Return whether the type has negative numbers. input: (...).

    >>> torch.is_signed(torch.tensor([1], dtype=torch.uint8))
    False
    """
    return input.is_signed()


@public()
def typename(obj: Any) -> str:
    """Return the name of a tensor's type, or of an object's class with its module.

    obj: anything

    >>> torch.typename(torch.ones(1))
    'torch.FloatTensor'
    """
    if isinstance(obj, Tensor):
        return obj.type()
    kind = obj if hasattr(obj, "__qualname__") else type(obj)
    module = getattr(kind, "__module__", "")
    return kind.__qualname__ if module in ("", "builtins") else f"{module}.{kind.__qualname__}"

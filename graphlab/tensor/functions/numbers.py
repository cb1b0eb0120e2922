"""Parts of numbers: mantissa and exponent, imaginary part, sign; names of types.

Read next: tensor/functions/choosing.py
"""

from typing import Any

import numpy as np

from graphlab.common.public import public
from graphlab.tensor.functions.results import result_type
from graphlab.tensor.tensor import Tensor, wrap

FREXP = result_type("frexp", "mantissa", "exponent")
NO_IMAG = "imag is not implemented for tensors with non-complex dtypes."


@public(method=True, out=True)
def frexp(input: Tensor) -> Any:
    """Return the parts of x = mantissa · 2^exponent, |mantissa| in [1/2, 1). input: (...), floats.

    Raises: RuntimeError for integers.

    >>> import graphlab as torch
    >>> torch.frexp(torch.tensor([8.0])).exponent
    tensor([4], dtype=torch.int32)
    """
    if input._data.dtype.kind != "f":
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    exponent = np.asarray(np.frexp(input._data)[1], np.int32)[()]
    scale = wrap(np.ldexp(np.ones_like(input._data), exponent)[()], False, None)
    return FREXP(input / scale, wrap(exponent, False, None))


@public()
def imag(input: Tensor) -> Tensor:
    """Raise RuntimeError, as PyTorch does for real tensors. input: (...).

    >>> import graphlab as torch
    >>> torch.imag(torch.ones(1))
    Traceback (most recent call last):
    RuntimeError: imag is not implemented for tensors with non-complex dtypes.
    """
    raise RuntimeError(NO_IMAG)


@public()
def is_signed(input: Tensor) -> bool:
    """Return whether the type has negative numbers. input: (...).

    >>> import graphlab as torch
    >>> torch.is_signed(torch.tensor([1], dtype=torch.uint8))
    False
    """
    return input.is_signed()


@public()
def typename(obj: Any) -> str:
    """Return the name of a tensor's type, or of an object's class with its module.

    obj: anything

    >>> import graphlab as torch
    >>> torch.typename(torch.ones(1))
    'torch.FloatTensor'
    """
    if isinstance(obj, Tensor):
        return obj.type()
    kind = obj if hasattr(obj, "__qualname__") else type(obj)
    module = getattr(kind, "__module__", "")
    return kind.__qualname__ if module in ("", "builtins") else f"{module}.{kind.__qualname__}"

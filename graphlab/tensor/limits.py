"""The limits of a type, and the type of a mixture: `finfo`, `iinfo`, `promote_types`.

Read next: common/dtypes.py
"""

from typing import Any

import numpy as np

from graphlab.common.dtypes import CATEGORY, common, dtype, find, get_default_dtype
from graphlab.common.public import public
from graphlab.tensor.functions.checks import need_tensor
from graphlab.tensor.tensor import Tensor


@public()
class finfo:
    """The limits of a floating type, by default of the default type.

    Raises: TypeError for another type.

    >>> finfo(torch.float32).eps
    1.1920928955078125e-07
    """

    def __init__(self, type: dtype | None = None) -> None:
        kind = get_default_dtype() if type is None else type
        if not kind.is_floating_point:
            raise TypeError(
                "torch.finfo() requires a floating point input type. Use torch.iinfo to handle "
                "'torch.finfo'"
            )
        limits = np.finfo(kind.numpy)
        self.bits = kind.itemsize * 8
        self.eps, self.max, self.min = float(limits.eps), float(limits.max), float(limits.min)
        self.smallest_normal = self.tiny = float(limits.smallest_normal)
        self.resolution = 10.0**-limits.precision
        self.dtype = kind.name

    def __repr__(self) -> str:
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, "
            f"eps={self.eps:g}, smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g}, "
            f"dtype={self.dtype})"
        )


@public()
class iinfo:
    """The limits of a type of integers. Raises: TypeError for another type.

    >>> iinfo(torch.uint8).max
    255
    """

    def __init__(self, type: dtype) -> None:
        if type.is_floating_point:
            raise TypeError(
                "torch.iinfo() requires an integer input type. Use torch.finfo to handle "
                "'torch.iinfo'"
            )
        if type.name == "bool":
            raise TypeError("torch.bool is not supported by torch.iinfo")
        limits = np.iinfo(type.numpy)
        self.bits, self.min, self.max = type.itemsize * 8, int(limits.min), int(limits.max)
        self.dtype = type.name

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"


@public()
def promote_types(type1: dtype, type2: dtype) -> dtype:
    """Return the type of the sum of tensors of the types `type1` and `type2`.

    >>> torch.promote_types(torch.int32, torch.float32)
    torch.float32
    """
    for place, given in enumerate((type1, type2), 1):
        if not isinstance(given, dtype):
            raise TypeError(
                f"promote_types(): argument 'type{place}' (position {place}) must be torch.dtype, "
                f"not {type(given).__name__}"
            )
    return find(common([np.empty(1, type1.numpy), np.empty(1, type2.numpy)]))


@public()
def result_type(tensor1: Any, tensor2: Any) -> dtype:
    """Return the type of the sum of `tensor1` and `tensor2`, tensors or numbers.

    >>> torch.result_type(torch.tensor([1]), 1.5)
    torch.float32
    """
    return find(common([x._data if isinstance(x, Tensor) else x for x in (tensor1, tensor2)]))


@public()
def can_cast(from_: dtype, to: dtype) -> bool:
    """Return whether a result of type `from_` may be written into a tensor of type `to`.

    >>> can_cast(torch.float32, torch.int64), can_cast(torch.int64, torch.float32)
    (False, True)
    """
    return CATEGORY[from_.numpy.kind] <= CATEGORY[to.numpy.kind]


@public()
def is_floating_point(input: Tensor) -> bool:
    """Return whether the entries of `input` are floats. input: (...).

    >>> torch.is_floating_point(torch.tensor([1.0]))
    True
    """
    return input.is_floating_point()


@public()
def is_complex(input: Tensor) -> bool:
    """Return False: GraphLab has no complex entries. input: (...).

    >>> torch.is_complex(torch.tensor([1.0]))
    False
    """
    need_tensor("is_complex", "input", 1, input)
    return False

"""The words of ops/places.py, ops/pools.py and ops/standard.py for tensors.

Read next: tensor/functions/words.py
"""

from collections.abc import Mapping
from types import ModuleType
from typing import Any

import numpy as np

from graphlab.autograd.record import apply
from graphlab.ops import attention, bags, grids, places, pools, scaling, softness, standard
from graphlab.ops.base import read
from graphlab.ops.padding import ConstantPadNd
from graphlab.tensor.functions.dims import given_dim
from graphlab.tensor.tensor import Tensor, wrap


def constant(array: np.ndarray, x: Tensor) -> Tensor:
    """Fixed numbers beside x, in its type."""
    return wrap(np.asarray(array, x._data.dtype), False, None)


def padded(x: Tensor, pad: tuple[int, ...], value: float) -> Tensor:
    """A border of one number, recorded."""
    return apply(ConstantPadNd, x, pad=pad, value=value)


def softmax(x: Tensor, dim: int) -> Tensor:
    """A softmax that is 0 where every entry is -∞."""
    return apply(attention.SafeSoftmax, x, dim=given_dim(dim, x.ndim))


def place_words(words: Mapping[str, Any]) -> dict[str, Any]:
    """The words, read against those that tensors have already."""
    found: dict[str, Any] = {}
    for module in (places, pools, scaling, standard, softness, grids, bags):
        found |= {name: getattr(module, name) for name in module.WORDS}
    take, put_at, sum, unsqueeze = (words[n] for n in ("take", "put_at", "sum", "unsqueeze"))

    def beside(weight: np.ndarray, dim: int, x: Tensor) -> Tensor:
        """Weights for the dimensions `dim` and `dim + 1` of x."""
        return constant(weight.reshape(*weight.shape, *(1,) * (x.ndim - dim - 2)), x)

    def resample(x: Tensor, dim: int, place: np.ndarray, weight: np.ndarray) -> Tensor:
        seen = take(x, (*(None,) * dim, place))
        return sum(seen * beside(weight, dim, seen), (dim + 1,))

    def resample_back(
        grad: Tensor, n: int, dim: int, place: np.ndarray, weight: np.ndarray
    ) -> Tensor:
        sizes = (*grad.shape[:dim], n, *grad.shape[dim + 1 :])
        grad = unsqueeze(grad, dim + 1)
        return put_at(grad * beside(weight, dim, grad), sizes, (*(None,) * dim, place))

    found |= {
        "safe_softmax": softmax,
        "constant": constant,
        "zeros_beside": lambda sizes, x: constant(np.zeros(sizes), x),
        "raw_entries": lambda x: np.asarray(x._data),
        "constant_pad": padded,
        "resample": resample,
        "resample_back": resample_back,
    }
    known = {**words, **found}
    for module in (pools, scaling, standard, softness, grids):
        found |= read_against(known, module)
    return found


def read_against(words: Mapping[str, Any], module: ModuleType) -> dict[str, Any]:
    """The words of a module that are written in words, each of which may use those before it."""
    known, found = dict(words), {}
    for name in module.COMPOSED:
        found[name] = known[name] = read(getattr(module, name), known)
    return found

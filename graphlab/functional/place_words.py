"""The words of ops/places.py for tensors.

Read next: functional/words.py
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from graphlab.autograd.record import apply
from graphlab.ops import places
from graphlab.ops.base import read
from graphlab.ops.padding import ConstantPadNd
from graphlab.tensor import Tensor, wrap


def constant(array: np.ndarray, x: Tensor) -> Tensor:
    """Fixed numbers beside x, in its type."""
    return wrap(np.asarray(array, x._data.dtype), False, None)


def padded(x: Tensor, pad: tuple[int, ...], value: float) -> Tensor:
    """A border of one number, recorded."""
    return apply(ConstantPadNd, x, pad=pad, value=value)


def place_words(words: Mapping[str, Any]) -> dict[str, Any]:
    """The words, read against those that tensors have already."""
    found: dict[str, Any] = {name: getattr(places, name) for name in places.WORDS}
    found |= {"constant": constant, "constant_pad": padded}
    known = {**words, **found}
    found |= {name: read(getattr(places, name), known) for name in places.COMPOSED}
    return found

"""The entries of a tensor as numbers, by which the pixels around a point are chosen.

Read next: primitives/sympy_reading/grid_sampling.py
"""

import numpy as np

from graphlab.tensor.tensor import Tensor


def raw_entries(x: Tensor) -> np.ndarray:
    """The entries as an array."""
    return np.asarray(x._data)

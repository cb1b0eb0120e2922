"""The same bytes read as another type: `x.view(torch.int32)`.

Read next: tensor/functions/shapes.py
"""

import numpy as np

from graphlab.common.dtypes import dtype
from graphlab.primitives.numpy_reading.strides import layout_of
from graphlab.tensor.functions.checks import C_NAMES
from graphlab.tensor.tensor import Tensor, share_memory, wrap


def reinterpreted(input: Tensor, kind: dtype) -> Tensor:
    """Return the same memory read as another type; no gradient flows through it.

    input: (..., N) -> (..., N · size of an entry / size of an entry of `kind`).
    Raises: RuntimeError when the sizes differ, and the last dimension does not fit.

    >>> import graphlab as torch
    >>> torch.tensor([1.0, -0.0]).view(torch.int32)
    tensor([ 1065353216, -2147483648], dtype=torch.int32)
    """
    share_memory(input)
    data, new = input._data, kind.numpy
    own = data.dtype.itemsize
    if own != new.itemsize:
        names = f"{C_NAMES[data.dtype.name]} as {C_NAMES[new.name]} (different element sizes)"
        if data.ndim == 0:
            raise RuntimeError(f"self.dim() cannot be 0 to view {names}")
        if data.shape[-1] * own % new.itemsize:
            raise RuntimeError(
                f"self.size(-1) must be divisible by {new.itemsize // own} to view {names}, but "
                f"got {data.shape[-1]}"
            )
        ratio = new.itemsize // own  # 0 where the new entries are smaller
        offset, steps = layout_of(data)[2], [step // own for step in data.strides]
        if ratio and offset % ratio:
            raise RuntimeError(
                f"self.storage_offset() must be divisible by {ratio} to view {names}, but got "
                f"{offset}"
            )
        if data.size and steps[-1] != 1:
            raise RuntimeError(f"self.stride(-1) must be 1 to view {names}, but got {steps[-1]}")
        for d, step in enumerate(steps[:-1]):
            if ratio and data.size and step % ratio:
                raise RuntimeError(
                    f"self.stride({d}) must be divisible by {ratio} to view {names}, but got {step}"
                )
    if data.size == 0:
        size = (*data.shape[:-1], data.shape[-1] * own // new.itemsize)
        return wrap(np.zeros(size, new), False, None)
    return wrap(data.view(new), False, None)

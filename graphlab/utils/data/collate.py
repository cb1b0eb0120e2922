"""Collation: samples become a batch, in which tensors are stacked and numbers become tensors.

Read next: utils/data/dataloader.py
"""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np

from graphlab.common.dtypes import float64
from graphlab.tensor.creation import as_tensor, tensor
from graphlab.tensor.functions import stack
from graphlab.tensor.tensor import Tensor

UNKNOWN = (
    "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"
)


def default_collate(batch: Sequence[Any]) -> Any:
    """Return a list of samples as one batch, which has the structure of a sample.

    Tensors and arrays are stacked, numbers become a tensor, and text stays a list.

    batch: a list of samples of the same structure: tensors, arrays, numbers, text, or tuples, lists
        and dicts of them
    Raises: TypeError for other types, RuntimeError for sequences of different lengths.

    >>> import graphlab as torch
    >>> default_collate([(torch.tensor([1.0]), 0), (torch.tensor([2.0]), 1)])
    [tensor([[1.],
            [2.]]), tensor([0, 1])]
    """
    first = batch[0]
    if isinstance(first, Tensor):
        return stack(list(batch), 0)
    if isinstance(first, np.ndarray):
        if first.dtype.kind in "SUO":  # text or objects
            raise TypeError(UNKNOWN.format(first.dtype))
        return stack([as_tensor(one) for one in batch], 0)
    if isinstance(first, np.generic | bool | np.bool_) and not isinstance(first, np.str_):
        return as_tensor(np.array(batch))
    if isinstance(first, float):
        return tensor(list(batch), dtype=float64)
    if isinstance(first, int):
        return tensor(list(batch))
    if isinstance(first, str | bytes):
        return batch
    if isinstance(first, Mapping):
        return rebuilt(first, {key: default_collate([one[key] for one in batch]) for key in first})
    if isinstance(first, tuple) and hasattr(first, "_fields"):  # a namedtuple
        return type(first)(*(default_collate(part) for part in zip(*batch, strict=False)))
    if isinstance(first, Sequence):
        if any(len(one) != len(first) for one in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        parts = [default_collate(part) for part in zip(*batch, strict=True)]
        return parts if isinstance(first, tuple) else rebuilt(first, parts)
    raise TypeError(UNKNOWN.format(type(first)))


def default_convert(data: Any) -> Any:
    """Return a sample in which tensors replace NumPy arrays.

    data: a tensor, array, number or text, or a tuple, list or dict of them

    >>> import numpy as np
    >>> default_convert((np.array([1.0, 2.0]), "cat"))
    [tensor([1., 2.], dtype=torch.float64), 'cat']
    """
    if isinstance(data, Tensor | str | bytes):
        return data
    if isinstance(data, np.ndarray | np.generic):
        return data if data.dtype.kind in "SUO" else as_tensor(data)
    if isinstance(data, Mapping):
        return rebuilt(data, {key: default_convert(data[key]) for key in data})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*map(default_convert, data))
    if isinstance(data, tuple):
        return [default_convert(one) for one in data]
    if isinstance(data, Sequence):
        return rebuilt(data, [default_convert(one) for one in data])
    return data


def rebuilt(like: Any, content: Any) -> Any:
    """Return the content in a container of the type of `like`, or as it is if that fails."""
    make: Callable[[Any], Any] = type(like)
    try:
        if isinstance(like, Mapping) and hasattr(like, "update"):
            made: Any = copy(like)
            made.update(content)
            return made
        return make(content)
    except TypeError:
        return content

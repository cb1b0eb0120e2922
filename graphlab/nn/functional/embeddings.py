"""Embeddings as functions: `F.embedding(classes, table)` looks rows up in a table.

Read next: ops/lookup.py
"""

import numpy as np

from graphlab.autograd.record import apply
from graphlab.ops.lookup import Embedding
from graphlab.tensor import Tensor, wrap


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """The rows of `weight` that `input` names. input: (*), weight: (V, E) -> (*, E).

    padding_idx: a row that gets no gradient. max_norm: rows that are longer are shortened to it,
    in place. scale_grad_by_freq: a row's gradient is over the number of its uses.
    Raises: IndexError for a row that is not there.

    PyTorch differs: with sparse=True the gradient is a sparse tensor; here it is always dense.

    >>> import graphlab as torch
    >>> embedding(torch.tensor([1, 0, 1]), torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[3., 4.],
            [1., 2.],
            [3., 4.]])
    """
    rows = weight.shape[0]
    if padding_idx is None:
        padding_idx = -1
    elif not -rows <= padding_idx < rows:
        raise AssertionError("Padding_idx must be within num_embeddings")
    elif padding_idx < 0:
        padding_idx += rows
    if weight.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    if input._data.dtype not in (np.int32, np.int64):
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: "
            f"Long, Int; but got torch.{input.dtype.legacy} instead (while checking arguments for "
            "embedding)"
        )
    if not rows and input.numel():
        raise RuntimeError("index_select(): self indexing axis dim should be positive")
    indices = np.asarray(input._data)
    if np.any((indices < 0) | (indices >= rows)):
        raise IndexError("index out of range in self")
    if max_norm is not None:
        shorten(weight, indices, max_norm, norm_type)
    return apply(
        Embedding,
        weight,
        indices=indices,
        padding_idx=padding_idx,
        scale_grad_by_freq=scale_grad_by_freq,
        sparse=sparse,
    )


def shorten(weight: Tensor, indices: np.ndarray, max_norm: float, norm_type: float) -> None:
    """Make the rows that are used no longer than `max_norm`, in place and unrecorded."""
    used = np.unique(indices)
    lengths = np.linalg.norm(weight._data[used], ord=norm_type, axis=1)
    long = lengths > max_norm
    scale = (max_norm / (lengths[long] + 1e-7)).astype(weight._data.dtype)
    weight._data[used[long]] *= scale[:, None]
    weight._version_counter().advance()


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """A row of zeros with a 1 at each class. tensor: (*) of int64 -> (*, num_classes).

    Raises: RuntimeError for what is no class.

    >>> import graphlab as torch
    >>> one_hot(torch.tensor([0, 2]))
    tensor([[1, 0, 0],
            [0, 0, 1]])
    """
    classes = tensor._data
    if classes.dtype != np.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if tensor.numel() == 0:
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        return wrap(np.zeros((*tensor.shape, num_classes), np.int64), False, None)
    if np.min(classes) < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        num_classes = int(np.max(classes)) + 1
    elif np.max(classes) >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    found = wrap((classes[..., None] == np.arange(num_classes)).astype(np.int64), False, None)
    for _ in range(2):  # PyTorch writes it in two steps, and counts them
        found._version_counter().advance()
    return found

"""Random numbers in the shape of a tensor, and in its order of memory.

Read next: tensor/random/filling.py
"""

from typing import Any

import numpy as np

from graphlab.common.dtypes import dtype, float64
from graphlab.common.public import public
from graphlab.tensor.creation import harmless, make
from graphlab.tensor.functions.checks import need_tensor
from graphlab.tensor.random.sampling import arranged, rand, randint, randn, stream
from graphlab.tensor.tensor import Tensor


def drawn_like(made: Tensor, input: Tensor) -> Tensor:
    """Return a tensor of drawn numbers, reordered in memory as `input` is stored."""
    data = np.asarray(input._data)
    if not data.flags.c_contiguous:
        made._data = arranged(made._data, data)
    return made


@public()
def rand_like(input: Tensor, *, dtype: dtype | None = None, **options: Any) -> Tensor:
    """Draw uniform random numbers in [0, 1) in the shape of `input`.

    dtype: the type, that of `input` when None. options: as for `rand`.

    >>> import graphlab as torch
    >>> torch.rand_like(torch.ones(2, 3)).shape
    torch.Size([2, 3])
    """
    need_tensor("rand_like", "input", 1, input)
    kind = input.dtype if dtype is None else dtype
    return drawn_like(rand(tuple(input.shape), dtype=kind, **options), input)


@public()
def randn_like(input: Tensor, *, dtype: dtype | None = None, **options: Any) -> Tensor:
    """Draw normal random numbers, mean 0 and standard deviation 1, in the shape of `input`.

    dtype: the type, that of `input` when None. options: as for `randn`.

    >>> import graphlab as torch
    >>> torch.randn_like(torch.ones(2, 3)).shape
    torch.Size([2, 3])
    """
    need_tensor("randn_like", "input", 1, input)
    kind, size = input.dtype if dtype is None else dtype, tuple(input.shape)
    in_a_row = np.empty_like(input._data).flags.c_contiguous
    if in_a_row or input.numel() < 16 or not kind.is_floating_point:
        return drawn_like(randn(size, dtype=kind, **options), input)
    source, requires_grad = options.pop("generator", None), options.pop("requires_grad", False)
    harmless("randn_like", options)
    source, double = stream(source, "randn_like"), kind is float64
    each = np.concatenate([source.normal(1, double) for _ in range(input.numel())])
    return drawn_like(make(each.astype(kind.numpy).reshape(size), requires_grad), input)


@public()
def randint_like(
    input: Tensor, low: int, high: int | None = None, *, dtype: dtype | None = None, **options: Any
) -> Tensor:
    """Draw random integers in [low, high) in the shape of `input`; low alone means [0, low).

    dtype: the type, that of `input` when None. options: as for `randint`.

    >>> import graphlab as torch
    >>> torch.randint_like(torch.ones(2), 5, 6)
    tensor([5., 5.])
    """
    need_tensor("randint_like", "input", 1, input)
    low, high = (0, low) if high is None else (low, high)
    kind = input.dtype if dtype is None else dtype
    return drawn_like(randint(low, high, tuple(input.shape), dtype=kind, **options), input)

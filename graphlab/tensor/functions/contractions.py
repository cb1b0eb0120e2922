"""Products of tensors, most with a sum over some dimensions: outer, tensordot, kron, bilinear.

Most are made of permutations, reshapes and one product of matrices, as their graphs show.

Read next: tensor/functions/einsums.py
"""

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from graphlab.autograd.record import apply
from graphlab.common.errors import users_level
from graphlab.common.public import mark, public
from graphlab.ops import linalg as ops
from graphlab.ops.shapes import UnsafeView
from graphlab.tensor.functions.checks import (
    c_name,
    check_vector,
    joined_shape,
    not_for,
    one_dim,
    type_name,
)
from graphlab.tensor.functions.pointwise import mul
from graphlab.tensor.functions.products import check_types, dot, mm, size_at
from graphlab.tensor.functions.reductions import sum
from graphlab.tensor.functions.shapes import expand, flatten, permute, reshape, squeeze, view
from graphlab.tensor.tensor import Tensor


@public(method=True, out=True)
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """Return the product of each entry of `input` with each of `vec2`. (N,), (M,) -> (N, M).

    >>> outer(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))
    tensor([[3., 4.],
            [6., 8.]])
    """
    check_vector("outer", "self", input)
    check_vector("outer", "vec2", vec2)
    return mul(reshape(input, (len(input), 1)), vec2)


ger = outer


@public(method=True, out=True)
def inner(input: Tensor, other: Tensor) -> Tensor:
    """Sum the products over the last dimensions. input: (..., K), other: (---, K) -> (..., ---).

    >>> torch.inner(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))
    tensor(11.)
    """
    if input.ndim == 0 or other.ndim == 0:
        return mul(input, other)
    if input.shape[-1] != other.shape[-1]:
        raise RuntimeError(
            "inner() the last dimension must match on both input tensors but got shapes "
            f"{list(input.shape)} and {list(other.shape)}"
        )
    return contract(input, other, [-1], [-1])


@public(out=True)
def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    """Sum the products over some dimensions of both tensors.

    dims: how many, the last of `a` and the first of `b`; or two lists of dimensions.

    >>> tensordot(torch.ones(2, 3, 4), torch.ones(4, 3), dims=([1, 2], [1, 0]))
    tensor([12., 12.])
    """
    if isinstance(dims, Tensor):
        dims = dims.tolist() if dims.numel() > 1 else int(dims.item())
    if isinstance(dims, tuple | list):
        first, second = dims
        return contract(a, b, first, second)
    if not isinstance(dims, int):
        raise RuntimeError(
            "tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] "
            f"containing two lists, but got dims={dims}"
        )
    if dims < 0:
        raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
    if dims > min(a.ndim, b.ndim):
        raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
    return contract(a, b, range(-dims, 0), range(dims))


def contract(a: Tensor, b: Tensor, first: Sequence[int], second: Sequence[int]) -> Tensor:
    """Sum over pairs of dimensions: permute and reshape both tensors, and multiply as matrices."""
    if len(first) != len(second):
        raise RuntimeError("both dimension lists should have same length")
    if a._data.dtype != b._data.dtype:
        raise RuntimeError("both inputs should have same dtype")
    left, right, summed = a, b, 1
    for i, j in zip(first, second, strict=True):
        m, n = a.shape[one_dim(i, a.ndim)], b.shape[one_dim(j, b.ndim)]
        if n == 1:  # sum broadcast dimensions at once
            left = sum(left, i, True, dtype=left.dtype)
        elif m == 1:
            right = sum(right, j, True, dtype=right.dtype)
        elif m != n:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {m} in dim {i} and "
                f"second has size {n} in dim {j}"
            )
        else:
            summed *= n
    taken = {one_dim(i, a.ndim) for i in first}, {one_dim(j, b.ndim) for j in second}
    if len(taken[0]) != len(first) or len(taken[1]) != len(second):
        twice = next(d for d in first if list(first).count(d) > 1)
        raise RuntimeError(f"dim {twice} appears multiple times in the list of dims")
    rows = [i for i in range(a.ndim) if i not in taken[0]]
    columns = [j for j in range(b.ndim) if j not in taken[1]]
    size = (*(a.shape[i] for i in rows), *(b.shape[j] for j in columns))
    if not size:  # the nodes are made in PyTorch's order, here and below
        left, right = permute(left, [*rows, *first]), permute(right, [*second, *columns])
        if left.is_contiguous() and right.is_contiguous():
            right = flatten(right)
            return reshape(dot(flatten(left), right), size)
        right = squeeze(right)
        return reshape(sum(mul(squeeze(left), right), dtype=left.dtype), size)
    n, m = (math.prod(s) for s in (size[: len(rows)], size[len(rows) :]))
    left = reshape(permute(left, [*rows, *first]), (n, summed))
    right = reshape(permute(right, [*second, *columns]), (summed, m))
    return reshape(mm(left, right), size)


@public(method=True, out=True)
def kron(input: Tensor, other: Tensor) -> Tensor:
    """Return each entry of `input` times all of `other`: (N, M), (K, L) -> (N*K, M*L).

    >>> kron(torch.tensor([1.0, 10.0]), torch.tensor([1.0, 2.0]))
    tensor([ 1.,  2., 10., 20.])
    """
    dims = max(input.ndim, other.ndim)
    a, b = ((1,) * (dims - x.ndim) + tuple(x.shape) for x in (input, other))
    left = apply(UnsafeView, input, size=tuple(n for m in a for n in (m, 1)))
    right = apply(UnsafeView, other, size=tuple(n for m in b for n in (1, m)))
    size = tuple(m * n for m, n in zip(a, b, strict=True))
    return apply(UnsafeView, mul(left, right), size=size)


@public(function=False, method=True)
def trace(input: Tensor) -> Tensor:
    """Sum the diagonal: (N, M) -> ().

    `graphlab.trace(x)` does the same for a matrix without a graph; for a tensor with a graph it
    rehearses a backward pass.

    >>> import graphlab
    >>> graphlab.tensor([[1, 2], [3, 4]]).trace()
    tensor(5)
    """
    if input.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {input.ndim}")
    if input._data.dtype == np.bool_:
        raise not_for("trace", input)
    return apply(ops.Trace, input)


@public(method=True, out=True)
def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """Return the cross product along `dim`, by default the first dimension of size 3.

    input, other: (..., 3, ...) -> (..., 3, ...).

    >>> torch.cross(torch.tensor([1.0, 0.0, 0.0]), torch.tensor([0.0, 1.0, 0.0]), dim=0)
    tensor([0., 0., 1.])
    """
    if dim is None:
        found = [d for d, n in enumerate(input.shape) if n == 3]
        if not found:
            raise RuntimeError("no dimension of size 3 in input")
        warnings.warn(
            "Using torch.cross without specifying the dim arg is deprecated.\n"
            "Please either pass the dim explicitly or simply use torch.linalg.cross.\n"
            "The default value of dim will change to agree with that of linalg.cross in a future "
            "release.",
            UserWarning,
            stacklevel=users_level(),
        )
        dim = found[0]
    return linalg_cross(input, other, dim)


def linalg_cross(input: Tensor, other: Tensor, dim: int = -1) -> Tensor:
    """Return the cross product along `dim`, the last by default.

    input, other: (..., 3) -> (..., 3).

    >>> import graphlab as torch
    >>> torch.linalg.cross(torch.tensor([1.0, 0.0, 0.0]), torch.tensor([0.0, 1.0, 0.0]))
    tensor([0., 0., 1.])
    """
    if input.ndim != other.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    n, m = size_at(input, dim), size_at(other, dim)
    if n != 3 or m != 3:
        raise RuntimeError(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {n} and {m}"
        )
    joined_shape(input.shape, other.shape)
    check_types(input, other)
    return apply(ops.LinalgCross, input, other, dim=dim)


@public()
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return input1ᵀ W input2 + bias for each matrix W of the weight.

    input1: (..., N)
    input2: (..., M)
    weight: (K, N, M)
    bias: (K,) or None
    Returns: (..., K).
    Raises: RuntimeError for shapes or dtypes that do not fit.

    >>> bilinear(torch.tensor([1.0, 2.0]), torch.tensor([3.0]), torch.ones(1, 2, 1))
    tensor([9.])
    """
    a, b, w = input1.shape, input2.shape, weight.shape
    if len(a) != len(b):
        raise RuntimeError(f"bilinear(): input dimensions do not match: got {len(a)} and {len(b)}")
    for d, (n, m) in enumerate(zip(a[:-1], b[:-1], strict=True)):
        if n != m:
            raise RuntimeError(
                f"bilinear(): input batch dimensions do not match at dim {d}: got {n} and {m}"
            )
    given = {"input1": input1, "input2": input2, "weight": weight, "bias": bias}
    if len({x.dtype for x in given.values() if x is not None}) > 1:
        kinds = (f"{k}: {c_name(x)}" for k, x in given.items() if x is not None)
        raise RuntimeError("All tensors must have the same dtype, got " + ", ".join(kinds))
    for i, size in enumerate((a, b), 1):
        expected = w[one_dim(i, weight.ndim)]
        if size[-1] != expected:
            raise RuntimeError(
                f"bilinear(): input{i} size does not match weight size: got {size[-1]} but "
                f"expected {expected}"
            )
    if bias is not None and bias.shape[0] != w[0]:
        raise RuntimeError(
            "bilinear(): bias size does not match weight size: got "
            f"{bias.shape[0]} but expected {w[0]}"
        )
    rows = math.prod(a[:-1])
    result = apply(
        ops.Trilinear,
        reshape(input1, (rows, a[-1])),
        weight,
        reshape(input2, (rows, b[-1])),
        expand1=(1, 3),
        expand2=(0,),
        expand3=(1, 2),
        sumdim=(2, 3),
    )
    result = reshape(result, (*a[:-1], w[0]))
    return result if bias is None else result + bias


def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """Return the dot products of the vectors along `dim`. x, y: (..., N) -> (...), broadcast.

    >>> import graphlab as torch
    >>> torch.linalg.vecdot(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))
    tensor(11.)
    """
    if x._data.dtype.kind != "f":
        raise RuntimeError(
            "linalg.vecdot: Expected a floating point or complex tensor as input. Got "
            + type_name(x)
        )
    if type_name(x) != type_name(y):
        raise RuntimeError(
            "linalg.vecdot: Expected x and y to have the same dtype, but found x of type "
            f"{type_name(x)} and y of type {type_name(y)} instead"
        )
    if x.ndim == 1 and y.ndim == 1:
        from graphlab.tensor.functions.products import vdot

        return vdot(x, y)
    return sum(mul(x, y), dim)


@public()
def cdist(
    x1: Tensor,
    x2: Tensor,
    p: float = 2.0,
    compute_mode: str = "use_mm_for_euclid_dist_if_necessary",
) -> Tensor:
    """Return the p-norm distances of all rows. x1: (..., P, M), x2: (..., R, M) -> (..., P, R).

    p: the norm, 2 by default. compute_mode: without effect.
    Raises: RuntimeError for fewer than two dimensions, or rows of different lengths.

    >>> torch.cdist(torch.tensor([[0.0, 0.0]]), torch.tensor([[3.0, 4.0], [1.0, 0.0]]))
    tensor([[5., 1.]])
    """
    for name, x in (("X1", x1), ("X2", x2)):
        if x.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, {name} got: {x.ndim}D")
    if x1.shape[-1] != x2.shape[-1]:
        raise RuntimeError(
            f"X1 and X2 must have the same number of columns. X1: {x1.shape[-1]} X2: {x2.shape[-1]}"
        )
    for name, x in (("X1", x1), ("X2", x2)):
        if x._data.dtype.kind != "f":
            raise RuntimeError(
                f"cdist only supports floating-point dtypes, {name} got: {type_name(x)}"
            )
    modes = (
        "use_mm_for_euclid_dist",
        "use_mm_for_euclid_dist_if_necessary",
        "donot_use_mm_for_euclid_dist",
    )
    if compute_mode not in modes:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    if x1.numel() and x2.numel():
        check_types(x1, x2)
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    batch = joined_shape(x1.shape[:-2], x2.shape[:-2])
    many = max(x1.shape[-2], x2.shape[-2]) > 25
    if p == 2 and x1.numel() and x2.numel() and compute_mode in modes[: 1 + many]:
        return euclidean(x1, x2, batch)
    return apply(ops.Cdist, x1, x2, p=float(p))


def euclidean(x1: Tensor, x2: Tensor, batch: tuple[int, ...]) -> Tensor:
    """Return the distances for p = 2, by a product of matrices."""
    rows = []
    for x in (x1, x2):
        if batch:
            x = expand(x, (*batch, *x.shape[-2:])).contiguous()
            x = view(x, (math.prod(batch), *x.shape[-2:]))
        rows.append(x)
    return view(apply(ops.EuclideanDist, *rows), (*batch, x1.shape[-2], x2.shape[-2]))


mark("ger", method=True, out=True)

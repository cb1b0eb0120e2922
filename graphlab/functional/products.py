"""Products of vectors, matrices and batches: which node each combination of dimensions makes.

Read next: functional/shapes.py
"""

import math

import numpy as np

from graphlab.autograd.record import apply
from graphlab.functional.shapes import expand, reshape, unsqueeze
from graphlab.ops import linalg as la
from graphlab.ops import shape as sh
from graphlab.tensor import Tensor


def dot(input: Tensor, tensor: Tensor) -> Tensor:
    """The dot product of two vectors."""
    if input.ndim != 1 or tensor.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {input.ndim}D and {tensor.ndim}D tensors")
    if len(input) != len(tensor):
        raise RuntimeError(
            "inconsistent tensor size, expected tensor "
            f"[{len(input)}] and src [{len(tensor)}] to have the same number of elements, but got "
            f"{len(input)} and {len(tensor)} elements respectively"
        )
    return apply(la.Dot, input, tensor)


def mv(input: Tensor, vec: Tensor) -> Tensor:
    """A matrix times a vector."""
    if input.ndim != 2 or vec.ndim != 1:
        raise RuntimeError(
            f"vector + matrix @ vector expected, got {vec.ndim}, {input.ndim}, {vec.ndim}"
        )
    if input.shape[1] != vec.shape[0]:
        raise RuntimeError(
            f"size mismatch, got input ({input.shape[0]}), "
            f"mat ({input.shape[0]}x{input.shape[1]}), "
            f"vec ({vec.shape[0]})"
        )
    return apply(la.Mv, input, vec)


def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """A matrix times a matrix."""
    check_product(input, mat2)
    return apply(la.Mm, input, mat2)


def check_product(a: Tensor, b: Tensor) -> None:
    """Raises: RuntimeError when two matrices can not be multiplied."""
    for name, t in (("self", a), ("mat2", b)):
        if t.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix")
    if a.shape[1] != b.shape[0]:
        raise RuntimeError(
            "mat1 and mat2 shapes cannot be multiplied "
            f"({a.shape[0]}x{a.shape[1]} and {b.shape[0]}x{b.shape[1]})"
        )
    if a._data.dtype != b._data.dtype:
        raise RuntimeError(
            f"expected m1 and m2 to have the same dtype, but got: {c_name(a)} != {c_name(b)}"
        )


def c_name(tensor: Tensor) -> str:
    """The type of the entries as PyTorch's C++ calls it."""
    names = {"float32": "float", "float64": "double", "int64": "long long", "int32": "int"}
    return names.get(tensor.dtype.name, tensor.dtype.name)


def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """A batch of matrix products: (B, N, K) and (B, K, M) -> (B, N, M)."""
    return apply(la.Bmm, input, mat2)


def addmm(
    input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1, alpha: float = 1
) -> Tensor:
    """beta * input + alpha * mat1 @ mat2."""
    check_product(mat1, mat2)
    return apply(la.Addmm, input, mat1, mat2, beta=beta, alpha=alpha)


def matmul(input: Tensor, other: Tensor) -> Tensor:
    """The product of vectors, matrices or batches of matrices, as `@` writes it."""
    if not isinstance(other, Tensor):
        return NotImplemented
    a, b = input.ndim, other.ndim
    if a == 0 or b == 0:
        raise RuntimeError(
            f"both arguments to matmul need to be at least 1D, but they are {a}D and {b}D"
        )
    if a == 1 and b == 1:
        return dot(input, other)
    if a == 2 and b == 1:
        return mv(input, other)
    if a == 1 and b == 2:
        row = mm(unsqueeze(input, 0), other)
        return apply(sh.SqueezeProduct, row, dim=0, size=tuple(row.shape[1:]))
    if a == 2 and b == 2:
        return mm(input, other)
    return batched_matmul(input, other)


def batched_matmul(input: Tensor, other: Tensor) -> Tensor:
    """Matrix products over leading dimensions, which are broadcast."""
    if other.ndim <= 2 <= input.ndim - 1:  # fold the batch into the rows: one product
        rows = reshape(input, (-1, input.shape[-1]))
        product = mv(rows, other) if other.ndim == 1 else mm(rows, other)
        size = (*input.shape[:-1], *other.shape[1:])
        return apply(sh.UnsafeView, product, size=size)
    a = unsqueeze(input, 0) if input.ndim == 1 else input
    b = unsqueeze(other, 1) if other.ndim == 1 else other
    if a.shape[-1] != b.shape[-2]:
        raise RuntimeError(
            "Expected size for first two dimensions of batch2 tensor to be: "
            f"[{a.shape[0]}, {a.shape[-1]}] but got: [{b.shape[0]}, {b.shape[-2]}]."
        )
    batch = np.broadcast_shapes(tuple(a.shape[:-2]), tuple(b.shape[:-2]))
    n = math.prod(batch)
    left = reshape(expand(a, (*batch, *a.shape[-2:])), (n, *a.shape[-2:]))
    right = reshape(expand(b, (*batch, *b.shape[-2:])), (n, *b.shape[-2:]))
    product = bmm(left, right)
    size = (*batch, *product.shape[-2:])
    if input.ndim == 1:
        size = (*size[:-2], size[-1])
    if other.ndim == 1:
        size = size[:-1]
    return apply(sh.UnsafeView, product, size=tuple(size))

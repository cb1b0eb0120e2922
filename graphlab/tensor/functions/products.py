"""Products of vectors, matrices and batches, with PyTorch's checks and error messages.

Read next: tensor/functions/matrix_product.py
"""

from typing import Any

from graphlab.autograd.record import applied, apply
from graphlab.common.dtypes import number_as
from graphlab.common.public import public
from graphlab.ops import linalg as la
from graphlab.tensor.functions.checks import (
    c_name,
    can_fit,
    check_types,
    check_vector,
    not_for,
    some_dim,
    type_name,
)
from graphlab.tensor.functions.shapes import expand
from graphlab.tensor.tensor import Tensor


def no_bool(name: str, *tensors: Tensor) -> None:
    """Raise NotImplementedError for tensors of bool, which PyTorch does not multiply."""
    if tensors[0]._data.dtype.kind == "b" and all(t._data.size for t in tensors):
        raise not_for(name, tensors[0])


def fits(input: Tensor, size: tuple[int, ...]) -> None:
    """Raise RuntimeError when `input` cannot be added to a product of this size."""
    if input._data.shape != size and not can_fit(input._data.shape, size):
        expand(input, size)  # says what is wrong


def size_at(x: Tensor, dim: int) -> int:
    """Return the size of one dimension. Raises: IndexError when there is no such dimension."""
    return x.shape[some_dim(dim, x.ndim)]


def weights(input: Tensor, beta: Any, alpha: Any) -> dict[str, Any]:
    """Return the factors of a sum, as integers beside integers."""
    kind = input._data.dtype
    held = [number_as(factor, kind) for factor in (beta, alpha)]
    if kind.kind != "f":
        beta, alpha = map(int, held)
    return {"beta": beta, "alpha": alpha}


# -- vectors -----------------------------------------------------------------------------------


@public(method=True, out=True)
def dot(input: Tensor, tensor: Tensor) -> Tensor:
    """Return the dot product of two vectors. input: (N,), tensor: (N,) -> ().

    >>> torch.dot(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))
    tensor(11.)
    """
    check_vectors(input, tensor)
    return apply(la.Dot, input, tensor).to(input.dtype)  # small integers stay small


@public(method=True, out=True)
def vdot(input: Tensor, other: Tensor) -> Tensor:
    """Return the dot product of two vectors, as `dot` does for real entries.

    input, other: (N,) -> ().

    >>> torch.vdot(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))
    tensor(11.)
    """
    check_vectors(input, other)
    return apply(la.Vdot, input, other).to(input.dtype)


def check_vectors(a: Tensor, b: Tensor) -> None:
    """Raise RuntimeError unless they are two vectors of one length and type."""
    if a.ndim != 1 or b.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {a.ndim}D and {b.ndim}D tensors")
    if a._data.dtype != b._data.dtype:
        raise RuntimeError(
            "dot : expected both vectors to have same dtype, but found "
            f"{type_name(a)} and {type_name(b)}"
        )
    if len(a) != len(b):
        raise RuntimeError(
            "inconsistent tensor size, expected tensor "
            f"[{len(a)}] and src [{len(b)}] to have the same number of elements, but got "
            f"{len(a)} and {len(b)} elements respectively"
        )
    no_bool("dot", a, b)


@public(method=True, out=True)
def mv(input: Tensor, vec: Tensor) -> Tensor:
    """Return the product of a matrix and a vector. input: (N, M), vec: (M,) -> (N,).

    >>> torch.mv(torch.eye(2), torch.tensor([1.0, 2.0]))
    tensor([1., 2.])
    """
    check_matrix_vector(vec, input, vec, (size_at(input, 0),))
    return apply(la.Mv, input, vec)


@public(method=True, in_place=True, out=True)
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """Return beta * input + alpha * mat @ vec. input: (N,), mat: (N, M), vec: (M,) -> (N,).

    beta, alpha: numbers, 1 by default.

    >>> torch.addmv(torch.ones(2), torch.eye(2), torch.tensor([3.0, 4.0]))
    tensor([4., 5.])
    """
    check_matrix_vector(input, mat, vec, input.shape)
    return apply(la.Addmv, input, mat, vec, **weights(input, beta, alpha))


def check_matrix_vector(input: Tensor, mat: Tensor, vec: Tensor, added: tuple[int, ...]) -> None:
    """Raise RuntimeError when a tensor of size `added` + mat @ vec does not fit together."""
    if mat.ndim != 2 or vec.ndim != 1 or len(added) > 1:
        raise RuntimeError(
            f"vector + matrix @ vector expected, got {len(added)}, {mat.ndim}, {vec.ndim}"
        )
    rows, columns = mat.shape
    if columns != len(vec) or added not in ((), (1,), (rows,)):
        size = added[0] if added else 1
        raise RuntimeError(
            f"size mismatch, got input ({size}), mat ({rows}x{columns}), vec ({len(vec)})"
        )
    if not input._data.dtype == mat._data.dtype == vec._data.dtype:
        raise RuntimeError(
            "addmv input tensors must have the same dtype, but got "
            f"{type_name(input)}, {type_name(mat)}, and {type_name(vec)}"
        )
    no_bool("addmv_impl_cpu", mat, vec)


@public(method=True, in_place=True, out=True)
def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """Return beta * input + alpha * the outer product of two vectors.

    input: (N, M) or broadcast, vec1: (N,), vec2: (M,) -> (N, M). beta, alpha: 1 by default.

    >>> torch.addr(torch.zeros(2, 2), torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))
    tensor([[3., 4.],
            [6., 8.]])
    """
    check_vector("addr", "vec1", vec1)
    check_vector("addr", "vec2", vec2)
    if input._data.dtype.kind != "f":
        for name, factor in (("beta", beta), ("alpha", alpha)):
            if isinstance(factor, float):
                raise RuntimeError(
                    f"For integral input tensors, argument {name} must not be a floating point "
                    "number."
                )
    fits(input, (len(vec1), len(vec2)))
    return apply(la.Addr, input, vec1, vec2, beta=beta, alpha=alpha)


# -- matrices ----------------------------------------------------------------------------------


_mm = applied(la.Mm)


@public(method=True, out=True)
def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """Return the product of two matrices. input: (N, K), mat2: (K, M) -> (N, M).

    >>> torch.mm(torch.eye(2), torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[1., 2.],
            [3., 4.]])
    """
    check_product(input, mat2)
    return _mm(input, mat2)


def check_product(a: Tensor, b: Tensor) -> None:
    """Raise RuntimeError when two matrices cannot be multiplied."""
    x, y = a._data, b._data
    if x.ndim != 2:
        raise RuntimeError("self must be a matrix")
    if y.ndim != 2:
        raise RuntimeError("mat2 must be a matrix")
    if x.shape[1] != y.shape[0]:
        raise RuntimeError(
            "mat1 and mat2 shapes cannot be multiplied "
            f"({x.shape[0]}x{x.shape[1]} and {y.shape[0]}x{y.shape[1]})"
        )
    if x.dtype is not y.dtype and x.dtype != y.dtype:
        raise RuntimeError(
            f"expected m1 and m2 to have the same dtype, but got: {c_name(a)} != {c_name(b)}"
        )
    no_bool("addmm_impl_cpu_", a, b)


@public(method=True, in_place=True, out=True)
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """Return beta * input + alpha * mat1 @ mat2.

    input: (N, M) or broadcast, mat1: (N, K), mat2: (K, M) -> (N, M). beta, alpha: 1 by default.

    >>> torch.addmm(torch.ones(2), torch.eye(2), torch.eye(2))
    tensor([[2., 1.],
            [1., 2.]])
    """
    for name, t in (("self", input), ("mat1", mat1)):
        if t._data.dtype != mat2._data.dtype:
            raise RuntimeError(
                f"{name} and mat2 must have the same dtype, but got {type_name(t)} and "
                f"{type_name(mat2)}"
            )
    for name, t in (("mat1", mat1), ("mat2", mat2)):
        if t._data.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix, got {t.ndim}-D tensor")
    check_product(mat1, mat2)
    fits(input, (mat1._data.shape[0], mat2._data.shape[1]))
    return apply(la.Addmm, input, mat1, mat2, **weights(input, beta, alpha))


# -- batches -----------------------------------------------------------------------------------


@public(method=True, out=True)
def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """Return the product of each pair of matrices in two batches.

    input: (B, N, K), mat2: (B, K, M) -> (B, N, M).

    >>> torch.bmm(torch.ones(5, 2, 3), torch.ones(5, 3, 4)).shape
    torch.Size([5, 2, 4])
    """
    check_batches(input, mat2)
    return apply(la.Bmm, input, mat2)


def need_batches(batch1: Tensor, batch2: Tensor) -> None:
    """Raise RuntimeError unless both have three dimensions."""
    for name, t in (("batch1", batch1), ("batch2", batch2)):
        if t._data.ndim != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")


def check_batches(a: Tensor, b: Tensor) -> None:
    """Raise RuntimeError unless they are two batches of matrices that fit."""
    need_batches(a, b)
    own, theirs = a._data.shape, b._data.shape
    expected, got = [own[0], own[2]], [*theirs[:2]]
    if expected != got:
        raise RuntimeError(
            "Expected size for first two dimensions of batch2 tensor to be: "
            f"{expected} but got: {got}."
        )
    check_types(a, b)
    no_bool("bmm", a, b)


@public(method=True, in_place=True, out=True)
def baddbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1
) -> Tensor:
    """Return beta * input + alpha * batch1 @ batch2.

    input: (B, N, M) or broadcast, batch1: (B, N, K), batch2: (B, K, M) -> (B, N, M).
    beta, alpha: numbers, 1 by default.

    >>> torch.baddbmm(torch.ones(1), torch.ones(2, 1, 3), torch.ones(2, 3, 1)).flatten()
    tensor([4., 4.])
    """
    fits(input, (size_at(batch1, 0), size_at(batch1, 1), size_at(batch2, 2)))
    check_batches(batch1, batch2)
    check_types(batch1, input)
    return apply(la.Baddbmm, input, batch1, batch2, **weights(input, beta, alpha))


@public(method=True, in_place=True, out=True)
def addbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1
) -> Tensor:
    """Return beta * input + alpha * the sum of batch1 @ batch2 over the batch.

    input: (N, M) or broadcast, batch1: (B, N, K), batch2: (B, K, M) -> (N, M). beta, alpha: 1 by
    default.

    >>> torch.addbmm(torch.ones(1, 1), torch.ones(2, 1, 3), torch.ones(2, 3, 1))
    tensor([[7.]])
    """
    size_at(batch1, 0)
    fits(input, (size_at(batch1, 1), size_at(batch2, 2)))
    need_batches(batch1, batch2)
    a, b = batch1.shape, batch2.shape
    if a[0] != b[0]:
        raise RuntimeError(
            f"batch1 and batch2 must have same number of batches, got {a[0]} and {b[0]}"
        )
    if a[2] != b[1]:
        raise RuntimeError(f"Incompatible matrix sizes for bmm ({a[1]}x{a[2]} and {b[1]}x{b[2]})")
    check_types(batch1, batch2)
    check_types(batch1, input)
    no_bool("bmm", batch1, batch2)
    return apply(la.Addbmm, input, batch1, batch2, **weights(input, beta, alpha))

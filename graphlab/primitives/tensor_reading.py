"""The primitives for tensors: recorded operations, which is all that `create_graph=True` needs.

A rule that calls these is recorded, operation by operation, so its result can be differentiated.
Importing this module fills `tensor_primitives`; `tensor_namespace` imports it when the
first such pass begins. The order is that of table.py.

Read next: primitives/sympy_reading/__init__.py
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphlab.autograd.record import applied, apply
from graphlab.ops import arrange as arrange_ops
from graphlab.ops import indexing as ix
from graphlab.ops import linalg
from graphlab.ops import putting as putting_ops
from graphlab.ops import special_functions as special
from graphlab.ops.attention import SafeSoftmax
from graphlab.ops.convolution import Col2im, ConstantPadNd, Im2col
from graphlab.primitives import tensor_primitives
from graphlab.primitives.numpy_reading import elementary, matrices, scatter_gather
from graphlab.primitives.table import FAMILIES, complete
from graphlab.tensor import creation
from graphlab.tensor import functions as F
from graphlab.tensor.functions import (
    arrange,
    contractions,
    factoring,
    joining,
    matrix_product,
    pointwise,
    putting,
    reductions,
    rounding,
    shapes,
    solving,
    splitting,
    statistics,
    transcendental,
)
from graphlab.tensor.functions.checks import given_dim
from graphlab.tensor.tensor import Tensor, wrap

Sizes = tuple[int, ...]
Key = tuple[Any, ...]

# The primitives that tensors have as functions, and the constants, by the module that has them.
FUNCTIONS = {
    elementary: "ln_2 ln_10 pi root_2 root_pi trillionth",
    matrices: "scale_of",
    creation: "ones_like zeros_like",
    pointwise: "abs cos eq exp ge gt isfinite isnan le log lt sigmoid sign sin sqrt tanh where",
    F: "cosh digamma erf erfc erfinv exp2 expm1 i0 lgamma log1p polygamma sinh xlogy",
    transcendental: "xlog1py",
    rounding: "floor trunc",
    shapes: "expand reshape squeeze transpose",
    arrange: "flip roll tril triu",
    joining: "cat stack",
    splitting: "unbind",
    reductions: "sum",
    statistics: "amax amin cumprod cumsum",
    factoring: "matrix_exp pinv",
    solving: "inv solve",
}
cross = contractions.linalg_cross
i0e, i1, i1e = map(applied, (special.SpecialI0e, special.SpecialI1, special.SpecialI1e))
maximum = pointwise._maximum


def constant(array: Any, x: Tensor) -> Tensor:
    """Fixed numbers, in the type of x."""
    return wrap(np.asarray(array, x._data.dtype), False, None)


def zeros_beside(sizes: Sequence[int], x: Tensor) -> Tensor:
    """Zeros of these sizes, in the type of x."""
    return constant(np.zeros(sizes), x)


def divide_down(x: Tensor, y: Tensor) -> Tensor:
    """x / y, rounded down."""
    return rounding.div(x, y, rounding_mode="floor")


def in_order(x: Tensor, images: bool = False) -> Tensor:
    """The same tensor, or a copy that lies row by row in memory."""
    return pointwise.contiguous(x)


def softplus(x: Tensor) -> Tensor:
    """log(1 + exp(x)), without overflow."""
    return maximum(x, x * 0) + F.log1p(pointwise.exp(-pointwise.abs(x)))


def unless(mask: Any, x: Tensor) -> Tensor:
    """x where the mask does not hold, 0 elsewhere."""
    return pointwise.where(mask, 0, x)


def size(x: Any) -> tuple[int, ...]:
    """The shape as a plain tuple."""
    return tuple(x.shape)


def sum_to(x: Tensor, size: tuple[int, ...]) -> Tensor:
    """Sum `x` back to `size`, undoing a broadcast."""
    lead = x.ndim - len(size)
    kept = tuple(lead + i for i, n in enumerate(size) if n == 1 != x.shape[lead + i])
    if lead or kept:
        x = reductions.sum(x, (*range(lead), *kept), keepdim=True)
    return shapes.reshape(x, size) if lead else x


def permute(x: Tensor, dims: tuple[int, ...] | None = None) -> Tensor:
    """The dimensions in the order of `dims`, or in reverse order."""
    return shapes.permute(x, tuple(range(x.ndim))[::-1] if dims is None else dims)


def unsqueeze(x: Any, dim: int) -> Any:
    """A new dimension of size 1, of a tensor or of raw indices."""
    return shapes.unsqueeze(x, dim) if isinstance(x, Tensor) else np.expand_dims(x, dim)


def rot90(x: Tensor, k: int, dims: tuple[int, int]) -> Tensor:
    """Rotated `k` times by 90 degrees."""
    return apply(arrange_ops.Rot90, x, k=k, dims=dims)


def raw(part: Any) -> Any:
    """The data of an index, which may be a tensor."""
    return part._data if isinstance(part, Tensor) else part


def wrapped(index: Any) -> Tensor:
    """An index, which may be raw data, as a tensor."""
    return index if isinstance(index, Tensor) else wrap(np.asarray(index)[()], False, None)


def select(x: Tensor, dim: int, index: int) -> Tensor:
    """One index along `dim`."""
    return apply(ix.Select, x, dim=dim, index=index)


def slice_(x: Tensor, dim: int, start: int, end: int, step: int) -> Tensor:
    """A range along `dim`."""
    return apply(ix.Slice, x, dim=dim, start=start, end=end, step=step)


def put_slice(x: Tensor, sizes: Sizes, dim: int, index: int | slice) -> Tensor:
    """Zeros of `sizes` with `x` at `index` along `dim`."""
    return apply(ix.PutSlice, x, sizes=tuple(sizes), dim=dim, index=index)


def take(x: Tensor, key: Key) -> Tensor:
    """x[key]."""
    return apply(ix.Index, x, indices=tuple(map(raw, key)))


def put_at(values: Tensor, sizes: Sizes, key: Key) -> Tensor:
    """Zeros of `sizes` with `values` added at `key`."""
    return apply(ix.PutAt, values, sizes=tuple(sizes), indices=tuple(map(raw, key)))


def at_dim(dim: int, part: Any, sizes: Sizes) -> Key:
    """The key that names `part` along one dimension."""
    return scatter_gather.at_dim(dim, raw(part), sizes)


def put(x: Tensor, key: Key, values: Any) -> Tensor:
    """A copy with `values`, entries or one number, at `key`."""
    if not isinstance(values, Tensor):
        values = wrap(x._data.dtype.type(values), False, None)
    return apply(putting_ops.IndexPut, x, values, indices=tuple(map(raw, key)))


def gather(x: Tensor, dim: int, index: Any) -> Tensor:
    """The entries that `index` names along `dim`."""
    return apply(ix.Gather, x, index, dim=dim)


def scatter(x: Tensor, dim: int, index: Any, values: Any) -> Tensor:
    """A copy of `x` with `values` at `index` along `dim`."""
    return putting.scatter(x, dim, wrapped(index), values)


def put_along(values: Tensor, sizes: Sizes, dim: int, index: Any) -> Tensor:
    """Zeros of `sizes` with `values` at `index` along `dim`."""
    return apply(ix.PutAlong, values, sizes=tuple(sizes), dim=dim, index=raw(index))


def combine_along(
    x: Tensor, dim: int, index: Any, src: Tensor, reduce: str, include_self: bool
) -> Tensor:
    """`src` combined with a copy of `x` at `index`."""
    options = {"dim": dim, "reduce": reduce, "include_self": include_self}
    return apply(putting_ops.ScatterReduce, x, wrapped(index), src, **options)


def diagonal(x: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
    """The diagonal of the matrices in two dimensions."""
    return apply(arrange_ops.Diagonal, x, offset=offset, dim1=dim1, dim2=dim2)


def put_diagonal(x: Tensor, sizes: tuple[int, ...], offset: int, dim1: int, dim2: int) -> Tensor:
    """Zeros of `sizes` with `x` on a diagonal."""
    options = {"sizes": tuple(sizes), "offset": offset, "dim1": dim1, "dim2": dim2}
    return apply(arrange_ops.DiagEmbed, x, **options)


def matmul(x: Tensor, y: Tensor, strides: tuple[int, ...] = ()) -> Tensor:
    """x @ y, the product laid out as for arrays."""
    if x.ndim == 2 and strides == (1, x.shape[0]):
        return shapes.transpose(matrix_product.matmul(mT(y), mT(x)), 0, 1)
    return matrix_product.matmul(x, y)


def mT(x: Tensor) -> Tensor:
    """The transpose of each matrix."""
    return shapes.transpose(x, -2, -1)


def eye_like(x: Tensor) -> Tensor:
    """1 on the diagonal and 0 elsewhere, a constant."""
    return wrap(matrices.eye_like(x._data), False, None)


def trilinear(i1: Any, i2: Any, i3: Any, *dims: Any) -> Tensor:
    """The sum of the products of three factors."""
    names = ("expand1", "expand2", "expand3", "sumdim")
    return apply(linalg.Trilinear, i1, i2, i3, **dict(zip(names, dims, strict=True)))


def solve_triangular(A: Tensor, B: Tensor, upper: bool, unitriangular: bool = False) -> Tensor:
    """X with A X = B for a triangular A."""
    return solving.solve_triangular(A, B, upper=upper, unitriangular=unitriangular)


def cofactors(A: Tensor) -> Tensor:
    """det(A) A⁻ᵀ; from singular values where A has no inverse."""
    size = solving.det(A)
    if np.all(size._data != 0):
        return unsqueeze(unsqueeze(size, -1), -1) * mT(solving.inv(A))
    U, S, Vh = factoring.factors(A, False)
    sign = unsqueeze(solving.det(U) * solving.det(Vh), -1)
    c = tensor_primitives["others"](S, S.ndim - 1)
    return (U * unsqueeze(sign * c, -2)) @ Vh


def windows(
    x: Tensor, kernel: Sizes, places: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes
) -> Tensor:
    """What the window covers at each place."""
    options = {"dilation": dilation, "padding": padding, "stride": stride, "places": places}
    return apply(Im2col, x, kernel_size=kernel, **options)


def add_windows(
    columns: Tensor,
    sizes: Sizes,
    kernel: Sizes,
    places: Sizes,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
) -> Tensor:
    """The columns added up where the window was."""
    options = {"dilation": dilation, "padding": padding, "stride": stride, "places": places}
    return apply(Col2im, columns, output_size=sizes, kernel_size=kernel, **options)


def constant_pad(x: Tensor, pad: tuple[int, ...], value: float) -> Tensor:
    """A border of one number."""
    return apply(ConstantPadNd, x, pad=pad, value=value)


def beside(weight: np.ndarray, dim: int, x: Tensor) -> Tensor:
    """Weights for the dimensions `dim` and `dim + 1` of x."""
    return constant(weight.reshape(*weight.shape, *(1,) * (x.ndim - dim - 2)), x)


def resample(x: Tensor, dim: int, place: np.ndarray, weight: np.ndarray) -> Tensor:
    """Σₜ weight[i, t] x[place[i, t]] along `dim`."""
    seen = take(x, (*(None,) * dim, place))
    return reductions.sum(seen * beside(weight, dim, seen), (dim + 1,))


def resample_back(grad: Tensor, n: int, dim: int, place: np.ndarray, weight: np.ndarray) -> Tensor:
    """The gradient of `resample`."""
    sizes = (*grad.shape[:dim], n, *grad.shape[dim + 1 :])
    grad = unsqueeze(grad, dim + 1)
    return put_at(grad * beside(weight, dim, grad), sizes, (*(None,) * dim, place))


def safe_softmax(x: Tensor, dim: int) -> Tensor:
    """A softmax that is 0 where every entry is -∞."""
    return apply(SafeSoftmax, x, dim=given_dim(dim, x.ndim))


def raw_entries(x: Tensor) -> np.ndarray:
    """The entries as an array."""
    return np.asarray(x._data)


for _module, _names in FUNCTIONS.items():
    tensor_primitives.update((name, getattr(_module, name)) for name in _names.split())
_own = {name for family in FAMILIES.values() for name in family.own.split()}
for _name in _own - tensor_primitives.keys():
    if _name not in globals():
        raise NameError(f"{_name!r} is own in primitives/table.py: write it in tensor_reading.py")
    tensor_primitives[_name] = globals()[_name]
complete(tensor_primitives)

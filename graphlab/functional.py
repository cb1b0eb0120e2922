"""The operations as functions of tensors, and as methods: `log(d)`, `d.log()`, `a * b`.

Here dims are counted, defaults filled in and overloads chosen; the mathematics is in ops/, the
recording in autograd/record.py. These functions are also the words in which the rules are read
for tensors, which is all that `create_graph=True` needs.

Read next: autograd/engine.py
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from graphlab import ops
from graphlab.autograd.node import tensor_words
from graphlab.autograd.record import apply, binary, is_operand, operand, unary
from graphlab.creation import ones_like, zeros_like
from graphlab.dtypes import dtype, get_default_dtype
from graphlab.tensor import Tensor, share_memory, wrap

Dim = int | Sequence[int] | None

e, r, la, sh, ix = ops.elementwise, ops.reduction, ops.linalg, ops.shape, ops.indexing

# -- entry by entry ----------------------------------------------------------------------------

neg = unary(e.Neg)
reciprocal = unary(e.Reciprocal)
exp = unary(e.Exp)
log = unary(e.Log)
log1p = unary(e.Log1p)
sqrt = unary(e.Sqrt)
rsqrt = unary(e.Rsqrt)
sin = unary(e.Sin)
cos = unary(e.Cos)
tanh = unary(e.Tanh)
sigmoid = unary(e.Sigmoid)
relu = unary(e.Relu)
abs = unary(e.Abs)
_sign = unary(e.Sign)


def sign(input: Tensor) -> Tensor:
    """-1, 0 or 1; of bools, themselves."""
    return clone(input) if input._data.dtype.kind == "b" else _sign(input)


mul = binary(e.Mul)
div = binary(e.Div)
maximum = binary(e.Maximum)
minimum = binary(e.Minimum)
_add = binary(e.Add, alpha=True)
_sub = binary(e.Sub, alpha=True)


def add(input: Tensor, other: Any, *, alpha: float = 1) -> Tensor:
    """input + alpha * other."""
    return _add(input, other) if alpha == 1 else apply(e.Add, input, operand(other), alpha=alpha)


def sub(input: Tensor, other: Any, *, alpha: float = 1) -> Tensor:
    """input - alpha * other."""
    return _sub(input, other) if alpha == 1 else apply(e.Sub, input, operand(other), alpha=alpha)


def rsub(input: Tensor, other: Any, *, alpha: float = 1) -> Tensor:
    """other - alpha * input."""
    if isinstance(other, Tensor):
        return sub(other, input, alpha=alpha)
    if not is_operand(other):
        return NotImplemented
    input = floating_beside(input, other)
    return apply(e.Rsub, input, other=operand(other), alpha=alpha)


def floating_beside(tensor: Tensor, number: Any) -> Tensor:
    """A tensor of integers beside a Python float takes the default type."""
    floating = isinstance(number, float) and tensor._data.dtype.kind != "f"
    return tensor.to(get_default_dtype()) if floating else tensor


def pow(self: Any, exponent: Any) -> Tensor:
    """A power; either side may be a number."""
    if not isinstance(self, Tensor):
        return apply(e.PowBase, floating_beside(exponent, self), self=operand(self))
    if isinstance(exponent, Tensor):
        return apply(e.PowTensor, self, exponent)
    if not is_operand(exponent):
        return NotImplemented
    self = floating_beside(self, exponent)
    if self._data.dtype.kind == "b":
        self = self.long()
    return apply(e.Pow, self, exponent=operand(exponent))


def square(input: Tensor) -> Tensor:
    """input ** 2."""
    return pow(input, 2)


def where(condition: Tensor, input: Any, other: Any) -> Tensor:
    """`input` where the condition holds, `other` elsewhere."""
    return apply(e.Where, condition, input, other)


def clone(input: Tensor) -> Tensor:
    """A copy in memory of its own, through which gradients flow."""
    return apply(e.Clone, input)


def compare(name: str, function: Any) -> Any:
    """A comparison: a tensor of bool, outside the graph."""

    def call(input: Tensor, other: Any) -> Tensor:
        if not is_operand(other):
            return NotImplemented
        right = other._data if isinstance(other, Tensor) else other
        return wrap(function(input._data, right), False, None)

    call.__name__ = name
    call.__doc__ = f"Where `input` is {name} `other`, entry by entry: a tensor of bool."
    return call


eq = compare("eq", np.equal)
ne = compare("ne", np.not_equal)
lt = compare("lt", np.less)
le = compare("le", np.less_equal)
gt = compare("gt", np.greater)
ge = compare("ge", np.greater_equal)


def plain(function: Any) -> Any:
    """A function of data alone, outside the graph."""

    def call(input: Tensor) -> Tensor:
        return wrap(function(input._data), False, None)

    return call


def both(function: Any) -> Any:
    """A function of two tensors of bool or integers, outside the graph."""

    def call(input: Tensor, other: Any) -> Tensor:
        right = other._data if isinstance(other, Tensor) else other
        return wrap(function(input._data, right), False, None)

    return call


logical_and = both(np.logical_and)
logical_or = both(np.logical_or)
bitwise_and = both(np.bitwise_and)
bitwise_or = both(np.bitwise_or)
isnan = plain(np.isnan)
isinf = plain(np.isinf)
isfinite = plain(np.isfinite)
logical_not = plain(np.logical_not)

# -- reductions --------------------------------------------------------------------------------


def one_dim(dim: int, ndim: int) -> int:
    """A dimension counted from the front; IndexError, as PyTorch says it, when out of range."""
    size = ndim or 1  # a 0-d tensor may be reduced over dim 0
    low, high = -size, size - 1
    if not low <= dim <= high:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{low}, {high}], but got {dim})"
        )
    return dim % size


def dims_of(dim: Dim, ndim: int) -> tuple[int, ...]:
    """The dimensions of a reduction, counted from the front; all of them for None."""
    if dim is None:
        return tuple(range(ndim))
    given = (dim,) if isinstance(dim, int) else tuple(dim)
    return tuple(one_dim(d, ndim) for d in given) if ndim else ()


def sum(
    input: Tensor, dim: Dim = None, keepdim: bool = False, *, dtype: dtype | None = None
) -> Tensor:
    """The sum of all entries, or along `dim`."""
    if dtype is not None:
        input = input.to(dtype)
    if dim is None:
        return apply(r.Sum, input)
    return apply(r.SumDim, input, dim=dims_of(dim, input.ndim), keepdim=keepdim)


def mean(
    input: Tensor, dim: Dim = None, keepdim: bool = False, *, dtype: dtype | None = None
) -> Tensor:
    """The mean of all entries, or along `dim`."""
    if dtype is not None:
        input = input.to(dtype)
    if not input.is_floating_point():
        raise RuntimeError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or "
            f"complex dtype. Got: {input.dtype.name.capitalize().replace('Int64', 'Long')}"
        )
    if dim is None:
        return apply(r.Mean, input)
    return apply(r.MeanDim, input, dim=dims_of(dim, input.ndim), keepdim=keepdim)


class _Extremum(NamedTuple):
    values: Tensor
    indices: Tensor


class _max(_Extremum):
    __slots__ = ()

    def __repr__(self) -> str:
        name = type(self).__name__.lstrip("_")
        return f"torch.return_types.{name}(\nvalues={self.values!r},\nindices={self.indices!r})"


class _min(_max):
    __slots__ = ()


def max(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    """The largest entry; along `dim` a pair (values, indices); of two tensors, entry by entry."""
    if isinstance(dim, Tensor):
        return maximum(input, dim)
    if dim is None:
        return apply(r.Max, not_empty(input, "max"))
    return _max(*apply(r.MaxDim, input, dim=one_dim(dim, input.ndim), keepdim=keepdim))


def min(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    """The smallest entry; along `dim` a pair (values, indices); of two tensors, entry by entry."""
    if isinstance(dim, Tensor):
        return minimum(input, dim)
    if dim is None:
        return apply(r.Min, not_empty(input, "min"))
    return _min(*apply(r.MinDim, input, dim=one_dim(dim, input.ndim), keepdim=keepdim))


def not_empty(input: Tensor, name: str) -> Tensor:
    """The tensor itself; RuntimeError, as PyTorch says it, when it has no entries."""
    if input.numel() == 0:
        raise RuntimeError(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0. "
            "Specify the reduction dim with the 'dim' argument."
        )
    return input


def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The index of the largest entry, outside the graph."""
    return wrap(np.int64(0) + np.argmax(input._data, dim, keepdims=keepdim), False, None)


def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The index of the smallest entry, outside the graph."""
    return wrap(np.int64(0) + np.argmin(input._data, dim, keepdims=keepdim), False, None)


def softmax(input: Tensor, dim: int) -> Tensor:
    """exp(x) / Σ exp(x) along `dim`."""
    return apply(r.Softmax, input, dim=one_dim(dim, input.ndim))


def log_softmax(input: Tensor, dim: int) -> Tensor:
    """log softmax(x) along `dim`."""
    return apply(r.LogSoftmax, input, dim=one_dim(dim, input.ndim))


def logsumexp(input: Tensor, dim: Dim, keepdim: bool = False) -> Tensor:
    """log Σ exp(x) along `dim`."""
    return apply(r.Logsumexp, input, dim=dims_of(dim, input.ndim), keepdim=keepdim)


# -- products ----------------------------------------------------------------------------------


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


# -- shapes ------------------------------------------------------------------------------------


def size_from(given: tuple[Any, ...]) -> tuple[int, ...]:
    """`view(2, 3)` and `view((2, 3))` mean the same."""
    if len(given) == 1 and isinstance(given[0], Sequence):
        given = tuple(given[0])
    return tuple(int(n) for n in given)


def fill_in(size: tuple[int, ...], numel: int) -> tuple[int, ...]:
    """Replace the one -1 of a shape by what is left; RuntimeError when it does not fit."""
    if size.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    known = math.prod(n for n in size if n != -1)
    fits = numel % known == 0 if -1 in size and known else numel == known
    if not fits:
        raise RuntimeError(f"shape '{list(size)}' is invalid for input of size {numel}")
    return tuple(numel // known if n == -1 else n for n in size)


def view(input: Tensor, *size: Any) -> Tensor:
    """The same entries in another shape, in the same memory."""
    target = fill_in(size_from(size), input.numel())
    share_memory(input)
    data = input._data
    try:
        np.reshape(data, target, copy=False)
    except ValueError:
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one "
            "dimension spans across two contiguous subspaces). Use .reshape(...) instead."
        ) from None
    return apply(sh.View, input, size=target)


def reshape(input: Tensor, *size: Any) -> Tensor:
    """The same entries in another shape: a view where that is possible, else a copy."""
    target = fill_in(size_from(size), input.numel())
    share_memory(input)
    try:
        np.reshape(input._data, target, copy=False)
    except ValueError:
        return apply(sh.UnsafeView, clone(input), size=target)
    return apply(sh.View, input, size=target)


def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """The dimensions from `start_dim` to `end_dim` made one."""
    if input.ndim == 0:
        return reshape(input, 1)
    start, end = one_dim(start_dim, input.ndim), one_dim(end_dim, input.ndim)
    if start == end:
        return input
    return reshape(input, (*input.shape[:start], -1, *input.shape[end + 1 :]))


def t(input: Tensor) -> Tensor:
    """The transpose of a matrix."""
    if input.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D")
    return apply(sh.T, input)


def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two dimensions swapped."""
    return apply(
        sh.Transpose, input, dim0=one_dim(dim0, input.ndim), dim1=one_dim(dim1, input.ndim)
    )


def permute(input: Tensor, *dims: Any) -> Tensor:
    """The dimensions in another order; reversed when no order is given."""
    order = size_from(dims) if dims else tuple(range(input.ndim))[::-1]
    return apply(sh.Permute, input, dims=tuple(one_dim(d, input.ndim) for d in order))


def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """A new dimension of size 1 before `dim`."""
    return apply(sh.Unsqueeze, input, dim=one_dim(dim, input.ndim + 1))


def squeeze(input: Tensor, dim: int | None = None) -> Tensor:
    """Without the dimensions of size 1, or without `dim` if it has size 1."""
    shape = tuple(input.shape)
    if dim is None:
        return apply(sh.Squeeze, input, size=tuple(n for n in shape if n != 1))
    d = one_dim(dim, input.ndim)
    size = shape[:d] + shape[d + 1 :] if shape and shape[d] == 1 else shape
    return apply(sh.SqueezeDim, input, dim=d, size=size)


def expand(input: Tensor, *sizes: Any) -> Tensor:
    """Dimensions of size 1 repeated, without copying; -1 keeps a size."""
    wanted = size_from(sizes)
    lead = len(wanted) - input.ndim
    if lead < 0:
        raise RuntimeError(
            f"expand({c_type(input)}{{{list(input.shape)}}}, size={list(wanted)}): the number of "
            f"sizes provided ({len(wanted)}) must be greater or equal to the number of dimensions "
            f"in the tensor ({input.ndim})"
        )
    size = tuple(input.shape[i - lead] if n == -1 else n for i, n in enumerate(wanted))
    for i, n in enumerate(input.shape):
        if n not in (1, size[lead + i]):
            raise RuntimeError(
                f"The expanded size of the tensor ({size[lead + i]}) must match the existing size "
                f"({n}) at non-singleton dimension {lead + i}.  Target sizes: {list(size)}.  "
                f"Tensor sizes: {list(input.shape)}"
            )
    return apply(sh.Expand, input, size=size)


def c_type(tensor: Tensor) -> str:
    """The tensor type as error messages name it: torch.FloatTensor."""
    return f"torch.{tensor.dtype.legacy}"


def cat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Tensors end to end along `dim`."""
    return apply(ix.Cat, *tensors, dim=one_dim(dim, tensors[0].ndim))


def stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Tensors of one shape along a new dimension."""
    return apply(ix.Stack, *tensors, dim=one_dim(dim, tensors[0].ndim + 1))


def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """The slices along `dim`."""
    return apply(ix.Unbind, input, dim=one_dim(dim, input.ndim))


# -- the words of the rules, for tensors -------------------------------------------------------


def sum_to(grad: Tensor, size: tuple[int, ...]) -> Tensor:
    """Sum `grad` back to `size`, undoing a broadcast."""
    lead = grad.ndim - len(size)
    kept = tuple(lead + i for i, n in enumerate(size) if n == 1)
    if lead or kept:
        grad = sum(grad, (*range(lead), *kept), keepdim=True)
    return reshape(grad, size)


def restore_dims(x: Tensor, sizes: tuple[int, ...], dim: Any, keepdim: bool) -> Tensor:
    """Stretch what a reduction over `dim` left back to the `sizes` it came from."""
    if not keepdim and dim is not None:
        x = reshape(x, tuple(1 if d in dim else n for d, n in enumerate(sizes)))
    return expand(x, sizes)


def unreduce(grad: Tensor, sizes: tuple[int, ...], reduction: int) -> Tensor:
    """What a reduction of losses sends back to each loss."""
    if reduction == 0:
        return grad
    return expand(grad / math.prod(sizes) if reduction == 1 else grad, sizes)


def softplus_word(x: Tensor) -> Tensor:
    """log(1 + exp(x)), without overflow."""
    return maximum(x, x * 0) + log1p(exp(-abs(x)))


def size_word(x: Any) -> tuple[int, ...]:
    """The shape as a plain tuple."""
    return tuple(x.shape)


def unsqueeze_word(x: Any, dim: int) -> Any:
    """A new dimension of size 1, of a tensor or of raw indices."""
    return unsqueeze(x, dim) if isinstance(x, Tensor) else np.expand_dims(x, dim)


def raw_index(index: Any) -> Any:
    """The data of an index, which may be a tensor."""
    return index._data if isinstance(index, Tensor) else index


tensor_words.update(
    abs=abs,
    cat=lambda tensors, dim: cat(tensors, dim),
    cos=cos,
    count=ops.vocabulary.count,
    eq=eq,
    exp=exp,
    expand=expand,
    gather=lambda x, dim, index: apply(ix.Gather, x, index, dim=dim),
    ge=ge,
    gt=gt,
    log=log,
    lt=lt,
    matmul=matmul,
    ones_like=ones_like,
    permute=permute,
    put_along=lambda x, sizes, dim, index: apply(
        ix.PutAlong, x, sizes=tuple(sizes), dim=dim, index=raw_index(index)
    ),
    put_at=lambda x, sizes, key: apply(ix.PutAt, x, sizes=tuple(sizes), indices=key),
    put_slice=lambda x, sizes, dim, index: apply(
        ix.PutSlice, x, sizes=tuple(sizes), dim=dim, index=index
    ),
    reshape=reshape,
    restore_dims=restore_dims,
    select=lambda x, dim, index: apply(ix.Select, x, dim=dim, index=index),
    sigmoid=sigmoid,
    sign=sign,
    sin=sin,
    size=size_word,
    slice_=lambda x, dim, start, end, step: apply(
        ix.Slice, x, dim=dim, start=start, end=end, step=step
    ),
    softplus=softplus_word,
    squeeze=squeeze,
    stack=stack,
    sum=sum,
    sum_to=sum_to,
    take=lambda x, key: apply(ix.Index, x, indices=key),
    transpose=transpose,
    unbind=unbind,
    unreduce=unreduce,
    unsqueeze=unsqueeze_word,
    where=where,
    zeros_like=zeros_like,
)

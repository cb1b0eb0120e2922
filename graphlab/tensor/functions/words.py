"""The words of the rules, for tensors: this is all that `create_graph=True` needs.

A rule read against these words runs in recorded operations, so its result can be differentiated
again.

Read next: autograd/engine.py
"""

import math
from typing import Any

import numpy as np

from graphlab.autograd.record import apply
from graphlab.autograd.tensor_reading import tensor_primitives
from graphlab.ops import indexing as ix
from graphlab.ops import norms, vocabulary
from graphlab.ops.base import read
from graphlab.tensor.creation import ones_like, zeros_like
from graphlab.tensor.functions.arrange import flip, roll, tril, triu
from graphlab.tensor.functions.matrix_product import matmul
from graphlab.tensor.functions.matrix_words import matrix_words
from graphlab.tensor.functions.move_words import move_words
from graphlab.tensor.functions.place_words import place_words
from graphlab.tensor.functions.pointwise import (
    _maximum,
    abs,
    cos,
    eq,
    exp,
    ge,
    gt,
    isfinite,
    isnan,
    le,
    log,
    log1p,
    lt,
    sigmoid,
    sign,
    sin,
    sqrt,
    tanh,
    where,
)
from graphlab.tensor.functions.probability import digamma, erfinv, polygamma, xlog1py
from graphlab.tensor.functions.putting import (
    scatter,
)
from graphlab.tensor.functions.reductions import sum
from graphlab.tensor.functions.rounding import floor, trunc
from graphlab.tensor.functions.shapes import (
    cat,
    expand,
    permute,
    reshape,
    squeeze,
    stack,
    transpose,
    unbind,
    unsqueeze,
)
from graphlab.tensor.functions.special import cosh, erf, erfc, exp2, expm1, sinh, xlogy
from graphlab.tensor.functions.statistics import (
    cumprod,
    cumsum,
)
from graphlab.tensor.functions.window_words import window_words
from graphlab.tensor.tensor import Tensor, wrap


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
        x = reshape(x, vocabulary.with_ones(sizes, dim))
    return expand(x, sizes)


def unreduce(grad: Tensor, sizes: tuple[int, ...], reduction: int) -> Tensor:
    """What a reduction of losses sends back to each loss."""
    if reduction == 0:
        return grad
    return expand(grad / math.prod(sizes) if reduction == 1 else grad, sizes)


def softplus_word(x: Tensor) -> Tensor:
    """log(1 + exp(x)), without overflow."""
    return _maximum(x, x * 0) + log1p(exp(-abs(x)))


def size_word(x: Any) -> tuple[int, ...]:
    """The shape as a plain tuple."""
    return tuple(x.shape)


def unsqueeze_word(x: Any, dim: int) -> Any:
    """A new dimension of size 1, of a tensor or of raw indices."""
    return unsqueeze(x, dim) if isinstance(x, Tensor) else np.expand_dims(x, dim)


def wrapped(index: Any) -> Tensor:
    """An index as a tensor, which may be raw data."""
    return index if isinstance(index, Tensor) else wrap(index, False, None)


def raw_index(index: Any) -> Any:
    """The data of an index, which may be a tensor."""
    return index._data if isinstance(index, Tensor) else index


tensor_primitives.update(
    abs=abs,
    addresses=vocabulary.addresses,
    cat=lambda tensors, dim: cat(tensors, dim),
    cos=cos,
    count=vocabulary.count,
    cumprod=cumprod,
    cumsum=cumsum,
    cosh=cosh,
    digamma=digamma,
    eq=eq,
    erf=erf,
    erfc=erfc,
    erfinv=erfinv,
    exp=exp,
    exp2=exp2,
    expm1=expm1,
    floor=floor,
    expand=expand,
    flip=flip,
    freedom=vocabulary.freedom,
    gather=lambda x, dim, index: apply(ix.Gather, x, index, dim=dim),
    ge=ge,
    gt=gt,
    inf=vocabulary.inf,
    isfinite=isfinite,
    isnan=isnan,
    le=le,
    ln_2=vocabulary.ln_2,
    ln_10=vocabulary.ln_10,
    log=log,
    log1p=log1p,
    lt=lt,
    matmul=lambda x, y, strides=(): matmul(x, y),
    maximum=_maximum,
    ones_like=ones_like,
    permute=lambda x, dims=None: permute(x, tuple(range(x.ndim))[::-1] if dims is None else dims),
    pi=vocabulary.pi,
    polygamma=polygamma,
    put_along=lambda x, sizes, dim, index: apply(
        ix.PutAlong, x, sizes=tuple(sizes), dim=dim, index=raw_index(index)
    ),
    put_at=lambda x, sizes, key: apply(
        ix.PutAt, x, sizes=tuple(sizes), indices=tuple(raw_index(part) for part in key)
    ),
    put_slice=lambda x, sizes, dim, index: apply(
        ix.PutSlice, x, sizes=tuple(sizes), dim=dim, index=index
    ),
    refused=vocabulary.refused,
    reshape=reshape,
    restore_dims=restore_dims,
    roll=roll,
    scatter=lambda x, dim, index, values: scatter(x, dim, wrapped(index), values),
    root_2=vocabulary.root_2,
    root_pi=vocabulary.root_pi,
    select=lambda x, dim, index: apply(ix.Select, x, dim=dim, index=index),
    sigmoid=sigmoid,
    sign=sign,
    sin=sin,
    sinh=sinh,
    size=size_word,
    slice_=lambda x, dim, start, end, step: apply(
        ix.Slice, x, dim=dim, start=start, end=end, step=step
    ),
    softplus=softplus_word,
    sqrt=sqrt,
    squeeze=squeeze,
    stack=stack,
    sum=sum,
    sum_to=sum_to,
    take=lambda x, key: apply(ix.Index, x, indices=tuple(raw_index(part) for part in key)),
    tanh=tanh,
    transpose=transpose,
    tril=tril,
    triu=triu,
    trillionth=vocabulary.trillionth,
    trunc=trunc,
    unbind=unbind,
    unless=lambda mask, x: where(mask, 0, x),
    unreduce=unreduce,
    unsqueeze=unsqueeze_word,
    where=where,
    without_derivative=vocabulary.without_derivative,
    xlog1py=xlog1py,
    xlogy=xlogy,
    zeros_like=zeros_like,
)
for name in norms.COMPOSED:
    tensor_primitives[name] = read(getattr(norms, name), tensor_primitives)
tensor_primitives["others"] = read(vocabulary.others, tensor_primitives)
tensor_primitives["same"] = read(vocabulary.same, tensor_primitives)
tensor_primitives.update(window_words(tensor_primitives))
tensor_primitives.update(place_words(tensor_primitives))
tensor_primitives.update(matrix_words(tensor_primitives))
tensor_primitives.update(move_words(tensor_primitives))

"""GraphLab: see autograd. Write a formula, look at its graph, walk the backward pass.

    >>> import graphlab as torch
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> y = x * x
    >>> y.backward()
    >>> x.grad
    tensor(6.)

The names are PyTorch's; `draw`, `trace`, `step`, `check` and `formula` are GraphLab's own.

Read next: ops/base.py
"""

from typing import TYPE_CHECKING, Any

from graphlab import autograd, linalg, methods, nn
from graphlab.autograd import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from graphlab.creation import (
    arange,
    as_tensor,
    empty,
    eye,
    from_numpy,
    full,
    linspace,
    ones,
    ones_like,
    rand,
    randint,
    randn,
    tensor,
    zeros,
    zeros_like,
)
from graphlab.creation_like import (
    empty_like,
    full_like,
    logspace,
    rand_like,
    randn_like,
)
from graphlab.dtypes import (
    bool_ as bool,
)
from graphlab.dtypes import (
    dtype,
    float16,
    float32,
    float64,
    get_default_dtype,
    int8,
    int16,
    int32,
    int64,
    set_default_dtype,
    uint8,
)
from graphlab.functional import (
    abs,
    acos,
    acosh,
    add,
    addcdiv,
    addcmul,
    addmm,
    all,
    amax,
    amin,
    any,
    argmax,
    argmin,
    argsort,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    atleast_1d,
    atleast_2d,
    bmm,
    broadcast_to,
    cat,
    ceil,
    chunk,
    clamp,
    clamp_max,
    clamp_min,
    clip,
    clone,
    cos,
    cosh,
    count_nonzero,
    cumprod,
    cumsum,
    div,
    dot,
    eq,
    erf,
    erfc,
    exp,
    exp2,
    expm1,
    fix,
    flatten,
    flip,
    floor,
    fmod,
    frac,
    gather,
    ge,
    gt,
    hstack,
    hypot,
    index_select,
    isfinite,
    isinf,
    isnan,
    le,
    lerp,
    log,
    log1p,
    log2,
    log10,
    log_softmax,
    logaddexp,
    logsumexp,
    lt,
    masked_fill,
    masked_select,
    matmul,
    max,
    maximum,
    mean,
    min,
    minimum,
    mm,
    movedim,
    mul,
    mv,
    nan_to_num,
    narrow,
    ne,
    neg,
    norm,
    permute,
    positive,
    pow,
    prod,
    reciprocal,
    relu,
    remainder,
    reshape,
    roll,
    round,
    rsqrt,
    rsub,
    scatter,
    scatter_add,
    select,
    sigmoid,
    sign,
    sin,
    sinh,
    softmax,
    sort,
    split,
    sqrt,
    square,
    squeeze,
    stack,
    std,
    sub,
    sum,
    t,
    take_along_dim,
    tan,
    tanh,
    tile,
    topk,
    transpose,
    tril,
    triu,
    trunc,
    unbind,
    unflatten,
    unsqueeze,
    var,
    vstack,
    where,
    xlogy,
)
from graphlab.printing import set_printoptions
from graphlab.random import Generator, default_generator, initial_seed, manual_seed, seed
from graphlab.tensor import Size, Tensor

if TYPE_CHECKING:
    from graphlab.face import check, draw, formula, step, trace

__version__ = "0.1.0"
__all__ = [
    "abs", "acos", "acosh", "add", "addcdiv", "addcmul", "addmm", "all", "amax", "amin", "any",
    "arange", "argmax", "argmin", "argsort", "as_tensor", "asin", "asinh", "atan", "atan2",
    "atanh", "atleast_1d", "atleast_2d", "autograd", "bmm", "bool", "broadcast_to", "cat",
    "ceil", "check", "chunk", "clamp", "clamp_max", "clamp_min", "clip", "clone", "cos", "cosh",
    "count_nonzero", "cumprod", "cumsum", "default_generator", "div", "dot", "double", "draw",
    "dtype", "empty", "empty_like", "enable_grad", "eq", "erf", "erfc", "exp", "exp2", "expm1",
    "eye", "fix", "flatten", "flip", "float", "float16", "float32", "float64", "floor", "fmod",
    "formula", "frac", "from_numpy", "full", "full_like", "gather", "ge", "Generator",
    "get_default_dtype", "gt", "half", "hstack", "hypot", "index_select", "initial_seed", "int",
    "int16", "int32", "int64", "int8", "is_grad_enabled", "isfinite", "isinf", "isnan", "le",
    "lerp", "linalg", "linspace", "log", "log10", "log1p", "log2", "log_softmax", "logaddexp",
    "logspace", "logsumexp", "long", "lt", "manual_seed", "masked_fill", "masked_select",
    "matmul", "max", "maximum", "mean", "min", "minimum", "mm", "movedim", "mul", "mv",
    "nan_to_num", "narrow", "ne", "neg", "nn", "no_grad", "norm", "ones", "ones_like",
    "permute", "positive", "pow", "prod", "rand", "rand_like", "randint", "randn", "randn_like",
    "reciprocal", "relu", "remainder", "reshape", "roll", "round", "rsqrt", "rsub", "scatter",
    "scatter_add", "seed", "select", "set_default_dtype", "set_grad_enabled",
    "set_printoptions", "short", "sigmoid", "sign", "sin", "sinh", "Size", "softmax", "sort",
    "split", "sqrt", "square", "squeeze", "stack", "std", "step", "sub", "sum", "swapaxes",
    "swapdims", "t", "take_along_dim", "tan", "tanh", "Tensor", "tensor", "tile", "Timeline",
    "topk", "trace", "transpose", "tril", "triu", "trunc", "uint8", "unbind", "unflatten",
    "unsqueeze", "var", "vstack", "where", "xlogy", "zeros", "zeros_like",
]  # fmt: skip

assert methods  # importing it gave Tensor its methods

swapaxes = swapdims = transpose
float, double, half = float32, float64, float16
int, long, short = int32, int64, int16

_FACES = ("check", "draw", "formula", "step", "trace")  # loaded on first use: they need more


def __getattr__(name: str) -> Any:
    if name in _FACES:
        from graphlab import face

        return getattr(face, name)
    if name == "Timeline":
        from graphlab.graph.timeline import Timeline

        return Timeline
    raise AttributeError(f"module 'graphlab' has no attribute {name!r}")

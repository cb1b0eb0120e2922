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

from graphlab import autograd, methods, nn
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
    add,
    addmm,
    argmax,
    argmin,
    bmm,
    cat,
    clone,
    cos,
    div,
    dot,
    eq,
    exp,
    flatten,
    ge,
    gt,
    isfinite,
    isinf,
    isnan,
    le,
    log,
    log1p,
    log_softmax,
    logsumexp,
    lt,
    matmul,
    max,
    maximum,
    mean,
    min,
    minimum,
    mm,
    mul,
    mv,
    ne,
    neg,
    permute,
    pow,
    reciprocal,
    relu,
    reshape,
    rsqrt,
    rsub,
    sigmoid,
    sign,
    sin,
    softmax,
    sqrt,
    square,
    squeeze,
    stack,
    sub,
    sum,
    t,
    tanh,
    transpose,
    unbind,
    unsqueeze,
    where,
)
from graphlab.printing import set_printoptions
from graphlab.random import Generator, default_generator, initial_seed, manual_seed, seed
from graphlab.tensor import Size, Tensor

if TYPE_CHECKING:
    from graphlab.face import check, draw, formula, step, trace

__version__ = "0.1.0"
__all__ = [
    "abs", "add", "addmm", "arange", "argmax", "argmin", "as_tensor", "autograd", "bmm", "bool",
    "cat", "check", "clone", "cos", "default_generator", "div", "dot", "double", "draw", "dtype",
    "empty", "enable_grad", "eq", "exp", "eye", "flatten", "float", "float16", "float32",
    "float64", "formula", "from_numpy", "full", "ge", "Generator", "get_default_dtype", "gt",
    "half", "initial_seed", "int", "int16", "int32", "int64", "int8", "is_grad_enabled",
    "isfinite", "isinf", "isnan", "le", "linspace", "log", "log1p", "log_softmax", "logsumexp",
    "long", "lt", "manual_seed", "matmul", "max", "maximum", "mean", "min", "minimum", "mm",
    "mul", "mv", "ne", "neg", "nn", "no_grad", "ones", "ones_like", "permute", "pow", "rand",
    "randint", "randn", "reciprocal", "relu", "reshape", "rsqrt", "rsub", "seed",
    "set_default_dtype", "set_grad_enabled", "set_printoptions", "short", "sigmoid", "sign",
    "sin", "Size", "softmax", "sqrt", "square", "squeeze", "stack", "step", "sub", "sum", "t",
    "tanh", "Tensor", "tensor", "Timeline", "trace", "transpose", "uint8", "unbind", "unsqueeze",
    "where", "zeros", "zeros_like",
]  # fmt: skip

assert methods  # importing it gave Tensor its methods

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

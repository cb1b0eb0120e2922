"""`out=`: write a function's result into an existing tensor.

Read next: tensor/inplace.py
"""

import warnings
from collections.abc import Callable
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any

import numpy as np

from graphlab.autograd.grad_mode import is_grad_enabled, no_grad
from graphlab.common.dtypes import CATEGORY, named
from graphlab.common.errors import named_kind, users_level
from graphlab.primitives.numpy_reading.strides import is_expanded
from graphlab.tensor.functions.checks import C_NAMES, c_name, no_cast, type_name
from graphlab.tensor.functions.refusals import MOST, flags_of, need_flags, reordered, sentence
from graphlab.tensor.tensor import Tensor

SAME = {  # the type of `out` must be the result's
    "addmm", "argmax", "argmin", "baddbmm", "bmm", "gather", "log_softmax", "matmul", "mm", "norm",
    "softmax", "tril", "triu",
}  # fmt: skip
JOINED = {"cat", "concat", "concatenate", "stack"}
KEEPING = {  # functions of one tensor that give its type and convert nothing
    "abs", "absolute", "bitwise_not", "ceil", "clamp", "fix", "floor", "frac", "neg", "negative",
    "round", "sgn", "sign", "trunc",
}  # fmt: skip
MAKERS = {
    "arange", "empty", "eye", "full", "linspace", "logspace", "normal", "ones", "rand", "randint",
    "randn", "randperm", "range", "zeros",
}  # fmt: skip
REDUCING = {"amax", "amin", "prod", "sum"}
CONVERTING = {"cumprod", "cumsum", "prod", "sum"}  # they compute in the type of `out`
COUNTING = {"arange", "linspace", "logspace", "range"}  # they fill an `out` of any shape
RESIZED = (
    "An output with one or more elements was resized since it had shape {}, which does not match "
    "the required output shape {}. This behavior is deprecated, and in a future PyTorch release "
    "outputs will not be resized unless they have zero elements. You can explicitly reuse an out "
    "tensor t by resizing it, inplace, to zero elements with t.resize_(0)."
)


def with_out(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with the option `out`, a tensor to write its result into.

    Its errors are those of `in_words`.

    A function with several results takes a tuple or a list of as many tensors. What `unary` made
    (autograd/record.py) takes `out` itself: this wrapper would cost a scalar `exp` a third of its
    time.
    """
    code = getattr(function, "__code__", None)
    if code is not None and "out" in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
        return function

    flags, most = flags_of(function), MOST.get(function.__name__)

    @wraps(function)
    def call(*inputs: Any, out: Any = None, **options: Any) -> Any:
        if most is not None and len(inputs) > most:
            inputs, options = reordered(function.__name__, inputs, options, method=False)
        if flags:
            need_flags(flags, function, inputs, options)
        try:
            return function(*inputs, **options) if out is None else into(out, inputs, options)
        except Exception as error:
            given = options if out is None else {**options, "out": out}
            found = sentence(function, inputs, given, error)
            if found is None:
                raise
            raise found from None

    def into(out: Any, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
        name = function.__name__
        if not isinstance(out, tuple | list):
            check_out(name, out)
            if name in MAKERS:
                return made_into(function, out, inputs, options)
            if name in CONVERTING and not options.get("dtype"):
                options["dtype"] = out.dtype
        results = function(*inputs, **options)
        if isinstance(results, tuple):
            return write_each(name, results, out)
        if name in REDUCING:
            return into_one(function, results, out)
        return written_into(name, results, out)

    view = getattr(function, "view", None)
    call.__signature__ = known = with_parameter(view() if view else function)  # type: ignore[attr-defined]
    if view:
        named = ", ".join(name for name in known.parameters if name not in ("input", "out"))
        told, _, rest = (call.__doc__ or "").partition("args, options")
        call.__doc__ = told + (named + rest if named else rest.partition("\n\n    ")[2])
    call.in_words = True  # type: ignore[attr-defined]
    return call


def into_one(function: Callable[..., Any], results: Tensor, out: Any) -> Tensor:
    """Reduce along the dimensions in which `out` is expanded, too: it has one place for all."""
    if not is_expanded(out._data) or out.shape != results.shape:
        return written_into(function.__name__, results, out)
    place = out
    for dim, step in enumerate(out._data.strides):
        if step == 0:
            results, place = function(results, dim=dim, keepdim=True), place.narrow(dim, 0, 1)
    write(function.__name__, results, place)
    return out


def made_into(function: Callable[..., Any], out: Tensor, sizes: Any, options: Any) -> Tensor:
    """Run a function that makes a tensor, in the type of `out`, and write the result to `out`."""
    name, asked = function.__name__, options.pop("dtype", None)
    if asked is not None and named(name, asked) is not out.dtype:
        raise RuntimeError(
            f"dtype {C_NAMES[named(name, asked).name]} does not match dtype of out parameter "
            f"({type_name(out)})"
        )
    requires_grad = options.pop("requires_grad", False)
    made = function(*sizes, dtype=out.dtype, **options)
    if name in COUNTING and made.numel() == out.numel():
        made = made.reshape(out.shape)
    write(f"aten::{name}", made, out)
    return out.requires_grad_() if requires_grad else out


def write_each(name: str, results: tuple[Any, ...], outs: Any) -> Any:
    """Write several results into as many tensors. Raises: TypeError for another number."""
    if isinstance(outs, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be tuple of Tensors, not Tensor")
    if len(results) != len(outs):
        raise TypeError(f"expected tuple of {len(results)} elements but got {len(outs)}")
    for out in outs:
        check_out(name, out)
    written = [write(name, *pair) for pair in zip(results, outs, strict=True)]
    kind: Any = type(results)
    return kind(*written) if hasattr(kind, "_fields") else tuple(written)


def written_into(name: str, result: Tensor, out: Any) -> Tensor:
    """Write the result of an operation into `out`. Raises: TypeError unless that is a tensor."""
    check_out(name, out)
    return write(name, result, out)


def check_out(name: str, out: Any) -> None:
    """Raise TypeError unless `out` is a tensor."""
    if not isinstance(out, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {named_kind(out)}")


def with_parameter(function: Callable[..., Any]) -> Signature:
    """Return the signature of a function with the keyword `out`, which stands before `**`."""
    known = signature(function)
    last = Parameter("out", Parameter.KEYWORD_ONLY, default=None, annotation="Tensor | None")
    parameters = sorted([*known.parameters.values(), last], key=lambda given: given.kind)
    return known.replace(parameters=parameters)


def write(name: str, result: Tensor, out: Tensor) -> Tensor:
    """Write a result into `out`, which takes its shape and keeps its own type.

    Raises: RuntimeError for a result in a graph, and for a type that cannot hold the result.

    >>> import graphlab as torch
    >>> total = torch.empty(2)
    >>> torch.add(torch.ones(2), 1, out=total)
    tensor([2., 2.])
    """
    floats = result.is_floating_point()
    if result.requires_grad or (floats and out.requires_grad and is_grad_enabled()):
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, "
            "but one of the arguments requires grad."
        )
    check_types(name, result, out)
    with no_grad():
        if out.shape != result.shape:
            if out.numel():
                said = RESIZED.format(list(out.shape), list(result.shape))
                warnings.warn(said, UserWarning, stacklevel=users_level())
            out.data = result.new_empty(result.shape, dtype=out.dtype)
        return out.copy_(result)


def check_types(name: str, result: Tensor, out: Tensor) -> None:
    """Raise RuntimeError, for `cat` TypeError, when `out` cannot hold such entries."""
    have, want = result._data.dtype, out._data.dtype
    if name in SAME:
        if have != want:
            raise RuntimeError(
                f"Expected out tensor to have dtype {c_name(result)}, but got {c_name(out)} instead"
            )
    elif name in ("index_select", "masked_select") and have != want:
        raise RuntimeError(f"{name}(): self and result must have the same scalar type")
    elif name == "where" and have != want:
        raise RuntimeError(f"Expected out type to be {type_name(result)} but got {type_name(out)}")
    elif name in ("all", "any"):
        if have != want and want != np.uint8:
            raise RuntimeError(
                f"{name} only supports bool tensor for result, got: {type_name(out)}"
            )
    elif name in ("amax", "amin") and have != want:
        raise RuntimeError(
            f"Expected the dtype for input and out to match, but got {type_name(result)} for "
            f"input's dtype and {type_name(out)} for out's dtype."
        )
    elif name in KEEPING and have != want:
        raise RuntimeError(f"Found dtype {type_name(out)} but expected {type_name(result)}")
    elif CATEGORY[have.kind] > CATEGORY[want.kind]:
        if name in JOINED:
            raise TypeError(
                "torch.cat(): input types can't be cast to the desired output type "
                f"{type_name(out)}"
            )
        raise no_cast(result, out)

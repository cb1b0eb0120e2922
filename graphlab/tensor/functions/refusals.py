"""Readable errors for arguments that no check of a function catches, and old orders of arguments.

Most functions check their arguments themselves, with PyTorch's errors. An argument that passes
these checks may fail later, in NumPy or on an attribute that it lacks. Such an internal error is
replaced here by one that names the function and its arguments.

Read next: tensor/functions/checks.py
"""

import linecache
import sys
import warnings
from collections.abc import Callable
from functools import cache, wraps
from inspect import signature
from os.path import dirname
from types import NoneType, UnionType
from typing import Any, get_args

import numpy as np

from graphlab.common.dtypes import too_large
from graphlab.common.errors import CALLED_WRONGLY, HERE, is_sentence, named_kind, users_level
from graphlab.tensor.tensor import Tensor

PRODUCTS = {
    "addmm": "mat1 mat2", "addmv": "mat vec", "addr": "vec1 vec2", "addbmm": "batch1 batch2",
    "baddbmm": "batch1 batch2",
}  # fmt: skip
OLD = {  # the numbers that once stood before the tensors, and those tensors
    "add": ("alpha", "other"), "sub": ("alpha", "other"),
    "addcmul": ("value", "tensor1 tensor2"), "addcdiv": ("value", "tensor1 tensor2"),
    **{name: ("beta alpha", tensors) for name, tensors in PRODUCTS.items()},
}  # fmt: skip
MOST = {name: len(tensors.split()) + 1 for name, (_, tensors) in OLD.items()}  # without numbers
warned = False  # PyTorch warns once, of the first such call


def reordered(
    name: str, args: tuple[Any, ...], options: dict[str, Any], called: str = "", method: bool = True
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments of a call with its numbers as options; other calls as they are.

    called: the name of the in-place form. method: whether the call is one of a tensor.
    Warns: UserWarning, once.
    """
    numbers, tensors = (words.split() for words in OLD[name])
    extra = len(args) - MOST[name]
    if options or not 1 <= extra <= len(numbers):
        return args, options
    apart = name in PRODUCTS and not method  # then `beta` comes first, before the input
    first, *rest = (args[1], args[0], *args[2:]) if apart else args
    values, others = rest[:extra], rest[extra:]
    scalars = [isinstance(x, int | float) or getattr(x, "ndim", None) == 0 for x in values]
    numeric = name in ("add", "sub")
    fits = [isinstance(x, Tensor) or (numeric and isinstance(x, int | float)) for x in others]
    if not (all(scalars) and all(fits) and (numeric or isinstance(first, Tensor))):
        return args, options
    warn(called or name, method, apart, numbers[:extra], numbers, tensors)
    return (first, *others), dict(zip(numbers, map(plain, values), strict=False))


def plain(x: Any) -> Any:
    """Return the number in a tensor, or the number itself."""
    return x.item() if isinstance(x, Tensor) else x


def warn(
    name: str, method: bool, apart: bool, given: list[str], numbers: list[str], tensors: list[str]
) -> None:
    """Warn, in PyTorch's words and once, of an old order of arguments."""
    global warned
    if warned:
        return
    warned = True
    own, out = ([], "") if method else (["Tensor input"], "Tensor out = None")
    before = [f"Number {one}" for one in given]
    old = [*before[:1], *own, *before[1:]] if apart else [*own, *before]
    old += [f"Tensor {one}" for one in tensors] + (["*", out] if out else [])
    new = [*own, *(f"Tensor {one}" for one in tensors)]
    options = ["*", *(f"Number {one} = 1" for one in numbers), *([out] if out else [])]
    lines = [", ".join([*new, *options])]
    if apart and name in ("addmm", "baddbmm"):
        lines.append(", ".join([*new, "torch.dtype out_dtype", *options]))
    warnings.warn(
        f"This overload of {name} is deprecated:\n\t{name}({', '.join(old)})\nConsider using one "
        "of the following signatures instead:" + "".join(f"\n\t{name}({line})" for line in lines),
        stacklevel=users_level(),
    )


INSIDE = (HERE, dirname(np.__file__))
PYTHON = dirname(linecache.__file__)
SLIPS = (AttributeError, TypeError, ValueError, LookupError, ArithmeticError, AssertionError)
KINDS = (Tensor, int, float, bool, str)
NUMBERS: dict[Any, Any] = {
    int: int | np.integer, float: int | float | np.number, bool: bool | np.bool_,
}  # fmt: skip
# they are called often, and check their arguments themselves
HOT = """
    neg exp log sqrt sum mean view reshape t transpose permute expand unsqueeze squeeze relu
    sigmoid tanh linear zero_ fill_ copy_ add_ sub_ mul_ div_ addcdiv_ addcmul_ lerp_ item
    as_int size stride numel dim detach clone contiguous abs where cat stack tensor zeros ones
    empty operator formatted
"""
FLAGS = ("keepdim", "largest", "sorted", "descending", "unbiased")  # PyTorch takes no number
METHODS = "reshape t permute unsqueeze squeeze zero_ fill_ numel"  # the functions seldom are


@cache
def in_words(function: Callable[..., Any], first: int = 1) -> Callable[..., Any]:
    """Return the function; internal errors become errors that name the function.

    A number for `keepdim` or another flag is refused: `x.sum(0, 1)` does not mean two dimensions.
    first: the position of its first argument; 0 for a method, which does not count its tensor.
    """
    name = getattr(function, "__name__", "")
    hot = name in HOT.split() and not (first and name in METHODS.split())
    if not hasattr(function, "__code__") or hot or hasattr(function, "in_words"):
        return function

    flags, most = flags_of(function), MOST.get(name)

    @wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        if most is not None and len(args) > most:
            args, options = reordered(name, args, options)
        if flags:
            need_flags(flags, function, args, options, first)
        try:
            return function(*args, **options)
        except Exception as error:
            found = sentence(function, args, options, error, first)
            if found is None:
                raise
        raise found

    call.in_words = True  # type: ignore[attr-defined]
    return call


def need_flags(
    flags: list[tuple[int, str]],
    function: Callable[..., Any],
    args: tuple[Any, ...],
    options: dict[str, Any],
    first: int = 1,
) -> None:
    """Raise TypeError for a flag that is not a bool. flags: from `flags_of`."""
    for place, name in flags:
        given = args[place] if place < len(args) else options.get(name, False)
        if given is not False and given is not True:
            wrong = wrong_argument(function, args, options, (bool,), first)
            if wrong is not None:
                raise wrong


def flags_of(function: Callable[..., Any]) -> list[tuple[int, str]]:
    """Return the positions and names of the parameters that are flags."""
    parameters = signature(function).parameters.values()
    return [
        (sys.maxsize if one.kind is one.KEYWORD_ONLY else place, one.name)
        for place, one in enumerate(parameters)
        if one.name in FLAGS
    ]


def sentence(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    options: dict[str, Any],
    error: Exception,
    first: int = 1,
) -> Exception | None:
    """Return the error to raise in place of another; None if that one is readable itself.

    first: the position of the first argument.
    """
    if not isinstance(error, Exception) or is_the_users(error):
        return None
    slipped = isinstance(error, SLIPS) and not is_sentence(last_place(error))
    if isinstance(error, TypeError) and not slipped:
        return None
    if slipped and isinstance(error, OverflowError):
        given = [*args, *options.values()]
        kinds = [x._data.dtype for x in given if isinstance(x, Tensor)]
        large = [x for x in given if isinstance(x, int | float) and not -128 <= x < 128]
        if kinds and large:
            return too_large(max(large, key=abs), kinds[0])
    wrong = wrong_argument(function, args, options, KINDS if slipped else (Tensor,), first)
    if wrong is not None or not slipped:
        return wrong
    text, name = str(error), function.__name__
    if isinstance(error, TypeError) and any(words in text for words in CALLED_WRONGLY):
        return TypeError(f"{name}{text[text.index('(') :]}" if "(" in text else text)
    given = [described(x) for x in args] + [f"{k}={described(x)}" for k, x in options.items()]
    kinds = (TypeError, IndexError, ValueError)
    kind = next((kind for kind in kinds if isinstance(error, kind)), RuntimeError)
    return kind(f"{name}() cannot be called with ({', '.join(given)}): {text}")


def last_place(error: Exception) -> Any:
    """Return the innermost entry of a traceback."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    return place


def is_the_users(error: Exception) -> bool:
    """Return whether the user's code raised an error, such as a function given as an argument."""
    place = error.__traceback__
    while place is not None:
        file = place.tb_frame.f_code.co_filename
        of_python = file.startswith((PYTHON, "<frozen")) and "site-packages" not in file
        if not (of_python or file.startswith(INSIDE)):
            return True
        place = place.tb_next
    return False


def wrong_argument(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    options: dict[str, Any],
    kinds: Any,
    first: int,
) -> TypeError | None:
    """Return PyTorch's error for the first argument that is not of its parameter's type.

    kinds: the types that are looked for. first: the position of the first argument.
    """
    parameters = list(signature(function).parameters.values())
    by_place = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD][: len(args)]
    for place, (parameter, given) in enumerate(zip(by_place, args, strict=False), first):
        said = expected(parameter.annotation, given, kinds)
        if place == first and function.__name__.endswith("_") and not isinstance(given, Tensor):
            said = "Tensor"  # what it writes into
        if said:
            what = f"argument '{parameter.name}' (position {place}) must be {said}"
            return TypeError(f"{function.__name__}(): {what}, not {named_kind(given)}")
    for parameter in parameters:
        if parameter.name in options:
            given = options[parameter.name]
            said = expected(parameter.annotation, given, kinds)
            if said:
                what = f"argument '{parameter.name}' must be {said}"
                return TypeError(f"{function.__name__}(): {what}, not {named_kind(given)}")
    return None


def expected(annotation: Any, given: Any, wanted: Any) -> str:
    """Return the name of the type that an annotation asks for; "" where the argument has it."""
    kinds = get_args(annotation) if isinstance(annotation, UnionType) else (annotation,)
    kind, *others = [kind for kind in kinds if kind is not NoneType] or [NoneType]
    if others or kind not in wanted:
        return ""
    if isinstance(given, NUMBERS.get(kind, kind)) or (given is None and NoneType in kinds):
        return ""
    if kind in NUMBERS and isinstance(given, Tensor) and given.numel() == 1:
        return ""  # it is converted
    return kind.__name__


def described(x: Any) -> str:
    """Return an argument in few words: a tensor by its type and shape."""
    if isinstance(x, Tensor):
        return f"{x.dtype.name} {list(x.shape)}"
    if isinstance(x, list | tuple) and any(isinstance(part, Tensor) for part in x):
        return f"[{', '.join(map(described, x))}]"
    return repr(x)[:40]

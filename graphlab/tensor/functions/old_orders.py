"""Orders of arguments that PyTorch still takes: `p.add_(-lr, grad)` for `p.add_(grad, alpha=-lr)`.

Read next: tensor/functions/outputs.py
"""

import warnings
from typing import Any

from graphlab.common.errors import users_level
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

"""The checks of `ctx.mark_dirty` and `ctx.mark_non_differentiable`.

Read next: autograd/function.py
"""

import warnings
from typing import Any

from graphlab.autograd.context import Context
from graphlab.common.errors import users_level
from graphlab.tensor.tensor import Tensor

NOT_RETURNED = (
    "Some elements marked as dirty during the forward method were not returned as output. The "
    "inputs that are modified inplace must all be outputs of the Function."
)
NO_INPUT = (
    "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been "
    "mutated should be passed to ctx.mark_dirty()."
)
VIEW_OF_SEVERAL = (
    "If your Function modifies inplace an input that is a view of another Tensor, your Function "
    "cannot return more than one Tensor. This is not supported by the current autograd engine. You "
    "should either make sure the input is not a view (using .clone() for example) or make your "
    "Function only return one Tensor (potentially splitting it into two Functions: one doing the "
    "inplace that returns a single Tensor and a second one that does the other operations). You "
    "can ask on the forum https://discuss.pytorch.org/ if you need help to do this change."
)


def among(thing: Any, things: Any) -> bool:
    """Return whether `thing` is one of `things`, by identity."""
    for one in things or ():  # noqa: SIM110  (a loop, for it is run often)
        if one is thing:
            return True
    return False


def check_marks(ctx: Context, args: tuple[Any, ...], outputs: tuple[Any, ...]) -> None:
    """Raise RuntimeError when a marked value is not a tensor, or is changed and not returned."""
    for i, tensor in enumerate(ctx.dirty_tensors or ()):
        if not isinstance(tensor, Tensor):
            raise RuntimeError(
                f"mark_dirty can only accept variables, but argument {i} is of type "
                f"{type(tensor).__name__}"
            )
        if not among(tensor, outputs):
            raise RuntimeError(NOT_RETURNED)
        if tensor._base is not None and len(outputs) > 1:
            raise RuntimeError(VIEW_OF_SEVERAL)
        if not among(tensor, args):
            if tensor._base is not None:
                raise RuntimeError(NO_INPUT)
            warnings.warn(NO_INPUT, stacklevel=users_level())
    for i, tensor in enumerate(ctx.non_differentiable or ()):
        if not isinstance(tensor, Tensor):
            raise RuntimeError(
                "mark_non_differentiable only accepts variable arguments, but got argument "
                f"{i} of type {type(tensor).__name__}"
            )

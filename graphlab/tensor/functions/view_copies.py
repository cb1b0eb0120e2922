"""Copies of views: `view_copy`, `select_copy` and the like have memory of their own.

Read next: tensor/functions/shapes.py
"""

from collections.abc import Callable
from typing import Any

from graphlab.common.public import mark
from graphlab.tensor import functions as F

COPIED = (
    "as_strided detach diagonal expand narrow permute select split split_with_sizes squeeze t "
    "transpose unbind unfold unsqueeze view"
)


def copied(name: str) -> Callable[..., Any]:
    """Return the function that copies what the view function of this name returns."""

    def call(input: Any, *args: Any, **options: Any) -> Any:
        function = getattr(F, name, None)
        found = function(input, *args, **options) if function else input.detach()
        return tuple(map(F.clone, found)) if isinstance(found, tuple) else F.clone(found)

    call.__name__ = call.__qualname__ = f"{name}_copy"
    call.__doc__ = f"""Return a copy of what `{name}` returns. input: (...).

    args, options: those of `{name}`.

    >>> import graphlab as torch
    >>> torch.t_copy(torch.tensor([[1, 2]]))
    tensor([[1],
            [2]])
    """
    return call


globals().update({f"{name}_copy": copied(name) for name in COPIED.split()})
mark(" ".join(f"{name}_copy" for name in COPIED.split()), out=True)

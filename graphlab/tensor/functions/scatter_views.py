"""Copies of views, `t_copy` and the like; copies with one slice overwritten, `select_scatter`.

Read next: tensor/functions/diagonals.py
"""

from collections.abc import Callable
from typing import Any

from graphlab.autograd.record import apply
from graphlab.common.public import mark, public
from graphlab.ops import putting as pt
from graphlab.tensor import functions as F
from graphlab.tensor.functions.dims import one_dim
from graphlab.tensor.functions.splitting import dim_of_slice
from graphlab.tensor.tensor import Tensor


@public(method=True)
def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """Return a copy with `src` at `index` along `dim`. input: (..., N, ...), src: without N.

    >>> import graphlab as torch
    >>> torch.select_scatter(torch.zeros(2, 2), torch.tensor([1.0, 2.0]), 0, 1)
    tensor([[0., 0.],
            [1., 2.]])
    """
    d = dim_of_slice(input, dim, index)
    same_size(src, (*input.shape[:d], *input.shape[d + 1 :]))
    return apply(pt.SelectScatter, input, src, dim=dim, index=index)


@public(method=True, out=True)
def slice_scatter(
    input: Tensor,
    src: Tensor,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> Tensor:
    """Return a copy with `src` at the slice start:end:step along `dim`.

    input: (..., N, ...), src: (..., length of the slice, ...) -> like input.

    >>> import graphlab as torch
    >>> torch.slice_scatter(torch.zeros(3), torch.ones(2), 0, 1, 3)
    tensor([0., 1., 1.])
    """
    d = one_dim(dim, input.ndim)
    n = len(range(*slice(start, end, step).indices(input.shape[d])))
    same_size(src, (*input.shape[:d], n, *input.shape[d + 1 :]))
    return apply(pt.SliceScatter, input, src, dim=dim, start=start, end=end, step=step)


def same_size(src: Tensor, size: tuple[int, ...]) -> None:
    """Raise RuntimeError unless the source has the size of the part that it replaces."""
    if tuple(src.shape) != size:
        raise RuntimeError(
            "expected src to have a size equal to the slice of self. src size = "
            f"{list(src.shape)}, slice size = {list(size)}"
        )


COPIED = (
    "alias as_strided detach diagonal expand narrow permute select slice split split_with_sizes "
    "squeeze t transpose unbind unfold unsqueeze view"
)
UNNAMED: dict[str, Callable[..., Any]] = {  # views that are no functions
    "alias": lambda input: input.view_as(input),
    "detach": lambda input: input.detach(),
    "slice": lambda input, dim=0, start=None, end=None, step=1: input.movedim(dim, 0)[
        start:end:step
    ].movedim(0, dim),
}


def copied(name: str) -> Callable[..., Any]:
    """Return the function that copies what the view function of this name returns."""

    def call(input: Any, *args: Any, **options: Any) -> Any:
        function = UNNAMED.get(name) or getattr(F, name)
        found = function(input, *args, **options)
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

"""Dual numbers: `torch.autograd.forward_ad`, a value together with its change in one direction.

    with dual_level():
        x = make_dual(torch.tensor(3.0), torch.tensor(1.0))     # 3 + ε
        unpack_dual(x * x).tangent                              # (3 + ε)² = 9 + 6 ε: 6

PyTorch differs: it has a second rule for each operation. Here the tangent comes from the rules that
are there: the gradient u(v) of v · y is linear in v, and the derivative of u(v) · t by v is J t.
So a dual tensor is a leaf that requires a gradient. A custom Function gives the tangents of its
outputs by its `jvp`; from there they go on in the same way.

Read next: autograd/functional.py
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

from graphlab.autograd.backward import grad
from graphlab.autograd.context import Context, among
from graphlab.autograd.function import Function
from graphlab.autograd.grad_mode import enable_grad
from graphlab.autograd.node import edge_of
from graphlab.autograd.topological_order import nodes_behind
from graphlab.tensor.creation import zeros_like
from graphlab.tensor.tensor import Tensor

__all__ = [
    "UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual",
    "unpack_dual",
]  # fmt: skip


_current_level = -1  # PyTorch's name


class Level:
    """The dual tensors of the current level, each with its tangent; None outside a level."""

    duals: list[tuple[Tensor, Tensor]] | None = None

    @staticmethod
    def set(duals: list[tuple[Tensor, Tensor]] | None) -> None:
        """Begin a level with these dual tensors, or end it."""
        global _current_level
        for dual, _ in Level.duals or () if duals is None else ():
            if dual.is_leaf:
                dual._set_needs(False)
        Level.duals, _current_level = duals, -1 if duals is None else 0
        Function.forward_rule = None if duals is None else staticmethod(tangents_of)


class UnpackedDualTensor(NamedTuple):
    """The two parts of a dual tensor.

    primal: its value. tangent: its derivative in the direction; None if it depends on no dual one.

    >>> import graphlab as torch
    >>> from graphlab.autograd.forward_ad import UnpackedDualTensor
    >>> UnpackedDualTensor(torch.tensor(2.0), None)
    UnpackedDualTensor(primal=tensor(2.), tangent=None)
    """

    primal: Tensor
    tangent: Tensor | None


def enter_dual_level() -> int:
    """Begin to make dual tensors. Raises: RuntimeError inside another level.

    >>> from graphlab.autograd.forward_ad import enter_dual_level, exit_dual_level
    >>> enter_dual_level()
    0
    >>> exit_dual_level()
    """
    if Level.duals is not None:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    Level.set([])
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """Forget all tangents. level: accepted as in PyTorch. Raises: RuntimeError outside a level.

    >>> from graphlab.autograd.forward_ad import enter_dual_level, exit_dual_level
    >>> level = enter_dual_level()
    >>> exit_dual_level(level=level)
    """
    if Level.duals is None:
        raise RuntimeError("Trying to exit a forward AD level when none is entered")
    Level.set(None)


class dual_level:
    """A level of dual tensors, as a context.

    >>> import graphlab as torch
    >>> from graphlab.autograd.forward_ad import dual_level, make_dual, unpack_dual
    >>> with dual_level():
    ...     x = make_dual(torch.tensor(3.0), torch.tensor(1.0))
    ...     unpack_dual(x * x)
    UnpackedDualTensor(primal=tensor(9.), tangent=tensor(6.))
    """

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(self, *exception: object) -> None:
        exit_dual_level()


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """Return a dual tensor that shares the memory of `tensor`. tensor, tangent: (...) -> (...).

    tangent: the direction in which the tensor changes. level: accepted as in PyTorch.
    Raises: RuntimeError outside a level, and for another shape; ValueError for integers.

    >>> import graphlab as torch
    >>> from graphlab.autograd.forward_ad import dual_level, make_dual, unpack_dual
    >>> with dual_level():
    ...     unpack_dual(make_dual(torch.tensor(3.0), torch.tensor(1.0)).exp()).tangent
    tensor(20.0855)
    """
    if Level.duals is None:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to "
            "enter_dual_level() first."
        )
    for name, given in (("primal", tensor), ("tangent", tangent)):
        if not given.is_floating_point():
            raise ValueError(
                f"Expected {name} to be floating point or complex, but got: {given.dtype}"
            )
    if any(dual is tensor for dual, _ in Level.duals):
        raise RuntimeError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the "
            "same level 0 is not supported."
        )
    if any(dual is tangent for dual, _ in Level.duals):
        raise RuntimeError(
            "Setting a forward grad that itself has a forward gradient at the same level0 is not "
            "supported."  # PyTorch's sentence has no space there
        )
    check_sizes(tensor, tangent)
    needs = tensor.requires_grad
    dual = tensor.view_as(tensor) if needs else tensor.detach().requires_grad_()
    Level.duals.append((dual, tangent))
    return dual


def check_sizes(tensor: Tensor, tangent: Tensor) -> None:
    """Raise RuntimeError for a tangent of another shape than the tensor's."""
    if tensor.shape != tangent.shape:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of the original "
            f"Tensor, this is not supported. Tensor is of size {list(tensor.shape)} while the "
            f"given forward gradient is of size {list(tangent.shape)}."
        )


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """Return the parts of a tensor, (primal, tangent). tensor: (...) -> (...), (...).

    The tangent is None if the tensor does not depend on a dual tensor.
    level: accepted as in PyTorch.

    >>> import graphlab as torch
    >>> from graphlab.autograd.forward_ad import unpack_dual
    >>> unpack_dual(torch.tensor(3.0))
    UnpackedDualTensor(primal=tensor(3.), tangent=None)
    """
    duals = Level.duals or []
    for dual, tangent in duals:
        if dual is tensor:
            primal = tensor if has_other_leaves(tensor, [dual]) else tensor.detach()
            return UnpackedDualTensor(primal, tangent)
    if not duals or not tensor.requires_grad:
        return UnpackedDualTensor(tensor, None)
    sources = [dual for dual, _ in duals]
    with enable_grad(), jvp_instead():
        v = zeros_like(tensor).requires_grad_()
        turned = grad(tensor, sources, v, create_graph=True, allow_unused=True)
        pairs = [(u, t) for u, (_, t) in zip(turned, duals, strict=True) if u is not None]
        if not pairs:
            return UnpackedDualTensor(tensor, None)
        linear = [(u, t) for u, t in pairs if u.requires_grad]
        found = None
        if linear:
            by_v, along = zip(*linear, strict=True)
            (found,) = grad(by_v, v, along, create_graph=True, allow_unused=True)
        tangent = zeros_like(tensor) if found is None else found
    if has_other_leaves(tensor, sources):
        return UnpackedDualTensor(tensor, tangent)
    return UnpackedDualTensor(tensor.detach(), tangent.detach())


def has_other_leaves(tensor: Tensor, sources: list[Tensor]) -> bool:
    """Return whether a tensor depends on a leaf that is not a dual tensor."""
    own = {id(source) for source in sources if source.is_leaf}
    edge = edge_of(tensor)
    edges = [edge, *(target for node in nodes_behind([edge]) for target in node._next)]
    return any(isinstance(target, Tensor) and id(target) not in own for target in edges)


# -- custom Functions --------------------------------------------------------------------------

NOT_IN_PLACE = (
    "An inplace custom Function is not modifying the forward mode gradients inplace. If the "
    "forward is modifying an input inplace, then the jvp function must modify the corresponding "
    "gradient inplace."
)
NO_VIEW = "{} is returning a view{} but the jvp is not returning a view{}."


@contextmanager
def jvp_instead() -> Iterator[None]:
    """Let no gradient through the Functions whose `jvp` has given the tangents of their outputs."""
    before, Context._stops = Context._stops, True
    try:
        yield
    finally:
        Context._stops = before


def tangents_of(args: tuple[Any, ...]) -> Any:
    """Return the function that sends the tangents of arguments on, None if they have none.

    They are found before a forward that changes its arguments in place has run.
    """
    tangents = [unpack_dual(x).tangent if isinstance(x, Tensor) else None for x in args]
    return None if all(t is None for t in tangents) else partial(send_forwards, tangents)


def send_forwards(tangents: list[Any], ctx: Any, args: Any, outputs: Any) -> None:
    """Ask the `jvp` of a custom Function for the tangents of its outputs."""
    given = list(tangents)
    if ctx.materialize_grads is not False:
        for i, x in enumerate(args):
            if given[i] is None and isinstance(x, Tensor) and x.is_floating_point():
                given[i] = zeros_like(x).detach()
    pairs = [(x, t, t._version) for x, t in zip(args, tangents, strict=True) if t is not None]
    saved, ctx._saved = ctx._saved, tuple(ctx.saved_for_forward or ())
    try:
        made = ctx.function.jvp(ctx, *given)
    finally:
        ctx._saved = saved
    made = made if isinstance(made, tuple) else (made,)
    if len(made) != len(outputs):
        raise RuntimeError(
            "Function's jvp returned an invalid number of forward gradients "
            f"(expected {len(outputs)} but got {len(made)})"
        )
    for i, (output, tangent) in enumerate(zip(outputs, made, strict=True)):
        if tangent is None:
            continue
        if among(output, ctx.non_differentiable) or not output.is_floating_point():
            raise RuntimeError(
                f"Function's jvp returned a gradient at position {i}, but  the corresponding "
                "forward output is not a differentiable Tensor.You should return None at that "
                "position instead."
            )
        check_tangent(ctx, output, tangent, pairs)
        others = [pair for pair in Level.duals or () if pair[0] is not output]
        Level.duals = [*others, (output, tangent)]
    ctx.__dict__["_jvp"] = True


def check_tangent(ctx: Any, output: Any, tangent: Any, pairs: list[Any]) -> None:
    """Raise RuntimeError where the tangent of a changed input, or of a view, is no such thing."""
    for x, t, version in pairs:
        if output is x and among(x, ctx.dirty_tensors):
            if tangent is not t or t._version == version:
                raise RuntimeError(NOT_IN_PLACE)
        elif output._base is not None and output._base is (x if x._base is None else x._base):
            if tangent._base is None:
                how = "A custom Function's forward", " (or an input as-is)", ""
                raise RuntimeError(NO_VIEW.format(*how))
            if tangent._base is not (t if t._base is None else t._base):
                of = "the given" if x._base is None else "the same base as the given"
                how = "A custom Function", "", f" of {of} grad input"
                raise RuntimeError(NO_VIEW.format(*how))

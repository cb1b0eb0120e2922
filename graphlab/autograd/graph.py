"""`torch.autograd.graph`: nodes, edges, and hooks on saved tensors or on several gradients.

Read next: autograd/saved_tensor_hooks.py
"""

import abc
import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from graphlab.autograd import node as nodes
from graphlab.autograd import watch
from graphlab.autograd.edges import GradientEdge, get_gradient_edge
from graphlab.autograd.grad_mode import state
from graphlab.autograd.hooks import RemovableHandle, register_hook
from graphlab.autograd.saved_tensor_hooks import pack_all
from graphlab.tensor.tensor import Tensor

__all__ = [
    "GradientEdge", "Node", "allow_mutation_on_saved_tensors", "disable_saved_tensors_hooks",
    "get_gradient_edge", "increment_version", "register_multi_grad_hook", "save_on_cpu",
    "saved_tensors_hooks",
]  # fmt: skip


class Node(abc.ABC):  # noqa: B024  (without methods: only `isinstance` uses it)
    """The class of every `grad_fn`, AccumulateGrad included, for `isinstance`.

    >>> import graphlab as torch
    >>> y = torch.tensor(2.0, requires_grad=True) * 3
    >>> isinstance(y.grad_fn, torch.autograd.graph.Node)
    True
    """


Node.register(nodes.Node)
Node.register(nodes.AccumulateGrad)


# -- saved tensors -----------------------------------------------------------------------------


class Disabled:
    """Why saved-tensor hooks are forbidden now; None when they are allowed."""

    reason: str | None = None


class saved_tensors_hooks:
    """Nodes in the block store `pack_hook(tensor)` instead of each tensor that they save.

    The backward pass gets the tensor back through `unpack_hook`. Of nested pairs only the innermost
    is used.
    Raises: RuntimeError when a pack hook changes the tensor; TypeError when an unpack hook gives
    no tensor.

    >>> import graphlab as torch
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> with torch.autograd.graph.saved_tensors_hooks(lambda t: t.item(), torch.tensor):
    ...     y = x * x
    >>> y.grad_fn._raw_saved_self.data
    3.0
    >>> y.backward()
    >>> x.grad
    tensor(6.)
    """

    def __init__(
        self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]
    ) -> None:
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self) -> None:
        if not (callable(self.pack_hook) and callable(self.unpack_hook)):
            raise TypeError(
                "saved_tensors_hooks: expected two functions, pack_hook and unpack_hook"
            )
        if Disabled.reason is not None:
            raise RuntimeError(Disabled.reason)
        watch.push(functools.partial(pack_all, pack=self.pack_hook, unpack=self.unpack_hook))

    def __exit__(self, *exception: object) -> None:
        watch.pop()


class save_on_cpu(saved_tensors_hooks):
    """Keep saved tensors in main memory inside, which GraphLab always does.

    pin_memory, device_type: without effect.

    >>> import graphlab as torch
    >>> with torch.autograd.graph.save_on_cpu():
    ...     y = torch.tensor(3.0, requires_grad=True) * 2
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(
            lambda tensor: (tensor.device, tensor.cpu()), lambda packed: packed[1].to(packed[0])
        )


class allow_mutation_on_saved_tensors(saved_tensors_hooks):
    """Let tensors that nodes have saved be changed in place inside: nodes keep copies.

    Raises: RuntimeError inside another; AssertionError for a backward pass after its end.

    >>> import graphlab as torch
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> with torch.autograd.graph.allow_mutation_on_saved_tensors():
    ...     y = x.clone()
    ...     z = y * y
    ...     _ = y.zero_()
    ...     z.backward()
    >>> x.grad
    tensor(6.)
    """

    active: "allow_mutation_on_saved_tensors | None" = None

    def __init__(self) -> None:
        super().__init__(
            lambda tensor: (self, tensor, tensor._version, tensor.detach().clone()), unsaved
        )

    def __enter__(self) -> None:
        if allow_mutation_on_saved_tensors.active is not None:
            raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
        super().__enter__()
        allow_mutation_on_saved_tensors.active = self

    def __exit__(self, *exception: object) -> None:
        super().__exit__(*exception)
        allow_mutation_on_saved_tensors.active = None


def unsaved(packed: tuple[allow_mutation_on_saved_tensors, Tensor, int, Tensor]) -> Tensor:
    """Return a saved tensor, or its copy if it has changed since."""
    context, tensor, version, copy = packed
    if allow_mutation_on_saved_tensors.active is not context:
        raise AssertionError(
            "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context "
            "in which the graph was originally recorded."
        )
    return tensor if tensor._version == version else copy


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Forbid saved-tensor hooks inside: using them raises RuntimeError(error_message).

    >>> import graphlab as torch
    >>> with torch.autograd.graph.disable_saved_tensors_hooks("not here"):
    ...     y = torch.tensor(3.0, requires_grad=True) * 2
    """
    if state.packing:
        raise RuntimeError(error_message)
    before, Disabled.reason = Disabled.reason, error_message
    try:
        yield
    finally:
        Disabled.reason = before


def increment_version(tensor: Tensor | Iterable[Tensor]) -> None:
    """Tell autograd that the data of one tensor, or of several, was changed by other code.

    tensor: a tensor or an iterable of tensors. A backward pass that needs an earlier version of it
    raises an error.

    >>> import graphlab as torch
    >>> x = torch.tensor(3.0)
    >>> torch.autograd.graph.increment_version(x)
    >>> x._version
    1
    """
    for one in [tensor] if isinstance(tensor, Tensor) else tensor:
        one._version_counter().advance()


# -- several gradients -------------------------------------------------------------------------


class _MultiHandle(RemovableHandle):
    """Removes a hook from every tensor that it was registered on."""

    def __init__(self, handles: tuple[RemovableHandle, ...]) -> None:
        self.handles = handles

    def remove(self) -> None:
        for handle in self.handles:
            handle.remove()

    def __getstate__(self) -> Any:
        return self.handles

    def __setstate__(self, state: Any) -> None:
        self.handles = state


def register_multi_grad_hook(
    tensors: Sequence[Tensor], fn: Callable[..., Any], *, mode: str = "all"
) -> RemovableHandle:
    """Call `fn` once in a backward pass, when the gradients of several tensors are known.

    mode: "all" calls fn(list of gradients) when the last is known, with None for tensors that the
    pass does not reach; "any" calls fn(gradient) with the first that is known.
    Raises: ValueError for another mode; AssertionError for a tensor that needs no gradient.

    >>> import graphlab as torch
    >>> x, y = (torch.tensor(v, requires_grad=True) for v in (2.0, 3.0))
    >>> handle = torch.autograd.graph.register_multi_grad_hook([x, y], print)
    >>> (x * y).backward()
    [tensor(3.), tensor(2.)]
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    if mode == "any":
        hook = first_of(fn)
        return _MultiHandle(tuple(register_hook(t, hook) for t in tensors if t.requires_grad))
    if not all(tensor.requires_grad for tensor in tensors):
        raise AssertionError("Expected gradient function to be set")
    places = [t if t._node is None else t.grad_fn for t in tensors]
    known: dict[int, list[Tensor | None]] = {}  # number of the pass -> what it found so far
    missing: dict[int, int] = {}

    def found(index: int, grad: Tensor) -> None:
        one = state.passes[-1]
        if one.number not in known:
            known[one.number] = [None] * len(tensors)
            missing[one.number] = sum(1 for place in places if one.will_run(place))
        known[one.number][index] = grad
        missing[one.number] -= 1
        if missing[one.number] == 0:
            del missing[one.number]
            fn(known.pop(one.number))

    hooks = [functools.partial(found, i) for i in range(len(tensors))]
    return _MultiHandle(tuple(map(register_hook, tensors, hooks)))


def first_of(fn: Callable[[Tensor], Any]) -> Callable[[Tensor], None]:
    """Return a hook that calls `fn` with only the first gradient of each backward pass."""
    last = -1

    @functools.wraps(fn)
    def hook(grad: Tensor) -> None:
        nonlocal last
        if state.passes[-1].number != last:
            last = state.passes[-1].number
            fn(grad)

    return hook

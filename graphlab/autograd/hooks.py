"""Hooks: the user's functions that are called with a gradient during the pass and may replace it.

    tensor.register_hook(f)       f(gradient of the tensor), when it is complete
    node.register_prehook(f)      f(gradients of the node's outputs), before its rules run
    node.register_hook(f)         f(gradients of its inputs, of its outputs), after them
    tensor.register_post_accumulate_grad_hook(f)    f(the leaf), when its `.grad` is written

The node that made a tensor holds its hooks, or the leaf does; nothing points back. `LivingHooks`
counts all hooks: while there is none, the engine does not look for any.

Read next: autograd/watched_pass.py
"""

import threading
import warnings
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from graphlab.autograd.grad_mode import UsersCode
from graphlab.common.errors import users_level
from graphlab.tensor.tensor import Tensor


class LivingHooks:
    """The number of hooks that exist, of all kinds: while it is 0, a pass need not look for any."""

    count: ClassVar[int] = 0
    lock: ClassVar[Any] = threading.RLock()

    @classmethod
    def add(cls, number: int, kind: Any = None) -> None:
        """Count hooks that were added, or (below zero) that are gone; `kind` has its own count."""
        with cls.lock:
            cls.count += number
            if kind is not None:
                kind.living += number
        UsersCode.defined = True


class HookDict(OrderedDict[int, Callable[..., Any]]):
    """Hooks by the id of their handle, in the order of registration."""

    def __setitem__(self, key: int, hook: Callable[..., Any]) -> None:
        LivingHooks.add(key not in self)
        super().__setitem__(key, hook)

    def __delitem__(self, key: int) -> None:
        super().__delitem__(key)
        LivingHooks.add(-1)

    def __del__(self) -> None:
        LivingHooks.add(-len(self))

    def __repr__(self) -> str:
        return repr(OrderedDict(self))


class Renumbered:
    """A mark on a node whose sequence number was set: while one exists, passes are watched."""

    __slots__ = ()
    living: ClassVar[int] = 0  # how many there are

    def __init__(self) -> None:
        LivingHooks.add(1, Renumbered)

    def __del__(self) -> None:
        LivingHooks.add(-1, Renumbered)


class RemovableHandle:
    """The handle of a hook: `remove()` removes the hook; so does leaving a `with` block.

    hooks_dict: the dictionary that holds the hook under the handle's `id`.
    extra_dict: further dictionaries in which the same id is to be removed.

    >>> import graphlab
    >>> x = graphlab.ones(1, requires_grad=True)
    >>> with x.register_hook(lambda grad: 10 * grad):
    ...     x.backward()
    >>> x.backward()  # without the hook
    >>> x.grad
    tensor([11.])
    """

    next_id: ClassVar[int] = 0

    def __init__(self, hooks_dict: Any, *, extra_dict: Any = None) -> None:
        self.hooks_dict_ref = weakref.ref(hooks_dict)
        self.id = RemovableHandle.next_id
        RemovableHandle.next_id += 1
        extra = [] if extra_dict is None else extra_dict
        self.extra_dict_ref = tuple(
            weakref.ref(d) for d in (extra if isinstance(extra, list) else [extra])
        )

    def remove(self) -> None:
        """Remove the hook; a second call does nothing.

        >>> import graphlab as torch
        >>> x = torch.tensor(3.0, requires_grad=True)
        >>> handle = x.register_hook(lambda grad: 10 * grad)
        >>> handle.remove()
        >>> (x * x).backward()
        >>> x.grad
        tensor(6.)
        """
        for reference in (self.hooks_dict_ref, *self.extra_dict_ref):
            hooks = reference()
            if hooks is not None and self.id in hooks:
                del hooks[self.id]

    def __enter__(self) -> "RemovableHandle":
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()

    def __getstate__(self) -> Any:
        return (self.hooks_dict_ref(), self.id, tuple(ref() for ref in self.extra_dict_ref))

    def __setstate__(self, state: Any) -> None:
        hooks, self.id, extra = state
        self.hooks_dict_ref = weakref.ref(OrderedDict() if hooks is None else hooks)
        RemovableHandle.next_id = max(RemovableHandle.next_id, self.id + 1)
        self.extra_dict_ref = tuple(weakref.ref(d) for d in extra if d is not None)


class LeafHooks:
    """The hooks of a leaf and of its AccumulateGrad."""

    __slots__ = ("after", "metadata", "post", "pre", "tensor")

    def __init__(self) -> None:
        self.tensor = HookDict()  # tensor.register_hook: called with the gradient that arrives
        self.pre = HookDict()  # AccumulateGrad's register_prehook
        self.after = HookDict()  # called with the leaf when its `.grad` has been written
        self.post = HookDict()  # AccumulateGrad's register_hook
        self.metadata: dict[Any, Any] = {}  # AccumulateGrad's metadata


def added(hooks: HookDict, hook: Callable[..., Any]) -> RemovableHandle:
    """Add a hook at the end; the handle can remove it."""
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


def leaf_hooks(leaf: Tensor) -> LeafHooks:
    """Return the hooks of a leaf; make the record of them if there is none."""
    more = leaf._rare()
    if more.hooks is None:
        more.hooks = LeafHooks()
    return more.hooks


def tensor_hooks(self: Tensor) -> HookDict:
    """Return the hooks of a tensor, which the node that made it holds, or the leaf itself."""
    if self._node is None:
        return leaf_hooks(self).tensor
    return self.grad_fn.tensor_hooks(self.output_nr)


def hooks_of(self: Tensor) -> HookDict | None:
    """Return the hooks that a tensor has, or None."""
    if self._node is not None:
        return ((self.grad_fn._extra or {}).get("tensor hooks") or {}).get(self.output_nr)
    return self._more.hooks.tensor if self._more is not None and self._more.hooks else None


def set_hooks(self: Tensor, given: dict[Any, Callable[..., Any]] | None) -> None:
    """Replace the hooks of a tensor."""
    hooks = tensor_hooks(self)
    for key in [*hooks]:
        del hooks[key]
    hooks.update(given or {})


def unserializable_hook(hook: Any) -> Any:
    """Decorate a hook so that pickling its tensor gives no warning about it.

    >>> from graphlab.utils.hooks import unserializable_hook
    >>> @unserializable_hook
    ... def ten_times(grad):
    ...     return 10 * grad
    """
    hook.__torch_unserializable__ = True
    return hook


def warn_if_has_hooks(tensor: Tensor) -> None:
    """Warn that pickling a tensor leaves out its hooks.

    >>> import graphlab
    >>> from graphlab.utils.hooks import warn_if_has_hooks
    >>> warn_if_has_hooks(graphlab.ones(1))  # it has none
    """
    for hook in (hooks_of(tensor) or {}).values():
        if not hasattr(hook, "__torch_unserializable__"):
            warnings.warn(
                f"backward hook {hook!r} on tensor will not be serialized.  If this is expected, "
                "you can decorate the function with @torch.utils.hooks.unserializable_hook to "
                "suppress this warning",
                stacklevel=users_level(),
            )


def register_hook(self: Tensor, hook: Callable[[Tensor], Any]) -> RemovableHandle:
    """Call `hook` with the gradient of this tensor whenever a backward pass has completed it.

    If the hook returns a tensor, the pass goes on with that in place of the gradient.
    Raises: RuntimeError when the tensor needs no gradient; in the backward pass, when the hook
    returns a tensor of another shape or type; TypeError when it returns something else.

    >>> import graphlab as torch
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> handle = x.register_hook(lambda grad: grad * 10)
    >>> (x * x).backward()
    >>> x.grad
    tensor(60.)
    >>> handle.remove()
    """
    if not self._needs:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    return added(tensor_hooks(self), hook)


def register_post_accumulate_grad_hook(
    self: Tensor, hook: Callable[[Tensor], Any]
) -> RemovableHandle:
    """Call `hook` with this leaf whenever a backward pass has written its `.grad`.

    Raises: RuntimeError when it is not a leaf, or needs no gradient.

    >>> import graphlab
    >>> x = graphlab.tensor(3.0, requires_grad=True)
    >>> handle = x.register_post_accumulate_grad_hook(lambda leaf: print(leaf.grad))
    >>> (x * x).backward()
    tensor(6.)
    """
    if not self._needs:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    if self._node is not None:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    return added(leaf_hooks(self).after, hook)


# -- calling them ------------------------------------------------------------------------------


def called(hooks: Iterable[Callable[..., Any]], value: Any, *others: Any) -> Any:
    """Call each hook with what the one before returned; return the last value.

    value: a gradient, or a tuple of gradients, None where there is none.
    Raises: TypeError or RuntimeError, in PyTorch's words, when a hook returns what does not fit.
    """
    for hook in list(hooks):  # one of them may remove another
        result = hook(value, *others)
        if result is None or result is value:
            continue
        if isinstance(value, tuple):
            check_tuple(value, result, hook)
        else:
            check_gradient(value, result, hook)
        value = result
    return value


def check_tuple(values: tuple[Any, ...], results: Any, hook: Any) -> None:
    """Raise TypeError or RuntimeError when `results` cannot replace `values`."""
    if not isinstance(results, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(results).__name__}'")
    if len(results) != len(values):
        raise RuntimeError(
            f"hook '{name_of(hook)}' has returned an incorrect number of values (got "
            f"{len(results)}, but expected {len(values)})"
        )
    for value, result in zip(values, results, strict=True):
        check_gradient(value, result, hook)


def check_gradient(value: Any, result: Any, hook: Any) -> None:
    """Raise TypeError or RuntimeError when `result` cannot replace `value`."""
    if result is None:
        return
    if value is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if not isinstance(result, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type(result).__name__}'")
    if result.dtype is not value.dtype:
        raise RuntimeError(
            f"hook '{name_of(hook)}' has changed the type of value (was "
            f"torch.{value.dtype.legacy} got torch.{result.dtype.legacy})"
        )
    if result.shape != value.shape:
        raise RuntimeError(f"hook '{name_of(hook)}' has changed the size of value")


def name_of(hook: Any) -> str:
    """Return the name of a hook for an error."""
    return getattr(hook, "__name__", "<unknown>")

"""Hooks of all modules: `torch.nn.modules.module.register_module_forward_hook` and its kin.

`Module.__call__` is replaced while there is such a hook, so none costs no time.

Read next: nn/module_hooks.py
"""

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from graphlab.autograd.scopes import note_call
from graphlab.nn.module import Module
from graphlab.nn.module_hooks import RemovableHandle, add_hook, call_with_hooks
from graphlab.nn.tree import TABLES
from graphlab.tensor.versions import next_sequence

usual_call = Module.__call__


class Everywhere(OrderedDict[int, Callable[..., Any]]):
    """A table of hooks of all modules."""

    def __setitem__(self, key: int, hook: Callable[..., Any]) -> None:
        super().__setitem__(key, hook)
        choose_call()

    def __delitem__(self, key: int) -> None:
        super().__delitem__(key)
        choose_call()


everywhere = {name: Everywhere() for name in TABLES}


class Tables:
    """The hooks of all modules, then a module's own; a deprecated backward hook becomes full."""

    def __init__(self, module: Module) -> None:
        for name, table in everywhere.items():
            setattr(self, name, {**table, **getattr(module, name)})
        full = everywhere["_backward_hooks"] or module._is_full_backward_hook
        self._is_full_backward_hook = bool(full) or full is None


def call(self: Module, *args: Any, **kwargs: Any) -> Any:
    """Call a module with the hooks of all modules and its own."""
    opened = next_sequence()
    try:
        return call_with_hooks(self, args, kwargs, Tables(self))
    finally:
        note_call(self, opened)


def choose_call() -> None:
    """Let modules look for hooks of all modules if there are any."""
    Module.__call__ = call if any(everywhere.values()) else usual_call


def register_module_forward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call a hook as `Module.register_forward_pre_hook` does, for every module."""
    return add_hook(everywhere["_forward_pre_hooks"], hook)


def register_module_forward_hook(
    hook: Callable[..., Any], *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Call a hook as `Module.register_forward_hook` does, for every module."""
    marks = {"_forward_hooks_with_kwargs": with_kwargs, "_forward_hooks_always_called": always_call}
    chosen = [everywhere[name] for name, marked in marks.items() if marked]
    return add_hook(everywhere["_forward_hooks"], hook, marks=chosen)


def register_module_full_backward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call a hook as `Module.register_full_backward_pre_hook` does, for every module."""
    return add_hook(everywhere["_backward_pre_hooks"], hook)


def register_module_full_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call a hook as `Module.register_full_backward_hook` does, for every module."""
    return add_hook(everywhere["_backward_hooks"], hook)

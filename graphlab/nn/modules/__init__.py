"""PyTorch's import paths, `from graphlab.nn.modules.conv import Conv2d`, and hooks of all modules.

The classes are those of `graphlab.nn`. This file has PyTorch's names of their files, and of the
base classes and helpers that programs import from them. While there is a hook of all modules,
`Module.__call__` is replaced, so none costs no time.

Read next: nn/module.py
"""

import sys
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any

from graphlab import nn
from graphlab.autograd.scopes import note_call
from graphlab.nn.layer import repeated
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


FILES = (
    "activation", "batchnorm", "channelshuffle", "container", "conv", "distance", "dropout",
    "flatten", "fold", "instancenorm", "lazy", "linear", "loss", "module", "normalization",
    "padding", "pixelshuffle", "pooling", "rnn", "sparse", "transformer", "upsampling", "utils",
)  # fmt: skip
BASES = {  # PyTorch's name of a base class -> its module and name in GraphLab
    "_BatchNorm": ("nn.batchnorm", "BatchNorm"),
    "_ConvNd": ("nn.conv", "Convolution"),
    "_DropoutNd": ("nn.dropout", "DropoutLayer"),
    "_InstanceNorm": ("nn.batchnorm", "InstanceNorm"),
    "_LazyBatchNorm": ("nn.lazy", "LazyBatchNorm"),
    "_Loss": ("nn.loss", "Loss"),
    "_NormBase": ("nn.batchnorm", "ChannelNorm"),
    "_WeightedLoss": ("nn.loss", "WeightedLoss"),
    "_get_clones": ("nn.transformer", "copies"),
    "LazyModuleMixin": ("nn.lazy", "Lazy"),
    "RNNBase": ("nn.recurrent", "RNNBase"),
    "RNNCellBase": ("nn.cells", "Cell"),
}
HELPERS: dict[str, Any] = {
    "_ntuple": lambda n: partial(repeated, n=n), "_single": partial(repeated, n=1),
    "_pair": partial(repeated, n=2), "_triple": partial(repeated, n=3),
    "_quadruple": partial(repeated, n=4),
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in HELPERS:
        return HELPERS[name]
    if name in BASES:
        module, own = BASES[name]
        return getattr(import_module(f"graphlab.{module}"), own)
    if name.startswith("register_module_"):
        return globals()[name]
    if name in nn.HOMES:
        return getattr(nn, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class File(ModuleType):
    """A PyTorch file, from which any class of `nn` can be imported."""

    def __getattr__(self, name: str) -> Any:
        return __getattr__(name)


for file in FILES:
    globals()[file] = sys.modules[f"{__name__}.{file}"] = File(f"{__name__}.{file}", __doc__)
__all__ = [*nn.HOMES]

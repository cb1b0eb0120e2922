"""PyTorch's import paths of modules: `from graphlab.nn.modules.conv import Conv2d`.

The classes are those of `graphlab.nn`. This file has PyTorch's names of their files, and of the
base classes and helpers that programs import from them.

Read next: nn/module.py
"""

import sys
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any

from graphlab import nn
from graphlab.nn.layer import repeated

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
        return getattr(import_module("graphlab.nn.global_hooks"), name)
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

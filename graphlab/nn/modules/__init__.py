"""PyTorch's import paths of modules: `from graphlab.nn.modules.conv import Conv2d`.

The classes themselves are those of `graphlab.nn`; here stand PyTorch's names of their files, and
of the base classes that programs take from them.

Read next: nn/module.py
"""

import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from types import ModuleType
from typing import Any

from graphlab import nn

FILES = (
    "activation", "batchnorm", "channelshuffle", "container", "conv", "distance", "dropout",
    "flatten", "fold", "instancenorm", "lazy", "linear", "loss", "module", "normalization",
    "padding", "pixelshuffle", "pooling", "rnn", "sparse", "transformer", "upsampling", "utils",
)  # fmt: skip
BASES = {  # PyTorch's name of a base class -> where it is here
    "_BatchNorm": ("nn.batchnorm", "BatchNorm"),
    "_ConvNd": ("nn.conv", "Convolution"),
    "_DropoutNd": ("nn.dropout", "Dropping"),
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


def repeated(n: int) -> Callable[[Any], tuple[Any, ...]]:
    """Return the function that makes n numbers of one; what is a sequence already stays."""
    return lambda x: tuple(x) if isinstance(x, Iterable) else (x,) * n


HELPERS = {
    "_ntuple": repeated, "_single": repeated(1), "_pair": repeated(2), "_triple": repeated(3),
    "_quadruple": repeated(4),
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in HELPERS:
        return HELPERS[name]
    if name in BASES:
        module, own = BASES[name]
        return getattr(import_module(f"graphlab.{module}"), own)
    if name in nn.HOMES:
        return getattr(nn, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class File(ModuleType):
    """A file of PyTorch's: any class of `nn` can be taken from it."""

    def __getattr__(self, name: str) -> Any:
        return __getattr__(name)


for file in FILES:
    globals()[file] = sys.modules[f"{__name__}.{file}"] = File(f"{__name__}.{file}", __doc__)
__all__ = [*nn.HOMES]

"""Optimizers change the parameters, given the gradients that `backward()` accumulated.

A file is imported when one of its names is first used; HOMES maps each name to its file.

Read next: optim/optimizer.py
"""

from importlib import import_module
from typing import Any

from graphlab.common.exports import homes

HOMES = homes(
    {
        "optim.adafactor": "Adafactor",
        "optim.adam": "Adam Adamax AdamW NAdam RAdam",
        "optim.adaptive": "Adadelta Adagrad RMSprop Rprop",
        "optim.lbfgs": "LBFGS",
        "optim.optimizer": "Optimizer",
        "optim.sgd": "ASGD SGD",
    }
)
MODULES = ("lr_scheduler",)

__all__ = [*HOMES, *MODULES]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name in MODULES:
        return import_module(f"graphlab.optim.{name}")
    if name not in HOMES:
        raise AttributeError(f"module 'graphlab.optim' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"graphlab.{HOMES[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

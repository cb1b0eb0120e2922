"""Optimizers, which change parameters by the gradients that `backward()` accumulated.

A file is imported when one of its names is first used; HOMES maps each name to its file.

Read next: optim/optimizer.py
"""

from graphlab.common.public import homes, lazy

HOMES = homes(
    {
        "optim.adam": "Adam Adamax AdamW NAdam RAdam",
        "optim.adaptive": "Adadelta Adafactor Adagrad RMSprop Rprop",
        "optim.lbfgs": "LBFGS",
        "optim.optimizer": "Optimizer",
        "optim.sgd": "ASGD SGD",
    }
)
MODULES = ("lr_scheduler", "swa_utils")

__all__ = [*HOMES, *MODULES]
__getattr__, __dir__ = lazy(__name__, HOMES, MODULES)

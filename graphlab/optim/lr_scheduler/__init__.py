"""Schedulers, which change the learning rate during training.

    for epoch in range(100):
        train()              # calls optimizer.step()
        scheduler.step()     # sets the learning rate of the next epoch

Read next: optim/lr_scheduler/scheduler.py
"""

from graphlab.optim.lr_scheduler.combined import ChainedScheduler, ReduceLROnPlateau, SequentialLR
from graphlab.optim.lr_scheduler.cycles import (
    CosineAnnealingLR,
    CosineAnnealingWarmRestarts,
    CyclicLR,
    OneCycleLR,
)
from graphlab.optim.lr_scheduler.decay import (
    ConstantLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiplicativeLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
)
from graphlab.optim.lr_scheduler.scheduler import LRScheduler
from graphlab.optim.lr_scheduler.scheduler import _LRScheduler as _LRScheduler  # the old name

__all__ = [
    "ChainedScheduler", "ConstantLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts",
    "CyclicLR", "ExponentialLR", "LRScheduler", "LambdaLR", "LinearLR", "MultiStepLR",
    "MultiplicativeLR", "OneCycleLR", "PolynomialLR", "ReduceLROnPlateau", "SequentialLR",
    "StepLR",
]  # fmt: skip

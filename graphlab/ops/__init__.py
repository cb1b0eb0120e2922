"""The mathematics: every operation with its derivative rules, and nothing about how they run.

Read next: ops/base.py
"""

from graphlab.ops import (
    activation,
    arrange,
    elementwise,
    indexing,
    linalg,
    loss,
    order,
    picking,
    reduction,
    rounding,
    shape,
    special,
    statistics,
    vocabulary,
)
from graphlab.ops.base import Op, registry

__all__ = [
    "Op",
    "activation",
    "arrange",
    "elementwise",
    "indexing",
    "linalg",
    "loss",
    "order",
    "picking",
    "reduction",
    "registry",
    "rounding",
    "shape",
    "special",
    "statistics",
    "vocabulary",
]

"""The mathematics: every operation with its derivative rules, and nothing about how they run.

Read next: ops/base.py
"""

from graphlab.ops import (
    arrange,
    elementwise,
    indexing,
    linalg,
    loss,
    order,
    picking,
    reduction,
    shape,
    statistics,
    vocabulary,
)
from graphlab.ops.base import Op, registry

__all__ = [
    "Op",
    "arrange",
    "elementwise",
    "indexing",
    "linalg",
    "loss",
    "order",
    "picking",
    "reduction",
    "registry",
    "shape",
    "statistics",
    "vocabulary",
]

"""The mathematics: every operation with its derivative rules, and nothing about how they run.

Read next: ops/base.py
"""

from graphlab.ops import elementwise, indexing, linalg, loss, reduction, shape, vocabulary
from graphlab.ops.base import Op, registry

__all__ = [
    "Op",
    "elementwise",
    "indexing",
    "linalg",
    "loss",
    "reduction",
    "registry",
    "shape",
    "vocabulary",
]

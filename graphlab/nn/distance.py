"""Distances between the rows of two tensors.

Read next: nn/loss.py
"""

from graphlab.nn.calling import Calling


class PairwiseDistance(Calling):
    """The p-norm of the difference. x1, x2: (N, D) or (D,) -> (N,) or ()."""

    function = "pairwise_distance"
    options = ("p", "eps", "keepdim")

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    @property
    def p(self) -> float:
        return self.norm


class CosineSimilarity(Calling):
    """The cosine of the angle between vectors along dim. x1, x2: (...) -> (...)."""

    function = "cosine_similarity"
    options = ("dim", "eps")

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim = dim
        self.eps = eps

"""Distances between vectors.

Read next: nn/loss.py
"""

from graphlab.nn.layer import FunctionLayer


class PairwiseDistance(FunctionLayer):
    """Return the distance of pairs of vectors: ‖x1 - x2 + eps‖ₚ = (Σ |x1 - x2 + eps|ᵖ)^(1/p).

    p: float, the exponent of the norm; default 2, for the Euclidean distance.
    eps: float, added to the differences, so that the norm has a gradient at 0; default 1e-6.
    keepdim: bool, whether the last dimension stays, with size 1; default False.

    Shapes: x1 and x2 (N, D) or (D,) -> (N,) or (); with `keepdim` (N, 1) or (1,).

    >>> PairwiseDistance()(torch.tensor([[3.0, 4.0]]), torch.zeros(1, 2))
    tensor([5.0000])
    """

    function = "pairwise_distance"
    options = ("p", "eps", "keepdim")

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__(norm=p, eps=eps, keepdim=keepdim)

    @property
    def p(self) -> float:
        """The exponent of the norm; PyTorch's module calls it `norm`."""
        return self.norm


class CosineSimilarity(FunctionLayer):
    """Return the cosine of the angle between vectors: x1 · x2 / max(‖x1‖ · ‖x2‖, eps).

    dim: int, the dimension along which the vectors lie; default 1.
    eps: float, avoids a division by 0; default 1e-8.

    Shapes: x1 and x2, which broadcast to (*A, D, *B) -> (*A, *B), with D at `dim`.

    >>> CosineSimilarity()(torch.tensor([[1.0, 1.0]]), torch.tensor([[2.0, 0.0]]))
    tensor([0.7071])
    """

    function = "cosine_similarity"
    options = ("dim", "eps")

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__(dim=dim, eps=eps)

"""Margin losses: they are 0 if a score or a distance is better than another by a margin.

The distances between vectors have layers here, too.

Read next: nn/functional/margins.py
"""

from typing import Any

from graphlab.nn.layer import FunctionLayer
from graphlab.nn.loss import Loss, WeightedLoss


class SoftMarginLoss(Loss):
    """Compare scores with targets of 1 and -1: log(1 + exp(-target · input)).

    >>> SoftMarginLoss()(torch.tensor([0.0, 2.0]), torch.tensor([1.0, 1.0]))
    tensor(0.4100)
    """

    function = "soft_margin_loss"


class MultiMarginLoss(WeightedLoss):
    """Ask that the score of the true class exceeds all others by a margin.

    Σ_{j ≠ y} weight[y] · max(0, margin - input[y] + input[j])ᵖ / C for the true class y.

    p: int, the exponent, 1 or 2; default 1.
    margin: float, the margin; default 1.

    Shapes: input (N, C) or (C,), target (N,) or () of int64 in [0, C) -> (), or the target's
        shape with reduction="none".

    Raises: ValueError for another `p` or a weight that is not 1-D.

    >>> MultiMarginLoss()(torch.tensor([[0.0, 0.5, 2.0]]), torch.tensor([2]))
    tensor(0.)
    """

    function = "multi_margin_loss"

    def _keep(self, options: dict[str, Any]) -> None:
        if options["p"] not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")
        weight = options["weight"]
        if weight is not None and weight.dim() != 1:
            raise ValueError(
                "MultiMarginLoss: expected weight to be None or 1D tensor, got "
                f"{weight.dim()}D instead"
            )
        super()._keep(options)


class MultiLabelMarginLoss(Loss):
    """Ask that the scores of all true classes exceed those of the others by a margin of 1.

    Σ_{y true} Σ_{j not true} max(0, 1 - input[y] + input[j]) / C.

    Shapes: input (N, C) or (C,), target of the same shape, of int64: the true classes, then -1
        -> (), or (N,) with reduction="none".

    >>> MultiLabelMarginLoss()(torch.tensor([[0.0, 0.5, 2.0]]), torch.tensor([[2, 1, -1]]))
    tensor(0.1667)
    """

    function = "multilabel_margin_loss"


class MultiLabelSoftMarginLoss(WeightedLoss):
    """Compare scores with any number of true classes: a binary cross-entropy for each class.

    -Σ_c weight[c] · (target[c] · log σ(input[c]) + (1 - target[c]) · log σ(-input[c])) / C.

    Shapes: input and target (N, C) -> (), or (N,) with reduction="none".

    >>> MultiLabelSoftMarginLoss()(torch.tensor([[0.0, 2.0]]), torch.tensor([[0.0, 1.0]]))
    tensor(0.4100)
    """

    function = "multilabel_soft_margin_loss"


# -- of pairs and triples --------------------------------------------------------------------------


class HingeEmbeddingLoss(Loss):
    """Ask that distances of similar pairs are small, and those of other pairs exceed a margin.

    It is input where the target is 1, and max(0, margin - input) where it is -1; `input` holds
    distances.

    margin: float, the margin; default 1.

    >>> HingeEmbeddingLoss(reduction="none")(torch.tensor([0.3, 0.3]), torch.tensor([1, -1]))
    tensor([0.3000, 0.7000])
    """

    function = "hinge_embedding_loss"


class CosineEmbeddingLoss(Loss):
    """Ask that the cosine of similar pairs is 1, and that of other pairs at most a margin.

    It is 1 - cos where the target is 1, and max(0, cos - margin) where it is -1.

    margin: float in [-1, 1], the margin; default 0.

    Shapes: input1 and input2 (N, D) or (D,), target (N,) or () -> (), or (N,) with
        reduction="none".

    >>> a, b = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 1.0]])
    >>> CosineEmbeddingLoss()(a, b, torch.tensor([1])), CosineEmbeddingLoss()(a, b, -torch.ones(1))
    (tensor(1.), tensor(0.))
    """

    function = "cosine_embedding_loss"


class MarginRankingLoss(Loss):
    """Ask that the first score is above the second, or below it, by a margin.

    max(0, margin - target · (input1 - input2)); a target of 1 asks for above, -1 for below.

    margin: float, the margin; default 0.

    Shapes: input1, input2 and target (N,) or () -> (), or (N,) with reduction="none".

    >>> MarginRankingLoss(0.5)(torch.tensor([1.0]), torch.tensor([0.8]), torch.tensor([1.0]))
    tensor(0.3000)
    """

    function = "margin_ranking_loss"


class TripletMarginLoss(Loss):
    """Ask that an anchor is nearer to the positive than to the negative by a margin.

    max(0, margin + ‖anchor - positive‖ - ‖anchor - negative‖).

    margin: float > 0, the margin; default 1.
    p: float, the exponent of the norm that measures the distance; default 2.
    eps: float, added to the differences, so that the norm has a gradient at 0; default 1e-6.
    swap: bool, whether to use the distance of the negative from the positive where it is smaller
        than that from the anchor; default False.

    Shapes: anchor, positive and negative (N, D) or (D,) -> (), or (N,) with reduction="none".

    Raises: ValueError if `margin` is not above 0.

    Source: Balntas et al. 2016, "Learning local feature descriptors with triplets".

    >>> TripletMarginLoss()(torch.zeros(1, 2), torch.ones(1, 2), torch.full((1, 2), 2.0))
    tensor(0.)
    """

    function = "triplet_margin_loss"

    def _keep(self, options: dict[str, Any]) -> None:
        positive(options["margin"], "TripletMarginLoss")
        super()._keep(options)


class TripletMarginWithDistanceLoss(Loss):
    """Ask that an anchor is nearer to the positive than to the negative, by any distance function.

    max(0, margin + d(anchor, positive) - d(anchor, negative)).

    distance_function: function d of two tensors, which returns their distances (N,); default None,
        for PairwiseDistance().
    margin: float > 0, the margin; default 1.
    swap: bool, whether to use the distance of the negative from the positive where it is smaller
        than that from the anchor; default False.

    Shapes: anchor, positive and negative (N, ...) -> (), or (N,) with reduction="none".

    Raises: ValueError if `margin` is not above 0.

    >>> far = TripletMarginWithDistanceLoss(distance_function=lambda a, b: (a - b).abs().sum(1))
    >>> far(torch.zeros(1, 2), torch.ones(1, 2), torch.full((1, 2), 2.0))
    tensor(0.)
    """

    function = "triplet_margin_with_distance_loss"

    def _keep(self, options: dict[str, Any]) -> None:
        positive(options["margin"], "TripletMarginWithDistanceLoss")
        distance = options["distance_function"] or PairwiseDistance()
        super()._keep({**options, "distance_function": distance})


def positive(margin: float, name: str) -> None:
    """Raise ValueError unless the margin is above 0."""
    if margin <= 0:
        raise ValueError(f"{name}: expected margin to be greater than 0, got {margin} instead")


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
    shown = ()

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
    shown = ()

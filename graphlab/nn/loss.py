"""Losses as modules: `nn.MSELoss()(input, target)` is `F.mse_loss(input, target)`.

Read next: nn/functional/loss.py
"""

import warnings
from collections.abc import Callable
from typing import Any

from graphlab.nn.calling import Calling
from graphlab.nn.distance import PairwiseDistance
from graphlab.tensor.tensor import Tensor


class Loss(Calling):
    """What all losses have. reduction: "mean", "sum" or "none"."""

    options = ("reduction",)

    def __init__(
        self, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
    ) -> None:
        super().__init__()
        if size_average is not None or reduce is not None:
            whole = reduce is None or reduce
            mean = size_average is None or size_average
            reduction = ("mean" if mean else "sum") if whole else "none"
            warnings.warn(
                "size_average and reduce args will be deprecated, please use "
                f"reduction='{reduction}' instead.",
                stacklevel=4,
            )
        self.reduction = reduction

    def extra_repr(self) -> str:
        return ""


class WeightedLoss(Loss):
    """A loss with a weight for each class, or for each entry."""

    options = ("weight", "reduction")

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


# -- of numbers ------------------------------------------------------------------------------------


class MSELoss(Loss):
    """The squared error. input, target: (...)."""

    function = "mse_loss"


class L1Loss(Loss):
    """The absolute error. input, target: (...)."""

    function = "l1_loss"


class SmoothL1Loss(Loss):
    """The absolute error, squared where it is below beta. input, target: (...)."""

    function = "smooth_l1_loss"
    options = ("reduction", "beta")

    def __init__(
        self,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
        beta: float = 1.0,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.beta = beta


class HuberLoss(Loss):
    """The squared error, straight from delta on. input, target: (...)."""

    function = "huber_loss"
    options = ("reduction", "delta")

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        if not isinstance(delta, float | int):
            raise TypeError(f"delta must be a float or int, got: {type(delta)}")
        super().__init__(reduction=reduction)
        self.delta = delta


class PoissonNLLLoss(Loss):
    """Counts, from a Poisson distribution. log_input, target: (...)."""

    function = "poisson_nll_loss"
    options = ("log_input", "full", "eps", "reduction")

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        size_average: Any = None,
        eps: float = 1e-8,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_input = log_input
        self.full = full
        self.eps = eps


class GaussianNLLLoss(Loss):
    """Numbers, from a normal distribution. input, target, var: (...)."""

    function = "gaussian_nll_loss"
    options = ("full", "eps", "reduction")

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(reduction=reduction)
        self.full = full
        self.eps = eps


class KLDivLoss(Loss):
    """How far log-probabilities are from a target. input, target: (...)."""

    function = "kl_div"
    options = ("reduction", "log_target")

    def __init__(
        self,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
        log_target: bool = False,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target


# -- of classes ------------------------------------------------------------------------------------


class NLLLoss(WeightedLoss):
    """Less the log-probability of the class. input: (N, C, ...), target: (N, ...)."""

    function = "nll_loss"
    options = ("weight", "ignore_index", "reduction")

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: Any = None,
        ignore_index: int = -100,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index


class CrossEntropyLoss(WeightedLoss):
    """Scores and classes, or probabilities. input: (N, C, ...), target: (N, ...) or as input.

    >>> import graphlab as torch
    >>> CrossEntropyLoss()(torch.tensor([[0.0, 0.0]]), torch.tensor([1]))
    tensor(0.6931)
    """

    function = "cross_entropy"
    options = ("weight", "ignore_index", "reduction", "label_smoothing")

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: Any = None,
        ignore_index: int = -100,
        reduce: Any = None,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing


class BCELoss(WeightedLoss):
    """Yes or no, from probabilities. input, target: (...)."""

    function = "binary_cross_entropy"


class BCEWithLogitsLoss(Loss):
    """Yes or no, from scores. input, target: (...)."""

    function = "binary_cross_entropy_with_logits"
    options = ("weight", "pos_weight", "reduction")

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)


class MultiLabelMarginLoss(Loss):
    """Several classes each, with a margin. input: (N, C), target: (N, C), filled up with -1."""

    function = "multilabel_margin_loss"


class MultiLabelSoftMarginLoss(WeightedLoss):
    """Several classes each, yes or no. input, target: (N, C)."""

    function = "multilabel_soft_margin_loss"


class SoftMarginLoss(Loss):
    """log(1 + exp(-y x)). input, target: (...), targets 1 or -1."""

    function = "soft_margin_loss"


class MultiMarginLoss(WeightedLoss):
    """One class, ahead of the others by a margin. input: (N, C), target: (N,)."""

    function = "multi_margin_loss"
    options = ("p", "margin", "weight", "reduction")

    def __init__(
        self,
        p: int = 1,
        margin: float = 1.0,
        weight: Tensor | None = None,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        if p not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")
        if weight is not None and weight.dim() != 1:
            raise ValueError(
                "MultiMarginLoss: expected weight to be None or 1D tensor, got "
                f"{weight.dim()}D instead"
            )
        self.p = p
        self.margin = margin


# -- of pairs and triples --------------------------------------------------------------------------


class WithMargin(Loss):
    """A loss that is 0 from a margin on."""

    options = ("margin", "reduction")

    def __init__(
        self,
        margin: float = 0.0,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin


class HingeEmbeddingLoss(WithMargin):
    """A distance: x where the target is 1, max(0, margin - x) where it is -1."""

    function = "hinge_embedding_loss"

    def __init__(
        self,
        margin: float = 1.0,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(margin, size_average, reduce, reduction)


class CosineEmbeddingLoss(WithMargin):
    """Alike where the target is 1, not alike where it is -1. input1, input2: (N, D)."""

    function = "cosine_embedding_loss"


class MarginRankingLoss(WithMargin):
    """The first higher where the target is 1, the second where it is -1. inputs: (N,)."""

    function = "margin_ranking_loss"


class TripletMarginLoss(Loss):
    """The anchor nearer to the positive than to the negative, by a margin. inputs: (N, D)."""

    function = "triplet_margin_loss"
    options = ("margin", "p", "eps", "swap", "reduction")

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        if margin <= 0:
            raise ValueError(
                f"TripletMarginLoss: expected margin to be greater than 0, got {margin} instead"
            )
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap


class TripletMarginWithDistanceLoss(Loss):
    """A TripletMarginLoss with a distance of one's own."""

    function = "triplet_margin_with_distance_loss"
    options = ("distance_function", "margin", "swap", "reduction")

    def __init__(
        self,
        *,
        distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction=reduction)
        if margin <= 0:
            raise ValueError(
                "TripletMarginWithDistanceLoss: expected margin to be greater than 0, got "
                f"{margin} instead"
            )
        self.distance_function = distance_function or PairwiseDistance()
        self.margin = margin
        self.swap = swap

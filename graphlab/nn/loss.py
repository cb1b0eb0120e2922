"""Losses as modules: `nn.MSELoss()(input, target)` is `F.mse_loss(input, target)`.

Read next: nn/margin_loss.py
"""

import inspect
from typing import Any

from graphlab.nn.functional.class_losses import reduction_of
from graphlab.nn.layer import FunctionLayer


class Loss(FunctionLayer):
    """The base of the losses: a loss for each entry or sample, then their mean or sum.

    size_average: bool, deprecated; False means `reduction="sum"`; default None.
    reduce: bool, deprecated; False means `reduction="none"`; default None.
    reduction: str, "mean" or "sum" of all losses, or "none" for the losses themselves; default
        "mean".

    Shapes: (...) and (...) -> (), or (...) with reduction="none".

    Raises: ValueError or RuntimeError, in the call, for shapes that do not fit together or an
        unknown reduction.
    """

    shown = ()
    __signature__ = _signature = inspect.signature(  # of losses that programs derive from this
        lambda size_average=None, reduce=None, reduction="mean": None
    )

    def _keep(self, options: dict[str, Any]) -> None:
        averaged, reduced = options.pop("size_average", None), options.pop("reduce", None)
        reduction = reduction_of(averaged, reduced, options["reduction"])
        super()._keep({**options, "reduction": reduction})


class WeightedLoss(Loss):
    """The base of the losses with a weight for each class or entry.

    weight: Tensor of shape (C,), a weight for each class; default None, for 1 each.
    ignore_index: int, a class whose targets contribute nothing; default -100.
    """

    __signature__ = _signature = inspect.signature(
        lambda weight=None, size_average=None, reduce=None, reduction="mean": None
    )


# -- of numbers ------------------------------------------------------------------------------------


class MSELoss(Loss):
    """Compare numbers by their squared difference: (input - target)².

    >>> MSELoss()(torch.tensor([1.0, 4.0]), torch.tensor([1.0, 2.0]))
    tensor(2.)
    """

    function = "mse_loss"
    options = ("reduction",)


class L1Loss(Loss):
    """Compare numbers by their absolute difference: |input - target|.

    >>> L1Loss()(torch.tensor([1.0, 4.0]), torch.tensor([1.0, 2.0]))
    tensor(1.)
    """

    function = "l1_loss"
    options = ("reduction",)


class SmoothL1Loss(Loss):
    """Compare numbers by their squared difference if it is small, else by the absolute one.

    With d = |input - target|: d² / (2·beta) for d < beta, else d - beta/2. It is HuberLoss with
    delta = beta, divided by beta.

    beta: float ≥ 0, the difference at which the square becomes a straight line; default 1. With 0
        it is L1Loss.

    Source: Girshick 2015, arXiv:1504.08083.

    >>> SmoothL1Loss(reduction="none")(torch.tensor([0.5, 3.0]), torch.zeros(2))
    tensor([0.1250, 2.5000])
    """

    function = "smooth_l1_loss"


class HuberLoss(Loss):
    """Compare numbers by half their squared difference, with straight lines beyond `delta`.

    With d = |input - target|: d² / 2 for d ≤ delta, else delta · (d - delta/2).

    delta: float > 0, the difference at which the square becomes a straight line; default 1.

    Raises: TypeError if `delta` is not a number; RuntimeError, in the call, if it is not above 0.

    Source: Huber 1964, "Robust estimation of a location parameter".

    >>> HuberLoss(reduction="none")(torch.tensor([0.5, 3.0]), torch.zeros(2))
    tensor([0.1250, 2.5000])
    """

    function = "huber_loss"
    options = ("reduction", "delta")

    def _keep(self, options: dict[str, Any]) -> None:
        if not isinstance(options["delta"], float | int):
            raise TypeError(f"delta must be a float or int, got: {type(options['delta'])}")
        super()._keep(options)


class PoissonNLLLoss(Loss):
    """Compare predicted rates with counts: the negative log-likelihood of a Poisson distribution.

    exp(input) - target · input with `log_input`, else input - target · log(input + eps).

    log_input: bool, whether `input` is the logarithm of the rate; default True.
    full: bool, whether to add Stirling's approximation of log(target!), which is
        target · log target - target + log(2π·target) / 2 for targets above 1; default False.
    eps: float, keeps the logarithm finite without `log_input`; default 1e-8.

    >>> PoissonNLLLoss()(torch.tensor([0.0, 0.0]), torch.tensor([1.0, 2.0]))
    tensor(1.)
    """

    function = "poisson_nll_loss"


class GaussianNLLLoss(Loss):
    """Compare numbers with predicted means and variances: the normal negative log-likelihood.

    ½ · (log var + (input - target)² / var), with `var` at least `eps`.

    full: bool, whether to add the constant ½ · log 2π; default False.
    eps: float, the smallest variance; default 1e-6.

    Shapes: input (...), target (...) and var (...), (..., 1) or () -> (), or (...) with
        reduction="none".

    Raises: ValueError, in the call, for a negative variance or one of another shape.

    Source: Nix & Weigend 1994, "Estimating the mean and variance of the target distribution".

    >>> GaussianNLLLoss()(torch.tensor([1.0]), torch.tensor([3.0]), torch.tensor([1.0]))
    tensor(2.)
    """

    function = "gaussian_nll_loss"
    options = ("full", "eps", "reduction")

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(full=full, eps=eps, reduction=reduction)


class KLDivLoss(Loss):
    """Compare a predicted distribution with a target by the Kullback-Leibler divergence.

    target · (log target - input), where `input` holds log-probabilities.

    reduction: str, "batchmean" for the sum divided by the batch size, which is the divergence as it
        is defined; or "mean" (over all entries, with a warning), "sum" or "none"; default "mean".
    log_target: bool, whether `target` holds log-probabilities too; default False.

    Source: Kullback & Leibler 1951, "On information and sufficiency".

    >>> p, q = torch.tensor([[0.5, 0.5]]), torch.tensor([[0.25, 0.75]])
    >>> KLDivLoss(reduction="batchmean")(q.log(), p)
    tensor(0.1438)
    """

    function = "kl_div"


# -- of classes ------------------------------------------------------------------------------------


class NLLLoss(WeightedLoss):
    """Compare log-probabilities with classes: -weight[y] · input[y] for the true class y.

    The mean divides by the sum of the weights of the targets.

    Shapes: input (N, C, ...) or (C,), target (N, ...) or () of int64 in [0, C) -> (), or the
        target's shape with reduction="none".

    Raises: ValueError, RuntimeError or IndexError, in the call, for targets that do not fit.

    >>> NLLLoss()(torch.tensor([[0.5, 0.5]]).log(), torch.tensor([1]))
    tensor(0.6931)
    """

    function = "nll_loss"


class CrossEntropyLoss(WeightedLoss):
    """Compare scores with classes, or with probabilities of the classes.

    It is NLLLoss of the log-softmax of the scores: -log(exp(input[y]) / Σ_c exp(input[c])) for
    the true class y; with probabilities p, -Σ_c p[c] · log softmax(input)[c].

    label_smoothing: float in [0, 1], the share of each target that is spread evenly over all
        classes (Szegedy et al. 2016, arXiv:1512.00567); default 0.

    Shapes: input (N, C, ...) or (C,), target (N, ...) or () of int64 in [0, C), or as `input`
        for probabilities -> (), or input's shape without C with reduction="none".

    Raises: ValueError, RuntimeError or IndexError, in the call, for targets that do not fit.

    >>> CrossEntropyLoss()(torch.tensor([[0.0, 0.0]]), torch.tensor([1]))
    tensor(0.6931)
    """

    function = "cross_entropy"


class BCELoss(WeightedLoss):
    """Compare probabilities with targets of 1 (yes) and 0 (no): the binary cross-entropy.

    -weight · (target · log input + (1 - target) · log(1 - input)), the logarithms at least -100.

    weight: Tensor that broadcasts to the input, a weight for each entry; default None, for 1.

    Raises: RuntimeError, in the call, for probabilities outside [0, 1].

    >>> BCELoss()(torch.tensor([0.5, 0.5]), torch.tensor([1.0, 0.0]))
    tensor(0.6931)
    """

    function = "binary_cross_entropy"


class BCEWithLogitsLoss(Loss):
    """Compare scores with targets of 1 and 0: BCELoss of their sigmoid, without overflow.

    -weight · (pos_weight · target · log σ(input) + (1 - target) · log(1 - σ(input))).

    weight: Tensor that broadcasts to the input, a weight for each entry; default None, for 1.
    pos_weight: Tensor that broadcasts to the input, an extra weight for the targets of 1, such as
        one per class; default None, for 1.

    >>> BCEWithLogitsLoss()(torch.tensor([0.0, 0.0]), torch.tensor([1.0, 0.0]))
    tensor(0.6931)
    """

    function = "binary_cross_entropy_with_logits"


class CTCLoss(Loss):
    """Compare the letters that a network predicts at each step with a text that has no timing.

    The loss is -log p, where p sums the probabilities of all alignments: of all sequences of
    letters and blanks, one for each step, that become the text when repeated letters count once
    and blanks are removed.

    blank: int, the number of the blank; default 0.
    reduction: str, "mean" of the losses, each divided by its text's length, "sum" or "none";
        default "mean".
    zero_infinity: bool, whether an infinite loss becomes 0, that of a text that is too long for the
        steps; default False.

    Shapes: log_probs (T, N, C) or (T, C), targets (N, S) or (sum of target_lengths,) of int64,
        input_lengths and target_lengths (N,) -> (), or (N,) with reduction="none".

    Raises: RuntimeError, in the call, for lengths that do not fit.

    >>> logs = torch.tensor([[0.5, 0.5], [0.5, 0.5]]).log()
    >>> CTCLoss()(logs, torch.tensor([1]), [2], [1]).neg().exp()
    tensor(0.7500)
    """

    function = "ctc_loss"
    options = ("blank", "reduction", "zero_infinity")

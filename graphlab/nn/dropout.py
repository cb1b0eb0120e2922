"""Dropout: in training, entries are set to 0 at random and the others are scaled up.

Read next: nn/sparse.py
"""

from graphlab.nn.functional.dropouts import check_probability
from graphlab.nn.layer import FunctionLayer


class DropoutLayer(FunctionLayer):
    """The base of the dropout layers.

    After `eval()`, the layer returns its input unchanged.

    p: float in [0, 1], the probability that an entry or channel is dropped; default 0.5.
    inplace: bool, whether to write the output into the input's memory; default False.

    Raises: ValueError if `p` is not in [0, 1].

    >>> _ = torch.manual_seed(0)
    >>> torch.nn.Dropout()(torch.ones(6)), torch.nn.Dropout().eval()(torch.ones(2))
    (tensor([0., 0., 2., 0., 0., 0.]), tensor([1., 1.]))
    """

    options = ("p", "training", "inplace")
    shown = ("p", "inplace")

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__(p=p, inplace=inplace)
        check_probability(p)


class Dropout(DropoutLayer):
    """Set each entry to 0 with probability p in training, and divide the others by 1 - p.

    The division keeps the mean.

    Shapes: (...) -> the same.

    Source: Hinton et al. 2012, arXiv:1207.0580.
    """

    function = "dropout"


class Dropout1d(DropoutLayer):
    """Set whole channels of sequences to 0 at random in training, and divide the others by 1 - p.

    Shapes: (N, C, L) or (C, L) -> the same.

    Source: Tompson et al. 2015, arXiv:1411.4280.
    """

    function = "dropout1d"


class Dropout2d(DropoutLayer):
    """Set whole channels of images to 0 at random in training, and divide the others by 1 - p.

    Shapes: (N, C, H, W) or (C, H, W) -> the same.

    Source: Tompson et al. 2015, arXiv:1411.4280.
    """

    function = "dropout2d"


class Dropout3d(DropoutLayer):
    """Set whole channels of volumes to 0 at random in training, and divide the others by 1 - p.

    Shapes: (N, C, D, H, W) or (C, D, H, W) -> the same.

    Source: Tompson et al. 2015, arXiv:1411.4280.
    """

    function = "dropout3d"


class AlphaDropout(DropoutLayer):
    """Drop single entries in training, and preserve the mean 0 and variance 1 that SELU produces.

    Dropped entries become -scale · α ≈ -1.7581, the value of SELU at -∞; then all entries are
    scaled and shifted. `inplace` has no effect.

    Shapes: (...) -> the same.

    Source: Klambauer et al. 2017, arXiv:1706.02515.

    >>> AlphaDropout(0.2).eval()(torch.ones(2))
    tensor([1., 1.])
    """

    function = "alpha_dropout"
    options = ("p", "training")


class FeatureAlphaDropout(AlphaDropout):
    """Drop whole channels in training, and preserve mean and variance as AlphaDropout does.

    Shapes: (N, C, ...) -> the same.
    """

    function = "feature_alpha_dropout"

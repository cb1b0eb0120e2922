"""Dropout: in training, entries are set to 0 at random, and the others made larger.

Read next: nn/sparse.py
"""

from graphlab.nn.calling import Calling


class Dropping(Calling):
    """What all of them have: the probability of being dropped."""

    options = ("p", "training", "inplace")
    shown = ("p", "inplace")

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace


class Dropout(Dropping):
    """Single entries. input: (...) -> (...)."""

    function = "dropout"


class Dropout1d(Dropping):
    """Whole channels. input: (N, C, L) or (C, L) -> the same."""

    function = "dropout1d"


class Dropout2d(Dropping):
    """Whole channels. input: (N, C, H, W) or (C, H, W) -> the same."""

    function = "dropout2d"


class Dropout3d(Dropping):
    """Whole channels. input: (N, C, D, H, W) or (C, D, H, W) -> the same."""

    function = "dropout3d"


class AlphaDropout(Dropping):
    """Dropout that keeps mean and variance, for SELU. input: (...) -> (...)."""

    function = "alpha_dropout"
    options = ("p", "training")


class FeatureAlphaDropout(AlphaDropout):
    """AlphaDropout of whole channels. input: (N, C, ...) -> the same."""

    function = "feature_alpha_dropout"

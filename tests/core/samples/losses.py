"""Samples of losses, gates and distances.

Read next: tests/core/samples/base.py
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from tests.core.samples.base import LOPSIDED, SIGNED, Arg, M, S, Sample

SHARES = Arg((2, 3), 0.1, 0.9)
SIDES = Arg(data=[[1.0, -1.0, 1.0], [-1.0, -1.0, 1.0]], grad=False)  # a target of two classes
CLASSES = Arg(data=[2, 0], kind="i")
ONE_CLASS = Arg(data=1, kind="i")
PIXELS = Arg(data=[[0, 2, 1, -100], [1, 1, 0, 2]], kind="i")  # one of them is ignored
LABELS = Arg(data=[[0, 2, -1], [1, -1, 0]], kind="i")
WEIGHTS = Arg((3,), grad=False)
IMAGE = Arg((2, 3, 2, 2), -2.0, 2.0)
SQUARES = Arg(data=[[[0, 2], [1, 0]], [[2, 2], [0, 1]]], kind="i")


def loss(name: str, **options: Any) -> Callable[..., Any]:
    """The call of a loss with options; tensors that follow the target are named by `more`."""
    more = options.pop("more", ())

    def call(t: Any, *args: Any) -> Any:
        n = len(args) - len(more)
        named = dict(zip(more, args[n:], strict=True))
        return getattr(t.nn.functional, name)(*args[:n], **named, **options)

    return call


def each(op: str, name: str, *args: Arg, note: str = "", **options: Any) -> list[Sample]:
    """A sample for each reduction."""
    return [
        S(op, loss(name, reduction=reduction, **options), *args, note=f"{note} {reduction}".strip())
        for reduction in ("mean", "sum", "none")
    ]


def training_rrelu(t: Any, x: Any) -> Any:
    """A random relu, with the same numbers every time."""
    t.manual_seed(3)
    return t.nn.functional.rrelu(x, 0.1, 0.4, training=True)


SAMPLES: list[Sample] = [
    *each("smooth_l1_loss", "smooth_l1_loss", SIGNED, M, beta=0.7),
    *each("huber_loss", "huber_loss", SIGNED, M, delta=0.7),
    *each("binary_cross_entropy", "binary_cross_entropy", SHARES, replace(SHARES, high=0.8)),
    S(
        "binary_cross_entropy",
        loss("binary_cross_entropy", more=("weight",)),
        SHARES,
        replace(SHARES, high=0.8),
        WEIGHTS,
        note="weights",
    ),
    *each("soft_margin_loss", "soft_margin_loss", SIGNED, SIDES),
    *each("nll_loss", "nll_loss", SIGNED, CLASSES, WEIGHTS, note="weights", more=("weight",)),
    S("nll_loss", loss("nll_loss", ignore_index=2), SIGNED, CLASSES, note="one ignored"),
    S("nll_loss", loss("nll_loss"), Arg((3,)), ONE_CLASS, note="one sample"),
    *each("nll_loss2d", "nll_loss", IMAGE, SQUARES, WEIGHTS, note="image", more=("weight",)),
    S("nll_loss2d", loss("nll_loss"), Arg((2, 3, 4)), PIXELS, note="folded"),
    *each("multi_margin_loss", "multi_margin_loss", SIGNED, CLASSES, margin=2.3),
    S(
        "multi_margin_loss",
        loss("multi_margin_loss", p=2, more=("weight",)),
        SIGNED,
        CLASSES,
        WEIGHTS,
        note="squared, weights",
    ),
    S("multi_margin_loss", loss("multi_margin_loss"), Arg((3,)), ONE_CLASS, note="one sample"),
    *each("multilabel_margin_loss", "multilabel_margin_loss", SIGNED, LABELS),
    S("glu", lambda t, x: t.nn.functional.glu(x, 0), SIGNED),
    S("glu", lambda t, x: t.nn.functional.glu(x), Arg((2, 4), -2.0, 2.0), note="last"),
    S(
        "rrelu_with_noise",
        lambda t, x: t.nn.functional.rrelu(x, 0.1, 0.4),
        LOPSIDED,
        differs="PyTorch shows memory as noise that nobody has written",
    ),
    S("rrelu_with_noise", training_rrelu, LOPSIDED, note="training"),
    S("norm", loss("pairwise_distance"), SIGNED, M),
    S("norm", loss("pairwise_distance", p=3, keepdim=True), SIGNED, M, note="3"),
    S("norm", loss("pairwise_distance", p=1), SIGNED, M, note="1"),
    S("norm", loss("pairwise_distance", p=np.inf), SIGNED, M, note="largest"),
    S("dist", lambda t, x, y: t.dist(x, y), SIGNED, M),
    S("dist", lambda t, x, y: t.dist(x, y, 3), SIGNED, M, note="3"),
    S("dist", lambda t, x, y: t.dist(x, y), SIGNED, Arg((3,)), note="broadcast"),
]

EQUAL = Arg(data=[[1.0, 2.0, 3.0]])
KINKS: list[Sample] = [
    S("smooth_l1_loss", loss("smooth_l1_loss", reduction="sum"), EQUAL, Arg(data=[[1.0, 3.0, 1]])),
    S("huber_loss", loss("huber_loss", reduction="sum"), EQUAL, Arg(data=[[1.0, 3.0, 1.0]])),
    S("binary_cross_entropy", loss("binary_cross_entropy"), Arg(data=[0.0, 1.0]),
      Arg(data=[1.0, 0.0])),
    S("nll_loss", loss("nll_loss", reduction="sum"), SIGNED, Arg(data=[-100, -100], kind="i"),
      note="all ignored"),
    S("dist", lambda t, x, y: t.dist(x, y), EQUAL, EQUAL, note="0"),
    S("dist", lambda t, x, y: t.dist(x, y, 1), EQUAL, EQUAL, note="1, 0"),
    S("multilabel_margin_loss", loss("multilabel_margin_loss"), SIGNED,
      Arg(data=[[1, 1, -1], [-1, 0, 1]], kind="i"), note="twice the same"),
]  # fmt: skip

HELD = "the logarithms are limited to at least -100, and the rule ignores that kink"
NOT_PROVED = {
    **{f"binary_cross_entropy-{note}": HELD for note in ("mean", "sum", "none", "weights")},
}

UNUSED = "what was not chosen is not used"
EQUIVALENT = {
    ("glu", "self", "3 in 2 * n"): "a slice ends where the tensor does",
    ("multi_margin_loss", "self", "2 in where(gt(short, 0), short, 1)"): UNUSED,
    ("multilabel_margin_loss", "self", "2 in unsqueeze(unsqueeze(share, -1), -1)"): (
        "both new dims have size 1"
    ),
    **{
        ("multilabel_margin_loss", "self", f"no minus in {place}"): "there are rows and columns"
        for place in (
            "size(self)[-1]",
            ":-1",
            "unsqueeze(share, -1)",
            "unsqueeze(unsqueeze(share, -1), -1)",
        )
    },
    **{
        ("nll_loss2d", "self", change): "an image has more than one dimension"
        for change in (
            "2 in -1 if len(size(self)) == 1 else 1",
            "no minus in -1 if len(size(self)) == 1 else 1",
            "2 in len(size(self)) == 1",
        )
    },
}

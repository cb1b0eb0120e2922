"""Samples of normalizations. Read next: ops/normalization.py"""

from __future__ import annotations

from typing import Any

from graphlab.nn.utils.weight_normalization import weight_of
from tests.core.samples.base import Arg, S, Sample

X, CHANNEL, SAME = Arg((2, 2), -2.0, 2.0), Arg((2,)), Arg((2,), -1.0, 1.0)
IMAGE, PAIR = Arg((1, 2, 2), -2.0, 2.0), Arg((2,))
MEAN, VARIANCE = Arg((2,), grad=False), Arg((2,), grad=False)


def layer(*shape: int, **options: Any) -> Any:
    return lambda t, x, *wb: t.nn.functional.layer_norm(x, shape, *wb, **options)


def batch(**options: Any) -> Any:
    def call(t: Any, x: Any, weight: Any = None, bias: Any = None) -> Any:
        return t.nn.functional.batch_norm(x, None, None, weight, bias, True, **options)

    return call


def running(t: Any, x: Any, m: Any, v: Any, *wb: Any) -> Any:
    return t.nn.functional.batch_norm(x, m, v, *wb)


def group(t: Any, x: Any, *wb: Any) -> Any:
    return t.nn.functional.group_norm(x, 2, *wb, eps=0.25)


def weight_norm(t: Any, v: Any, g: Any, dim: int = 0) -> Any:
    """The function that the hooks of weight norm call, which has no public name."""
    return weight_of(v, g, dim) if t.__name__ == "graphlab" else t._weight_norm(v, g, dim)


SAMPLES: list[Sample] = [
    S("native_layer_norm", layer(2, eps=0.25), X, CHANNEL, SAME),
    S("native_layer_norm", layer(2, eps=0.25), X, note="plain"),
    S("native_layer_norm", layer(2, 2, eps=0.25), IMAGE, note="two dims"),
    S("native_batch_norm", batch(eps=0.25), X, CHANNEL, SAME),
    S("native_batch_norm", batch(eps=0.25), X, note="plain"),
    S("native_batch_norm", batch(eps=0.25), IMAGE, PAIR, PAIR, note="images"),
    S("native_batch_norm", running, IMAGE, MEAN, VARIANCE, note="running"),
    S("native_batch_norm", running, IMAGE, MEAN, VARIANCE, PAIR, PAIR, note="running, weight"),
    S("native_group_norm", group, Arg((1, 4, 2), -2.0, 2.0), Arg((4,)), Arg((4,))),
    S("native_group_norm", group, Arg((1, 4, 2), -2.0, 2.0), note="plain"),
    S("weight_norm_interface", lambda t, v, g: weight_norm(t, v, g), X, Arg((2, 1))),
    S(
        "weight_norm_interface",
        lambda t, v, g: weight_norm(t, v, g, 1),
        X,
        Arg((1, 2)),
        note="last",
    ),
]

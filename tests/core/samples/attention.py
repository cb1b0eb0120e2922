"""Samples of attention. Read next: ops/attention.py"""

from __future__ import annotations

from typing import Any

import numpy as np

from graphlab.primitives import tensor_namespace
from tests.core.samples.base import Arg, S, Sample

Q, K, V = (Arg((1, 1, n, 3), -1.0, 1.0) for n in (1, 2, 2))
LONG = tuple(Arg((2, 1, n, 3), -1.0, 1.0) for n in (2, 3, 3))
MASK = Arg(data=[[1.0], [-1.0]], grad=False)
ALLOWED = Arg(data=[[True, False, True], [False, True, True]], kind="b")
NOBODY = Arg(data=[[True, False, True], [False, False, False]], kind="b")


def attend(**options: Any) -> Any:
    def call(t: Any, q: Any, k: Any, v: Any, mask: Any = None) -> Any:
        return t.nn.functional.scaled_dot_product_attention(q, k, v, mask, **options)

    return call


def softmax(t: Any, x: Any) -> Any:
    if t.__name__ == "torch":
        return t.ops.aten._safe_softmax(x, 1)
    return tensor_namespace()["safe_softmax"](x, 1)


FLASH = "scaled_dot_product_flash_attention_for_cpu"
SAMPLES: list[Sample] = [
    S("safe_softmax", softmax, Arg((2, 3), -2.0, 2.0)),
    S(FLASH, attend(), Q, K, V),
    S(FLASH, attend(scale=0.5), K, Q, Q, MASK, note="mask"),
]

# a place that nobody may look at has the score -∞, of which no formula speaks
KINKS: list[Sample] = [
    S("safe_softmax", softmax, Arg(data=[[-np.inf, 1.0], [-np.inf, -np.inf], [1e4, -1e4]])),
    S(FLASH, attend(scale=0.5, is_causal=True), K, K, V, note="causal"),
    S(FLASH, attend(is_causal=True), K, Q, Q, note="causal, oblong"),
    S(FLASH, attend(), *LONG, ALLOWED, note="yes or no"),
    S(FLASH, attend(), *LONG, NOBODY, note="nobody"),
]

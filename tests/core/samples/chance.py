"""Random choices, with a seed of their own.

Read next: tests/core/samples/base.py
"""

from __future__ import annotations

from tests.core.samples.base import UNIT, S, Sample

SAMPLES: list[Sample] = [
    S("bernoulli", lambda t, x: (t.manual_seed(0), x.bernoulli())[1], UNIT),
    S("poisson", lambda t, x: (t.manual_seed(0), t.poisson(x))[1], UNIT),
]

FLAT = "0 times anything is 0"
EQUIVALENT = {
    (op, "self", change): FLAT for op in ("bernoulli", "poisson") for change in ("factor", "sign")
}

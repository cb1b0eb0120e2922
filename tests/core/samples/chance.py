"""Random choices, with a seed of their own.

Read next: tests/core/samples/base.py
"""

from __future__ import annotations

from tests.core.samples.base import UNIT, S, Sample

SAMPLES: list[Sample] = [
    S("bernoulli", lambda t, x: (t.manual_seed(0), x.bernoulli())[1], UNIT),
]

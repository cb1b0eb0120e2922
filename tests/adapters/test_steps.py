"""The single steps that the player is compared with are those of today.

Read next: js/test/steps.test.ts
"""

from __future__ import annotations

import json

import numpy as np

from graphlab.graph.formula_reading import read_numbers
from tests.adapters.steps import FIXTURE, fixture_text


def test_the_fixture_holds_what_the_primitives_give():
    kept, made = (json.loads(text) for text in (FIXTURE.read_text("utf-8"), fixture_text()))
    assert [case["step"] for case in kept] == [case["step"] for case in made]
    for one, other in zip(kept, made, strict=True):
        for was, now in zip(one["results"], other["results"], strict=True):
            if was is not None:
                old, new = (read_numbers(x["array"], "").array() for x in (was, now))
                assert old.dtype == new.dtype
                # the last digit of exp or tanh depends on the processor
                np.testing.assert_allclose(old, new, rtol=1e-13, err_msg=str(one["step"][0]))

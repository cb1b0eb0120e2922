"""Every rule of the registry is proved, or stands in the list that says why it is not.

Read next: tests/symbolic/test_planted_bugs.py
"""

from __future__ import annotations

import pytest

from tests.core.samples import name_of
from tests.symbolic.hunt import PROVABLE, proof
from tests.symbolic.reasons import NOT_PROVED


@pytest.mark.parametrize("sample", PROVABLE, ids=name_of)
def test_the_rule_is_the_derivative_of_what_the_operation_computes(sample):
    report = proof(sample)
    if name_of(sample) in NOT_PROVED:
        assert {row.verdict for row in report} == {"agrees"}
    else:
        assert {row.verdict for row in report} == {"proved"}, repr(report)


def test_a_reason_is_given_for_samples_that_there_are():
    assert set(NOT_PROVED) <= {name_of(sample) for sample in PROVABLE}

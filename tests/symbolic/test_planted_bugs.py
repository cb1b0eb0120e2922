"""Every wrong rule is found out, or the change makes no difference for a stated reason.

Read next: tests/symbolic/test_the_checker_disagrees.py
"""

from __future__ import annotations

import pytest

from graphlab.ops import registry
from tests.symbolic.hunt import HUNTED, survivors
from tests.symbolic.reasons import EQUIVALENT


@pytest.mark.parametrize("name", HUNTED)
def test_every_wrong_rule_is_found_out(name):
    unnoticed = survivors(name)
    advice = "add a sample that notices the change, or its reason to EQUIVALENT (reasons.py)"
    assert unnoticed == {key for key in EQUIVALENT if key[0] == name}, advice


def test_a_reason_is_given_for_mutants_that_there_are():
    assert {name for name, _, _ in EQUIVALENT} <= set(registry)

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
    assert survivors(name) == {key for key in EQUIVALENT if key[0] == name}


def test_a_reason_is_given_for_mutants_that_there_are():
    assert {name for name, _, _ in EQUIVALENT} <= set(registry)

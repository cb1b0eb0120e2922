"""The checker itself finds a mistake in every rule, with its own means: formulas and many digits.

(The hunt for mutants asks it only where two numbers do not tell, and would not notice a blind one.)

Read next: tests/symbolic/reasons.py
"""

from __future__ import annotations

import pytest

from tests.symbolic.hunt import HUNTED, PROVABLE, all_mutants, is_caught
from tests.symbolic.mutants import planted
from tests.symbolic.reasons import EQUIVALENT


@pytest.mark.parametrize("name", HUNTED)
def test_the_checker_disagrees_with_twice_the_gradient(name):
    for mutant in all_mutants(name):
        if mutant.label == "factor" and mutant.key not in EQUIVALENT:
            with planted(mutant.op, mutant.given, mutant.rule):
                assert any(is_caught(s) for s in PROVABLE if s.op == name), mutant.given

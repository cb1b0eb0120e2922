"""The checker itself finds a mistake in every rule, with its own means: formulas and many digits.

(The hunt for mutants asks it only where two numbers do not tell, and would not notice a blind one.)

Read next: tests/symbolic/test_diagnosis.py
"""

from __future__ import annotations

from itertools import chain, islice

import pytest

from graphlab.autograd.node_classes import node_class
from tests.symbolic.hunt import HUNTED, PROVABLE, all_mutants, disagreements
from tests.symbolic.mutants import planted
from tests.symbolic.reasons import EQUIVALENT


@pytest.mark.parametrize("name", HUNTED)
def test_the_checker_disagrees_with_twice_the_gradient_and_names_the_node(name):
    wrong = [m for m in all_mutants(name) if m.label == "factor" and m.key not in EQUIVALENT]
    reports = []
    for mutant in wrong:
        with planted(mutant.op, mutant.given, mutant.rule):
            found = (told for s in PROVABLE if s.op == name for told in disagreements(s))
            first = next(found, "nothing")
            assert first != "nothing", mutant.given
            if not reports:  # one for each operation
                told = (one for one in chain([first], found) if one is not None)
                reports += islice(told, 1)
    own = {node_class(mutant.op).__name__ for mutant in wrong} | {"CopySlices"}
    for report in reports:
        assert report.diagnosis, repr(report)
        assert {one.name.rpartition("::")[2] for one in report.diagnosis} <= own
    assert bool(reports) == bool(wrong)

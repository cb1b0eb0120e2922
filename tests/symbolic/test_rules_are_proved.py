"""Every rule of the registry is proved, or stands in the list that says why it is not.

Read next: tests/symbolic/test_planted_bugs.py
"""

from __future__ import annotations

import pytest

import graphlab
from graphlab.faces.symbolic.check import check
from tests.core.samples import KINKS, name_of
from tests.symbolic.conftest import assert_shown
from tests.symbolic.hunt import PROVABLE, called, proof
from tests.symbolic.proofs import DIGITS, how
from tests.symbolic.reasons import NOT_PROVED
from tests.symbolic.rules import EVERY, line_of, main
from tests.symbolic.rules import page as written
from tests.symbolic.sweep import SWEEP


@pytest.fixture(scope="module", params=PROVABLE, ids=name_of)
def proved(request):
    """A sample and its report, which is made once for all tests."""
    return request.param, proof(request.param)


def test_the_rule_is_the_derivative_of_what_the_operation_computes(proved):
    sample, report = proved
    if name_of(sample) in NOT_PROVED:
        assert {row.verdict for row in report} == {"agrees"}
        assert how(report) == DIGITS  # what the player says of such a rule
    else:
        assert {row.verdict for row in report} == {"proved"}, repr(report)


def test_the_report_of_every_rule_is_shown(proved):
    assert_shown(proved[1])


@pytest.mark.parametrize("sample", [s for s in KINKS if called(s)[1]], ids=name_of)
def test_so_is_the_report_of_a_rule_on_a_kink(sample):
    inputs, outputs, _ = called(sample)
    assert_shown(check(graphlab.cat([o.reshape(-1) for o in outputs]).sum(), wrt=inputs))


def test_a_reason_is_given_for_samples_that_there_are():
    assert set(NOT_PROVED) <= {name_of(sample) for sample in PROVABLE}


@pytest.mark.parametrize("sample", SWEEP, ids=name_of)
def test_so_it_is_over_other_shapes_and_options(sample):
    line = line_of(EVERY.index(sample))
    assert line.ok, line


def test_the_command_prints_a_line_for_each_call(capsys):
    assert main(["floor", "mv"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert any(line.startswith("mv ") and " proved " in line for line in printed)
    assert any(line.startswith("floor ") and "(a step function" in line for line in printed)
    assert printed[-1].startswith("5 calls of 2 operations: 2 proved, 3 agree")


def test_a_page_of_some_operations_is_refused(tmp_path, capsys):
    page = tmp_path / "rules.md"
    with pytest.raises(SystemExit):
        main(["floor", "mv", "--write", str(page)])
    assert "--write needs the lines of all operations" in capsys.readouterr().err
    assert not page.exists()
    lines = [line_of(place) for place, sample in enumerate(EVERY) if sample.op == "floor"]
    assert sum(row.startswith("| `floor` |") for row in written(lines).splitlines()) == len(lines)


def test_an_unknown_operation_is_refused(capsys):
    with pytest.raises(SystemExit):
        main(["no_such_operation"])
    assert "no operation with a derivative is called 'no_such_operation'" in capsys.readouterr().err


def test_a_slope_is_told_where_two_parts_of_a_formula_meet_smoothly():
    x = graphlab.tensor(0.0, dtype=graphlab.float64, requires_grad=True)
    row = graphlab.check(graphlab.nn.functional.celu(x, 1.5))[0]
    assert (row.verdict, row.symbolic_value) == ("proved", 1.0)

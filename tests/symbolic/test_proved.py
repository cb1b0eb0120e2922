"""What the player says of a rule is what the proofs found.

Read next: tests/symbolic/proved.py
"""

from __future__ import annotations

import re

import graphlab
from graphlab.adapters.native.graph_copy import graph_of
from graphlab.adapters.native.variable_names import names_of
from graphlab.adapters.proofs import PATH, table
from graphlab.ops import registry
from tests.core.samples import name_of
from tests.symbolic.conftest import leaf
from tests.symbolic.hunt import PROVABLE
from tests.symbolic.proved import text
from tests.symbolic.reasons import NOT_PROVED

NOT_IN_FULL = [s for s in PROVABLE if name_of(s) in NOT_PROVED]


def said(root, **names) -> dict[str, str]:
    """What is said of each node of a graph, by its operation."""
    return {node.op: node.proof for node in graph_of(root, names_of(names)).nodes}


def test_the_table_is_up_to_date():
    message = "run `python -m tests.symbolic.proved`"
    assert PATH.read_text(encoding="utf-8") == text(), message


def test_every_operation_with_a_rule_is_in_it():
    assert set(table()) == {sample.op for sample in PROVABLE} - {"custom"}
    assert set(table()) <= set(registry)


def test_nothing_is_called_proved_that_is_known_not_to_be():
    for sample in NOT_IN_FULL:
        if table()[sample.op] == "":  # then the call is about another operation, before this one
            made = sample.call(graphlab, *sample.tensors(graphlab, "float64"))
            assert {"euclidean_dist", "linalg_inv_ex"} & set(said(made)), name_of(sample)


def test_a_rule_that_is_proved_is_said_to_be():
    a, b = leaf(2.0), leaf(3.0)
    assert said(a * b) == {"mul": "✓ rule proved", "accumulate": ""}


def test_a_rule_that_is_proved_in_part_says_why():
    a, b = leaf(2.0), leaf(3.0)
    sentence = said(a**b)["pow_tensor"]
    assert re.fullmatch(
        r"✓ rule proved in \d of \d calls; the other agrees to 50 digits: the derivative of 0ˣ "
        r"contains log 0, which has no value",
        sentence,
    )


def test_a_rule_that_is_not_proved_says_why():
    assert said(graphlab.linalg.svdvals(leaf([[2.0, 1.0], [0.5, 3.0]])))["linalg_svd"] == (
        "≈ rule checked to 50 digits: it has no formula in the entries of the matrix"
    )


def test_of_a_function_of_the_user_nothing_is_claimed():
    class Double(graphlab.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return 2 * x

        @staticmethod
        def backward(ctx, grad):
            return 3 * grad

    sentence = said(Double.apply(leaf(1.0)))["Double"]
    assert sentence.startswith("? your own backward: not proved")


def test_a_part_that_was_written_is_as_proved_as_what_wrote_it():
    x = leaf([2.0, 3.0]).clone()
    x[0] *= 2
    assert said(x)["copy_slices"] == "✓ rule proved"
    y = leaf([2.0, 3.0]).clone()
    y[0:1].floor_()
    assert said(y)["copy_slices"].endswith(
        "rule checked to 50 digits: a step function has no formula"
    )

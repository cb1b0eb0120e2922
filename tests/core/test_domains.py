"""Where an operation says that it has a value and a derivative, it has both; elsewhere not.

Read next: graphlab/ops/base.py
"""

from __future__ import annotations

import numpy as np
import pytest

import graphlab
from graphlab.autograd.record import apply
from graphlab.graph.replaying import replay_of
from graphlab.ops import registry
from graphlab.ops.base import Op
from tests.core.samples import SAMPLES  # which loads every operation

POINTS = (-2.5, -2.0, -1.0, -0.5, 0.0, 0.25, 0.5, 1.0, 2.0, 3.0)
POLES = {  # operations without a domain that has a short formula
    "digamma": "poles at 0, -1, -2, …",
    "lgamma": "poles at 0, -1, -2, …",
}


def unary(op: type[Op]) -> bool:
    known = all(word in op.defaults for word in op.options) and op.name != "clamp"  # needs a bound
    return op.pointwise and len(op.inputs) == 1 and known


def holds(op: type[Op], x: float, **options: float) -> bool:
    assert op.domain is not None
    names = op.domain.__code__.co_varnames[: op.domain.__code__.co_argcount]
    known = {op.inputs[0]: np.float64(x), **op.defaults, **options}
    return bool(op.domain(*[known[name] for name in names]))


def is_defined(op: type[Op], x: float, **options: float) -> bool:
    """Whether the value and the slope at x are finite."""
    leaf = graphlab.tensor(x, dtype=graphlab.float64, requires_grad=True)
    result = apply(op, leaf, **{**op.defaults, **options})
    result.backward()
    assert leaf.grad is not None
    return bool(np.isfinite(result.item()) and np.isfinite(leaf.grad.item()))


ELEMENTWISE = sorted(op.name for op in registry.values() if unary(op) and op.rules)
LIMITED = [name for name in ELEMENTWISE if registry[name].domain is not None]


@pytest.mark.parametrize("name", LIMITED)
@pytest.mark.parametrize("x", POINTS)
@pytest.mark.filterwarnings("ignore")
def test_value_and_slope_are_finite_just_where_the_domain_holds(name, x):
    assert holds(registry[name], x) == is_defined(registry[name], x)


@pytest.mark.parametrize("exponent", [-2, -1.5, -1, 0, 0.5, 1, 1.5, 2, 3])
@pytest.mark.parametrize("x", POINTS)
def test_the_domain_of_a_power_follows_its_exponent(x, exponent):
    defined = is_defined(registry["pow"], x, exponent=exponent)
    # x^1.5 has a value and a slope at 0, from the right
    at_the_end = x == 0 and exponent == 1.5
    assert defined == (holds(registry["pow"], x, exponent=exponent) or at_the_end)


@pytest.mark.parametrize("name", sorted(set(ELEMENTWISE) - set(LIMITED) - set(POLES)))
def test_an_operation_without_a_domain_is_defined_everywhere(name):
    assert [x for x in POINTS if not is_defined(registry[name], x)] == []


def test_a_quotient_is_defined_unless_the_divisor_is_zero():
    domain = registry["div"].domain
    assert domain is not None
    assert domain(np.array([2.0, 0.0, -1.0])).tolist() == [True, False, True]


def test_the_proof_of_a_rule_says_where_it_holds():
    d = graphlab.tensor(0.5, requires_grad=True)
    two = graphlab.tensor(2.0)
    result = graphlab.log(d) / two + d**-1 + d**2 + d.logit()
    proofs = {node.op: node.proof for node in graphlab.trace(result).graph.nodes}
    assert proofs["log"] == "✓ rule proved where d > 0"
    assert proofs["logit"] == "✓ rule proved where d > 0 and d < 1"
    assert proofs["div"] == "✓ rule proved"  # the divisor is a constant
    powers = {n.formula: n.proof for n in graphlab.trace(result).graph.nodes if n.op == "pow"}
    assert powers == {"d⁻¹": "✓ rule proved where d ≠ 0", "d²": "✓ rule proved"}


def test_the_proof_of_a_rule_says_so_where_it_does_not_hold():
    x = graphlab.tensor([0.0, 1.0], requires_grad=True)
    (root,) = (node for node in graphlab.trace(x.sqrt().sum()).graph.nodes if node.op == "sqrt")
    assert root.proof == "✗ outside of its domain: rule proved where x > 0"


@pytest.mark.parametrize(
    ("value", "outside"), [(10.0, {"logit"}), (-1.0, {"log", "logit"}), (0.5, set())]
)
def test_a_graph_at_other_values_knows_which_rules_do_not_hold(value, outside):
    d = graphlab.tensor(0.25, requires_grad=True)
    walk = graphlab.Timeline.from_json(graphlab.trace(d.log() + d.logit() + d / 2).to_json())
    found = replay_of(walk, {"d": value}).outside
    assert {walk.graph.node(one).op for one in found} == outside


def test_samples_lie_in_the_domain_of_their_operation():
    assert {sample.op for sample in SAMPLES} >= set(LIMITED)

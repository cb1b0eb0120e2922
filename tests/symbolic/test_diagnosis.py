"""When a gradient is wrong the report names the node, the input, and the line that made it.

Read next: tests/symbolic/test_planted_bugs.py
"""

from __future__ import annotations

import pytest

import graphlab
from graphlab.autograd.node_classes import node_class
from graphlab.faces.symbolic import diagnosis
from graphlab.faces.symbolic.check import check
from graphlab.ops import registry
from graphlab.primitives.numpy_reading.elementary import cos, where
from tests.symbolic.conftest import leaf, randn
from tests.symbolic.hunt import all_mutants
from tests.symbolic.mutants import planted
from tests.symbolic.test_functions import Largest, Wrong


class OnNumbers(graphlab.autograd.Function):
    """Half of its input, by NumPy; it is right."""

    @staticmethod
    def forward(ctx, x):
        return graphlab.tensor(x.detach().numpy() / 2)

    @staticmethod
    def backward(ctx, grad):
        return grad / 2


def advice(report) -> str:
    (said,) = report.advice
    return said


def test_the_sentence_tells_rule_input_values_and_line():
    mutant = next(m for m in all_mutants("sin") if m.label == "sign")
    with planted(mutant.op, mutant.given, mutant.rule):
        w = leaf([0.5, 0.25])
        twice = w * 2
        q = twice.sin()
        said = advice(graphlab.check((q * q).sum()))
    assert said.startswith(
        "look at the rule of SinBackward0: for its input twice[0] it returns -0.909297 where the "
        "derivative is 0.909297 (test_diagnosis.py, line "
    )
    assert said.endswith(": q = twice.sin())")


@pytest.mark.parametrize("layer", ["Embedding", "EmbeddingBag"])
def test_an_option_that_makes_a_gradient_another_than_the_derivative_is_named(layer):
    table = getattr(graphlab.nn, layer)(4, 2, scale_grad_by_freq=True)
    said = advice(graphlab.check(table(graphlab.tensor([[1, 1, 2]])).sum()))
    assert f"the rule of {layer}Backward0 with scale_grad_by_freq: for its input" in said


def test_a_function_of_the_users_own_is_named():
    u = leaf(2.0) * leaf(3.0)
    said = advice(graphlab.check(Wrong.apply(u).exp().log()))
    assert said.startswith(
        "look at the backward of Wrong: for its input u it returns 12 where the derivative is 108"
    )


def test_one_that_runs_on_numbers_only_is_named_too():
    u = leaf([1.0, 2.0]) * leaf(3.0)
    assert "backward of Largest: for its input u" in advice(
        graphlab.check((Largest.apply(u) ** 2).sum())
    )


def test_a_gradient_of_the_wrong_shape_disagrees_where_it_arrives():
    op = registry["tanh"]

    def grad_self(grad, result):
        return (grad * (1 - result * result)).sum()

    a, b = leaf([1.0, 2.0, 3.0]), leaf([1.0, 0.5, 0.25])
    with planted(op, "self", grad_self):
        report = graphlab.check((a.tanh() * b).sum())
    assert [(row.name, row.verdict) for row in report] == [("a", "disagrees"), ("b", "undecided")]
    assert (
        "look at the rule of TanhBackward0: for its input a it returns a gradient of the wrong"
        in (advice(report))
    )


def test_a_hook_is_named_by_its_tensor():
    w = leaf([0.5, 0.75])
    q = w * 2
    with_hook = q.register_hook(lambda grad: grad * 1.5)
    said = advice(graphlab.check((q * q).sum()))
    assert said.startswith("look at the hook on q: it changes the gradient of q[1] from 3 to 4.5 (")
    assert said.endswith("q = w * 2), and with it that of w")
    with_hook.remove()
    w.register_hook(lambda grad: grad + 1)
    said = advice(graphlab.check((q * q).sum()))
    assert said == "look at the hook on w: it changes the gradient of w[0] from 4 to 5"


def test_a_saved_tensor_that_was_changed_behind_autograds_back_is_told():
    w = leaf([0.5, 0.75])
    q = (w * 2).exp()
    square = q * q
    q.data[0] = 5.0
    said = advice(graphlab.check(square.sum()))
    assert said.startswith("look at what MulBackward0 saved: every rule is right, but")
    assert said.endswith(": square = q * q)")


def test_a_rule_that_is_right_here_and_wrong_elsewhere_is_named():
    def grad_self(grad, self):  # at the current values it is right
        return grad * where(self > 0, cos(self), 2.0)

    x = leaf([0.5] * 70)
    with planted(registry["sin"], "self", grad_self):
        report = check(x.sin().sum())
    assert report[0].verdict == "disagrees"
    assert {one.name for one in report.diagnosis} == {"SinBackward0"}
    assert all("saved" not in said for said in report.advice)


def test_it_is_shown_in_the_text_and_in_the_table_and_escaped():
    x = leaf(2.0)
    label = {"x": x, "y": "<b>"}
    report = graphlab.check(Wrong.apply(label["x"]) + 0 * len("<script>"))
    assert "look at the backward of Wrong" in " ".join(repr(report).split())
    html = report._repr_html_()
    assert "Look at the backward of Wrong" in html
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


def test_a_verdict_stands_when_the_budget_does_not_allow_for_looking(monkeypatch):
    monkeypatch.setattr(diagnosis, "DIGIT_WORK", 0)
    monkeypatch.setattr(diagnosis, "FLOAT_WORK", 0)
    report = check(Wrong.apply(leaf(2.0)))
    assert ([row.verdict for row in report], report.diagnosis) == (["disagrees"], ())


def test_a_function_is_found_in_float64_where_the_graph_is_too_large_for_digits():
    report = check(Wrong.apply(randn(200, 200)).sum())
    assert [one.function for one in report.diagnosis] == ["Wrong"]
    assert "the rules are right" not in report[0].note


def network(n: int, rows: int):
    h = randn(rows, n)
    for _ in range(3):
        h = (h @ randn(n, n)).tanh()
    return (h * h).sum()


def tree(n: int):
    """Products of products: 8 leaves, n times by twos."""
    leaves = [leaf(0.5 + i / 8) for i in range(8)]
    level = [leaves[i % 8] for i in range(n)]
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=True)
        level = [(a * b + 0.5).sin() for a, b in pairs]
    return level[0]


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("tanh", lambda: network(32, 64)),
        ("tanh", lambda: network(200, 200)),
        ("mm", lambda: network(200, 200)),
        ("mul", lambda: tree(1024)),
    ],
)
def test_a_rule_is_named_in_a_graph_that_is_too_large_for_digits(name, make):
    mutant = next(m for m in all_mutants(name) if m.label == "factor")
    with planted(mutant.op, mutant.given, mutant.rule):
        report = check(make())
    assert any(row.verdict == "disagrees" for row in report)
    assert any("the graph is too large" in row.note for row in report)
    assert {one.name for one in report.diagnosis} == {node_class(mutant.op).__name__}
    assert "it returns" in report.advice[0]


def test_a_rule_is_named_beside_a_right_function_that_runs_on_numbers_only():
    mutant = next(m for m in all_mutants("tanh") if m.label == "factor")
    with planted(mutant.op, mutant.given, mutant.rule):
        u = leaf([1.0, 2.0]) * leaf(3.0)
        report = check((OnNumbers.apply(u).tanh() * u).sum())
    assert {one.name for one in report.diagnosis} == {"TanhBackward0"}


def test_the_entry_that_is_shown_is_wrong_by_itself_wherever_it_is():
    def grad_self(grad, result):
        wrong = grad * (1 - result * result)
        wrong[40, 3] = 7.0
        return wrong

    for rows in (50, 5_000):  # in digits, in float64
        with planted(registry["tanh"], "self", grad_self):
            (found,) = check((randn(8) + graphlab.zeros(rows, 8)).tanh().sum()).diagnosis
        assert (found.entry, found.gradient) == ((40, 3), 7.0)


def test_what_differs_in_digits_only_is_not_said_to_agree():
    def grad_self(grad, result):
        return grad * (1 - result * result) * (1 + 1e-9)

    with planted(registry["tanh"], "self", grad_self):
        report = check(network(8, 4))
    assert {row.verdict for row in report} <= {"undecided", "disagrees"}
    assert any("with 50 digits some gradient differs from the slope" in row.note for row in report)
    assert report.diagnosis == () or {one.name for one in report.diagnosis} == {"TanhBackward0"}


@pytest.mark.parametrize(("rows", "n"), [(4, 8), (64, 32)])  # in digits, in float64
@pytest.mark.parametrize("power", [1, 2])  # a kink, and slopes that meet at it
def test_a_row_of_zeros_that_meets_relu_is_no_mistake(rows, n, power):
    h = randn(rows, n)
    h.data[0] = 0.0
    for _ in range(3):
        h = (h @ randn(n, n) + graphlab.zeros(n, requires_grad=True)).relu()
    report = check((h**power).sum())
    assert {row.verdict for row in report} == {"agrees"}
    assert any("on a kink" in row.note for row in report) == (power == 1)
    assert report.diagnosis == ()


def test_where_all_is_well_nobody_is_blamed():
    x = leaf(2.0)
    report = check(x.sin() * x)
    assert (report.diagnosis, report.advice) == ((), ())


def test_a_retained_gradient_stays_as_it_was():
    u = leaf(2.0) * 3
    u.retain_grad()
    u.register_hook(lambda grad: grad * 2)
    graphlab.check(u * u)
    assert u.grad is None


@pytest.mark.parametrize("guilty", ["a", "b", "saved"])
def test_of_several_uses_of_a_leaf_the_wrong_one_is_named(guilty):
    x = leaf([0.5, 2.0])
    a, b, h = x * 3, graphlab.sin(x), graphlab.exp(x)
    made = (a * b + x * x + h * x + x).sum()
    if guilty == "saved":
        h.data.mul_(3.0)
    else:
        {"a": a, "b": b}[guilty].register_hook(lambda grad: 2 * grad)
    said = advice(graphlab.check(made))
    assert said.startswith(
        "look at what ExpBackward0 saved" if guilty == "saved" else f"look at the hook on {guilty}:"
    )

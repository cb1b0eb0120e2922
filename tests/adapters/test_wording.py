"""What is said about a rule can be read in one way only, and says what the rule does.

Read next: tests/adapters/test_names.py
"""

from __future__ import annotations

import pytest

import graphlab
from graphlab.adapters.rule_text import local_factor, read, written
from graphlab.ops import load_all


def text(spans):
    return "".join(span if isinstance(span, str) else span[1] for span in spans)


def rules(timeline):
    return [event for event in timeline if event.kind == "RuleApplied"]


def x():
    return graphlab.tensor([[1.0, -2.0, 3.0], [0.5, 5.0, -6.0]], requires_grad=True)


def test_a_quotient_in_a_name_is_put_in_brackets():
    a = graphlab.tensor(2.0, requires_grad=True)
    b = graphlab.tensor(3.0, requires_grad=True)
    first, second = rules(graphlab.trace(a/b))  # fmt: skip
    assert text(first.equation.symbols) == "∂(a/b)/∂a = ∂(a/b)/∂(a/b) · ∂(a/b)/∂a"
    assert text(second.equation.note).startswith("∂(a/b)/∂b = −(a/b)/b · saved as")


def test_the_transpose_of_a_gradient_is_not_that_of_its_tensor():
    v, g = x(), graphlab.ones(3, 2)
    t = v.t()
    (only,) = rules(graphlab.trace(t, g))
    assert text(only.equation.symbols) == "∂(g·t)/∂v = (∂(g·t)/∂t)ᵀ"


def test_a_share_of_a_gradient_is_a_quotient_with_one_reading():
    v = x()
    m = v.mean()
    (only,) = rules(graphlab.trace(m))
    assert text(only.equation.symbols) == "∂m/∂v = (∂m/∂m)/6"
    assert only.equation.note == "every entry gets an equal share of the gradient"


def test_an_outer_product_is_shown_as_one():
    v, w = x(), graphlab.tensor([1.0, 2.0, 3.0])
    p = v @ w
    (only,) = rules(graphlab.trace(p, graphlab.ones(2)))
    assert text(only.equation.symbols) == "∂(g·p)/∂v = ∂(g·p)/∂p ⊗ w"


@pytest.mark.parametrize("number", [-2.0, -0.5, 1e-30, -1e-30, 1e10])
def test_a_number_with_a_sign_or_an_exponent_is_written_without_its_copies(number):
    y = x() * number
    (only,) = rules(graphlab.trace(y, graphlab.ones(2, 3)))
    assert text(only.phrase) == f"times {number:g}" + (".0" if number == -2 else "")
    assert only.product is None
    assert "(-" not in only.equation.note


def test_a_plain_number_times_a_matrix_is_written_as_a_number():
    v = x()
    y = v * 3
    (only,) = rules(graphlab.trace(y, graphlab.ones(2, 3)))
    assert text(only.equation.numbers) == "(2, 3) float32 × 3 = (2, 3) float32"
    z = v + 1
    (only,) = rules(graphlab.trace(z, graphlab.ones(2, 3)))
    assert text(only.equation.numbers) == "(2, 3) float32 × 1 = (2, 3) float32"


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda v: v.sum(), "every entry gets the gradient of the sum"),
        (lambda v: v[0].sum(), "the gradient goes back to where the entries were taken"),
        (lambda v: v.relu().sum(), "the gradient passes unchanged where the result is positive"),
        (lambda v: v.max(), "the largest entry gets the gradient"),
        (lambda v: v.view(6).sum(), "the same gradient, in the shape of the input"),
    ],
)
def test_what_is_no_factor_is_said_in_a_plain_sentence(make, sentence):
    assert rules(graphlab.trace(make(x())))[-1].equation.note.startswith(sentence)


def test_no_formula_speaks_of_how_entries_are_stored():
    v = x()
    y = (v[[0, 0]].sum() + v[1:].mean() + graphlab.softmax(v, 1)[0, 0] + v.max(1)[0].sum()).sum()
    timeline = graphlab.trace(y)
    shown = [node.formula for node in timeline.graph.nodes]
    shown += [text(e.equation.symbols) for e in timeline if e.kind == "RuleApplied"]
    for word in ("put_", "take(", "array(", "count(", "size(", "slice_"):
        assert not [formula for formula in shown if word in formula]


def test_numbers_keep_their_sign_and_powers_their_base():
    a = graphlab.tensor(2.0, requires_grad=True)
    (only,) = rules(graphlab.trace(a**-1))
    assert only.equation.note.startswith("∂(a**-1)/∂a = −a⁻²")
    (only,) = rules(graphlab.trace(a.rsqrt()))
    assert text(only.equation.symbols).endswith("³)/(−2)")
    (only,) = rules(graphlab.trace(a.cos()))
    assert text(only.phrase) == "times −sin(a) = -0.9093"


def test_a_dimension_that_was_added_is_taken_away_in_silence():
    v = x()
    u = v.unsqueeze(0)
    (only,) = rules(graphlab.trace(u, graphlab.ones(1, 2, 3)))
    assert text(only.equation.symbols) == "∂(g·u)/∂v = ∂(g·u)/∂u"


@pytest.mark.parametrize("shape", [(), (1,), (2,)])
def test_a_rule_whose_result_is_summed_back_says_so_in_its_equation(shape):
    graphlab.manual_seed(0)
    b = graphlab.zeros(shape, requires_grad=True)
    y = (graphlab.ones(4, 2) + b).sum()
    timeline = graphlab.trace(y)
    (rule,) = [event for event in rules(timeline) if event.to == "b"]
    (reduced,) = [event for event in timeline if event.kind == "Reduced"]
    assert text(rule.equation.symbols).startswith("∂y/∂b = Σ ∂y/∂")
    assert text(rule.equation.numbers) == (
        f"(4, 2) float32 × 1 = (4, 2) float32, Σ = {reduced.value.text}"
    )
    to = {(): "one number", (1,): "(1,)", (2,): "(2,)"}[shape]
    assert rule.equation.note.endswith(f"summed from (4, 2) to {to}, because b was broadcast")


def test_a_rule_whose_result_is_not_summed_back_says_nothing_of_it():
    v = x()
    (only,) = rules(graphlab.trace(v * 3, graphlab.ones(2, 3)))
    assert "Σ" not in text(only.equation.symbols) + text(only.equation.numbers)


@pytest.mark.parametrize("style", ["x{}", "a + b{}", "f(x{})", "∂e/∂v{}", "ℓ[{}]"])
def test_a_rule_that_was_read_before_has_the_names_and_options_of_now(style):
    for op in load_all().values():
        for rule in (op.forward, *op.rules.values()):
            words = dict.fromkeys(("grad", *op.inputs, *op.outputs))
            names = {word: style.format(k) for k, word in enumerate(words)}
            for options in ({}, dict.fromkeys(op.options, 1), dict.fromkeys(op.options, True)):
                for factor, reading in ((False, written), (True, local_factor)):
                    assert reading(rule, names, options) == read(factor, rule, names, options)


def test_a_large_array_without_a_name_is_called_as_its_rule_calls_it():
    W = graphlab.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    (_, product) = rules(graphlab.trace(((graphlab.ones(5, 2) + 1) @ W).sum()))
    assert text(product.equation.symbols).startswith("∂sum/∂W = selfᵀ ∂sum/∂(")
    assert "multiplies it on the left by selfᵀ" in text(product.caption)


def test_a_result_whose_expression_begins_with_a_bracket_keeps_its_name():
    a = graphlab.tensor(1.0, requires_grad=True)
    b = graphlab.tensor(2.0, requires_grad=True)
    first = rules(graphlab.trace((a * b) * ((a + b) * b)))[0]
    assert "times ((a + b) * b) = 6.0" in text(first.caption)


def test_a_node_that_waits_is_told_from_others_of_its_name():
    x = graphlab.tensor(2.0, requires_grad=True)
    t = x * 3
    u = t * 4
    waiting = {
        event.sentence
        for event in graphlab.trace(u.sin() + u.cos() + t.exp())
        if event.kind == "DependencyMet" and event.node and event.remaining
    }
    assert waiting == {
        "MulBackward0 of u waits for 1 more gradient.",
        "MulBackward0 of t waits for 1 more gradient.",
    }
    (met,) = {event.sentence for event in graphlab.trace(u) if event.kind == "DependencyMet"} - {
        "AccumulateGrad has received every gradient that it waits for."
    }
    assert met == "MulBackward0 of t has received every gradient that it waits for."


def test_the_call_of_a_method_needs_no_brackets_in_a_product():
    a = graphlab.tensor(1.0, requires_grad=True)
    b = graphlab.tensor(2.0, requires_grad=True)
    product, *_ = rules(graphlab.trace(a.exp() * (a + b).log() * b))[2:]
    assert "times (a + b).log() = 1.0986" in text(product.caption)
    assert text(product.equation.symbols).startswith("∂mul/∂(a.exp()) = ")


def test_an_item_of_an_item_needs_no_brackets():
    layers = [graphlab.nn.Linear(2, 2)]
    t = graphlab.trace(layers[0](graphlab.ones(1, 2, requires_grad=True)).sum())
    assert any("on the right by layers[0].weight, and" in text(e.caption) for e in rules(t))


def test_a_list_of_entries_is_a_factor():
    w = graphlab.tensor([1.0, 2.0], requires_grad=True)
    (only,) = rules(graphlab.trace(w * graphlab.tensor([3.0, 4.0]), graphlab.ones(2)))
    assert "times [3.0, 4.0], and passes [3.0, 4.0]" in text(only.caption)
    assert text(only.equation.numbers) == "[1.0, 1.0] ⊙ [3.0, 4.0] = [3.0, 4.0]"


def test_a_matrix_that_is_transposed_twice_is_the_matrix():
    A = graphlab.ones(2, 3, requires_grad=True)
    B = graphlab.ones(2, 2, requires_grad=True)
    found = [text(e.caption) for e in rules(graphlab.trace((A.t() @ B).sum())) if e.to == "B"]
    found += [text(e.caption) for e in rules(graphlab.trace((2 * A.T @ B).sum())) if e.to == "B"]
    assert "on the left by A, and" in found[0]
    assert "on the left by (2 * A.T)ᵀ, and" in found[1]


def test_a_square_is_written_as_one():
    x = graphlab.tensor([1.0, 2.0], requires_grad=True)
    y = x.tanh()
    (only,) = rules(graphlab.trace(y, graphlab.ones(2)))
    assert only.equation.note == "∂y/∂x = 1 − y² · saved as result"


def test_a_tensor_that_is_both_inputs_is_told_which_input_is_meant():
    x = graphlab.tensor(3.0, requires_grad=True)
    y = x * x
    first, second = rules(graphlab.trace(y))
    assert first.equation.note == "∂y/∂self = x, where self is input 1 · saved as other"
    assert second.equation.note == "∂y/∂other = x, where other is input 2 · saved as self"
    z = x + x
    note = rules(graphlab.trace(z))[1].equation.note
    assert note == "∂z/∂other = 1, where other is input 2: the gradient passes unchanged"

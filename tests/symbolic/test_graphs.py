"""Whole graphs: what is proved, what only agrees, and what is said with it.

Read next: tests/symbolic/test_planted_bugs.py
"""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import graphlab
from graphlab.faces.symbolic.check import check
from graphlab.faces.symbolic.formula import formula
from graphlab.faces.symbolic.html_elements import formula_text, operations
from graphlab.nn import functional
from tests.symbolic.conftest import leaf, randn

X = graphlab.tensor([[0.5, -1.0], [1.5, 0.25], [-0.75, 2.0], [0.1, 0.3]])


def proved(root, **names) -> None:
    report = check(root, names={tensor: name for name, tensor in names.items()})
    assert {row.verdict for row in report} == {"proved"}, repr(report)


def symbols(names: str):
    return sympy.symbols(names, real=True)


# -- proved -------------------------------------------------------------------------------------


def test_a_tensor_used_twice_has_the_sum_of_both_gradients():
    x = leaf(3.0)
    assert check(x * x, names={x: "x"})["x"].formula == 2 * symbols("x")


def test_a_diamond_is_added_up_once_for_each_path():
    a = leaf(1.0)
    b = 2 * a
    row = check((b + 1) + (b + 2), names={a: "a"})["a"]
    assert (row.verdict, row.formula, row.autograd_value) == ("proved", 4, 4.0)


def test_a_tanh_network_is_proved():
    w1, b1, w2, b2 = randn(3, 2), randn(3), randn(1, 3, seed=1), randn(1, seed=2)
    x = graphlab.tensor([0.5, -1.5])
    proved((w2 @ graphlab.tanh(w1 @ x + b1) + b2).sum(), w1=w1, b1=b1, w2=w2, b2=b2)


@pytest.mark.parametrize("activation", ["tanh", "sigmoid", "relu"])
def test_the_squared_error_of_a_batch_is_proved(activation):
    w1, b1, w2, b2 = randn(3, 2), randn(3), randn(1, 3, seed=1), randn(1, seed=2)
    hidden = getattr(graphlab, activation)(X @ w1.T + b1)
    proved(((hidden @ w2.T + b2 - graphlab.ones(4, 1)) ** 2).mean())


def test_softmax_and_cross_entropy_are_proved():
    z, target = randn(3, 4), graphlab.tensor([1, 3, 0])
    proved((graphlab.softmax(z, 1) ** 2).sum())
    proved(graphlab.nn.functional.nll_loss(graphlab.log_softmax(z, 1), target))
    proved(graphlab.nn.functional.binary_cross_entropy_with_logits(z, graphlab.ones(3, 4) * 0.25))
    shifted = z - z.max(1, keepdim=True).values
    proved((shifted.exp() / shifted.exp().sum(1, keepdim=True))[:, 0].sum())


def test_broadcasts_and_matrix_products_are_proved():
    proved((randn(3, 1) * randn(1, 4, seed=1) + randn(4, seed=2)).sum())
    proved((randn(2, 3) @ randn(3, 2, seed=1) @ randn(2, seed=2)).sum())
    proved((randn(2, 2, 3) @ randn(3, 2, seed=1)).sum())


def test_the_gradient_of_a_quadratic_form_is_written_by_entries():
    x = leaf([1.0, -2.0])
    a = graphlab.tensor([[2.0, 1.0], [0.0, 3.0]])
    x0, x1 = symbols("x_0 x_1")
    row = check(x @ a @ x, names={x: "x"})["x"]
    assert row.verdict == "proved"
    assert row.formula.applyfunc(sympy.expand) == sympy.Array([4 * x0 + x1, x0 + 6 * x1])


def test_indexing_and_splitting_are_proved():
    x = randn(3, 2)
    first, *_ = x.unbind(1)
    proved((first * x[:, 1]).sum() + x[[0, 0, 2]].sum() + x[1, 1])
    proved(graphlab.cat([x, x * x]).sum() + graphlab.stack([x[0], x[1]]).prod()
           if hasattr(graphlab, "prod") else graphlab.cat([x, x * x]).sum())  # fmt: skip


def test_a_float64_graph_is_held_to_float64():
    x = leaf(np.float64(0.3))
    report = check(graphlab.sin(x) * x)
    assert report[0].verdict == "proved"
    assert abs(report[0].symbolic_value - report[0].autograd_value) < 1e-15


# -- kinks --------------------------------------------------------------------------------------


def test_relu_is_proved_on_both_sides_and_its_kink_is_named():
    x = leaf([1.5, -0.5])
    row = check(graphlab.relu(x).sum(), names={x: "x"})["x"]
    x0, x1 = symbols("x_0 x_1")
    steps = [sympy.Piecewise((1, x > 0), (0, True)) for x in (x0, x1)]
    assert (row.verdict, row.formula) == ("proved", sympy.Array(steps))
    where = "holds away from the kinks x_0 = 0 and x_1 = 0 (there relu takes the slope 0)"
    assert where in row.note


@pytest.mark.parametrize("function", ["relu", "abs"])
def test_at_a_kink_the_valid_slopes_and_the_one_that_was_taken_are_said(function):
    x = leaf(0.0)
    row = check(getattr(graphlab, function)(x), names={x: "x"})["x"]
    low = 0 if function == "relu" else -1
    assert (row.verdict, row.symbolic_value, row.autograd_value) == ("proved", 0.0, 0.0)
    assert f"any slope from {low} to 1 is valid, autograd takes 0" in row.note


def test_where_slopes_meet_at_a_kink_numbers_agree_too():
    x = leaf([0.0] * 70)  # too many for formulas; a difference quotient of relu(x)² at 0 is h / 2
    row = check((x.relu() ** 2).sum())[0]
    assert (row.verdict, row.settled_by) == ("agrees", "50 digits at 5 points")
    assert "cancel" not in row.note


@pytest.mark.parametrize(
    "make",
    [lambda x: graphlab.cdist(x, x).sum(), lambda x: (x * 2 - x - x).norm(dim=1).sum() + x.sum()],
)
def test_a_quotient_of_nothing_that_a_rule_does_not_choose_is_no_mistake(make):
    report = check(make(randn(10, 10)))  # 100 entries: in digits, where 0/0 has no value
    assert (report[0].verdict, report.diagnosis) == ("agrees", ())


@pytest.mark.parametrize("bounds", [{"max": 1.0}, {"min": 1.0}, {"min": 0.0, "max": 1.0}])
def test_the_gradient_passes_at_the_bound_of_a_clamp(bounds):
    x = leaf(1.0)
    row = check(x.clamp(**bounds), names={x: "x"})["x"]
    assert (row.verdict, row.symbolic_value, row.autograd_value) == ("proved", 1.0, 1.0)
    assert "clamp takes the slope of one side" in row.note


def test_where_a_derivative_is_infinite_the_note_says_where_there_is_one():
    x = leaf(0.0)
    assert "the derivative exists where x > 0" in check(x.sqrt(), names={x: "x"})["x"].note


@pytest.mark.parametrize(
    ("make", "condition"),
    [
        (lambda x: graphlab.sqrt(graphlab.relu(x)), "x ≠ 0"),
        (lambda x: graphlab.sqrt(graphlab.relu(x) - 1), "x - 1 > 0"),
        (lambda x: 1 / (graphlab.relu(x) - 1), "x - 1 ≠ 0"),
        (lambda x: graphlab.log(1 - graphlab.relu(x)), "1 - x > 0"),
        (lambda x: graphlab.log(x.clamp(0, None)), "x > 0"),
        (lambda x: graphlab.log(x.clamp(None, 3)), "x > 0"),
        (lambda x: graphlab.sqrt(functional.leaky_relu(x)), "x > 0"),
        (lambda x: 1 / graphlab.relu(x), "x > 0"),
        (lambda x: graphlab.log(x.abs()), "x ≠ 0"),
        (lambda x: graphlab.log(graphlab.relu(x).abs()), "x > 0"),
        (lambda x: graphlab.log(graphlab.relu(x).relu()), "x > 0"),
        (lambda x: graphlab.sqrt(x.abs().relu()), "x ≠ 0"),
    ],
)
def test_a_condition_is_one_of_the_leaf_also_behind_a_relu_or_an_absolute_value(make, condition):
    x = leaf(0.0)
    note = check(make(x), names={x: "x"})["x"].note
    assert condition in note
    assert "Piecewise" not in note
    assert "sign" not in note


@pytest.mark.parametrize(
    ("make", "domain"),
    [
        (lambda x: graphlab.log(x**2), "where x ≠ 0"),
        (lambda x: graphlab.log1p(x**2 - 1), "where x ≠ 0"),
        (lambda x: graphlab.log(x**2 + (x - 1) ** 2), "where x**2 + (x - 1)**2 ≠ 0"),
        (lambda x: graphlab.erfinv(x), "where 1 - x**2 > 0"),
        (lambda x: graphlab.special.ndtri(x), "where 1 - (2*x - 1)**2 > 0"),
        (lambda x: graphlab.lgamma(x), "where x ≠ 0, -1, -2, …"),
        (lambda x: graphlab.digamma(x), "where x ≠ 0, -1, -2, …"),
        (lambda x: graphlab.lgamma(x.exp()), ""),
        (lambda x: graphlab.log(1 - graphlab.sigmoid(x)), ""),
        (lambda x: graphlab.tan(x), "where cos(x) ≠ 0"),
        (lambda x: graphlab.atan2(x, x - 1), "where x**2 + (x - 1)**2 ≠ 0"),
        (lambda x: graphlab.sqrt(x**2), "where x ≠ 0"),
        (lambda x: graphlab.sqrt(x) ** 2, "where x > 0"),
        (lambda x: graphlab.stack([x, x - 1]).norm() ** 2, ""),
        (lambda x: graphlab.mvlgamma(x + 1, 2), "where x + 1 ≠ 0, -1, -2, …"),
    ],
)
def test_the_domain_of_a_formula_is_told(make, domain):
    x = leaf(0.3)
    row = check(make(x), names={x: "x"})["x"]
    assert row.right
    assert row.note.rpartition("; ")[2].startswith(domain)
    assert ("where" in row.note) == bool(domain)
    assert "measured" not in row.note


def test_the_domain_of_cholesky_is_that_its_matrix_is_positive():
    A = leaf([[4.0, 1.0], [1.0, 3.0]])
    for entry in ((0, 0), (1, 1)):
        note = check(graphlab.linalg.cholesky(A)[entry], names={A: "A"})["A"].note
        assert "where A_0_0 > 0, A_1_1 - (A_0_1/2 + A_1_0/2)**2/A_0_0 > 0" in note


@pytest.mark.parametrize("upper", [False, True])
def test_the_note_about_a_symmetric_matrix_says_which_triangle_is_read(upper):
    A = leaf([[4.0, 1.0], [1.0, 3.0]])
    half = "upper" if upper else "lower"
    note = f"only the {half} triangle is read; the gradient is that for a symmetric matrix"
    assert note in check(graphlab.linalg.cholesky(A, upper=upper).sum())[0].note
    assert note in check(graphlab.linalg.eigvalsh(A, half[0].upper())[0])[0].note


def test_a_slope_that_was_measured_where_the_formula_has_no_value_is_told():
    x = leaf(0.0)
    row = check(graphlab.sinc(x), names={x: "x"})["x"]
    assert (row.verdict, row.symbolic_value) == ("proved", 0.0)
    assert row.note == "here the formula has no value: both slopes were measured; where x ≠ 0"


@pytest.mark.parametrize(
    "make",
    [
        lambda x: graphlab.sqrt(graphlab.relu(x) + 1),
        lambda x: graphlab.log(x.abs() + 1),
        lambda x: graphlab.log(x.clamp(0.5, None)),
        lambda x: graphlab.log(functional.softplus(x)),
    ],
)
def test_a_bound_above_zero_needs_no_condition(make):
    x = leaf(2.0)
    assert "where" not in check(make(x), names={x: "x"})["x"].note


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda x: 1 / graphlab.relu(x), "-1/x**2"),
        (lambda x: graphlab.relu(x) ** 2, "2*x if x > 0 else 0"),
        (lambda x: graphlab.sqrt(x.clamp(0.5, None)), "0 if x < 1/2 else 1/(2*sqrt(x))"),
        (lambda x: x.clamp(-1, 1) ** 2, "0 if x > 1 else 2*x if x >= -1 else 0"),
        (lambda x: x.clamp(1e-8, None).log(), "0 if x < 1e-8 else 1/x"),
        (
            lambda x: graphlab.relu(x) ** 2 + graphlab.relu(x - 1) + graphlab.relu(2 - x),
            "2*x + 1 if x >= 2 else 2*x if x > 1 else 2*x - 1 if x > 0 else -1",
        ),
        (lambda x: graphlab.maximum(x, 3 - x), "1 if x > 3/2 else 0 if x = 3/2 else -1"),
        (lambda x: x * x.abs(), "2*Abs(x)"),
        (lambda x: 1 / x.abs(), "-sign(x)/x**2"),
    ],
)
def test_a_formula_with_kinks_is_written_in_cases_and_absolute_values(make, text):
    x = leaf(2.0)
    row = check(make(x), names={x: "x"})["x"]
    assert row.verdict == "proved"
    assert formula_text(row.formula, 80) == text


def test_a_kink_is_told_with_its_number_on_the_right():
    x = leaf(1.5)
    total = x.clamp(1e-8, None) + graphlab.relu(2 - x) + graphlab.relu(x + 1)
    note = check(total, names={x: "x"})["x"].note
    assert "from the kink x = 1e-8 (there clamp takes the slope of one side)" in note
    assert "from the kinks x = 2 and x = -1 (there relu takes the slope 0)" in note


def test_two_kinks_at_one_place_are_told_once():
    x = leaf(1.0)
    note = check(graphlab.relu(x) + x.abs(), names={x: "x"})["x"].note
    assert "holds away from the kink x = 0 (there relu and abs take the slope 0)" in note


def test_the_note_about_a_kink_names_the_operation_that_takes_the_slope():
    x = leaf(0.0)
    note = check(x.abs() + x, names={x: "x"})["x"].note
    assert "from the kink x = 0 (there abs takes the slope 0)" in note
    assert "any slope from 0 to 2 is valid, autograd takes 1" in note


@pytest.mark.parametrize(
    "make",
    [
        lambda x: x.abs() ** 3,
        lambda x: graphlab.relu(x - 1) ** 2,
        lambda x: graphlab.relu(graphlab.relu(x) - 1) ** 2,
        lambda x: graphlab.relu(x**2),
        lambda x: ((x - 1) ** 3).abs(),
        lambda x: functional.huber_loss(3 * x, graphlab.tensor(1.0)),
        lambda x: functional.softsign(x),
        lambda x: graphlab.linalg.norm(graphlab.stack([x, x - 1, graphlab.tensor(2.0)]), 3),
        lambda x: graphlab.special.i1e(x),
    ],
)
@pytest.mark.parametrize("value", [0.0, 0.7])
def test_a_function_without_a_corner_has_no_kink(make, value):
    x = leaf(value)
    row = check(make(x), names={x: "x"})["x"]
    assert row.right
    assert "kink" not in row.note


def test_kinks_of_a_long_sum_are_found_term_by_term():
    x = leaf([float(i) for i in range(40)])
    assert "kink" not in check((x.abs() ** 3).sum())[0].note
    assert "abs takes the slope 0" in check((x.abs() ** 3 + x.abs()).sum())[0].note
    assert "away from the kinks" in check((x.abs() ** 3 + graphlab.sign(x)).sum())[0].note


@pytest.mark.parametrize("loss", ["huber_loss", "smooth_l1_loss"])
def test_a_regression_has_the_kinks_of_its_loss_and_no_others(loss):
    X = graphlab.tensor([[1.0, 2.0, 0.5], [2.0, -1.0, 3.0], [0.5, 1.0, -2.0], [1.0, 1.0, 1.0]] * 2)
    w, target = leaf([0.5, 0.1, 0.3]), graphlab.arange(8.0)
    row = check(getattr(functional, loss)(X @ w, target), names={w: "w"})["w"]
    assert (row.verdict, "kink" in row.note) == ("proved", False)
    told = check(functional.l1_loss(X @ w, target))[0].note
    assert "and 5 more (there abs takes the slope 0)" in told


@pytest.mark.parametrize(
    "make",
    [
        lambda x: x.sign() * (x * x + 1),  # the slopes meet, but the function jumps
        lambda x: graphlab.special.i0e(x),
        lambda x: graphlab.relu(x) - x.abs() / 2,  # the slopes meet, but the rules give another one
        lambda x: graphlab.clamp(x.abs(), 0.5),
    ],
)
def test_a_kink_is_told_where_slopes_values_or_the_rule_differ(make):
    x = leaf(0.7)
    row = check(make(x), names={x: "x"})["x"]
    assert row.verdict == "proved"
    assert "away from the kink" in row.note


@pytest.mark.parametrize(
    "make",
    [
        lambda x, y: graphlab.relu(graphlab.relu(x) * y),  # 0 for all x below 0
        lambda x, y: graphlab.relu(graphlab.relu(x) * y) ** 2,
        lambda x, y: (graphlab.relu(x) * y).abs() * y,
        lambda x, y: graphlab.maximum(graphlab.relu(x * y), x),
        lambda x, y: graphlab.minimum(x.abs(), x) * y,
        lambda x, y: (
            graphlab.sign(graphlab.sign(x)) * x + y
        ),  # jumps, without a place where it is 0
    ],
)
def test_the_kinks_of_kinks_are_told(make):
    x, y = leaf(1.0), leaf(2.0)
    report = check(make(x, y), names={x: "x", y: "y"})
    assert {row.verdict for row in report} == {"proved"}
    assert "away from the kink" in repr(report)


@pytest.mark.parametrize(
    "make",
    [
        lambda x, y: (x * y).abs() * x,
        lambda x, y: graphlab.relu(x * y) * x * x,
        lambda x, y: (x * (y - 1)).abs() * x,
        lambda x, y: graphlab.maximum(x * y, 0 * x) * x,
        lambda x, y: (x * y).abs() * x * x + graphlab.sin(y),
        lambda x, y: (x * y).abs() * y,
    ],
)
def test_the_kink_of_a_product_is_told_that_is_smooth_where_one_factor_is_0_only(make):
    x, y = leaf(1.0), leaf(2.0)
    report = check(make(x, y), names={x: "x", y: "y"})
    assert {row.verdict for row in report} == {"proved"}
    assert "away from the kink" in repr(report)


def test_a_sum_with_a_product_has_its_kink_where_one_of_its_terms_takes_the_value():
    w, x, b = leaf(1.0), leaf(2.0), leaf(3.0)
    assert "kink" not in repr(check(graphlab.relu(w * x + b) ** 2, names={w: "w", x: "x", b: "b"}))
    assert "b + w*x = 0" in repr(check(graphlab.relu(w * x + b), names={w: "w", x: "x", b: "b"}))


FIRST = "takes the slope of its first input"
MEAN = "takes the mean of both slopes"


@pytest.mark.parametrize(
    ("extreme", "told"),
    [
        (graphlab.maximum, MEAN),
        (graphlab.minimum, MEAN),
        (graphlab.fmax, FIRST),
        (graphlab.fmin, FIRST),
        (lambda a, b: graphlab.clamp(a, min=b), FIRST),
        (lambda a, b: graphlab.clamp(a, max=b), FIRST),
    ],
)
def test_the_formula_of_a_tie_takes_the_slopes_that_the_rule_takes(extreme, told):
    a, b, zero, at_zero = leaf(2.0), leaf(2.0), graphlab.tensor(0.0), leaf(0.0)
    for root, names in (
        (extreme(a, b), {a: "a", b: "b"}),
        (extreme(at_zero, zero), {at_zero: "a"}),
        (extreme(zero, at_zero), {at_zero: "a"}),
    ):
        report = check(root, names=names)
        assert [row.symbolic_value for row in report] == [row.autograd_value for row in report]
        assert told in report["a"].note


def test_a_tie_of_two_maxima_is_a_kink():
    a, b = leaf(2.0), leaf(2.0)
    report = check(graphlab.maximum(a, b), names={a: "a", b: "b"})
    assert [row.symbolic_value for row in report] == [0.5, 0.5]
    assert report.ok
    assert "maximum takes the mean of both slopes" in report["a"].note
    x = leaf([1.0, 3.0, 3.0])
    row = check(x.max(), names={x: "x"})["x"]
    assert (row.verdict, row.autograd_value.tolist()) == ("proved", [0.0, 0.5, 0.5])
    assert "entries tie, and PyTorch shares the gradient between them" in row.note
    assert "entries tie, and PyTorch gives each gradient to one of them" in (
        check(x.max(0).values, names={x: "x"})["x"].note
    )


@pytest.mark.parametrize(
    ("make", "what", "does"),
    [
        (lambda x: x.median(), "the order of the entries", "shares the gradient between"),
        (lambda x: x.nanmedian(), "the order of the entries", "shares the gradient between"),
        (lambda x: x.median(0).values, "the order of the entries", "gives each gradient to one of"),
        (lambda x: x.kthvalue(2).values, "the order of the entries", "gives each gradient to one"),
        (lambda x: x.quantile(0.9), "the order of the entries", "gives each gradient to one of"),
        (lambda x: x.mode().values, "which entry is the most frequent", "gives each gradient to"),
    ],
)
def test_notes_about_an_entry_by_rank_say_what_depends_on_the_values(make, what, does):
    x = leaf([1.0, 2.0, 2.0])
    row = check(make(x), names={x: "x"})["x"]
    assert row.verdict == "proved"
    assert f"{what} depends on the current values; entries tie, and PyTorch {does}" in row.note
    assert "smallest" not in row.note


def test_the_most_frequent_entry_is_read_by_the_current_values():
    x = leaf([3.0, 1.0, 2.0, 2.0])
    row = check(x.mode().values, names={x: "x"})["x"]
    assert (row.verdict, list(row.formula)) == ("proved", [0, 0, 0, 1])
    assert "the function jumps at the current values" in row.note


def test_kinks_that_cancel_are_a_disagreement_that_is_explained():
    x = leaf(0.0)  # relu(x) - relu(-x) is x, and PyTorch's gradient there is 0
    row = check(graphlab.relu(x) - graphlab.relu(-x))[0]
    assert (row.verdict, row.symbolic_value, row.autograd_value) == ("disagrees", 1.0, 0.0)
    assert "at the current values kinks cancel" in row.note


def test_nested_kinks_where_and_max_are_proved():
    x, y = leaf([0.5, -1.5, 2.0]), leaf([1.0, -2.0, 0.25])
    proved(graphlab.relu(graphlab.relu(x) - graphlab.abs(y)).sum())
    proved(graphlab.where(x > 0, x * y, y / x).sum())
    proved((graphlab.minimum(x, y) * x.max() * y.min()).sum())
    proved((x.max(0).values * y).sum())


# -- said with the verdict ----------------------------------------------------------------------


def test_a_constant_is_read_as_the_decimal_that_it_stands_for_and_the_report_says_so():
    x = leaf(2.0)
    row = check(graphlab.tensor(0.1) * x * x, names={x: "x"})["x"]
    assert (row.verdict, row.formula) == ("proved", symbols("x") / 5)
    assert "constants are read as exact decimals: 0.1 as 1/10 (stored as 0.100000001490" in row.note
    assert "constants" not in check(2.0 * x * x)[0].note


def test_data_that_is_read_as_decimals_is_told_in_one_short_sentence():
    w = leaf([2.0, 1.0])
    data = graphlab.tensor([[0.1, 0.2], [0.3, 0.4], [0.6, 0.7]])
    note = check((data @ w).sum(), names={w: "w"})["w"].note
    said = "6 constants are read as exact decimals, such as 0.1 as 1/10 (stored as 0.100000001490"
    assert said in note
    assert note.count("stored as") == 1


def test_a_constant_that_is_no_short_decimal_keeps_its_exact_value():
    third = np.float32(1) / np.float32(3)
    x = leaf(2.0)
    row = check(graphlab.tensor(third) * x)[0]
    assert row.formula == sympy.Rational(11184811, 33554432)
    assert "constants" not in row.note


def test_the_domain_is_said():
    x = leaf(2.0)
    assert "where x > 0" in check(graphlab.log(x), names={x: "x"})["x"].note
    assert "where" not in check(graphlab.exp(x), names={x: "x"})["x"].note


def test_values_outside_the_domain_are_no_disagreement():
    x = leaf(-2.0)
    row = check(graphlab.log(x * x) - 2 * graphlab.log(x), names={x: "x"})["x"]
    assert (row.verdict, row.formula, row.word) == ("proved", 0, "proved where defined")
    assert "here the formula has no value: x > 0 does not hold" in row.note
    row = check(graphlab.log(x), names={x: "x"})["x"]  # its slope 1/x has a value at -2
    assert (row.word, row.autograd_value) == ("proved where defined", -0.5)
    assert np.isnan(row.symbolic_value)
    report = check(graphlab.sqrt(leaf(0.0)))
    assert (report[0].word, report[0].autograd_value) == ("proved where defined", np.inf)
    assert "here the derivative is infinite" in report[0].note
    assert report.summary == "1 of 1 gradient proved; without a value here: x1"
    for cancels in (lambda x: x / x, lambda x: x * (1 / x), lambda x: x * x / x):
        row = check(cancels(leaf(0.0)))[0]  # SymPy simplifies it to a formula that has a value
        assert (row.word, np.isnan(row.autograd_value)) == ("proved where defined", True)
        assert "here the formula has no value before it is simplified" in row.note
    row = check(leaf(float("nan")) * 2)[0]
    assert (row.word, row.defined) == ("proved where defined", False)
    assert "here x1 is NaN, so no numbers were compared" in row.note


def test_autograds_nan_where_there_is_a_derivative_is_a_disagreement():
    x = leaf(0.0)  # the gradient of sqrt at 0 is infinite, and 0 times infinite is nan
    row = check(graphlab.where(graphlab.tensor(True), x, graphlab.sqrt(x)))[0]
    assert (row.verdict, row.symbolic_value) == ("disagrees", 1.0)
    assert np.isnan(row.autograd_value)


def test_a_leaf_that_was_changed_since_is_noticed():
    x = leaf(1.0)
    y = graphlab.exp(x)
    with graphlab.no_grad():
        x.mul_(2.0)
    row = check(y)[0]
    assert row.verdict == "undecided"
    assert "a tensor was changed after the graph was made" in row.note


def test_what_rounds_inside_an_operation_is_not_taken_for_a_change():
    n = leaf(3.0)  # sin(3π) is 0; float32 has no π, and gives -2e-8
    assert check(graphlab.special.sinc(n) * n)[0].verdict == "proved"


def test_a_gradient_added_up_from_many_parts_rounds_at_each():
    x = leaf(0.5)
    total = x * 3.0
    for _ in range(300):
        total = total + x * 3.0
    row = check(total + x * 5e7)[0]  # 5e7 + 3 is 5e7 + 4 in float32, every time
    assert row.verdict == "agrees"
    assert row.ulps > 50


def test_rounding_is_not_taken_for_a_mistake():
    x = leaf(1e4)
    big = ((x + 0.1) * (x + 0.1) - x * x) * 10  # float32 loses most digits here
    assert check(big)[0].verdict == "proved"
    tiny = leaf(1e-30)
    assert check(tiny * tiny * tiny)[0].verdict == "proved"  # the gradient underflows


# -- what has no formula ------------------------------------------------------------------------


def test_a_large_leaf_is_sampled_and_the_report_says_so():
    a, b = randn(64, 32), randn(32, 16, seed=1)
    report = check(graphlab.tanh(a @ b).sum(), names={a: "a", b: "b"})
    assert {row.verdict for row in report} == {"agrees"}
    assert "2560 entries are too many for a formula, at most 64" in report["a"].note
    assert "only a sample of 8 of 2560 entries was checked" in report["a"].note
    assert np.isfinite(report["a"].numeric_value).sum() == 4


# -- bounds: work is counted, not timed ---------------------------------------------------------


def test_a_chain_of_300_tanh_gets_an_honest_verdict_within_bounded_work():
    x = y = leaf(0.7)
    for _ in range(300):
        y = graphlab.tanh(y)
    report = check(y)
    assert (report[0].verdict, report[0].settled_by) == ("agrees", "50 digits at 5 points")
    assert "the graph is 300 operations deep" in report[0].note
    assert report.work < 10_000
    assert x.grad is None
    with pytest.raises(ValueError, match="too large to write down: it is nested 300 operations"):
        formula(y)


def test_a_proof_may_make_only_so_many_terms():
    w, x = randn(4, 6), graphlab.tensor(np.random.default_rng(1).standard_normal(6).astype("f4"))
    cubes = (w @ x) ** 3
    report = check(((cubes.sum() - 1) ** 4) * (w.sum() ** 3))
    assert report.ok
    assert report.work < 300_000


@pytest.mark.parametrize("constant", [1.0, 1 / 3])
def test_a_formula_that_doubles_at_every_step_is_not_written_out(constant):
    x = leaf(0.5)
    y = x * constant
    for _ in range(25):
        y = y * y + y
    report = check(y)
    assert report[0].verdict == "agrees"
    assert "more than 3000 operations" in report[0].note
    assert report.work < 20_000


def test_a_graph_of_thousands_of_nodes_gets_a_verdict():
    y = leaf(0.7)
    for _ in range(1_000):
        y = graphlab.sin(y) + 1
    report = check(y)
    assert report[0].verdict == "agrees"
    assert report.work < 250_000


def test_switches_inside_switches_do_not_double_the_formula_at_every_layer():
    h = graphlab.tensor([1.0, 2.0])
    for seed in range(3):
        h = graphlab.relu(randn(2, 2, seed=seed) @ h + randn(2, seed=seed + 3))
    report = check(h.sum())
    assert {row.verdict for row in report} == {"proved"}
    assert all(operations(row.formula) < 3_000 for row in report)

"""A branch that values decided belongs to the formula: where(x > 0, x², 0) has two sides.

Read next: tests/symbolic/test_functions.py
"""

from __future__ import annotations

import re

import numpy as np
import pytest

import graphlab
from graphlab.autograd.decisions import decision_of
from graphlab.faces.symbolic.check import check
from tests.symbolic.conftest import leaf

where = graphlab.where
FORMULAS = {  # name: a formula with a branch, and its derivative
    "where": (lambda x: where(x > 0, x**2, 0.0), lambda x: 2 * x * (x > 0)),
    "product with a mask": (lambda x: x * (x > 0), lambda x: 1.0 * (x > 0)),
    "mask as floats": (lambda x: x**2 * (x > 0).float(), lambda x: 2 * x * (x > 0)),
    "one minus a mask": (lambda x: x * (1 - (x < 1).float()), lambda x: 1.0 * (x >= 1)),
    "not": (lambda x: where(~(x > 0), x, 3 * x), lambda x: 1.0 + 2 * (x > 0)),
    "and": (
        lambda x: where((x > -1) & (x < 1), x**2, x),
        lambda x: 2 * x if abs(x) < 1 else 1,
    ),
    "or": (lambda x: where((x < -1) | (x > 1), x**2, x), lambda x: 2 * x if abs(x) > 1 else 1),
    "huber": (
        lambda x: where(x.abs() < 1, 0.5 * x * x, x.abs() - 0.5),
        lambda x: x if abs(x) < 1 else np.sign(x),
    ),
    "elu": (lambda x: where(x > 0, x, x.exp() - 1), lambda x: 1 if x > 0 else np.exp(x)),
    "masked_fill": (lambda x: (x * x).masked_fill(x > 0, 0.0), lambda x: 2 * x * (x <= 0)),
    "of an inner result": (
        lambda x: where(x * x > 2, x**3, x),
        lambda x: 3 * x * x if x * x > 2 else 1,
    ),
    "of a detached value": (
        lambda x: where(x.detach() > 0, x**2, x),
        lambda x: 2 * x if x > 0 else 1,
    ),
}


@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize("value", [0.625, -0.75, 1.875, -2.25])
def test_a_branch_is_that_of_the_values_that_are_checked(name, value):
    function, derivative = FORMULAS[name]
    x = leaf(2.5)
    report = check(function(x), at={"x": value}, names={x: "x"})
    assert report["x"].verdict == "proved", report
    assert report["x"].symbolic_value == pytest.approx(derivative(value))
    assert report["x"].autograd_value == pytest.approx(derivative(value), rel=1e-5)


@pytest.mark.parametrize("value", [0.75, -0.75])
def test_a_branch_that_is_not_taken_may_have_no_value(value):
    x = leaf(2.5)
    report = check(where(x > 0, graphlab.log(x), x), at={"x": value}, names={x: "x"})
    assert report["x"].verdict == "proved", report
    assert report["x"].symbolic_value == pytest.approx(1 / value if value > 0 else 1)


def test_the_formula_says_where_it_holds():
    x = leaf(2.0)
    report = check(where(x > 0.5, x**2, 0.0), names={x: "x"})
    assert str(report["x"].formula) == "Piecewise((2*x, x > 1/2), (0, True))"


def own(forward, backward):
    """A Function of one's own: forward(x), backward(grad, x)."""

    class Own(graphlab.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return forward(x)

        @staticmethod
        def backward(ctx, grad):
            return backward(grad, *ctx.saved_tensors)

    return Own.apply


def clamped(grad, x):
    return where((x >= -1) & (x <= 1), grad, 0.0)


@pytest.mark.parametrize("value", [0.5, 2.0, -3.0, 1.0, -1.0])
def test_the_mask_of_a_backward_is_that_of_every_point(value):
    (row,) = check(own(lambda x: graphlab.clamp(x, -1, 1), clamped)(leaf(value)))
    assert row.verdict == "proved"
    assert "depends on the current values" not in row.note


def wrong_below(grad, x):
    return where(x > 0.3, 2 * x * grad, -grad)


@pytest.mark.parametrize("value", [2.0, -1.0])
def test_a_backward_that_is_wrong_on_another_branch_is_found(value):
    function = own(lambda x: where(x > 0, x * x, -x), wrong_below)
    (row,) = check(function(leaf(value)))
    assert row.verdict == "disagrees"
    assert 0 < row.counterexample.point["x1"] < 0.3


def test_an_index_by_a_mask_is_not_moved_to_other_values():
    x = leaf([1.0, -2.0, 3.0])
    made = (x[x > 0] ** 2).sum()
    report = check(made, at={"x": [2.0, -1.0, 1.0]}, names={x: "x"})
    assert report.ok
    assert "which entries an index takes depends on the current values" in report["x"].note
    with pytest.raises(ValueError, match="an index takes the entries that a condition picks"):
        check(made, at={"x": [-1.0, 2.0, 3.0]}, names={x: "x"})


def test_a_mask_that_was_changed_is_a_constant():
    x = leaf([1.0, -2.0])
    mask = x > 0
    mask[1] = True
    (row,) = check(where(mask, x**2, 0.0).sum())
    assert row.verdict == "proved"
    np.testing.assert_array_equal(row.symbolic_value, [2.0, -4.0])


def test_only_small_masks_of_values_with_a_history_remember():
    x = leaf(np.ones(5_000))
    assert decision_of(x > 0) is None
    assert decision_of(graphlab.ones(2) > 0) is None
    assert decision_of(x[:2] > 0) is not None


def without_gradient(function):
    def call(x):
        with graphlab.no_grad():
            return function(x)

    return call


def product_rule(grad, x):
    return grad * (graphlab.sin(x) + x * graphlab.cos(x))


CUT = {  # parts of a forward that leave no graph
    "no_grad": lambda x: x * without_gradient(graphlab.sin)(x),
    "detach": lambda x: x * graphlab.sin(x.detach()),
    "data": lambda x: x * graphlab.sin(x.data),
    "numpy": lambda x: x * graphlab.tensor(np.sin(x.detach().numpy())),
    "everything": without_gradient(lambda x: x * graphlab.sin(x)),
}


@pytest.mark.parametrize("name", CUT)
@pytest.mark.parametrize("values", [[1.0, 2.0], [0.0, 0.0], [0.0, 2.0]])
def test_a_part_that_leaves_no_graph_counts(name, values):
    wrong = own(CUT[name], lambda grad, x: grad * graphlab.sin(x))
    weights = graphlab.tensor([1.0, 3.0])
    assert not check(wrong(leaf(values)) @ weights).ok
    assert check(own(CUT[name], product_rule)(leaf(values)) @ weights).ok


def test_a_path_that_python_decides_is_compared_elsewhere():
    def forward(x):
        return x * x if bool(x > 0) else -x

    def right(grad, x):
        return 2 * x * grad if bool(x > 0) else -grad

    def wrong(grad, x):
        return 2 * x * grad if bool(x > 0.3) else -grad

    assert check(own(forward, right)(leaf(1.5))).ok
    report = check(own(forward, wrong)(leaf(1.5)))
    assert not report.ok
    assert "Own is right at the current values and wrong where its input is" in report[0].note
    assert report.advice[0].startswith("look at the backward of Own: for its input")


def test_a_formula_has_the_cases_of_its_condition():
    x = leaf(2.0)
    made = graphlab.formula(where(x > 0.5, x**2, 0.0))
    assert str(made) == "Piecewise((x**2, x > 1/2), (0, True))"


@pytest.mark.parametrize("bound", [0.0, 1.0])
def test_a_logarithm_that_a_where_keeps_positive_has_no_domain_to_be_told(bound):
    x = leaf(2.0)
    safe = where(x > bound, x, 1.0)
    (row,) = check(where(x > bound, graphlab.log(safe), 0.0), names={x: "x"})
    assert row.verdict == "proved"
    assert "where" not in row.note
    (row,) = check(graphlab.log(where(x > -1.0, x, 1.0)), names={x: "x"})
    assert "where (x if x > -1 else 1) > 0" in row.note


@pytest.mark.parametrize(
    "part",
    [
        lambda x: x.clamp(min=0.1),
        graphlab.relu,
        lambda x: graphlab.where(x > 0, x, 2 * x),
        lambda x: -graphlab.relu(-x),
    ],
)
def test_a_mask_of_a_result_with_steps_has_a_formula(part):
    for value in (0.3, -1.2):
        x = leaf(value)
        y = part(x)
        z = y.masked_fill(y > 0.2, 3.0) + y
        made = graphlab.formula(z)
        (symbol,) = made.free_symbols
        assert float(made.subs(symbol, value)) == pytest.approx(z.item())


# -- branches that Python took -------------------------------------------------------------------


def size(x):
    return x if x > 0 else -x


def size_by_number(x):
    if x.item() > 0:
        return x * 1
    return -x


@pytest.mark.parametrize(
    ("function", "said"), [(size, "x <= 0"), (size_by_number, "x.item() <= 0")]
)
def test_a_report_names_the_branch_that_python_took_and_checks_no_other(function, said):
    x = leaf(-1.0)
    f = function(x)
    note = f"Python took the branch where {said}, and only that branch is checked"
    assert graphlab.check(f)["x"].note == note
    assert graphlab.check(f, at={"x": -3.0}).ok
    with pytest.raises(
        ValueError, match=f"on the branch where {re.escape(said)}, .* run the program"
    ):
        graphlab.check(f, at={"x": 1.0})


def test_where_two_branches_meet_a_report_says_so():
    x = leaf(-1.0)
    f = size(x)
    assert "on its edge" in graphlab.check(f, at={"x": 0.0})["x"].note


def test_every_condition_of_a_program_is_named():
    p, q = leaf(1.0), leaf(2.0)
    h = p * q
    if p > 0 and q > 1:
        h = h + 1
    assert graphlab.check(h)["p"].note.startswith("Python took the branch where p > 0 and q > 1,")
    with pytest.raises(ValueError, match="branch where q > 1"):
        graphlab.check(h, at={"q": 0.5})


def test_a_condition_on_all_entries_counts_too():
    v = leaf([1.0, 2.0])
    total = 0.0
    if (v > 0).all():
        total = (v * v).sum()
    assert graphlab.check(total)["v"].note.startswith("Python took the branch where ")
    with pytest.raises(ValueError, match="run the program at these values"):
        graphlab.check(total, at={"v": [-1.0, 2.0]})


def test_a_condition_on_an_entry_names_the_entry():
    M = leaf([[1.0, -2.0], [3.0, 4.0]])
    total = (M * M).sum()
    if M[:, 1].max() > 0 and (2 * M)[1, 0] > 0 and M[0, -1] < 0:
        total = total * 2
    said = "max(M[:, 1]) > 0 and (M × 2)[1][0] > 0 and M[0][-1] < 0"
    assert f"branch where {said}, and" in graphlab.check(total)["M"].note


def test_a_condition_on_an_earlier_graph_is_not_one_of_this_graph():
    w, steps = leaf(1.0), 0
    loss = (w * 2 - 3) ** 2
    if loss < 50:
        steps += 1
    loss = (w * 3 - 1) ** 2
    assert "Python took" not in graphlab.check(loss)["w"].note


@pytest.mark.filterwarnings("error")
def test_a_branch_without_a_value_warns_of_nothing():
    x = leaf(0.0)
    root = graphlab.where(x == 0, graphlab.ones(()), graphlab.sin(x) / x)
    assert "0 · inf = nan" in graphlab.check(root).advice[0]


@pytest.mark.parametrize("value", [2.0, 3.0])
def test_a_number_that_a_mask_chose_follows_the_mask(value):
    a = leaf(value)
    chosen = where(graphlab.tensor(2.25) < a, 1.5, 1.0)  # autograd records only the product
    report = check(chosen * a)
    assert report[0].verdict == "proved"
    assert float(report[0].symbolic_value) == (1.5 if value > 2.25 else 1.0)

"""What one may put into `check` by mistake: an honest answer in time, and nothing is changed.

Read next: tests/symbolic/test_arguments.py
"""

from __future__ import annotations

import _thread
import threading
import time

import numpy as np
import pytest

import graphlab
from graphlab.common.errors import GraphFreedError
from graphlab.faces.symbolic.check import check
from graphlab.faces.symbolic.formula import formula
from graphlab.faces.symbolic.live_graph import walk
from graphlab.ops import registry
from tests.symbolic.conftest import MOST_WORK, leaf, randn
from tests.symbolic.mutants import planted


def state(root):
    """All that a check may not change: values, gradients, versions, nodes and what they saved."""
    graph = walk(root)
    return (
        [(leaf._data.tobytes(), leaf._version, repr(leaf.grad)) for leaf in graph.leaves],
        [(node, node._saved, list(node._next)) for node in graph.nodes],
        root._data.tobytes(),
    )


def checked(root, **arguments):
    """The report of a check that changed nothing, and was shown in full."""
    before = state(root)
    report = check(root, **arguments)
    assert repr(report)
    assert report._repr_html_()
    assert report.work < MOST_WORK
    assert state(root) == before
    return report


# -- graphs that were cut -----------------------------------------------------------------------


@pytest.mark.parametrize("cut", [lambda t: t.detach(), lambda t: t.data, lambda t: t.detach()[1:]])
def test_the_report_says_where_a_graph_was_cut(cut):
    x, w = leaf([1.0, 2.0, 3.0]), leaf([0.5])
    h = x * x
    row = checked((h[1:] * cut(h)[-2:]).sum(), names={"h": h, "x": x})["x"]
    assert row.verdict == "proved"  # the gradient of the graph that there is
    assert row.note.endswith(
        "the graph is cut here, and no gradient flows: MulBackward0 uses the values of h as a "
        "constant, as h.detach() or h.data gives them"
    )
    row = checked((w * cut(x)).sum(), names={"w": w, "x": x})["w"]
    assert "uses the values of x as a constant" in row.note
    row = checked((x[1:] * cut(x)[-2:]).sum())[0]
    assert (
        "values of a tensor that needs a gradient as a constant, as detach() or .data gives them"
        in row.note
    )


def test_a_detached_result_that_nobody_holds_is_told_too():
    a, w = leaf(2.0), leaf(3.0)
    h = (a * a).detach()
    row = graphlab.check(w * h)["w"]
    assert row.note.startswith(
        "the graph is cut here, and no gradient flows: MulBackward0 uses h as a constant, the "
        "result of detach()"
    )
    free = graphlab.tensor(2.0).detach()  # nothing was cut off
    assert "cut" not in graphlab.check(w * free)["w"].note


def test_the_caller_need_not_name_what_was_cut_off():
    x, w = leaf([1.0, 2.0, 3.0]), leaf(0.5)
    h = x * x
    assert "the values of h" in graphlab.check((w * h.detach()).sum())["w"].note
    assert "the values of x" in graphlab.check((w * x.detach()).sum())["w"].note
    assert "cut" not in graphlab.check((w * h).sum())["w"].note
    assert "cut" not in graphlab.check((w * h.detach().clone()).sum())["w"].note  # nobody can know


def test_a_tensor_that_needed_no_gradient_in_time_is_named():
    k, w = graphlab.tensor(3.0), leaf(2.0)
    y = k * w
    k.requires_grad_()
    note = checked(y, names={w: "w", k: "k"})["w"].note
    assert note.endswith("k did not need a gradient yet when MulBackward0 was made")


def test_a_view_made_without_a_graph_is_named_as_a_constant():
    w = leaf([[1.0, 2.0], [3.0, 4.0]])
    with graphlab.no_grad():
        row = w[0]
    report = graphlab.check(((w - row) ** 2).sum())
    assert report["w"].verdict == "proved"
    assert report["w"].note.endswith("SubBackward0 uses row, a view that was made without a graph")


def test_a_leaf_that_was_detached_in_place_is_not_checked():
    w, k = leaf(2.0), leaf(3.0)
    y = w * k
    k.detach_()
    assert [row.name for row in graphlab.check(y)] == ["w"]


def test_a_leaf_behind_a_cut_is_refused_with_the_place_or_a_hint():
    x, w = leaf([1.0, 2.0]), leaf(2.0)
    sentence = "The differentiated Tensor at index 0 appears to not have been used in the graph"
    with pytest.raises(RuntimeError, match=sentence + r".*MulBackward0 uses the values of x"):
        check((w * x.detach()).sum(), wrt=x, names={"x": x})
    with graphlab.no_grad():
        lost = x * x
    for cut in (lost[0], x[0].item(), (x * x).data[0]):
        with pytest.raises(
            RuntimeError, match=sentence + r".*detach\(\), \.data, \.item\(\), nump"
        ):
            check(w * cut, wrt=x)


def test_only_a_few_cuts_are_listed():
    x = leaf([1.0, 2.0])
    y = x.sum()
    for word in ("mul", "add", "div", "maximum", "sub"):
        y = y + getattr(graphlab, word)(x, x.detach()).sum()
    assert checked(y)[0].note.count("as a constant") <= 3


# -- no derivatives ------------------------------------------------------------------------------


def test_whole_numbers_have_no_gradient():
    n, x = graphlab.tensor([1, 2]), leaf(2.0)
    with pytest.raises(
        RuntimeError, match=r"wrt\[0\] is a constant .* only floating-point tensors"
    ):
        check((n * x).sum(), wrt=n)
    with pytest.raises(RuntimeError, match="does not require grad and does not have a grad_fn"):
        check(n.sum())
    with pytest.raises(RuntimeError, match="does not require grad and does not have a grad_fn"):
        check((x * 3).argmax())
    assert checked((n * x).sum())[0].autograd_value == 3.0


@pytest.mark.parametrize("function", ["floor", "ceil", "round", "trunc"])
def test_a_function_of_steps_says_so_and_where_it_jumps(function):
    x = leaf(1.75)
    row = checked(getattr(graphlab, function)(x) * x)[0]
    assert (row.verdict, row.note) == (
        "agrees",
        f"{'round' if function == 'round' else 'floor'} is a step function, which has no formula "
        "here",
    )
    row = checked(graphlab.round(leaf(2.5)) * 3)[0]
    assert "the function jumps at the current values and has no slope there" in row.note
    assert "cannot represent" not in row.note


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_values_that_are_no_numbers_get_no_numbers(value):
    row = checked(leaf(value) * 2)[0]
    assert (row.word, row.defined) == ("proved where defined", False)
    row = checked(leaf(2.0) * graphlab.tensor(value))[0]
    assert row.verdict == "undecided"
    assert f"a constant is {value}, which a formula cannot contain" in row.note
    assert checked((leaf([value, 1.0]) ** 2).sum())[0].word == "proved where defined"


def test_a_slope_is_measured_where_its_formula_has_no_value():
    y = leaf(0.5)
    row = checked(leaf(0.0) ** y, wrt=y, names={y: "y"})["y"]  # 0ʸ is 0, and so is 0ʸ log 0
    assert (row.word, row.symbolic_value, row.autograd_value) == ("proved", 0.0, 0.0)
    with planted(registry["pow_tensor"], "exponent", lambda grad, self, exponent, result: grad * 7):
        assert check(leaf(0.0) ** leaf(0.5))[1].verdict == "disagrees"


def test_a_freed_graph_is_refused_and_stays_as_it_is():
    x = leaf(2.0)
    y = x * x
    y.backward()
    before = x.grad.item()
    for _ in range(2):
        with pytest.raises(GraphFreedError, match="run the formula again, and check it before"):
            check(y)
    assert x.grad.item() == before


# -- names --------------------------------------------------------------------------------------

NAMES = [
    "None",
    "lambda",
    "I",
    "x y",
    r"\frac{1}{0}",
    "🦊",
    "שלום",
    "\u202eabc",
    "a\nb",
    "$x$",
    "%",
]
NAMES += ["x", "x", "x′", "nan", "a" * 500]


def test_no_name_disturbs_a_proof_its_table_or_its_code():
    leaves = [leaf(0.5 + i / 10) for i in range(len(NAMES))]
    names = dict(zip(leaves, NAMES, strict=True))
    report = checked(sum(t * t * graphlab.sin(t) for t in leaves), names=names)
    assert report.summary == f"{len(NAMES)} of {len(NAMES)} gradients proved"
    assert [row.name for row in report] == NAMES
    assert max(map(len, repr(report).splitlines())) < 140
    assert "\u202e" not in repr(report)
    for row in report:
        for text in (row.sympy_code(), row.numpy_code()):
            exec(text, {})
        assert row.latex()
        assert repr(row.chain)


# -- what is large ------------------------------------------------------------------------------


@pytest.mark.parametrize("power", [10**6, 10**9, -(10**9)])
def test_a_huge_power_is_proved_as_any_other(power):
    x = leaf(0.5)
    report = checked(x**power + (x + 2) ** power)
    assert report[0].verdict == "proved"
    assert checked(leaf(1.0) ** power)[0].autograd_value == power


def test_the_derivatives_of_a_huge_power_are_written_and_not_multiplied_out():
    x = leaf(0.5)
    report = checked((x + 2) ** 10**9, names={x: "x"})
    assert "999999999000000000*(x + 2)**999999998" in repr(report.hessian())
    assert report.hessian()._repr_html_()


LARGE = {
    "of a factor": lambda x: (2 * x) ** 10**9,
    "of a number": lambda x: (x * 0 + 3) ** 10**9,
    "of a fraction": lambda x: (x - x + 1.5) ** -(10**9),
    "of a root": lambda x: graphlab.sqrt(x * 0 + 3) ** 10**9,
    "of powers": lambda x: (((x * 0 + 3) ** 1000) ** 1000) ** 1000,
    "in the exponent": lambda x: 3 ** (x * 0 + 10**9),
    "a factorial": lambda x: graphlab.lgamma(x * 0 + 10**8),
    "an incomplete gamma function": lambda x: graphlab.special.gammainc(
        graphlab.tensor(2000.0), x + 2000.0
    ),
    "a harmonic sum": lambda x: graphlab.digamma(x * 0 + 10**8),
}


@pytest.mark.parametrize("what", LARGE)
def test_a_number_of_a_billion_digits_is_not_worked_out(what):
    y = LARGE[what](leaf(0.25))
    row = checked(y)[0]
    assert row.verdict in ("agrees", "disagrees")  # in float32 some overflow, and autograd says nan
    assert row.verdict == "agrees" or np.isnan(row.autograd_value)
    assert "a number in the formula would have thousands of digits" in row.note
    assert row.chain is not None
    with pytest.raises(ValueError, match="thousands of digits"):
        formula(y)


def test_nor_is_it_behind_a_kink():
    row = checked((graphlab.relu(leaf(0.25)) + 3) ** -(10**9) - graphlab.abs(leaf(0.5)))[0]
    assert row.verdict == "agrees"
    assert "a number in the formula would have thousands of digits" in row.note


def test_terms_that_cancel_to_more_digits_than_are_tried_are_no_disagreement():
    x = leaf(np.float64(0.01))
    row = checked((x + 1) ** 40_000 - (x * x + 2 * x + 1) ** 20_000)[0]
    assert row.verdict == "undecided"
    assert "the terms of the formula cancel to more than 400 digits" in row.note


def test_ten_thousand_terms_get_an_honest_verdict():
    x = leaf(0.5)
    total = x * 0
    for i in range(10_000):
        total = total + x * (i % 7)
    assert checked(total)[0].verdict in ("agrees", "undecided")  # as the budget allows
    assert checked((randn(10_000) ** 2).sum()).ok


def test_rounding_to_the_same_side_ten_thousand_times_is_no_mistake():
    w, x = leaf(0.5), leaf(0.7)
    y = x
    for _ in range(5_000):  # float32 has no 0.999, and each factor is too large by as much
        y = y * 0.999 + w
    assert check(y, wrt=x)[0].verdict == "agrees"


# -- Ctrl-C -------------------------------------------------------------------------------------


def slow_formula():
    """Four seconds in SymPy."""
    w, x = randn(4, 6), graphlab.tensor(np.random.default_rng(1).standard_normal(6).astype("f4"))
    cubes = (w @ x) ** 3
    return ((cubes.sum() - 1) ** 4) * (w.sum() ** 3)


def slow_numbers():
    """Seconds in numbers of many digits."""
    y = leaf(0.7)
    for _ in range(2_000):
        y = graphlab.sin(y) * y + 0.3
    return y


class Keyboard(threading.Thread):
    """Presses Ctrl-C after some seconds, and again where Python let it go by.

    An error in a finalizer, or in a callback of the garbage collector, is ignored: a test library
    may have such a callback, and then there is a warning.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.pause = seconds
        self.heard = threading.Event()

    def run(self) -> None:
        while not self.heard.wait(self.pause):
            self.pause = 5.0
            _thread.interrupt_main()


@pytest.mark.filterwarnings("ignore:Exception ignored in:pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("seconds", [0.02, 0.3])
@pytest.mark.parametrize("make", [slow_formula, slow_numbers])
def test_ctrl_c_leaves_nothing_behind(make, seconds):
    root = make()
    before, threads = state(root), set(threading.enumerate())
    keyboard = Keyboard(seconds)

    def check_and_wait():
        keyboard.start()
        check(root)
        while True:  # the check was quicker: it arrives here
            time.sleep(0.01)

    with pytest.raises(KeyboardInterrupt):
        check_and_wait()
    keyboard.heard.set()
    keyboard.join()
    assert set(threading.enumerate()) == threads
    assert state(root) == before
    x = leaf(3.0)
    assert check(x * x)[0].verdict == "proved"

"""The slope as a picture in Python: the curve, its tangent, kinks, ends, level lines, real steps.

Read next: js/test/slope.test.ts
"""

from __future__ import annotations

import itertools
import json
import math
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import graphlab
from graphlab.faces.render.slope import contour
from graphlab.faces.render.slope_picture import Border, heights, one_sided, sampled, undefined_where
from graphlab.graph.timeline import Timeline
from tests.functions import Square
from tests.render.slopes import FIXTURE, lesson

ROOT = Path(__file__).parents[2]


def leaf(*values: float) -> graphlab.Tensor:
    return graphlab.tensor(values[0] if len(values) == 1 else list(values), requires_grad=True)


def test_the_committed_walk_of_the_slope_card_is_the_one_that_is_made():
    made = subprocess.run(
        [sys.executable, "-m", "tests.render.slopes"], cwd=ROOT, capture_output=True, check=True
    )
    assert made.stdout.decode() == FIXTURE.read_text("utf-8"), (
        "run python -m tests.render.slopes --update, and look at what changes"
    )


def test_the_slope_is_the_gradient_and_the_curve_ends_where_the_formula_does():
    picture = lesson().slope("d")
    assert picture.text == "At d = 10: slope 0.15, the gradient that autograd finds."
    assert picture.names == ("d", "e")
    np.testing.assert_allclose(picture.point, (10, -6 + 1.5 * math.log(10)))
    assert picture.note == "not defined for d ≤ 0"
    first = next(x for x, y in picture.curve if math.isfinite(y))
    assert 0 < first < 1e-9
    assert all(abs(y - (-6 + 1.5 * math.log(x))) < 1e-9 for x, y in picture.curve if y == y)


def test_a_saved_walk_has_the_same_slopes():
    again = Timeline.from_json(lesson().to_json())
    assert again.slope("a").svg == lesson().slope("a").svg


def test_a_kink_has_two_slopes_and_autograd_uses_one():
    u = leaf(0.0)
    v = graphlab.relu(u) * 1.5 + graphlab.relu(-u) * 0.5
    picture = graphlab.trace(v).slope("u")
    assert picture.sides == (-0.5, 1.5)
    assert picture.text.endswith("Slope −0.5 from the left, 1.5 from the right; autograd uses 0.")


def test_a_gradient_that_is_not_the_slope_of_the_curve_is_told_as_such():
    u = leaf(0.0)
    v = graphlab.relu(u) - graphlab.relu(-u)
    picture = graphlab.trace(v).slope("u")
    assert picture.text == "At u = 0: the curve has the slope 1, but autograd found 0."


def test_the_slope_of_another_tensor_is_measured():
    picture = lesson().slope("d", of="log(d)")
    assert picture.text == "At d = 10: slope 0.1, by differences."


def test_a_gradient_that_entered_the_pass_and_one_that_was_there_before_change_no_slope():
    w = leaf(3.0)
    w.grad = graphlab.tensor(100.0)
    picture = graphlab.trace(w * w, gradient=graphlab.tensor(2.0)).slope("w")
    np.testing.assert_allclose(picture.slopes, (6.0,))


def test_entries_of_arrays_have_level_lines_with_the_arrow_downhill():
    w = leaf(1.5, -0.8)
    loss = ((w - graphlab.tensor([1.0, 2.0])) ** 2).sum()
    timeline = graphlab.trace(loss)
    assert timeline.slope("w", entry=1).slopes == pytest.approx((-5.6,))
    picture = timeline.slope("w", entry=(0,), other=("w", 1))
    assert picture.names == ("w[0]", "w[1]", "loss")
    np.testing.assert_allclose(picture.slopes, (1.0, -5.6), rtol=1e-6)  # float32
    assert len(picture.lines) == 12
    assert picture.text.endswith("steepest descent of loss is (−1, 5.6), minus the gradient.")


def test_of_two_tensors_of_one_name_each_is_named_by_its_id():
    x = leaf(3.0)
    y = x * x
    x.detach_()  # a constant of the formula now, and the leaf that gets the gradient
    with pytest.raises(ValueError, match=r"2 tensors are named 'x': name an id, of \['t0', 't"):
        graphlab.trace(y.sum()).slope("x")


def test_what_cannot_be_drawn_says_what_there_is():
    timeline = lesson()
    w = leaf(1.5, -0.8)
    array = graphlab.trace((w * w).sum())
    for call, said in (
        (lambda: timeline.slope("z"), "no tensor is named 'z'; the leaves are a, b, c, d"),
        (
            lambda: timeline.slope("e"),
            "e is the result of an operation, or no formula reads it; name a leaf",
        ),
        (lambda: array.slope("w"), r"w has the shape \(2,\): choose an entry; write entry=\(0,\)"),
        (lambda: array.slope("w", entry=2), r"there is no entry 2; write entry=\(0,\)"),
        (lambda: array.slope("w", entry="x"), "there is no entry 'x'"),
        (lambda: array.slope("w", entry=0, other="w"), r'entry; write other=\("w", \(0,\)\)$'),
        (lambda: array.slope("w", entry=0, of="w"), r"w has the shape \(2,\), but only one number"),
        (lambda: timeline.slope("a", other="a"), "other= names the same entry, a; name another"),
        (lambda: timeline.slope("a", theme="pink"), "unknown theme 'pink'"),
        (lambda: timeline.slope("a").save("x.pdf"), r"must be one of \['.png', '.svg'\]"),
    ):
        with pytest.raises(ValueError, match=said):
            call()


@pytest.mark.parametrize("name", [["a"], graphlab.tensor(2.0), None])
def test_a_leaf_is_given_as_a_tensor_or_by_its_name(name):
    a, w = graphlab.tensor(2.0, requires_grad=True), leaf(1.5, -0.8)
    with pytest.raises(TypeError, match=r"a tensor of this graph, or its name, slope\('a'\), got"):
        graphlab.trace(a * a).slope(name)
    h = a * w
    with graphlab.record() as recording:
        h.sum().backward(retain_graph=True)
    for timeline in (graphlab.trace(h.sum()), recording):
        assert timeline.slope(a) == timeline.slope("a")
        assert timeline.slope(w, entry=1) == timeline.slope("w", entry=1)
    timeline = graphlab.trace(h.sum())
    by_name = timeline.slope("w", entry=0, other=("w", 1))
    assert timeline.slope(w, entry=0, other=(w, 1)) == by_name
    assert timeline.slope(w, entry=0, other=a) == timeline.slope("w", entry=0, other="a")


def test_an_error_does_not_repeat_a_long_name():
    a = graphlab.tensor(2.0, requires_grad=True)
    with pytest.raises(ValueError, match="no tensor is named") as error:
        graphlab.trace(a * a).slope("x" * 10_000)
    assert len(str(error.value)) <= 1000


def test_a_graph_without_formulas_says_why():
    x = leaf(3.0)
    with pytest.raises(ValueError, match="Square"):
        graphlab.trace(Square.apply(x)).slope("x")


def test_a_recording_shows_its_real_steps():
    w = leaf(3.0)
    with graphlab.record() as timeline:
        for _ in range(4):
            w.grad = None
            loss = (w - 1) ** 2
            loss.backward()
            with graphlab.no_grad():
                w -= 0.25 * w.grad
    picture = timeline.slope("w")
    assert picture.dots == ((3.0, 4.0), (2.0, 1.0), (1.5, 0.25), (1.25, 0.0625))
    assert picture.text == "4 passes: w 3 → 1.25, loss 4 → 0.0625."
    with pytest.raises(ValueError, match="no leaf is named 'v'; the leaves are w"):
        timeline.slope("v")
    with pytest.raises(ValueError, match="leave out other="):
        timeline.slope("w", other="w")


def test_the_picture_is_a_whole_svg_that_escapes_names_and_has_no_ids(tmp_path):
    picture = lesson().slope("d", theme="dark")
    root = ElementTree.fromstring(picture.svg)
    assert root.tag.endswith("svg")
    assert root.find("{*}title") is not None
    assert not [one for one in root.iter() if "id" in one.attrib]
    assert picture.save(tmp_path / "slope.svg").read_text("utf-8") == picture.svg
    assert set(picture._repr_mimebundle_()) == {"text/html", "text/plain"}
    assert json.dumps(picture._repr_mimebundle_())


def test_the_picture_is_saved_as_png(tmp_path):
    pytest.importorskip("resvg_py")
    assert lesson().slope("d").save(tmp_path / "slope.png").read_bytes()[:4] == b"\x89PNG"


def test_borders_are_found_in_words():
    def where(f, low, high):
        def safe(x):
            try:
                return f(x)
            except (ValueError, ZeroDivisionError):
                return math.nan

        return undefined_where(sampled(safe, (low, high))[1], "d")

    assert where(math.log, -5.3, 25.0) == "not defined for d ≤ 0"
    assert where(lambda d: math.sqrt(1.5 - d), -1.0, 4.0) == "not defined for d > 1.5"
    assert where(lambda d: 1 / d, -1.0, 1.0) == "not defined at d = 0"
    assert where(lambda d: math.sqrt(d * d - 1), -2.1, 2.0) == "not defined here"
    assert where(math.exp, -2.0, 2.0) == ""
    assert undefined_where([Border(2.0, below=True, open=True)], "d") == "not defined for d ≥ 2"


def test_where_the_graph_would_be_another_one_the_picture_says_so():
    x = graphlab.tensor(2.0, requires_grad=True)
    y = 2 * x * x if x > 0 else -x
    walk = graphlab.trace(y)
    picture = walk.slope("x")
    assert picture.note == "another graph for x ≤ 0"
    assert picture.text == (
        "At x = 2: slope 8, the gradient that autograd finds. Where the curve ends: This was "
        "recorded with x > 0; at these values the program would take another branch."
    )
    scale = x.item()
    picture = graphlab.trace(scale * x).slope("x")  # known at 2 only
    assert picture.note == "another graph here"
    assert "comes from a number that the program read out of x" in picture.text
    assert picture.side == pytest.approx((0.0, 8.0), abs=1e-3)


def test_smooth_curves_have_no_kinks_however_they_bend():
    curves = (lambda x: x * x, math.exp, lambda x: abs(x) ** 1.5, lambda x: 1e6, math.sin)
    for f, x in itertools.product(curves, (0.0, 0.5, -3.0, 1e-6)):
        assert not one_sided(f, x).kink
    assert one_sided(lambda x: max(0.0, x - 2), 2.0).kink


def test_a_slope_that_grows_without_bound_is_infinite():
    inf = math.inf
    sides = one_sided(lambda x: math.sqrt(abs(x)), 0.0)
    assert (sides.left, sides.right, sides.kink) == (-inf, inf, True)
    assert one_sided(math.cbrt, 0.0).mean == inf
    assert one_sided(lambda x: math.sqrt(max(0.0, x)), 0.0).right == inf
    assert one_sided(lambda x: math.tanh(1e6 * x), 0.0).right < 1.01e6
    z = graphlab.tensor(0.0, requires_grad=True)
    text = graphlab.trace(graphlab.sqrt(graphlab.abs(z))).slope("z").text
    assert text == "At z = 0: a kink. Slope −∞ from the left, ∞ from the right; autograd uses nan."


def test_a_pole_does_not_flatten_the_rest():
    points, _ = sampled(lambda x: 1 / x if x else math.nan, (-1.01, 1.0))
    low, high = heights(points, [2.0])
    assert -30 < low < 2 < high < 30


def test_a_level_line_of_a_cone_is_a_circle():
    span = range(-20, 21)
    pieces = contour([[math.hypot(x, y) for x in span] for y in span], 10.0)
    assert len(pieces) > 50
    assert all(abs(math.hypot(x - 20, y - 20) - 10) < 0.1 for x, y, *_ in pieces)
    # over a saddle whose middle is above, the two corners below are cut off
    assert contour([[1, -1], [-1, 1.5]], 0) == [(0.5, 0, 1, 0.4), (0.4, 1, 0, 0.5)]


def test_the_slope_of_a_recording_says_which_leaves_its_curve_keeps() -> None:
    w, b, k = (graphlab.tensor(value, requires_grad=True) for value in (0.5, 1.0, 2.0))
    for moved, held in (([w], ""), ([w, b], "b"), ([w, b, k], "the other leaves")):
        with graphlab.record() as walk:
            for _ in range(3):
                loss = (w * k + b - 4) ** 2
                loss.backward()
                with graphlab.no_grad():
                    for one in moved:
                        one -= 0.01 * one.grad
        said = f" The curve keeps {held} as in the first pass."
        assert walk.slope("w").text.endswith(said) == bool(held)


def test_the_slope_of_a_recording_says_that_its_curve_keeps_what_was_drawn_or_read() -> None:
    m, data = graphlab.tensor(0.5, requires_grad=True), graphlab.arange(6.0)
    losses = {
        True: (
            lambda k: (m + graphlab.randn(()) - 1) ** 2,
            lambda k: ((m - data[2 * k : 2 * k + 2]) ** 2).sum(),
            lambda k: m ** (k + 1),
        ),
        False: (lambda k: ((m - data) ** 2).sum(), lambda k: m if k else m * m),
    }
    for kept, functions in losses.items():
        for loss in functions:
            with graphlab.record() as walk:
                for k in range(3):
                    loss(k).backward()
            said = " The curve keeps the random numbers and data as in the first pass."
            assert walk.slope("m").text.endswith(said) == kept

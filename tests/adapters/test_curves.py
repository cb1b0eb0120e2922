"""Curves over the passes of a recording: each pass has the value of its own moment.

Read next: js/test/curve.test.ts
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import graphlab
from graphlab.graph.timeline import Timeline


def descended(start: object, passes: int = 3) -> Timeline:
    w = graphlab.tensor(start, requires_grad=True)
    with graphlab.record() as timeline:
        for _ in range(passes):
            w.grad = None
            loss = (w * w).sum()
            loss.backward()
            with graphlab.no_grad():
                w -= 0.25 * w.grad
    return timeline


def test_the_loss_the_weight_and_its_gradient_are_those_of_each_pass():
    timeline = descended(4.0)
    assert timeline.curve("loss") == (16.0, 4.0, 1.0)
    assert timeline.curve("w") == (4.0, 2.0, 1.0)
    assert timeline.curve("w.grad") == (8.0, 4.0, 2.0)


@pytest.mark.parametrize("size", [3, 400])
def test_an_array_is_shown_by_its_norm_however_large_it_is(size: int):
    start = np.linspace(-1, 2, size).tolist()
    timeline = descended(start)
    expected = [np.linalg.norm(start) / 2**k for k in range(3)]
    rtol = 6e-5  # numbers have 5 digits
    np.testing.assert_allclose(timeline.curve("w"), expected, rtol)
    np.testing.assert_allclose(timeline.curve("w.grad"), [2 * one for one in expected], rtol)
    w = graphlab.tensor(start, requires_grad=True)
    np.testing.assert_allclose(graphlab.trace((w * w).sum()).curve("w"), expected[:1], rtol)


def test_a_leaf_that_each_pass_makes_anew_is_one_curve():
    w = graphlab.tensor(4.0, requires_grad=True)
    with graphlab.record() as timeline:
        for _ in range(3):
            loss = w * w
            loss.backward()
            w = (w - 0.25 * w.grad).detach().requires_grad_()
    assert timeline.curve("w") == (4.0, 2.0, 1.0)
    assert timeline.curve("w.grad") == (8.0, 4.0, 2.0)


def test_a_leaf_that_was_detached_after_its_use_is_shown():
    x = graphlab.tensor(4.0, requires_grad=True)
    loss = 3 * x
    x.detach_()
    with graphlab.record() as timeline:
        for _ in range(2):
            loss.backward(retain_graph=True)
    assert timeline.curve("loss") == (12.0, 12.0)
    assert timeline.replay is not None
    assert type(timeline).from_json(timeline.to_json()).curve("loss") == (12.0, 12.0)


def test_gradients_that_add_up_are_shown_as_the_sum_that_each_pass_leaves():
    w = graphlab.tensor(4.0, requires_grad=True)
    with graphlab.record() as timeline:
        for _ in range(3):
            loss = 3 * w
            loss.backward()
    assert timeline.curve("w.grad") == (3.0, 6.0, 9.0)


def test_passes_with_other_roots_have_no_value():
    a, b = (graphlab.tensor(value, requires_grad=True) for value in (2.0, 3.0))
    with graphlab.record() as timeline:
        for _ in range(2):
            first = a * a
            first.backward()
            second = b * b
            second.backward()
    np.testing.assert_equal(timeline.curve("first"), (4.0, math.nan, 4.0, math.nan))
    np.testing.assert_equal(timeline.curve("b"), (math.nan, 3.0, math.nan, 3.0))
    np.testing.assert_equal(timeline.curve("b.grad"), (math.nan, 6.0, math.nan, 12.0))


def test_a_gradient_that_is_returned_counts_and_one_that_is_not_a_number_is_nan():
    w = graphlab.tensor(1.0, requires_grad=True)
    with graphlab.record() as timeline:
        for _ in range(3):
            loss = graphlab.log(w)
            (grad,) = graphlab.autograd.grad(loss, w)
            with graphlab.no_grad():
                w -= grad
    np.testing.assert_equal(timeline.curve("loss"), (0.0, -math.inf, math.nan))
    np.testing.assert_equal(timeline.curve("w.grad"), (1.0, math.inf, -0.0))


def test_a_rehearsal_is_one_pass_and_a_change_before_the_first_pass_is_none():
    w = graphlab.tensor(4.0, requires_grad=True)
    assert graphlab.trace(w * w).curve("w.grad") == (8.0,)
    with graphlab.record() as timeline:
        with graphlab.no_grad():
            w -= 1.0
        (w * w).backward()
    assert timeline.curve("w") == (3.0,)


def test_curves_survive_json():
    timeline = descended([1.0, 2.0])
    again = Timeline.from_json(timeline.to_json())
    assert again.curve("w.grad") == timeline.curve("w.grad")


def test_an_unknown_curve_lists_those_that_there_are():
    with pytest.raises(ValueError, match=r"unknown curve 'v' \(must be one of \['loss', 'w', 'w"):
        descended(4.0).curve("v")
    with graphlab.record() as empty:
        pass
    with pytest.raises(ValueError, match=r"unknown curve 'loss' \(nothing was recorded\)"):
        empty.curve("loss")


def test_a_recording_of_many_passes_is_not_drawn_for_its_curve():
    timeline = descended(4.0, passes=20)
    assert len(timeline.curve("loss")) == 20
    assert "scenes" not in vars(timeline)

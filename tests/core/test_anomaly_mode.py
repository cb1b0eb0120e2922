"""Anomaly mode: it finds the node that made the NaN, and names the user's line behind it.

Read next: tests/core/test_grad_mode.py
"""

from __future__ import annotations

import gc
import warnings
import weakref

import pytest

import graphlab
from graphlab.autograd.grad_mode import unusual
from graphlab.autograd.hooks import LivingHooks
from tests.core.test_engine import no_collector

ENABLED = "Anomaly Detection has been enabled"


def leaf(value=2.0, **how):
    return graphlab.tensor(value, requires_grad=True, **how)


@pytest.fixture(autouse=True)
def _off_again():
    yield
    graphlab.autograd.set_detect_anomaly(False)
    assert not unusual


def failing(call):
    """The error of a call, and the warnings about anomalies that it gave."""
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        with pytest.raises((RuntimeError, ValueError, TypeError)) as error:
            call()
    return str(error.value), [w for w in given if ENABLED not in str(w.message)]


def test_a_nan_stops_the_pass_at_the_node_that_made_it_with_the_line_behind_it():
    x = leaf(-1.0)

    def call():
        with graphlab.autograd.detect_anomaly():
            root = x.sqrt()
            (root * 0).backward()

    message, (warning,) = failing(call)
    assert message == "Function 'SqrtBackward0' returned nan values in its 0th output."
    text = str(warning.message)
    assert text.startswith(
        "Error detected in SqrtBackward0. Traceback of forward call that caused the error:\n"
    )
    assert text.splitlines()[-1].strip() == "root = x.sqrt()"
    assert f'File "{__file__}"' in text
    assert "graphlab/autograd" not in text  # our own calls say nothing
    assert warning.filename == __file__
    assert x.grad is None


def test_without_a_look_for_nan_the_pass_goes_on():
    x = leaf(-1.0)
    with (
        pytest.warns(UserWarning, match=ENABLED),
        graphlab.autograd.detect_anomaly(check_nan=False),
    ):
        (x.sqrt() * 0).backward()
    assert x.grad.isnan()


def test_a_graph_made_outside_the_mode_has_no_traceback_to_show():
    y = leaf(-1.0).sqrt() * 0

    def call():
        with graphlab.autograd.set_detect_anomaly(True):
            y.backward()

    message, (warning,) = failing(call)
    assert "SqrtBackward0" in message
    assert str(warning.message) == (
        "Error detected in SqrtBackward0. No forward pass information available. Enable detect "
        "anomaly during forward pass for more information."
    )


def test_of_a_second_derivative_every_pass_that_led_there_is_told():
    def call():
        graphlab.autograd.set_detect_anomaly(True)
        z = leaf(0.0)
        y = z**1.5
        (first,) = graphlab.autograd.grad(y, z, create_graph=True)
        (second,) = graphlab.autograd.grad(first, z, create_graph=True)
        (second * 0).backward()

    message, given = failing(call)
    assert message == "Function 'PowBackward0' returned nan values in its 0th output."
    starts = [str(w.message).strip().splitlines()[0].split(". ")[0] for w in given]
    lines = [str(w.message).splitlines()[-1].strip() for w in given]
    assert starts == [
        "Error detected in PowBackward0",
        "Previous calculation was induced by PowBackward0",
        "Previous calculation was induced by PowBackward0",
    ]
    assert lines == [
        "(second,) = graphlab.autograd.grad(first, z, create_graph=True)",
        "(first,) = graphlab.autograd.grad(y, z, create_graph=True)",
        "y = z**1.5",
    ]


def test_any_error_of_a_node_is_told_with_its_line_and_comes_through():
    class Fails(graphlab.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            raise ValueError("mine")

    def call():
        with graphlab.autograd.set_detect_anomaly(True):
            y = Fails.apply(leaf())
            y.backward()

    message, (warning,) = failing(call)
    assert message == "mine"
    assert "Error detected in FailsBackward." in str(warning.message)
    assert str(warning.message).splitlines()[-1].strip() == "y = Fails.apply(leaf())"


def test_an_error_in_a_hook_of_a_leaf_is_told_of_its_accumulate_grad():
    def call():
        with graphlab.autograd.set_detect_anomaly(True):
            x = leaf()
            y = x * 2
            x.register_hook(lambda g: 3)
            y.backward()

    message, (warning,) = failing(call)
    assert message == "expected Variable, but hook returned 'int'"
    text = str(warning.message)
    assert text.startswith("Error detected in torch::autograd::AccumulateGrad.")
    assert text.splitlines()[-1].strip() == "y = x * 2"


def test_a_change_in_place_is_told_with_the_other_hint():
    def call():
        with graphlab.autograd.set_detect_anomaly(True):
            y = leaf([1.0, 2.0]).exp()
            y += 1
            y.sum().backward()

    message, (warning,) = failing(call)
    assert message.endswith(
        "Hint: the backtrace further above shows the operation that failed to compute its "
        "gradient. The variable in question was changed in there or anywhere later. Good luck!"
    )
    assert str(warning.message).splitlines()[-1].strip().startswith("y = leaf([1.0, 2.0]).exp()")


def test_a_node_shows_its_traceback_and_what_induced_it():
    x = leaf()
    with graphlab.autograd.set_detect_anomaly(True):
        y = x**3
        (first,) = graphlab.autograd.grad(y, x, create_graph=True)
    assert y.grad_fn.metadata["traceback_"][-1].endswith("y = x**3\n")
    assert "parent_" not in y.grad_fn.metadata
    assert first.grad_fn.metadata["parent_"] is y.grad_fn
    assert (x * 2).grad_fn.metadata == {}


def test_the_mode_is_put_back_as_it_was():
    modes = graphlab.is_anomaly_enabled, graphlab.is_anomaly_check_nan_enabled
    with graphlab.autograd.set_detect_anomaly(True, check_nan=False):
        assert [mode() for mode in modes] == [True, False]
        with graphlab.autograd.set_detect_anomaly(False):
            assert [mode() for mode in modes] == [False, True]
        assert [mode() for mode in modes] == [True, False]
    assert [mode() for mode in modes] == [False, True]
    graphlab.autograd.set_detect_anomaly(True)
    assert graphlab.is_anomaly_enabled()


def test_the_mode_works_under_no_grad_and_is_in_force_when_recording_again():
    x = leaf()
    with graphlab.no_grad():
        graphlab.autograd.set_detect_anomaly(True)
        _ = x * 2
    assert "traceback_" in (x * 2).grad_fn.metadata


def test_with_the_mode_on_results_are_the_same_and_graphs_are_freed_at_once():
    def build():
        x = leaf([1.0, 2.0])
        y = (x.exp() * x).sum()
        y.backward(retain_graph=True)
        return x.grad.tolist(), weakref.ref(y), weakref.ref(y.grad_fn)

    plain, _, _ = build()
    gc.collect()
    before = LivingHooks.count
    with graphlab.autograd.set_detect_anomaly(True):
        build()
        with no_collector():
            grads, tensor, node = build()
            assert (tensor(), node()) == (None, None)
            assert gc.collect() == 0
    assert grads == plain
    assert LivingHooks.count == before

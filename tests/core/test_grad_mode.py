"""no_grad, enable_grad, set_grad_enabled: inside, outside, as decorators, in threads.

Read next: tests/core/test_edges.py
"""

from __future__ import annotations

import inspect
import sys
import threading

import pytest

import graphlab
from graphlab import enable_grad, is_grad_enabled, no_grad, set_grad_enabled


def records():
    x = graphlab.tensor(2.0, requires_grad=True)
    assert (x * x).requires_grad == is_grad_enabled()
    return is_grad_enabled()


@pytest.fixture(autouse=True)
def _on_again():
    assert is_grad_enabled()
    yield
    set_grad_enabled(True)


def test_each_mode_holds_inside_and_the_one_before_holds_again():
    with no_grad():
        assert not records()
        with enable_grad():
            assert records()
            with set_grad_enabled(False):
                assert not records()
            assert records()
        assert not records()
    assert records()


def test_one_context_can_be_entered_again_inside_itself():
    mode = no_grad()
    with mode:
        with mode:
            assert not records()
        assert not records()
    assert records()


def test_an_error_inside_puts_the_mode_back():
    with pytest.raises(ZeroDivisionError), no_grad():
        _ = 1 / 0
    assert records()


@pytest.mark.parametrize("way", ["no_grad", "no_grad()", "set_grad_enabled(False)"])
def test_a_function_is_decorated_with_and_without_parentheses(way):
    @eval(way)
    def inside(x, y=1):
        """Say so."""
        return records(), x, y

    assert is_grad_enabled()
    assert inside(3, y=4) == (False, 3, 4)
    assert inside.__doc__ == "Say so."
    assert is_grad_enabled()


def test_a_method_and_a_recursive_function_can_be_decorated():
    class Model:
        @no_grad()
        def predict(self, n):
            return [records(), *(self.predict(n - 1) if n else [])]

    assert Model().predict(2) == [False] * 3
    assert records()


def test_a_generator_runs_in_the_mode_and_its_caller_does_not():
    @no_grad()
    def numbers():
        seen = [records()]
        try:
            seen.append((yield 1, records()))
            yield 2
        except KeyError:
            seen.append(records())
            yield 3
        return seen

    generator = numbers()
    assert inspect.isgeneratorfunction(numbers)
    assert next(generator) == (1, False)
    assert records()
    assert generator.send("hello") == 2
    assert records()
    assert generator.throw(KeyError()) == 3
    assert records()
    with pytest.raises(StopIteration) as end:
        next(generator)
    assert end.value.value == [False, "hello", False]


def test_a_generator_that_is_closed_cleans_up_in_the_mode():
    seen = []

    @no_grad()
    def numbers():
        try:
            yield 1
        finally:
            seen.append(records())

    generator = numbers()
    next(generator)
    generator.close()
    assert seen == [False]
    assert records()


def test_a_class_can_still_be_decorated_with_a_warning():
    with pytest.warns(FutureWarning, match="^Decorating classes is deprecated"):

        @no_grad()
        class Thing:
            def __init__(self):
                self.recorded = records()

    assert not Thing().recorded


def test_set_grad_enabled_works_at_once_and_says_what_it_is():
    mode = set_grad_enabled(False)
    assert not records()
    assert repr(mode) == "torch.autograd.grad_mode.set_grad_enabled(mode=False)"
    with set_grad_enabled(True):
        assert records()
    assert not records()


@pytest.mark.parametrize("mode", [1, "a", None])
def test_a_mode_is_a_bool(mode):
    with pytest.raises(TypeError, match="argument 'enabled'"):
        set_grad_enabled(mode)
    assert records()


def test_a_mode_is_that_of_one_thread():
    seen = []
    with no_grad():
        thread = threading.Thread(target=lambda: seen.append(records()))
        thread.start()
        thread.join()
    assert seen == [True]


def test_the_modes_are_found_where_pytorch_has_them():
    for name in ("no_grad", "enable_grad", "set_grad_enabled"):
        found = getattr(graphlab, name)
        assert getattr(graphlab.autograd, name) is found
        assert getattr(graphlab.autograd.grad_mode, name) is found


# -- Variable ----------------------------------------------------------------------------------


def test_every_tensor_is_a_variable_and_wrapping_one_shares_its_memory():
    x = graphlab.ones(2)
    v = graphlab.autograd.Variable(x, requires_grad=True)
    assert isinstance(x, graphlab.autograd.Variable)
    assert not isinstance(3, graphlab.autograd.Variable)
    assert v is not x
    assert v.requires_grad
    assert not x.requires_grad
    x.zero_()
    assert v.tolist() == [0, 0]
    assert graphlab.autograd.Variable().numel() == 0


def test_old_ways_of_making_a_variable_say_what_to_do():
    with pytest.raises(RuntimeError, match=r"use torch.tensor\(...\) instead"):
        graphlab.autograd.variable(3)
    with pytest.raises(TypeError, match="Variable data has to be a tensor, but got int"):
        graphlab.autograd.Variable(3)
    with pytest.warns(UserWarning, match="volatile was removed"):
        graphlab.autograd.Variable(graphlab.ones(1), volatile=True)


@pytest.mark.parametrize("run", [lambda x, w: x + w, lambda x, w: x @ w, lambda x, w: w.exp()])
def test_an_operation_that_is_not_recorded_takes_few_calls(run):
    x, w = graphlab.ones(3, 3), graphlab.ones(3, 3, requires_grad=True)
    calls = []
    with no_grad():
        run(x, w)
        sys.setprofile(lambda frame, event, what: calls.append(event) if event == "call" else None)
        try:
            result = run(x, w)
        finally:
            sys.setprofile(None)
    assert not result.requires_grad
    assert len(calls) < 15  # with the general way, 16 to 18

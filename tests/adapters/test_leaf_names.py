"""A leaf that no variable holds is called as the code calls it, in pictures and in a check.

Read next: graphlab/adapters/native/result_names.py
"""

from __future__ import annotations

import pytest

import graphlab


def leaf(value=2.0):
    return graphlab.tensor(value, requires_grad=True)


def drawn(timeline):
    return [one.label for one in timeline.graph.tensors if one.is_leaf and one.requires_grad]


def checked(report):
    return [row.name for row in report.rows]


def test_a_leaf_whose_variable_was_used_again_has_a_zero():
    x, y = leaf(2.0), leaf(3.0)
    x = x * y
    x = graphlab.sin(x)
    assert drawn(graphlab.trace(x)) == checked(graphlab.check(x)) == ["y", "x₀"]
    assert str(graphlab.formula(x)) == "sin(x₀*y)"


def test_so_has_the_start_of_a_loop():
    w = leaf(1.0)
    for k in range(3):
        w = w * 2 + k
    assert drawn(graphlab.trace(w)) == checked(graphlab.check(w)) == ["w₀"]


def test_a_leaf_of_a_function_is_called_as_the_function_calls_it():
    def product(a, b):
        return a * b.exp()

    y = product(leaf(2.0), leaf(1.0))
    assert drawn(graphlab.trace(y)) == checked(graphlab.check(y)) == ["b", "a"]


def test_the_code_names_no_tensor_twice():
    def sum_of(a, b):
        return a + b

    y = sum_of(leaf(1.0), leaf(2.0)) * sum_of(leaf(3.0), leaf(4.0))
    found = drawn(graphlab.trace(y))
    assert len(set(found)) == 4
    assert checked(graphlab.check(y)) == found


def test_a_leaf_that_the_code_does_not_name_is_a_leaf():
    y = leaf(2.0) * leaf(3.0)
    assert drawn(graphlab.trace(y)) == ["leaf", "leaf 2"]
    assert checked(graphlab.check(y)) == ["x1", "x2"]


def test_names_inside_functions_do_not_tell_leaves_apart_in_a_comparison():
    def mine():
        w, b = leaf(2.0), leaf(3.0)
        return w * 1.5 + b

    def solution():
        b, w = leaf(2.0), leaf(3.0)
        return b * 1.5 + w

    assert list(graphlab.compare(mine(), solution())) == []


def leaf_names(result):
    tensors = graphlab.draw(result).graph.tensors
    return [one.name for one in tensors if one.is_leaf and one.requires_grad]


def scaled(how):
    k, h, n = graphlab.tensor(2.0, requires_grad=True), 0.5, 3
    if how == "left":
        return h * k
    if how == "right":
        return k * h
    return n + 0.1 * k


@pytest.mark.parametrize("how", ["left", "right", "literal"])
def test_a_leaf_beside_a_number_has_its_own_name(how):
    assert leaf_names(scaled(how)) == ["k"]


def test_an_argument_beside_a_leaf_gives_it_no_name():
    def times(s):
        c = graphlab.tensor(2.0, requires_grad=True)
        return s * c + 1

    assert leaf_names(times(3.0)) == ["c"]


@pytest.mark.parametrize("turns", [1, 2, 5])
def test_a_leaf_that_every_turn_of_a_loop_uses_has_no_number(turns):
    def newton():
        a, x = graphlab.tensor(2.0, requires_grad=True), graphlab.tensor(1.0)
        for _ in range(turns):
            x = (x + a / x) / 2
        return x

    def horner():
        c, s = graphlab.tensor(2.0, requires_grad=True), 0
        for _ in range(turns + 1):
            s = s * c + 1
        return s

    assert leaf_names(newton()) == ["a"]
    assert leaf_names(horner()) == ["c"]

"""A Value says on one line what an array is, and holds none of it."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

from graphlab.graph.value import LONGEST_TEXT, summarise


@pytest.mark.parametrize(
    ("array", "text"),
    [
        (5.0, "5.0"),
        (np.float32(2.302585), "2.3026"),
        (np.array([[7.0]]), "7.0"),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (1e-12, "1e-12"),
        (1e10, "1e+10"),
        (-0.0, "-0.0"),
        (True, "True"),
        (np.bool_(False), "False"),
        (3, "3"),
        (np.int64(-3), "-3"),
        (1 + 2j, "1+2j"),
        (np.array([1.0, 2.0]), "[1.0, 2.0]"),
        (np.array([], np.float32), "[]"),
        (np.zeros((0, 3), np.float32), "0×3 float32"),
        (np.zeros((3, 4), np.float32), "3×4 float32"),
        (np.zeros((2, 3, 4, 5), np.int64), "2×3×4×5 int64"),
        (np.full(3, 1.23456789e-100), "3 float64"),
    ],
)
def test_one_line_says_what_an_array_is(array: object, text: str) -> None:
    assert summarise(array).text == text


def test_no_text_is_longer_than_a_card_can_hold() -> None:
    for array in (10**40, np.zeros((0, *(10,) * 12), np.int8), np.ones((1000, 2000, 1, 1, 1))[:2]):
        assert len(summarise(array).text) <= LONGEST_TEXT


def test_a_single_element_has_no_rows_because_the_text_says_it_all() -> None:
    assert summarise(np.array([5.0])).rows == ()


def test_a_vector_is_one_row_of_at_most_five_entries() -> None:
    assert summarise(np.arange(9)).rows == (("0", "1", "2", "3", "4"),)


def test_beyond_two_dimensions_the_corner_is_that_of_the_first_matrix() -> None:
    array = np.arange(2 * 6 * 7).reshape(2, 6, 7)
    rows = summarise(array).rows
    assert len(rows) == 5
    assert rows[1] == ("7", "8", "9", "10", "11")


def test_an_empty_array_has_no_rows() -> None:
    assert summarise(np.zeros((3, 0, 2))).rows == ()


def test_a_value_keeps_no_array_alive() -> None:
    array = np.zeros((1000, 1000))
    watch = weakref.ref(array)
    value = summarise(array)
    del array
    gc.collect()
    assert watch() is None
    assert value.nbytes == 8_000_000

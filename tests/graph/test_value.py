"""A Value says on one line what an array is, and holds none of it."""

from __future__ import annotations

import gc
import math
import weakref

import hypothesis.extra.numpy as npst
import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from graphlab.graph.array_sample import WHOLE, measure, sample
from graphlab.graph.codec import decode, encode
from graphlab.graph.value import LONGEST_TEXT, Value, summarise
from tests.graph.example import ARRAYS, values_text


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
        (np.zeros((0, 3), np.float32), "(0, 3) float32"),
        (np.zeros((3, 4), np.float32), "(3, 4) float32"),
        (np.zeros((2, 3, 4, 5), np.int64), "(2, 3, 4, 5) int64"),
        (np.full(3, 1.23456789e-100), "(3,) float64"),
    ],
)
def test_one_line_says_what_an_array_is(array: object, text: str) -> None:
    assert summarise(array).text == text


def test_what_is_written_when_it_is_read_is_what_was_seen() -> None:
    array = np.arange(6.0)
    value = summarise(array)
    array[:] = -1
    assert value.entries == "0.0 1.0 2.0 3.0 4.0 5.0"
    assert value == summarise(np.arange(6.0))
    assert value.statistics is not None
    assert value.statistics.high == "5.0"
    with pytest.raises(AttributeError, match="no attribute 'size'"):
        _ = value.size


def test_a_glimpse_is_summarised_once() -> None:
    for array in (np.arange(300), np.arange(3), np.array(2.0), np.zeros(0)):
        seen = sample(array)
        assert summarise(seen) is summarise(seen)
        assert summarise(seen) == summarise(array)


def test_no_text_is_longer_than_a_card_can_hold() -> None:
    for array in (10**40, np.zeros((0, *(10,) * 12), np.int8), np.ones((1000, 2000, 1, 1, 1))[:2]):
        assert len(summarise(array).text) <= LONGEST_TEXT


def test_a_single_element_has_no_entries_because_the_text_says_it_all() -> None:
    assert summarise(np.array([5.0])).entries == ""
    assert summarise(np.array([5.0])).rows == ()


def test_of_a_vector_the_rows_are_one_row_of_at_most_five_entries() -> None:
    assert summarise(np.arange(9)).rows == (("0", "1", "2", "3", "4"),)
    assert summarise(np.arange(9)).entries == "0 1 2 3 4 5 6 7 8"


def test_a_small_array_is_kept_whole_and_a_large_one_by_its_corner() -> None:
    small, large = summarise(np.zeros((10, 20))), summarise(np.zeros((10, 21)))
    assert (small.kept, len(small.entries.split())) == ((), 200)
    assert (large.kept, len(large.entries.split())) == ((5, 5), 25)


@pytest.mark.parametrize(
    ("shape", "kept"),
    [
        ((300,), (5,)),
        ((2, 300), (2, 5)),
        ((300, 2), (5, 2)),
        ((64, 3, 5, 5), (2, 3, 5, 5)),
        ((64, 16, 3, 3), (1, 8, 3, 3)),
        ((2, 2, 2, 2, 30, 30), (1, 2, 2, 2, 5, 5)),
        ((1, 1, 201), (1, 1, 5)),
    ],
)
def test_of_more_dimensions_the_first_slices_are_kept(
    shape: tuple[int, ...], kept: tuple[int, ...]
) -> None:
    array = np.arange(math.prod(shape)).reshape(shape)
    value = summarise(array)
    assert value.kept == kept
    block = array[tuple(slice(length) for length in kept)]
    assert value.entries == " ".join(map(str, block.reshape(-1)))


def test_beyond_two_dimensions_the_rows_are_those_of_the_first_matrix() -> None:
    array = np.arange(2 * 6 * 7).reshape(2, 6, 7)
    rows = summarise(array).rows
    assert len(rows) == 5
    assert rows[1] == ("7", "8", "9", "10", "11")


def test_an_empty_array_has_no_entries() -> None:
    value = summarise(np.zeros((3, 0, 2)))
    assert (value.rows, value.entries, value.statistics) == ((), "", None)


def test_nan_and_inf_are_counted_and_left_out_of_the_statistics() -> None:
    array = np.arange(-2.0, 8.0)
    array[[3, 4, 5, 6]] = [np.nan, np.inf, -np.inf, np.inf]
    value = summarise(array).statistics
    assert value is not None
    assert (value.nan, value.pos_inf, value.neg_inf) == (1, 2, 1)
    assert (value.low, value.high, value.zeros) == ("-2.0", "7.0", 1)


def test_an_array_of_nothing_but_nan_says_so() -> None:
    value = summarise(np.full((30, 10), np.nan, np.float16)).statistics
    assert value is not None
    assert (value.nan, value.mean, value.low) == (300, "nan", "nan")


def test_a_mask_counts_what_is_false() -> None:
    value = summarise(np.array([[True, False, True], [False, False, True]]))
    assert value.entries == "True False True False False True"
    assert value.statistics is not None
    assert (value.statistics.low, value.statistics.high, value.statistics.zeros) == (
        "False",
        "True",
        3,
    )


def test_what_has_no_order_has_no_statistics() -> None:
    assert summarise(np.ones(3) + 1j).statistics is None


def test_numbers_that_overflow_their_squares_have_a_mean_all_the_same() -> None:
    with np.errstate(all="raise"):
        value = measure(np.array([1e30, 3e30] * 200, np.float32))
    assert value is not None
    assert value.mean == pytest.approx(2e30, rel=1e-6)  # float32
    assert value.std == pytest.approx(1e30, rel=2e-3)  # n - 1


arrays = npst.arrays(
    st.sampled_from([np.float16, np.float32, np.float64, np.int64, np.uint8, np.bool_]),
    npst.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=7),
)


@given(arrays)
def test_statistics_are_those_of_numpy(array: np.ndarray) -> None:
    found = measure(array)
    if array.size == 0:
        assert found is None
        return
    assert found is not None
    wide = array.astype(np.float64)
    good = wide[np.isfinite(wide)]
    assert (found.nan, found.pos_inf) == (np.isnan(wide).sum(), (wide == np.inf).sum())
    assert found.zeros == (wide == 0).sum()
    if good.size:
        largest = max(abs(good.min()), abs(good.max()), 1e-300)
        assert (found.low, found.high) == (good.min(), good.max())
        # the sums are taken in the array's own precision
        precise = 1e-4 if array.dtype in (np.float16, np.float32) else 1e-9
        assert found.mean / largest == pytest.approx((good / largest).mean(), abs=precise)
        if good.size > 1:
            assert found.std / largest == pytest.approx((good / largest).std(ddof=1), abs=2e-3)


@given(arrays)
def test_a_value_is_bounded_whatever_the_array(array: np.ndarray) -> None:
    value = summarise(array)
    assert len(value.text) <= LONGEST_TEXT
    assert len(value.entries) <= WHOLE * (LONGEST_TEXT + 1)
    assert len(value.entries.split()) == (
        math.prod(value.kept or array.shape) if array.size > 1 else 0
    )
    assert decode(Value, encode(value), "value") == value


def test_a_value_keeps_no_array_alive() -> None:
    array = np.zeros((1000, 1000))
    watch = weakref.ref(array)
    value, seen = summarise(array), sample(array)
    del array
    gc.collect()
    assert watch() is None
    assert value.nbytes == seen.nbytes == 8_000_000
    assert seen.corner.nbytes == 200


def test_the_values_that_typescript_shows_are_current() -> None:
    # rewritten by: python -m tests.graph.example --update
    assert ARRAYS.read_text(encoding="utf-8") == values_text()

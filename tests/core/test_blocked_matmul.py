"""Products that are cut into blocks of rows are the products.

Read next: graphlab/primitives/numpy_reading/matrices.py
"""

from __future__ import annotations

import numpy as np
import pytest

from graphlab.primitives.numpy_reading import matrices

SHAPES = [(64, 784, 128), (128, 64, 784), (36, 300, 120), (48, 1000, 64), (63, 784, 128)]


def matrix(rng, n, m, turned):
    x = rng.standard_normal((m, n) if turned else (n, m)).astype(np.float32)
    return x.T if turned else x


@pytest.fixture
def cutting(monkeypatch):
    monkeypatch.setattr(matrices, "blocking_pays", lambda: True)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("turned", [(False, False), (False, True), (True, False), (True, True)])
def test_a_product_in_panels_is_the_product(shape, turned, cutting):
    rng, (n, k, m) = np.random.default_rng(0), shape
    x, y = matrix(rng, n, k, turned[0]), matrix(rng, k, m, turned[1])
    found = matrices.product(x, y)
    exact = x.astype(np.float64) @ y.astype(np.float64)
    assert found.dtype == np.float32
    assert found.flags.c_contiguous
    assert found.base is None
    assert np.abs(found - exact).max() < 1e-3  # float32, up to 1,000 products of size 1


def test_every_other_entry_of_a_matrix_is_multiplied_as_well(cutting):
    rng = np.random.default_rng(0)
    x, y = matrix(rng, 128, 1568, False)[::2, ::2], matrix(rng, 784, 256, False)[:, ::2]
    assert np.abs(matrices.product(x, y) - x.astype("f8") @ y.astype("f8")).max() < 1e-3


def test_what_is_no_pair_of_matrices_is_left_to_numpy(cutting):
    rng = np.random.default_rng(0)
    batch, y = rng.standard_normal((3, 64, 784)), rng.standard_normal((784, 128))
    assert np.array_equal(matrices.product(batch, y), batch @ y)
    assert np.array_equal(matrices.product(y.T, batch[0].T), y.T @ batch[0].T)  # float64
    with pytest.raises(ValueError, match="mismatch"):
        matrices.product(y.astype("f4"), y.astype("f4"))


def test_small_products_are_not_cut():
    x, y = np.ones((100, 100), np.float32), np.ones((100, 100), np.float32)
    assert matrices.rows_of_a_block(x, y) == 0


@pytest.mark.parametrize(
    ("told", "one"),
    [
        ({"OPENBLAS_NUM_THREADS": "1"}, True),
        ({"OMP_NUM_THREADS": "1"}, True),
        ({"OPENBLAS_NUM_THREADS": "4", "OMP_NUM_THREADS": "1"}, False),
        ({"OPENBLAS_NUM_THREADS": "0", "OMP_NUM_THREADS": "1"}, True),
        ({"OMP_NUM_THREADS": "two"}, False),
        ({}, False),
    ],
)
def test_the_threads_of_blas_are_those_it_was_told_to_have(told, one, monkeypatch):
    for name in matrices.THREADS:
        monkeypatch.delenv(name, raising=False)
    for name, value in told.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(matrices.os, "cpu_count", lambda: 2)
    assert matrices.one_thread() is one


def test_with_one_processor_blas_has_one_thread(monkeypatch):
    for name in matrices.THREADS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(matrices.os, "cpu_count", lambda: 1)
    assert matrices.one_thread()


def test_another_numpy_that_does_not_say_what_it_has_cuts_nothing(monkeypatch):
    matrices.blocking_pays.cache_clear()
    monkeypatch.setattr(matrices.np.__config__, "CONFIG", {})
    try:
        assert matrices.blocking_pays() is False
    finally:
        matrices.blocking_pays.cache_clear()

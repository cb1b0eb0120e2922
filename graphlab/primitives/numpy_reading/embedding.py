"""Rows of a table: which ones an index uses, and how they fall into bags.

Read next: ops/embedding.py
"""

from typing import Any

import numpy as np

from graphlab.primitives.numpy_reading.elementary import Data


def used_rows(indices: np.ndarray, padding_idx: int) -> tuple[np.ndarray, np.ndarray]:
    """The flat positions of `indices` that are not the padding, and the rows that they name.

    >>> used_rows(np.array([2, 0, 2, 1]), 2)
    (array([1, 3]), array([0, 1]))
    """
    flat = np.reshape(indices, -1)
    places = np.flatnonzero(flat != padding_idx)
    return places, flat[places]


def shares(rows: np.ndarray) -> np.ndarray:
    """1 / (how often the row occurs), for each row.

    >>> shares(np.array([2, 0, 2]))
    array([0.5, 1. , 0.5])
    """
    _, which, counts = np.unique(rows, return_inverse=True, return_counts=True)
    return 1 / counts[which]


def bags_of(indices: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """The bag of each index; `offsets` holds the position at which each bag begins.

    >>> bags_of(np.array([7, 8, 9]), np.array([0, 1, 1]))
    array([0, 2, 2])
    """
    return np.searchsorted(offsets, np.arange(len(indices)), side="right") - 1


def bag_counts(bags: np.ndarray, n: int) -> np.ndarray:
    """The number of indices in each of n bags.

    >>> bag_counts(np.array([0, 2, 2]), 3)
    array([1, 0, 2])
    """
    return np.bincount(bags, minlength=n)


def largest_in_bags(weight: Data, rows: np.ndarray, bags: np.ndarray, n: int) -> np.ndarray:
    """For each bag and each column, the row with the largest entry; 0 for an empty bag. -> (n, E).

    >>> largest_in_bags(np.array([[1.0, 5.0], [2.0, 3.0]]), np.array([0, 1]), np.array([0, 0]), 1)
    array([[1, 0]])
    """
    found = np.zeros((n, weight.shape[1]), np.int64)
    for bag in range(n):
        own: Any = rows[bags == bag]
        if len(own):
            found[bag] = own[np.argmax(weight[own], axis=0)]
    return found

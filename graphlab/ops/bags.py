"""The words of bags: rows of a table in groups, of each of which one row is made.

Read next: ops/lookup.py
"""

from typing import Any

import numpy as np

from graphlab.ops.vocabulary import Data

WORDS = ("bags_of", "bag_counts", "largest_in_bags")


def bags_of(indices: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """In which bag each index is; `offsets` says where each bag begins.

    >>> bags_of(np.array([7, 8, 9]), np.array([0, 1, 1]))
    array([0, 2, 2])
    """
    return np.searchsorted(offsets, np.arange(len(indices)), side="right") - 1


def bag_counts(bags: np.ndarray, n: int) -> np.ndarray:
    """How many are in each of n bags.

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

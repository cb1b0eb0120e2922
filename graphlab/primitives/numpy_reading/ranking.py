"""Indices by rank: the largest, the median, the k-th, the most frequent, the largest so far.

Each returns indices along `dim`, which keeps its dimension with size 1; running indices keep its
size. Of equal entries, those are named that PyTorch's unstable sorts put first.

Read next: ops/ranking.py
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from graphlab.primitives.numpy_reading.elementary import Data
from graphlab.primitives.numpy_reading.scatter_gather import slice_


def argmax(x: Data, dim: int, keepdim: bool = False) -> Data:
    """The index of the largest entry along `dim`; the first of those that tie."""
    return np.argmax(x, axis=dim if x.ndim else None, keepdims=keepdim)


def argmin(x: Data, dim: int, keepdim: bool = False) -> Data:
    """The index of the smallest entry along `dim`; the first of those that tie."""
    return np.argmin(x, axis=dim if x.ndim else None, keepdims=keepdim)


def argsort(x: Data, dim: int, descending: bool = False, stable: bool = True) -> Data:
    """The places of the entries along `dim`, the smallest first; stable: ties keep their order."""
    if x.ndim == 0:
        return np.int64(0)
    if descending:
        behind = np.flip(np.argsort(np.flip(x, dim), dim, stable=True), dim)
        order = x.shape[dim] - 1 - behind  # from the back twice: ties keep their order here too
    else:
        order = np.argsort(x, dim, stable=True)
    if stable or x.shape[dim] <= FEW:
        return order
    before = falling if descending else rising
    return reordered(x, order, dim, lambda row: sorted_places(row, before))


def top_places(x: Data, dim: int, k: int, largest: bool = True) -> Data:
    """The places of the `k` largest or smallest entries along `dim`, in order."""
    if x.ndim == 0:
        return np.int64(0)
    if type(x) is np.ndarray and x.ndim == 1 and k and x.size > MANY:
        at = -k if largest else k - 1
        last = np.partition(x, at)[at]
        places = np.flatnonzero(~(x < last if largest else x > last))  # only these are sorted
        return places[argsort(x[places], 0, largest)[:k]]
    order = slice_(argsort(x, dim, largest), dim, 0, k, 1)
    before = falling if largest else rising
    return reordered(x, order, dim, lambda row: leading_places(row, k, before))


def kth_places(x: Data, dim: int, k: int) -> Data:
    """The place of the k-th smallest entry along `dim`, counted from 0."""
    if x.ndim == 0:
        return np.int64(0)
    order = slice_(argsort(x, dim), dim, k, k + 1, 1)
    return reordered(x, order, dim, lambda row: [place_of_kth(row, k)])


def median_places(x: Data, dim: int, skip_nan: bool) -> Data:
    """The place of the median, the lower of two; the place of a nan, unless nan is skipped.

    >>> median_places(np.array([3.0, 1.0, 2.0, 5.0]), 0, False)
    array([2])
    """
    if x.ndim == 0:
        return np.int64(0)
    order = argsort(x, dim)  # nan comes last
    missing = np.isnan(x).sum(dim, keepdims=True) if x.dtype.kind == "f" else np.int64(0)
    there = x.shape[dim] - missing
    middle = np.maximum(there - 1, 0) // 2
    if not skip_nan:
        middle = np.where(missing > 0, np.minimum(there, x.shape[dim] - 1), middle)
    return np.take_along_axis(order, np.broadcast_to(middle, _with_one(x, dim)), dim)


def mode_places(x: Data, dim: int) -> Data:
    """The last place of the most frequent entry, the smallest one if several are as frequent.

    >>> mode_places(np.array([2.0, 1.0, 2.0, 1.0]), 0)
    array([3])
    """
    if x.ndim == 0:
        return np.int64(0)
    order = argsort(x, dim, stable=False)
    rows = np.moveaxis(np.take_along_axis(x, order, dim), dim, -1)
    new = np.concatenate([np.ones_like(rows[..., :1], bool), rows[..., 1:] != rows[..., :-1]], -1)
    at = np.arange(rows.shape[-1])
    run = at - np.maximum.accumulate(np.where(new, at, 0), -1)  # how many equal ones came before
    last = np.argmax(run, -1)[..., None]
    return np.take_along_axis(order, np.moveaxis(last, -1, dim), dim)


def running_places(x: Data, dim: int, sign: int) -> Data:
    """The place of the largest entry so far (sign 1), or smallest (-1); the last of equal ones.

    >>> running_places(np.array([1.0, 3.0, 3.0, 2.0]), 0, 1)
    array([0, 1, 2, 2])
    """
    if x.ndim == 0:
        return np.int64(0)
    best = (np.maximum if sign > 0 else np.minimum).accumulate(x, dim)
    shape = [1] * x.ndim
    shape[dim] = -1
    at = np.broadcast_to(np.arange(x.shape[dim]).reshape(shape), x.shape)
    new = x == best
    if x.dtype.kind == "f":
        new |= np.isnan(x)
    return np.maximum.accumulate(np.where(new, at, 0), dim)


def _with_one(x: Any, dim: int) -> tuple[int, ...]:
    shape = list(x.shape)
    shape[dim] = 1
    return tuple(shape)


# -- the order of equal entries ------------------------------------------------------------------
#
# PyTorch sorts with the C++ library of GCC, and which of several equal entries comes first follows
# from the steps of its algorithms. The same steps are run here for small tensors. In larger ones
# equal entries keep their order, which is as correct, and fast.
#
# Sources: libstdc++, bits/stl_algo.h and bits/stl_heap.h (introsort: D. R. Musser, 1997); PyTorch,
# aten/src/ATen/native/Sorting.cpp for the k-th entry.


MANY = 1024  # entries, which Python sorts in a hundredth of a second
FEW = 16  # entries that are sorted by insertion

Entry = tuple[Any, Any]  # an entry and its index, or a rank and what has it
Before = Callable[[Entry, Entry], bool]


def rising(a: Entry, b: Entry) -> bool:
    """Whether a comes before b, the smallest first and nan last."""
    return a[0] < b[0] or (a[0] == a[0] and b[0] != b[0])


def falling(a: Entry, b: Entry) -> bool:
    """Whether a comes before b, nan first and then the largest."""
    return a[0] > b[0] or (a[0] != a[0] and b[0] == b[0])


def reordered(
    x: np.ndarray, order: np.ndarray, dim: int, choose: Callable[[list[Any]], list[int]]
) -> np.ndarray:
    """The indices `order` along `dim`; if they are few, rows with equal entries are sorted anew."""
    if x.size > MANY or x.ndim == 0:
        return order
    rows, found = np.moveaxis(x, dim, -1), np.moveaxis(order, dim, -1).copy()
    line = np.sort(rows, -1)
    tied = (line[..., 1:] == line[..., :-1]) | (line[..., 1:] != line[..., 1:])
    for at in np.ndindex(tied.shape[:-1]):
        if tied[at].any():
            found[at] = choose(rows[at].tolist())
    return np.moveaxis(found, -1, dim)


def sorted_places(row: list[Any], before: Before) -> list[int]:
    """The indices that sort a row, as std::sort leaves them."""
    v = [(x, i) for i, x in enumerate(row)]
    sort(v, len(v), before)
    return [i for _, i in v]


def leading_places(row: list[Any], k: int, before: Before) -> list[int]:
    """The indices of the first k entries, in order."""
    v, n = [(x, i) for i, x in enumerate(row)], len(row)
    if k * 64 <= n:
        partial_sort(v, 0, k, n, before)
    elif k:
        nth_element(v, k - 1, before)
        sort(v, k - 1, before)
    return [i for _, i in v[:k]]


def place_of_kth(row: list[Any], k: int) -> int:
    """The index of the k-th smallest entry, counted from 0: PyTorch's own quickselect."""
    v = [(x, i) for i, x in enumerate(row)]
    left, right = 0, len(v) - 1
    while right > left:
        if right == left + 1:
            swap_if(v, left, right)
            break
        middle = left + (right - left) // 2
        v[middle], v[left + 1] = v[left + 1], v[middle]
        for a, b in ((left + 1, right), (left, right), (left + 1, left)):
            swap_if(v, a, b)
        i, j, pivot = left + 1, right, v[left]
        while True:
            i += 1
            while rising(v[i], pivot):
                i += 1
            j -= 1
            while rising(pivot, v[j]):
                j -= 1
            if j < i:
                break
            v[i], v[j] = v[j], v[i]
        v[left], v[j] = v[j], v[left]
        if j <= k:
            left = i
        if j >= k:
            right = j - 1
    return v[k][1]


def swap_if(v: list[Entry], a: int, b: int) -> None:
    """Swap two entries if the second one is smaller."""
    if rising(v[b], v[a]):
        v[a], v[b] = v[b], v[a]


# -- the algorithms of the C++ library, on v[first:last] -----------------------------------------


def sort(v: list[Entry], last: int, before: Before) -> None:
    """std::sort: quicksort down to parts of 16, and then insertion."""
    split(v, 0, last, deepest(last), before)
    insert(v, 0, min(last, FEW), before)
    for i in range(FEW, last):
        insert_at(v, i, before)


def deepest(n: int) -> int:
    """The number of splits of a range, 2 log₂ n, after which heapsort takes over."""
    return max(n.bit_length() - 1, 0) * 2


def split(v: list[Entry], first: int, last: int, depth: int, before: Before) -> None:
    """Partition by pivots until the parts are small."""
    while last - first > FEW:
        if depth == 0:
            partial_sort(v, first, last, last, before)
            return
        depth -= 1
        cut = partition(v, first, last, before)
        split(v, cut, last, depth, before)
        last = cut


def nth_element(v: list[Entry], nth: int, before: Before) -> None:
    """std::nth_element: bring the entry of that rank to its place."""
    first, last = 0, len(v)
    depth = deepest(last)
    while last - first > 3:
        if depth == 0:
            select_heap(v, first, nth + 1, last, before)
            v[first], v[nth] = v[nth], v[first]
            return
        depth -= 1
        cut = partition(v, first, last, before)
        first, last = (cut, last) if cut <= nth else (first, cut)
    insert(v, first, last, before)


def partition(v: list[Entry], first: int, last: int, before: Before) -> int:
    """Move entries that come before the median of three to the front; return where they end."""
    a, b, c = first + 1, first + (last - first) // 2, last - 1
    low, high = (a, b) if before(v[a], v[b]) else (b, a)
    middle = high if before(v[high], v[c]) else c if before(v[low], v[c]) else low
    v[first], v[middle] = v[middle], v[first]
    i, j = first + 1, last
    while True:
        while before(v[i], v[first]):
            i += 1
        j -= 1
        while before(v[first], v[j]):
            j -= 1
        if i >= j:
            return i
        v[i], v[j] = v[j], v[i]
        i += 1


def insert(v: list[Entry], first: int, last: int, before: Before) -> None:
    """Sort by insertion."""
    for i in range(first + 1, last):
        if before(v[i], v[first]):
            v[first : i + 1] = [v[i], *v[first:i]]
        else:
            insert_at(v, i, before)


def insert_at(v: list[Entry], i: int, before: Before) -> None:
    """Move an entry forwards to its place; some entry before it is known to stay before it."""
    entry = v[i]
    while before(entry, v[i - 1]):
        v[i] = v[i - 1]
        i -= 1
    v[i] = entry


def partial_sort(v: list[Entry], first: int, middle: int, last: int, before: Before) -> None:
    """std::partial_sort: sort the first entries of all into v[first:middle], by a heap."""
    select_heap(v, first, middle, last, before)
    while middle - first > 1:
        middle -= 1
        pop(v, first, middle, middle, before)


def select_heap(v: list[Entry], first: int, middle: int, last: int, before: Before) -> None:
    """Make a heap of the first entries; replace its top by each later one that comes before it."""
    n = middle - first
    for parent in reversed(range(n // 2)):
        sink(v, first, parent, n, v[first + parent], before)
    for i in range(middle, last):
        if before(v[i], v[first]):
            pop(v, first, middle, i, before)


def pop(v: list[Entry], first: int, last: int, to: int, before: Before) -> None:
    """Move the top of a heap to the place `to`, and the entry from there into the heap."""
    entry, v[to] = v[to], v[first]
    sink(v, first, 0, last - first, entry, before)


def sink(v: list[Entry], first: int, hole: int, n: int, entry: Entry, before: Before) -> None:
    """Move the hole of a heap down to a leaf, then let `entry` rise from there."""
    top = child = hole
    while child < (n - 1) // 2:
        child = 2 * (child + 1)
        if before(v[first + child], v[first + child - 1]):
            child -= 1
        v[first + hole], hole = v[first + child], child
    if n % 2 == 0 and child == (n - 2) // 2:
        child = 2 * child + 1
        v[first + hole], hole = v[first + child], child
    rise(v, first, hole, top, entry, before)


def rise(v: list[Entry], first: int, hole: int, top: int, entry: Entry, before: Before) -> None:
    """Move the hole of a heap up, at most to `top`, and put `entry` where the heap is in order."""
    while hole > top and before(v[first + (hole - 1) // 2], entry):
        parent = (hole - 1) // 2
        v[first + hole], hole = v[first + parent], parent
    v[first + hole] = entry

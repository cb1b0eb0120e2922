"""Sets, orders, batches and loaders are PyTorch's, and so is every shuffled order.

Read next: tests/utils/test_serialization.py
"""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from typing import ClassVar

import numpy as np
import pytest

import graphlab

Point = namedtuple("Point", "x y")


def plain(value):
    """Tensors, and what holds them, as nested Python values with the types of the numbers."""
    if hasattr(value, "tolist"):
        return (str(value.dtype), value.tolist())
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple) and not isinstance(value, str):
        return type(value).__name__, [plain(one) for one in value]
    return value


def pairs(lib, n=10):
    return lib.utils.data.TensorDataset(lib.arange(n), lib.arange(2 * n).reshape(n, 2) * 0.5)


def twice(lib, **options):
    """Two rounds of a loader after a seed, and a number drawn after them."""
    lib.manual_seed(3)
    loader = lib.utils.data.DataLoader(pairs(lib), **options)
    return [plain(batch) for _ in range(2) for batch in loader], len(loader), lib.rand(1).tolist()


class Stream:
    """A stream of numbers, as an IterableDataset of either library."""

    def __new__(cls, lib, n):
        class Numbers(lib.utils.data.IterableDataset):
            def __iter__(self):
                return iter(range(n))

        return Numbers()


LOADERS = {
    "in order": {"batch_size": 3},
    "one by one": {},
    "shuffled": {"batch_size": 4, "shuffle": True},
    "without the short one": {"batch_size": 4, "shuffle": True, "drop_last": True},
    "no batches": {"batch_size": None, "shuffle": True},
    "own batches": {"batch_sampler": [[0, 9], [4], [5, 5, 5]]},
    "own order": {"sampler": [3, 1, 2], "batch_size": 2},
    "own collation": {"batch_size": 5, "collate_fn": lambda samples: len(samples)},
}


@pytest.mark.torch
@pytest.mark.parametrize("name", LOADERS)
def test_a_loader_gives_pytorchs_batches_and_draws_as_many_random_numbers(name, torch):
    assert twice(graphlab, **LOADERS[name]) == twice(torch, **LOADERS[name])


@pytest.mark.torch
def test_a_generator_of_its_own_shuffles_as_pytorchs(torch):
    found = [
        twice(lib, shuffle=True, generator=lib.Generator().manual_seed(7))
        for lib in (graphlab, torch)
    ]
    assert found[0] == found[1]


def test_a_shuffled_order_is_recorded():
    graphlab.manual_seed(0)
    loader = graphlab.utils.data.DataLoader(graphlab.arange(10), batch_size=5, shuffle=True)
    assert [batch.tolist() for batch in loader] == RECORDED


RECORDED = [[6, 7, 1, 4, 2], [0, 9, 8, 3, 5]]  # PyTorch 2.13.0

SAMPLERS = {
    "random": lambda d, g: d.RandomSampler(range(9)),
    "some": lambda d, g: d.RandomSampler(range(9), num_samples=4),
    "more": lambda d, g: d.RandomSampler(range(9), num_samples=20),
    "again": lambda d, g: d.RandomSampler(range(9), replacement=True, num_samples=70),
    "seeded": lambda d, g: d.RandomSampler(range(9), generator=g),
    "weighted": lambda d, g: d.WeightedRandomSampler([0.1, 2.0, 0.5], 7),
    "weighted, once": lambda d, g: d.WeightedRandomSampler([0.1, 2.0, 0.5], 3, False, g),
    "subset": lambda d, g: d.SubsetRandomSampler([5, 7, 8, 1]),
    "sequential": lambda d, g: d.SequentialSampler(range(4)),
    "batches": lambda d, g: d.BatchSampler(d.RandomSampler(range(7), generator=g), 3, False),
    "whole batches": lambda d, g: d.BatchSampler(d.SequentialSampler(range(7)), 3, True),
}


@pytest.mark.torch
@pytest.mark.parametrize("name", SAMPLERS)
def test_an_order_is_pytorchs(name, torch):
    found = []
    for lib in (graphlab, torch):
        lib.manual_seed(1)
        sampler = SAMPLERS[name](lib.utils.data, lib.Generator().manual_seed(2))
        found.append((list(sampler), list(sampler), len(sampler), lib.rand(1).tolist()))
    assert found[0] == found[1]


def test_two_random_orders_are_the_same_when_they_are_read_in_turns():
    sampler = graphlab.utils.data.RandomSampler(range(9), num_samples=18)
    graphlab.manual_seed(1)
    one, other = list(sampler), list(sampler)
    graphlab.manual_seed(1)
    assert list(zip(sampler, sampler, strict=True)) == list(zip(one, other, strict=True))


@pytest.mark.torch
@pytest.mark.parametrize("lengths", [[3, 7], [0.5, 0.25, 0.25], [0.9, 0.1], [10]])
def test_a_random_split_is_pytorchs(lengths, torch):
    found = []
    for lib in (graphlab, torch):
        lib.manual_seed(1)
        parts = lib.utils.data.random_split(range(10), lengths)
        parts += lib.utils.data.random_split(range(10), lengths, lib.Generator().manual_seed(4))
        found.append([[part[i] for i in range(len(part))] for part in parts])
    assert found[0] == found[1]


SAMPLES = {
    "tensors": lambda lib: [lib.ones(2), lib.zeros(2)],
    "floats": lambda lib: [1.5, 2.5],
    "integers": lambda lib: [1, 2],
    "bools": lambda lib: [True, False],
    "arrays": lambda lib: [np.ones(2, np.float32), np.zeros(2, np.float32)],
    "numpy numbers": lambda lib: [np.float32(1), np.float32(2)],
    "text": lambda lib: ["a", "b"],
    "pairs": lambda lib: [(lib.ones(1), 3), (lib.zeros(1), 4)],
    "lists": lambda lib: [[1, 2.0], [3, 4.0]],
    "dicts": lambda lib: [{"a": 1, "b": (1, 2)}, {"a": 2, "b": (3, 4)}],
    "ordered dicts": lambda lib: [OrderedDict(a=1), OrderedDict(a=2)],
    "named tuples": lambda lib: [Point(1, 2.0), Point(3, 4.0)],
}


@pytest.mark.torch
@pytest.mark.parametrize("name", SAMPLES)
def test_samples_become_pytorchs_batch(name, torch):
    batches = [
        plain(lib.utils.data.default_collate(SAMPLES[name](lib))) for lib in (graphlab, torch)
    ]
    assert batches[0] == batches[1]
    singles = [
        plain(lib.utils.data.default_convert(SAMPLES[name](lib))) for lib in (graphlab, torch)
    ]
    assert singles[0] == singles[1]


SETS = {
    "concatenated": lambda d, lib: pairs(lib, 3) + pairs(lib, 2),
    "a subset": lambda d, lib: d.Subset(pairs(lib), [4, 4, 0]),
    "stacked": lambda d, lib: d.StackDataset(pairs(lib, 3), range(3)),
    "stacked by name": lambda d, lib: d.StackDataset(x=pairs(lib, 3), y=range(3)),
}


@pytest.mark.torch
@pytest.mark.parametrize("name", SETS)
def test_a_set_of_sets_is_pytorchs(name, torch):
    found = []
    for lib in (graphlab, torch):
        data = SETS[name](lib.utils.data, lib)
        found.append(([plain(data[i]) for i in range(len(data))], plain(data[0])))
    assert found[0] == found[1]
    assert plain(SETS["concatenated"](graphlab.utils.data, graphlab)[-1])[1][0] == (
        "torch.int64",
        1,
    )


@pytest.mark.torch
@pytest.mark.parametrize(
    "options", [{"batch_size": 4}, {"batch_size": 4, "drop_last": True}, {"batch_size": None}]
)
def test_a_stream_is_batched_as_pytorch_batches_it(options, torch):
    found = []
    for lib in (graphlab, torch):
        data = Stream(lib, 6) + Stream(lib, 4)
        found.append([plain(batch) for batch in lib.utils.data.DataLoader(data, **options)])
    assert found[0] == found[1]


WRONG = {
    "sampler and shuffle": lambda d, lib: d.DataLoader(range(3), sampler=[1], shuffle=True),
    "batches and sizes": lambda d, lib: d.DataLoader([1], batch_sampler=[[1]], batch_size=2),
    "no batches, none dropped": lambda d, lib: d.DataLoader(
        range(3), batch_size=None, drop_last=True
    ),
    "a size of 0": lambda d, lib: d.DataLoader(range(3), batch_size=0),
    "less than no workers": lambda d, lib: d.DataLoader(range(3), num_workers=-1),
    "less than no time": lambda d, lib: d.DataLoader(range(3), timeout=-1),
    "fetching ahead": lambda d, lib: d.DataLoader(range(3), prefetch_factor=1),
    "persistent": lambda d, lib: d.DataLoader(range(3), persistent_workers=True),
    "a shuffled stream": lambda d, lib: d.DataLoader(Stream(lib, 3), shuffle=True),
    "an attribute": lambda d, lib: setattr(d.DataLoader(range(3)), "batch_size", 3),
    "nothing to shuffle": lambda d, lib: d.DataLoader([], shuffle=True),
    "no samples": lambda d, lib: d.RandomSampler(range(3), num_samples=0),
    "replacement": lambda d, lib: d.RandomSampler(range(3), replacement=1),
    "drop_last": lambda d, lib: d.BatchSampler(range(3), 1, 1),
    "tensors of two lengths": lambda d, lib: d.TensorDataset(lib.ones(2), lib.ones(3)),
    "sets of two lengths": lambda d, lib: d.StackDataset([1], [1, 2]),
    "no sets": lambda d, lib: d.ConcatDataset([]),
    "before the first": lambda d, lib: d.ConcatDataset([[1]])[-2],
    "lengths": lambda d, lib: d.random_split(range(3), [1, 1]),
    "a share above 1": lambda d, lib: d.random_split(range(3), [1.5, -0.5]),
    "samples of two lengths": lambda d, lib: d.default_collate([[1], [1, 2]]),
    "samples of no kind": lambda d, lib: d.default_collate([object]),
    "no __getitem__": lambda d, lib: d.Dataset()[0],
    "weights": lambda d, lib: d.WeightedRandomSampler([[1.0]], 1),
}


@pytest.mark.torch
@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_said_as_pytorch_says_it(what, torch):
    said = []
    for lib in (graphlab, torch):
        with pytest.raises(Exception) as caught:
            WRONG[what](lib.utils.data, lib)
        text = str(caught.value).replace("graphlab", "torch")
        said.append((type(caught.value).__name__, text.split(" object at ")[0]))
    assert said[0] == said[1]


def test_a_split_that_leaves_one_empty_is_warned_of():
    with pytest.warns(UserWarning, match="Length of split at index 1 is 0"):
        graphlab.utils.data.random_split(range(1), [0.9, 0.1])


def test_a_set_that_gives_many_samples_at_once_is_asked_for_them():
    class Many(graphlab.utils.data.Dataset):
        def __len__(self):
            return 4

        def __getitems__(self, indices):
            return [i * 10 for i in indices]

    loader = graphlab.utils.data.DataLoader(Many(), batch_size=3)
    assert [batch.tolist() for batch in loader] == [[0, 10, 20], [30]]


@pytest.mark.torch
@pytest.mark.parametrize("batch", [["x", "y"], ("x", "y"), [("x", 1), ("y", 2)], [{"a": "x"}] * 2])
def test_words_are_collated_as_pytorch_does(batch, torch):
    ours = graphlab.utils.data.default_collate(batch)
    assert repr(ours) == repr(torch.utils.data.default_collate(batch))


def test_a_subset_asks_its_dataset_for_several_samples_at_once():
    class Squares:
        asked: ClassVar[list] = []

        def __getitems__(self, places):
            self.asked.append(places)
            return [place**2 for place in places]

    Subset = graphlab.utils.data.Subset
    subset = Subset(Subset(Squares(), [9, 5, 3]), [2, 0])
    batches = graphlab.utils.data.DataLoader(subset, 2)
    assert [batch.tolist() for batch in batches] == [[9, 81]]
    assert Squares.asked == [[3, 9]]
    assert Subset("abc", [2, 0]).__getitems__([1, 0]) == ["a", "c"]


KINDS = {  # of the rows -> what the dataset is asked for
    "plain": (lambda lib: lib.arange(6.0).view(3, 2), [[0, 1], [2]]),
    "with a graph": (lambda lib: lib.ones(3, 2, requires_grad=True), [0, 1, 2]),
    "in columns": (lambda lib: lib.arange(6.0).view(2, 3).t(), [0, 1, 2]),
}


@pytest.mark.torch
@pytest.mark.parametrize("kind", KINDS)
def test_rows_are_taken_at_once_where_stacked_samples_are_the_same(kind, torch, monkeypatch):
    make, expected = KINDS[kind]
    ours, asked, batches = graphlab.utils.data.TensorDataset, [], []
    one = ours.__getitem__
    monkeypatch.setattr(ours, "__getitem__", lambda self, i: asked.append(i) or one(self, i))
    for lib in (graphlab, torch):
        dataset = lib.utils.data.TensorDataset(make(lib), lib.arange(3))
        loader = lib.utils.data.DataLoader(dataset, 2)
        batches.append([(plain(batch), batch[0].stride(), repr(batch)) for batch in loader])
    assert batches[0] == batches[1]
    assert asked == expected

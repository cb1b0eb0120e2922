"""Datasets, which have a length and a sample at each index.

Read next: utils/data/sampler.py
"""

import math
import warnings
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, pairwise
from typing import Any, Generic, TypeVar

from graphlab.common.errors import users_level
from graphlab.tensor.random.generator import Generator, default_generator
from graphlab.tensor.tensor import Tensor

T_co = TypeVar("T_co", covariant=True)


class Dataset(Generic[T_co]):
    """The base class of indexed datasets; subclasses define `__getitem__` and `__len__`.

    >>> from graphlab.utils.data import Dataset
    >>> class Squares(Dataset):
    ...     def __len__(self):
    ...         return 3
    ...     def __getitem__(self, i):
    ...         return i * i
    >>> [*(Squares() + Squares())]
    [0, 1, 4, 0, 1, 4]
    """

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: "Dataset[Any]") -> "ConcatDataset":
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T_co]):
    """The base class of streams of samples; subclasses define `__iter__`.

    >>> from graphlab.utils.data import IterableDataset
    >>> class Count(IterableDataset):
    ...     def __iter__(self):
    ...         return iter(range(3))
    >>> [*(Count() + Count())]
    [0, 1, 2, 0, 1, 2]
    """

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError

    def __add__(self, other: Dataset[Any]) -> "ChainDataset":  # type: ignore[override]
        return ChainDataset([self, other])


class TensorDataset(Dataset[Any]):
    """The rows of tensors of the same length; sample i is a tuple of the i-th rows.

    tensors: (N, ...) each
    Raises: AssertionError for different lengths.

    >>> import graphlab as torch
    >>> from graphlab.utils.data import TensorDataset
    >>> TensorDataset(torch.tensor([[1.0], [2.0]]), torch.tensor([0, 1]))[1]
    (tensor([2.]), tensor(1))
    """

    def __init__(self, *tensors: Tensor) -> None:
        if any(tensor.size(0) != tensors[0].size(0) for tensor in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple([tensor[index] for tensor in self.tensors])

    def __len__(self) -> int:
        return self.tensors[0].size(0)


class StackDataset(Dataset[Any]):
    """Datasets of the same length side by side; a sample is a tuple or a dict of their samples.

    args, kwargs: the datasets, for samples that are tuples, or by name for samples that are dicts
    Raises: ValueError for different lengths, for both kinds of arguments, or without datasets.

    >>> from graphlab.utils.data import StackDataset
    >>> StackDataset(x=[1, 2], y=[3, 4])[0]
    {'x': 1, 'y': 3}
    """

    datasets: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args and kwargs:
            raise ValueError(
                "Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like "
                "input/output, but both types are given."
            )
        if not args and not kwargs:
            raise ValueError("At least one dataset should be passed")
        parts = args or list(kwargs.values())
        self._length = len(parts[0])
        if any(len(part) != self._length for part in parts):
            raise ValueError("Size mismatch between datasets")
        self.datasets = args or kwargs

    def __getitem__(self, index: Any) -> Any:
        if isinstance(self.datasets, dict):
            return {name: part[index] for name, part in self.datasets.items()}
        return tuple(part[index] for part in self.datasets)

    def __len__(self) -> int:
        return self._length


class ConcatDataset(Dataset[Any]):
    """Datasets one after the other.

    datasets: iterable of indexed datasets with a length
    Raises: AssertionError without datasets, or for an IterableDataset.

    >>> from graphlab.utils.data import ConcatDataset
    >>> [*ConcatDataset([[1, 2], [3]])]
    [1, 2, 3]
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(part, IterableDataset) for part in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = list(accumulate(len(part) for part in self.datasets))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, index: int) -> Any:
        if index < 0:
            if -index > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            index += len(self)
        part = bisect_right(self.cumulative_sizes, index)
        before = self.cumulative_sizes[part - 1] if part else 0
        return self.datasets[part][index - before]


class ChainDataset(IterableDataset[Any]):
    """Iterable datasets one after the other.

    datasets: iterable of IterableDatasets
    Raises: AssertionError, in a loop, for a dataset of another class.

    >>> from graphlab.utils.data import ChainDataset, IterableDataset
    >>> class Count(IterableDataset):
    ...     def __iter__(self):
    ...         return iter(range(2))
    >>> [*ChainDataset([Count(), Count()])]
    [0, 1, 0, 1]
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = datasets

    def _checked(self) -> Iterator[Any]:
        for part in self.datasets:
            if not isinstance(part, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield part

    def __iter__(self) -> Iterator[Any]:
        return chain.from_iterable(self._checked())

    def __len__(self) -> int:
        return sum(len(part) for part in self._checked())


class Subset(Dataset[Any]):
    """The samples of a dataset at given indices.

    dataset: any object with `__getitem__`
    indices: sequence of ints

    >>> from graphlab.utils.data import Subset
    >>> [*Subset("abc", [2, 0])]
    ['c', 'a']
    """

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, list):
            return self.dataset[[self.indices[i] for i in index]]
        return self.dataset[self.indices[index]]

    def __getitems__(self, indices: Sequence[int]) -> list[Any]:
        """Return several samples, in one call if the dataset has `__getitems__`."""
        places = [self.indices[i] for i in indices]
        several = getattr(self.dataset, "__getitems__", None)
        return several(places) if several else [self.dataset[place] for place in places]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(
    dataset: Any, lengths: Sequence[float], generator: Generator | None = None
) -> list[Subset]:
    """Split a dataset at random into parts of given lengths.

    dataset: any object with a length N and `__getitem__`
    lengths: ints that sum to N, or floats that sum to 1
    generator: Generator of the random order
    Raises: ValueError for lengths that do not sum to N, or a fraction outside [0, 1].
    Warns: UserWarning for an empty part.

    >>> import graphlab as torch
    >>> from graphlab.utils.data import random_split
    >>> [len(part) for part in random_split(range(10), [0.7, 0.3])]
    [7, 3]
    """
    n = len(dataset)
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        for i, fraction in enumerate(lengths):
            if fraction < 0 or fraction > 1:
                raise ValueError(f"Fraction at index {i} is not between 0 and 1")
        lengths = [math.floor(n * fraction) for fraction in lengths]
        for i in range(n - sum(lengths)):  # the first parts share the remainder
            lengths[i % len(lengths)] += 1
        for i, length in enumerate(lengths):
            if length == 0:
                warnings.warn(
                    f"Length of split at index {i} is 0. This might result in an empty dataset.",
                    stacklevel=users_level(),
                )
    if sum(lengths) != n:
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = (generator or default_generator).permutation(n)
    ends: Any = accumulate(lengths, initial=0)
    return [Subset(dataset, order[a:b]) for a, b in pairwise(ends)]

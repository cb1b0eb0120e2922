"""Samplers, which iterate over the indices of samples in the order in which to take them.

For the same seed, the random order is PyTorch's.

Read next: utils/data/dataloader.py
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Generic, TypeVar

from graphlab.common.dtypes import float64
from graphlab.tensor.creation import as_tensor
from graphlab.tensor.random.generator import Generator, default_generator
from graphlab.tensor.random.sampling import multinomial

T_co = TypeVar("T_co", covariant=True)
own_stream = Generator()


class Sampler(Generic[T_co]):
    """The base class of samplers; subclasses define `__iter__`, over indices, and `__len__`.

    >>> from graphlab.utils.data import Sampler
    >>> class Backwards(Sampler):
    ...     def __iter__(self):
    ...         return iter([2, 1, 0])
    >>> [*Backwards()]
    [2, 1, 0]
    """

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError


class SequentialSampler(Sampler[int]):
    """The indices 0, 1, 2, ... in order.

    data_source: any object with a length

    >>> from graphlab.utils.data import SequentialSampler
    >>> [*SequentialSampler("abc")]
    [0, 1, 2]
    """

    def __init__(self, data_source: Any) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """The indices in random order, the same as PyTorch's for the same seed.

    data_source: any object with a length N
    replacement: bool, draw each index independently of the others
    num_samples: int > 0, the number of indices to draw; N by default
    generator: Generator of the random order
    Raises: TypeError or ValueError for arguments of another type.

    >>> from graphlab.utils.data import RandomSampler
    >>> sorted(RandomSampler("abc"))
    [0, 1, 2]
    """

    def __init__(
        self,
        data_source: Any,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Generator | None = None,
    ) -> None:
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise TypeError(
                f"replacement should be a boolean value, but got replacement={replacement}"
            )
        check_number("num_samples", self.num_samples)

    @property
    def num_samples(self) -> int:
        """The number of indices that the sampler draws."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        if self.generator:
            yield from self._drawn(self.generator)
        else:  # at once, as it is shared
            yield from [*self._drawn(own_stream.manual_seed(fresh_seed(default_generator)))]

    def _drawn(self, generator: Generator) -> Iterator[int]:
        n, many = len(self.data_source), self.num_samples
        if self.replacement:
            for k in range(0, many, 32):
                yield from generator.integers(0, n, min(many - k, 32)).tolist()
        else:
            for k in range(0, many + 1, n):
                yield from generator.permutation(n)[: many - k]

    def __len__(self) -> int:
        return self.num_samples


def fresh_seed(generator: Generator) -> int:
    """Return a seed for another generator, 63 bits drawn as PyTorch draws them."""
    return int(generator.integers(0, 1 << 63, 1)[0])


def check_number(name: str, n: Any) -> None:
    """Raise ValueError unless n is a positive integer."""
    if not isinstance(n, int) or isinstance(n, bool) or n <= 0:
        raise ValueError(f"{name} should be a positive integer value, but got {name}={n}")


class SubsetRandomSampler(Sampler[int]):
    """Given indices in random order.

    indices: sequence of ints
    generator: Generator of the random order

    >>> from graphlab.utils.data import SubsetRandomSampler
    >>> sorted(SubsetRandomSampler([5, 7]))
    [5, 7]
    """

    def __init__(self, indices: Sequence[int], generator: Generator | None = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        for i in (self.generator or default_generator).permutation(len(self.indices)):
            yield self.indices[i]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """Random indices, each with a probability proportional to its weight.

    weights: sequence of N floats ≥ 0
    num_samples: int > 0, the number of indices to draw
    replacement: bool; False draws no index twice
    generator: Generator of the random numbers
    Raises: ValueError for arguments of another type or shape.

    >>> from graphlab.utils.data import WeightedRandomSampler
    >>> [*WeightedRandomSampler([0.0, 1.0], 3)]
    [1, 1, 1]
    """

    def __init__(
        self,
        weights: Sequence[float],
        num_samples: int,
        replacement: bool = True,
        generator: Generator | None = None,
    ) -> None:
        check_number("num_samples", num_samples)
        if not isinstance(replacement, bool):
            raise ValueError(
                f"replacement should be a boolean value, but got replacement={replacement}"
            )
        self.weights = as_tensor(weights, dtype=float64)
        if self.weights.ndim != 1:
            raise ValueError(
                "weights should be a 1d sequence but given weights have shape "
                f"{tuple(self.weights.shape)}"
            )
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        chosen = multinomial(
            self.weights, self.num_samples, self.replacement, generator=self.generator
        )
        yield from chosen.tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """Lists of batch_size indices from another sampler.

    sampler: iterable of indices
    batch_size: int > 0
    drop_last: bool, leave out a last list that is not full
    Raises: ValueError for arguments of another type.

    >>> from graphlab.utils.data import BatchSampler
    >>> list(BatchSampler(range(5), batch_size=2, drop_last=False))
    [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler: Iterable[int], batch_size: int, drop_last: bool) -> None:
        check_number("batch_size", batch_size)
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler: Any = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        order = iter(self.sampler)
        while batch := list(islice(order, self.batch_size)):
            if len(batch) < self.batch_size and self.drop_last:
                return
            yield batch

    def __len__(self) -> int:
        n = len(self.sampler)
        return n // self.batch_size if self.drop_last else -(-n // self.batch_size)

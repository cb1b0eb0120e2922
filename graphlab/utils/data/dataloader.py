"""The data loader: batches of a dataset, in the order of a sampler.

Collation makes a batch of samples: tensors are stacked, and numbers become tensors.

Read next: compat/serialization.py
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from typing import Any, Generic, TypeVar

import numpy as np

from graphlab.common.dtypes import float64
from graphlab.tensor.creation import as_tensor, tensor
from graphlab.tensor.functions import stack
from graphlab.tensor.random.generator import Generator, default_generator
from graphlab.tensor.tensor import Tensor
from graphlab.utils.data.dataset import IterableDataset, TensorDataset
from graphlab.utils.data.sampler import BatchSampler, RandomSampler, SequentialSampler, fresh_seed

T_co = TypeVar("T_co", covariant=True)
UNKNOWN = (
    "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"
)
FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


class DataLoader(Generic[T_co]):
    """Iterate over a dataset in batches; each loop starts from the beginning.

    dataset: any object with `__getitem__` and `__len__`, or an IterableDataset
    batch_size: int > 0, or None for single samples
    shuffle: bool, a random order
    sampler: iterable of indices, the order
    batch_sampler: iterable of lists of indices, in place of batch_size, shuffle, sampler and
        drop_last
    collate_fn: function from a list of samples to a batch; `default_collate` by default
    drop_last: bool, leave out a last batch that is not full
    generator: Generator of the order
    num_workers, pin_memory, timeout, worker_init_fn, multiprocessing_context, prefetch_factor,
        persistent_workers, pin_memory_device, in_order: checked, without effect
    Raises: ValueError for arguments that exclude each other.

    PyTorch differs: worker processes may load the data; here the process itself loads it.

    >>> import graphlab as torch
    >>> from graphlab.utils.data import DataLoader
    >>> for batch in DataLoader(torch.arange(5), batch_size=2):
    ...     print(batch)
    tensor([0, 1])
    tensor([2, 3])
    tensor([4])
    """

    _made = False

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Iterable[Any] | None = None,
        batch_sampler: Iterable[Any] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: Any = None,
        generator: Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        check_workers(num_workers, timeout, prefetch_factor, persistent_workers)
        self._is_stream = isinstance(dataset, IterableDataset)
        if self._is_stream:
            check_stream(shuffle=shuffle or None, sampler=sampler, batch_sampler=batch_sampler)
        check_order(batch_size, shuffle, sampler, batch_sampler, drop_last)
        if batch_sampler is not None:
            batch_size = None
        if sampler is None and not self._is_stream:
            random = RandomSampler(dataset, generator=generator) if shuffle else None
            sampler = random or SequentialSampler(dataset)
        if batch_size is not None and batch_sampler is None:
            batch_sampler = BatchSampler(sampler or (), batch_size, drop_last)
        self.dataset = dataset
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler: Any = batch_sampler
        self.generator = generator
        self.num_workers = num_workers
        self.pin_memory = pin_memory
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.prefetch_factor = prefetch_factor
        self.persistent_workers = persistent_workers
        collate = default_convert if batch_sampler is None else default_collate
        self.collate_fn = collate_fn or collate
        self._made = True

    def __setattr__(self, name: str, value: Any) -> None:
        if self._made and name in FIXED:
            raise ValueError(
                f"{name} attribute should not be set after {type(self).__name__} is initialized"
            )
        super().__setattr__(name, value)

    def __iter__(self) -> Iterator[Any]:
        fresh_seed(self.generator or default_generator)  # PyTorch draws a seed for its workers
        return map(self.collate_fn, self._stream()) if self._is_stream else self._by_index()

    def _by_index(self) -> Iterator[Any]:
        if self.batch_sampler is None:
            for index in self.sampler or ():
                yield self.collate_fn(self.dataset[index])
            return
        several = getattr(self.dataset, "__getitems__", None)
        rows = self.collate_fn is default_collate and type(self.dataset) is TensorDataset
        for indices in self.batch_sampler:
            if (
                rows
                and type(indices) is list
                and {*map(type, indices)} == {int}
                and all(x.is_contiguous() and not x.requires_grad for x in self.dataset.tensors)
            ):
                yield list(self.dataset[indices])  # rows are stacked already
                continue
            samples = several(indices) if several else [self.dataset[i] for i in indices]
            yield self.collate_fn(samples)

    def _stream(self) -> Any:
        """Return the samples of a stream, or lists of them."""
        if self.batch_size is None:
            return self.dataset
        return BatchSampler(self.dataset, self.batch_size, self.drop_last)

    def __len__(self) -> int:
        """Return the number of batches."""
        if self._is_stream:
            return len(self._stream())
        order: Any = self.sampler if self.batch_sampler is None else self.batch_sampler
        return len(order)


def check_stream(**options: Any) -> None:
    """Raise ValueError for a given option: an IterableDataset excludes all of them."""
    for name, given in options.items():
        if given is not None:
            raise ValueError(
                f"DataLoader with IterableDataset: expected unspecified {name} option, "
                f"but got {name}={given}"
            )


def check_order(
    batch_size: int | None, shuffle: Any, sampler: Any, batch_sampler: Any, drop_last: bool
) -> None:
    """Raise ValueError for options of the order that exclude each other."""
    if sampler is not None and shuffle:
        raise ValueError("sampler option is mutually exclusive with shuffle")
    if batch_sampler is not None:
        if batch_size != 1 or shuffle or sampler is not None or drop_last:
            raise ValueError(
                "batch_sampler option is mutually exclusive with batch_size, shuffle, "
                "sampler, and drop_last"
            )
    elif batch_size is None and drop_last:
        raise ValueError(
            "batch_size=None option disables auto-batching and is mutually exclusive with drop_last"
        )


def check_workers(workers: int, timeout: float, prefetch: Any, persistent: bool) -> None:
    """Raise ValueError for options of workers that are wrong or exclude each other."""
    if workers < 0:
        raise ValueError(
            "num_workers option should be non-negative; use num_workers=0 to disable "
            "multiprocessing."
        )
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if workers == 0 and prefetch is not None:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 "
            "to enable multiprocessing, otherwise set prefetch_factor to None."
        )
    if prefetch is not None and prefetch < 0:
        raise ValueError("prefetch_factor option should be non-negative")
    if persistent and workers == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")


def default_collate(batch: Sequence[Any]) -> Any:
    """Return a list of samples as one batch, which has the structure of a sample.

    Tensors and arrays are stacked, numbers become a tensor; text stays a list.

    batch: samples of one structure: tensors, arrays, numbers, text, or tuples, lists, dicts of them
    Raises: TypeError for other types, RuntimeError for sequences of different lengths.

    >>> import graphlab as torch
    >>> from graphlab.utils.data import default_collate
    >>> default_collate([(torch.tensor([1.0]), 0), (torch.tensor([2.0]), 1)])
    [tensor([[1.],
            [2.]]), tensor([0, 1])]
    """
    first = batch[0]
    if isinstance(first, Tensor):
        return stack(list(batch), 0)
    if isinstance(first, np.ndarray):
        if first.dtype.kind in "SUO":  # text or objects
            raise TypeError(UNKNOWN.format(first.dtype))
        return stack([as_tensor(one) for one in batch], 0)
    if isinstance(first, np.generic | bool) and not isinstance(first, np.str_):
        return as_tensor(np.array(batch))
    if isinstance(first, float):
        return tensor(list(batch), dtype=float64)
    if isinstance(first, int):
        return tensor(list(batch))
    if isinstance(first, str | bytes):
        return batch
    if isinstance(first, Mapping):
        return rebuilt(first, {key: default_collate([one[key] for one in batch]) for key in first})
    if isinstance(first, tuple) and hasattr(first, "_fields"):  # a namedtuple
        return type(first)(*(default_collate(part) for part in zip(*batch, strict=False)))
    if isinstance(first, Sequence):
        if any(len(one) != len(first) for one in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        parts = [default_collate(part) for part in zip(*batch, strict=True)]
        return parts if isinstance(first, tuple) else rebuilt(first, parts)
    raise TypeError(UNKNOWN.format(type(first)))


def default_convert(data: Any) -> Any:
    """Return a sample in which tensors replace NumPy arrays.

    data: a tensor, array, number or text, or a tuple, list or dict of them

    >>> import numpy as np
    >>> from graphlab.utils.data import default_convert
    >>> default_convert((np.array([1.0, 2.0]), "cat"))
    [tensor([1., 2.], dtype=torch.float64), 'cat']
    """
    if isinstance(data, Tensor | str | bytes):
        return data
    if isinstance(data, np.ndarray | np.generic):
        return data if data.dtype.kind in "SUO" else as_tensor(data)
    if isinstance(data, Mapping):
        return rebuilt(data, {key: default_convert(data[key]) for key in data})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*map(default_convert, data))
    if isinstance(data, tuple):
        return [default_convert(one) for one in data]
    if isinstance(data, Sequence):
        return rebuilt(data, [default_convert(one) for one in data])
    return data


def rebuilt(like: Any, content: Any) -> Any:
    """Return the content in the type of `like`, or as it is if that fails."""
    make: Any = type(like)
    try:
        if isinstance(like, Mapping) and hasattr(like, "update"):
            made: Any = copy(like)
            made.update(content)
            return made
        return make(content)
    except TypeError:
        return content

"""Data: datasets, samplers, which order the samples, and loaders, which make batches of them.

    for x, y in DataLoader(TensorDataset(inputs, targets), batch_size=32, shuffle=True):
        ...

Read next: utils/data/dataset.py
"""

from graphlab.utils.data.dataloader import DataLoader, default_collate, default_convert
from graphlab.utils.data.dataset import (
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
    random_split,
)
from graphlab.utils.data.sampler import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)

__all__ = [
    "BatchSampler", "ChainDataset", "ConcatDataset", "DataLoader", "Dataset", "IterableDataset",
    "RandomSampler", "Sampler", "SequentialSampler", "StackDataset", "Subset",
    "SubsetRandomSampler", "TensorDataset", "WeightedRandomSampler", "default_collate",
    "default_convert", "get_worker_info", "random_split",
]  # fmt: skip


def get_worker_info() -> None:
    """Return None: no worker process loads data here.

    >>> from graphlab.utils.data import get_worker_info
    >>> get_worker_info()
    """

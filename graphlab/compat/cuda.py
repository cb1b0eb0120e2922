"""`torch.cuda`: it tells programs that there is no CUDA device.

Read next: common/devices.py
"""

import sys

from graphlab import amp
from graphlab.compat.accelerator import device_count, is_available

__all__ = [
    "amp", "device_count", "empty_cache", "is_available", "manual_seed", "manual_seed_all",
    "synchronize",
]  # fmt: skip
sys.modules["graphlab.cuda.amp"] = amp  # `from torch.cuda.amp import GradScaler`


def manual_seed(seed: int) -> None:
    """Do nothing: no device has a generator to be seeded.

    seed: int

    >>> from graphlab.cuda import manual_seed
    >>> manual_seed(0)
    """


manual_seed_all = manual_seed


def empty_cache() -> None:
    """Do nothing: there is no cache.

    >>> from graphlab.cuda import empty_cache
    >>> empty_cache()
    """


def synchronize() -> None:
    """Raise AssertionError, as PyTorch without CUDA does.

    >>> from graphlab.cuda import synchronize
    >>> synchronize()
    Traceback (most recent call last):
    AssertionError: Torch not compiled with CUDA enabled
    """
    raise AssertionError("Torch not compiled with CUDA enabled")

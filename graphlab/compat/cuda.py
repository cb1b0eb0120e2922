"""`torch.cuda`: there is no such device; programs ask before they use it.

Read next: common/devices.py
"""


def is_available() -> bool:
    """Return False: GraphLab computes on the CPU.

    >>> is_available()
    False
    """
    return False


def device_count() -> int:
    """Return 0.

    >>> device_count()
    0
    """
    return 0


def manual_seed(seed: int) -> None:
    """Do nothing: there is no generator on a device.

    seed: int

    >>> manual_seed(0)
    """


def manual_seed_all(seed: int) -> None:
    """Do nothing: there is no generator on a device.

    seed: int

    >>> manual_seed_all(0)
    """


def empty_cache() -> None:
    """Do nothing: there is no cache.

    >>> empty_cache()
    """


def synchronize() -> None:
    """Raise AssertionError, as PyTorch without CUDA does.

    >>> synchronize()
    Traceback (most recent call last):
    AssertionError: Torch not compiled with CUDA enabled
    """
    raise AssertionError("Torch not compiled with CUDA enabled")

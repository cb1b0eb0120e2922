"""`torch.cuda`, of which there is none: lessons ask before they use it.

Read next: common/devices.py
"""


def is_available() -> bool:
    """False: tensors lie in main memory.

    >>> is_available()
    False
    """
    return False


def device_count() -> int:
    """How many there are: 0."""
    return 0


def manual_seed(seed: int) -> None:
    """Nothing: there is no generator to be seeded."""


def manual_seed_all(seed: int) -> None:
    """Nothing: there is no generator to be seeded."""


def empty_cache() -> None:
    """Nothing: there is no cache."""


def synchronize() -> None:
    """Raises: AssertionError, as a PyTorch without cuda does."""
    raise AssertionError("Torch not compiled with CUDA enabled")

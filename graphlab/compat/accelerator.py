"""`torch.accelerator`, of which there is none: lessons ask before they use it.

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


def current_accelerator(check_available: bool = False) -> None:
    """None: there is nothing beside the cpu."""

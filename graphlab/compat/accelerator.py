"""`torch.accelerator`: it tells programs that there is no accelerator.

Read next: common/devices.py
"""


def is_available() -> bool:
    """Return False: GraphLab computes on the CPU.

    >>> from graphlab.cuda import is_available
    >>> is_available()
    False
    """
    return False


def device_count() -> int:
    """Return 0.

    >>> from graphlab.cuda import device_count
    >>> device_count()
    0
    """
    return 0


def current_accelerator(check_available: bool = False) -> None:
    """Return None, as PyTorch does on a machine without an accelerator.

    check_available: bool, without effect here

    >>> current_accelerator() is None
    True
    """

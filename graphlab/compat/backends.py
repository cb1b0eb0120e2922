"""`torch.backends`: the options of cudnn and mps, which programs may set without effect.

Read next: common/devices.py
"""


class Absent:
    """A library that is not available; setting its options has no effect.

    >>> import graphlab as torch
    >>> torch.backends.cudnn.benchmark = True
    >>> torch.backends.cudnn.is_available()
    False
    """

    def __init__(self) -> None:
        self.enabled = True
        self.deterministic = self.benchmark = self.allow_tf32 = False

    def is_available(self) -> bool:
        """Return False: NumPy computes everything."""
        return False

    is_built = is_available


cudnn = Absent()
mps = Absent()

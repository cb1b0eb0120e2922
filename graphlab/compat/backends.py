"""`torch.backends`, as lessons set it at their top: there is no cudnn and no mps to be set.

Read next: common/devices.py
"""


class Absent:
    """A library that is not here: it can be asked for, and what is set on it changes nothing."""

    def __init__(self) -> None:
        self.enabled = True
        self.deterministic = self.benchmark = self.allow_tf32 = False

    def is_available(self) -> bool:
        """False: everything is computed by NumPy."""
        return False

    is_built = is_available


cudnn = Absent()
mps = Absent()

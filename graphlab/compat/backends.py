"""`torch.backends`: the options of cudnn and mps, which programs may set without effect.

Read next: common/devices.py
"""

import sys
from types import ModuleType


class Absent(ModuleType):
    """A library that is not available; setting its options has no effect.

    >>> import graphlab as torch
    >>> torch.backends.cudnn.benchmark = True
    >>> torch.backends.cudnn.is_available()
    False
    """

    def __init__(self, name: str) -> None:
        super().__init__(f"{__name__}.{name}", Absent.__doc__)
        self.enabled = True
        self.deterministic = self.benchmark = self.allow_tf32 = False

    def is_available(self) -> bool:
        """Return False: NumPy computes everything."""
        return False

    is_built = is_available


cudnn, mps = Absent("cudnn"), Absent("mps")
for one in (cudnn, mps):
    sys.modules[one.__name__] = one  # `import torch.backends.cudnn as cudnn`

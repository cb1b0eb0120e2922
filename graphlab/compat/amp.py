"""`torch.amp`: mixed precision, which is off here, as it is in PyTorch without a GPU.

A training loop with `autocast` and a `GradScaler` runs as it is written, in float32.

Read next: compat/cuda.py
"""

import warnings
from contextlib import ContextDecorator
from typing import Any

from graphlab.common.devices import device
from graphlab.common.errors import users_level

__all__ = ["GradScaler", "autocast"]


class autocast(ContextDecorator):
    """Leave the types in a block, or in a decorated function, as they are.

    device_type: "cuda" gives PyTorch's warning that autocast is off. enabled: False for no warning.
    options: dtype and cache_enabled, without effect.
    Raises: RuntimeError if it is enabled on the CPU, where PyTorch computes in bfloat16.

    >>> with autocast("cpu", enabled=False):
    ...     pass
    """

    def __init__(self, device_type: str = "cuda", *, enabled: bool = True, **options: Any) -> None:
        if device(device_type).type == "cpu" and enabled:
            raise RuntimeError(
                "autocast on the CPU computes in bfloat16, which is not supported: got "
                "enabled=True, expected enabled=False, for float32"
            )
        warn(enabled, "CUDA is not available or torch_xla is imported. Disabling autocast.")

    def __enter__(self) -> "autocast":
        return self

    def __exit__(self, *error: Any) -> None:
        pass


class GradScaler:
    """Hand losses to the backward pass and steps to the optimizer, without a scale.

    options: without effect. enabled: True gives PyTorch's warning that the scaler is off.

    >>> scaler = GradScaler(enabled=False)
    >>> scaler.scale(2.0), scaler.get_scale()
    (2.0, 1.0)
    """

    def __init__(self, *options: Any, enabled: bool = True, **more: Any) -> None:
        what = "torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling."
        warn(enabled, what)

    def is_enabled(self) -> bool:
        """Return False."""
        return False

    def get_scale(self) -> float:
        """Return 1."""
        return 1.0

    def scale(self, outputs: Any) -> Any:
        """Return the outputs."""
        return outputs

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """Take a step of the optimizer."""
        return optimizer.step(*args, **kwargs)

    def update(self, *options: Any, **more: Any) -> None:
        """Do nothing."""

    unscale_ = load_state_dict = update

    def state_dict(self) -> dict[str, Any]:
        """Return an empty dict."""
        return {}


def warn(enabled: bool, message: str) -> None:
    if enabled:
        warnings.warn(message, UserWarning, stacklevel=users_level())

"""`torch.amp`: mixed precision, which is off for CUDA, as it is in PyTorch without a GPU.

A training loop with `autocast` and a `GradScaler` runs as it is written, in float32. A scaler for
the CPU scales, as in PyTorch.

Read next: compat/cuda.py
"""

import warnings
from collections.abc import Iterable
from contextlib import ContextDecorator
from typing import Any

from graphlab.autograd.grad_mode import no_grad
from graphlab.common.devices import device
from graphlab.common.dtypes import float16
from graphlab.common.errors import users_level
from graphlab.tensor.creation import tensor
from graphlab.tensor.tensor import Tensor

__all__ = ["GradScaler", "autocast"]


class autocast(ContextDecorator):
    """Leave the types in a block, or in a decorated function, as they are.

    device_type: "cuda" gives PyTorch's warning that autocast is off. enabled: False for no warning.
    options: dtype and cache_enabled, without effect.
    Raises: RuntimeError if it is enabled on the CPU, where PyTorch computes in bfloat16.

    >>> import graphlab as torch
    >>> with torch.autocast("cpu", enabled=False):
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
    """Multiply losses by a scale, so that small gradients do not round to 0 in float16.

    `step` divides the gradients by the scale again. It leaves a step out if one of them is infinite
    or NaN; then `update` makes the scale smaller. For "cuda" the scaler is off, as in PyTorch
    without a GPU: it hands losses to the backward pass and steps to the optimizer.

    device: "cpu", or "cuda", which gives PyTorch's warning that the scaler is off
    init_scale: float, the first scale
    growth_factor: float, multiplies the scale after `growth_interval` steps with finite gradients
    backoff_factor: float, multiplies the scale after a step with others
    growth_interval: int, steps
    enabled: bool, False for a scaler that is off, without a warning

    >>> import graphlab as torch
    >>> from graphlab.amp import GradScaler
    >>> scaler = GradScaler("cpu", init_scale=4.0)
    >>> scaler.scale(torch.tensor(2.0)), scaler.get_scale()
    (tensor(8.), 4.0)
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        what = "torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling."
        on_cpu = str(device).startswith("cpu")
        warn(enabled and not on_cpu, what)
        self._enabled = enabled and on_cpu
        if self._enabled and growth_factor <= 1:
            raise AssertionError("The growth factor must be > 1.0.")
        if self._enabled and backoff_factor >= 1:
            raise AssertionError("The backoff factor must be < 1.0.")
        self._state = {
            "scale": init_scale,
            "growth_factor": growth_factor,
            "backoff_factor": backoff_factor,
            "growth_interval": growth_interval,
            "_growth_tracker": 0,  # steps since the scale was changed
        }
        self._scaled = False
        self._infinite: dict[Any, bool] = {}  # optimizer: whether a gradient is not finite
        self._stepped: set[Any] = set()

    def is_enabled(self) -> bool:
        """Return whether losses are scaled.

        >>> import graphlab as torch
        >>> scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
        >>> scaler.is_enabled()
        True
        """
        return self._enabled

    def get_scale(self) -> float:
        """Return the scale; 1 if the scaler is off.

        >>> import graphlab as torch
        >>> scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
        >>> scaler.get_scale()
        4.0
        """
        return self._state["scale"] if self._enabled else 1.0

    def scale(self, outputs: Any) -> Any:
        """Return a tensor, or each tensor of an iterable, times the scale.

        >>> import graphlab as torch
        >>> scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
        >>> scaler.scale([torch.tensor(1.0), torch.tensor(2.0)])
        [tensor(4.), tensor(8.)]
        """
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            self._scaled = True
            self._set_scale(self.get_scale())
            return outputs * tensor(self.get_scale())
        if isinstance(outputs, Iterable):
            scaled = map(self.scale, outputs)
            return type(outputs)(scaled) if isinstance(outputs, list | tuple) else scaled
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def _set_scale(self, scale: Any) -> None:
        self._state["scale"] = tensor(float(scale)).item()  # in float32

    def _scales(self, what: str) -> bool:
        """Return whether the scaler is on. Raises: AssertionError before `scale`."""
        if self._enabled and not self._scaled:
            raise AssertionError(
                f"Attempted {what} but _scale is None.  This may indicate your script did not use "
                "scaler.scale(loss or outputs) earlier in the iteration."
            )
        return self._enabled

    def unscale_(self, optimizer: Any) -> None:
        """Divide the gradients of the optimizer's parameters by the scale, before `step` does.

        Raises: RuntimeError if that was done already since the last update.

        >>> import graphlab as torch
        >>> scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
        >>> w = torch.tensor([1.0], requires_grad=True)
        >>> optimizer = torch.optim.SGD([w], lr=0.1)
        >>> scaler.scale(w.sum()).backward()
        >>> scaler.unscale_(optimizer)
        >>> w.grad
        tensor([1.])
        """
        if not self._scales("unscale_"):
            return
        if optimizer in self._stepped:
            raise RuntimeError("unscale_() is being called after step().")
        if optimizer in self._infinite:
            raise RuntimeError(
                "unscale_() has already been called on this optimizer since the last update()."
            )
        params = [p for group in optimizer.param_groups for p in group["params"]]
        grads = [p.grad for p in params if p.grad is not None]
        if any(grad.dtype is float16 for grad in grads):
            raise ValueError("Attempting to unscale FP16 gradients.")
        with no_grad():
            for grad in grads:
                grad.mul_(1 / self.get_scale())
        if grads:
            self._infinite[optimizer] = not all(grad.isfinite().all() for grad in grads)

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """Take a step of the optimizer, unless a gradient is infinite or NaN.

        Raises: RuntimeError if it has taken one since the last update, or for a closure.

        >>> import graphlab as torch
        >>> scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
        >>> w = torch.tensor([1.0], requires_grad=True)
        >>> optimizer = torch.optim.SGD([w], lr=0.1)
        >>> scaler.scale(w.sum()).backward()
        >>> scaler.step(optimizer)
        >>> w
        tensor([0.9000], requires_grad=True)
        """
        if self._enabled and "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        if not self._scales("step"):
            return optimizer.step(*args, **kwargs)
        if optimizer in self._stepped:
            raise RuntimeError("step() has already been called since the last update().")
        if optimizer not in self._infinite:
            self.unscale_(optimizer)
        if optimizer not in self._infinite:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        made = None if self._infinite[optimizer] else optimizer.step(*args, **kwargs)
        self._stepped.add(optimizer)
        return made

    def update(self, new_scale: Any = None) -> None:
        """Set the scale for the next step: to `new_scale`, or by what `step` has found.

        new_scale: float, or a tensor of one entry

        >>> import graphlab as torch
        >>> scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
        >>> _ = scaler.scale(torch.tensor(1.0))
        >>> scaler.update(8.0)
        >>> scaler.get_scale()
        8.0
        """
        if not self._scales("update"):
            return
        state = self._state
        if new_scale is not None:
            given = tensor(new_scale) if isinstance(new_scale, float) else new_scale
            if given.numel() != 1 or given.requires_grad:
                raise AssertionError(
                    "new_scale should be a float or a 1-element torch.cuda.FloatTensor or "
                    "torch.FloatTensor with requires_grad=False."
                )
            self._set_scale(given)
        elif not self._infinite:
            raise AssertionError("No inf checks were recorded prior to update.")
        elif any(self._infinite.values()):
            self._set_scale(state["scale"] * state["backoff_factor"])
            state["_growth_tracker"] = 0
        else:
            state["_growth_tracker"] += 1
            if state["_growth_tracker"] == state["growth_interval"]:
                grown = state["scale"] * state["growth_factor"]
                if grown < 2.0**128:  # float32 holds it
                    self._set_scale(grown)
                state["_growth_tracker"] = 0
        self._infinite, self._stepped = {}, set()

    def state_dict(self) -> dict[str, Any]:
        """Return the scale and what decides how it changes; {} if the scaler is off.

        >>> import graphlab as torch
        >>> scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
        >>> scaler.state_dict()["scale"]
        4.0
        """
        return dict(self._state) if self._enabled else {}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on with the state of another scaler. Raises: RuntimeError if that one was off.

        >>> import graphlab as torch
        >>> scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
        >>> scaler.load_state_dict({**scaler.state_dict(), "scale": 2.0})
        >>> scaler.get_scale()
        2.0
        """
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved "
                "from a disabled instance of GradScaler."
            )
        self._state.update(state_dict)

    def get_growth_factor(self) -> float:
        """Return what multiplies the scale when it grows.

        >>> import graphlab as torch
        >>> scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
        >>> scaler.get_growth_factor()
        2.0
        """
        return self._state["growth_factor"]

    def set_growth_factor(self, new_factor: float) -> None:
        """Set what multiplies the scale when it grows.

        >>> import graphlab as torch
        >>> scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
        >>> scaler.set_growth_factor(4.0)
        >>> scaler.get_growth_factor()
        4.0
        """
        self._state["growth_factor"] = new_factor

    def get_backoff_factor(self) -> float:
        """Return what multiplies the scale after a step that was left out.

        >>> import graphlab as torch
        >>> scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
        >>> scaler.get_backoff_factor()
        0.5
        """
        return self._state["backoff_factor"]

    def set_backoff_factor(self, new_factor: float) -> None:
        """Set what multiplies the scale after a step that was left out.

        >>> import graphlab as torch
        >>> scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
        >>> scaler.set_backoff_factor(0.25)
        >>> scaler.get_backoff_factor()
        0.25
        """
        self._state["backoff_factor"] = new_factor

    def get_growth_interval(self) -> int:
        """Return after how many steps the scale grows.

        >>> import graphlab as torch
        >>> scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
        >>> scaler.get_growth_interval()
        2000
        """
        return self._state["growth_interval"]

    def set_growth_interval(self, new_interval: int) -> None:
        """Set after how many steps the scale grows.

        >>> import graphlab as torch
        >>> scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
        >>> scaler.set_growth_interval(100)
        >>> scaler.get_growth_interval()
        100
        """
        self._state["growth_interval"] = new_interval


def warn(enabled: bool, message: str) -> None:
    if enabled:
        warnings.warn(message, UserWarning, stacklevel=users_level())

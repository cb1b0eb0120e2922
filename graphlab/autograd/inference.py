"""Inference mode: `no_grad`, and a promise that nothing made here is ever differentiated.

    with torch.inference_mode():
        y = model(x)      # y.is_inference(): it has no version counter, and nothing may save it

Read next: autograd/views.py
"""

from typing import Any

from graphlab.autograd.grad_mode import _Decorator, state
from graphlab.common.public import public


@public()
def is_inference_mode_enabled() -> bool:
    """Return whether tensors that are made now are inference tensors.

    >>> import graphlab as torch
    >>> torch.is_inference_mode_enabled()
    False
    """
    return state.inference


@public()
class inference_mode(_Decorator):
    """Record nothing inside; a context manager and a decorator.

    mode: False leaves inference mode again inside.

    >>> import graphlab as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.inference_mode():
    ...     y = x * 2
    >>> y.requires_grad, y.is_inference()
    (False, True)
    """

    def __new__(cls, mode: Any = True) -> Any:
        return super().__new__(cls) if isinstance(mode, bool) else cls()(mode)

    def __init__(self, mode: bool = True) -> None:
        self.mode = mode
        self.before: list[tuple[bool, bool]] = []

    def clone(self) -> "inference_mode":
        return type(self)(self.mode)

    def __enter__(self) -> None:
        self.before.append((state.inference, state._grad_enabled))
        state.enter_inference(self.mode)
        state.grad_enabled = not self.mode

    def __exit__(self, *exception: object) -> None:
        inference, before = self.before.pop()
        state.enter_inference(inference)
        state.grad_enabled = before

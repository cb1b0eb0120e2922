"""Inference mode: `no_grad`, and a promise that nothing made here is ever differentiated.

    with torch.inference_mode():
        y = model(x)      # y.is_inference(): it has no version counter, and nothing may save it

Read next: autograd/views.py
"""

import functools
import threading
from collections.abc import Callable
from typing import Any

from graphlab.autograd.grad_mode import state


class Mode(threading.local):
    """Whether this thread is in inference mode."""

    on = False


inference = Mode()


def is_inference_mode_enabled() -> bool:
    """Whether tensors that are made now are inference tensors."""
    return inference.on


class inference_mode:
    """A context manager, and a decorator, in which nothing is recorded.

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

    def __enter__(self) -> None:
        self.before.append((inference.on, state.grad_enabled))
        inference.on, state.grad_enabled = self.mode, not self.mode

    def __exit__(self, *exception: object) -> None:
        inference.on, state.grad_enabled = self.before.pop()

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            with inference_mode(self.mode):
                return function(*args, **kwargs)

        return wrapped

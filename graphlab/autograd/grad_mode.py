"""Whether operations are recorded: `no_grad`, `enable_grad`, `set_grad_enabled`.

The state is one object per thread. Here is also a context in which NumPy does not warn: PyTorch
says nothing about log(0), and entering `np.errstate` for every operation would cost as much as
the operation (0.9 us; a prepared context costs 0.02 us).

Read next: autograd/node.py
"""

import contextvars
import functools
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

unusual: set[Any] = set()  # threads in which recording is not as usual; empty: nowhere


class State(threading.local):
    """What differs from thread to thread.

    Who gives it something that recording must ask for adds itself to `unusual`: recording looks
    here only while that set is not empty.
    """

    def __init__(self) -> None:
        self._grad_enabled = True
        quiet = contextvars.copy_context()
        quiet.run(np.seterr, all="ignore")
        self.run = quiet.run  # run(function, *data): call it without NumPy's warnings

    @property
    def grad_enabled(self) -> bool:
        """Whether operations on tensors that require a gradient are recorded."""
        return self._grad_enabled

    @grad_enabled.setter
    def grad_enabled(self, value: bool) -> None:
        self._grad_enabled = value
        (unusual.discard if value else unusual.add)(threading.get_ident())


class UsersCode:
    """Whether a backward pass may run code of the user's: once a custom Function is defined.

    The prepared context can't be entered twice, so such a pass enters `np.errstate` instead.
    """

    defined = False


state = State()
_quiet = contextvars.copy_context()
_quiet.run(np.seterr, all="ignore")
quietly = _quiet.run  # the same for single operations; RuntimeError when somebody is in it


def is_grad_enabled() -> bool:
    """Whether operations on tensors that require a gradient are recorded now."""
    return state.grad_enabled


class _GradMode:
    """A context manager, and a decorator, that sets the mode and puts the old one back."""

    def __init__(self, mode: bool) -> None:
        self.mode = mode
        self.before: list[bool] = []

    def __enter__(self) -> None:
        self.before.append(state.grad_enabled)
        state.grad_enabled = self.mode

    def __exit__(self, *exception: object) -> None:
        state.grad_enabled = self.before.pop()

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            with _GradMode(self.mode):
                return function(*args, **kwargs)

        return wrapped


class no_grad(_GradMode):
    """Record nothing inside: results do not require a gradient.

    >>> import graphlab as torch
    >>> x = torch.tensor(2.0, requires_grad=True)
    >>> with torch.no_grad():
    ...     y = x * x
    >>> y.requires_grad
    False
    """

    def __init__(self) -> None:
        super().__init__(False)

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        if function is None:
            return super().__new__(cls)
        return cls()(function)  # @no_grad without parentheses


class enable_grad(_GradMode):
    """Record again inside, within a `no_grad`."""

    def __init__(self) -> None:
        super().__init__(True)


class set_grad_enabled(_GradMode):
    """Set the mode at once; as a context manager, put the old one back at the end."""

    def __init__(self, mode: bool) -> None:
        super().__init__(bool(mode))
        self.before.append(state.grad_enabled)
        state.grad_enabled = self.mode

    def __enter__(self) -> None:
        state.grad_enabled = self.mode

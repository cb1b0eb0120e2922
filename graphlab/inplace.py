"""Operations in place: `x += 1`, `x.zero_()`, `x.mul_(y)`.

The result is written into the memory of the tensor and its version goes up by one, so that a
backward pass that saved it before can say so. A tensor in a graph gets a new history.

Read next: methods.py
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from graphlab import functional as F
from graphlab.autograd.grad_mode import state
from graphlab.functional.products import c_name
from graphlab.tensor import Tensor, wrap

LEAF = "a leaf Variable that requires grad is being used in an in-place operation."


def check_writable(self: Tensor, recording: bool) -> None:
    """Raises: RuntimeError for a leaf, or a view of one, that requires a gradient."""
    if not recording:
        return
    base = self._base
    if base is not None and base._needs and base._node is None:
        raise RuntimeError(f"a view of {LEAF}")
    if self._needs and self._node is None:
        raise RuntimeError(LEAF)
    if base is not None and self._needs:
        raise NotImplementedError(
            "changing a view in place is not recorded yet: got an in-place operation on a view of "
            "a tensor in a graph; work on the tensor itself, or use the operation that returns a "
            "new tensor"
        )


def in_place(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The in-place form of a function whose first argument is written over."""

    def call(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        involved = self._needs or any(isinstance(a, Tensor) and a._needs for a in args)
        recording = state.grad_enabled and involved
        check_writable(self, recording)
        old = self
        if recording:  # rules may need the old value: a tensor of its own keeps it, and its history
            old = wrap(np.copy(self._data)[()], self._needs, self._node)
        result = function(old, *args, **kwargs)
        if result is NotImplemented:
            return result
        write(self, result)
        return self

    call.__name__ = call.__qualname__ = f"{function.__name__}_"
    call.__doc__ = f"{function.__name__}, in place."
    return call


def write(self: Tensor, result: Tensor) -> None:
    """Put the result into the memory of `self`, raise its version, and take over its history."""
    data = result._data
    if np.shape(data) != np.shape(self._data):
        raise RuntimeError(
            f"output with shape {list(self.shape)} doesn't match the broadcast shape "
            f"{list(result.shape)}"
        )
    own = self._data.dtype
    if data.dtype.kind == "f" and own.kind != "f":
        raise RuntimeError(
            f"result type {c_name(result).capitalize()} can't be cast to the desired output type "
            f"{c_name(self).split()[0].capitalize()}"
        )
    if isinstance(self._data, np.ndarray):
        if not self._data.flags.writeable:
            raise RuntimeError(
                "unsupported operation: more than one element of the written-to tensor refers to "
                "a single memory location. Please clone() the tensor before performing the "
                "operation."
            )
        self._data[...] = data
    else:
        self._data = data if data.dtype == own else own.type(data)
    counter = self._version_counter()
    counter.advance()
    if result._node is not None:
        self._node = result._node
        self._needs = True
        node: Any = self._node
        if getattr(node, "_saved", ()):
            node._version = (counter, counter.count)


def overwrite(value: Callable[..., Any]) -> Callable[..., Tensor]:
    """An in-place form that forgets what was there: zero_, fill_, copy_."""

    def call(self: Tensor, *args: Any) -> Tensor:
        given = args[0] if args else None
        involved = self._needs or (isinstance(given, Tensor) and given._needs)
        recording = state.grad_enabled and involved
        check_writable(self, recording)
        if recording:
            raise NotImplementedError(
                "overwriting a tensor in a graph is not recorded yet: got zero_, fill_ or copy_; "
                "use a new tensor, or write under torch.no_grad()"
            )
        new = np.broadcast_to(value(*args), self._data.shape).astype(self._data.dtype)
        write(self, wrap(new if new.ndim else new[()], False, None))
        return self

    return call


zero_ = overwrite(lambda: 0)
fill_ = overwrite(lambda value: value._data if isinstance(value, Tensor) else value)
copy_ = overwrite(lambda source: source._data)


def __getattr__(name: str) -> Any:
    """The in-place form of any function of functional/, made on first use: `add_` of `add`."""
    if not name.endswith("_") or name.startswith("_"):
        raise AttributeError(f"module 'graphlab.inplace' has no attribute {name!r}")
    found = globals()[name] = in_place(getattr(F, name[:-1]))
    return found

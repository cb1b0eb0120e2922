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
            f"result type {F.c_name(result).capitalize()} can't be cast to the desired output type "
            f"{F.c_name(self).split()[0].capitalize()}"
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


add_ = in_place(F.add)
sub_ = in_place(F.sub)
mul_ = in_place(F.mul)
div_ = in_place(F.div)
pow_ = in_place(F.pow)
neg_ = in_place(F.neg)
exp_ = in_place(F.exp)
sqrt_ = in_place(F.sqrt)
relu_ = in_place(F.relu)
sigmoid_ = in_place(F.sigmoid)
tanh_ = in_place(F.tanh)
zero_ = overwrite(lambda: 0)
fill_ = overwrite(lambda value: value._data if isinstance(value, Tensor) else value)
copy_ = overwrite(lambda source: source._data)
exp2_ = in_place(F.exp2)
expm1_ = in_place(F.expm1)
log2_ = in_place(F.log2)
log10_ = in_place(F.log10)
tan_ = in_place(F.tan)
asin_ = in_place(F.asin)
acos_ = in_place(F.acos)
atan_ = in_place(F.atan)
sinh_ = in_place(F.sinh)
cosh_ = in_place(F.cosh)
asinh_ = in_place(F.asinh)
acosh_ = in_place(F.acosh)
atanh_ = in_place(F.atanh)
erf_ = in_place(F.erf)
erfc_ = in_place(F.erfc)
atan2_ = in_place(F.atan2)
hypot_ = in_place(F.hypot)
xlogy_ = in_place(F.xlogy)
clamp_ = in_place(F.clamp)
clamp_max_ = in_place(F.clamp_max)
clamp_min_ = in_place(F.clamp_min)
clip_ = in_place(F.clip)
sin_ = in_place(F.sin)
cos_ = in_place(F.cos)
log_ = in_place(F.log)
log1p_ = in_place(F.log1p)
abs_ = in_place(F.abs)
reciprocal_ = in_place(F.reciprocal)
rsqrt_ = in_place(F.rsqrt)
square_ = in_place(F.square)
sign_ = in_place(F.sign)
addcdiv_ = in_place(F.addcdiv)
addcmul_ = in_place(F.addcmul)
ceil_ = in_place(F.ceil)
fix_ = in_place(F.fix)
floor_ = in_place(F.floor)
fmod_ = in_place(F.fmod)
frac_ = in_place(F.frac)
lerp_ = in_place(F.lerp)
nan_to_num_ = in_place(F.nan_to_num)
remainder_ = in_place(F.remainder)
round_ = in_place(F.round)
trunc_ = in_place(F.trunc)

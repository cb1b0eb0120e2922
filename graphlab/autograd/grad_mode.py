"""Whether operations are recorded: `no_grad`, `enable_grad`, `set_grad_enabled`, `inference_mode`.

The state is one object per thread. Here is also a context in which NumPy does not warn: PyTorch
says nothing about log(0), and entering `np.errstate` for every operation would cost as much as
the operation (0.9 us; a prepared context costs 0.02 us).

Rare things have a switch, so that usual calls need not look for them:

    unusual, inferring     here         threads that record in another way, or not at all
    UsersCode.defined      here         a backward pass may run code of the user's
    LivingHooks.count      hooks.py     there are hooks: a WatchedPass takes part in every pass
    Renumbered.living      hooks.py     a node's sequence number was changed
    watchers               watch.py     recordings that are open
    Packed.living          saved_tensor_hooks.py    hooks have packed saved tensors

Read next: autograd/node.py
"""

import contextvars
import functools
import inspect
import sys
import threading
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from graphlab.common.errors import users_level
from graphlab.common.public import public

unusual: set[Any] = set()  # threads in which recording is not as usual; empty: nowhere
inferring: set[int] = set()  # threads in inference mode; empty: none


class State(threading.local):
    """The state of one thread.

    Recording looks here only while the set `unusual` is not empty. Whatever changes how a thread
    records adds itself to that set.
    """

    def __init__(self) -> None:
        self._grad_enabled = True
        self.inference = False  # in inference mode nothing is recorded, whatever grad mode says
        self.recording = True  # what follows from both
        self.packing: list[Callable[[Any], None]] = []  # pack what a node saved: the last one
        self.passes: list[Any] = []  # the watched backward passes that run, the innermost last
        self.captures = False  # the pass that runs the user's code asks for chosen gradients only
        self.changing: Any = None  # `vmap`'s check of what an example changes in place
        quiet = contextvars.copy_context()
        quiet.run(np.seterr, all="ignore")
        self.quietly = quiet.run  # quietly(function, *data): call it without NumPy's warnings

    @property
    def grad_enabled(self) -> bool:
        """Whether operations on tensors that require a gradient are recorded."""
        return self.recording

    @grad_enabled.setter
    def grad_enabled(self, value: bool) -> None:
        self._grad_enabled = value
        self.recording = value and not self.inference
        (unusual.discard if self.recording else unusual.add)(threading.get_ident())

    def enter_inference(self, value: bool) -> None:
        """Turn inference mode on or off; the grad mode is to be set next."""
        self.inference = value
        (inferring.add if value else inferring.discard)(threading.get_ident())


class UsersCode:
    """Whether a backward pass may run the user's code: a custom Function, or a hook.

    Such a pass enters `np.errstate`, because the prepared context cannot be entered twice.
    """

    defined = False


state = State()
_quiet = contextvars.copy_context()
_quiet.run(np.seterr, all="ignore")
quietly = _quiet.run  # the same for single operations; RuntimeError if it is in use


def is_in_use(error: RuntimeError) -> bool:
    """Return whether `quietly` did not call its function, because its context is in use.

    One thread at a time can be in the context of `quietly`. A thread is in its own context already
    if a finalizer, a signal handler or a debugger runs a backward pass within another one.
    """
    return str(error).startswith("cannot enter context")


def without_warnings(function: Callable[..., Any], *data: Any, **options: Any) -> Any:
    """Call a function without NumPy's warnings, at any time: `quietly` costs less."""
    with np.errstate(all="ignore"):
        return function(*data, **options)


def is_grad_enabled() -> bool:
    """Return whether operations on tensors that require a gradient are recorded now.

    >>> import graphlab as torch
    >>> torch.is_grad_enabled()
    True
    """
    return state._grad_enabled


class _Decorator:
    """A context manager that also decorates functions and generators."""

    def clone(self) -> Any:
        """Return a context manager of the same kind, for one call."""
        return type(self)()

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.isclass(function):
            warnings.warn(
                "Decorating classes is deprecated and will be disabled in future versions. You "
                "should only decorate functions or methods. To preserve the current behavior of "
                "class decoration, you can directly decorate the `__init__` method and nothing "
                "else.",
                FutureWarning,
                stacklevel=users_level(),
            )
            return within(self.clone, lambda *args, **kwargs: function(*args, **kwargs))
        if inspect.isgeneratorfunction(function):
            return each_step_within(self.clone, function)
        return within(self.clone, function)


def within(mode: Callable[[], Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function, run inside a context manager that `mode` makes."""

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        with mode():
            return function(*args, **kwargs)

    return wrapped


def each_step_within(mode: Callable[[], Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the generator function with its body run inside the mode, and its caller outside."""

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        generator = function(*args, **kwargs)
        try:
            with mode():
                response = generator.send(None)
            while True:
                try:
                    request = yield response
                except GeneratorExit:
                    with mode():
                        generator.close()
                    raise
                except BaseException:
                    with mode():
                        response = generator.throw(sys.exc_info()[1])
                else:
                    with mode():
                        response = generator.send(request)
        except StopIteration as done:
            return done.value

    return wrapped


class _GradMode(_Decorator):
    """Set the mode inside, and restore the old one at the end."""

    mode: bool

    def __enter__(self) -> None:
        self.before: list[bool] = [*getattr(self, "before", ()), is_grad_enabled()]
        state.grad_enabled = self.mode

    def __exit__(self, *exception: object) -> None:
        state.grad_enabled = self.before.pop()


class _Bare(_GradMode):
    """Allow decoration without parentheses: `@no_grad`."""

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        return super().__new__(cls) if function is None else cls()(function)


class no_grad(_Bare):
    """Record nothing inside: results do not require a gradient.

    >>> import graphlab as torch
    >>> x = torch.tensor(2.0, requires_grad=True)
    >>> with torch.no_grad():
    ...     y = x * x
    >>> y.requires_grad
    False
    """

    mode = False


class enable_grad(_Bare):
    """Record again inside, within a `no_grad`; also a decorator.

    >>> import graphlab as torch
    >>> x = torch.tensor(2.0, requires_grad=True)
    >>> with torch.no_grad(), torch.enable_grad():
    ...     y = x * x
    >>> y.requires_grad
    True
    """

    mode = True


class set_grad_enabled(_GradMode):
    """Set at once whether to record; as a context manager, restore the old mode at the end.

    mode: a bool. Raises: TypeError for anything else.

    >>> import graphlab as torch
    >>> x = torch.tensor(2.0, requires_grad=True)
    >>> with torch.set_grad_enabled(False):
    ...     y = x * x
    >>> y.requires_grad
    False
    """

    def __init__(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            raise TypeError(
                "set_grad_enabled(): argument 'enabled' (position 1) must be bool, not "
                f"{type(mode).__name__}"
            )
        self.mode = mode
        self.before = [is_grad_enabled()]
        state.grad_enabled = mode

    def __enter__(self) -> None:
        state.grad_enabled = self.mode

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        state.grad_enabled = self.before[-1]  # as a decorator it sets the mode in calls alone
        return super().__call__(function)

    def clone(self) -> Any:
        return type(self)(self.mode)

    def __repr__(self) -> str:
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self.mode})"


def origin_of_views(one_of_many: bool) -> str:
    """Return the reason why a view that is made now may not be changed in place; "" if it may."""
    if state.inference:
        return "inference"
    if not state.grad_enabled:
        return "no_grad"
    return "many" if one_of_many else ""


@public()
def is_inference_mode_enabled() -> bool:
    """Return whether tensors that are made now are inference tensors.

    >>> torch.is_inference_mode_enabled()
    False
    """
    return state.inference


@public()
class inference_mode(_Decorator):
    """Record nothing inside, and promise that nothing made there is ever differentiated.

    A context manager and a decorator. A tensor made inside has no version counter, and nothing may
    save it.

    mode: False leaves inference mode again inside.

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

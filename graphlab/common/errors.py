"""The errors that GraphLab raises: each is also the built-in error that PyTorch raises there.

Read next: ops/base.py
"""

import linecache
import os
import sys
from collections.abc import Callable
from traceback import walk_tb
from types import TracebackType
from typing import Any, TypeVar

from graphlab.common.notebook import shell, shortened

__all__ = [
    "GradcheckError",
    "GraphFreedError",
    "GraphLabError",
    "LinAlgError",
    "ModifiedInPlaceError",
    "ShapeError",
    "TraceError",
    "TraceVersionError",
]

GRAPH_FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after "
    "they have already been freed). Saved intermediate values of the graph are freed when you "
    "call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward "
    "through the graph a second time or if you need to access saved tensors after calling backward."
)

# what Python says of a call whose arguments do not fit
CALLED_WRONGLY = ("missing", "positional argument", "keyword argument", "multiple values")
# the folder of the package
HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def is_ours(code: Any) -> bool:
    """Return whether code is GraphLab's own, not the user's."""
    return code.co_filename.startswith(HERE)


def users_level() -> int:
    """Return the `stacklevel` that makes a warning of the calling function name the user's line."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and is_ours(frame.f_code):
        level, frame = level + 1, frame.f_back
    return level


def is_sentence(place: TracebackType) -> bool:
    """Return whether a `raise` statement of GraphLab stands at an entry of a traceback."""
    code = place.tb_frame.f_code
    line = linecache.getline(code.co_filename, place.tb_lineno)
    return is_ours(code) and line.lstrip().startswith("raise")


def users_traceback(error: BaseException, others: str = HERE) -> TracebackType | None:
    """Return the traceback of an error without the frames of GraphLab and of the folder `others`.

    It stays whole where GraphLab failed at another statement than `raise`: that is a mistake of it.
    """
    trace = error.__traceback__
    places, shown = [], None
    while trace is not None:
        places.append(trace)
        trace = trace.tb_next
    interrupted, last = isinstance(error, KeyboardInterrupt), places[-1]
    ours = [one for one in places if is_ours(one.tb_frame.f_code)]
    called_wrongly = isinstance(error, TypeError) and any(w in str(error) for w in CALLED_WRONGLY)
    users = interrupted or is_sentence(last) or (called_wrongly and len(ours) == 1)
    whole = is_ours(last.tb_frame.f_code) and not users
    for one in reversed(places):
        if whole or not one.tb_frame.f_code.co_filename.startswith((HERE, others)):
            shown = TracebackType(shown, one.tb_frame, one.tb_lasti, one.tb_lineno)
    return shown


def shorten_tracebacks() -> None:
    """Let IPython, if it runs the program, show errors as `users_traceback` returns them.

    `%tb` shows all frames, and `%debug` enters them.
    """

    def show(shell: Any, kind: Any, error: Any, trace: Any, tb_offset: Any) -> None:
        others = HERE
        if is_torch(shell.user_ns) and (torch := pytorch()):  # both were imported
            others = os.path.dirname(torch.__file__) + os.sep
            *_, (last, _) = walk_tb(trace)
            if last.f_code.co_filename.startswith(others):
                error.add_note(IMPORTED)
        shell.showtraceback((kind, error, users_traceback(error, others)), tb_offset=tb_offset)
        sys.last_traceback = trace

    if (running := shell()) and not running.custom_exceptions:
        running.set_custom_exc((Exception, KeyboardInterrupt), show)


ONE_LIBRARY = "one formula takes tensors of one library: "
COPY = (
    "copy PyTorch's with graphlab.tensor(x.detach().numpy()), "
    "or GraphLab's with torch.tensor(x.detach().numpy())"
)
IMPORTED = (
    "`import torch.nn` imports PyTorch's; write `from graphlab import nn`, "
    "`import graphlab.nn.functional as F`, `from graphlab.utils.data import DataLoader`"
)


def pytorch() -> Any:
    """Return the module of PyTorch if the program has imported it; it is never imported here."""
    torch = sys.modules.get("torch")
    return torch if hasattr(torch, "_C") else None


def is_torch(names: dict[str, Any]) -> bool:
    """Return whether a program's `torch` is GraphLab."""
    return getattr(names.get("torch"), "__name__", "") == "graphlab"


def one_library() -> str:
    """Return what to do where tensors of both libraries meet."""
    frame: Any = sys._getframe(1)
    while frame is not None and not is_torch(frame.f_globals):
        frame = frame.f_back
    return ONE_LIBRARY + (IMPORTED if frame else COPY)


def left_out(why: str) -> Exception:
    """Return the error of a module's `__getattr__` for a name of PyTorch's that is left out.

    It is an AttributeError; in `from torch import name`, which would hide it, an ImportError.
    """
    imported = sys._getframe(2).f_code.co_name == "_handle_fromlist"  # in Python's importlib
    return ImportError(why) if imported else AttributeError(why)


def named_kind(x: Any) -> str:
    """Return the name of the type of an argument; of PyTorch's tensors and modules also what to do.

    As in Python's own errors, the name of a type that is written in C contains its module.

    >>> import numpy
    >>> named_kind(2.0), named_kind(numpy.zeros(2)), named_kind(numpy.float64(2.0))
    ('float', 'numpy.ndarray', 'numpy.float64')
    """
    if torch := pytorch():
        if isinstance(x, torch.Tensor):
            return f"{type(x).__name__} of PyTorch's; {one_library()}"
        if isinstance(x, torch.nn.Module):  # it cannot be copied
            return f"{type(x).__name__} of PyTorch's; {ONE_LIBRARY}{IMPORTED}"
    name = type(x).__name__
    if type(x).__module__.startswith("graphlab.") and name in ("dtype", "Size"):
        return f"torch.{name}"
    try:
        object.__getattribute__(x, "")
    except AttributeError as error:  # "'numpy.ndarray' object has no attribute ''"
        return str(error).split("'")[1]
    return name


def of_one_library(where: str, *given: Any) -> None:
    """Raise TypeError for a tensor or a module of PyTorch's. where: what does not take it."""
    if torch := pytorch():
        for x in given:
            if isinstance(x, torch.Tensor | torch.nn.Module):
                raise TypeError(f"{where} do not take a {named_kind(x)}")


E = TypeVar("E", bound=type[Exception])


def shown_as(builtin: type[Exception]) -> Callable[[E], E]:
    """Let a traceback name an error as PyTorch's does: `RuntimeError: Trying to ...`."""

    def rename(cls: E) -> E:
        cls.__name__ = cls.__qualname__ = builtin.__name__
        cls.__module__ = "builtins"
        return cls

    return rename


class GraphLabError(Exception):
    """The base class of GraphLab's own errors."""


@shown_as(RuntimeError)
class ShapeError(GraphLabError, RuntimeError):
    """Shapes that do not fit together."""


class LinAlgError(GraphLabError, RuntimeError):
    """A matrix for which there is no answer: singular, or not positive definite."""

    __module__ = "torch._C"  # PyTorch shows it as torch._C._LinAlgError


LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"


@shown_as(ValueError)
class IndexOverflowError(GraphLabError, IndexError, ValueError):
    """An index of more than 64 bits."""

    def __init__(self) -> None:
        super().__init__("Overflow when unpacking long long")


@shown_as(RuntimeError)
class GraphFreedError(GraphLabError, RuntimeError):
    """Saved tensors are needed again after a backward pass has freed them."""

    def __init__(self, advice: str = "") -> None:
        super().__init__(GRAPH_FREED + advice)


@shown_as(RuntimeError)
class ModifiedInPlaceError(GraphLabError, RuntimeError):
    """A saved tensor was changed in place between the forward and the backward pass."""


class GradcheckError(RuntimeError):
    """A gradient differs from its difference quotient."""

    __module__ = "torch.autograd.gradcheck"


class TraceError(GraphLabError, ValueError):
    """A trace document that does not follow the schema."""


class TraceVersionError(TraceError):
    """A trace document written by a newer GraphLab than this one."""


def described(value: Any) -> str:
    """Return the type of a value and the start of its repr, for an error.

    >>> described(2.5), described(None)
    ('float 2.5', 'None')
    """
    kind = type(value).__name__
    text = " ".join(written(value).split())
    shown = shortened(text, 40)
    return shown if value is None or text.lstrip("<").startswith(kind) else f"{kind} {shown}"


def written(value: Any) -> str:
    """Return the repr of a value, or "…" where there is none."""
    try:
        return repr(value)
    except Exception:  # Python does not write an integer of 4300 digits
        return "…"

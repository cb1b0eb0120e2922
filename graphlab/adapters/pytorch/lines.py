"""The lines of the user's code that made PyTorch's nodes, and what they changed in place.

PyTorch numbers its nodes as they are made, so noting the number before and after each call of a
function of torch's tells which nodes the call made.

Read next: adapters/pytorch/recorded_pass.py
"""

import contextlib
import os
import sys
from bisect import bisect_right
from collections import deque
from collections.abc import Callable
from functools import lru_cache
from types import FrameType
from typing import Any

from graphlab.adapters.native.unreached import IN_NO_GRAD, Cut, Cuts
from graphlab.adapters.pytorch.accessors import clock, is_accumulator, is_tensor, loaded, root_of
from graphlab.adapters.pytorch.rehearsed_pass import edges_behind
from graphlab.adapters.pytorch.stand_ins import version_of
from graphlab.autograd.users_code import Place
from graphlab.common.errors import HERE

MOST_CHANGES = 10_000  # changes in place that are remembered, for a pass that fails
Called = Callable[[Any, tuple[Any, ...]], None]
Lost = Callable[[Any, str, tuple[Any, ...], Any], None]
# calls whose result is a Python number
NUMBERS = frozenset(("item", "tolist", "__float__", "__int__", "__bool__", "__index__"))
OPERATORS = {"__eq__": "==", "__ne__": "!=", "gt": ">", "ge": ">=", "lt": "<", "le": "<="}


def users_frame(depth: int = 1) -> FrameType | None:
    """The innermost frame of the user's code that is running."""
    return users_from(sys._getframe(depth))


def users_from(frame: FrameType | None) -> FrameType | None:
    """The innermost frame of the user's code, beginning with one frame."""
    while frame is not None and not is_users(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def users_place(depth: int = 1) -> Place | None:
    """The innermost line of the user's code that is running: a code object and an instruction."""
    return place_of(users_frame(depth + 1))


def place_of(frame: FrameType | None) -> Place | None:
    """The line that a frame runs."""
    return None if frame is None else (frame.f_code, frame.f_lasti)


@lru_cache(maxsize=4096)
def is_users(filename: str) -> bool:
    """Whether a file is the user's: not GraphLab's, PyTorch's or Python's contextlib."""
    torchs = os.path.dirname(loaded().__file__) + os.sep
    return not filename.startswith((HERE, torchs, "<frozen", contextlib.__file__))


class Lines:
    """Which line made each node, noted while the recording is open."""

    def __init__(self) -> None:
        self._first: list[int] = []  # sequence numbers, in ascending order
        self._notes: list[tuple[int, Place]] = []  # the number after the last node, the line
        self._seen = clock()  # nodes with lower numbers are noted, or made by calls that nobody saw
        self._cuts, self._reads = Cuts(), Cuts()
        self._changes: deque[tuple[Any, int, int, Place | None]] = deque(maxlen=MOST_CHANGES)

    def note(self, before: int, after: int, where: Place | None) -> None:
        """Note that a line made the nodes numbered `before` to `after - 1`."""
        if where is not None:
            self._first.append(before)
            self._notes.append((after, where))
        self._seen = after

    def inside(self, number: int, frame: FrameType | None) -> None:
        """Note the line that called a Function of the user's, if its forward is running.

        number: the one that the next node will have; the Function's node has that before.
        """
        if number > self._seen:
            apply = loaded().autograd.Function.apply.__func__.__code__
            while frame is not None and frame.f_code is not apply:
                frame = frame.f_back
            if frame is not None:
                self.note(number - 1, number, place_of(users_from(frame)))
            self._seen = number

    @property
    def cuts(self) -> list[Cut]:
        """The cuts, with their lines; those that a program also makes to print a number last."""
        return [*self._cuts.told(), *self._reads.told()]

    def detached(self, tensor: Any, how: str, where: Place | None) -> None:
        """Note that a tensor was cut off from its graph."""
        if tensor.requires_grad:
            nodes = edges_behind([root_of(tensor)])
            leaves = [node.variable for node in nodes if is_accumulator(node)]
            cuts = self._cuts if how in ("detach()", ".data") else self._reads
            cuts.note(f"cut off by {how}", leaves, where)

    def not_recorded(self, given: Any, where: Place | None) -> None:
        """Note the leaves that were passed to a call in `no_grad`."""
        leaves = [one for one in given if is_tensor(one) and one.is_leaf and one.requires_grad]
        if leaves:
            self._cuts.note(IN_NO_GRAD, leaves, where)

    def changed(self, tensor: Any, where: Place | None) -> None:
        """Note that a tensor was changed in place."""
        self._changes.append((memory_of(tensor), version_of(tensor), clock(), where))

    def changed_after(self, tensor: Any, version: int, number: int) -> Place | None:
        """The line that first changed a tensor after a node with this number had saved it."""
        memory = memory_of(tensor)
        for one, changed_to, time, where in self._changes:
            if one == memory and changed_to > version and time > number:
                return where
        return None

    def of(self, number: int) -> Place | None:
        """The line that made a node."""
        place = bisect_right(self._first, number) - 1
        if place < 0 or number >= self._notes[place][0]:
            return None
        return self._notes[place][1]


def memory_of(tensor: Any) -> int:
    """The address of the memory that a tensor shares with its views; 0 where there is none."""
    try:
        return tensor.untyped_storage().data_ptr()
    except (NotImplementedError, RuntimeError):  # as of a sparse tensor
        return 0


def way_out(func: Any, name: str, result: Any) -> str:
    """How a call, which made no node, took something out of its graph; "" if it did not."""
    if name == "__get__":
        return ".data" if func == loaded().Tensor.data.__get__ else ""
    if name in NUMBERS:
        return f"{name.strip('_')}()"
    made_anew = name.startswith("new_") or name.endswith("_like")
    if made_anew or not is_tensor(result) or result.requires_grad:
        return ""
    return OPERATORS.get(name, f"{name}()")


def noting_lines(
    lines: Lines, called: Called, lost: Lost, refused: Callable[[Exception], None]
) -> Any:
    """A context in which each call of a torch function is noted.

    called: is told of each call that may have changed a tensor; lost: of each that made
    no node, with its result. refused: is told why `backward()` failed.
    """

    now = loaded()._C._autograd._get_sequence_nr
    recorded = loaded().is_grad_enabled

    class Noting(loaded().overrides.TorchFunctionMode):
        def __torch_function__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            before, result = now(), None
            if not recorded():
                lines.inside(before, sys._getframe(1))
            try:
                result = func(*args, **(kwargs or {}))
            except Exception as error:
                if getattr(func, "__name__", "") == "backward":
                    refused(error)
                raise
            else:
                return result
            finally:
                after = now()
                if after > before:
                    lines.note(before, after, users_place(2))
                name = getattr(func, "__name__", "")
                if changes(name) or (kwargs and kwargs.get("inplace")):
                    called(func, args)
                elif after == before:
                    lost(func, name, args, result)

    return Noting()


def modes_in_use() -> tuple[Any, ...]:
    """The modes of this thread that see calls of torch's functions, the innermost last."""
    return tuple(loaded().overrides._get_current_function_mode_stack())


@lru_cache(maxsize=4096)
def changes(name: str) -> bool:
    """Whether the function of that name changes a tensor in place, or sets an attribute of it."""
    if name in ("__set__", "__setitem__"):
        return True
    named = not name.startswith("_") or name.startswith("_foreach_")
    return name.endswith("_") and named and name != "requires_grad_"

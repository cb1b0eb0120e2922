"""What a recording remembers of PyTorch's nodes: the lines that made them, and what was changed.

PyTorch numbers its nodes as they are made, so noting the number before and after each call of a
function of torch's tells which nodes the call made.

No node is kept alive. A node is recognized by a number in its `metadata`, which lives as long as
the node; a tensor by its id and a weak reference. The stand-ins hold samples instead of arrays.

Read next: adapters/pytorch/recorded_pass.py
"""

import contextlib
import os
import sys
import weakref
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import count
from types import FrameType
from typing import Any

import numpy as np

from graphlab.adapters.native.graph_walk import Moment
from graphlab.adapters.native.optimizer_steps import is_same, why_unchanged
from graphlab.adapters.native.snapshots import differ
from graphlab.adapters.native.unreached import result_of, silent_units
from graphlab.adapters.pytorch.accessors import (
    clock,
    is_tensor,
    loaded,
    sequence_of,
    version_of,
)
from graphlab.adapters.pytorch.arrays import checksum_of, quick_sample_of
from graphlab.adapters.pytorch.exits import Exits
from graphlab.adapters.pytorch.operations import ORDERED, note_inputs
from graphlab.adapters.pytorch.stand_ins import (
    FIRST,
    PLAIN,
    StandIns,
    is_array,
    stand_in_of,
)
from graphlab.autograd.function import SavedOutput
from graphlab.autograd.node import Node, Pinned
from graphlab.autograd.users_code import Place
from graphlab.common.errors import HERE
from graphlab.graph.array_sample import ArraySample, quick_sample
from graphlab.graph.events.updates import Unchanged
from graphlab.tensor.tensor import Tensor

MOST_CHANGES = 10_000  # changes in place that are remembered, for a pass that fails
Called = Callable[[Any, tuple[Any, ...]], None]
Left = Callable[[Any, str, tuple[Any, ...], Any, Any, tuple[int, int]], None]
KEY = "graphlab.record"
HOLDS_SAMPLES = PLAIN | {Pinned, Moment, Tensor}  # once `take` has been through all tensors


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
        self._seen = clock()  # the number after the last node that was seen
        self.exits = Exits()
        self._changes: deque[tuple[Any, int, int, Place | None]] = deque(maxlen=MOST_CHANGES)

    def note(self, before: int, after: int, where: Place | None) -> None:
        """Note that a line made the nodes numbered `before` to `after - 1`."""
        if where is not None:
            self._first.append(before)
            self._notes.append((after, where))
        self._seen = after

    def inside(self, number: int, frame: FrameType | None) -> None:
        """Note the line that called a Function of the user's, if its forward is running.

        number: of the next node; that of the Function's is one less.
        """
        if number > self._seen:
            apply = loaded().autograd.Function.apply.__func__.__code__
            while frame is not None and frame.f_code is not apply:
                frame = frame.f_back
            if frame is not None:
                self.note(number - 1, number, place_of(users_from(frame)))
            self._seen = number

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


def noting_lines(
    lines: Lines, called: Called, left: Left, refused: Callable[[Exception], None]
) -> Any:
    """A context in which each call of a torch function is noted.

    called: is told of each call that may have changed a tensor; left: of each whose result may be
    outside its graph, with the nodes that it made. refused: is told why `backward()` failed.
    """

    now = loaded()._C._autograd._get_sequence_nr
    recorded, marked = loaded().is_grad_enabled, lines.exits.marked

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
                name = getattr(func, "__name__", "")
                if after > before:
                    lines.note(before, after, users_place(2))
                if after == before + 1 and name in ORDERED and args and is_tensor(result):
                    note_inputs(result, name, args)
                if kwargs and kwargs.get("out") is not None:
                    called(func, (kwargs["out"],))
                if changes(name) or (kwargs and kwargs.get("inplace")):
                    called(func, args)
                    left(func, name, args[1:], kwargs, args[:1], (before, after))
                elif after == before or marked or not is_tensor(result):
                    left(func, name, args, kwargs, result, (before, after))

    return Noting()


def modes_in_use() -> tuple[Any, ...]:
    """The modes of this thread that see calls of torch's functions, the innermost last."""
    return tuple(loaded().overrides._get_current_function_mode_stack())


@lru_cache(maxsize=4096)
def changes(name: str) -> bool:
    """Whether the function of that name changes a tensor in place, or sets an attribute of it."""
    if name in ("__set__", "__setitem__"):
        return True
    return name.endswith("_") and not name.startswith("__") and name != "requires_grad_"


class Memory:
    """The stand-ins of one recording; recorded_timeline.py reads it as it reads Snapshots.

    look: notes whether a known tensor has changed since it was last seen.
    """

    def __init__(self, look: Callable[[Any, Tensor], None]) -> None:
        self.look = look
        self._key = KEY, id(self)  # in the metadata of nodes
        self._numbers = count()
        self._nodes: dict[int, Node] = {}  # number of a node -> its stand-in
        self.ran_in_passes: set[int] = set()  # PyTorch's sequence numbers of these nodes
        self._tensors: dict[int, tuple[Any, Tensor]] = {}  # id -> weak reference, stand-in
        self.addresses: dict[Tensor, int] = {}  # stand-in of a leaf -> the address of its memory
        self._parameters: set[Tensor] = set()  # stand-ins of the parameters of modules
        self.latest: dict[Tensor, ArraySample] = {}  # stand-in of a tensor -> what it held last
        self.versions: dict[Tensor, int] = {}  # stand-in of a tensor -> its version by then
        self.results: dict[Node, tuple[Any, ...]] = {}
        self.made_by: dict[Node, Node] = {}
        self.late: set[Any] = set()
        # results that were changed in place since the last pass: node, output, the tensor by now
        self.went_on: list[tuple[int, int, Any]] = []
        self._rules: list[tuple[int, int, Node]] = []  # first and last number, and the node

    def living(self) -> dict[Any, Any]:
        """Nothing: a PyTorch recording shows no entries but those of its samples."""
        return {}

    def found(self, number: int, _: Any) -> Node | None:
        """The stand-in of the node with a number, once a pass has seen it."""
        return self._nodes.get(number)

    def number(self, node: Any) -> int:
        """The number of a node, which it gets when it is first seen."""
        return node.metadata.setdefault(self._key, next(self._numbers))

    def node(self, node: Any) -> Any:
        """The stand-in of a node, or None."""
        return self._nodes.get(node.metadata.get(self._key, -1))

    def keep_node(self, node: Any, stand_in: Node) -> None:
        """Remember a node."""
        self._nodes[self.number(node)] = stand_in
        self.ran_in_passes.add(sequence_of(node))
        if self._rules:
            place = bisect_right(self._rules, stand_in._sequence, key=lambda rule: rule[0]) - 1
            if place >= 0 and stand_in._sequence < self._rules[place][1]:
                self.made_by[stand_in] = self._rules[place][2]

    def tensor(self, tensor: Any) -> Tensor | None:
        """The stand-in of a tensor, or None."""
        known = self._tensors.get(id(tensor))
        return known[1] if known is not None and known[0]() is tensor else None

    def keep_tensor(self, tensor: Any, stand_in: Tensor) -> None:
        """Remember a tensor."""
        self._tensors[id(tensor)] = weakref.ref(tensor), stand_in
        if stand_in._needs and stand_in._node is None:
            self.addresses[stand_in] = memory_of(tensor)
        if isinstance(tensor, loaded().nn.Parameter):
            self._parameters.add(stand_in)

    def is_parameter(self, stand_in: Tensor) -> bool:
        """Whether a stand-in is that of a parameter of a module."""
        return stand_in in self._parameters

    def meet(self, leaf: Any) -> Tensor:
        """Remember a leaf that no pass has reached yet."""
        stand_in = stand_in_of(leaf)
        without_arrays(stand_in)
        self.keep_tensor(leaf, stand_in)
        self.latest[stand_in] = stand_in._data
        return stand_in

    def tensors(self) -> list[tuple[Any, Tensor]]:
        """The tensors that are known and still exist, with their stand-ins."""
        pairs = [(reference(), stand_in) for reference, stand_in in self._tensors.values()]
        return [(tensor, stand_in) for tensor, stand_in in pairs if tensor is not None]

    def ran(self, node: Node, first: int, last: int) -> None:
        """Note that the rules of a node made the nodes with these sequence numbers."""
        if last > first:
            self._rules.append((2 * (FIRST + first), 2 * (FIRST + last), node))

    def take(self, stand_ins: StandIns, results: dict[Node, tuple[Any, ...]]) -> None:
        """Keep the stand-ins of a graph, with samples instead of arrays."""
        for node, made in results.items():
            self.results[node] = tuple(map(sampled, made))
        for original in stand_ins.new:
            node = stand_ins.of[original]
            if not holds_samples(node._saved or ()):
                silent = silent_units(node)
                node._saved = sampled(node._saved)
                if silent and isinstance(held := result_of(node), ArraySample):
                    held.idle = silent
            if not holds_samples(node._options):
                node._options = sampled(node._options)
            if node._extra and "worked out" in node._extra:
                told = node._extra["worked out"]
                node._extra["worked out"] = {name: sampled(one) for name, one in told.items()}
            self.keep_node(original, node)
        for tensor, stand_in in stand_ins.tensors():
            if self.tensor(tensor) is not stand_in:
                without_arrays(stand_in)
                self.keep_tensor(tensor, stand_in)
                if isinstance(stand_in._data, ArraySample):
                    self.latest[stand_in] = stand_in._data


def holds_samples(items: Iterable[Any]) -> bool:
    """Whether none of some values holds an array."""
    return HOLDS_SAMPLES.issuperset(map(type, items))


def without_arrays(stand_in: Tensor) -> None:
    """Put samples in place of the arrays of a stand-in."""
    stand_in._data = sampled(stand_in._data)
    if stand_in._grad is not None:
        stand_in._grad._data = sampled(stand_in._grad._data)


def sampled(item: Any) -> Any:
    """A value that a node holds, without its array."""
    kind = type(item)
    if kind in HOLDS_SAMPLES:
        return item
    if kind is np.ndarray:
        return quick_sample(item)
    if kind is SavedOutput:
        item.data = sampled(item.data)
        return item
    if kind is tuple or kind is list:
        return item if holds_samples(item) else tuple(map(sampled, item))
    return quick_sample(item) if is_array(item) else item


def leaves_of(stand_ins: StandIns) -> list[tuple[Any, Tensor]]:
    """The leaves of a graph, with their stand-ins."""
    return [(leaf, stand_ins.of[node]) for node, leaf in stand_ins.accumulators.items()]


# -- the step of an optimizer -------------------------------------------------------------------


def before_step(memory: Memory, optimizer: Any) -> list[Any]:
    """What the parameters of an optimizer hold before its step."""
    was = []
    for group in optimizer.param_groups:
        for leaf in group["params"]:
            stand_in = memory.tensor(leaf)
            if stand_in is None:
                stand_in = memory.meet(leaf)
            else:
                memory.look(leaf, stand_in)
            held = memory.latest.get(stand_in), version_of(leaf), checksum_of(leaf)
            was.append((leaf, group, stand_in, *held))
    return was


def after_step(memory: Memory, optimizer: Any, was: list[Any]) -> tuple[list[Any], list[Tensor]]:
    """The parameters that a step changed, or tried to, and all that it was given."""
    changes = []
    for leaf, group, stand_in, before, version, sums in was:
        after = memory.latest[stand_in] = quick_sample_of(leaf)
        now = memory.versions[stand_in] = version_of(leaf)
        if now != version or differ(before, after):
            why: Unchanged = ""
            if is_same(before, after, (sums, sums and checksum_of(leaf))):
                grad = None if leaf.grad is None else leaf.grad.detach()
                why = why_unchanged(type(optimizer).__name__, group, grad)
            changes.append((stand_in, before, after, now, why))
    return changes, [stand_in for _, _, stand_in, *_ in was]

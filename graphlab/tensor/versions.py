"""What tensors that share memory share: a count of changes in place, and a list of views.

Read next: autograd/views.py
"""

import weakref
from collections.abc import Callable
from itertools import count
from typing import Any, ClassVar

sequence_numbers = count()  # each node, and each change in place, takes the next one
next_sequence = sequence_numbers.__next__


def upcoming_sequence() -> int:
    """The number that `next_sequence()` would return; it is not used up."""
    return int(repr(sequence_numbers)[len("count(") : -1])


class Version:
    """The number of changes in place of the memory of a tensor and its views, and the last one."""

    __slots__ = ("changed", "count", "past", "room", "views")
    current: ClassVar[Any] = None  # the class of tensors; autograd/views.py sets both
    outdated: ClassVar[Any] = None  # the class of a view whose history is out of date
    loaders: ClassVar[list[Callable[[], Any]]] = []  # what loads that module, at the first change

    def __init__(self, count: int = 0) -> None:
        self.count = count
        self.changed = [-1]  # nodes with a higher number read the present data; `.data` shares it
        self.views: list[weakref.ref[Any]] = []
        self.past = 0  # as many of the first views are out of date
        self.room = 8  # when `views` is as long, references to dead views are removed

    def advance(self) -> None:
        """Count a change of the memory; the histories of all views are now out of date."""
        self.count += 1
        self.changed[0] = next_sequence()
        if self.views and Version.loaders:
            for load in (*Version.loaders,):
                load()  # this waits if another thread is importing the module
            Version.loaders.clear()
        for reference in self.views[self.past :]:
            view = reference()
            if view is not None and type(view) is Version.current:
                view.__class__ = Version.outdated
        self.past = len(self.views)

    def add(self, view: Any) -> None:
        """Register another view of the memory, or one that is up to date again."""
        if len(self.views) >= self.room:
            living = {id(x): x for x in self.views if x() is not None}  # each view once
            self.views = [*living.values()]
            self.past, self.room = 0, max(8, 2 * len(self.views))
        self.views.append(weakref.ref(view))


class Rare:
    """Fields that few tensors have; made when the first of them is needed."""

    __slots__ = (
        "accumulate", "base", "base_needs", "cut", "decision", "detached", "grad_dtype", "hooks",
        "inference", "left", "moved", "origin", "read", "retains_grad", "version",
    )  # fmt: skip

    def __init__(self) -> None:
        self.version: Version | None = None
        self.base: Any = None  # the tensor that this one is a view of
        self.origin = ""  # what kind of view: "" or, when it may not be changed, the reason
        self.base_needs = False  # it requires a gradient only because its base does
        self.cut: Any = None  # of a result of `detach()`: a weak reference to the old node
        self.read: tuple[Any, ...] | None = None  # what it was computed from, not recorded: weak
        self.left = 0  # in a recording: the lines at which its values left a graph, a bit for each
        self.moved = -1  # nodes with a higher number read the memory that it was given by `.data =`
        self.decision: Any = None  # how a mask was made: a Decision of autograd/decisions.py
        self.detached = 0  # how often it was taken out of a graph in place
        self.inference = False  # it was made in inference mode
        self.accumulate: weakref.ref[Any] | None = None  # the leaf's AccumulateGrad
        self.hooks: Any = None  # of a leaf, and of its AccumulateGrad
        self.retains_grad = False
        self.grad_dtype: Any = ...  # the type of a leaf's gradients; None: any; ...: its own


def grad_type(tensor: Any) -> Any:
    """Return NumPy's type of the gradients of a tensor; None: any type."""
    more = tensor._more
    if more is None or more.grad_dtype is ...:
        return tensor._data.dtype
    return more.grad_dtype and more.grad_dtype.numpy


FURTHER = (1, 2, 3, 4, 5)  # operations: (x * x).sum().item() is read out of x, too


def behind(edge: Any) -> tuple[Callable[[], Any], ...]:
    """Return weak references to an edge, and to those that follow it along the first inputs."""
    found = [weakref.ref(edge)]
    for _ in FURTHER:
        if edge._edge != 1:  # a node
            break
        targets = edge._next
        edge = next((x for x in targets if x is not None), None)
        if edge is None:
            break
        found.append(weakref.ref(edge))
    return tuple(found)


def reference_to(tensor: Any) -> Callable[[], Any] | None:
    """Return a weak reference to where the gradient of `tensor` goes, None if it needs none."""
    if not tensor._needs:
        return None
    try:
        return weakref.ref(tensor._node or tensor)
    except (TypeError, RuntimeError):  # one of several results of a node; a forbidden view
        return lambda: None

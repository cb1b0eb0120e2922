"""Branches: that a program asked a tensor for its truth, as `if x > 0:` does.

A graph does not show which way an `if` went, so it holds for values that go the same way only. A
tensor that is made into a bool is noted with what it was calculated from: the formula as data, and
weak references to nodes and leaves. Only `bool()` does this, and the last 200 are kept.

Read next: adapters/branches_taken.py
"""

import weakref
from collections import deque
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from graphlab.autograd.context import Context
from graphlab.autograd.node import Output, edge_of
from graphlab.autograd.views import CopySlices
from graphlab.tensor.tensor import Tensor
from graphlab.tensor.versions import sequence_numbers

MOST_NODES = 8  # operations that a branch remembers
MOST_ENTRIES = 64  # of a constant among them
UNKNOWN = (Context, CopySlices)  # nodes without a formula of their own
PLAIN = (int, float, bool, type(None))


class Made(NamedTuple):
    """A value that decided: what it was calculated from.

    origin: a weak reference to its node or leaf; None for a mask. output: which output of the node.
    function: an operation, or a function of NumPy; None: it is not known any more. inputs: Made,
    arrays, numbers or None. options: of the operation, by name.
    """

    origin: Any
    output: int
    function: Any
    inputs: tuple[Any, ...]
    options: Mapping[str, Any]


class Branch(NamedTuple):
    """How a tensor was asked for its truth. when: the number of the next node that was made."""

    made: Made
    outcome: bool
    when: int


GONE: Any = lambda: None  # noqa: E731  (a reference to what is not there any more)
branches: deque[Branch] = deque(maxlen=200)


def note(tensor: Tensor, outcome: bool) -> None:
    """Note that `tensor` was asked for its truth, if that depends on a leaf or a result."""
    if not tensor._needs:
        made = of_mask(tensor)
    elif (edge := edge_of(tensor)) is not None:
        made = Made(None, 0, np.not_equal, (source(edge, [MOST_NODES], MOST_ENTRIES), 0), {})
    else:
        made = None
    if made is not None:
        branches.append(Branch(made, outcome, int(repr(sequence_numbers)[6:-1])))  # "count(7)"


def of_mask(mask: Any, most: int = MOST_ENTRIES, room: list[int] | None = None) -> Made | None:
    """How a mask was made; None when it does not remember. most: entries of a constant."""
    more = mask._more if isinstance(mask, Tensor) else None
    decision = None if more is None else more.decision
    if decision is None:
        return None
    room = [MOST_NODES] if room is None else room
    inputs = []
    for reference, constant in zip(decision.edges, decision.constants, strict=True):
        if reference is None:
            inputs.append(of_mask(constant, most, room) or held(constant, most))
        elif (edge := reference()) is None:
            return None  # the graph behind it is gone
        else:
            inputs.append(source(edge, room, most))
    return Made(None, 0, decision.function, tuple(inputs), decision.options)


def source(edge: Any, room: list[int], most: int) -> Made:
    """How the value of an edge was made, as far as there is room."""
    if isinstance(edge, Tensor):
        return Made(weakref.ref(edge), 0, None, (), {})
    start, index = (edge.node, edge.index) if isinstance(edge, Output) else (edge, 0)
    if room[0] <= 0 or start.op.variadic or isinstance(start, UNKNOWN):
        return Made(weakref.ref(start), index, None, (), {})
    room[0] -= 1
    op = start.op
    edges = dict(zip(op.rules, start._next, strict=True))
    kept = start._constants or (None,) * len(op.inputs)
    inputs = tuple(
        source(edges[name], room, most) if edges.get(name) is not None else held(constant, most)
        for name, constant in zip(op.inputs, kept, strict=False)
    )
    options = dict(zip(op.options, start._options, strict=False))
    return Made(weakref.ref(start), index, op, inputs, options)


def held(constant: Any, most: int) -> Any:
    """A constant without its tensor; one that is too large is not kept."""
    if type(constant) in PLAIN:
        return constant
    data = constant._data if isinstance(constant, Tensor) else constant
    return data if np.size(data) <= most else Made(GONE, 0, None, (), {})

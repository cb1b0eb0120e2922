"""Branches: the decisions of a program that depend on a tensor, as `if x > 0:` does.

A graph does not show which way an `if` went, so it is right only for values that go the same way.
Whenever a tensor is converted to bool, a record is kept of what it was calculated from: the formula
as data, with weak references to nodes and leaves. The last 200 records are kept.

Read next: adapters/native/branches_taken.py
"""

import weakref
from collections import deque
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from graphlab.autograd.context import Context
from graphlab.autograd.node import Output, edge_of
from graphlab.autograd.users_code import Place, place
from graphlab.autograd.views import CopySlices
from graphlab.tensor.tensor import Tensor
from graphlab.tensor.versions import upcoming_sequence

MOST_NODES = 8  # the most operations in a record
MOST_ENTRIES = 64  # the most entries of a constant in a record
UNKNOWN = (Context, CopySlices)  # nodes without a formula of their own
PLAIN = (int, float, bool, type(None))


class Made(NamedTuple):
    """What a value was calculated from.

    origin: a weak reference to its node or leaf; None for a mask. output: which output of the node.
    function: an operation or a NumPy function; None if it is unknown. inputs: of the function, each
    a Made, an array, a number or None. options: of the operation, by name.
    """

    origin: Any
    output: int
    function: Any
    inputs: tuple[Any, ...]
    options: Mapping[str, Any]


class Branch(NamedTuple):
    """The conversion of a tensor to a bool, `outcome`.

    when: the next node's sequence number. where: the place of the program.
    """

    made: Made
    outcome: bool
    when: int
    where: Place | None


GONE: Any = lambda: None  # a dead reference
branches: deque[Branch] = deque(maxlen=200)


def note(tensor: Tensor, outcome: bool) -> None:
    """Record that `tensor` was converted to a bool, if it depends on a leaf or a node."""
    if not tensor._needs:
        made = of_mask(tensor)
    elif (edge := edge_of(tensor)) is not None:
        made = Made(None, 0, np.not_equal, (source(edge, [MOST_NODES], MOST_ENTRIES), 0), {})
    else:
        made = None
    if made is not None:
        branches.append(Branch(made, outcome, upcoming_sequence(), place(3)))


def of_mask(
    mask: Any,
    most: int = MOST_ENTRIES,
    room: list[int] | None = None,
    known: dict[Tensor, Made | None] | None = None,
) -> Made | None:
    """Return how a mask was made, None if that is unknown.

    most: the most entries of a constant. room: how many more operations fit into the record. known:
    the masks that were read before; one that others use twice is the same object in both.
    """
    more = mask._more if isinstance(mask, Tensor) else None
    decision = None if more is None else more.decision
    if decision is None:
        return None
    room = [MOST_NODES] if room is None else room
    known = {} if known is None else known
    if mask in known:
        return known[mask]
    known[mask] = None
    inputs = []
    for reference, constant in zip(decision.edges, decision.constants, strict=True):
        if reference is None:
            inputs.append(of_mask(constant, most, room, known) or held(constant, most))
        elif (edge := reference()) is None:
            return None  # the graph behind it is gone
        else:
            inputs.append(source(edge, room, most))
    known[mask] = made = Made(None, 0, decision.function, tuple(inputs), decision.options)
    return made


def source(edge: Any, room: list[int], most: int) -> Made:
    """Return how the value of an edge was made, in as many operations as fit."""
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
    """Return the data of a constant; a dead reference in place of a large one."""
    if type(constant) in PLAIN:
        return constant
    data = constant._data if isinstance(constant, Tensor) else constant
    return data if np.size(data) <= most else Made(GONE, 0, None, (), {})

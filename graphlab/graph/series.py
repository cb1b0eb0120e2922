"""A series is one number for each backward pass of a recording, such as the loss or a weight.

The numbers are read from the texts of events, so they have 5 digits. The player reads the same
series from the trace (js/src/series.ts).

Read next: graph/timeline.py
"""

import math
from collections.abc import Iterable, Sequence

from graphlab.graph.events import (
    ChangedInPlace,
    Event,
    GradReturned,
    LeafWritten,
    OptimizerStepped,
    PassBegan,
)
from graphlab.graph.model import Graph
from graphlab.graph.value import Value

LOGICAL = {"True": 1.0, "False": 0.0}


def series(graph: Graph, events: Sequence[Event]) -> dict[str, list[Value | None]]:
    """The values of every root, leaf and leaf's `.grad` by name, one for each pass, or None.

    Each pass has its own tensors, which are matched by name: in a loop, each pass has its own loss.
    The value of a leaf is that at the beginning of the pass; "w.grad" is what the pass left in it,
    or what `autograd.grad` returned.
    """
    found: dict[str, list[Value | None]] = {}
    tensors = {tensor.id: tensor for tensor in graph.tensors}
    leaf_of = {node.id: node.variable for node in graph.nodes}
    place = {identity: k for k, identity in enumerate(tensors)}
    now: dict[str, Value] = {}  # current values of leaves that were changed
    count = 0  # passes so far

    def note(name: str, value: Value | None) -> None:
        listed = found.setdefault(name, [])
        listed += [None] * (count - len(listed))
        if value is not None:
            listed[-1] = value

    def begin(roots: Iterable[str], nodes: Iterable[str]) -> None:
        nonlocal count
        count += 1
        for root in roots:
            note(tensors[root].label, now.get(root, tensors[root].value))
        for leaf in sorted(filter(None, map(leaf_of.get, nodes)), key=place.__getitem__):
            if name := tensors[leaf].name:
                note(name, now.get(leaf, tensors[leaf].value))
                note(f"{name}.grad", None)

    if events and not any(isinstance(event, PassBegan) for event in events):
        begin([graph.root], leaf_of)  # a rehearsal, which is one pass
    for event in events:
        match event:
            case PassBegan():
                begin(event.roots, [node for node, _ in event.waits])
            case LeafWritten() if (name := f"{tensors[event.tensor].name}.grad") in found:
                note(name, event.after)
            case GradReturned() if (name := f"{tensors[event.tensor].name}.grad") in found:
                note(name, event.value)
            case ChangedInPlace(recorded=False):
                now[event.tensor] = event.after
            case OptimizerStepped():
                now.update({one.tensor: one.after for one in event.changes})
    return {
        name: listed + [None] * (count - len(listed))
        for name, listed in found.items()
        if any(value is not None for value in listed)
    }


def magnitude(value: Value | None) -> float:
    """A single number itself; the Euclidean norm of an array; nan for None.

    >>> from graphlab.graph.value import summarise
    >>> magnitude(summarise(-2.0)), magnitude(summarise([3.0, 4.0])), magnitude(None)
    (-2.0, 5.0, nan)
    """
    if value is None:
        return math.nan
    if value.norm or math.prod(value.shape) == 1:
        return number_of(value.norm or value.text)
    if value.kept and (found := value.statistics):  # a large array in a rehearsal
        if found.nan or found.pos_inf or found.neg_inf:
            return math.nan if found.nan else math.inf
        count, mean, std = math.prod(value.shape), number_of(found.mean), number_of(found.std)
        return math.hypot(math.sqrt(count - 1) * std, math.sqrt(count) * mean)
    return math.hypot(*map(number_of, value.texts)) if value.entries else 0.0


def entry_of(value: Value | None, place: int) -> float:
    """One entry, by its index into the flattened array; nan if the trace does not have it.

    >>> from graphlab.graph.value import summarise
    >>> entry_of(summarise([3.0, 4.0]), 1)
    4.0
    """
    if value is None:
        return math.nan
    texts = value.texts
    return math.nan if value.kept or place >= len(texts) else number_of(texts[place])


def number_of(text: str) -> float:
    """The number that a text stands for; nan if it is complex, or the text was cut off."""
    try:
        return LOGICAL[text] if text in LOGICAL else float(text)
    except ValueError:
        return math.nan

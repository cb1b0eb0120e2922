"""What a widget and a running kernel tell each other: entries, edited leaves, cells that ran.

A trace holds only a corner of a large array. The player requests one window at a time. It is read
from the tensor itself, if that still exists and has not changed since it was recorded.

The values of leaves that a stepper shows instead of the recorded ones are checked when set. They
change the picture only: the tensors in the kernel stay as they are.

IPython calls one function for the stale badges of all widgets, which refers to them weakly. Without
IPython nothing is updated.

Read next: js/src/cards/arrays.ts
"""

import weakref
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, cast

import numpy as np

from graphlab.common.notebook import cell_of, cells_run, shell
from graphlab.graph.array_sample import quick_sample, sample
from graphlab.graph.codec import decode, encode
from graphlab.graph.model import Graph, TensorInfo
from graphlab.graph.timeline import Timeline
from graphlab.graph.value import number_text, summarise

MOST_ENTRIES = 400  # in one answer
GONE = "The kernel no longer holds this array: only the recorded entries can be shown."
CHANGED = "This array has changed since it was recorded: only the recorded entries can be shown."


def answer(timeline: Timeline, ask: Any) -> dict[str, Any]:
    """Return the requested entries, {"ask": n, "entries": [...]}, or {"ask": n, "why": "..."}.

    ask: {"ask": n, "value": "t5" or "t5.grad", "like": the value as recorded, "at": [...],
        "rows": [from, to], "cols": [from, to]}. It comes from a page and is not trusted.
    """
    number = ask.get("ask") if isinstance(ask, Mapping) else None
    try:
        return {"ask": number, "entries": _window(timeline, ask)}
    except (LookupError, ValueError, TypeError) as error:
        known = isinstance(error, LookupError) and error.args[:1] in ((GONE,), (CHANGED,))
        return {
            "ask": number,
            "why": error.args[0] if known else f"There is no such part: {error}.",
        }


def _window(timeline: Timeline, ask: Any) -> list[str]:
    held = timeline.live.get(decode(str, ask["value"], "value"))
    array = held() if held is not None else None
    if array is None:
        raise LookupError(GONE)
    like = _listed(ask["like"])
    # If a large array was recorded without statistics, only its corner is compared.
    bare = isinstance(like, dict) and like["statistics"] is None
    look = quick_sample if bare else sample
    if encode(summarise(look(array))) != like:
        raise LookupError(CHANGED)
    at = decode(tuple[int, ...], ask["at"], "at")
    rows = decode(tuple[int, int], ask["rows"], "rows")
    cols = decode(tuple[int, int], ask["cols"], "cols")
    matrix = np.asarray(array)
    matrix = matrix if matrix.ndim > 1 else matrix.reshape(1, -1)
    if len(at) != matrix.ndim - 2:
        raise ValueError(f"{len(at)} indexes before rows and columns, for {matrix.ndim} dimensions")
    spans = [(k, k + 1) for k in at] + [rows, cols]
    for (start, stop), length in zip(spans, matrix.shape, strict=True):
        if not 0 <= start < stop <= length:
            raise ValueError(f"{start} to {stop} of {length}")
    part = matrix[tuple(slice(start, stop) for start, stop in spans)]
    if part.size > MOST_ENTRIES:
        raise ValueError(f"{part.size} entries at once, more than {MOST_ENTRIES}")
    return [number_text(entry) for entry in part.reshape(-1).tolist()]


def _listed(value: Any) -> Any:
    """Return a value as it was recorded: a page may omit what is null."""
    return {"statistics": None, **value} if isinstance(value, dict) else value


def editable_leaves(graph: Graph) -> dict[str, TensorInfo]:
    """Return the floating-point leaves by name; by id if they have no name or share one.

    >>> import graphlab
    >>> x = graphlab.tensor(3.0, requires_grad=True)
    >>> list(editable_leaves(graphlab.trace(x * x).graph))
    ['x']
    """
    leaves = [tensor for tensor in graph.tensors if tensor.is_leaf]
    count = Counter(tensor.name for tensor in leaves)
    named = {t.name if t.name and count[t.name] == 1 else t.id: t for t in leaves}
    floating = "float16", "float32", "float64"
    return {name: t for name, t in named.items() if t.value and t.value.dtype in floating}


def checked_edits(graph: Graph, edits: Any) -> dict[str, Any]:
    """Return `edits` as numbers and nested lists, by the names of leaves.

    edits: name of a leaf -> a number, or an array of its shape: lists, a NumPy array, a tensor.
    Raises: ValueError for a name that no leaf has, for an array of another shape, and for entries
        that are not finite or are too large for the dtype of the leaf.

    >>> import graphlab
    >>> x = graphlab.tensor([1.0, 2.0], requires_grad=True)
    >>> checked_edits(graphlab.trace((x * x).sum()).graph, {"x": np.array([3, 4])})
    {'x': [3.0, 4.0]}
    """
    if not isinstance(edits, dict):
        raise ValueError(f"edits must be a dict of leaf names: {{'d': -1.0}}, got {edits!r}")
    leaves = editable_leaves(graph)
    given = cast("dict[Any, Any]", edits)
    return {name: _entries(name, value, leaves) for name, value in given.items()}


def _entries(name: Any, value: Any, leaves: dict[str, TensorInfo]) -> Any:
    leaf = leaves.get(name) if isinstance(name, str) else None
    if leaf is None or leaf.value is None:
        known = f"must be one of {sorted(leaves)}" if leaves else "this graph has none"
        raise ValueError(f"no floating-point leaf is called {name!r} ({known})")
    shape, dtype = leaf.value.shape, leaf.value.dtype
    try:
        array = np.asarray(value.tolist() if hasattr(value, "tolist") else value)
    except ValueError:  # rows of different lengths
        array = np.asarray(None)
    if array.dtype.kind not in "iuf":
        raise ValueError(f"{name} takes numbers of shape {shape}, got {value!r}")
    if array.shape != shape and not array.size == np.prod(shape, dtype=int) == 1:
        raise ValueError(f"{name} has shape {shape}, got an array of shape {array.shape}")
    with np.errstate(over="ignore"):
        held = array.astype(dtype)
    if not np.isfinite(held).all():
        raise ValueError(f"{name} takes finite numbers that {dtype} can hold, got {value!r}")
    return array.astype(np.float64).reshape(shape).tolist()


# -- the stale badge, updated after each cell ---------------------------------------------------

UNKNOWN = object()


class Stalable(Protocol):
    """A widget with a stale badge. stale: why it is out of date; "" if it is up to date."""

    stale: Any


@dataclass(slots=True)
class Watched:
    """A widget's cell, UNKNOWN until it ends, and the cells that ran before it, by id."""

    watch: Callable[[bool], str]
    before: frozenset[Any]
    cell: Any = UNKNOWN


_watched: weakref.WeakKeyDictionary[Any, Watched] = weakref.WeakKeyDictionary()


def tell(widget: Stalable, watch: Callable[[bool], str]) -> None:
    """Set `widget.stale` to the result of `watch` after each cell from now on.

    `watch` is told whether that is a later cell, one that had not run when the widget was made.
    """
    running = shell()
    if running is None:
        return
    _watched[widget] = Watched(watch, frozenset(cells_run))
    if after_cell not in running.events.callbacks["post_run_cell"]:
        running.events.register("post_run_cell", after_cell)


def forget(widget: Stalable) -> None:
    """Stop updating a widget."""
    _watched.pop(widget, None)


def after_cell(result: Any = None) -> None:
    """Update all widgets; IPython does not call this for silent requests, such as the panel's.

    A cell without an id, as in a console, is not a later one.
    """
    cell = cell_of(result)
    for widget, watched in list(_watched.items()):
        if watched.cell is UNKNOWN:
            watched.cell = cell
        later = cell not in {None, watched.cell, *watched.before}
        widget.stale = watched.watch(later)

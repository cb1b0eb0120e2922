"""The cause of a failed backward pass is often not the line that made the failing node.

It is the line that changed a saved tensor in place, the call that freed the graph, or a line in the
backward of a custom Function.

Read next: adapters/recorded_timeline.py
"""

from collections.abc import Iterable
from types import CodeType
from typing import Any

from graphlab.adapters.namespace import LIBRARIES
from graphlab.graph.events import ChangedInPlace, Event, Failed, PassBegan
from graphlab.graph.model import Graph, Source

Cause = tuple[str, Source | None]  # why, and the line


def raised_at(error: BaseException) -> tuple[str, tuple[CodeType, int]] | None:
    """A sentence, and the last instruction of the user's code in an error's traceback, or None."""
    found, trace = None, error.__traceback__
    while trace is not None:
        if not trace.tb_frame.f_code.co_filename.startswith(LIBRARIES):
            found = trace.tb_frame.f_code, trace.tb_lasti
        trace = trace.tb_next
    return found and ("The error was raised here", found)


def message_of(error: BaseException) -> str:
    """The message of an error, after its type unless that is PyTorch's usual RuntimeError."""
    if isinstance(error, RuntimeError) and str(error):
        return str(error)
    return f"{type(error).__name__}: {error}".rstrip(": ")


def cause_of(failed: Failed, graph: Graph, events: Iterable[Event]) -> Cause:
    """Why a pass failed, and the line that caused it, from the events that were recorded before."""
    if "modified by an inplace operation" in failed.message:
        return _changed(failed, graph, events)
    if "backward through the graph a second time" in failed.message:
        return _freed(failed, events)
    return "", None


def _changed(failed: Failed, graph: Graph, events: Iterable[Event]) -> Cause:
    """The first change of a tensor after the node saved it."""
    node = graph.node(failed.node)
    saved = [item for item in node.saved if item.version_now != item.version_saved]
    tensors: set[Any] = {*node.inputs, *node.outputs, *(item.tensor for item in saved)}
    least = min((item.version_saved for item in saved), default=0)
    for event in events:
        if isinstance(event, ChangedInPlace) and event.tensor in tensors and event.version > least:
            return f"{event.name} was changed in place after it was saved", event.source
    return "", None


def _freed(failed: Failed, events: Iterable[Event]) -> Cause:
    """The earlier pass that ran the node and freed its saved tensors."""
    found: Cause = "", None
    *earlier, _ = [event for event in events if isinstance(event, PassBegan)]
    for event in earlier:
        if not event.keeps_graph and failed.node in dict(event.waits):
            found = "This call freed the graph; retain_graph=True keeps it", event.source
    return found

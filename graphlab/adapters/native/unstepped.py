"""Parameters that get gradients, but that no optimizer steps, with the reason.

Read next: graph/causes.py
"""

from collections.abc import Callable, Iterable
from typing import Any

from graphlab.adapters.namespace import Library, join
from graphlab.adapters.native.facts import PassNotes
from graphlab.adapters.native.source_lines import source_at
from graphlab.autograd.users_code import Place
from graphlab.graph.model import Graph, Unreached
from graphlab.tensor.tensor import Tensor

NOT_GIVEN = "no optimizer steps it"
CLEARED = "its gradient is cleared before step()"
LATE = "step() runs before its gradient is there"


def unstepped_by(
    entries: Iterable[Any],
    id_of: Callable[[Any], str | None],
    parameters: Iterable[tuple[str, Any]],
    graph: Graph,
) -> tuple[Unreached, ...]:
    """The parameters that no step changed, although a pass wrote their gradients.

    entries: what the recording noted. id_of: the id of a snapshot's tensor. parameters: names and
    snapshots. () if no optimizer took a step.
    """
    written: set[str | None] = set()
    stepped: set[str | None] = set()
    given: set[str | None] = set()
    cleared: dict[str | None, Place] = {}  # gradients that are None now -> since which line
    why: dict[str | None, tuple[str, Place | None]] = {}
    took_a_step = False
    for entry in entries:
        if isinstance(entry, PassNotes):
            wrote = {
                id_of(fact[1][0])
                for fact in entry.facts
                if fact[0] == "wrote" and isinstance(fact[1][0], Tensor)
            }
            written |= wrote
            for one in wrote:
                cleared.pop(one, None)
        elif entry[0] == "cleared" and entry[2] is None:
            cleared[id_of(entry[1])] = entry[3]
        elif entry[0] == "stepped":
            took_a_step = True
            changed = {id_of(snapshot) for snapshot, *_ in entry[2]}
            stepped |= changed
            given = {id_of(snapshot) for snapshot in entry[4]}
            for one in given - changed:
                why[one] = (CLEARED, cleared[one]) if one in cleared else (LATE, None)
    lost = (written - stepped - {None}) if took_a_step else set()
    names: dict[str | None, str] = {}
    for name, snapshot in parameters:
        names.setdefault(id_of(snapshot), name)
    for tensor in graph.tensors:  # a module that is gone
        if "." in tensor.label:
            names.setdefault(tensor.id, tensor.label)
    found = []
    for one, name in names.items():
        if one in lost:
            said, place = why.get(one, (NOT_GIVEN, None))
            found.append(Unreached(name, said, None if place is None else source_at(place)))
    return tuple(found)


def parameters_of(
    library: Library, held: list[tuple[str, Any]], find: Callable[[Any], Any]
) -> list[tuple[str, Any]]:
    """The parameters of the user's modules: their full names, and their snapshots."""
    found = []
    for variable, walk in library.walks(held):
        for path, part in walk:
            for key, one in library.parameters(part):
                name = f"{variable}.{join(path, key)}".removeprefix("self.")
                found.append((name, find(one)))
    return [(name, snapshot) for name, snapshot in found if snapshot is not None]

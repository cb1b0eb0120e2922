"""The step of an optimizer is told with what it changed, and why a parameter stayed the same.

Parameters that get gradients, but that no optimizer steps, are found here, too.

Read next: adapters/recorded_timeline.py
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

import numpy as np

from graphlab.adapters.namespace import Library, join
from graphlab.adapters.native.facts import PassNotes, raw
from graphlab.adapters.native.snapshots import differ
from graphlab.adapters.native.source_lines import source_at
from graphlab.autograd.users_code import Place, place
from graphlab.graph.array_sample import WHOLE, ArraySample, checksum
from graphlab.graph.array_sample import quick_sample as sample
from graphlab.graph.events.updates import Unchanged
from graphlab.graph.model import Graph, Unreached
from graphlab.tensor.tensor import Tensor

FIRST_ORDER = ("SGD", "Adam", "AdamW")  # a gradient other than 0 asks for a step other than 0


def why_unchanged(optimizer: str, group: Any, grad: Any) -> Unchanged:
    """Why a step changed no entry of a parameter. grad: its gradient, or None."""
    try:
        if float(group["lr"]) == 0:
            return "lr"
        if grad is None or optimizer not in FIRST_ORDER:
            return "unknown"
        if not grad.any():
            return "gradient"
        return "rounding" if not (grad - grad).any() else "unknown"  # inf - inf is NaN
    except (KeyError, NotImplementedError, RuntimeError, TypeError, ValueError):
        return "unknown"


def settings_of(optimizer: Any) -> str:
    """The settings of the parameter groups that are numbers and not 0: "lr=0.1, momentum=0.9"."""
    told = []
    for group in optimizer.param_groups:
        known = {name: x for name, x in group.items() if name not in ("params", "initial_lr")}
        numbers = {name: x for name, x in known.items() if isinstance(x, int | float | tuple)}
        with suppress(KeyError, RuntimeError, TypeError, ValueError):  # None, several numbers
            numbers["lr"] = float(group["lr"])  # also of a tensor
        texts = {k: f"{x:.6g}" if type(x) is float else str(x) for k, x in numbers.items() if x}
        told.append(", ".join(f"{name}={text}" for name, text in texts.items()))
    return "; ".join(dict.fromkeys(told))


def is_same(before: ArraySample | None, after: ArraySample, sums: tuple[Any, Any]) -> bool:
    """Whether it is known that no entry changed. sums: the checksums of a large array."""
    if before is None or differ(before, after):
        return False
    return before.corner.shape == before.shape or (sums[0] is not None and sums[0] == sums[1])


class Step:
    """Notes what an optimizer changes during a `with` block."""

    def __init__(self, recording: Any, optimizer: Any) -> None:
        self.recording = recording
        self.name, self.settings = type(optimizer).__name__, settings_of(optimizer)
        params = [(p, group) for group in optimizer.param_groups for p in group["params"]]
        self.was = [
            (p, group, *recording._as_it_is(p), p._version, checksum_of(p))
            for p, group in ([] if recording.full else params)
        ]

    def __enter__(self) -> None:
        self.recording._stepping += 1

    def __exit__(self, *exception: object) -> None:
        self.recording._stepping -= 1
        changes = []
        for param, group, snapshot, before, version, was in self.was:
            after = self.recording.snapshots.latest[snapshot] = sample(param._data)
            if param._version != version or differ(before, after):
                why: Unchanged = ""
                if is_same(before, after, (was, was and checksum_of(param))):
                    grad = None if param._grad is None else raw(param._grad)
                    why = why_unchanged(self.name, group, grad)
                changes.append((snapshot, before, after, param._version, why))
        given = [snapshot for _, _, snapshot, *_ in self.was]
        self.recording.note(("stepped", self.name, changes, place(), given, self.settings))


def checksum_of(param: Any) -> Any:
    """What differs if an entry of a large parameter changed; None for a small one."""
    return checksum(param._data) if np.size(param._data) > WHOLE else None


# -- parameters that no optimizer steps ----------------------------------------------------------

NOT_GIVEN = "no optimizer steps it"
IN_A_LIST = (
    f"{NOT_GIVEN}: its module is in a plain list or dict, use nn.ModuleList or nn.ModuleDict"
)
CLEARED = "its gradient is cleared before step()"
LATE = "step() runs before its gradient is there"


def unstepped_by(
    entries: Iterable[Any],
    id_of: Callable[[Any], str | None],
    parameters: Iterable[tuple[str, Any, bool]],
    graph: Graph,
) -> tuple[Unreached, ...]:
    """The parameters that no step changed, although a pass wrote their gradients.

    entries: what the recording noted. id_of: the id of a snapshot's tensor. parameters: as
    `parameters_of` gives them. () if no optimizer took a step.
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
    in_a_list: set[str | None] = set()
    for name, snapshot, is_in_a_list in parameters:
        names.setdefault(id_of(snapshot), name)
        in_a_list |= {id_of(snapshot)} if is_in_a_list else set()
    for tensor in graph.tensors:  # a module that is gone
        if "." in tensor.label:
            names.setdefault(tensor.id, tensor.label)
    found = []
    for one, name in names.items():
        if one in lost:
            said, place = why.get(one, (IN_A_LIST if one in in_a_list else NOT_GIVEN, None))
            found.append(Unreached(name, said, None if place is None else source_at(place)))
    return tuple(found)


def parameters_of(
    library: Library, held: list[tuple[str, Any]], find: Callable[[Any], Any]
) -> list[tuple[str, Any, bool]]:
    """The parameters of the user's modules: their full names and their snapshots.

    The third item says whether their module is in a plain list or dict, and so no part of another.
    """
    found = []
    for variable, walk in library.walks(held):
        for path, part in walk:
            for key, one in library.parameters(part):
                name = f"{variable}.{join(path, key)}".removeprefix("self.")
                found.append((name, find(one), "[" in path))
    return [each for each in found if each[1] is not None]

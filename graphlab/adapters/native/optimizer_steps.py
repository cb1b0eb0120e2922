"""The step of an optimizer is told with what it changed, and why a parameter stayed the same.

Read next: adapters/recorded_timeline.py
"""

from typing import Any

import numpy as np

from graphlab.adapters.native.facts import raw
from graphlab.adapters.native.snapshots import differ
from graphlab.autograd.users_code import place
from graphlab.graph.array_sample import WHOLE, ArraySample, checksum
from graphlab.graph.array_sample import quick_sample as sample
from graphlab.graph.events.updates import Unchanged

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


def is_same(before: ArraySample | None, after: ArraySample, sums: tuple[Any, Any]) -> bool:
    """Whether it is known that no entry changed. sums: the checksums of a large array."""
    if before is None or differ(before, after):
        return False
    return before.corner.shape == before.shape or (sums[0] is not None and sums[0] == sums[1])


class Step:
    """Notes what an optimizer changes during a `with` block."""

    def __init__(self, recording: Any, optimizer: Any) -> None:
        self.recording = recording
        self.name = type(optimizer).__name__
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
        self.recording.note(("stepped", self.name, changes, place(), given))


def checksum_of(param: Any) -> Any:
    """What differs if an entry of a large parameter changed; None for a small one."""
    return checksum(param._data) if np.size(param._data) > WHOLE else None

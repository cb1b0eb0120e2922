"""The changes of one optimizer step are noted together.

Read next: adapters/recorded_timeline.py
"""

from typing import Any

from graphlab.adapters.native.snapshots import differ
from graphlab.autograd.users_code import place
from graphlab.graph.array_sample import quick_sample as sample


class Step:
    """Notes what an optimizer changes during a `with` block."""

    def __init__(self, recording: Any, optimizer: Any) -> None:
        self.recording = recording
        self.name = type(optimizer).__name__
        params = [param for group in optimizer.param_groups for param in group["params"]]
        self.was = [
            (p, *recording._as_it_is(p), p._version) for p in ([] if recording.full else params)
        ]

    def __enter__(self) -> None:
        self.recording._stepping += 1

    def __exit__(self, *exception: object) -> None:
        self.recording._stepping -= 1
        changes = []
        for param, snapshot, before, version in self.was:
            after = self.recording.snapshots.latest[snapshot] = sample(param._data)
            if param._version != version or differ(before, after):
                changes.append((snapshot, before, after, param._version))
        self.recording.note(("stepped", self.name, changes, place()))

"""Which values of a function a page may follow by itself, before the function has run at them.

The page has the formulas of the last graph (graph/formulas.py). They are those of the next graph,
too, if nothing but the graph depends on the value: the function read no number out of a tensor, the
page knows what decided each `if`, and when the value changed before, every constant stayed as it
was. The function runs in any case, and what it gives is shown then.

Read next: js/src/follow.ts
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from graphlab.graph.structure_keys import keys_of
from graphlab.graph.timeline import Timeline


class Foresight:
    """Watches the runs of one function."""

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}
        self._known: Any = None  # the graph and its constants, when these values were run
        self._proved: set[str] = set()  # the values that have changed nothing else

    def after(
        self, timeline: Timeline, values: Mapping[str, Any], asked: int | None
    ) -> dict[str, str]:
        """The names of the values that the page may follow, with their leaves; {} if none.

        values: at which the function has run. asked: how often it asked a tensor for its truth;
        None if it read numbers.
        """
        leaves = {
            one.name: one.id
            for one in timeline.graph.tensors
            if one.is_leaf and one.requires_grad and one.name in values
        }
        known = self._constants(timeline, set(leaves.values()), asked)
        changed = {name for name, value in values.items() if not self._is(name, value)}
        if known is None or known != self._known:
            self._proved.clear()
        else:
            self._proved |= changed
        self._known, self._values = known, dict(values)
        return {name: leaves[name] for name in leaves if name in self._proved}

    def _is(self, name: str, value: Any) -> bool:
        return name in self._values and np.array_equal(self._values[name], value, equal_nan=True)

    def _constants(self, timeline: Timeline, leaves: set[str], asked: int | None) -> Any:
        """The graph and what stays in it; None where the formulas do not suffice."""
        replay = timeline.replay
        if replay is None or replay.problem or replay.cannot:
            return None
        if asked != sum(isinstance(one.outcome, bool) for one in replay.decided):
            return None  # a branch that nobody can explain
        held = {id: one for id, one in replay.data.items() if id not in leaves}
        return keys_of(timeline.graph), held

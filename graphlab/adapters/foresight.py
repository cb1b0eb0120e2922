"""Foresight tells for which arguments a page can compute the next graph before the function runs.

The page has the formulas of the last graph (graph/formulas.py). They hold for the next graph as
well if only the graph depends on the argument: the function read no number from a tensor, the page
knows the condition of each `if`, and every constant stayed the same when the argument changed
before. The function runs in any case, and the page shows its result then.

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
        self._known: Any = None  # the graph and its constants in the last run
        self._proved: set[str] = set()  # arguments whose changes changed no constant

    def after(
        self, timeline: Timeline, values: Mapping[str, Any], asked: int | None
    ) -> dict[str, str]:
        """The names of the arguments whose changes the page can compute, with their leaves.

        values: the arguments of the last run. asked: how often the function asked for the truth
        value of a tensor; None if it read numbers.
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
        """The graph and its constants; None if the formulas are not enough."""
        replay = timeline.replay
        if replay is None or replay.problem or replay.cannot:
            return None
        if asked != sum(isinstance(one.outcome, bool) for one in replay.decided):
            return None  # the condition of a branch is unknown
        constants = {id: one for id, one in replay.data.items() if id not in leaves}
        return keys_of(timeline.graph), constants

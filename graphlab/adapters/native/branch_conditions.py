"""The conditions on values of a graph by which Python chose what to run, for a check.

A graph holds one branch of an `if`, so a check is valid only for values that take the same one.

Read next: adapters/native/branches_taken.py
"""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphlab.adapters.native.branches_taken import ANOTHER, RECORDED, followed_by
from graphlab.adapters.native.graph_copy import Copied, copy_of
from graphlab.adapters.native.graph_walk import nodes_of
from graphlab.adapters.native.numbers_read import decided_by
from graphlab.adapters.native.variable_names import Names
from graphlab.autograd.branches import branches
from graphlab.graph.formulas import Decided, Numbers, Program
from graphlab.graph.replaying import ReplayError, computed_with, run_program
from graphlab.tensor.tensor import Tensor

BOUNDED = ("gt", "lt", "ge", "le")  # comparisons whose sides are equal where two branches meet


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition that held when the graph was made, such as "x <= 0"."""

    said: str
    decided: Decided
    copied: Copied

    def holds(self, made: Any) -> bool:
        """Whether the condition has the same outcome. made: other values, tensors by key."""
        outcome = self.decided.outcome
        recorded = outcome.array() if isinstance(outcome, Numbers) else outcome
        try:
            return bool(np.array_equal(self._run(self.decided.followed.program, made), recorded))
        except ReplayError:  # the program would have failed too
            return False

    def on_edge(self, made: Any) -> bool:
        """Whether the values lie where two branches meet: x = 0 for "x <= 0"."""
        program = self.decided.followed.program
        *steps, last = program.steps
        if last.name not in BOUNDED:
            return False
        equal = Program((*steps, last._replace(name="eq")), program.results)
        with suppress(ReplayError):
            return bool(np.any(self._run(equal, made)))
        return False

    def _run(self, program: Program, made: Any) -> Any:
        """The result of a program on the recorded values, or on others."""
        keys = {name: key for key, name in self.copied.tensors.items()}
        values: dict[tuple[str, int], Any] = {}
        single = False
        for place, name in enumerate(self.decided.followed.inputs):
            start, output = keys[name] if isinstance(keys[name], tuple) else (None, 0)
            other = made.get((start, output), made.get(start) if output == 0 else None)
            data = np.asarray(self.copied.raw[name] if other is None else other._data)
            single = single or data.dtype == np.float32
            values["x", place] = computed_with(data)
        return run_program(program, values, single, "A condition", "")[0]


def conditions_of(root: Tensor, names: Names) -> list[Condition]:
    """The conditions on which the graph of `root` depends, each once."""
    nodes = nodes_of(root)
    ends = (getattr(edge, "node", edge) for node in nodes for edge in node._next)
    if not nodes or not (branches or any(getattr(one, "_read", None) for one in ends)):
        return []
    copied = copy_of(root, names)
    found: dict[str, Condition] = {}
    for one in decided_by(copied, followed_by(copied)[0]):
        if one.sentence.endswith(ANOTHER):
            said = one.sentence.removeprefix(RECORDED).removesuffix(ANOTHER)
            found.setdefault(said, Condition(said, one, copied))
    return list(found.values())

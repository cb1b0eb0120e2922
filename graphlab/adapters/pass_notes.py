"""What a recording holds of one pass, of whichever library.

Read next: adapters/recorded_timeline.py
"""

from typing import Any

from graphlab.adapters.call_place import Place
from graphlab.adapters.native.facts import Fact
from graphlab.adapters.native.variable_names import Names
from graphlab.graph.array_sample import ArraySample

MOST = 20_000  # nodes that run in all recorded passes, until the recording is full


class PassNotes:
    """What a recording knows of one pass, whose facts are about snapshots.

    keeps: whether the graph stays. creates: whether the pass is recorded itself. accumulate:
    whether it writes `.grad`. where: the line of the call.
    """

    facts: list[Fact]

    def __init__(self, keeps: bool, creates: bool, accumulate: bool, where: Place | None) -> None:
        self.keeps, self.creates, self.accumulate = keeps, creates, accumulate
        self.place = where
        self.edges: list[Any] = []  # the roots of the pass
        self.runs: set[Any] = set()  # snapshots of the nodes and leaves that the pass reaches
        self.holding: list[tuple[Any, ArraySample]] = []  # leaves, and their gradients before
        self.again: dict[Any, tuple[Any, ...]] = {}  # nodes of earlier passes -> what they hold now
        self.names = Names()
        self.modules: list[tuple[str, Any]] = []

"""Pass notes are what a recording knows of one pass, of GraphLab or of PyTorch.

Read next: adapters/recorded_timeline.py
"""

from typing import Any

from graphlab.adapters.native.facts import Fact
from graphlab.adapters.native.variable_names import Names
from graphlab.autograd.users_code import Place
from graphlab.graph.array_sample import ArraySample

MOST = 20_000  # nodes that run in all recorded passes together; then the recording is full


class PassNotes:
    """The notes about one pass, whose facts are about snapshots.

    keeps: retain_graph. creates: create_graph. accumulate: whether the pass writes `.grad`. where:
    the line of the call.
    """

    facts: list[Fact]

    def __init__(self, keeps: bool, creates: bool, accumulate: bool, where: Place | None) -> None:
        self.keeps, self.creates, self.accumulate = keeps, creates, accumulate
        self.place = where
        self.edges: list[Any] = []  # the roots of the pass
        self.runs: set[Any] = set()  # snapshots of the nodes and leaves that the pass reaches
        self.holding: list[tuple[Any, ArraySample]] = []  # leaves, and their `.grad` before
        self.again: dict[Any, tuple[Any, ...]] = {}  # nodes of earlier passes -> new saved values
        self.names = Names()
        self.modules: list[tuple[str, Any]] = []

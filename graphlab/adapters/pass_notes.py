"""What a recording knows of its passes, and of one pass, of GraphLab or of PyTorch.

Read next: adapters/recorded_timeline.py
"""

from collections.abc import Callable
from typing import Any

from graphlab.adapters.failure_causes import message_of
from graphlab.adapters.native.facts import Fact
from graphlab.adapters.native.graph_copy import Copied
from graphlab.adapters.native.unreached import Cut, stopped_by
from graphlab.adapters.native.variable_names import Names
from graphlab.autograd.users_code import Place
from graphlab.graph.array_sample import ArraySample
from graphlab.graph.event_log import MOST_EVENTS

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

    @property
    def reaches(self) -> set[Any]:
        """What should get a gradient: nothing if the pass failed, or if it writes no `.grad`."""
        failed = bool(self.facts) and self.facts[-1][0] == "failed"
        return self.runs if self.accumulate and not failed else set()


class Notes:
    """All that a recording has noted. forget: called when something was noted."""

    def __init__(self, forget: Callable[[], None]) -> None:
        self.entries: list[Any] = []  # PassNotes, and tuples: what happened between passes
        self.names_at_end: dict[int, str] = {}  # id of the snapshot of a leaf -> name
        self.room = MOST
        # why the first pass could not begin, and the line that called it
        self.refused: tuple[str, Place | None] | None = None
        self.full = False  # if True, nothing more is noted
        self.running: list[Any] = []  # PassNotes; several if a hook begins another pass
        self.forget = forget

    @property
    def pass_notes(self) -> list[PassNotes]:
        """The passes that were noted."""
        return [entry for entry in self.entries if isinstance(entry, PassNotes)]

    def stopped(self, copied: Copied, live: Callable[[Any], Any]) -> list[Cut]:
        """The leaves that no pass sent a gradient, because a node sent None."""
        return stopped_by(copied, [(one.facts, one.reaches) for one in self.pass_notes], live)

    def refuses(self, error: Exception, where: Place | None) -> None:
        """A pass could not begin."""
        self.refused = self.refused or (message_of(error), where)
        self.forget()

    def note(self, entry: Any) -> None:
        """Add what happened to the entries, or to the facts of the pass that is running."""
        if self.full:
            return
        if self.running and not isinstance(entry, PassNotes):
            self.running[-1].facts.append(("noted", entry))
        else:
            self.entries.append(entry)
            self.full = len(self.entries) >= MOST_EVENTS
        self.forget()
